/** The bytes of the composer as they are judged: the same text, with looks. */
import { element } from '../../../trace/page/browser/dom';
import type { Judgement } from '../judge';
import type { Script } from '../notation';

const WRONG = 'wrong';
/** Also an empty line has a height. */
const EMPTY = '\u200b';
/** How many lines above and below those in sight have looks. */
const LINES_AROUND = 20;

/** @returns the look of each byte: '' where nothing is said about it */
function looksOf({ bytes }: Script, judged: Judgement | undefined): string[] {
  const looks: string[] = new Array(bytes.length).fill('');
  for (const [kind, offset, length] of judged?.parts ?? [])
    looks.fill(`k-${kind}`, Math.max(0, offset), Math.max(0, offset + length));
  const wrong = judged?.wrong;
  if (wrong !== undefined && wrong >= 0) {
    looks.fill('never', wrong);
    if (wrong < bytes.length) looks[wrong] = WRONG;
  }
  return looks;
}

/** @returns a judgement of bytes that have changed since: what is behind the change has moved */
export function moveParts(
  judged: Judgement,
  before: Uint8Array,
  bytes: Uint8Array,
): Judgement {
  let same = 0; // at the beginning
  while (same < bytes.length && bytes[same] === before[same]) same += 1;
  const by = bytes.length - before.length;
  const move = (offset: number): number =>
    offset <= same ? offset : Math.max(same, offset + by);
  const { parts, wrong } = judged;
  return {
    ...judged,
    parts: parts.map(([kind, offset, length]) => {
      const start = move(offset);
      return [kind, start, move(offset + length) - start];
    }),
    wrong: wrong === undefined ? undefined : move(wrong),
  };
}

/** A run of characters that look alike, or the end of a line, which is drawn where it takes
 * no room. */
interface Run {
  readonly look: string;
  readonly text: string;
  readonly end?: string;
}

/** @returns the lines of the text, as runs */
function linesOf(
  text: string,
  script: Script,
  judged: Judgement | undefined,
): (readonly Run[])[] {
  const { bytes, cuts, places } = script;
  const looks = looksOf(script, judged);
  const lines: (readonly Run[])[] = [];
  let line: Run[] = [];
  let run = '';
  let runLook = '';
  const flush = (): void => {
    if (run !== '') line.push({ look: runLook, text: run });
    run = '';
  };
  const add = (characters: string, look: string): void => {
    if (look !== runLook) flush();
    runLook = look;
    run += characters;
  };
  let cut = 0;
  let at = 0;
  for (;;) {
    for (; cuts[cut]?.at === at; cut += 1)
      add(text.slice(cuts[cut]?.from, cuts[cut]?.to), 'mark');
    if (at >= bytes.length) break;
    const place = places[at] ?? 0;
    let isWrong = looks[at] === WRONG;
    let next = at + 1;
    for (; next < bytes.length && places[next] === place; next += 1)
      isWrong ||= looks[next] === WRONG;
    const to = cuts[cut]?.at === next ? cuts[cut]?.from : places[next];
    const sign = text.slice(place, to);
    if (sign.endsWith('\n')) {
      const isBare = sign !== '\n';
      if (isBare) add('\u00ac', isWrong ? WRONG : 'mark');
      flush();
      const end = isBare ? '\\n' : '\\r\\n';
      line.push({ look: isWrong ? `end ${WRONG}` : 'end', text: '', end });
      lines.push(line);
      line = [];
    } else {
      add(sign, isWrong ? WRONG : (looks[at] ?? ''));
    }
    at = next;
  }
  flush();
  return [...lines, line];
}

function isSame(one: readonly Run[] = [], other: readonly Run[] = []): boolean {
  const isAlike = ({ end, look, text }: Run, index: number): boolean =>
    other[index]?.look === look && other[index].text === text && other[index].end === end;
  return one.length === other.length && one.every(isAlike);
}

function drawLine(line: readonly Run[]): HTMLElement {
  const runs = line.map(({ end, look, text }) => {
    if (end !== undefined) return element('span', { class: look, 'data-end': end });
    return look === '' ? text : element('span', { class: look }, text);
  });
  return element('div', {}, ...runs, EMPTY);
}

/** @returns a line without looks, as high as with them */
function plainLine(line: readonly Run[]): HTMLElement {
  return element('div', {}, line.map(({ text }) => text).join(''), EMPTY);
}

/** The looks of a text. Only the lines that change are drawn again, and only those in sight
 * have looks: 16 KB may be a thousand lines. */
export class Looks {
  /** What is drawn. */
  private lines: readonly (readonly Run[])[] = [];
  /** The lines that have looks. */
  private readonly looked = new WeakSet<Element>();

  /** @param box is in the element that scrolls */
  constructor(private readonly box: HTMLElement) {
    box.parentElement?.addEventListener('scroll', () => this.lookInSight());
  }

  draw(text: string, script: Script, judged: Judgement | undefined): void {
    const lines = linesOf(text, script, judged);
    const { box, lines: before } = this;
    const least = Math.min(before.length, lines.length);
    let same = 0; // at the beginning
    while (same < least && isSame(lines[same], before[same])) same += 1;
    let rest = 0; // at the end
    while (rest < least - same && isSame(lines.at(-1 - rest), before.at(-1 - rest))) {
      rest += 1;
    }
    const range = document.createRange();
    range.setStart(box, same);
    range.setEnd(box, before.length - rest);
    range.deleteContents();
    const next = box.children[same] ?? null;
    const changed = lines.slice(same, lines.length - rest);
    // A key changes a line or two: with looks at once, the page is laid out once.
    const areFew = changed.length <= LINES_AROUND;
    for (const line of changed) {
      box.insertBefore(areFew ? this.look(line) : plainLine(line), next);
    }
    this.lines = lines;
    this.lookInSight();
  }

  /** Gives looks to the lines in sight, and to some around them. They stay as high as they
   * are. */
  private lookInSight(): void {
    const { box, lines, looked } = this;
    const { clientHeight = 0, scrollTop = 0 } = box.parentElement ?? {};
    const first = this.lineAt(scrollTop) - LINES_AROUND;
    const last = this.lineAt(scrollTop + clientHeight) + LINES_AROUND;
    for (let index = Math.max(0, first); index <= last; index += 1) {
      const [drawn, line] = [box.children[index], lines[index]];
      if (drawn === undefined || line === undefined) return;
      if (!looked.has(drawn)) drawn.replaceWith(this.look(line));
    }
  }

  private look(line: readonly Run[]): HTMLElement {
    const drawn = drawLine(line);
    this.looked.add(drawn);
    return drawn;
  }

  /** @returns the index of the line at a height of the box */
  private lineAt(height: number): number {
    const { children, offsetTop } = this.box;
    let [low, high] = [0, children.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const line = children[middle];
      const top = line instanceof HTMLElement ? line.offsetTop - offsetTop : 0;
      if (top <= height) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
