/** One connection. It reads requests, queues each for its turn, and sends the responses in
 * order. Then it closes its own side and drops what still arrives until the client closes,
 * too. It knows sockets, but not what a request or a response looks like as bytes. */
import type { Socket } from 'node:net';
import type { MemoryBudget } from '../http/memory-budget';
import type { Complete, Rejected, Waiting } from '../http/outcome';
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
import { checkTransition, EVENTS, REACTIONS, type Transition } from './connection-states';
import type { Deadlines } from './deadlines';
import type { RequestHandler } from './request-handler';
import type { System } from './system';
import type { ConnectionEvent } from '../trace/events';
import type { TurnQueue } from './turn-queue';

/** While a request waits, we stop reading above this many unread bytes. One more read may
 * have brought them: at most 64 KiB. Node may hold one more read that it has not passed
 * on. */
const INPUT_HIGH_WATER_MARK = 16_384;
/** Above this many bytes of output we send, though more responses may follow. */
const OUTPUT_HIGH_WATER_MARK = 65_536;
/** A large response is sent in slices of this size. Each one that the system takes counts
 * as progress of the client. */
const SLICE = 65_536;
/** How long clients may take to close, once a stopping server has sent everything. */
export const CLOSE_MS = 150;

/** What a connection needs of its server. */
export interface ConnectionOptions {
  readonly system: System;
  /** The time for a request from its first byte, for the first byte of a new connection,
   * and for a client to read some of its responses. */
  readonly requestDeadlines: Deadlines<Connection>;
  /** The time from a response to the next request. */
  readonly idleDeadlines: Deadlines<Connection>;
  /** The time for a client to close its side after ours. */
  readonly lingerDeadlines: Deadlines<Connection>;
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

/** What the connection is doing, with what it needs for that. */
type State =
  | { readonly name: 'reading' }
  | { readonly name: 'parsing' }
  | { readonly name: 'queued' | 'blocked'; readonly complete: Complete }
  | {
      readonly name: 'closing' | 'draining';
      readonly why: Persistence;
      readonly dropped: Dropped;
    }
  | { readonly name: 'ending'; readonly why: Persistence }
  | { readonly name: 'lingering' }
  | { readonly name: 'closed' };

/** What the server has received but does not parse, or does not handle. */
interface Dropped {
  /** A complete request that gets no turn: method and path, or ''. */
  readonly request: string;
  readonly bytes: number;
  readonly which: string;
}

/** What a deadline is for. */
type Clock = 'first request' | 'request' | 'responded' | 'idle' | 'output' | 'linger';

const READING: State = { name: 'reading' };
const PARSING: State = { name: 'parsing' };
const LINGERING: State = { name: 'lingering' };
const CLOSED: State = { name: 'closed' };

/** One client, from its first byte to its end.
 *
 * The constructor sets every field, if need be to undefined. V8 then gives all connections
 * the same shape, and a pipelined request costs 2 % less. */
export class Connection {
  readonly number: number;
  private readonly socket: Socket;
  private readonly options: ConnectionOptions;
  private readonly trace: ((event: ConnectionEvent) => void) | undefined;
  private state: State = READING;
  /** Made at the first byte, and dropped between requests: most connections are idle. */
  private reader: RequestReader | undefined = undefined;
  /** What the next flush() sends. */
  private output = '';
  /** Of the responses in it, if there is a trace. */
  private outputLengths: number[] | undefined;
  /** What flush() has begun to send, until the socket has taken it. It is not joined: it
   * could exceed the longest string. */
  private unsent: string[] | undefined = undefined;
  /** What to wait for once the next flush() has sent the output. */
  private newWait: Waiting | 'idle' | undefined = undefined;
  /** The time for the request, until a line of the trace has told it. */
  private untracedSeconds: number | undefined = undefined;
  /** The clock that runs, or that ran last. */
  private clock: Clock = 'first request';
  private deadlines: Deadlines<Connection>;
  /** Whether the time for the request is over, but some of its bytes are not parsed yet. */
  private isOverdue = false;
  private goneReason = 'the client closed';

  constructor(number: number, socket: Socket, options: ConnectionOptions) {
    const { requestDeadlines, trace } = options;
    this.number = number;
    this.socket = socket;
    this.options = options;
    this.trace = trace && ((event) => trace(number, event));
    this.outputLengths = trace && [];
    const { seconds } = requestDeadlines;
    this.trace?.({ type: 'wait', missing: 'a request', section: '9112 2.1', seconds });
    this.deadlines = requestDeadlines;
    requestDeadlines.start(this);
  }

  /** @param bytes the connection keeps them, so do not modify them */
  onData(bytes: Buffer): void {
    const reaction = REACTIONS[this.state.name].data;
    if (reaction === 'drop') {
      const which = 'that arrived later: never parsed';
      this.trace?.({ type: 'drop', request: '', bytes: bytes.length, which });
      return;
    }
    this.trace?.({ type: 'read', bytes, offset: this.reader?.received ?? 0 });
    const { budget } = this.options;
    this.reader ??= new RequestReader({ budget, trace: this.trace });
    this.reader.push(bytes);
    if (reaction === 'read') this.read(this.reader);
    this.flush();
  }

  /** Reads until a request is complete, bytes are missing, or others should get a turn. */
  private read(reader: RequestReader): void {
    let outcome = reader.next();
    if (outcome.kind === 'continue') {
      this.send(CONTINUE_MESSAGE);
      outcome = reader.next();
    }
    switch (outcome.kind) {
      case 'wait':
        // A reader that waits between requests would only use memory.
        if (reader.isAsNew) this.reader = undefined;
        this.waitForMore(outcome);
        return;
      case 'pause':
        if (this.clock !== 'request') this.startDeadline('request');
        this.move(EVENTS.paused, PARSING);
        this.options.parsing.enqueue(this);
        return;
      case 'request':
        this.isOverdue = false;
        this.move(EVENTS.complete, { name: 'queued', complete: outcome });
        this.enqueue(outcome);
        return;
      case 'rejected':
        this.reject(outcome);
        return;
      case 'finished':
        this.close(EVENTS.inputEnded, INPUT_ENDED);
        return;
    }
  }

  /** Continues to parse, after others have had a turn. */
  parseOn(): void {
    const { reader, state } = this;
    if (state.name !== 'parsing' || reader === undefined) return;
    this.move(EVENTS.resumed, READING);
    this.read(reader);
    this.flush();
    if (!this.isOverdue) return;
    // The rest of the request may have arrived while the socket was paused.
    this.options.system.soon(() => {
      if (this.isOverdue) this.onTimeout();
    });
  }

  private enqueue({ bytes }: Complete): void {
    const { trace } = this;
    const { turns } = this.options;
    const behind = trace && turns.last?.number;
    turns.enqueue(this);
    if (turns.size > 0) trace?.({ type: 'queue', bytes, place: turns.size, behind });
  }

  /** Handles one request. */
  takeTurn(): void {
    const { options, reader, state } = this;
    if (state.name !== 'queued' || reader === undefined) return; // it was stopped in the meantime
    if (!this.socket.writable) return; // the client is gone: onClose() follows
    const { complete } = state;
    if (this.isOutputWaiting) {
      this.move(EVENTS.writeBlocked, { name: 'blocked', complete });
      this.waitForClient();
      return;
    }
    const clientHasFinished = complete.persistence.persists && reader.clientHasFinished;
    const requested = clientHasFinished ? INPUT_ENDED : complete.persistence;
    const { message, persistence } = options.handler.handle(
      complete.request,
      requested,
      this.trace,
    );
    if (message.length > OUTPUT_HIGH_WATER_MARK) this.sendNow();
    this.send(message);
    if (!persistence.persists) {
      this.close(
        EVENTS.finalResponse,
        persistence,
        'after the last handled request: never parsed',
      );
      return;
    }
    if (this.output.length > OUTPUT_HIGH_WATER_MARK) this.sendNow();
    this.move(EVENTS.responded, READING);
    this.clock = 'responded';
    this.read(reader); // the next request may have arrived already
  }

  /** Sends the output before the batch ends, after its log lines. */
  private sendNow(): void {
    this.options.handler.flushLog();
    this.flush();
  }

  /** Starts the clock of what begins here: a request, or an idle time. The wait itself
   * begins with the next flush(), because what that writes comes first. */
  private waitForMore(waiting: Waiting): void {
    const { inRequest } = waiting;
    const isIdle = !inRequest && this.clock === 'responded';
    const isFirstByte = inRequest && this.clock !== 'request';
    if (isIdle) this.startDeadline('idle');
    if (isFirstByte) this.startDeadline('request');
    this.newWait = isIdle ? 'idle' : waiting;
  }

  private reject({ error, excerpt, method, unread }: Rejected): void {
    this.trace?.({ type: 'reject', error, excerpt });
    this.send(this.options.serializer.serializeError(error, method));
    this.close(EVENTS.rejected, REJECTED, `after byte ${error.offset}`, unread);
  }

  /** Nothing more is handled, and what still arrives is dropped. The next flush() ends the
   * output and resumes the input.
   * @param which says which bytes are dropped
   * @param bytes how many of them have arrived */
  private close(
    event: Transition,
    why: Persistence,
    which = this.whichInput,
    bytes = this.reader?.received ?? 0,
  ): void {
    const request = event === EVENTS.stopped ? this.waitingRequest : '';
    this.move(event, { name: 'closing', why, dropped: { request, bytes, which } });
    this.forgetInput();
    this.startDeadline('output');
  }

  /** The complete request that has no turn yet, or ''. */
  private get waitingRequest(): string {
    const { state } = this;
    if (state.name !== 'queued' && state.name !== 'blocked') return '';
    const { method, path } = state.complete.request;
    return `${method} ${path}`;
  }

  /** Says which bytes have arrived that belong to no handled request. */
  private get whichInput(): string {
    if (this.waitingRequest !== '') return 'after it: never parsed';
    return this.reader?.inRequest
      ? 'of a request that is not complete'
      : 'that begin no request';
  }

  /** Sends a response with the next flush(). */
  private send(message: string): void {
    this.outputLengths?.push(message.length);
    this.output += message;
  }

  /** Called after what arrived has been read, after each batch of turns, and when the input, a
   * deadline or the server ends. Sends the output, then begins a new wait or ends the output,
   * and pauses or resumes the input. */
  flush(): void {
    const { output } = this;
    if (output !== '') {
      this.output = '';
      this.unsent ??= [];
      this.unsent.push(output);
      this.sendSlices();
      if (this.outputLengths !== undefined) {
        const lengths = this.outputLengths;
        this.trace?.({ type: 'write', text: output, isSent: !this.isGone, lengths });
        this.outputLengths = [];
      }
    }
    if (this.state.name !== 'reading') this.endOutput();
    else if (this.newWait !== undefined) this.beginWait(this.newWait);
    this.pauseOrResume();
  }

  /** Sends as much as the socket takes. The socket emits "drain" when it can take more. */
  private sendSlices(): void {
    const { socket, unsent } = this;
    if (unsent === undefined) return;
    while (!socket.writableNeedDrain && !socket.destroyed) {
      const text = unsent.shift();
      if (text === undefined) break;
      // A rest of at most one more slice goes along: as a slice of its own it would keep
      // the whole text in memory until the client has read it.
      const isLong = text.length > 2 * SLICE;
      if (isLong) unsent.unshift(text.slice(SLICE));
      socket.write(isLong ? text.slice(0, SLICE) : text, 'latin1');
    }
    // An empty array would keep its room, and most connections are idle.
    if (unsent.length === 0) this.unsent = undefined;
  }

  /** Whether the client is known to be gone. After a write has failed, Node destroys the
   * socket only later. */
  private get isGone(): boolean {
    return this.socket.destroyed || this.socket.errored !== null;
  }

  private get isOutputWaiting(): boolean {
    return this.unsent !== undefined || this.socket.writableNeedDrain;
  }

  /** A connection is idle only once the system has taken its responses. */
  private beginWait(wait: Waiting | 'idle'): void {
    const { deadlines, socket } = this;
    this.newWait = undefined;
    if (wait !== 'idle') {
      const { missing, section } = wait;
      this.trace?.({ type: 'wait', missing, section, seconds: this.untracedSeconds });
      this.untracedSeconds = undefined;
    } else if (socket.writableLength === 0) {
      this.trace?.({ type: 'idle', seconds: deadlines.seconds });
    } else {
      this.waitForClient();
      // Below its high-water mark, the socket does not say when everything is taken.
      if (!this.isOutputWaiting) socket.write('', () => this.onDrain());
    }
  }

  /** Waits for the client to read its responses. */
  private waitForClient(): void {
    this.startDeadline('output');
    const { seconds } = this.deadlines;
    if (this.socket.writableLength > 0) this.trace?.({ type: 'block', seconds });
  }

  /** Hands the last bytes to the socket, and our FIN after them. */
  private endOutput(): void {
    const { socket, state } = this;
    if ((state.name !== 'closing' && state.name !== 'draining') || this.isGone) return;
    const { dropped, why } = state;
    if (this.unsent !== undefined) {
      if (state.name === 'draining') return; // this wait is traced already
      this.move(EVENTS.outputBlocked, { name: 'draining', why, dropped });
      this.waitForClient();
      return;
    }
    this.move(EVENTS.ended, { name: 'ending', why });
    this.trace?.({ type: 'close', reason: why.reason, section: why.section });
    this.traceDropped(dropped);
    socket.end(() => this.onAllSent());
    if (state.name === 'closing' && socket.writableLength > 0) this.waitForClient();
  }

  private traceDropped(dropped: Dropped): void {
    const isAnything = dropped.bytes > 0 || dropped.request !== '';
    if (isAnything) this.trace?.({ type: 'drop', ...dropped });
  }

  /** Everything is sent. If we closed both sides now, a reset could destroy the last
   * response, so the client gets time to read it and to close its own side (9112 §9.6). */
  private onAllSent(): void {
    const { options, socket, state } = this;
    if (state.name !== 'ending' || socket.destroyed) return; // onClose() traces the end
    this.startDeadline('linger');
    if (!socket.readableEnded) {
      const { why } = state;
      const isStopping = why === LAST_REQUEST || why === STOPPED;
      const seconds = isStopping ? CLOSE_MS / 1000 : options.lingerDeadlines.seconds;
      this.trace?.({ type: 'linger', seconds, isStopping });
    }
    this.move(EVENTS.flushed, LINGERING);
    options.onSent();
  }

  /** The client closed its sending side. */
  onEnd(): void {
    const { reader, state } = this;
    const reaction = REACTIONS[state.name].end;
    this.trace?.({ type: 'end' });
    if (reaction === 'ignore') return;
    reader?.end();
    if (reaction === 'keep') return;
    if (reader !== undefined) this.read(reader);
    else this.close(EVENTS.inputEnded, INPUT_ENDED);
    this.flush();
  }

  /** The system has taken what the socket held. We count this as the client reading,
   * because TCP does not tell when a program reads. */
  onDrain(): void {
    const { state } = this;
    if (REACTIONS[state.name].drain !== 'send') return;
    this.sendSlices();
    if (this.clock === 'output') this.startDeadline('output');
    this.endOutput();
    if (this.isOutputWaiting) return;
    if (state.name === 'blocked') {
      const { complete } = state;
      this.move(EVENTS.drained, { name: 'queued', complete });
      this.enqueue(complete);
    } else if (state.name === 'reading' && this.clock === 'output') {
      this.startDeadline('idle');
      this.trace?.({ type: 'idle', seconds: this.deadlines.seconds });
    }
  }

  onTimeout(): void {
    const { clock, state } = this;
    const { seconds } = this.deadlines;
    if (REACTIONS[state.name].timeout !== 'timeOut') return;
    if (state.name === 'parsing') {
      this.isOverdue = true; // unless what has arrived completes the request
      return;
    }
    switch (clock) {
      case 'responded':
        return; // read() sets another clock at once
      case 'first request':
      case 'idle':
        this.close(EVENTS.timedOut, noRequestWithin(seconds, clock));
        break;
      case 'request':
        this.giveUpRequest(seconds);
        break;
      case 'output':
        this.destroy(
          `gave up: nothing more could be sent to the client within ${seconds} s`,
        );
        break;
      case 'linger':
        this.destroy(`gave up: the client did not close its side within ${seconds} s`);
        break;
    }
    this.flush();
  }

  private giveUpRequest(seconds: number): void {
    const reason = `The request is not complete ${seconds} s after its first byte`;
    if (this.reader !== undefined) this.reject(this.reader.giveUp(reason, 408));
  }

  onError({ code, message }: NodeJS.ErrnoException): void {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE';
    this.goneReason = isReset ? 'the client reset the connection' : message;
  }

  /** Both sides are closed. Before a reset, "the client closed its sending side" may be
   * traced: libuv reports an end of the input first. */
  onClose(): void {
    const { state } = this;
    if (state.name === 'closing' || state.name === 'draining') {
      this.traceDropped(state.dropped);
    } else if (state.name !== 'ending' && state.name !== 'lingering') {
      const bytes = this.reader?.received ?? 0;
      this.traceDropped({ request: this.waitingRequest, bytes, which: this.whichInput });
    }
    this.forgetInput();
    this.deadlines.clear(this);
    this.trace?.({ type: 'gone', reason: this.goneReason });
    this.move(EVENTS.closed, CLOSED);
    if (state.name !== 'lingering') this.options.onSent(); // else onAllSent() has called it
  }

  /** Stops handling requests. What is already written still goes out. */
  stop(): void {
    if (REACTIONS[this.state.name].data === 'drop') return; // it is closing already
    this.close(EVENTS.stopped, STOPPED);
    this.flush();
  }

  /** What the client had not done when the server cut the connection off. */
  get lack(): string {
    return this.state.name === 'lingering' ? 'close its side' : 'read all its responses';
  }

  /** Closes both sides at once.
   * @returns false if the client is gone already: onClose() follows, and says how */
  destroy(reason: string): boolean {
    if (this.isGone) return false;
    this.goneReason = reason;
    this.socket.destroy();
    return true;
  }

  private forgetInput(): void {
    this.reader?.release();
    this.reader = undefined;
    this.isOverdue = false;
  }

  /** Pauses the socket while enough input is waiting, and resumes it otherwise. */
  private pauseOrResume(): void {
    const { reader, socket, state } = this;
    const isWaiting = state.name === 'queued' || state.name === 'blocked';
    const isFull = isWaiting && (reader?.unread ?? 0) > INPUT_HIGH_WATER_MARK;
    if (isFull || state.name === 'parsing') socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  private startDeadline(clock: Clock): void {
    const { idleDeadlines, lingerDeadlines, requestDeadlines } = this.options;
    let next = requestDeadlines;
    if (clock === 'idle') next = idleDeadlines;
    if (clock === 'linger') next = lingerDeadlines;
    if (this.deadlines !== next) this.deadlines.clear(this);
    this.clock = clock;
    this.deadlines = next;
    this.untracedSeconds = clock === 'request' ? next.seconds : undefined;
    next.start(this);
  }

  private move(event: Transition, next: State): void {
    checkTransition(this.state.name, event, next.name);
    this.state = next;
  }
}
