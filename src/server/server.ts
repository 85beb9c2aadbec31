/**
 * The server's life: it listens, gives connections to those who come, counts what they ask, and stops. From a program:
 *
 *   const server = await start({ service, port: 0 });
 *   … server.port …
 *   await server.stop();
 *
 * There is no global state: several run side by side in one process.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Request, Service } from '../http/message';
import { ResponseWriter } from '../http/response-writer';
import { Connection, type Surroundings } from './connection';
import { next, type Table } from './machine';
import { Queue } from './queue';
import type { ConnectionEvent, ServerEvent, TraceEvent } from './trace';

export interface ServerOptions {
  /** What answers the requests. */
  readonly service: Service;
  /** 0 lets the system choose one, which is the default. */
  readonly port?: number;
  /** All interfaces if left out. */
  readonly host?: string | undefined;
  /** How many requests are handled before the server stops; 0, the default, for no limit. */
  readonly maxRequests?: number;
  /** How many connections may be open at once; those beyond are closed. 10,000 if left out. */
  readonly maxConnections?: number;
  /** Seconds that a request may take to come, from its first octet, and a connection without one. 60 if left out. */
  readonly requestTimeout?: number;
  /** Seconds that a connection may be idle after an answer. 5 if left out. */
  readonly idleTimeout?: number;
  /** Takes the log, in whole lines with their line ends: "GET /tasks\n". */
  readonly log?: (lines: string) => void;
  /** Hears what happens, as it happens. One that throws is not called again. */
  readonly trace?: ((event: TraceEvent) => void) | undefined;
  /** Milliseconds since 1970, for the Date field. */
  readonly clock?: () => number;
}

export interface RunningServer {
  /** The port that it really has. */
  readonly port: number;
  /** Handles no more requests, lets the answers in hand go out, and closes: within a second. @returns when everything is closed */
  stop(): Promise<void>;
  /** Settles when everything is closed, whoever wanted it. */
  readonly stopped: Promise<void>;
}

type State = 'starting' | 'listening' | 'stopping' | 'stopped';
/** What the system and the program that started us do. */
type Peer = 'failed' | 'stop';
type Own = 'bound' | 'maximum' | 'emptied' | 'expired';

export const SERVER = {
  starting: { bound: 'listening', failed: 'stopped', stop: 'stopped' },
  listening: { maximum: 'stopping', failed: 'listening', stop: 'stopping' },
  stopping: { emptied: 'stopped', expired: 'stopped', failed: 'stopping', stop: 'stopping' },
  stopped: { failed: 'stopped', stop: 'stopped' },
} as const satisfies Table<State, Peer, Own>;

/** How long clients are waited for once the last answer has left. */
const GRACE_MS = 150;
/** How long a server that is told to stop waits for clients that do not take their answers. */
const STOP_MS = 800;
/** Time is counted in sweeps over all connections: that costs less than a clock or a timer for each. So an end comes up to one sweep late. */
const SWEEP_MS = 500;

/**
 * Starts a server.
 * @returns it, once it listens
 * @throws the system's error where it cannot listen: EADDRINUSE, EACCES, …
 */
export function start(options: ServerOptions): Promise<RunningServer> {
  return new HttpServer(options).listen();
}

class HttpServer implements Surroundings, RunningServer {
  readonly service: Service;
  readonly writer: ResponseWriter;
  readonly queue = new Queue<Connection>((send) => this.afterTurns(send));
  readonly requestTimeout: number;
  readonly idleTimeout: number;
  readonly tell: Surroundings['tell'];
  readonly stopped: Promise<void>;
  port = 0;

  private state: State = 'starting';
  private readonly began = performance.now();
  private trace: ServerOptions['trace'];
  private readonly listener: Server;
  private readonly connections = new Map<Socket, Connection>();
  private accepted = 0;
  /** How many connections have something left to send, be it their end alone. */
  private unsent = 0;
  private requests = 0;
  /** The connection whose request was the last to be handled. */
  private last: Connection | undefined;
  private lines = '';
  /** Milliseconds between two sweeps. */
  private readonly period: number;
  private sweeping: NodeJS.Timeout | undefined;
  private grace: NodeJS.Timeout | undefined;
  private limit: NodeJS.Timeout | undefined;
  private settle = (): void => {};

  constructor(private readonly options: ServerOptions) {
    const { requestTimeout = 60, idleTimeout = 5, maxConnections = 10_000, clock = Date.now } = options;
    this.service = options.service;
    this.writer = new ResponseWriter(clock);
    this.requestTimeout = requestTimeout;
    this.idleTimeout = idleTimeout;
    this.period = Math.max(1, Math.floor(Math.min(SWEEP_MS, 500 * requestTimeout, 500 * idleTimeout)));
    this.trace = options.trace;
    this.tell = options.trace && ((connection, event) => this.told(connection.number, event));
    this.stopped = new Promise((resolve) => (this.settle = resolve));

    // allowHalfOpen: a client that sends no more still gets its answers. noDelay: an answer does not wait for the one before to be acknowledged.
    this.listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.accept(socket));
    this.listener.maxConnections = maxConnections;
  }

  listen(): Promise<RunningServer> {
    const { port = 0, host } = this.options;
    return new Promise((resolve, reject) => {
      this.listener.on('error', (error) => {
        this.move('failed');
        reject(error);
      });
      this.listener.listen({ port, host }, () => {
        this.move('bound');
        const address = this.listener.address();
        if (address !== null && typeof address === 'object') this.port = address.port;
        this.sweeping = setInterval(() => this.sweep(), this.period);
        this.told(0, { type: 'listening', port: this.port });
        resolve(this);
      });
    });
  }

  stop(): Promise<void> {
    const wasListening = this.state === 'listening';
    this.move('stop');
    if (wasListening) {
      this.queue.close();
      // Whoever calls may be a service in its turn: connections are closed when that is over.
      setImmediate(() => {
        this.closeAll('told to stop');
        if (this.unsent === 0) this.wait();
      });
    }
    if (this.state === 'stopping') this.limit ??= setTimeout(() => this.finish('expired'), STOP_MS);
    return this.stopped;
  }

  sweeps(seconds: number): number {
    return Math.ceil((1000 * seconds) / this.period) + 1;
  }

  handled(connection: Connection, { method, path }: Request): boolean {
    const { maxRequests = 0, log } = this.options;
    this.requests += 1;
    this.tell?.(connection, { type: 'turn', request: this.requests, of: maxRequests });
    if (log !== undefined) this.lines += `${method} ${path}\n`;
    if (this.requests !== maxRequests) return false;
    this.last = connection;
    this.queue.close();
    return true;
  }

  flushed(connection: Connection): void {
    this.unsent -= 1;
    if (connection === this.last || (this.state === 'stopping' && this.unsent === 0)) this.wait();
  }

  private accept(socket: Socket): void {
    this.accepted += 1;
    this.unsent += 1;
    const connection = new Connection(this.accepted, socket, this);
    this.connections.set(socket, connection);
    if (this.state !== 'listening') connection.stop();
    socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('drain', this.onDrain);
    socket.on('error', ignore);
    socket.on('close', this.onClose);
  }

  /** The listeners of all sockets: with functions of its own, a connection that idles would weigh a third more. */
  private readonly onData = this.shared((connection, octets: Buffer) => connection.octets(octets));
  private readonly onEnd = this.shared((connection) => connection.end());
  private readonly onDrain = this.shared((connection) => connection.drained());
  private readonly onClose = this.shared((connection, _, socket) => this.closed(socket, connection));

  private shared<A>(act: (connection: Connection, argument: A, socket: Socket) => void): (this: Socket, argument: A) => void {
    const { connections } = this;
    return function (argument) {
      const connection = connections.get(this);
      if (connection !== undefined) act(connection, argument, this);
    };
  }

  private closed(socket: Socket, connection: Connection): void {
    connection.gone();
    this.connections.delete(socket);
    const emptied = this.last === undefined ? this.connections.size === 0 : connection === this.last;
    // The others' octets that have come by now are read before they are closed: a connection that is closed with octets unread is reset.
    if (this.state === 'stopping' && emptied) setImmediate(() => this.finish('emptied'));
  }

  /** The log lines leave before the answers, so who has an answer finds its line; the maximum is announced when the last answer is out. */
  private afterTurns(send: () => void): void {
    this.options.log?.(this.lines);
    this.lines = '';
    send();
    if (this.last === undefined || this.state !== 'listening') return;
    this.move('maximum');
    this.options.log?.(`Maximum of ${this.requests} requests reached: no more are handled\n`);
    this.closeAll(`${this.requests} requests are handled, the maximum`);
  }

  /** Nobody new, and no more answers. */
  private closeAll(why: string): void {
    this.told(0, { type: 'stopping', why });
    this.closeListener();
    for (const connection of this.connections.values()) connection.stop();
  }

  /** Who is connected already, but not accepted yet, would be reset with the listener: it closes when the event loop went round without a newcomer. */
  private closeListener(): void {
    const { accepted } = this;
    const look = (): void => void (this.accepted === accepted ? this.listener.close() : this.closeListener());
    setImmediate(() => setImmediate(look));
  }

  private wait(): void {
    if (this.connections.size === 0) this.finish('emptied');
    else this.grace ??= setTimeout(() => this.finish('expired'), GRACE_MS);
  }

  private finish(event: 'emptied' | 'expired'): void {
    if (this.state !== 'stopping') return;
    this.move(event);
    clearTimeout(this.grace);
    clearTimeout(this.limit);
    clearInterval(this.sweeping);
    this.listener.close();
    this.told(0, { type: 'stopped' });
    for (const socket of this.connections.keys()) socket.destroy();
    this.settle();
  }

  private told(connection: number, event: ConnectionEvent | ServerEvent): void {
    try {
      this.trace?.({ at: performance.now() - this.began, connection, ...event });
    } catch (error) {
      this.trace = undefined;
      process.emitWarning(`The trace sink threw, and is not called again: ${String(error)}`);
    }
  }

  private sweep(): void {
    this.writer.tick();
    for (const connection of this.connections.values()) connection.swept();
  }

  private move(event: Peer | Own): void {
    this.state = next<State>(SERVER, this.state, event);
  }
}

/** A reset is no news: 'close' follows. */
function ignore(): void {}
