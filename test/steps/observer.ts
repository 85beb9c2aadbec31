/** Loaded into a program of src/STEPS.md before it starts. It gives the program a free
 * port, tells the test what has arrived, and lets time pass when the test says so. The
 * program does not notice. It is compiled alone, so it imports nothing of ours. */
import { Server, type Socket } from 'node:net';

/** What it tells. A connection is named by the port of its client. */
export type Observation =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'connected'; readonly client: number }
  /** The program has seen so many bytes, and has done what it does about them. */
  | ({ readonly type: 'read'; readonly client: number } & Progress)
  | { readonly type: 'closed'; readonly client: number };

export interface Progress {
  readonly bytes: number;
  /** Whether the program has closed its side. */
  readonly hasEnded: boolean;
  /** The most bytes that have waited to be sent. */
  readonly waiting: number;
}

function tell(observation: Observation): void {
  if (process.connected) process.send?.(observation);
}

// The port.

const listen: unknown = Reflect.get(Server.prototype, 'listen');

Server.prototype.listen = function (this: Server, _port: unknown, host: unknown) {
  this.on('connection', observe);
  this.on('listening', () => {
    const address = this.address();
    if (typeof address === 'object' && address !== null) {
      tell({ type: 'listening', port: address.port });
    }
  });
  if (typeof listen === 'function') Reflect.apply(listen, this, [0, host]);
  return this;
};

function observe(socket: Socket): void {
  const { remotePort: client = 0 } = socket;
  let waiting = 0;
  let isReportDue = false;
  const report = (): void => {
    isReportDue = false;
    const { bytesRead: bytes, writable } = socket;
    tell({ type: 'read', client, bytes, hasEnded: !writable, waiting });
  };
  const push = socket.push.bind(socket);
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    const isRoomLeft = push(chunk, encoding);
    // Bytes are handed over in the same round of the event loop; a turn takes one more.
    setImmediate(() => setImmediate(() => setImmediate(report)));
    return isRoomLeft;
  };
  const write = socket.write.bind(socket);
  socket.write = (data: string | Uint8Array, ...others: never[]): boolean => {
    const isTaken = write(data, ...others);
    waiting = Math.max(waiting, socket.writableLength);
    // Many writes of one round of the event loop are one report.
    if (!isReportDue) setImmediate(report);
    isReportDue = true;
    return isTaken;
  };
  socket.on('close', () => tell({ type: 'closed', client }));
  tell({ type: 'connected', client });
}

// The time.

type Callback = () => void;
const clock = {
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setTimeout: globalThis.setTimeout,
};
const waitingFor = new Map<unknown, Callback>();

Object.assign(globalThis, {
  setInterval(callback: Callback, ms: number): NodeJS.Timeout {
    const timer = clock.setInterval(callback, ms);
    waitingFor.set(timer, callback);
    return timer;
  },
  clearInterval(timer: NodeJS.Timeout): void {
    waitingFor.delete(timer);
    clock.clearInterval(timer);
  },
  setTimeout(callback: Callback, ms: number): NodeJS.Timeout {
    const expire = (): void => {
      waitingFor.delete(timer);
      clearTimeout(timer);
      callback();
    };
    const timer = clock.setTimeout(expire, ms);
    waitingFor.set(timer, expire);
    return timer;
  },
});

process.on('message', () => {
  for (const callback of [...waitingFor.values()]) callback();
});
// The channel to the test must not keep a program alive that has ended.
process.channel?.unref();
