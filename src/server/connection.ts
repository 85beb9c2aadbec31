/** One connection. What it receives becomes requests; each request waits for its turn; the answers
 * leave in order; then our side closes, and what the client still sends is dropped until it closes,
 * too. It knows a socket, and nothing of what a request or a response looks like in bytes. */
import type { Socket } from 'node:net';
import type { ContentBudget } from '../http/content';
import type { Request } from '../http/message';
import type { Rejected, Waiting } from '../http/outcome';
import {
  INPUT_ENDED,
  LAST_REQUEST,
  NO_REQUEST,
  REJECTED,
  STOPPED,
  type Persistence,
} from '../http/persistence';
import { RequestReader } from '../http/request-reader';
import { CONTINUE, type ResponseSerializer } from '../http/response';
import { transition, type ConnectionState, type StateEvent } from './connection-states';
import type { Deadlines } from './deadlines';
import type { ConnectionEvent } from './trace-events';
import type { Queued, TurnQueue } from './turn-queue';

/** The most bytes kept: of input while a request waits, then we pause; of output, then we send. */
const AHEAD = 65_536;
export const CLOSE_MS = 150; // for clients to close, once a stopping server has sent everything
const READ_AT_ONCE = 16_384; // the most bytes read in one go, so that other connections get theirs

/** What a connection needs of its server. */
export interface ConnectionOptions {
  /** The time for a request, or for taking answers; for idling; for a client to close after us. */
  readonly requestDeadlines: Deadlines<Connection>;
  readonly idleDeadlines: Deadlines<Connection>;
  readonly lingerDeadlines: Deadlines<Connection>;
  readonly budget: ContentBudget;
  readonly serializer: ResponseSerializer;
  readonly turns: TurnQueue<Connection>;
  onFlushed(): void; // nothing is left to send, or nobody to take it: once for each connection
  readonly trace: ((connection: number, event: ConnectionEvent) => void) | undefined;
}

/** Why our side closes, and what is dropped then: a request without a turn, and bytes. */
type Closing = { why: Persistence; request: string; bytes: number; place: string };

export class Connection implements Queued {
  private state: ConnectionState = 'reading';
  private reader: RequestReader | undefined; // made at the first byte: most connections are idle
  private rest: Buffer | undefined; // what the reader has not been given yet
  /** The request that waits for its turn, and what its answer does to the connection. */
  private pending: { readonly request: Request; readonly persistence: Persistence } | undefined;
  private output = ''; // what the next flush() sends
  private awaited: ConnectionEvent | undefined; // traced by the next flush(), if it still holds
  private closing: Closing | undefined; // once set, nothing more is answered
  private goneReason = 'the client closed';
  private deadlines: Deadlines<Connection>; // those that run now, or ran last
  private readonly trace: ((event: ConnectionEvent) => void) | undefined;

  constructor(
    readonly number: number,
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {
    const {
      trace,
      requestDeadlines,
      requestDeadlines: { seconds },
    } = options;
    this.trace = trace && ((event) => trace(number, event));
    this.trace?.({ type: 'wait', missing: 'a request', section: '9112 2.1', seconds });
    this.deadlines = requestDeadlines.start(this);
  }

  /** @param bytes must not be changed afterwards */
  onData(bytes: Buffer): void {
    if (this.closing !== undefined) {
      const place = 'that arrived later: never parsed';
      return this.trace?.({ type: 'drop', request: '', bytes: bytes.length, place });
    }
    this.trace?.({ type: 'read', bytes, offset: this.reader?.received ?? 0 });
    this.feed(bytes);
  }

  /** Gives bytes to the reader, a part at a time. */
  private feed(bytes: Buffer): void {
    this.rest = bytes.length > READ_AT_ONCE ? bytes.subarray(READ_AT_ONCE) : undefined;
    this.reader ??= new RequestReader({ budget: this.options.budget, trace: this.trace });
    this.reader.push(bytes.subarray(0, READ_AT_ONCE));
    if (this.state === 'reading') this.read(this.reader);
    this.flush();
    this.pauseOrResume();
    if (this.rest !== undefined) setImmediate(() => this.rest && this.feed(this.rest));
    else if (this.socket.readableEnded) this.endInput(); // onEnd() left it to us
  }

  /** Reads until a request is complete, or bytes are missing. */
  private read(reader: RequestReader, hasAnswered = false): void {
    const wasInRequest = reader.inRequest;
    let outcome = reader.next();
    if (outcome.kind === 'continue') {
      this.output += CONTINUE;
      outcome = reader.next();
    }
    switch (outcome.kind) {
      case 'wait':
        if (reader.received === 0) this.reader = undefined; // A new one would do as well.
        return this.waitForMore(outcome, wasInRequest, hasAnswered);
      case 'request':
        this.pending = outcome;
        this.move('complete');
        return this.enqueue();
      case 'rejected':
        return this.reject(outcome);
      case 'finished':
        return this.close('inputEnded', INPUT_ENDED);
    }
  }

  private enqueue(): void {
    const { turns } = this.options;
    const behind = turns.last?.number;
    turns.enqueue(this);
    if (turns.size > 0) this.trace?.({ type: 'queue', place: turns.size, behind });
  }

  takeTurn(): void {
    const { options, pending, reader } = this;
    if (pending === undefined || reader === undefined) return; // closed in the meantime
    if (this.socket.writableNeedDrain) {
      this.trace?.({ type: 'block', seconds: options.requestDeadlines.seconds });
      this.startDeadline(options.requestDeadlines);
      return this.move('writeBlocked');
    }
    const isAllSent = pending.persistence.persists && reader.clientHasFinished;
    const asked = isAllSent ? INPUT_ENDED : pending.persistence;
    const { message, persistence } = options.turns.handle(pending.request, asked, this.trace);
    this.output += message;
    this.pending = undefined;
    reader.releaseContent();
    if (!persistence.persists) {
      const place = 'after the last answered request: never parsed';
      return this.close('finalResponse', persistence, place);
    }
    this.move('responded');
    this.read(reader, true); // the next request may be here already
    this.pauseOrResume();
    if (this.output.length > AHEAD) options.turns.flush([this]);
  }

  /** A request's time starts at its first byte; a connection's idle time, after an answer. */
  private waitForMore(waiting: Waiting, wasInRequest: boolean, hasAnswered: boolean): void {
    const { inRequest, missing, section } = waiting;
    const { requestDeadlines, idleDeadlines } = this.options;
    const isIdle = hasAnswered && !inRequest;
    const begins = inRequest && !wasInRequest;
    if (isIdle) this.startDeadline(idleDeadlines);
    if (begins) this.startDeadline(requestDeadlines);
    if (this.trace === undefined) return;
    const untraced = this.awaited?.type === 'wait' ? this.awaited.seconds : undefined;
    this.awaited = isIdle
      ? { type: 'idle', seconds: idleDeadlines.seconds }
      : { type: 'wait', missing, section, seconds: begins ? requestDeadlines.seconds : untraced };
  }

  private reject({ error, excerpt, method, unread }: Rejected): void {
    this.trace?.({ type: 'reject', error, excerpt });
    this.output += this.options.serializer.serializeError(error, method);
    this.close('rejected', REJECTED, `after byte ${error.offset}`, unread);
  }

  /** Nothing more is answered, and what still arrives is dropped. */
  private close(
    event: StateEvent,
    why: Persistence,
    place = 'never parsed',
    unread = this.reader?.unread ?? 0,
  ): void {
    const { pending } = this;
    const request = pending ? `${pending.request.method} ${pending.request.path}` : '';
    this.move(event);
    this.closing = { why, request, bytes: unread + (this.rest?.length ?? 0), place };
    this.forgetInput();
    this.startDeadline(this.options.requestDeadlines);
    this.pauseOrResume();
  }

  /** Sends the output, and then traces what is waited for. */
  flush(): void {
    const { awaited, output, socket, state } = this;
    if (socket.writableEnded || state === 'closed') return;
    this.output = '';
    if (output !== '') this.trace?.({ type: 'write', text: output });
    if (this.closing !== undefined) return this.endOutput(output, this.closing);
    if (output !== '') socket.write(output, 'latin1');
    if (this.rest !== undefined) return; // What is waited for may be among these bytes.
    if (awaited !== undefined && state === 'reading') this.trace?.(awaited);
    this.awaited = undefined;
  }

  /** Sends the last bytes, closes our side, and gives the client time to close its own. */
  private endOutput(output: string, { why, ...dropped }: Closing): void {
    const { options, socket } = this;
    this.trace?.({ type: 'close', reason: why.reason, section: why.section });
    if (dropped.bytes > 0 || dropped.request !== '') this.trace?.({ type: 'drop', ...dropped });
    socket.end(output, 'latin1', () => {
      if (this.state === 'lingering' && !socket.readableEnded && !socket.destroyed) {
        this.startDeadline(options.lingerDeadlines);
        const isStopping = why === LAST_REQUEST || why === STOPPED;
        const seconds = isStopping ? CLOSE_MS / 1000 : options.lingerDeadlines.seconds;
        this.trace?.({ type: 'linger', seconds, isStopping });
      }
      options.onFlushed();
    });
  }

  /** The client closed its sending side. */
  onEnd(): void {
    this.trace?.({ type: 'end' });
    if (this.rest === undefined) this.endInput();
  }

  private endInput(): void {
    const { reader, state } = this;
    reader?.end();
    if (state !== 'reading') return;
    if (reader !== undefined) this.read(reader);
    else this.close('inputEnded', INPUT_ENDED);
    this.flush();
  }

  /** The client has taken what was written. */
  onDrain(): void {
    if (this.state !== 'blocked') return;
    this.move('drained');
    this.enqueue();
  }

  onError({ code, message }: NodeJS.ErrnoException): void {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE';
    this.goneReason = isReset ? 'the client reset the connection' : message;
  }

  /** Both sides are closed. Its place in the queue stays, but that turn does nothing. */
  onClose(): void {
    this.move('closed');
    this.deadlines.clear(this);
    this.forgetInput();
    this.trace?.({ type: 'gone', reason: this.goneReason });
    if (!this.socket.writableEnded) this.options.onFlushed();
  }

  onTimeout(): void {
    const { deadlines, reader, socket, state } = this;
    if (state === 'blocked' || state === 'lingering') {
      const lack = socket.writableFinished ? 'close' : 'take its answers';
      this.move('timedOut');
      return this.destroy(`given up: the client did not ${lack} within ${deadlines.seconds} s`);
    }
    if (state !== 'reading') return;
    const reason = `The request is not complete ${deadlines.seconds} s after its first byte`;
    if (reader?.inRequest === true) this.reject(reader.giveUp(reason, 408));
    else this.close('timedOut', NO_REQUEST);
    this.flush();
  }

  /** Handles no more requests: what is written goes out, and nothing more. */
  stop(): void {
    if (this.closing !== undefined || this.state === 'closed') return;
    this.close('stopped', STOPPED);
    this.flush();
  }

  destroy(reason: string): void {
    this.goneReason = reason;
    this.socket.destroy();
  }

  private forgetInput(): void {
    this.reader?.releaseContent();
    this.reader = this.pending = this.rest = undefined;
  }

  /** Pauses the socket while enough is kept, and resumes it otherwise. */
  private pauseOrResume(): void {
    const isFull = this.pending !== undefined && (this.reader?.unread ?? 0) > AHEAD;
    if (isFull || this.rest !== undefined) this.socket.pause();
    else if (this.socket.isPaused()) this.socket.resume();
  }

  private startDeadline(next: Deadlines<Connection>): void {
    if (this.deadlines !== next) this.deadlines.clear(this);
    this.deadlines = next.start(this);
  }

  private move(event: StateEvent | 'closed'): void {
    this.state = transition(this.state, event);
  }
}
