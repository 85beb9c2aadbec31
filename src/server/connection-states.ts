/** The states of a connection: how each reacts, which clock runs, and which state may
 * follow. The tour has a diagram of this table. Nothing here acts. */

/** What may follow every state that reads. */
const READING = {
  paused: 'long input',
  queued: 'complete',
  closing: 'rejected, ended, late, stopped',
} as const;

export const STATES: { readonly [Name in StateName]: StateRules } = {
  new: {
    input: 'read',
    clock: 'first request',
    timeout: 'close',
    next: { receiving: 'begun', ...READING },
  },
  receiving: {
    input: 'read',
    clock: 'request',
    timeout: 'reject',
    next: READING,
  },
  paused: {
    input: 'keep',
    clock: 'request',
    timeout: 'go on',
    next: { receiving: 'resumed', closing: 'stopped' },
  },
  queued: {
    input: 'keep',
    clock: 'none',
    timeout: 'never',
    next: {
      responding: 'handled',
      blocked: 'unread responses',
      closing: 'last response, stopped',
    },
  },
  blocked: {
    input: 'keep',
    clock: 'output',
    timeout: 'stop sending',
    next: { queued: 'drained', closing: 'stopped' },
  },
  responding: {
    input: 'read',
    clock: 'output',
    timeout: 'stop sending',
    next: {
      idle: 'taken',
      receiving: 'begun',
      ...READING,
      closing: 'rejected, ended, stopped',
    },
  },
  idle: {
    input: 'read',
    clock: 'idle',
    timeout: 'close',
    next: { receiving: 'begun', ...READING },
  },
  closing: {
    input: 'drop',
    clock: 'last output',
    timeout: 'stop sending',
    next: { ending: 'sent' },
  },
  ending: {
    input: 'drop',
    clock: 'last output',
    timeout: 'stop sending',
    next: { lingering: 'taken' },
  },
  lingering: {
    input: 'drop',
    clock: 'linger',
    timeout: 'stop waiting',
    next: {},
  },
  closed: {
    input: 'drop',
    clock: 'none',
    timeout: 'never',
    next: {},
  },
};

export type StateName =
  | 'new' // no request has begun on this connection
  | 'receiving' // a request has begun
  | 'paused' // more of it has arrived than is fair to parse at once, and others go first
  | 'queued' // holds a complete request, which waits for its turn
  | 'blocked' // the same, but the client must first read its earlier responses
  | 'responding' // responses are leaving, and no other request has begun
  | 'idle' // the system has all responses, and no other request has begun
  | 'closing' // nothing more is handled, and the last bytes are leaving
  | 'ending' // the socket has the last bytes and our FIN, and passes them to the system
  | 'lingering' // our side is closed; what arrives is dropped until the client closes
  | 'closed'; // both sides are closed; it may follow any other state

export interface StateRules {
  /** When bytes arrive, or the client closes its sending side: read on; keep that for later; or
   * drop it (9112 §9.6). */
  readonly input: 'read' | 'keep' | 'drop';
  /** Which time limit runs. It goes on running in a next state that has the same clock. */
  readonly clock: Clock;
  /** When that time is over: close in silence; reject the request; stop sending to a client that
   * does not read, or waiting for it to close, and close both sides at once; or go on, because
   * what has arrived may complete the request. It is never over where no clock runs. */
  readonly timeout:
    'close' | 'reject' | 'stop sending' | 'stop waiting' | 'go on' | 'never';
  /** The states that may follow, each with what leads to it. */
  readonly next: { readonly [Name in StateName]?: string };
}

export type Clock =
  | 'first request' // for the first byte of a new connection
  | 'request' // for all of a request, from its first byte
  | 'output' // for the client to read some of its responses
  | 'last output' // the same, once nothing more follows
  | 'idle' // for the next request to begin
  | 'linger' // for the client to close its side after ours
  | 'none';
