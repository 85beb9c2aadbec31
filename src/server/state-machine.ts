/** State machines that events drive: a table of states and events, and nothing that acts. */

/**
 * A row for each state, with the transitions that change it. What the client can do at any time
 * needs a cell in every row: the compiler finds the missing one. Our own events are those of some
 * states, and have no cell elsewhere.
 */
export type TransitionTable<
  State extends string,
  ClientEvent extends string,
  OwnEvent extends string,
> = {
  readonly [S in State]: { readonly [E in ClientEvent]: State } & {
    readonly [E in OwnEvent]?: State;
  };
};

/**
 * @returns the state to which an event leads
 * @throws Error where the table has no cell: that is our own mistake, never a client's
 */
export function transition<State extends string>(
  table: { readonly [S in State]: { readonly [event: string]: State } },
  state: State,
  event: string,
): State {
  const next = table[state][event];
  if (next === undefined) throw new Error(`"${event}" cannot happen in "${state}"`);
  return next;
}
