/** One connection. It reads requests, queues each for its turn, and sends the responses in
 * order. Then it closes its own side, and drops what still arrives until the client closes
 * its side, too. It knows sockets, but not what a request or a response looks like as
 * bytes. */
import type { Socket } from 'node:net';
import type { MemoryBudget } from '../http/memory-budget';
import type { Complete, Rejected } from '../http/outcome';
import {
  INPUT_ENDED,
  noRequestWithin,
  REJECTED,
  STOPPED,
  type Persistence,
} from '../http/persistence';
import { RequestReader } from '../http/request-reader';
import { CONTINUE_MESSAGE, writeRejection } from '../http/response';
import type { ConnectionEvent } from '../trace/events';
import {
  STATES,
  type Clock,
  type StateName,
  type StateRules,
  type Wake,
} from './connection-states';
import { ConnectionTrace } from './connection-trace';
import type { Deadlines } from './deadlines';
import { Output } from './output';
import type { RequestHandler } from './request-handler';
import type { TurnQueue } from './turn-queue';

/** What the connection is doing, and what it needs for that. `rules` is its row of the
 * table: looking it up by name would make a request 3 to 8 % more expensive. */
type State = { readonly rules: StateRules } & (
  | { readonly name: Exclude<StateName, 'queued' | 'blocked' | 'closing'> }
  | { readonly name: 'queued' | 'blocked'; readonly complete: Complete }
  | { readonly name: 'closing'; readonly why: Persistence }
);

const NEW: State = { name: 'new', rules: STATES.new };
const RECEIVING: State = { name: 'receiving', rules: STATES.receiving };
const PAUSED: State = { name: 'paused', rules: STATES.paused };
const RESPONDING: State = { name: 'responding', rules: STATES.responding };
const IDLE: State = { name: 'idle', rules: STATES.idle };
const LINGERING: State = { name: 'lingering', rules: STATES.lingering };
const CLOSED: State = { name: 'closed', rules: STATES.closed };

/** While a request waits, we stop reading above this many unread bytes. The read that
 * crosses the mark may bring up to 64 KiB, and Node may hold one further read. */
const INPUT_HIGH_WATER_MARK = 16_384;
/** Once this much output has gathered, we send it, even if more responses may follow. */
const OUTPUT_HIGH_WATER_MARK = 65_536;
/** How long stopping may take, even if clients do not read, or new ones keep arriving. */
export const STOP_MS = 800;
/** How long clients may take to close, once a stopping server has sent everything. */
export const CLOSE_MS = 150;

/** What all connections of a server share. */
export interface Shared {
  /** The time limit of each clock. Clocks that count the same time share one. */
  readonly deadlines: Readonly<Record<Exclude<Clock, 'none'>, Deadlines<Connection>>>;
  readonly budget: MemoryBudget;
  readonly handler: RequestHandler;
  /** Gives the value of the Date field. */
  readonly date: () => string;
  /** The connections with a complete request. */
  readonly turns: TurnQueue<Connection>;
  /** The connections with more to parse than is fair to parse at once. */
  readonly parsing: TurnQueue<Connection>;
  /** Each connection calls it exactly once: when the system has taken all that it sends, or
   * when the client is gone. */
  readonly onSent: () => void;
  readonly trace: ((connection: number, event: ConnectionEvent) => void) | undefined;
}

/** One client, from its first byte to its end. serve() tells what happens to its requests,
 * from top to bottom. Where it waits, the state says for what. Whatever happens may change
 * the state; then settle() sends, and starts the clock of the state. */
export class Connection {
  private readonly trace: ConnectionTrace | undefined;
  private readonly output: Output;
  private state: State = NEW;
  /** The clock of the state, except while a reaction or a batch of turns is under way:
   * settle() switches it at the end, so a state that is only passed through starts no
   * clock. */
  private runningClock: Clock = 'none';
  /** The time limit of that clock. */
  private timeLimit: Deadlines<Connection> | undefined = undefined;
  /** Made at the first byte, and dropped once a new one would do, because most connections
   * are idle. */
  private reader: RequestReader | undefined = undefined;
  /** serve(), which waits where it last yielded; made and dropped with the reader. */
  private serving: Generator<undefined, void> | undefined = undefined;
  /** Why the connection ended, or why it will, unless something else ends it first. */
  private reason = 'the client closed';

  constructor(
    readonly number: number,
    private readonly socket: Socket,
    private readonly shared: Shared,
  ) {
    const { trace } = shared;
    this.trace = trace && new ConnectionTrace((event) => trace(number, event));
    this.output = new Output(socket, trace !== undefined, () => this.onDrain());
  }

  /** @param bytes the connection keeps them, so do not modify them */
  onData(bytes: Buffer): void {
    if (this.isOver) {
      this.trace?.drop(bytes.length);
      return;
    }
    this.trace?.read(bytes, this.reader?.received ?? 0);
    const { budget } = this.shared;
    if (this.reader === undefined) {
      this.reader = new RequestReader({ budget, trace: this.trace?.emit });
      this.serving = this.serve(this.reader);
    }
    this.reader.push(bytes);
    this.resume('input');
    this.settle();
  }

  /** The client closed its sending side. */
  onEnd(): void {
    this.trace?.end();
    if (this.isOver) return;
    if (this.reader !== undefined) this.reader.end();
    else this.close(INPUT_ENDED); // there is no request to read on with
    this.resume('input');
    this.settle();
  }

  /** Resumes serve() where it yielded, if it waits for this. */
  private resume(wake: Wake): void {
    if (this.state.rules.resumedBy === wake) this.serving?.next();
  }

  /** Whether nothing more is handled. */
  private get isOver(): boolean {
    return this.state.rules.resumedBy === 'nothing';
  }

  /** From its first byte on: reads a request, waits for its turn, handles it, and begins
   * again. Each yield waits for what the table of the states names under `resumedBy`. */
  private *serve(reader: RequestReader): Generator<undefined, void> {
    for (;;) {
      const outcome = reader.next();
      switch (outcome.kind) {
        case 'continue':
          this.output.add(CONTINUE_MESSAGE);
          break;
        case 'wait':
          if (outcome.inRequest && this.state.name !== 'receiving') this.move(RECEIVING);
          this.trace?.wait(outcome);
          if (reader.isAsNew) return this.dropReader(); // the next byte makes a new one
          yield; // until more bytes arrive, or the client closes its sending side
          break;
        case 'pause':
          this.move(PAUSED);
          this.shared.parsing.enqueue(this);
          yield; // until others have had a turn
          this.move(RECEIVING);
          this.shared.deadlines.request.spare(this); // the rest may be here, unread
          break;
        case 'request': {
          this.enqueue(outcome);
          yield; // until its turn
          while (this.output.isBlocked) {
            this.move({ name: 'blocked', rules: STATES.blocked, complete: outcome });
            yield; // until the client has read its earlier responses
            this.enqueue(outcome);
            yield; // until its next turn
          }
          const persistence = this.handle(outcome, reader);
          if (!persistence.persists) return this.closeAfterLast(persistence, reader);
          this.move(RESPONDING); // the next request may have arrived already
          break;
        }
        case 'rejected':
          return this.reject(outcome);
        case 'finished':
          return this.close(INPUT_ENDED);
      }
    }
  }

  /** A reader that holds no bytes and remembers no request would only take up memory. */
  private dropReader(): void {
    this.reader = undefined;
    this.serving = undefined;
  }

  /** Continues to parse, after others have had a turn. */
  parseOn(): void {
    this.resume('parsing');
    this.settle();
  }

  private enqueue(complete: Complete): void {
    const { trace } = this;
    const { turns } = this.shared;
    this.move({ name: 'queued', rules: STATES.queued, complete });
    const behind = trace && turns.last?.number;
    turns.enqueue(this);
    trace?.queue(complete.bytes, turns.size, behind);
  }

  takeTurn(): void {
    if (this.socket.writable) this.resume('turn'); // else it is gone: onClose() follows
  }

  private handle({ persistence, request }: Complete, reader: RequestReader): Persistence {
    const clientHasFinished = persistence.persists && reader.clientHasFinished;
    const wanted = clientHasFinished ? INPUT_ENDED : persistence;
    const handled = this.shared.handler.handle(request, wanted, this.trace?.emit);
    this.gather(handled.message);
    return handled.persistence;
  }

  private closeAfterLast(why: Persistence, reader: RequestReader): void {
    this.trace?.lastHandled(reader.received);
    this.close(why);
  }

  /** Adds a response to the output, which leaves when the batch of turns ends, or sooner if
   * much of it has gathered. */
  private gather(message: string): void {
    // Joined with the responses before it, it could exceed the longest string.
    if (message.length > OUTPUT_HIGH_WATER_MARK) this.sendOutput();
    this.output.add(message);
    if (this.output.length > OUTPUT_HIGH_WATER_MARK) this.sendOutput();
  }

  /** The system has taken what the socket held. We count this as the client reading,
   * because TCP does not tell when a program reads. */
  onDrain(): void {
    const { output, state } = this;
    if (this.isGone) return; // a write has failed: onClose() follows
    output.sendMore();
    if (state.rules.timeout === 'stop sending') this.timeLimit?.restart(this);
    if (!output.isBlocked) this.resume('drain');
    this.settle();
  }

  /** The time of the clock is over. Called again until the clock stops or starts again. */
  onTimeout(): void {
    const { output, reader, state } = this;
    const seconds = this.timeLimit?.seconds ?? 0;
    switch (state.rules.timeout) {
      case 'close': {
        const since = state.name === 'idle' ? 'the last response' : 'connecting';
        this.close(noRequestWithin(seconds, since));
        break;
      }
      case 'reject': {
        const reason = `The request is not complete ${seconds} s after it began`;
        if (reader !== undefined) this.reject(reader.giveUp(reason, 408));
        break;
      }
      case 'stop sending':
        if (output.isTaken) break; // only our FIN is left, and it leaves next
        this.giveUp('nothing more could be sent to the client', seconds);
        break;
      case 'stop waiting':
        this.giveUp('the client did not close its side', seconds);
        break;
      case 'later':
      case 'never':
        break;
    }
    this.settle();
  }

  private giveUp(lack: string, seconds: number): void {
    this.destroy(`gave up: ${lack} within ${seconds} s`);
  }

  /** Stops handling requests. What is already written still goes out. */
  stop(): void {
    if (this.isOver) return; // it is closing already
    this.close(STOPPED);
    this.settle();
  }

  onError({ code, message }: NodeJS.ErrnoException): void {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE';
    this.reason = isReset ? 'the client reset the connection' : message;
  }

  private reject(rejected: Rejected): void {
    this.trace?.reject(rejected);
    this.output.add(writeRejection(rejected, this.shared.date()));
    this.close(REJECTED);
  }

  /** From here on, nothing is handled, and what still arrives is dropped. */
  private close(why: Persistence): void {
    this.forgetInput();
    this.move({ name: 'closing', rules: STATES.closing, why });
  }

  /** Does what the state asks for. Every reaction that may have changed it ends with this;
   * a turn does so when its batch ends. The order counts:
   *  - what is gathered is sent
   *  - what the system has taken may lead to another state
   *  - the clock of that state starts
   *  - the socket is paused or resumed */
  settle(): void {
    const { output } = this;
    this.sendOutput();
    if (this.state.name === 'responding' && output.isTaken && !this.isGone) this.move(IDLE);
    if (this.state.name === 'closing') this.endOutput(this.state.why);
    this.switchClock();
    this.trace?.settled();
    this.pauseOrResume();
  }

  /** Log lines leave before the responses, so that a client that has its response can find
   * its line. */
  private sendOutput(): void {
    if (this.output.length === 0) return;
    this.shared.handler.flushLog();
    const { text, lengths } = this.output.flush();
    this.trace?.write(text, !this.isGone, lengths ?? []);
  }

  /** Hands our FIN to the socket, once it has taken the last bytes. */
  private endOutput(why: Persistence): void {
    const { output, socket } = this;
    if (output.isUnsent || socket.writableEnded || this.isGone) return;
    this.trace?.close(why);
    socket.end(() => this.onAllSent());
  }

  /** If we closed both sides now, the system would reply to what the client still sends
   * with a reset. What is on its way to the client would be lost, and the client's system
   * may drop even what it has received: the last response. So the client gets time to read
   * it, and to close its own side (9112 §9.6). */
  private onAllSent(): void {
    const { shared, socket } = this;
    if (this.isGone) return; // onClose() traces the end
    const { isStopping } = shared.handler;
    this.move(LINGERING);
    this.settle();
    if (!socket.readableEnded) {
      const seconds = isStopping ? CLOSE_MS / 1000 : shared.deadlines.linger.seconds;
      this.trace?.linger(seconds, isStopping);
    }
    shared.onSent();
  }

  /** Both sides are closed. When a client resets the connection, libuv may report the
   * end of its input first, and then the trace says so first. */
  onClose(): void {
    const isAllSent = this.state.name === 'lingering';
    this.forgetInput();
    this.trace?.gone(this.reason, isAllSent ? 0 : this.output.lost);
    this.move(CLOSED);
    this.settle();
    if (!isAllSent) this.shared.onSent(); // else onAllSent() has called it
  }

  /** Closes both sides at once, because the server cannot wait any longer.
   * @param when the moment, as the trace words it
   * @returns false if the client is gone already */
  cutOff(when: string): boolean {
    const isLingering = this.state.name === 'lingering';
    const lack = isLingering ? 'close its side' : 'read all its responses';
    return this.destroy(`cut off ${when}: the client did not ${lack}`);
  }

  /** @returns false if the client is gone already: onClose() follows and traces how */
  private destroy(reason: string): boolean {
    if (this.isGone) return false;
    this.reason = reason;
    this.output.destroy();
    return true;
  }

  /** The complete request that has not been handled, if there is one. */
  private get unhandled(): Complete | undefined {
    const { state } = this;
    return state.name === 'queued' || state.name === 'blocked' ? state.complete : undefined;
  }

  private forgetInput(): void {
    this.trace?.forgetInput(this.reader, this.unhandled);
    this.reader?.release();
    this.dropReader();
  }

  /** Whether the client is known to be gone. After a write has failed, Node destroys the
   * socket only later. */
  private get isGone(): boolean {
    return this.socket.destroyed || this.socket.errored !== null;
  }

  /** Switches to the clock of the state, unless that one is already running. */
  private switchClock(): void {
    const { clock } = this.state.rules;
    if (clock === this.runningClock) return;
    this.timeLimit?.clear(this);
    this.runningClock = clock;
    this.timeLimit = clock === 'none' ? undefined : this.shared.deadlines[clock];
    this.timeLimit?.start(this);
    if (this.trace !== undefined) this.traceClock(this.trace);
  }

  private traceClock(trace: ConnectionTrace): void {
    const { output, runningClock, timeLimit } = this;
    if (timeLimit === undefined) return;
    const isTaken = output.isTaken || this.isGone;
    const stopSeconds = this.shared.handler.isStopping ? STOP_MS / 1000 : undefined;
    trace.clock(runningClock, timeLimit.seconds, isTaken, stopSeconds);
  }

  /** Pauses the socket while others go first, or while more input waits than we want to
   * keep. Otherwise, resumes it. */
  private pauseOrResume(): void {
    const { reader, socket, state } = this;
    const kept = state.rules.resumedBy !== 'input' && reader ? reader.unread : 0;
    if (kept > INPUT_HIGH_WATER_MARK || state.name === 'paused') socket.pause();
    else if (socket.isPaused()) socket.resume();
  }

  /** The tests check that each move is in the table of the states. */
  private move(next: State): void {
    this.state = next;
  }
}
