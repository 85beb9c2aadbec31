/** A state in few words: for the address, which leads somebody else to it, and for the
 * storage of the tab, which outlives a reload. Pure: it knows no page. */
import { isTooLongForLink, serverOf, type State } from './state';

const NAMES = ['text', 'choice', 'turn', 'through', 'server', 'runs'] as const;

/** What is kept of a state. */
export interface Kept {
  /** An address has none that is very long. */
  readonly text: string | undefined;
  /** A name of the gallery. */
  readonly choice: string;
  /** Whose turn it is in an experiment. */
  readonly turn: string;
  readonly through: string;
  readonly server: string;
  /** Whether both runs of the experiment are shown. */
  readonly runs: string;
}

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
    const value = kept[name];
    if (value === undefined) continue;
    const isTold = name === 'text' ? !isTooLongForLink(value) : value !== '';
    if (isTold) all.set(name, value);
  }
  return `#${all}`;
}

/** @returns undefined where the address has nothing that is kept */
export function readAddress(hash: string): Kept | undefined {
  const all = new URLSearchParams(hash.slice(1));
  if (!NAMES.some((name) => all.has(name))) return undefined;
  const valueOf = (name: string): string => all.get(name) ?? '';
  return {
    text: all.get('text') ?? undefined,
    choice: valueOf('choice'),
    turn: valueOf('turn'),
    through: valueOf('through'),
    server: valueOf('server'),
    runs: valueOf('runs'),
  };
}

/** @param stored what the tab had: all of what its own address has
 * @returns what the address says, or else what the tab had */
export function recall(hash: string, stored: Kept | null): Kept | null {
  const linked = readAddress(hash);
  if (linked === undefined || stored === null) return linked ?? stored;
  const isOwn = writeAddress('', linked) === writeAddress('', stored);
  return isOwn ? stored : linked;
}
