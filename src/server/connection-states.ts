/** The states of a connection: what each reacts to, which clock runs, and which state may
 * follow. src/TOUR.md has a diagram of the table. A connection that moves in another way
 * throws. */

/** What may follow once bytes of a request have been read. */
const IN_REQUEST = {
  paused: 'long input',
  queued: 'complete',
  closing: 'rejected, late, stopped',
} as const;
/** What may follow every state that waits for a request. */
const READING = {
  receiving: 'begun',
  ...IN_REQUEST,
  closing: 'rejected, ended, late, stopped',
} as const;

// prettier-ignore
const TABLE: { readonly [Name in StateName]: Row } = {
  new:        { input: 'read', resumedBy: 'input',   clock: 'first request', next: READING },
  receiving:  { input: 'read', resumedBy: 'input',   clock: 'request',       next: IN_REQUEST },
  paused:     { input: 'hold', resumedBy: 'turn',    clock: 'request',       next:
    { receiving: 'resumed', queued: 'complete', closing: IN_REQUEST.closing } },
  queued:     { input: 'keep', resumedBy: 'turn',    clock: 'none',          next:
    { responding: 'handled', blocked: 'unread responses', closing: 'last response, stopped' } },
  blocked:    { input: 'keep', resumedBy: 'drain',   clock: 'output',        next:
    { queued: 'drained', closing: 'stopped' } },
  responding: { input: 'read', resumedBy: 'input',   clock: 'output',        next:
    { idle: 'taken', ...READING, closing: 'rejected, ended, stopped' } },
  idle:       { input: 'read', resumedBy: 'input',   clock: 'idle',          next: READING },
  closing:    { input: 'drop', resumedBy: 'nothing', clock: 'last output',   next:
    { lingering: 'FIN taken' } },
  lingering:  { input: 'drop', resumedBy: 'nothing', clock: 'silence',       next: {} },
  closed:     { input: 'drop', resumedBy: 'nothing', clock: 'none',          next: {} },
};

export type StateName =
  | 'new' // no request has begun on this connection
  | 'receiving' // a request has begun
  | 'paused' // more of it has arrived than is fair to parse at once, and others go first
  | 'queued' // holds a complete request, which waits for its turn
  | 'blocked' // the same, but the client must first read its earlier responses
  | 'responding' // a response has been made and may be leaving; no other request has begun
  | 'idle' // the system has all responses, and no other request has begun
  | 'closing' // nothing more is handled; the last bytes are leaving, and then our FIN
  | 'lingering' // our side is closed; what arrives is dropped until the client closes
  | 'closed'; // both sides are closed; it may follow any other state

interface Row {
  /** What becomes of the bytes that arrive. */
  readonly input: Input;
  /** What resumes serve(). */
  readonly resumedBy: Wake | 'nothing';
  /** Which time limit runs. It goes on running in a next state that has the same clock. */
  readonly clock: Clock;
  /** The states that may follow, each with what leads to it. */
  readonly next: { readonly [Next in StateName]?: string };
}

export interface State extends Row {
  readonly name: StateName;
  readonly index: number;
  /** Whether the state with an index may follow, as each may follow itself. A request moves
   * four times, and to look up a move by its name would cost it two per cent. */
  readonly mayMoveTo: readonly boolean[];
}

const NAMES = Object.keys(TABLE) as StateName[];

export const STATES = Object.fromEntries(
  NAMES.map((name, index) => {
    const row = TABLE[name];
    const mayMoveTo: readonly boolean[] = NAMES.map(
      (to) => to in row.next || to === name || to === 'closed',
    );
    return [name, { name, index, mayMoveTo, ...row }];
  }),
) as { readonly [Name in StateName]: State };

export type Input =
  | 'read' // a request is read from them
  | 'keep' // they wait, up to a mark, and then the socket is paused
  | 'hold' // the socket is paused
  | 'drop'; // nothing more is handled (9112 §9.6)

export type Wake =
  | 'input' // bytes arrive, or the client closes its sending side
  | 'turn' // it is the turn of this connection to be handled, or to be parsed on
  | 'drain'; // the system takes more again, which counts as the client reading

/** What a client has time for, and what happens when the time is over. */
export type Clock =
  | 'first request' // to begin its first request: else our side closes
  | 'request' // to send all of a request, once it has begun: else it is rejected
  | 'output' // to read some of its responses: else both sides close at once
  | 'last output' // the same, once nothing more follows
  | 'idle' // to begin its next request: else our side closes
  | 'silence' // to send something, or to close its side: else both sides close at once
  | 'none';
