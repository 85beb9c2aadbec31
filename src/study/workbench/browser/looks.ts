/// <reference lib="dom" />
/** The bytes of the composer as they are judged: the same text, with looks. */
import { draw } from '../../../page/view/dom';
import { view, type View } from '../../../page/view/view';
import type { Judgement } from '../judge';
import type { Script } from '../../bytes';
import { LOOKS_LIMIT } from './state';

const WRONG = 'wrong';
const MARK = 'mark';
const LF = 0x0a;
/** Also an empty line has a height. */
const EMPTY = '\u200b';
/** Lines are drawn in blocks. With an element for each of a thousand lines, the browser
 * would lay them all out at each key. */
const LINES_IN_BLOCK = 32;
/** @returns the look of each byte: '' where nothing is said about it */
function looksOf({ bytes }: Script, judged: Judgement | undefined): string[] {
  const { kinds = [], digits = '', wrong } = judged ?? {};
  const ofDigits = new Map(kinds.map((kind, index) => [index.toString(36), `k-${kind}`]));
  const looks = Array.from(bytes, (_, at) => ofDigits.get(digits.charAt(at)) ?? '');
  if (wrong !== undefined && wrong >= 0 && wrong < bytes.length) {
    looks[wrong] = WRONG;
    // The rest of its line may have been read.
    const lineEnd = bytes.indexOf(LF, wrong);
    if (lineEnd >= 0) looks.fill('never', lineEnd + 1);
  }
  return looks;
}

/** @returns a judgement of bytes that have changed since: what is behind the change has
 * moved */
export function moveLooks(
  judged: Judgement,
  before: Uint8Array,
  bytes: Uint8Array,
): Judgement {
  let same = 0; // at the beginning
  while (same < bytes.length && bytes[same] === before[same]) same += 1;
  const by = bytes.length - before.length;
  const { digits, wrong } = judged;
  const begin = digits.slice(0, same);
  // Within a part, what is new looks like it.
  const isWithin = digits[same - 1] === digits[same];
  const added = (isWithin ? (digits[same] ?? ' ') : ' ').repeat(Math.max(0, by));
  return {
    ...judged,
    digits: begin + added + digits.slice(same + Math.max(0, -by)),
    wrong: wrong === undefined || wrong <= same ? wrong : Math.max(same, wrong + by),
  };
}

/** Characters that look alike, or the end of a line, which is drawn where it takes no
 * room. */
interface Run {
  readonly look: string;
  readonly text: string;
  readonly end?: string;
}

type Line = readonly Run[];

function linesOf(text: string, script: Script, judged: Judgement | undefined): Line[] {
  const { bytes, cuts, places } = script;
  const looks = looksOf(script, judged);
  // Of each character. What is no byte is a mark: a cut, the ending, a sign for a bare LF.
  const all = new Array<string>(text.length).fill(MARK);
  for (let at = 0; at < bytes.length;) {
    const from = places[at] ?? 0;
    let look = looks[at] ?? '';
    // A sign may stand for several bytes.
    for (at += 1; places[at] === from; at += 1) if (looks[at] === WRONG) look = WRONG;
    all.fill(look, from, places[at]);
  }
  for (const { from, to } of cuts) all.fill(MARK, from, to);
  let start = 0;
  return text.split('\n').map((line) => {
    const end = start + line.length;
    const isBare = line.endsWith('\u00ac');
    if (isBare && all[end] !== WRONG) all[end - 1] = MARK;
    const runs = runsOf(line, all.slice(start, end));
    start = end + 1;
    if (end === text.length) return runs;
    const look = all[end] === WRONG ? `end ${WRONG}` : 'end';
    return [...runs, { look, text: '', end: isBare ? '\\n' : '\\r\\n' }];
  });
}

/** @param looks of each character of a text */
function runsOf(text: string, looks: readonly string[]): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < text.length;) {
    const look = looks[from] ?? '';
    let to = from + 1;
    while (to < text.length && looks[to] === look) to += 1;
    runs.push({ look, text: text.slice(from, to) });
    from = to;
  }
  return runs;
}

function viewOf({ end, look, text }: Run): View {
  if (end !== undefined) return view('span', { class: look, 'data-end': end });
  return look === '' ? text : view('span', { class: look }, text);
}

/** The looks of a text. Only the blocks that change are drawn again: 16 KB may be thousands
 * of lines. */
export class Looks {
  /** What is drawn of each block. */
  private drawn: string[] = [];

  constructor(private readonly box: HTMLElement) {}

  draw(text: string, script: Script, judged: Judgement | undefined): void {
    const { box, drawn } = this;
    const plain: readonly Line[] = [[{ look: '', text }]];
    const lines = text.length > LOOKS_LIMIT ? plain : linesOf(text, script, judged);
    const count = Math.ceil(lines.length / LINES_IN_BLOCK);
    for (let index = 0; index < count; index += 1) {
      const own = lines.slice(index * LINES_IN_BLOCK, (index + 1) * LINES_IN_BLOCK);
      const key = JSON.stringify(own);
      const block = box.children[index] ?? document.createElement('div');
      if (key === drawn[index]) continue;
      drawn[index] = key;
      const views = own.flatMap((line) => [...line.map(viewOf), '\n']);
      draw(block, [...views.slice(0, -1), EMPTY]);
      if (block.parentElement === null) box.append(block);
    }
    drawn.length = count;
    while (box.children.length > count) box.lastElementChild?.remove();
  }
}
