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

/** @returns the text as elements, a run of characters that look alike in each. Line ends are
 * drawn after their line, where they take no room. */
export function drawLooks(
  text: string,
  script: Script,
  judged: Judgement | undefined,
): (Node | string)[] {
  const { bytes, cuts, places } = script;
  const looks = looksOf(script, judged);
  const drawn: (Node | string)[] = [];
  let run = '';
  let runLook = '';
  const flush = (): void => {
    if (run !== '')
      drawn.push(runLook === '' ? run : element('span', { class: runLook }, run));
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
    const end = cuts[cut]?.at === next ? cuts[cut]?.from : places[next];
    const sign = text.slice(place, end);
    const isWrong = looks.slice(at, next).includes(WRONG);
    if (sign.endsWith('\n')) {
      const isBare = sign !== '\n';
      if (isBare) add('\u00ac', isWrong ? WRONG : 'mark');
      flush();
      const end = isBare ? '\\n' : '\\r\\n';
      const look = isWrong ? `end ${WRONG}` : 'end';
      drawn.push(element('span', { class: look, 'data-end': end }), '\n');
    } else {
      add(sign, isWrong ? WRONG : (looks[at] ?? ''));
    }
    at = next;
  }
  flush();
  return [...drawn, '\u200b']; // the last line has a height, even if it is empty
}
