/** The requests of the menu: the cases of the conformance page, and what the other pages
 * send. Those are read from the pages themselves, where they are. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mistake } from '../../naive/naive-request';
import { EXPERIMENTS } from '../experiments';
import { GROUPS, isValid, readCase, type Case } from '../cases';
import { textOf, writeScript } from '../bytes';
import { defendedName, sendersOf } from './experiments';
import { readPage, readStories, tellExperiment, type Story } from './pages';

/** A group of the menu. */
export interface MenuGroup {
  readonly title: string;
  /** What names a request, and what the menu says. */
  readonly requests: readonly (readonly [name: string, title: string])[];
  /** What it lacks, and where that is. */
  readonly note?: string;
}

/** An experiment of the lab. In the menu it is named as a request: "lab/1". */
export interface ExperimentData {
  readonly number: number;
  readonly title: string;
  /** That of its proxy, if it has one. */
  readonly mistake: Mistake | undefined;
  /** The name of the server that has the defence. */
  readonly defended: string;
  /** In the order in which its clients send them. */
  readonly requests: readonly {
    readonly name: string;
    readonly who: string;
    /** Whether it is sent together with the next one. */
    readonly isHeld: boolean;
  }[];
}

const HOST = 'localhost';
/** More than this is nothing to look at, and more than the page sends. */
const BYTES_LIMIT = 65_536;
/** Where the pages are: beside the source, in a repository. A package has none. */
const PAGES = join(__dirname, '..', '..', '..', 'src');
const FILES = [
  ['Steps: what this server, which is finished, does with the same bytes', 'STEPS.md'],
  ['Tour', 'TOUR.md'],
] as const;

const FIRST = ['GET /tasks', `GET /tasks HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`] as const;
const EXAMPLES: readonly (readonly [title: string, ...pieces: (string | number)[]])[] = [
  FIRST,
  [
    'POST /tasks, content comes later',
    `POST /tasks HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\n` +
      'Content-Length: 22\r\n\r\n',
    600,
    '{"title":"Buy a plum"}',
  ],
  [
    'Three requests at once',
    [1, 9, 3].map((id) => `GET /tasks/${id} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`).join(''),
  ],
  [
    'Two lengths: one request, or two',
    `POST /tasks HTTP/1.1\r\nHost: ${HOST}\r\nContent-Length: 50\r\n` +
      'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n' +
      `DELETE /tasks/1 HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`,
  ],
];

export class Requests {
  readonly menu: readonly MenuGroup[];
  readonly experiments: readonly ExperimentData[];
  /** What the pages tell of some of them, by name. */
  readonly stories: { [name: string]: Story } = {};
  private readonly scripts = new Map<string, () => string>();

  constructor() {
    const groups: MenuGroup[] = [{ title: 'Examples', requests: this.addExamples() }];
    for (const [title, file] of FILES) {
      const path = join(PAGES, file);
      const page = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const stories = readStories(page);
      const requests = readPage(page).map(({ pieces, title }, index) => {
        const name = `${file}/${index}`;
        const story = stories.get(JSON.stringify(pieces));
        if (story !== undefined) this.stories[name] = story;
        return this.add(name, title, () => writeScript(pieces));
      });
      if (requests.length > 0) groups.push({ title, requests });
    }
    const lab = this.readExperiments();
    this.experiments = lab.experiments;
    if (lab.experiments.length > 0) groups.push(lab.group);
    for (const { cases, title } of GROUPS) {
      const requests = cases.filter(isPossible).map((one) => {
        const status = 'status' in one ? `, ${one.status}` : '';
        const what = `${one.name}${status}: ${one.what}`;
        return this.add(one.name, what, () => writeCase(one));
      });
      groups.push({ title: `Conformance: ${title}`, requests });
    }
    this.menu = groups.map((group) => ({ ...group, requests: tellApart(group.requests) }));
  }

  private readExperiments() {
    const experiments: ExperimentData[] = [];
    const missing: number[] = [];
    for (const experiment of EXPERIMENTS) {
      const { mistakes, number } = experiment;
      const title = `${number}. ${experiment.title}`;
      const mistake = mistakes?.[0];
      const requests = sendersOf(experiment).map(({ isHeld, text, who }, index) => {
        const name = `lab/${number}/${index}`;
        this.scripts.set(name, () => text);
        return { name, who, isHeld };
      });
      const defended = defendedName(experiment);
      if (requests.length === 0) missing.push(number);
      else {
        experiments.push({ number, title, mistake, defended, requests });
        this.stories[`lab/${number}`] = tellExperiment(experiment);
      }
    }
    const group: MenuGroup = {
      title: 'Lab',
      requests: experiments.map(({ number, title }) => [`lab/${number}`, `Lab ${title}`]),
      note: `${missing.join(', ')}: only with npm run lab`,
    };
    return { experiments, group };
  }

  private addExamples() {
    return EXAMPLES.map(([title, ...pieces], index) =>
      this.add(`example/${index}`, title, () => writeScript(pieces)),
    );
  }

  private add(name: string, title: string, write: () => string) {
    this.scripts.set(name, write);
    return [name, title] as const;
  }

  /** @returns a request as text for the composer, or undefined if the menu has none of that
   * name */
  read(name: string): string | undefined {
    return this.scripts.get(name)?.();
  }
}

/** Whether the servers of the workbench can do it: they have no option of their own. */
function isPossible(one: Case): boolean {
  return isValid(one) || one.needs === undefined;
}

/** @returns a long request only to its first wrong byte: no server waits for more */
function writeCase(one: Case): string {
  const { bytes, ending, wrong = 0 } = readCase(one, HOST);
  const isLong = bytes.length > BYTES_LIMIT;
  return writeScript([textOf(isLong ? bytes.slice(0, wrong + 1) : bytes)], ending);
}

/** Counts the requests of a group that have the same title. */
function tellApart(requests: MenuGroup['requests']): MenuGroup['requests'] {
  const counts = new Map<string, number>();
  return requests.map(([name, title]) => {
    const number = (counts.get(title) ?? 0) + 1;
    counts.set(title, number);
    return [name, number === 1 ? title : `${title} (${number})`];
  });
}
