/** The states of a connection and what leads from one to another: see the diagram in the
 * tour. Nothing here acts. */

export type StateName =
  | 'reading' // no complete request has arrived
  | 'parsing' // bytes have arrived that are not parsed yet, and other connections go first
  | 'queued' // holds a complete request, which waits for its turn
  | 'blocked' // like queued, but the client is not reading its earlier responses
  | 'closing' // nothing more is handled; the last bytes are ready to leave
  | 'draining' // they cannot leave: the client is not reading its responses
  | 'ending' // the system has the last bytes, and our FIN after them
  | 'lingering' // our side is closed; what arrives is dropped until the client closes (9112 §9.6)
  | 'closed';

/** An event: where it may happen, and where it leads. */
export interface Transition {
  readonly from: StateName | readonly StateName[];
  readonly to: StateName;
}

/** What happens to a connection. */
export const EVENTS = {
  paused: { from: 'reading', to: 'parsing' },
  resumed: { from: 'parsing', to: 'reading' },
  complete: { from: 'reading', to: 'queued' },
  writeBlocked: { from: 'queued', to: 'blocked' },
  drained: { from: 'blocked', to: 'queued' },
  responded: { from: 'queued', to: 'reading' },
  finalResponse: { from: 'queued', to: 'closing' },
  rejected: { from: 'reading', to: 'closing' },
  inputEnded: { from: 'reading', to: 'closing' },
  timedOut: { from: 'reading', to: 'closing' },
  stopped: { from: ['reading', 'parsing', 'queued', 'blocked'], to: 'closing' },
  outputBlocked: { from: 'closing', to: 'draining' },
  ended: { from: ['closing', 'draining'], to: 'ending' },
  flushed: { from: 'ending', to: 'lingering' },
  closed: {
    from: [
      'reading',
      'parsing',
      'queued',
      'blocked',
      'closing',
      'draining',
      'ending',
      'lingering',
    ],
    to: 'closed',
  },
} as const satisfies { readonly [name: string]: Transition };

export function mayHappen({ from }: Transition, state: StateName): boolean {
  return typeof from === 'string' ? from === state : from.includes(state);
}

/** @throws Error if an event cannot happen in a state, or does not lead to the next one: a
 * bug in this server, never the client's fault */
export function checkTransition(
  state: StateName,
  event: Transition,
  next: StateName,
): void {
  if (mayHappen(event, state) && event.to === next) return;
  throw new Error(
    `the event that leads to "${event.to}" cannot lead from "${state}" to "${next}"`,
  );
}

/** What the socket reports, and the end of a deadline. */
type Signal = 'data' | 'end' | 'drain' | 'timeout';
/** What the connection does about it. */
type Reaction = 'read' | 'keep' | 'send' | 'drop' | 'endInput' | 'timeOut' | 'ignore';

/** The compiler checks that each state says what to do about each signal. */
export const REACTIONS: {
  readonly [S in StateName]: { readonly [E in Signal]: Reaction };
} = {
  reading: { data: 'read', end: 'endInput', drain: 'send', timeout: 'timeOut' },
  parsing: { data: 'keep', end: 'keep', drain: 'send', timeout: 'timeOut' },
  queued: { data: 'keep', end: 'keep', drain: 'send', timeout: 'ignore' },
  blocked: { data: 'keep', end: 'keep', drain: 'send', timeout: 'timeOut' },
  closing: { data: 'drop', end: 'ignore', drain: 'send', timeout: 'timeOut' },
  draining: { data: 'drop', end: 'ignore', drain: 'send', timeout: 'timeOut' },
  ending: { data: 'drop', end: 'ignore', drain: 'ignore', timeout: 'timeOut' },
  lingering: { data: 'drop', end: 'ignore', drain: 'ignore', timeout: 'timeOut' },
  closed: { data: 'drop', end: 'ignore', drain: 'ignore', timeout: 'ignore' },
};
