/** Listening and shutting down. No state is global: two servers can run side by side. */
import type { AddressInfo, Server, Socket } from 'node:net';
import { ByteBudget } from '../http/request-reader';
import type { Closing } from '../http/persistence';
import { ResponseWriter } from '../http/response';
import { count } from '../text/text';
import type { ConnectionEvent, ServerEvent } from '../trace/events';
import { Connection, type Shared } from './connection';
import { afterDelay, Deadlines } from './deadlines';
import { LAST_REQUEST, RequestHandler, STOPPED } from './request-handler';
import {
  checkOptions,
  checkTime,
  type ServerOptions,
  type Settings,
} from './server-options';
import { SYSTEM, type System } from './system';
import { TurnQueue } from './turn-queue';
import { guard, warn } from './warnings';

export interface RunningServer {
  /** The port that it actually listens on. */
  readonly port: number;
  /** Stops handling requests, lets responses already under way finish, and closes within a
   * second.
   * @returns a promise that resolves when everything is closed */
  stop(): Promise<void>;
  /** Resolves when everything is closed, whatever the reason. */
  readonly stopped: Promise<void>;
  /** The same as stop(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How many seconds a client may be silent after our side is closed, and how many it has in
 * all to close its own. If we did not wait, a reset could destroy the response (9112 §9.6). */
const LINGER_SILENCE_SECONDS = 5;
const LINGER_SECONDS = 30;
/** How long stopping may take, even if clients do not read, or new ones keep arriving. */
const STOP_MS = 800;
/** How long clients may take to close, once a stopping server has sent everything. */
const CLOSE_MS = 150;
/** How many connections may wait to be accepted; the system may allow fewer. */
const BACKLOG = 4096;
/** The most turns that a batch gives, and the milliseconds after which it gives no further
 * one. Then the responses leave, and the event loop reads what has arrived. A slow service
 * must not hold back the responses of a whole batch. */
const TURNS = { turns: 1024, ms: 100 };
/** How much is parsed in one round of the event loop for the clients that send more than is
 * fair to parse at once. */
const PARSING = { turns: Infinity, ms: 10 };
const SOCKET_OPTIONS = {
  /** A client that has closed its sending side still gets its responses. */
  allowHalfOpen: true,
  /** No response is delayed to be joined with the next. */
  noDelay: true,
  /** A socket that holds this many bytes tells when the system has taken them. With the
   * default of Node 22, which is four times that of Node 20, a client that reads steadily
   * would be taken for one that does not read. */
  highWaterMark: 16_384,
};

/** @param system a simulated one, for tests
 * @returns a promise of the listening server. It rejects with a TypeError or RangeError
 * that names the option, or with the system's error. */
export async function startServer(
  options: ServerOptions,
  system: System = SYSTEM,
): Promise<HttpServer> {
  const settings = checkOptions(options);
  const server = new HttpServer(system, settings);
  await server.listen(settings);
  return server;
}

/** What a server holds, for tests. */
export type Inspection = Readonly<ReturnType<HttpServer['inspect']>>;
type Trace = (connection: number, event: ConnectionEvent | ServerEvent) => void;

export class HttpServer implements RunningServer, Shared {
  port = 0;
  private resolveStopped!: () => void;
  readonly stopped = new Promise<void>((resolve) => (this.resolveStopped = resolve));
  /** Why it handles no more requests, if it does not. */
  stopping: Closing | undefined = undefined;
  private isShuttingDown = false;
  readonly deadlines: Shared['deadlines'];
  readonly lingering: Deadlines<Connection>;
  readonly budget: ByteBudget;
  readonly handler: RequestHandler;
  readonly writer: ResponseWriter;
  readonly turns: TurnQueue<Connection>;
  readonly parsing: TurnQueue<Connection>;
  readonly trace: Trace | undefined;
  private readonly listener: Server;
  private readonly connections = new Map<Socket, Connection>();
  private readonly listeners = makeListeners(this.connections, () => this.onProgress());
  private accepted = 0;
  /** How many connections still have something to send, if only the FIN. */
  private sending = 0;
  /** Called when a connection has sent everything, and when one is closed. */
  private onProgress = (): void => {};

  constructor(
    private readonly system: System,
    private readonly settings: Settings,
  ) {
    const { contentBudget, date, log, maxRequests, service, trace } = settings;
    const start = system.now();
    const givenDate = date && guard('date option', date, checkTime);
    const emit = trace && guard('trace sink', trace);
    this.trace =
      emit &&
      ((connection, event) => emit({ at: system.now() - start, connection, ...event }));
    this.deadlines = makeDeadlines(system, settings);
    this.lingering = new Deadlines(system, LINGER_SECONDS, (each) => each.onLingered());
    this.budget = new ByteBudget(contentBudget);
    this.writer = new ResponseWriter(
      givenDate ? () => givenDate(undefined) ?? system.date() : system.date,
    );
    this.handler = new RequestHandler({
      service,
      writer: this.writer,
      maxRequests,
      log: guard('log sink', log ?? (() => {})),
      onLastRequest: () => (this.stopping = LAST_REQUEST),
      server: this,
    });
    const isStopping = (): boolean => this.stopping !== undefined;
    this.turns = new TurnQueue(system, TURNS, isStopping, this.onBatchEnd);
    this.parsing = new TurnQueue(system, PARSING);
    this.listener = system.createListener(SOCKET_OPTIONS, (socket) => this.accept(socket));
  }

  listen({ port, host }: Settings): Promise<void> {
    return new Promise((resolve, reject) => {
      this.listener.once('error', reject);
      this.listener.listen({ port, host, backlog: BACKLOG }, () => {
        this.listener.off('error', reject);
        this.listener.on('error', (error) => this.onAcceptError(error));
        this.port = (this.listener.address() as AddressInfo).port;
        this.trace?.(0, { type: 'listen', port: this.port });
        resolve();
      });
    });
  }

  /** The system could not accept a connection. When too many files are open, libuv usually
   * closes the new connections itself, and reports nothing. */
  private onAcceptError(error: Error): void {
    this.trace?.(0, { type: 'error', message: error.message });
    warn('A connection could not be accepted', error.message);
  }

  private accept(socket: Socket): void {
    if (!this.hasRoom()) return this.refuse(socket);
    this.accepted += 1;
    this.sending += 1;
    this.trace?.(this.accepted, { type: 'open', remoteAddress: remoteAddressOf(socket) });
    const connection = new Connection(this.accepted, socket, this);
    this.connections.set(socket, connection);
    for (const [event, listener] of this.listeners) socket.on(event, listener);
    // Its clock starts, unless the server stops and waits for no request.
    if (this.stopping === undefined) connection.settle();
    else connection.stop();
  }

  /** Whether there is room for another client: if need be, the place of the one that has
   * lingered longest. */
  private hasRoom(): boolean {
    if (this.connections.size < this.settings.maxConnections) return true;
    if (this.stopping !== undefined) return false; // the new client would not be served
    const longest = this.lingering.first;
    longest?.makeRoom();
    return longest !== undefined;
  }

  private refuse(socket: Socket): void {
    const remoteAddress = remoteAddressOf(socket);
    const limit = this.settings.maxConnections;
    this.trace?.(0, { type: 'refuse', remoteAddress, limit });
    socket.destroy();
  }

  /** Stops the server after the batch with the last request that may be handled. */
  private readonly onBatchEnd = (): void => {
    if (this.stopping !== LAST_REQUEST) return;
    this.handler.logLimit();
    this.shutDown(`limit of ${this.settings.maxRequests} reached`);
  };

  stop(): Promise<void> {
    this.stopping ??= STOPPED;
    // The service itself may call stop(), so close the connections after it has returned.
    this.system.soon(() => this.shutDown('asked to stop'));
    return this.stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Lets every response leave, for STOP_MS at most, and every client close, for CLOSE_MS
   * of that at most. Then cuts off the clients that are left. */
  private async shutDown(reason: string): Promise<void> {
    if (this.isShuttingDown) return;
    this.isShuttingDown = true;
    const atMost = `${STOP_MS / 1000} s at most`;
    this.trace?.(0, { type: 'stop', reason: `${reason}: the listener closes, ${atMost}` });
    const late = this.limit(STOP_MS, 'the server began to stop');
    for (const connection of this.connections.values()) connection.stop();

    await Promise.race([this.untilNoneConnects(), late]);
    this.listener.close();

    await Promise.race([this.until(() => this.sending === 0), late]);
    const allSent = 'the stopping server had nothing left to send';
    const lateToClose = this.limit(CLOSE_MS, allSent);

    const allClosed = this.until(() => this.connections.size === 0);
    const limit = await Promise.race([allClosed, late, lateToClose]);
    const end = limit === undefined ? 'everything is closed' : this.cutOff(limit);
    await allClosed;

    this.trace?.(0, { type: 'stop', reason: end });
    this.resolveStopped();
  }

  /** Closing the listener resets clients that have connected but are not accepted yet. So
   * wait for two rounds of the event loop without a new client. One that connects later is
   * reset all the same: TCP has no way to refuse new clients and still accept those before
   * them. While new ones keep arriving, this takes all of STOP_MS. */
  private async untilNoneConnects(): Promise<void> {
    const { system } = this;
    const nextRound = (): Promise<void> => new Promise((resolve) => system.soon(resolve));
    let accepted: number;
    do {
      accepted = this.accepted;
      await nextRound();
      await nextRound();
    } while (this.accepted > accepted);
  }

  /** @returns a promise that resolves once the condition holds. Only one waits at a time. */
  private until(condition: () => boolean): Promise<undefined> {
    return new Promise((resolve) => {
      this.onProgress = () => {
        if (condition()) resolve(undefined);
      };
      this.onProgress();
    });
  }

  /** @param event what has just happened, as the trace words it
   * @returns a promise that resolves when the limit is over, and says which it was */
  private limit(ms: number, event: string): Promise<string> {
    const limit = `${ms / 1000} s after ${event}`;
    return new Promise((resolve) => afterDelay(this.system, ms, () => resolve(limit)));
  }

  /** Cuts off the connections that are left. A client that is gone already is not counted.
   * @returns how the server ends, as the trace words it */
  private cutOff(when: string): string {
    const cut = [...this.connections.values()].filter((each) => each.cutOff(when)).length;
    return cut > 0 ? `cut off ${count(cut, 'connection')} ${when}` : 'everything is closed';
  }

  /** For tests: what the server still holds. All of it is 0 once it has stopped. */
  inspect() {
    let deadlines = 0;
    for (const each of new Set([...Object.values(this.deadlines), this.lingering])) {
      deadlines += each.size;
    }
    return {
      connections: this.connections.size,
      /** How many of them still have something to send, if only the FIN. */
      sending: this.sending,
      /** Bytes that count toward the budget. */
      held: this.budget.charged,
      /** Time limits that run. */
      deadlines,
      queued: this.turns.size,
      parsing: this.parsing.size,
    };
  }

  get stopLimits(): Shared['stopLimits'] {
    if (this.stopping === undefined) return undefined;
    return { sending: STOP_MS / 1000, closing: CLOSE_MS / 1000 };
  }

  onSent(): void {
    this.sending -= 1;
    this.onProgress();
  }
}

function makeDeadlines(
  system: System,
  { requestTimeout, idleTimeout }: Settings,
): Shared['deadlines'] {
  const limit = (seconds: number): Deadlines<Connection> =>
    new Deadlines(system, seconds, (connection, late) => connection.onTimeout(late));
  const request = limit(requestTimeout);
  return {
    'first request': request,
    request,
    output: request,
    'last output': request,
    idle: limit(idleTimeout),
    silence: limit(LINGER_SILENCE_SECONDS),
  };
}

/** One set of listeners for all sockets, because most connections are idle. */
function makeListeners(connections: Map<Socket, Connection>, onClosed: () => void) {
  return Object.entries({
    data(this: Socket, bytes: Buffer) {
      connections.get(this)?.onData(bytes);
    },
    end(this: Socket) {
      connections.get(this)?.onEnd();
    },
    drain(this: Socket) {
      connections.get(this)?.onDrain();
    },
    error(this: Socket, error: Error) {
      connections.get(this)?.onError(error);
    },
    close(this: Socket) {
      connections.get(this)?.onClose();
      connections.delete(this);
      onClosed();
    },
  });
}

/** @returns "127.0.0.1:57032", or undefined if the client is gone already */
function remoteAddressOf(socket: Partial<Socket>): string | undefined {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  // Where the server listens on IPv6, an IPv4 address comes as "::ffff:127.0.0.1".
  const host = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return addressOf({ host, port: remotePort });
}

/** @returns a host and its port, with an IPv6 address in brackets (3986 §3.2.2) */
export function addressOf({ host, port }: { host: string; port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
