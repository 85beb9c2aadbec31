/** Runs a program of src/STEPS.md with other surroundings: a port that the system chooses,
 * and a time that passes only when the test says so. It tells the test what has arrived. The
 * program does not notice. */
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Halting } from '../support/halting';

/** What the program has done for a client, which is named by its port. */
export interface Progress {
  readonly client: number;
  /** How many bytes it has seen, and done what it does about them. */
  readonly bytes: number;
  /** Whether it has closed its side. */
  readonly hasEnded: boolean;
  /** Whether the connection is over. */
  readonly isClosed: boolean;
  /** The most bytes that have waited to be sent. */
  readonly waiting: number;
}

/** What the test is told: the port of the program, and its progress. Client 0 is nobody. */
export type Observation = Progress & { readonly port: number };

export interface Control {
  /** The time of every timer is up. */
  letTimePass(): void;
  /** What arrives is kept until resume(). */
  halt(): void;
  resume(): void;
  kill(): void;
}

export function run(
  text: string,
  tell: (observation: Observation) => void,
  print: (line: string) => void,
): Control {
  const timers = new Map<unknown, () => void>();
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const halting = new Halting();

  const nobody = { client: 0, bytes: 0, hasEnded: false, isClosed: false, waiting: 0 };
  const observe = (socket: Socket): void => {
    const { remotePort: client = 0 } = socket;
    let waiting = 0;
    let isReportDue = false;
    let isClosed = false;
    const report = (): void => {
      isReportDue = false;
      const { bytesRead: bytes, writable } = socket;
      tell({ client, bytes, hasEnded: !writable, isClosed, waiting, port: 0 });
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
    halting.watch(socket);
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      isClosed = true;
      report();
    });
    report();
  };

  const net = {
    createServer: (...options: never[]) => ({
      listen: (_port: number, host: string): void => {
        const made = (server = createServer(...options));
        made.on('connection', observe).listen(0, host, () => {
          const { port } = made.address() as AddressInfo;
          tell({ ...nobody, port });
        });
      },
    }),
  };
  const surroundings = {
    require: () => net,
    console: { log: print },
    setInterval(callback: () => void): object {
      const timer = { refresh: () => {} };
      timers.set(timer, callback);
      return timer;
    },
    clearInterval: (timer: unknown): void => void timers.delete(timer),
  };
  new Function(...Object.keys(surroundings), text)(...Object.values(surroundings));

  return {
    letTimePass: () => [...timers.values()].forEach((callback) => callback()),
    halt: () => halting.halt(),
    resume: () => halting.resume(),
    kill() {
      server?.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

// In a process of its own: the program is named, and the test lets time pass.
if (require.main === module) {
  const [, , file = ''] = process.argv;
  const tell = (observation: Observation): unknown => process.send?.(observation);
  const { letTimePass } = run(readFileSync(file, 'utf8'), tell, console.log);
  process.on('message', letTimePass);
}
