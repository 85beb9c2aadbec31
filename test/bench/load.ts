/** The load generator: a process that does one job at a time, on raw sockets, and reports on it. Answers are told by their length alone. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Job {
  /** The server. */
  readonly port: number;
  readonly pid: number;
  readonly request: string;
  /** How many clients ask at once. */
  readonly connections: number;
  /** How many requests a client sends before it waits for their answers; 0 for a new connection for each request. */
  readonly depth: number;
  /** Milliseconds. 0 to have this many connections that asked once and stay open. */
  readonly duration: number;
}

/** What came of it. Times are in microseconds. */
export interface Load {
  readonly perSecond: number;
  /** From the first request sent to the last answer received: the median. */
  readonly wait: number;
  /** Processor time of the server for a request; NaN where the system does not tell. */
  readonly work: number;
  /** How much of the time the load generator itself was at work, 0 to 1. */
  readonly busy: number;
}

const WARM_UP = 150;
/** Connections that are opened at once, so that the server's backlog holds them. */
const OPENING = 64;
const sink = Buffer.allocUnsafe(65_536);
const lengths = new Map<string, number>();
const held: Socket[] = [];

function open(port: number, received: (count: number) => void): Socket {
  const callback = (count: number): boolean => {
    received(count);
    return true;
  };
  return connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: sink, callback } });
}

/** Asks once: every answer to a request of one server has the same length. */
async function answerLength({ port, pid, request }: Job): Promise<number> {
  // Not the port, which a later server may have again.
  const key = `${pid} ${request}`;
  const known = lengths.get(key);
  if (known !== undefined) return known;
  let text = '';
  await new Promise<void>((resolve) => {
    const socket = open(port, (count) => {
      text += sink.toString('latin1', 0, count);
      const content = Number(/^content-length: (\d+)/im.exec(text)?.[1]);
      if (text.length === text.indexOf('\r\n\r\n') + 4 + content) socket.end();
    });
    socket.on('close', () => resolve());
    socket.write(request);
  });
  lengths.set(key, text.length);
  return text.length;
}

/** Microseconds of processor time that a process has used: the 14th and 15th field of its stat, in hundredths of a second. */
function processorTime(pid: number): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11) ?? [];
    return (Number(user) + Number(system)) * 10_000;
  } catch {
    return NaN;
  }
}

async function run(job: Job): Promise<Load> {
  const batch = Math.max(job.depth, 1);
  const octets = job.request.repeat(batch);
  const length = batch * (await answerLength(job));
  let waits: number[] = [];
  let over = false;

  const client = (): Promise<void> =>
    new Promise((resolve) => {
      let left = 0;
      let sent = 0;
      const send = (): void => {
        left = length;
        sent = performance.now();
        socket.write(octets, 'latin1');
      };
      const socket = open(job.port, (count) => {
        left -= count;
        if (left > 0) return;
        if (left < 0) throw new Error('an answer that is longer than the first one was');
        waits.push(performance.now() - sent);
        if (over) socket.end();
        else if (job.depth > 0) send();
      });
      socket.on('close', () => resolve());
      send();
    });
  const clients = Array.from({ length: job.connections }, async () => {
    do await client();
    while (!over);
  });

  await sleep(WARM_UP);
  waits = [];
  const [began, used, worked] = [performance.now(), process.cpuUsage(), processorTime(job.pid)];
  await sleep(job.duration);
  const [elapsed, { user, system }, work] = [performance.now() - began, process.cpuUsage(used), processorTime(job.pid) - worked];
  const counted = waits.sort((one, other) => one - other);
  waits = [];
  over = true;
  await Promise.all(clients);

  const requests = counted.length * batch;
  const wait = (counted[counted.length >> 1] ?? NaN) * 1000;
  return { perSecond: (requests / elapsed) * 1000, wait, work: work / requests, busy: (user + system) / elapsed / 1000 };
}

async function hold(job: Job): Promise<void> {
  for (const socket of held.splice(job.connections)) socket.destroy();
  const length = await answerLength(job);
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      let left = length;
      const socket = open(job.port, (count) => {
        left -= count;
        if (left === 0) resolve();
      });
      socket.write(job.request);
      held.push(socket);
    });
  while (held.length < job.connections) await Promise.all(Array.from({ length: Math.min(OPENING, job.connections - held.length) }, one));
}

process.on('message', (message) => {
  const job: Job = JSON.parse(String(message));
  const done = job.duration > 0 ? run(job) : hold(job);
  void done.then((report) => process.send?.(JSON.stringify(report ?? {})));
});
process.on('disconnect', () => process.exit());
