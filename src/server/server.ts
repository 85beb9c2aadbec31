/** Listening and shutting down. There is no global state: two servers run side by side. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { ResponseSerializer } from '../http/response';
import { CLOSE_MS, Connection, type ConnectionOptions } from './connection';
import { Deadlines } from './deadlines';
import { checkOptions, type ServerOptions, type Settings } from './server-options';
import type { ConnectionEvent, ServerEvent } from './trace-events';
import { TurnQueue, warn } from './turn-queue';

export interface RunningServer {
  /** The port that it actually listens on. */
  readonly port: number;
  /** Handles no more requests, lets the answers on their way go out, and closes within a second.
   * @returns when everything is closed */
  stop(): Promise<void>;
  /** Resolves when everything is closed, whatever the reason. */
  readonly stopped: Promise<void>;
  /** The same as stop(), for `await using`. */ [Symbol.asyncDispose](): Promise<void>;
}

/** How long a client may take to close after us: a reset would destroy its answer (9112 §9.6). */
const LINGER_SECONDS = 2;
const STOP_MS = 800; // how long the end may take, if clients do not take their answers
const BACKLOG = 4096; // how many new connections the system holds for us; it may hold fewer

/** @returns the server, once it listens
 * @throws as a rejection: TypeError or RangeError that names an option, or the system's error */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const settings = checkOptions(options);
  return new HttpServer(settings).listen(settings);
}

type Trace = (connection: number, event: ConnectionEvent | ServerEvent) => void;
const onTimeout = (connection: Connection): void => connection.onTimeout();

class HttpServer implements RunningServer {
  port = 0;
  private resolveStopped!: () => void;
  readonly stopped = new Promise<void>((resolve) => (this.resolveStopped = resolve));
  private state: 'listening' | 'stopping' | 'stopped' = 'listening';
  private readonly listener: Server;
  private readonly connectionOptions: ConnectionOptions;
  private readonly connections = new Map<Socket, Connection>();
  private readonly listeners = makeListeners(this.connections, () => this.check());
  private readonly emitTrace: Trace | undefined;
  private accepted = 0;
  private unflushed = 0; // connections with something left to send, be it only their end
  private result = 'everything is closed'; // the last line of the trace
  private grace: NodeJS.Timeout | undefined;

  constructor(settings: Settings) {
    const { service, maxRequests, maxConnections: limit, clock, log, trace } = settings;
    const start = performance.now();
    const emit = trace && guard('trace', trace);
    this.emitTrace =
      emit &&
      ((connection, event) => emit({ at: performance.now() - start, connection, ...event }));
    const serializer = new ResponseSerializer(clock);
    this.connectionOptions = {
      requestDeadlines: new Deadlines(settings.requestTimeout, onTimeout),
      idleDeadlines: new Deadlines(settings.idleTimeout, onTimeout),
      lingerDeadlines: new Deadlines(LINGER_SECONDS, onTimeout),
      budget: { left: settings.maxContent },
      serializer,
      turns: new TurnQueue(service, serializer, maxRequests, guard('log', log), () =>
        this.shutDown(`limit of ${maxRequests} reached`),
      ),
      onFlushed: () => {
        this.unflushed -= 1;
        this.check();
      },
      trace: this.emitTrace,
    };
    // A client that has ended still gets its answers (allowHalfOpen); none is held back (noDelay).
    const socketOptions = { allowHalfOpen: true, noDelay: true };
    this.listener = createServer(socketOptions, (socket) => this.accept(socket));
    this.listener.maxConnections = limit;
    this.listener.on('drop', (remote = {}) =>
      this.emitTrace?.(0, { type: 'refuse', remoteAddress: describeRemote(remote), limit }),
    );
  }

  listen({ port, host }: Settings): Promise<RunningServer> {
    return new Promise((resolve, reject) => {
      this.listener.on('error', reject);
      this.listener.listen({ port, host, backlog: BACKLOG }, () => {
        this.port = (this.listener.address() as AddressInfo).port;
        this.emitTrace?.(0, { type: 'listen', port: this.port });
        resolve(this);
      });
    });
  }

  private accept(socket: Socket): void {
    this.accepted += 1;
    this.unflushed += 1;
    this.emitTrace?.(this.accepted, { type: 'open', remoteAddress: describeRemote(socket) });
    const connection = new Connection(this.accepted, socket, this.connectionOptions);
    this.connections.set(socket, connection);
    for (const [event, listener] of this.listeners) socket.on(event, listener);
    if (this.state !== 'listening') connection.stop();
  }

  stop(): Promise<void> {
    this.connectionOptions.turns.close();
    // The caller may be the service itself, so connections are closed after it returns.
    setImmediate(() => this.shutDown('asked to stop'));
    return this.stopped;
  }

  [Symbol.asyncDispose] = (): Promise<void> => this.stop();

  /** Accepts and handles nothing more, then waits for the answers that are on their way. */
  private shutDown(reason: string): void {
    if (this.state !== 'listening') return;
    this.state = 'stopping';
    this.emitTrace?.(0, { type: 'stop', reason: `${reason}: the listener closes` });
    setTimeout(() => this.cutOff(STOP_MS), STOP_MS).unref();
    this.closeListener();
    for (const connection of this.connections.values()) connection.stop();
  }

  /** Clients that are connected, but not accepted yet, would be reset with the listener. So it
   * closes when the event loop has made a round without a new client. */
  private closeListener(): void {
    const { accepted } = this;
    setImmediate(() =>
      setImmediate(() => {
        if (this.accepted > accepted) return this.closeListener();
        this.listener.close();
        this.check();
      }),
    );
  }

  /** Finishes when nobody is left, and gives clients time to close when everything is sent. */
  private check(): void {
    if (this.listener.listening || this.state === 'stopped') return;
    const isSent = this.unflushed === 0;
    if (isSent) this.grace ??= setTimeout(() => this.cutOff(CLOSE_MS), CLOSE_MS).unref();
    if (this.connections.size > 0) return;
    this.state = 'stopped';
    this.emitTrace?.(0, { type: 'stop', reason: this.result });
    this.resolveStopped();
  }

  /** Waits no longer. */
  private cutOff(ms: number): void {
    const { size } = this.connections;
    const late = `did not close within ${ms / 1000} s`;
    if (size > 0) this.result = `cut off ${size} connection${size === 1 ? '' : 's'} that ${late}`;
    this.listener.close();
    for (const one of this.connections.values()) one.destroy(`cut off: the client ${late}`);
  }
}

/** Listeners that all sockets share: with its own, an idle connection would weigh a third more. */
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

/** Wraps a sink of the program: one that throws is not called again, and a warning says so. */
function guard<Value>(name: string, sink: ((value: Value) => void) | undefined) {
  return (value: Value): void => {
    try {
      sink?.(value);
    } catch (error) {
      sink = undefined;
      warn(`The ${name} sink threw, and is not called again`, error);
    }
  };
}

function describeRemote({ remoteAddress, remotePort }: Partial<Socket>): string {
  const host = remoteAddress?.replace('::ffff:', '') ?? '';
  return `${host.includes(':') ? `[${host}]` : host}:${remotePort}`;
}
