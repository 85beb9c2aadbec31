/** What the page and its server both know: what it can be about, and the limits. */
import { MISTAKES } from '../../naive/naive-request';
import { count, milliseconds } from '../../text/text';
import type { Script } from '../bytes';
import { EXPERIMENTS, type Experiment } from '../experiments';

/** Where everything listens. */
export const HOST = '127.0.0.1';
/** The server of the tasks, and the one that sends what somebody types. */
export const TASKS = 'tasks';
export const REPLIES = 'replies';

/** What the two runs of an experiment are called. */
export const CALLED = ['without the defence', 'with it'] as const;

/** @returns the name of the server of an experiment that has the defence */
export function defendedName({ number, service }: Experiment): string {
  return service === 'redirect' ? `${number}-defended` : service;
}

/** @returns "the attacker", "the victim"; or "client 2" */
export function namesIn({ clients, mistakes }: Experiment): string[] {
  return clients.map(({ who }, index) =>
    mistakes === undefined ? `client ${index + 1}` : `the ${who}`,
  );
}

/** The experiments that a page can show: in the others a client sends megabytes, or reads
 * late or never, or there is no client. */
export const SCENES: readonly Experiment[] = EXPERIMENTS.filter(
  ({ about, mistakes }) => (about ?? mistakes) !== undefined,
);

/** "tasks", "replies", and of each experiment the number, for the server without its
 * defence, and the name of the one with it: "echo", "14-defended". */
export const SERVERS: readonly string[] = [
  TASKS,
  REPLIES,
  ...SCENES.flatMap((one) => [String(one.number), defendedName(one)]),
];

/** The ways to a server: its own port, a proxy without a mistake, or one with a mistake. */
export const WAYS: readonly string[] = ['server', 'proxy', ...Object.keys(MISTAKES)];

/** The most bytes of a text, in UTF-8, and the most that may be on its way from all
 * clients. */
export const TEXT_LIMIT = 1_048_576;
export const WAITING_LIMIT = 8 * TEXT_LIMIT;
/** The most connections that may be open. */
export const CONNECTIONS_LIMIT = 100;
/** The most cuts of one text, and the longest pause at one. */
const CUTS_LIMIT = 400;
const PAUSE_LIMIT_MS = 120_000;

/** @param text of which the bytes and the cuts are read already
 * @returns which limit it exceeds, as a sentence, or '' */
export function excess(text: string, { cuts }: Script): string {
  const most = (what: string): string => `The workbench itself sends at most ${what}.`;
  // A character has at most three bytes for each of its units.
  if (3 * text.length > TEXT_LIMIT && new TextEncoder().encode(text).length > TEXT_LIMIT)
    return most(`${count(TEXT_LIMIT)} of text at once`);
  if (cuts.length > CUTS_LIMIT) return most(`${CUTS_LIMIT} cuts at once`);
  if (cuts.some(({ pause }) => pause > PAUSE_LIMIT_MS))
    return most(`pauses of ${milliseconds(PAUSE_LIMIT_MS)}`);
  return '';
}
