/** The states of a connection as a table: see the diagram in the tour. Nothing here acts. */

export type ConnectionState =
  | 'reading' // no complete request is here
  | 'queued' // holds a complete request, which waits for its turn
  | 'blocked' // holds one, but gets no turn: the client does not take the answers to earlier ones
  | 'lingering' // nothing more is answered; what arrives is dropped (9112 §9.6)
  | 'closed';
export type StateEvent =
  | 'complete'
  | 'rejected'
  | 'inputEnded'
  | 'timedOut'
  | 'responded'
  | 'finalResponse'
  | 'writeBlocked'
  | 'drained'
  | 'stopped';

/** Most events happen in some states only. The socket can close in any: each row says so. */
type Row = { readonly [E in StateEvent]?: ConnectionState } & { readonly closed: 'closed' };
export const CONNECTION: { readonly [S in ConnectionState]: Row } = {
  reading: {
    complete: 'queued',
    rejected: 'lingering',
    inputEnded: 'lingering',
    timedOut: 'lingering',
    stopped: 'lingering',
    closed: 'closed',
  },
  queued: {
    responded: 'reading',
    finalResponse: 'lingering',
    writeBlocked: 'blocked',
    stopped: 'lingering',
    closed: 'closed',
  },
  blocked: { drained: 'queued', timedOut: 'closed', stopped: 'lingering', closed: 'closed' },
  lingering: { timedOut: 'closed', closed: 'closed' },
  closed: { closed: 'closed' },
};

/** @throws Error where the table has no cell: that is our own mistake, never a client's */
export function transition(state: ConnectionState, event: keyof Row): ConnectionState {
  const next = CONNECTION[state][event];
  if (next === undefined) throw new Error(`"${event}" cannot happen in "${state}"`);
  return next;
}
