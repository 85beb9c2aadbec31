/** A server that misbehaves on demand, to try clients. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterReal } from '../timer';
import type { TraceEvent } from '../../trace/events';
import { ReplyConnection } from './connection';
import type { Asked, ConnectionReport, Reply } from './connection';

export interface RepliesOptions {
  /** What the requests get, in the notation of the workbench: a line break is CRLF, "\xNN" a
   * byte, "‖" cuts and "‖600‖" pauses for as many milliseconds; at the end, "‖close‖",
   * "‖reset‖" and "‖never‖" say what follows. One text is for all requests. Of a list, each
   * request gets the next one, and the last is for all further ones. */
  readonly replies: Reply | readonly Reply[] | ((request: Asked) => Reply);
  /** 0, the default, lets the system choose a port. */
  readonly port?: number | undefined;
  /** 127.0.0.1 by default: nobody else should reach it. */
  readonly host?: string | undefined;
  /** Seconds that a connection may last: 60 by default. */
  readonly timeout?: number | undefined;
  /** Takes a line for each thing that happens, without a line end. */
  readonly log?: ((line: string) => void) | undefined;
  /** Receives what the clients send, read as by the server. */
  readonly trace?: ((event: TraceEvent) => void) | undefined;
  /** Receives what a client did, when a connection has ended. */
  readonly report?: ((report: ConnectionReport) => void) | undefined;
}

export interface RunningReplies {
  readonly host: string;
  readonly port: number;
  /** Waits a moment for the open connections to end, then ends them; resolves when their
   * reports are made. */
  idle(): Promise<void>;
  /** Ends them at once, and stops listening. */
  stop(): Promise<void>;
  readonly stopped: Promise<void>;
}

/** The most connections at a time; further ones are closed at once. */
const CONNECTIONS_LIMIT = 100;
const GRACE_MS = 30;

/** @returns the server, once it listens
 * @throws the error of the system if it cannot listen */
export async function startReplies(options: RepliesOptions): Promise<RunningReplies> {
  const { host = '127.0.0.1', log = () => {}, port = 0, timeout = 60 } = options;
  const { replies, report = () => {}, trace } = options;
  const started = performance.now();
  const sockets = new Set<Socket>();
  let connections = 0;
  let requests = 0;
  let turns = 0;
  const choose = (request: Asked): Reply => {
    if (typeof replies === 'function') return replies(request);
    if (typeof replies === 'string' || !('length' in replies)) return replies;
    requests += 1;
    return replies[requests - 1] ?? replies.at(-1) ?? '‖close‖';
  };

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    connections += 1;
    const connection = connections;
    new ReplyConnection(socket, {
      choose,
      timeout,
      nextNumber: () => (turns += 1),
      log: (line) => log(`c${connection} ${line}`),
      emit: (event) => trace?.({ at: performance.now() - started, connection, ...event }),
      report: (about) => report({ connection, ...about }),
    });
  });
  const stopped = new Promise<void>((done) => server.once('close', () => done()));
  const endAll = (): void => sockets.forEach((socket) => void socket.destroy());
  server.maxConnections = CONNECTIONS_LIMIT;
  server.listen({ host, port });
  await once(server, 'listening');
  server.on('error', ({ message }) =>
    log(`a connection could not be accepted: ${message}`),
  );
  return {
    host,
    port: (server.address() as AddressInfo).port,
    async idle() {
      // A client that has just ended may not have been noticed yet.
      await setTimeout(GRACE_MS);
      const stopTimer = afterReal(10 * GRACE_MS, endAll);
      await Promise.all(Array.from(sockets, (socket) => once(socket, 'close')));
      stopTimer();
    },
    stop() {
      server.close();
      endAll();
      return stopped;
    },
    stopped,
  };
}
