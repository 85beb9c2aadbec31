/** The benchmark: `npm run bench`. It needs only Node. It is compiled into .build/bench
 * before it runs, so that none of its processes holds a compiler. (Both folders are equally
 * deep, so imports of dist work in either.) */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, cpus, release } from 'node:os';
import { join } from 'node:path';
import type { Job, Load } from './load';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const OPTIONS = '--host 127.0.0.1 --port 0 --max-requests 0 --idle-timeout 600'.split(' ');
const REQUEST = 'GET /tasks HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n';
const LAST_REQUEST = REQUEST.replace(/\r\n$/, 'Connection: close\r\n\r\n');
const ROUNDS = 7;

type Shape = Pick<Job, 'request' | 'connections' | 'depth'>;
// prettier-ignore
const PARTS: readonly (readonly [title: string, shape: Shape])[] = [
  ['keep-alive', { request: REQUEST,      connections: 64, depth: 1 }],
  ['pipelined',  { request: REQUEST,      connections: 64, depth: 16 }],
  ['close',      { request: LAST_REQUEST, connections: 64, depth: 0 }],
  ['latency',    { request: REQUEST,      connections: 1,  depth: 1 }],
];
const FIGURES: { readonly [title: string]: (load: Load) => number } = {
  'requests/s': ({ perSecond }) => perSecond,
  'us of processor': ({ work }) => work,
  'us until the response': ({ wait }) => wait,
};

/** Whether servers can be bound to one processor and the load generator to another. */
const isPinned =
  availableParallelism() > 1 &&
  ['0', '1'].every((one) => spawnSync('taskset', ['-c', one, 'true']).status === 0);

/** Starts Node. */
function node(
  processor: 0 | 1,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const command = [process.execPath, ...args];
  if (isPinned) command.unshift('taskset', '-c', `${processor}`);
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, { stdio });
  process.on('exit', () => child.kill('SIGKILL'));
  child.on('exit', () => {
    throw new Error('a process of the benchmark ended by itself');
  });
  return child;
}

/** Starts a server, and reads its standard output. */
async function serve(...args: readonly string[]): Promise<Pick<Job, 'port' | 'pid'>> {
  const { pid = 0, stdout } = node(0, args, ['ignore', 'pipe', 'inherit']);
  let printed = '';
  stdout?.on('data', (data) => (printed += printed.includes('Listening') ? '' : data));
  while (stdout !== null && !/^Listening .*\n/m.test(printed)) await once(stdout, 'data');
  return { port: Number(/^Listening on port (\d+)/m.exec(printed)?.[1]), pid };
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? NaN;
}

async function main(): Promise<void> {
  const generator = node(1, [join(__dirname, 'load.js')], ['ignore', 1, 2, 'ipc']);
  const servers = [
    await serve(MAIN, ...OPTIONS),
    await serve(join(__dirname, 'node-http.js')),
  ];
  const models = [...new Set(cpus().map(({ model }) => model.trim()))].join(', ');
  const binding = isPinned ? 'servers on one processor, load on another' : 'not bound';
  const system = `${process.platform} ${release()}, ${cpus().length} x ${models}`;
  console.log(`Node ${process.version}, ${system}; ${binding}\n`);

  // The servers take turns, round after round: what slows the machine slows both.
  for (const [title, shape] of PARTS) {
    const loads = servers.map((): Load[] => []);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [at, server] of servers.entries()) {
        generator.send({ ...server, ...shape });
        const [load] = (await once(generator, 'message')) as [Load];
        if (round > 0) loads[at]?.push(load); // the first one warms up
      }
    }
    console.log(title);
    const [own = [], other = []] = loads;
    for (const [name, of] of Object.entries(FIGURES)) {
      const ratios = own.map((load, round) => of(load) / of(other[round] ?? load));
      const [middle, least, most] = [
        median(ratios),
        Math.min(...ratios),
        Math.max(...ratios),
      ];
      const [ours, theirs] = loads.map((all) =>
        median(all.map(of)).toFixed(1).padStart(10),
      );
      const times = `${middle.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
      console.log(`  ${name.padEnd(22)}${ours}  node:http ${theirs}  times ${times}`);
    }
    const busy = median(loads.flat().map((load) => load.busy)) * 100;
    console.log(`  the load generator was busy for ${busy.toFixed(0)} % of the time\n`);
  }
  process.exit();
}

void main();
