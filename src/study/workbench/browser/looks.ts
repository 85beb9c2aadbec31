/** The bytes of the composer as they are judged: the same text, with looks. */
import { element } from '../../../trace/page/browser/dom';
import type { Judgement } from '../judge';
import type { Script } from '../notation';

const WRONG = 'wrong';

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
    let next = at + 1;
    while (next < bytes.length && places[next] === place) next += 1;
    const to = cuts[cut]?.at === next ? cuts[cut]?.from : places[next];
    const sign = text.slice(place, to);
    const isWrong = looks.slice(at, next).includes(WRONG);
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

function drawLine(line: readonly Run[]): HTMLElement {
  const runs = line.map(({ end, look, text }) => {
    if (end !== undefined) return element('span', { class: look, 'data-end': end });
    return look === '' ? text : element('span', { class: look }, text);
  });
  // Also an empty line has a height.
  return element('div', {}, ...runs, '\u200b');
}

/** The looks of a text. Only the lines that change are drawn again: 16 KB may have a
 * thousand. */
export class Looks {
  /** What is drawn, line by line. */
  private keys: readonly string[] = [];

  constructor(private readonly box: HTMLElement) {}

  draw(text: string, script: Script, judged: Judgement | undefined): void {
    const lines = linesOf(text, script, judged);
    const keys = lines.map((line) => JSON.stringify(line));
    const { box, keys: before } = this;
    const least = Math.min(before.length, keys.length);
    let same = 0; // at the beginning
    while (same < least && keys[same] === before[same]) same += 1;
    let rest = 0; // at the end
    while (rest < least - same && keys.at(-1 - rest) === before.at(-1 - rest)) rest += 1;
    const range = document.createRange();
    range.setStart(box, same);
    range.setEnd(box, before.length - rest);
    range.deleteContents();
    const drawn = lines.slice(same, lines.length - rest).map(drawLine);
    const next = box.children[same] ?? null;
    for (const line of drawn) box.insertBefore(line, next);
    this.keys = keys;
  }
}
