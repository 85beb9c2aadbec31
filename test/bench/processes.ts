/** The processes of the benchmark: the servers and the load generator. All end with this
 * one. */
import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { taskService } from '../../dist/tasks/dispatcher';
import type { Job, Load } from './load';

export const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

/** Whether servers can be bound to one processor and the load generator to another. */
export const pinned =
  availableParallelism() > 1 &&
  ['0', '1'].every(
    (processor) => spawnSync('taskset', ['-c', processor, 'true']).status === 0,
  );

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => process.exit(1));

/** Starts Node. It runs until it is killed. */
export function node(
  processor: 0 | 1,
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const command = [process.execPath, ...args];
  if (pinned) command.unshift('taskset', '-c', `${processor}`);
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, { stdio });
  running.add(child);
  child.on('exit', () => {
    if (running.has(child)) throw new Error('a process of the benchmark ended by itself');
  });
  return child;
}

export async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export type Name = 'this server' | 'node:http' | 'ceiling' | 'bare net';

export interface Served {
  readonly name: Name;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const OPTIONS = [
  '--host',
  '127.0.0.1',
  '--port',
  '0',
  '--max-requests',
  '0',
  '--idle-timeout',
  '600',
];

/** Starts a server. The standard output of each is a pipe that is read. */
export async function serve(name: Name): Promise<Served> {
  const { body } = taskService({ method: 'GET', path: '/tasks' });
  const args =
    name === 'this server'
      ? [MAIN, ...OPTIONS]
      : [join(__dirname, 'servers.js'), name, body];
  const child = node(0, args, ['ignore', 'pipe', 'inherit']);
  const port = await listening(child);
  return { name, port, pid: child.pid ?? 0, stop: () => kill(child) };
}

/** Waits for the listening line. @returns its port */
export async function listening({ stdout }: ChildProcess): Promise<number> {
  let printed = '';
  stdout?.on('data', (data) => (printed += printed.includes('Listening') ? '' : data));
  while (stdout !== null && !/^Listening .*\n/m.test(printed)) await once(stdout, 'data');
  return Number(/^Listening on port (\d+)/m.exec(printed)?.[1]);
}

let generator: ChildProcess | undefined;

/** Gives the load generator a job. */
export async function load(job: Job): Promise<Load> {
  generator ??= node(
    1,
    [join(__dirname, 'load.js')],
    ['ignore', 'inherit', 'inherit', 'ipc'],
  );
  generator.send(JSON.stringify(job));
  const [report] = await once(generator, 'message');
  const result: Load = JSON.parse(String(report));
  return result;
}
