/** The benchmark: `npm run bench`. It needs only Node. It is compiled into .build/bench
 * before it runs, so that none of its processes holds a compiler. (Both folders are equally
 * deep, so imports of dist work in either.) This process is the load generator. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const OPTIONS = '--host 127.0.0.1 --port 0 --max-requests 0 --idle-timeout 600'.split(' ');
const REQUEST = 'GET /tasks HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n';
const LAST_REQUEST = REQUEST.replace(/\r\n$/, 'Connection: close\r\n\r\n');
/** The list of the tasks, and nothing else in a response, ends with this byte. */
const END = ']'.charCodeAt(0);
const ROUNDS = 7;
const WARM_UP_MS = 150;
const DURATION_MS = 400;

/** How many clients send a request, each so many times before it waits for the responses;
 * at depth 0, over a new connection for each. */
type Shape = readonly [title: string, request: string, clients: number, depth: number];
// prettier-ignore
const SHAPES: readonly Shape[] = [
  ['keep-alive', REQUEST,      64, 1],
  ['pipelined',  REQUEST,      64, 16],
  ['close',      LAST_REQUEST, 64, 0],
  ['latency',    REQUEST,      1,  1],
];

interface Server {
  readonly port: number;
  readonly pid: number;
}

/** Whether servers can be bound to one processor and the load generator to another. */
const isPinned = spawnSync('taskset', ['-cp', '1', String(process.pid)]).status === 0;

/** Starts a server, and reads its standard output. */
async function serve(...args: readonly string[]): Promise<Server> {
  const command = [...(isPinned ? ['taskset', '-c', '0'] : []), process.execPath, ...args];
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (data) => (printed += printed.includes('Listening') ? '' : data));
  while (!/^Listening .*\n/m.test(printed)) await once(child.stdout, 'data');
  return {
    port: Number(/^Listening on port (\d+)/m.exec(printed)?.[1]),
    pid: child.pid ?? 0,
  };
}

/** @returns the microseconds of processor time that a process has used: the 14th and 15th
 * field of its stat, in hundredths of a second; NaN where the system does not tell */
function processorTime({ pid }: Server): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat.split(') ')[1]?.split(' ').slice(11) ?? [];
    return (Number(user) + Number(system)) * 10_000;
  } catch {
    return NaN;
  }
}

/** @returns the requests per second, and the microseconds of processor time for each */
async function load(server: Server, [, request, clients, depth]: Shape): Promise<number[]> {
  const batch = Math.max(depth, 1);
  const buffer = Buffer.allocUnsafe(65_536);
  let [responses, isOver] = [0, false];
  const client = async (): Promise<void> => {
    let left = 0;
    const send = (): void => {
      left = batch;
      socket.write(request.repeat(batch), 'latin1');
    };
    const receive = (count: number): boolean => {
      for (let at = 0; at < count; at += 1) if (buffer[at] === END) left -= 1;
      if (left > 0) return true;
      responses += batch;
      if (isOver) socket.end();
      else if (depth > 0) send();
      return true;
    };
    const onread = { buffer, callback: receive };
    const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true, onread });
    send();
    await once(socket, 'close');
    if (!isOver) await client();
  };
  const all = Array.from({ length: clients }, client);
  await sleep(WARM_UP_MS);
  const [before, began, worked] = [responses, performance.now(), processorTime(server)];
  await sleep(DURATION_MS);
  const requests = responses - before;
  const perSecond = (requests / (performance.now() - began)) * 1000;
  const work = (processorTime(server) - worked) / requests;
  isOver = true;
  await Promise.all(all);
  return [perSecond, work];
}

/** @returns the middle, the smallest and the largest value */
function spread(values: readonly number[]): number[] {
  const sorted = [...values].sort((one, other) => one - other);
  return [sorted[sorted.length >> 1] ?? NaN, sorted[0] ?? NaN, sorted.at(-1) ?? NaN];
}

async function main(): Promise<void> {
  const ours = await serve(MAIN, ...OPTIONS);
  const theirs = await serve(join(__dirname, 'node-http.js'));
  const binding = isPinned ? 'servers on one processor, load on another' : 'not bound';
  console.log(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}; ${binding}`,
  );
  for (const shape of SHAPES) {
    // The servers take turns, round after round: what slows the machine slows both.
    const ratios: number[][] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const [own, other] = [await load(ours, shape), await load(theirs, shape)];
      // The first round warms up.
      if (round > 0) ratios.push(own.map((figure, at) => figure / (other[at] ?? NaN)));
    }
    const [speed = '', work = ''] = [0, 1].map((at) => {
      const figures = spread(ratios.map((round) => round[at] ?? NaN));
      const [middle, least, most] = figures.map((figure) => figure.toFixed(2));
      return `${middle} (${least} to ${most})`;
    });
    console.log(`${shape[0].padEnd(10)}  requests per second ${speed}  processor ${work}`);
  }
  process.exit();
}

void main();
