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
    resumedBy: 'input',
    clock: 'first request',
    timeout: 'close',
    next: { receiving: 'begun', ...READING },
  },
  receiving: {
    resumedBy: 'input',
    clock: 'request',
    timeout: 'reject',
    next: READING,
  },
  paused: {
    resumedBy: 'parsing',
    clock: 'request',
    timeout: 'later',
    next: { receiving: 'resumed', closing: 'stopped' },
  },
  queued: {
    resumedBy: 'turn',
    clock: 'none',
    timeout: 'never',
    next: {
      responding: 'handled',
      blocked: 'unread responses',
      closing: 'last response, stopped',
    },
  },
  blocked: {
    resumedBy: 'drain',
    clock: 'output',
    timeout: 'stop sending',
    next: { queued: 'drained', closing: 'stopped' },
  },
  responding: {
    resumedBy: 'input',
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
    resumedBy: 'input',
    clock: 'idle',
    timeout: 'close',
    next: { receiving: 'begun', ...READING },
  },
  closing: {
    resumedBy: 'nothing',
    clock: 'last output',
    timeout: 'stop sending',
    next: { lingering: 'taken' },
  },
  lingering: {
    resumedBy: 'nothing',
    clock: 'linger',
    timeout: 'stop waiting',
    next: {},
  },
  closed: {
    resumedBy: 'nothing',
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
  | 'closing' // nothing more is handled; the last bytes are leaving, and then our FIN
  | 'lingering' // our side is closed; what arrives is dropped until the client closes
  | 'closed'; // both sides are closed; it may follow any other state

export interface StateRules {
  /** What resumes serve(). Until then, what arrives is kept. Where nothing resumes it, what
   * arrives is dropped (9112 §9.6). */
  readonly resumedBy: Wake | 'nothing';
  /** Which time limit runs. It goes on running in a next state that has the same clock. */
  readonly clock: Clock;
  /** What happens when that time is over. */
  readonly timeout: Timeout;
  /** The states that may follow, each with what leads to it. */
  readonly next: { readonly [Name in StateName]?: string };
}

export type Wake =
  | 'input' // bytes arrive, or the client closes its sending side
  | 'parsing' // other connections have had a turn to parse
  | 'turn' // it is the turn of this connection to be handled
  | 'drain'; // the system has taken its earlier responses, which counts as reading them

export type Clock =
  | 'first request' // for the first byte of a new connection
  | 'request' // for all of a request, from its first byte
  | 'output' // for the client to read some of its responses
  | 'last output' // the same, once nothing more follows
  | 'idle' // for the next request to begin
  | 'linger' // for the client to close its side after ours
  | 'none';

export type Timeout =
  | 'close' // our side closes, with no response
  | 'reject' // the request is rejected
  | 'stop sending' // both sides close at once: the client does not read its responses
  | 'stop waiting' // the same: the client does not close its side
  | 'later' // not decided yet: what has arrived may complete the request
  | 'never'; // no clock runs
