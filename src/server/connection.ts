/** One connection. It reads requests, queues each for its turn, and sends the responses in
 * order. Then it closes its own side, and drops what still arrives until the client closes
 * its side, too. It knows sockets, but not what a request or a response looks like as
 * bytes. */
import type { Socket } from 'node:net';
import type { MemoryBudget } from '../http/memory-budget';
import { waitFor, type Complete, type Rejected, type Waiting } from '../http/outcome';
import {
  INPUT_ENDED,
  LAST_REQUEST,
  noRequestWithin,
  REJECTED,
  STOPPED,
  type Persistence,
} from '../http/persistence';
import { RequestReader } from '../http/request-reader';
import { CONTINUE_MESSAGE, type ResponseSerializer } from '../http/response';
import type { ConnectionEvent } from '../trace/events';
import { STATES, type Clock } from './connection-states';
import type { Deadlines } from './deadlines';
import { Output } from './output';
import type { RequestHandler } from './request-handler';
import type { System } from './system';
import type { TurnQueue } from './turn-queue';

/** What the connection is doing, with what it needs for that. */
type State =
  | { readonly name: 'new' | 'responding' | 'idle' | 'lingering' | 'closed' }
  | {
      readonly name: 'receiving' | 'parsing';
      /** Whether the request ran out of time while some of its bytes were not parsed. */
      readonly isOverdue: boolean;
    }
  | { readonly name: 'queued' | 'blocked'; readonly complete: Complete }
  | { readonly name: 'closing'; readonly why: Persistence; readonly dropped: Dropped }
  | { readonly name: 'ending'; readonly why: Persistence };

/** What the server has received but does not parse, or does not handle. */
interface Dropped {
  /** A complete request that gets no turn: method and path, or ''. */
  readonly request: string;
  readonly bytes: number;
  readonly which: string;
}

const NEW: State = { name: 'new' };
const RECEIVING: State = { name: 'receiving', isOverdue: false };
const RESPONDING: State = { name: 'responding' };
const IDLE: State = { name: 'idle' };
const LINGERING: State = { name: 'lingering' };
const CLOSED: State = { name: 'closed' };

const FIRST_WAIT = waitFor('a request', '9112 2.1', false);

/** While a request waits, we stop reading above this many unread bytes. The read that
 * crosses the mark may bring up to 64 KiB, and Node may hold one further read. */
const INPUT_HIGH_WATER_MARK = 16_384;
/** Once this much output has gathered, we send it, even if more responses may follow. */
const OUTPUT_HIGH_WATER_MARK = 65_536;
/** How long clients may take to close, once a stopping server has sent everything. */
export const CLOSE_MS = 150;

/** What all connections of a server share. */
export interface ConnectionOptions {
  readonly system: System;
  /** The time limit of each clock. */
  readonly deadlines: { readonly [Name in Clock]: Deadlines<Connection> | undefined };
  readonly budget: MemoryBudget;
  readonly handler: RequestHandler;
  readonly serializer: ResponseSerializer;
  /** The connections with a complete request. */
  readonly turns: TurnQueue<Connection>;
  /** The connections with more to parse than is fair to parse at once. */
  readonly parsing: TurnQueue<Connection>;
  /** Called exactly once, when everything is sent or the client is gone. */
  readonly onSent: () => void;
  readonly trace: ((connection: number, event: ConnectionEvent) => void) | undefined;
}

/** One client, from its first byte to its end. What happens to it changes its state, and then
 * settle() does what the new state asks for. */
export class Connection {
  readonly number: number;
  private readonly socket: Socket;
  private readonly options: ConnectionOptions;
  private readonly trace: ((event: ConnectionEvent) => void) | undefined;
  private readonly output: Output;
  private state: State = NEW;
  /** The clock that runs: that of the state in which settle() left the connection. */
  private clock: Clock = 'none';
  /** Made at the first byte, and dropped between requests: most connections are idle. */
  private reader: RequestReader | undefined = undefined;
  /** What the server waits for, until settle() has traced it. */
  private untracedWait: Waiting | undefined = FIRST_WAIT;
  /** The limit of the clock, in seconds, until the trace has told it. */
  private untracedSeconds: number | undefined = undefined;
  private goneReason = 'the client closed';

  constructor(number: number, socket: Socket, options: ConnectionOptions) {
    const { trace } = options;
    this.number = number;
    this.socket = socket;
    this.options = options;
    this.trace = trace && ((event) => trace(number, event));
    this.output = new Output(socket, trace !== undefined);
    this.settle();
  }

  /** @param bytes the connection keeps them, so do not modify them */
  onData(bytes: Buffer): void {
    const { data } = STATES[this.state.name];
    if (data === 'drop') {
      const which = 'that arrived later: never parsed';
      this.trace?.({ type: 'drop', request: '', bytes: bytes.length, which });
      return;
    }
    // A copy, because the sink of the trace may keep it, or write into it.
    const offset = this.reader?.received ?? 0;
    this.trace?.({ type: 'read', bytes: Buffer.from(bytes), offset });
    const { budget } = this.options;
    this.reader ??= new RequestReader({ budget, trace: this.trace });
    this.reader.push(bytes);
    if (data === 'read') this.read(this.reader);
    this.settle();
  }

  /** The client closed its sending side. */
  onEnd(): void {
    const { reader, state } = this;
    const { end } = STATES[state.name];
    this.trace?.({ type: 'end' });
    if (end === 'ignore') return;
    reader?.end();
    if (end === 'keep') return;
    if (reader !== undefined) this.read(reader);
    else this.close(INPUT_ENDED, this.unhandledInput);
    this.settle();
  }

  /** Reads until a request is complete, bytes are missing, or others should get a turn. */
  private read(reader: RequestReader): void {
    let outcome = reader.next();
    if (outcome.kind === 'continue') {
      this.output.add(CONTINUE_MESSAGE);
      outcome = reader.next();
    }
    switch (outcome.kind) {
      case 'wait':
        // A reader that waits between requests would only take up memory.
        if (reader.isAsNew) this.reader = undefined;
        if (outcome.inRequest && this.state.name !== 'receiving') this.move(RECEIVING);
        this.untracedWait = outcome;
        return;
      case 'pause': {
        const isOverdue = this.state.name === 'receiving' && this.state.isOverdue;
        this.move({ name: 'parsing', isOverdue });
        this.options.parsing.enqueue(this);
        return;
      }
      case 'request':
        this.enqueue(outcome);
        return;
      case 'rejected':
        this.reject(outcome);
        return;
      case 'finished':
        this.close(INPUT_ENDED, this.unhandledInput);
        return;
    }
  }

  /** Continues to parse, after others have had a turn. */
  parseOn(): void {
    const { options, reader, state } = this;
    if (state.name !== 'parsing' || reader === undefined) return; // stopped in the meantime
    const receiving: State = { name: 'receiving', isOverdue: state.isOverdue };
    this.move(receiving);
    this.read(reader);
    this.settle();
    if (!receiving.isOverdue) return;
    // The rest of the request may have arrived while the socket was paused.
    options.system.soon(() => {
      if (this.state === receiving) this.onTimeout();
    });
  }

  private enqueue(complete: Complete): void {
    const { trace } = this;
    const { turns } = this.options;
    this.move({ name: 'queued', complete });
    const behind = trace && turns.last?.number;
    turns.enqueue(this);
    const { size: place } = turns;
    if (place > 0) trace?.({ type: 'queue', bytes: complete.bytes, place, behind });
  }

  /** Handles one request. */
  takeTurn(): void {
    const { options, output, reader, state } = this;
    if (state.name !== 'queued' || reader === undefined) return; // stopped in the meantime
    if (!this.socket.writable) return; // the client is gone: onClose() follows
    const { complete } = state;
    if (output.isBlocked) {
      this.move({ name: 'blocked', complete });
      return;
    }
    const clientHasFinished = complete.persistence.persists && reader.clientHasFinished;
    const requested = clientHasFinished ? INPUT_ENDED : complete.persistence;
    const { message, persistence } = options.handler.handle(
      complete.request,
      requested,
      this.trace,
    );
    if (message.length > OUTPUT_HIGH_WATER_MARK) this.sendOutput();
    output.add(message);
    if (!persistence.persists) {
      const which = 'after the last handled request: never parsed';
      this.close(persistence, { request: '', bytes: reader.received, which });
      return;
    }
    if (output.length > OUTPUT_HIGH_WATER_MARK) this.sendOutput();
    this.move(RESPONDING);
    this.read(reader); // the next request may have arrived already
  }

  /** The system has taken what the socket held. We count this as the client reading,
   * because TCP does not tell when a program reads. */
  onDrain(): void {
    const { output, state } = this;
    output.sendMore();
    if (this.isOutputClock) this.options.deadlines[this.clock]?.start(this);
    if (state.name === 'blocked' && !output.isBlocked) this.enqueue(state.complete);
    this.settle();
  }

  onTimeout(): void {
    const { clock, reader, state } = this;
    const seconds = this.options.deadlines[clock]?.seconds ?? 0;
    switch (STATES[state.name].timeout) {
      case 'close': {
        const since = clock === 'idle' ? 'idle' : 'first request';
        this.close(noRequestWithin(seconds, since), this.unhandledInput);
        break;
      }
      case 'reject': {
        const reason = `The request is not complete ${seconds} s after its first byte`;
        if (reader !== undefined) this.reject(reader.giveUp(reason, 408));
        break;
      }
      case 'note': // what has arrived may complete the request
        this.state = { name: 'parsing', isOverdue: true };
        break;
      case 'give up': {
        if (this.isOutputClock && this.output.isTaken) {
          // The last bytes left while a service was slow, so this clock is too old.
          this.options.deadlines[clock]?.start(this);
          break;
        }
        const lack =
          clock === 'linger'
            ? 'the client did not close its side'
            : 'nothing more could be sent to the client';
        this.destroy(`gave up: ${lack} within ${seconds} s`);
        break;
      }
      case 'ignore':
        break;
    }
    this.settle();
  }

  /** Stops handling requests. What is already written still goes out. */
  stop(): void {
    if (STATES[this.state.name].data === 'drop') return; // it is closing already
    this.close(STOPPED, this.unhandledInput);
    this.settle();
  }

  onError({ code, message }: NodeJS.ErrnoException): void {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE';
    this.goneReason = isReset ? 'the client reset the connection' : message;
  }

  private reject({ error, excerpt, method, unread }: Rejected): void {
    this.trace?.({ type: 'reject', error, excerpt });
    this.output.add(this.options.serializer.serializeError(error, method));
    const which = `after byte ${error.offset}`;
    this.close(REJECTED, { request: '', bytes: unread, which });
  }

  /** From here on nothing is handled, and what still arrives is dropped. */
  private close(why: Persistence, dropped: Dropped): void {
    this.move({ name: 'closing', why, dropped });
    this.forgetInput();
  }

  /** Does what the state asks for. Called after whatever may have changed it, as long as the
   * connection can go on; after a turn, when the batch of turns ends. */
  settle(): void {
    const { output } = this;
    this.sendOutput();
    if (this.state.name === 'responding' && output.isTaken && !this.isGone) this.move(IDLE);
    if (this.state.name === 'closing') this.endOutput(this.state);
    const isNew = this.startClock();
    this.traceWait();
    this.pauseOrResume();
    if (isNew && this.state.name === 'responding')
      output.askWhenTaken(() => this.onDrain());
  }

  /** Log lines leave before the responses, so that a client that has its response can find
   * its line. */
  private sendOutput(): void {
    if (this.output.length === 0) return;
    this.options.handler.flushLog();
    const { text, lengths } = this.output.flush();
    this.trace?.({ type: 'write', text, isSent: !this.isGone, lengths });
  }

  /** Hands our FIN to the socket, once it has taken the last bytes. */
  private endOutput({ why, dropped }: Extract<State, { name: 'closing' }>): void {
    if (this.output.isUnsent || this.isGone) return;
    this.move({ name: 'ending', why });
    this.trace?.({ type: 'close', reason: why.reason, section: why.section });
    this.traceDropped(dropped);
    this.socket.end(() => this.onAllSent());
  }

  /** If we closed both sides now, a reset could destroy the last response. So the client gets
   * time to read it and to close its own side (9112 §9.6). */
  private onAllSent(): void {
    const { options, socket, state } = this;
    if (state.name !== 'ending' || socket.destroyed) return; // onClose() traces the end
    this.move(LINGERING);
    this.startClock();
    if (!socket.readableEnded) {
      const isStopping = state.why === LAST_REQUEST || state.why === STOPPED;
      const seconds = isStopping
        ? CLOSE_MS / 1000
        : (options.deadlines.linger?.seconds ?? 0);
      this.trace?.({ type: 'linger', seconds, isStopping });
    }
    options.onSent();
  }

  /** Both sides are closed. When a client resets the connection, libuv may report the
   * end of its input first, and then the trace says so first. */
  onClose(): void {
    const { state } = this;
    if (state.name === 'closing') this.traceDropped(state.dropped);
    if (STATES[state.name].data !== 'drop') this.traceDropped(this.unhandledInput);
    this.forgetInput();
    this.trace?.({ type: 'gone', reason: this.goneReason });
    this.move(CLOSED);
    this.startClock();
    if (state.name !== 'lingering') this.options.onSent(); // else onAllSent() has called it
  }

  /** Closes both sides at once.
   * @returns false if the client is gone already: onClose() follows and traces how */
  destroy(reason: string): boolean {
    if (this.isGone) return false;
    this.goneReason = reason;
    this.socket.destroy();
    return true;
  }

  /** What the client had not done when the server cut the connection off. */
  get lack(): string {
    return this.state.name === 'lingering' ? 'close its side' : 'read all its responses';
  }

  /** What has arrived and belongs to no handled request. */
  private get unhandledInput(): Dropped {
    const { reader, state } = this;
    const bytes = reader?.received ?? 0;
    if (state.name === 'queued' || state.name === 'blocked') {
      const { method, path } = state.complete.request;
      return { request: `${method} ${path}`, bytes, which: 'after it: never parsed' };
    }
    const isCut = reader?.inRequest === true;
    const which = isCut ? 'of a request that is not complete' : 'that begin no request';
    return { request: '', bytes, which };
  }

  private forgetInput(): void {
    this.reader?.release();
    this.reader = undefined;
  }

  /** Whether the client is known to be gone. After a write has failed, Node destroys the
   * socket only later. */
  private get isGone(): boolean {
    return this.socket.destroyed || this.socket.errored !== null;
  }

  private traceDropped(dropped: Dropped): void {
    const isAnything = dropped.bytes > 0 || dropped.request !== '';
    if (isAnything) this.trace?.({ type: 'drop', ...dropped });
  }

  /** Starts the clock of the state, unless it runs already.
   * @returns whether it was started */
  private startClock(): boolean {
    const { clock } = STATES[this.state.name];
    if (clock === this.clock) return false;
    const { deadlines } = this.options;
    deadlines[this.clock]?.clear(this);
    this.clock = clock;
    deadlines[clock]?.start(this);
    this.untracedSeconds = deadlines[clock]?.seconds;
    return true;
  }

  /** Whether the time for the client to read runs. */
  private get isOutputClock(): boolean {
    return this.clock === 'output' || this.clock === 'last output';
  }

  /** Traces what the connection waits for, and for how long at most, each once. */
  private traceWait(): void {
    const { clock, socket, untracedSeconds: seconds, untracedWait } = this;
    this.untracedWait = undefined;
    if (seconds !== undefined && clock === 'idle') {
      this.trace?.({ type: 'idle', seconds });
    } else if (seconds !== undefined && this.isOutputClock) {
      const isBlocked = socket.writableLength > 0 && !this.isGone;
      if (isBlocked) this.trace?.({ type: 'block', seconds });
    } else if (untracedWait !== undefined && STATES[this.state.name].data === 'read') {
      const { missing, section } = untracedWait;
      this.trace?.({ type: 'wait', missing, section, seconds });
    } else {
      return; // a request is parsed in parts: its next wait tells its time
    }
    this.untracedSeconds = undefined;
  }

  /** Pauses the socket while enough input is waiting, and resumes it otherwise. */
  private pauseOrResume(): void {
    const { reader, socket, state } = this;
    const isWaiting = state.name === 'queued' || state.name === 'blocked';
    const isFull = isWaiting && (reader?.unread ?? 0) > INPUT_HIGH_WATER_MARK;
    if (isFull || state.name === 'parsing') socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  /** The tests check that each move is in the table of the states. */
  private move(next: State): void {
    this.state = next;
  }
}
