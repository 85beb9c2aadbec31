/** What the page can be about, which it and its server know. */
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
