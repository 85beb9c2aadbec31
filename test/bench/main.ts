/**
 * The benchmark: `npm run bench` runs all of it, `npm run bench -- parser` one part. Node alone is needed. It is compiled before it runs, into
 * dist/bench, so that no process of it holds a compiler: readers are measured as a server has them. (Both folders are equally deep, so the
 * imports of dist hold in either.)
 *
 * Servers are compared in rounds that alternate between them, and a ratio is taken in each round: given are the median of the ratios, the
 * smallest and the largest. Where others work on the machine too, processor time tells more than requests a second.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { growthOfReading, LINEAR } from './growth';
import type { Load } from './load';
import { parser, REQUEST } from './parser';
import { kill, listening, load, MAIN, node, serve, type Name, type Served } from './processes';
import { compare, machine, number, type Column } from './report';

const LAST_REQUEST = REQUEST.replace(/\r\n$/, 'Connection: close\r\n\r\n');
const ROUNDS = 7;
const DURATION = 400;
const GENERATOR: Column<Load> = { head: 'generator busy, %', of: ({ busy }) => busy * 100 };
const THROUGHPUT: readonly Column<Load>[] = [
  { head: 'requests/s', of: ({ perSecond }) => perSecond, ratio: 'this server, times' },
  { head: 'µs of processor', of: ({ work }) => work, digits: 2, ratio: 'this server takes' },
  GENERATOR,
];
const LATENCY: readonly Column<Load>[] = [{ head: 'µs, p50', of: ({ wait }) => wait, digits: 1, ratio: 'this server takes' }, GENERATOR];

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  'keep-alive': () => traffic('Keep-alive, 64 connections', THROUGHPUT, { depth: 1 }, { 'node:http': '>= 2.8', ceiling: '>= 0.85' }),
  pipelined: () => traffic('Pipelined 16 deep, 64 connections', THROUGHPUT, { depth: 16 }, { 'node:http': '>= 12', ceiling: '>= 0.55' }),
  close: () => traffic('A connection a request, 64 at once', THROUGHPUT, { depth: 0, request: LAST_REQUEST }, { 'node:http': '>= 1' }),
  latency: () => traffic('One connection', LATENCY, { depth: 1, connections: 1 }, { 'node:http': '', 'bare net': '<= 1.25' }),
  parser,
  start,
  memory,
  growth,
};

async function withServers(names: readonly Name[], use: (servers: readonly Served[]) => Promise<void>): Promise<void> {
  const servers = await Promise.all(names.map(serve));
  await use(servers);
  await Promise.all(servers.map((server) => server.stop()));
}

/** @param goals of the ratios to the servers that this one is compared with */
async function traffic(title: string, columns: readonly Column<Load>[], shape: { readonly depth: number; readonly request?: string; readonly connections?: number }, goals: Readonly<Partial<Record<Name, string>>>): Promise<void> {
  const job = { request: REQUEST, connections: 64, duration: DURATION, ...shape };
  await withServers(['this server', ...THE_OTHERS.filter((name) => name in goals)], (servers) =>
    compare(title, ROUNDS, servers.map(({ name, port, pid }) => ({ name, goal: goals[name], measure: () => load({ port, pid, ...job }) })), columns),
  );
}
const THE_OTHERS = ['node:http', 'ceiling', 'bare net'] as const;

async function start(): Promise<void> {
  const BARE = "const server = require('net').createServer().listen(0, () => console.log('Listening on port ' + server.address().port))";
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
    { name: 'bare net', measure: () => time(['-e', BARE]), goal: '<= 1.05' },
  ];
  await compare('Start, to the listening line', 20, subjects, [{ head: 'ms', of: (elapsed) => elapsed, digits: 1, ratio: 'this server takes' }]);
}

/** Of connections that asked once and are idle. */
async function memory(): Promise<void> {
  const CONNECTIONS = 2000;
  const bytes = async (name: Name): Promise<number> => {
    let each = NaN;
    await withServers([name], async ([server]) => {
      if (server === undefined) return;
      const ask = (connections: number, duration: number): Promise<Load> => load({ ...server, request: REQUEST, connections, depth: 1, duration });
      await ask(64, 300);
      const before = resident(server.pid);
      await ask(CONNECTIONS, 0);
      await sleep(100);
      each = (resident(server.pid) - before) / CONNECTIONS;
      await ask(0, 0);
    });
    return each;
  };
  const subjects = [
    { name: 'this server', measure: () => bytes('this server') },
    { name: 'node:http', measure: () => bytes('node:http'), goal: '<= 0.60' },
  ];
  await compare('Memory of an idle connection', 5, subjects, [{ head: 'bytes', of: (each) => each, ratio: 'this server takes' }]);
}

/** Bytes of memory that a process has. */
function resident(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return Number(spawnSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' }).stdout) * 1024;
  }
}

/** What grows must grow in proportion. Of the connections one asks, and the others are idle: there nothing grows. */
async function growth(): Promise<void> {
  await growthOfReading();
  const files = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout);
  const sizes = [1, 10, 100, 1000, 10_000].filter((size) => !(files < size + 100));
  if (sizes.length < 5) process.stdout.write(`A process may open ${number(files)} files here, too few for 10,000 connections:\n`);
  await withServers(['this server'], async ([server]) => {
    if (server === undefined) return;
    const job = { ...server, request: REQUEST, depth: 1 };
    const measure = async (size: number): Promise<Load> => {
      await load({ ...job, connections: size - 1, duration: 0 });
      return load({ ...job, connections: 1, duration: DURATION });
    };
    await compare('Growth: connections, of which one asks', 3, sizes.map((size) => ({ name: number(size), measure: () => measure(size) })), [
      { head: 'µs a request', of: ({ perSecond }) => 1e6 / perSecond, digits: 1 },
      { head: 'requests/s', of: ({ perSecond }) => perSecond, ratio: LINEAR },
    ]);
    await load({ ...job, connections: 0, duration: 0 });
  });
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in PARTS));
  if (unknown !== undefined) {
    process.stderr.write(`There is no part "${unknown}". There are: ${Object.keys(PARTS).join(', ')}\n`);
    process.exit(2);
  }
  process.stdout.write(`${machine()}\n\n`);
  const began = performance.now();
  for (const [name, part] of Object.entries(PARTS)) if (wanted.length === 0 || wanted.includes(name)) await part();
  process.stdout.write(`It took ${number((performance.now() - began) / 1000)} s.\n`);
  process.exit();
}

void main();
