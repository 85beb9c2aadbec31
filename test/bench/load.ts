/** The load generator: a process that does one job at a time on raw sockets, and reports on
 * it. It knows an answer by its length only. */
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
  /** How many requests a client sends before it waits for their answers; 0 for a new
   * connection for each request. */
  readonly depth: number;
  /** Milliseconds. 0 for this many connections that sent one request and stay open. */
  readonly duration: number;
}

/** The result of a job. Times are in microseconds. */
export interface Load {
  readonly perSecond: number;
  /** From the first request sent to the last answer received: the median. */
  readonly wait: number;
  /** Processor time of the server per request; NaN where the system does not tell. */
  readonly work: number;
  /** The part of the time that the load generator itself was busy, from 0 to 1. */
  readonly busy: number;
}

const WARM_UP = 150;
/** How many connections are opened at once: the server's backlog must hold them. */
const OPENING = 64;
const sink = Buffer.allocUnsafe(65_536);
const lengths = new Map<string, number>();
const held: Socket[] = [];

function open(port: number, received: (count: number) => void): Socket {
  const callback = (count: number): boolean => {
    received(count);
    return true;
  };
  return connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: sink, callback },
  });
}

/** Sends the request once: all answers of a server to it have the same length. */
async function answerLength({ port, pid, request }: Job): Promise<number> {
  // Not the port, which a later server may get again.
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

/** The microseconds of processor time that a process has used: the 14th and 15th field of
 * its stat, in hundredths of a second. */
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
  const length = batch * (await answerLength(job));
  let waits: number[] = [];
  let over = false;

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
        if (left < 0) throw new Error('an answer is longer than the first one was');
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
  const began = performance.now();
  const used = process.cpuUsage();
  const worked = processorTime(job.pid);
  await sleep(job.duration);
  const elapsed = performance.now() - began;
  const { user, system } = process.cpuUsage(used);
  const work = processorTime(job.pid) - worked;
  const counted = waits.sort((one, other) => one - other);
  waits = [];
  over = true;
  await Promise.all(clients);

  const requests = counted.length * batch;
  const wait = (counted[counted.length >> 1] ?? NaN) * 1000;
  return {
    perSecond: (requests / elapsed) * 1000,
    wait,
    work: work / requests,
    busy: (user + system) / elapsed / 1000,
  };
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
  while (held.length < job.connections) {
    const count = Math.min(OPENING, job.connections - held.length);
    await Promise.all(Array.from({ length: count }, one));
  }
}

process.on('message', (message) => {
  const job: Job = JSON.parse(String(message));
  const done = job.duration > 0 ? run(job) : hold(job);
  void done.then((report) => process.send?.(JSON.stringify(report ?? {})));
});
process.on('disconnect', () => process.exit());
