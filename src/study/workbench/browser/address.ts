/** A state in few words: for the address, which leads somebody else to it, and for the
 * storage of the tab, which outlives a reload. Pure: it knows no page. */
import type { State } from './state';

/** What is kept of a state. */
export interface Kept {
  readonly text: string;
  readonly title: string;
  readonly through: string;
  readonly server: string;
  /** The number of the experiment, and whose turn it is in it; '' without one. */
  readonly lab: string;
  readonly turn: string;
}

/** A longer text is not written into the address. */
const TEXT_LIMIT = 4_000;
const NAMES = ['text', 'title', 'through', 'server', 'lab', 'turn'] as const;

export function keptOf({ editor, play, scene, server, through, title }: State): Kept {
  const lab = String(scene?.number ?? '');
  const turn = String(play?.index ?? '');
  return { text: editor.text, title, through, server, lab, turn };
}

/** @param hash of an address: what else is in it stays */
export function writeAddress(hash: string, kept: Kept): string {
  const all = new URLSearchParams(hash.replace(/^#/, ''));
  for (const name of NAMES) all.delete(name);
  if (kept.text.length <= TEXT_LIMIT)
    for (const name of NAMES) if (kept[name] !== '') all.set(name, kept[name]);
  return `#${all}`;
}

/** @returns undefined where the address has no text */
export function readAddress(hash: string): Kept | undefined {
  const all = new URLSearchParams(hash.replace(/^#/, ''));
  if (!all.has('text')) return undefined;
  const [text = '', title = '', through = '', server = '', lab = '', turn = ''] = NAMES.map(
    (name) => all.get(name) ?? '',
  );
  return { text, title, through, server, lab, turn };
}
