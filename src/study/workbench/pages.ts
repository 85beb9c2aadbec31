/** What the pages have for the workbench: requests, and what they tell of them. Of a step,
 * that is what its request breaks, and of an experiment of the lab, what it is about. */
import type { Experiment } from '../experiments';
import { type Pieces } from '../bytes';
import { MISTAKES } from '../../naive/naive-request';
import { readSent } from '../shell';

/** Texts are in Markdown, as the pages have them. */
export interface Story {
  readonly title: string;
  readonly text: string;
  /** What is told when one asks for it, and what that is called. */
  readonly more: string;
  readonly moreTitle: string;
}

/** Commands, which are typed already, and what leads to them. */
const CODE = /:?\n+```[^]*?^```$/gm;

const HERE = '\n\nSend gives these bytes to the finished server, not to the program.';
const PAUSE = ' `\u20161000\u2016` is a pause of 1000 ms.';
const POST = ' The server responds to every `POST /tasks` with the same task.';

/** @param page the steps, or another page
 * @returns what it tells of the requests that break a step alone, each by its pieces as
 * JSON */
export function readStories(page: string): Map<string, Story> {
  const stories = new Map<string, Story>();
  for (const [, step = '', told = ''] of page.matchAll(BREAKS)) {
    const [request] = readPage(told);
    const clients = told.split('| nc ').length - 1;
    const outcome = new RegExp(
      `^### What happened in step ${step}$([^]*?)^(?:#|\\[On)`,
      'm',
    );
    const [, more = ''] = outcome.exec(page) ?? [];
    if (request === undefined || clients > 1) continue;
    const key = JSON.stringify(request.pieces);
    const isAccepted = !key.includes('chunked'); // it states no second length
    const here =
      `${HERE}${key.includes(',1000,') ? PAUSE : ''}` +
      (key.includes('POST') && isAccepted ? POST : '');
    stories.set(key, {
      title: `Program ${step}: the bytes on the left break it`,
      text: told.replace(CODE, (code) => (code.startsWith(':') ? '.' : '')) + here,
      more,
      moreTitle: `What happened to program ${step}`,
    });
  }
  return stories;
}

/** The end of a step: what breaks it. */
const BREAKS =
  /^## (\d+)\. (?:(?!^## )[^])*?^\*\*Break it\.\*\* ([^]*?)^\[What happens\]/gm;

/** @returns what an experiment is about, and the lines that are missing */
export function tellExperiment(experiment: Experiment): Story {
  const { defence, disagreement, mistakes, number, outcome, title } = experiment;
  const about =
    mistakes === undefined
      ? (experiment.about ?? '')
      : `${PROXY}It ${MISTAKES[mistakes[0]]}. Proxy and server disagree on ${disagreement}.`;
  return {
    title: `Lab ${number}. ${title}`,
    text: about + ASK,
    more: `Without the defence, ${outcome}.\n\n\`\`\`diff\n${defence}\n\`\`\``,
    moreTitle: 'The lines that are missing where there is no defence',
  };
}

const PROXY =
  'The proxy lets no DELETE through. It forwards the requests of all clients over one ' +
  'connection, and gives the next response to the client whose turn it is.\n\n';
const ASK = '\n\nPredict: what does each client receive?';

export interface PageRequest {
  readonly title: string;
  readonly pieces: Pieces;
}

/** Finds the commands `printf '...' | nc localhost 8080` of a page, with pauses of `sleep`.
 * @returns those that send fixed bytes, each of them once */
export function readPage(markdown: string): PageRequest[] {
  const found = new Map<string, PageRequest>();
  const blocks = markdown.matchAll(/^#+ (.*)$|^```sh\n([^]*?)^```$/gm);
  let heading = '';
  for (const [, title, code] of blocks) {
    if (title !== undefined) heading = title.replace(/[`*]/g, '');
    for (const pieces of fixedBytesOf(code ?? '')) {
      const texts = pieces.filter((piece) => typeof piece === 'string');
      const line = firstLine(texts.join(''));
      const key = JSON.stringify(pieces);
      if (!found.has(key)) found.set(key, { title: `${heading}: ${line}`, pieces });
    }
  }
  return [...found.values()];
}

/** @returns what the clients of a script send, or none where that is not fixed */
function fixedBytesOf(code: string): Pieces[] {
  if (/%(?:\.0)?s/.test(code)) return [];
  try {
    return readSent(code);
  } catch {
    return []; // a script of another kind
  }
}

/** @returns the request line, without the version */
function firstLine(text: string): string {
  const [line = ''] = text.split('\r\n', 1);
  return line.replace(/ HTTP\/1\.\d$/, '');
}
