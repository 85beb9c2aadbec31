/** What the gallery has: requests and responses to type, and the experiments of the lab.
 * Pure: it knows no page. */
import { CHALLENGES, type Challenge } from '../../../page/model/challenges';
import { expand, textOf, writeScript } from '../../bytes';
import { GROUPS, isValid, readCase, type Case } from '../../cases';
import type { Experiment } from '../../experiments';
import { REPLY_CASES } from '../../reply/cases';
import { namesIn, REPLIES, SCENES, TASKS } from '../scenes';

/** What can be typed by a choice. */
export interface Choice {
  /** "example/0", "lab/1", or that of a case: "plain". */
  readonly name: string;
  readonly title: string;
  /** The server that it is for. */
  readonly server: string;
  readonly scene?: Experiment;
  readonly challenge?: Challenge;
  /** @param turn whose turn it is in an experiment
   * @returns a text in the notation of bytes.ts */
  readonly read: (turn: number) => string;
}

export interface MenuGroup {
  readonly title: string;
  readonly choices: readonly Choice[];
}

const HOST = 'localhost';
/** More than this is nothing to look at. */
const BYTES_LIMIT = 65_536;

// prettier-ignore
const EXAMPLES: readonly (readonly [title: string, text: string])[] = [
  ['GET /tasks', `GET /tasks HTTP/1.1\nHost: ${HOST}\n\n`],
  ['POST /tasks, content comes later', `POST /tasks HTTP/1.1\nHost: ${HOST}\n` +
    'Content-Type: application/json\nContent-Length: 22\n\n‖600‖{"title":"Buy a plum"}'],
  ['GET /tasks/1 in two pieces, a second apart', `GET /ta‖1000‖sks/1 HTTP/1.1\nHost: ${HOST}\n\n`],
  ['Three requests at once',
    [1, 9, 3].map((id) => `GET /tasks/${id} HTTP/1.1\nHost: ${HOST}\n\n`).join('')],
  ['Two lengths: one request, or two', `POST /tasks HTTP/1.1\nHost: ${HOST}\n` +
    'Content-Length: 50\nTransfer-Encoding: chunked\n\n0\n\n' +
    `DELETE /tasks/1 HTTP/1.1\nHost: ${HOST}\n\n`],
];

export const MENU: readonly MenuGroup[] = [
  {
    title: 'Challenges: choose one, and do it',
    choices: CHALLENGES.map((challenge) => ({
      name: `challenge/${challenge.name}`,
      title: challenge.asks,
      challenge,
      server: TASKS,
      read: () => '',
    })),
  },
  {
    title: 'Examples',
    choices: EXAMPLES.map(([title, text], index) => {
      return { name: `example/${index}`, title, server: TASKS, read: () => text };
    }),
  },
  {
    title: 'Lab: experiments; npm run lab plays these and the others',
    choices: SCENES.map(choiceOf),
  },
  {
    title: 'You are the server: responses, and what HTTP asks of a client',
    choices: REPLY_CASES.filter(({ when }) => when !== 'head').map((one) => {
      const title = `${one.name}: ${one.what} (${one.asks}, RFC ${one.section})`;
      return { name: one.name, title, server: REPLIES, read: () => expand(one.script) };
    }),
  },
  ...GROUPS.map(({ cases, title }) => ({
    title: `Conformance: ${title}`,
    // The server of the workbench has no options of its own.
    choices: cases
      .filter((one) => isValid(one) || one.needs === undefined)
      .map((one) => ({
        name: one.name,
        title: `${one.name}${'status' in one ? `, ${one.status}` : ''}: ${one.what}`,
        server: TASKS,
        read: () => readText(one),
      })),
  })),
];

/** @returns the text of a case; of a long one only up to its first wrong byte: no server
 * waits for more */
function readText(one: Case): string {
  const { bytes, ending, text, wrong = 0 } = readCase(one, HOST);
  if (bytes.length <= BYTES_LIMIT) return expand(text);
  return writeScript([textOf(bytes.subarray(0, wrong + 1))], ending);
}

function choiceOf(scene: Experiment): Choice {
  const { clients, number, title } = scene;
  const read = (turn: number): string => expand(clients[turn]?.bytes ?? '');
  const name = `lab/${number}`;
  return { name, title: `Lab ${number}. ${title}`, server: String(number), scene, read };
}

/** @returns who has a turn of an experiment: "attacker", "client 2" */
export function turnOf(scene: Experiment | undefined, turn: number): string | undefined {
  return scene && namesIn(scene)[turn]?.replace('the ', '');
}

/** @returns the choice of a name, such as that of a case */
export function choose(name: string): Choice | undefined {
  return MENU.flatMap(({ choices }) => choices).find((one) => one.name === name);
}

/** @returns the groups with the choices in which each word of a query is found */
export function find(groups: readonly MenuGroup[], query: string): readonly MenuGroup[] {
  const words = query.toLowerCase().split(/\s+/);
  return groups.flatMap((group) => {
    const choices = group.choices.filter(({ name, title }) => {
      const text = `${group.title} ${name} ${title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return choices.length > 0 ? [{ ...group, choices }] : [];
  });
}
