/** The load generator: a process that does one job at a time on raw sockets, and reports on
 * it. It knows a response by its length only. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Job {
  /** The server. */
  readonly port: number;
  readonly pid: number;
  readonly request: string;
  /** How many clients send requests at once. */
  readonly connections: number;
  /** How many requests a client sends before it waits for their responses; 0 for a new
   * connection for each request. */
  readonly depth: number;
}

/** The result of a job. Times are in microseconds. */
export interface Load {
  readonly perSecond: number;
  /** From the first request sent to the last response received: the median. */
  readonly wait: number;
  /** Processor time of the server per request; NaN where the system does not tell. */
  readonly work: number;
  /** The part of the time that the load generator itself was busy, from 0 to 1. */
  readonly busy: number;
}

const WARM_UP_MS = 150;
const DURATION_MS = 400;
const sink = Buffer.allocUnsafe(65_536);

function open(port: number, onReceived: (count: number) => void): Socket {
  const callback = (count: number): boolean => {
    onReceived(count);
    return true;
  };
  const onread = { buffer: sink, callback };
  return connect({ port, host: '127.0.0.1', noDelay: true, onread });
}

/** Sends the request once: all responses of a server to it have the same length. */
function responseLength({ port, request }: Job): Promise<number> {
  let text = '';
  return new Promise((resolve) => {
    const socket = open(port, (count) => {
      text += sink.toString('latin1', 0, count);
      const content = Number(/^content-length: (\d+)/im.exec(text)?.[1]);
      if (text.length === text.indexOf('\r\n\r\n') + 4 + content) socket.end();
    });
    socket.on('close', () => resolve(text.length));
    socket.write(request);
  });
}

/** @returns the microseconds of processor time that a process has used: the 14th and 15th
 * field of its stat, in hundredths of a second */
function processorTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat.split(') ')[1]?.split(' ').slice(11) ?? [];
    return (Number(user) + Number(system)) * 10_000;
  } catch {
    return NaN;
  }
}

async function run(job: Job): Promise<Load> {
  const batch = Math.max(job.depth, 1);
  const text = job.request.repeat(batch);
  const length = batch * (await responseLength(job));
  let waits: number[] = [];
  let isOver = false;

  const client = (): Promise<void> =>
    new Promise((resolve) => {
      let [left, sent] = [0, 0];
      const send = (): void => {
        left = length;
        sent = performance.now();
        socket.write(text, 'latin1');
      };
      const socket = open(job.port, (count) => {
        left -= count;
        if (left > 0) return;
        if (left < 0) throw new Error('a response is longer than the first one was');
        waits.push(performance.now() - sent);
        if (isOver) socket.end();
        else if (job.depth > 0) send();
      });
      socket.on('close', () => resolve());
      send();
    });
  const clients = Array.from({ length: job.connections }, async () => {
    do await client();
    while (!isOver);
  });

  await sleep(WARM_UP_MS);
  waits = [];
  const began = performance.now();
  const used = process.cpuUsage();
  const worked = processorTime(job.pid);
  await sleep(DURATION_MS);
  const elapsed = performance.now() - began;
  const { user, system } = process.cpuUsage(used);
  const work = processorTime(job.pid) - worked;
  const counted = waits.sort((one, other) => one - other);
  waits = [];
  isOver = true;
  await Promise.all(clients);

  const requests = counted.length * batch;
  return {
    perSecond: (requests / elapsed) * 1000,
    wait: (counted[counted.length >> 1] ?? NaN) * 1000,
    work: work / requests,
    busy: (user + system) / elapsed / 1000,
  };
}

process.on('message', (job: Job) => {
  void run(job).then((report) => process.send?.(report));
});
process.on('disconnect', () => process.exit());
