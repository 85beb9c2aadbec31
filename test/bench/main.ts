/** The benchmark: `npm run bench` runs all of it, `npm run bench -- parser` one part. It
 * needs only Node. It is compiled into .build/bench before it runs, so that none of its
 * processes holds a compiler. (Both folders are equally deep, so imports of dist work in
 * either.)
 *
 * Servers are compared in rounds that alternate between them, and a ratio is taken in each
 * round. The table has the median of the ratios, the smallest and the largest. On a machine
 * that others use too, processor time tells more than requests per second. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { growthOfReading, LINEAR } from './growth';
import type { Job, Load } from './load';
import { parser, REQUEST } from './parser';
import {
  kill,
  listening,
  load,
  MAIN,
  node,
  serve,
  type Name,
  type Served,
} from './processes';
import { compare, machine, number, type Column } from './report';

const LAST_REQUEST = REQUEST.replace(/\r\n$/, 'Connection: close\r\n\r\n');
const ROUNDS = 7;
const DURATION = 400;
const GENERATOR: Column<Load> = { head: 'generator busy, %', of: ({ busy }) => busy * 100 };
const THROUGHPUT: readonly Column<Load>[] = [
  { head: 'requests/s', of: ({ perSecond }) => perSecond, ratio: 'this server, times' },
  {
    head: 'µs of processor',
    of: ({ work }) => work,
    digits: 2,
    ratio: 'this server takes',
  },
  GENERATOR,
];
const LATENCY: readonly Column<Load>[] = [
  { head: 'µs, p50', of: ({ wait }) => wait, digits: 1, ratio: 'this server takes' },
  GENERATOR,
];

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  'keep-alive': () =>
    traffic('Keep-alive, 64 connections', THROUGHPUT, { depth: 1 }, [
      'node:http',
      'ceiling',
    ]),
  pipelined: () =>
    traffic('Pipelined 16 deep, 64 connections', THROUGHPUT, { depth: 16 }, [
      'node:http',
      'ceiling',
    ]),
  close: () =>
    traffic(
      'A connection per request, 64 at once',
      THROUGHPUT,
      { depth: 0, request: LAST_REQUEST },
      ['node:http'],
    ),
  latency: () =>
    traffic('One connection', LATENCY, { depth: 1, connections: 1 }, [
      'node:http',
      'bare net',
    ]),
  parser,
  start,
  memory,
  growth,
};

async function withServers(
  names: readonly Name[],
  use: (servers: readonly Served[]) => Promise<void>,
): Promise<void> {
  const servers = await Promise.all(names.map(serve));
  await use(servers);
  await Promise.all(servers.map((server) => server.stop()));
}

type Shape = Pick<Job, 'depth'> & Partial<Pick<Job, 'request' | 'connections'>>;

/** @param others the servers that this one is compared with */
async function traffic(
  title: string,
  columns: readonly Column<Load>[],
  shape: Shape,
  others: readonly Name[],
): Promise<void> {
  const job = { request: REQUEST, connections: 64, duration: DURATION, ...shape };
  await withServers(['this server', ...others], (servers) => {
    const subjects = servers.map(({ name, port, pid }) => ({
      name,
      measure: () => load({ port, pid, ...job }),
    }));
    return compare(title, ROUNDS, subjects, columns);
  });
}

const BARE_SERVER = `
  const server = require('net').createServer().listen(0, () => {
    console.log('Listening on port ' + server.address().port);
  });`;

async function start(): Promise<void> {
  const time = async (args: readonly string[]): Promise<number> => {
    const began = performance.now();
    const child = node(0, args, ['ignore', 'pipe', 'inherit']);
    await listening(child);
    const elapsed = performance.now() - began;
    await kill(child);
    return elapsed;
  };
  const subjects = [
    { name: 'this server', measure: () => time([MAIN, '--port', '0']) },
    { name: 'bare net', measure: () => time(['-e', BARE_SERVER]) },
  ];
  await compare('Start, to the listening line', 20, subjects, [
    { head: 'ms', of: (elapsed) => elapsed, digits: 1, ratio: 'this server takes' },
  ]);
}

/** The memory of connections that sent one request and are idle. */
async function memory(): Promise<void> {
  // So many that what the server itself grows by, once it has work, is a small part.
  const connections = Math.min(8000, openFiles() - 100);
  const bytes = async (name: Name): Promise<number> => {
    let each = NaN;
    await withServers([name], async ([server]) => {
      if (server === undefined) return;
      const job = { ...server, request: REQUEST, depth: 1 };
      await load({ ...job, connections: 64, duration: 300 });
      const before = resident(server.pid);
      await load({ ...job, connections, duration: 0 });
      await sleep(100);
      each = (resident(server.pid) - before) / connections;
      await load({ ...job, connections: 0, duration: 0 });
    });
    return each;
  };
  const subjects = [
    { name: 'this server', measure: () => bytes('this server') },
    { name: 'node:http', measure: () => bytes('node:http') },
  ];
  await compare('Memory of an idle connection', 5, subjects, [
    { head: 'bytes', of: (each) => each, ratio: 'this server takes' },
  ]);
}

/** How many files, and so how many connections, a process may open. */
function openFiles(): number {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' });
  return stdout.trim() === 'unlimited' ? Infinity : Number(stdout);
}

/** The bytes of memory that a process has. */
function resident(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
  } catch {
    const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', `${pid}`], {
      encoding: 'utf8',
    });
    return Number(stdout) * 1024;
  }
}

/** What grows must grow in proportion. One of the connections sends requests and the others
 * are idle: there nothing grows. */
async function growth(): Promise<void> {
  await growthOfReading();
  const files = openFiles();
  const sizes = [1, 10, 100, 1000, 10_000].filter((size) => size + 100 <= files);
  if (sizes.length < 5) {
    const limit = `A process may open ${number(files)} files here`;
    process.stdout.write(`${limit}, too few for 10,000 connections:\n`);
  }
  await withServers(['this server'], async ([server]) => {
    if (server === undefined) return;
    const job = { ...server, request: REQUEST, depth: 1 };
    const measure = async (size: number): Promise<Load> => {
      await load({ ...job, connections: size - 1, duration: 0 });
      return load({ ...job, connections: 1, duration: DURATION });
    };
    const subjects = sizes.map((size) => ({
      name: number(size),
      measure: () => measure(size),
    }));
    await compare('Growth: connections, one of them in use', 3, subjects, [
      { head: 'µs per request', of: ({ perSecond }) => 1e6 / perSecond, digits: 1 },
      { head: 'requests/s', of: ({ perSecond }) => perSecond, ratio: LINEAR },
    ]);
    await load({ ...job, connections: 0, duration: 0 });
  });
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in PARTS));
  if (unknown !== undefined) {
    const names = Object.keys(PARTS).join(', ');
    process.stderr.write(`There is no part "${unknown}". The parts are: ${names}\n`);
    process.exit(2);
  }
  process.stdout.write(`${machine()}\n\n`);
  const began = performance.now();
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length === 0 || wanted.includes(name)) await part();
  }
  process.stdout.write(`It took ${number((performance.now() - began) / 1000)} s.\n`);
  process.exit();
}

void main();
