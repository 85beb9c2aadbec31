/** What the server needs from its surroundings: time, and a listener. The server asks
 * nothing else what time it is, and sets no other timer, so a simulation can put its own
 * time and its own clients in place of the system's. */
import { createServer, type Server, type ServerOpts, type Socket } from 'node:net';

export interface System {
  /** @returns milliseconds since a beginning that does not change; they never go back */
  now(): number;
  /** @returns milliseconds since 1970, for Date (9110 §6.6.1) */
  readonly date: () => number;
  /** Calls back once, after about `ms` milliseconds: Node drops the fraction, and may call
   * back up to one millisecond earlier still. It does not keep the process alive until
   * then. */
  after(ms: number, callback: () => void): void;
  /** Calls back once, when the sockets have been read: later in this round of the event
   * loop, or in the next. Callbacks keep their order. */
  soon(callback: () => void): void;
  /** @param onConnection takes each accepted connection */
  createListener(options: ServerOpts, onConnection: (socket: Socket) => void): Server;
}

// To get it from the global object each time would cost as much as to read the time.
const { performance } = globalThis;

export const SYSTEM: System = {
  now: () => performance.now(),
  date: () => Date.now(),
  after: (ms, callback) => void setTimeout(callback, ms).unref(),
  soon: (callback) => void setImmediate(callback),
  createListener: createServer,
};
