/** The text of the composer, with everything that it was: each change can be undone, those
 * of buttons and of the gallery, too. (What a script inserts with execCommand() the browser
 * can undo by itself, but thousands of lines take it half a minute.) Pure: it knows no
 * page. */

/** A text and what is selected in it. */
export interface Selection {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Snapshot extends Selection {
  /** What the text is, in the words of the gallery, or ''. */
  readonly title: string;
}

export interface Editor extends Snapshot {
  /** All that it was, and what was undone; `at` is the index of what it is. */
  readonly shots: readonly Snapshot[];
  readonly at: number;
  /** Whether the last change was typed: what is typed next belongs to it. */
  readonly isTyping: boolean;
}

/** How many changes can be undone, and how much text they may hold together. */
const CHANGES_KEPT = 500;
const TEXT_KEPT = 4_194_304;

export function editorOf(text: string, title = ''): Editor {
  const shot = { ...atEnd(text), title };
  return { ...shot, shots: [shot], at: 0, isTyping: false };
}

const atEnd = (text: string): Selection => ({ text, start: text.length, end: text.length });

const shotOf = ({ end, start, text, title }: Editor) => ({ text, start, end, title });

/** Notes what somebody typed: characters one after the other are one change, up to the end
 * of a line or of a word. */
export function typed(before: Editor, after: Selection): Editor {
  if (after.text === before.text) return { ...before, ...after };
  const isNext =
    before.isTyping &&
    before.start === before.end &&
    after.text.length === before.text.length + 1 &&
    after.start === before.start + 1 &&
    !/\s/.test(after.text.charAt(before.start));
  const { at, shots, title } = before;
  if (!isNext) return { ...changed(before, after), isTyping: true };
  return { ...before, ...after, shots: [...shots.slice(0, at), { ...after, title }] };
}

/** Makes one change of its own. */
export function changed(
  before: Editor,
  { end, start, text }: Selection,
  title = retitled(before.title),
): Editor {
  if (text === before.text) return { ...before, title };
  const after = { text, start, end, title };
  const shots = [...before.shots.slice(0, before.at), shotOf(before), after];
  let size = shots.reduce((sum, one) => sum + one.text.length, 0);
  while (shots.length > 2 && (shots.length > CHANGES_KEPT || size > TEXT_KEPT))
    size -= shots.shift()?.text.length ?? 0;
  return { ...after, shots, at: shots.length - 1, isTyping: false };
}

function retitled(title: string): string {
  return title === '' || title.endsWith(', changed') ? title : `${title}, changed`;
}

/** Another text in the place of all. */
export function replaced(before: Editor, text: string, title = before.title): Editor {
  return changed(before, atEnd(text), title);
}

/** A text in the place of what is selected. */
export function inserted(before: Editor, mark: string): Editor {
  const { end, start, text } = before;
  const at = start + mark.length;
  const all = text.slice(0, start) + mark + text.slice(end);
  return changed(before, { text: all, start: at, end: at });
}

/** @param by -1 undoes the last change, 1 does it again */
export function undone(now: Editor, by: -1 | 1 = -1): Editor {
  const at = now.at + by;
  const shot = now.shots[at];
  return shot === undefined ? now : { ...now, ...shot, at, isTyping: false };
}
