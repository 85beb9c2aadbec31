/** One connection. It reads requests, queues each for its turn, and sends the responses in
 * order. Then it closes its own side, and drops what still arrives until the client closes
 * its side, too, or takes too long. It knows sockets, but not what a request or a response
 * looks like as bytes. */
import type { Socket } from 'node:net';
import type { Complete, Rejected } from '../http/outcome';
import { closingBecause, type Closing } from '../http/persistence';
import { RequestReader, type ByteBudget } from '../http/request-reader';
import { CONTINUE_MESSAGE, type ResponseWriter } from '../http/response';
import type { ConnectionEvent } from '../trace/events';
import { STATES, type Clock, type State, type Wake } from './connection-states';
import { ConnectionTrace } from './connection-trace';
import type { Deadlines } from './deadlines';
import { Output } from './output';
import { STOPPED, type RequestHandler } from './request-handler';
import type { TurnQueue } from './turn-queue';

const REJECTED = closingBecause('the request was rejected: nothing after it is handled');
const INPUT_ENDED = closingBecause('the client sends nothing more', '9112 9.5');

/** While a request waits, we stop reading above this many unread bytes. The read that
 * crosses the mark may bring up to 64 KiB, and Node may hold one further read. */
const INPUT_HIGH_WATER_MARK = 16_384;
/** How long a request that was paused may be late, in milliseconds: what arrived in time has
 * to be read and parsed first. */
const GRACE_MS = 1000;
/** Once this much output has gathered, we send it, even if more responses may follow. */
const OUTPUT_HIGH_WATER_MARK = 65_536;

/** What the connections of a server share. */
export interface Shared {
  /** The time limit of each clock. Clocks that count the same time share one. */
  readonly deadlines: Readonly<Record<Exclude<Clock, 'none'>, Deadlines<Connection>>>;
  /** The connections that linger, and how long they may at most. */
  readonly lingering: Deadlines<Connection>;
  readonly budget: ByteBudget;
  readonly handler: RequestHandler;
  readonly writer: ResponseWriter;
  /** The connections with a complete request. */
  readonly turns: TurnQueue<Connection>;
  /** The connections with more to parse than is fair to parse at once. */
  readonly parsing: TurnQueue<Connection>;
  /** Called once for each connection: when the system has taken all that it sends, or when
   * the client is gone. */
  onSent(): void;
  /** For the trace alone: the limits in seconds of a server that stops, if it does. */
  readonly stopLimits: { readonly sending: number; readonly closing: number } | undefined;
  readonly trace: ((connection: number, event: ConnectionEvent) => void) | undefined;
}

/** One client, from its first byte to its end. serve() tells what happens to its requests,
 * from top to bottom, and yields the state in which it waits. An event may resume it. After
 * each event, settle() sends, and starts the clock of the state. */
export class Connection {
  private readonly trace: ConnectionTrace | undefined;
  private readonly output: Output;
  private state: State = STATES.new;
  /** The clock that runs: that of the state, once settle() has switched it. So a state that
   * is only passed through starts none, and a request that begins in a turn is timed from
   * the end of the batch. */
  private clock: Clock = 'none';
  /** Made at the first byte, and dropped once a new one would do, because most connections
   * are idle. */
  private reader: RequestReader | undefined = undefined;
  /** serve(), which waits where it last yielded; made and dropped with the reader. */
  private serving: Generator<State, Closing> | undefined = undefined;
  /** Whether others went first, so that a part of the request may have arrived in time and
   * be unread. */
  private wasPaused = false;
  /** Why the connection ended, or why it will, unless something else ends it first. */
  private reason = 'the client closed';

  constructor(
    readonly number: number,
    private readonly socket: Socket,
    private readonly shared: Shared,
  ) {
    const { trace } = shared;
    this.trace = trace && new ConnectionTrace((event) => trace(number, event));
    this.output = new Output(socket, () => this.onDrain());
  }

  /** From its first byte on: reads a request, waits for its turn, handles it, and begins
   * again. What it yields is the state in which the connection waits; the table of the
   * states says for what. It returns why nothing more is handled. */
  private *serve(reader: RequestReader): Generator<State, Closing> {
    const { output, shared, trace } = this;
    for (;;) {
      const outcome = reader.next();
      switch (outcome.kind) {
        case 'continue':
          this.gather(CONTINUE_MESSAGE);
          break;
        case 'wait':
          trace?.wait(outcome);
          // If no request has begun, an empty line has arrived, at most: the connection
          // stays new, responding or idle.
          yield outcome.inRequest ? STATES.receiving : this.state;
          break;
        case 'pause':
          shared.parsing.enqueue(this);
          this.wasPaused = true;
          yield STATES.paused;
          break;
        case 'request': {
          this.wasPaused = false;
          for (;;) {
            this.enqueue(outcome);
            yield STATES.queued;
            if (!output.isBlocked) break;
            yield STATES.blocked;
          }
          trace?.beginTurn();
          const isLast = outcome.persistence.persists && reader.clientHasFinished;
          const wanted = isLast ? INPUT_ENDED : outcome.persistence;
          const handled = shared.handler.handle(outcome.request, wanted, trace?.emit);
          this.gather(handled.message);
          if (!handled.persistence.persists) {
            trace?.lastHandled(reader.received);
            return handled.persistence;
          }
          this.move(STATES.responding); // settle() moves on to idle
          break;
        }
        case 'rejected':
          return this.reject(outcome);
        case 'finished':
          return INPUT_ENDED;
      }
    }
  }

  private enqueue(complete: Complete): void {
    const { trace } = this;
    const { turns } = this.shared;
    const behind = trace && turns.last?.number;
    turns.enqueue(this);
    trace?.queue(complete, turns.size, behind);
  }

  /** Adds a message to the output, which leaves when the batch of turns ends, or sooner if
   * much of it has gathered. */
  private gather(message: string): void {
    // Joined with the responses before it, it could exceed the longest string.
    if (message.length > OUTPUT_HIGH_WATER_MARK) this.sendOutput();
    this.output.add(message);
    this.trace?.gather(message);
    if (this.output.gatheredBytes > OUTPUT_HIGH_WATER_MARK) this.sendOutput();
  }

  private reject(rejected: Rejected): Closing {
    this.trace?.reject(rejected);
    this.gather(this.shared.writer.writeRejection(rejected));
    return REJECTED;
  }

  // What happens to the connection. An event that may change its state ends with settle().
  // A turn does not: the queue calls settle() when the batch ends.

  private react(event: () => void): void {
    event();
    this.settle();
  }

  /** @param bytes the connection keeps them, so do not modify them */
  onData(bytes: Buffer): void {
    if (this.isOver) return this.drop(bytes);
    this.trace?.read(bytes, this.reader?.received ?? 0);
    const { budget } = this.shared;
    this.react(() => {
      this.reader ??= new RequestReader({ budget, trace: this.trace?.reader });
      this.serving ??= this.serve(this.reader);
      this.reader.push(bytes);
      this.wake('input');
    });
  }

  /** The client closed its sending side. */
  onEnd(): void {
    this.trace?.emit({ type: 'end' });
    if (this.isOver) return;
    this.react(() => {
      if (this.reader === undefined) return this.beginClosing(INPUT_ENDED);
      this.reader.end();
      this.wake('input');
    });
  }

  /** The system has taken what the socket held. We count this as the client reading,
   * because TCP does not tell when a program reads. */
  onDrain(): void {
    if (this.isGone) return; // a write has failed: onClose() follows
    this.react(() => {
      this.output.sendMore();
      const { clock } = this;
      if (clock === 'output' || clock === 'last output') this.timeLimit?.restart(this);
      if (!this.output.isBlocked) this.wake('drain');
    });
  }

  takeTurn(): void {
    if (!this.isGone) this.wake('turn'); // else onClose() follows
  }

  /** The time of the clock is over. Called again until the clock stops or starts again.
   * @param late for how many milliseconds it has been over */
  onTimeout(late: number): void {
    const { clock, reader, timeLimit } = this;
    const seconds = timeLimit?.seconds ?? 0;
    this.react(() => {
      switch (clock) {
        case 'first request':
        case 'idle': {
          const since = clock === 'idle' ? 'the last response' : 'connecting';
          const reason = `no request within ${seconds} s of ${since}`;
          return this.beginClosing(closingBecause(reason, '9112 9.5'));
        }
        case 'request': {
          if (this.takeGrace(late)) return;
          const reason = `The request is not complete ${seconds} s after it began`;
          if (reader !== undefined) this.beginClosing(this.reject(reader.giveUp(reason)));
          return;
        }
        case 'output':
        case 'last output':
          // Nothing is left but perhaps our FIN, which leaves next.
          if (this.output.isTaken) return;
          this.destroy(
            `given up: nothing more could be sent to the client within ${seconds} s`,
          );
          return;
        case 'silence':
          this.destroy(
            `given up: the client was silent for ${seconds} s, and did not close`,
          );
          return;
        case 'none': // no time is running
      }
    });
  }

  /** @returns whether a request that is late has some more time, because others went first */
  private takeGrace(late: number): boolean {
    if (late >= GRACE_MS) return false;
    if (this.state === STATES.paused) return true;
    // If it is no longer paused, the socket is read once more before the next call.
    const { wasPaused } = this;
    this.wasPaused = false;
    return wasPaused;
  }

  /** Resumes serve() where it yielded, if its state waits for this. */
  private wake(by: Wake): void {
    const { serving, state } = this;
    if (serving === undefined || state.resumedBy !== by) return;
    const step = serving.next();
    if (step.done === true) this.beginClosing(step.value);
    else this.move(step.value);
  }

  private move(next: State): void {
    const { state } = this;
    if (state.mayMoveTo[next.index] !== true) {
      throw new Error(`A connection moves from ${state.name} to ${next.name}`);
    }
    this.state = next;
  }

  /** Does what the state asks for, once an event has moved the connection, perhaps through
   * several states: sends what is gathered, moves on if that is taken, starts the clock, and
   * pauses or resumes the socket. */
  settle(): void {
    this.sendOutput();
    const { output, state } = this;
    if (state === STATES.closing && !output.isUnsent && !this.isGone) this.endOutput();
    if (state === STATES.responding && output.isTaken && !this.isGone) this.becomeIdle();
    this.switchClock();
    this.trace?.settled();
    this.pauseOrResume();
  }

  /** Log lines leave before the responses, so that a client that has its response can find
   * its line. */
  private sendOutput(): void {
    if (this.output.gatheredBytes === 0) return;
    this.shared.handler.flushLog();
    this.output.flush();
    this.trace?.write(!this.isGone);
  }

  /** Waits for the next request, without a reader if a new one would do. */
  private becomeIdle(): void {
    if (this.reader?.isAsNew === true) {
      this.reader = undefined;
      this.serving = undefined;
    }
    this.move(STATES.idle);
  }

  /** Drops what is left of a request, and moves. */
  private leave(next: State): void {
    this.reader?.release();
    this.reader = undefined;
    this.serving = undefined;
    this.move(next);
  }

  // How a connection ends: in order by beginClosing(), settle(), endOutput() and onAllSent(),
  // after which the client closes, too; at once by destroy(), when the server will wait no
  // longer; or because the client resets it. Node closes a socket of which both sides have
  // ended, and onClose() is the end of all three.

  /** Stops handling requests. What is already written still goes out. */
  stop(): void {
    if (this.isOver) return; // it is closing already
    this.react(() => this.beginClosing(STOPPED));
  }

  /** From here on, nothing is handled, and what still arrives is dropped. */
  private beginClosing(why: Closing): void {
    this.trace?.closing(why, this.reader);
    this.leave(STATES.closing);
  }

  /** Hands our FIN to the socket, which has taken the last bytes. */
  private endOutput(): void {
    const { socket } = this;
    if (socket.writableEnded) return;
    this.trace?.close();
    socket.end(() => this.onAllSent());
  }

  /** If we closed both sides now, the system would reply to what the client still sends
   * with a reset. What is on its way to the client would be lost, and the client's system
   * may drop even what it has received: the last response. So the client gets time to read
   * it, and to close its own side (9112 §9.6): while it still sends, and then a little. */
  private onAllSent(): void {
    const { shared, socket } = this;
    if (this.isGone) return; // onClose() traces the end
    this.react(() => this.move(STATES.lingering));
    shared.lingering.start(this);
    if (!socket.readableEnded) {
      const { stopLimits } = shared;
      this.trace?.emit({
        type: 'linger',
        silence: shared.deadlines.silence.seconds,
        seconds: stopLimits?.closing ?? shared.lingering.seconds,
        isStopping: stopLimits !== undefined,
      });
    }
    shared.onSent();
  }

  /** What arrives while our side closes costs nothing, but the client is not silent. */
  private drop(bytes: Buffer): void {
    this.trace?.drop(bytes.length);
    if (this.state === STATES.lingering) this.timeLimit?.restart(this);
  }

  /** The connection has lingered for as long as it may. */
  onLingered(): void {
    const { seconds } = this.shared.lingering;
    this.destroy(`given up: the client did not close within ${seconds} s`);
  }

  /** Stops lingering, because a new client needs the place. */
  makeRoom(): void {
    this.shared.lingering.clear(this);
    this.destroy('let go: a new client needed the place, and none had lingered longer');
  }

  /** Closes both sides at once, because the server cannot wait any longer.
   * @param when the moment, as the trace words it
   * @returns false if the client is gone already */
  cutOff(when: string): boolean {
    const isLingering = this.state === STATES.lingering;
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

  onError({ code, message }: NodeJS.ErrnoException): void {
    const isReset = code === 'ECONNRESET' || code === 'EPIPE';
    this.reason = isReset ? 'the client reset the connection' : message;
  }

  /** Both sides are closed. When a client resets the connection, libuv may report the
   * end of its input first, and then the trace says so first. */
  onClose(): void {
    const { output, reader, shared, state, trace } = this;
    const isAllSent = state === STATES.lingering;
    trace?.gone(this.reason, isAllSent ? 0 : output.lost, reader);
    shared.lingering.clear(this);
    this.react(() => this.leave(STATES.closed));
    if (!isAllSent) shared.onSent(); // else onAllSent() has called it
  }

  /** Whether nothing more is handled. */
  private get isOver(): boolean {
    return this.state.input === 'drop';
  }

  /** Whether the client is known to be gone. After a write has failed, Node destroys the
   * socket only later. */
  private get isGone(): boolean {
    return this.socket.destroyed || this.socket.errored !== null;
  }

  /** The time limit of the clock that runs. */
  private get timeLimit(): Deadlines<Connection> | undefined {
    return this.clock === 'none' ? undefined : this.shared.deadlines[this.clock];
  }

  /** Switches to the clock of the state, unless that one is already running. */
  private switchClock(): void {
    const { clock } = this.state;
    if (clock === this.clock) return;
    this.timeLimit?.clear(this);
    this.clock = clock;
    const { timeLimit } = this;
    if (timeLimit === undefined) return;
    timeLimit.start(this);
    this.trace?.clock(
      clock,
      timeLimit.seconds,
      this.output.isTaken || this.isGone,
      this.shared.stopLimits?.sending,
    );
  }

  /** Pauses the socket while others go first, or while more input waits than we want to
   * keep. Otherwise, resumes it. */
  private pauseOrResume(): void {
    const { reader, socket } = this;
    const { input } = this.state;
    const waiting = input === 'keep' && reader !== undefined ? reader.unread : 0;
    if (input === 'hold' || waiting > INPUT_HIGH_WATER_MARK) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }
}
