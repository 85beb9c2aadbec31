/** The built command as a process: what it prints, how it ends, and signals. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './client';
import { Notifier } from './notifier';

export const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

/** A module that makes every timer of the process wait sixty times as long. The time of
 * another process cannot be virtual, and on a busy machine a test may read its output
 * late. */
export const PATIENT = `
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ms) => setTimeout(act, 60 * ms);
`;

export class Command {
  stdout = '';
  stderr = '';
  /** Resolves with the exit code, or the signal that ended it, once all output is read. */
  readonly exit: Promise<number | string>;
  private hasEnded = false;
  private readonly changes = new Notifier();

  /** @param pipe file descriptor of the pipe that its standard output is */
  private constructor(
    readonly process: ChildProcess,
    private readonly pipe?: number,
  ) {
    this.collect('stdout', process.stdout);
    this.collect('stderr', process.stderr);
    this.exit = new Promise((resolve) => {
      process.on('close', (code, signal) => {
        resolve(code ?? signal ?? '');
        this.hasEnded = true;
        this.changes.notify();
      });
    });
  }

  /** @param env variables of the environment, besides ours */
  static start(env: NodeJS.ProcessEnv, ...args: string[]): Command {
    return Command.spawn([MAIN, ...args], env);
  }

  static run(...args: string[]): Command {
    return Command.start({ NO_COLOR: '1' }, ...args);
  }

  /** @param source a module that runs first */
  static runWith(source: string, ...args: string[]): Command {
    return Command.spawn([...importing(source), MAIN, ...args]);
  }

  /** Runs another built program. */
  static runFile(file: string, ...args: string[]): Command {
    return Command.spawn([file, ...args]);
  }

  /** Starts a server on a port that the system chooses, and waits for its listening
   * line. */
  static async serve(...args: string[]): Promise<Command> {
    const command = Command.run('--port', '0', ...args);
    await command.port;
    return command;
  }

  /** The same, and its timers wait much longer. */
  static async servePatiently(...args: string[]): Promise<Command> {
    const command = Command.runWith(PATIENT, '--port', '0', ...args);
    await command.port;
    return command;
  }

  /** The same with a heap of so many MiB. */
  static async serveWithin(heap: number, ...args: string[]): Promise<Command> {
    const command = Command.spawn([
      `--max-old-space-size=${heap}`,
      MAIN,
      '--port',
      '0',
      ...args,
    ]);
    await command.port;
    return command;
  }

  /** Starts a server whose standard output is a pipe of 64 KiB that is not read yet.
   * @param source a module that runs first */
  static withPipe(source: string, ...args: string[]): Command {
    const folder = mkdtempSync(join(tmpdir(), 'pipe-'));
    const path = join(folder, 'pipe');
    spawnSync('mkfifo', [path]);
    const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writing = openSync(path, constants.O_WRONLY);
    const all = [...importing(source), MAIN, '--port', '0', ...args];
    const command = Command.spawn(all, {}, writing, reading);
    closeSync(writing);
    rmSync(folder, { recursive: true });
    return command;
  }

  private static spawn(
    args: readonly string[],
    variables: NodeJS.ProcessEnv = { NO_COLOR: '1' },
    stdout: 'pipe' | number = 'pipe',
    pipe?: number,
  ): Command {
    const { NO_COLOR: _, FORCE_COLOR: __, ...own } = process.env;
    const env = { ...own, ...variables };
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'], env });
    const command = new Command(child, pipe);
    running.push(command);
    return command;
  }

  /** The port of the listening line. */
  get port(): Promise<number> {
    const line = this.printed('stdout', /^Listening on port (\d+)/m);
    return line.then(([, port]) => Number(port));
  }

  /** Waits for a text. @param from how much of the output is passed over */
  async printed(
    output: 'stdout' | 'stderr',
    pattern: RegExp,
    from = 0,
  ): Promise<RegExpExecArray> {
    const find = (): RegExpExecArray | null => pattern.exec(this[output].slice(from));
    await this.changes.until(() => find() !== null || this.hasEnded);
    const found = find();
    if (found !== null) return found;
    throw new Error(`ended, having printed ${this.stdout}${this.stderr}`);
  }

  /** Waits until a text is printed so often. */
  async printedTimes(
    output: 'stdout' | 'stderr',
    text: string,
    times: number,
  ): Promise<void> {
    const isDone = (): boolean => this[output].split(text).length > times;
    await this.changes.until(() => isDone() || this.hasEnded);
    if (!isDone()) throw new Error(`ended, having printed ${this.stdout}${this.stderr}`);
  }

  /** Reads the pipe to its end. */
  async readPipe(): Promise<void> {
    const { pipe } = this;
    if (pipe === undefined) throw new Error('no pipe');
    const stream = new Socket({ fd: pipe, writable: false });
    this.collect('stdout', stream);
    await once(stream, 'end');
  }

  /** Halts the process until it gets SIGCONT, and waits for that where the system tells: a
   * signal may arrive a little later. */
  async halt(): Promise<void> {
    this.process.kill('SIGSTOP');
    const file = `/proc/${this.process.pid}/stat`;
    while (existsSync(file) && !/\) [Tt] /.test(readFileSync(file, 'latin1'))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async client(): Promise<Client> {
    return Client.connect(await this.port);
  }

  private collect(output: 'stdout' | 'stderr', stream: NodeJS.ReadableStream | null): void {
    stream?.on('data', (data: Buffer) => {
      this[output] += data.toString('latin1');
      this.changes.notify();
    });
    stream?.resume();
  }
}

/** The arguments of Node that run a module before the program. */
export function importing(source: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
}

const running: Command[] = [];

export function killCommands(): void {
  for (const command of running.splice(0)) command.process.kill('SIGKILL');
}
