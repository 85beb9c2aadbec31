/**
 * Machines that events drive: a table of states and events, and nothing that acts. What is done on the way stands beside the table that it
 * belongs to.
 */

/**
 * A row for each state. What others do to us (`Peer`) may come at any time, so it has a cell in every row: the compiler finds the missing
 * one. What we do ourselves (`Own`) happens in some states only, and elsewhere has no cell.
 */
export type Table<State extends string, Peer extends string, Own extends string> = {
  readonly [S in State]: { readonly [P in Peer]: State } & { readonly [O in Own]?: State };
};

/**
 * @returns the state to which an event leads
 * @throws IllegalTransition where the table has no cell: that is a mistake of ours, never a client's
 */
export function next<S extends string>(table: { readonly [state in S]: { readonly [event: string]: S } }, state: S, event: string): S {
  const to = table[state][event];
  if (to === undefined) throw new IllegalTransition(`"${event}" cannot happen in "${state}"`);
  return to;
}

export class IllegalTransition extends Error {}
