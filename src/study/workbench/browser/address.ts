/** A state in few words: for the address, which leads somebody else to it, and for the
 * storage of the tab, which outlives a reload. Pure: it knows no page. */
import { serverOf, type State } from './state';

const NAMES = ['text', 'choice', 'turn', 'through', 'server', 'runs'] as const;

/** What is kept of a state. `choice` is a name of the gallery, and `turn` says whose turn it
 * is in an experiment, and `runs` whether both runs of it are shown. */
export type Kept = { readonly [N in (typeof NAMES)[number]]: string };

/** A longer text is not written into the address. */
const TEXT_LIMIT = 4_000;

export function keptOf(state: State): Kept {
  const { choice, editor, isComparing, through, turn } = state;
  return {
    text: editor.text,
    choice: choice?.name ?? '',
    turn: turn > 0 ? String(turn) : '',
    through,
    server: serverOf(state),
    runs: isComparing ? 'both' : '',
  };
}

/** @param hash of an address: what else is in it stays */
export function writeAddress(hash: string, kept: Kept): string {
  const all = new URLSearchParams(hash.slice(1));
  for (const name of NAMES) {
    all.delete(name);
    const isTold = name === 'text' || kept[name] !== '';
    if (kept.text.length <= TEXT_LIMIT && isTold) all.set(name, kept[name]);
  }
  return `#${all}`;
}

/** @returns undefined where the address has no text */
export function readAddress(hash: string): Kept | undefined {
  const all = new URLSearchParams(hash.slice(1));
  const entries = NAMES.map((name) => [name, all.get(name) ?? '']);
  return all.has('text') ? (Object.fromEntries(entries) as Kept) : undefined;
}
