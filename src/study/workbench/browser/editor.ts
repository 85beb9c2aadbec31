/** The text of the composer, with everything that it was: each change can be undone, those
 * of buttons and of the gallery, too. Pure: it knows no page. */

/** A text and what is selected in it. */
export interface Snapshot {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Editor extends Snapshot {
  readonly past: readonly Snapshot[];
  readonly future: readonly Snapshot[];
  /** Whether the last change was typed: what is typed next belongs to it. */
  readonly isTyping: boolean;
}

/** How many changes can be undone, and how much text they may hold together. */
const CHANGES_KEPT = 500;
const TEXT_KEPT = 4_194_304;

export function editorOf(text: string): Editor {
  return { ...atEnd(text), past: [], future: [], isTyping: false };
}

const atEnd = (text: string): Snapshot => ({ text, start: text.length, end: text.length });
const shotOf = ({ text, start, end }: Snapshot): Snapshot => ({ text, start, end });

/** Notes what somebody typed: characters one after the other are one change, up to the end
 * of a line or of a word. */
export function typed(before: Editor, after: Snapshot): Editor {
  if (after.text === before.text) return { ...before, ...shotOf(after) };
  const isNext =
    before.isTyping &&
    before.start === before.end &&
    after.text.length === before.text.length + 1 &&
    after.start === before.start + 1 &&
    !/\s/.test(after.text.charAt(before.start));
  if (isNext) return { ...before, ...shotOf(after), future: [] };
  return { ...changed(before, after), isTyping: true };
}

/** Makes one change of its own. */
export function changed(before: Editor, after: Snapshot): Editor {
  if (after.text === before.text) return before;
  const past = [...before.past, shotOf(before)].slice(-CHANGES_KEPT);
  let size = past.reduce((sum, { text }) => sum + text.length, 0);
  while (size > TEXT_KEPT && past.length > 1) size -= past.shift()?.text.length ?? 0;
  return { ...shotOf(after), past, future: [], isTyping: false };
}

/** Another text in the place of all. */
export function replaced(before: Editor, text: string): Editor {
  return changed(before, atEnd(text));
}

/** A text in the place of what is selected. */
export function inserted(before: Editor, mark: string): Editor {
  const { end, start, text } = before;
  const at = start + mark.length;
  const all = text.slice(0, start) + mark + text.slice(end);
  return changed(before, { text: all, start: at, end: at });
}

export function undone(now: Editor): Editor {
  const last = now.past.at(-1);
  if (last === undefined) return now;
  const future = [shotOf(now), ...now.future];
  return { ...last, past: now.past.slice(0, -1), future, isTyping: false };
}

export function redone(now: Editor): Editor {
  const [next, ...future] = now.future;
  if (next === undefined) return now;
  return { ...next, past: [...now.past, shotOf(now)], future, isTyping: false };
}
