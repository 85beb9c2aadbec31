/** The built programs: what they print, how they end, and signals. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Client } from './client';
import { Notifier } from '../../src/study/notifier';

export const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const PLAIN = { NO_COLOR: '1' };

/** A module that makes every timer of the process wait sixty times as long. The time of
 * another process cannot be virtual, and on a busy machine a test may read its output
 * late. */
export const PATIENT = `
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ms) => setTimeout(act, 60 * ms);
`;

/** A program that runs. */
class Running {
  stdout = '';
  stderr = '';
  /** Resolves with the exit code, or the signal that ended it, once all output is read. */
  readonly exit: Promise<number | string>;
  private hasEnded = false;
  private readonly changes = new Notifier();

  constructor(private readonly program: ChildProcess | Worker) {
    const outputs = [
      this.collect('stdout', program.stdout),
      this.collect('stderr', program.stderr),
    ];
    const ended = once(program, 'exit') as Promise<(number | string | null)[]>;
    this.exit = Promise.all([ended, ...outputs]).then(([[code, signal]]) => {
      this.hasEnded = true;
      this.changes.notify();
      return code ?? signal ?? '';
    });
  }

  /** How it ended, and all that it has printed. */
  async ended() {
    const code = await this.exit;
    const { stderr, stdout } = this;
    return { code, stderr, stdout };
  }

  /** The port of the listening line. */
  get port(): Promise<number> {
    const line = this.printed('stdout', /^Listening on port (\d+)/m);
    return line.then(([, port]) => Number(port));
  }

  async client(): Promise<Client> {
    return Client.connect(await this.port);
  }

  /** Ends its standard input. */
  endInput(): void {
    this.program.stdin?.end();
  }

  /** Waits for a text. */
  async printed(output: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    const find = (): RegExpExecArray | null => pattern.exec(this[output]);
    await this.changes.until(() => find() !== null || this.hasEnded);
    const found = find();
    if (found !== null) return found;
    throw new Error(`ended, having printed ${this.stdout}${this.stderr}`);
  }

  protected async collect(
    output: 'stdout' | 'stderr',
    stream: NodeJS.ReadableStream | null,
  ): Promise<void> {
    stream?.on('data', (data: Buffer) => {
      this[output] += data.toString('latin1');
      this.changes.notify();
    });
    stream?.resume();
    // One that a test destroys does not end.
    if (stream !== null) await Promise.race([once(stream, 'end'), once(stream, 'close')]);
  }
}

/** Runs a program in a thread of this process, which starts sooner than a process: only
 * signals, pipes and terminals need one. */
export function inThread(
  file: string | URL,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = PLAIN,
): Running {
  const options = { argv: [...args], env: environment(env), execArgv: [] };
  const worker = new Worker(file, { ...options, stdin: true, stdout: true, stderr: true });
  running.push(() => void worker.terminate());
  return new Running(worker);
}

/** A program in a process of its own: unless it is named, the command. */
export class Command extends Running {
  /** @param pipe file descriptor of the pipe that its standard output is */
  private constructor(
    readonly process: ChildProcess,
    private readonly pipe?: number,
  ) {
    super(process);
  }

  static run(...args: string[]): Command {
    return Command.spawn([MAIN, ...args]);
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

  /** Starts a server whose standard output is a pipe of 64 KiB that is not read yet.
   * @param source a module that runs first */
  static withPipe(source: string, ...args: string[]): Command {
    const folder = fs.mkdtempSync(join(tmpdir(), 'pipe-'));
    const path = join(folder, 'pipe');
    spawnSync('mkfifo', [path]);
    const reading = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const writing = fs.openSync(path, fs.constants.O_WRONLY);
    const all = [...importing(source), MAIN, '--port', '0', ...args];
    const command = Command.spawn(all, writing, reading);
    fs.closeSync(writing);
    fs.rmSync(folder, { recursive: true });
    return command;
  }

  /** @param args those of Node */
  static spawn(
    args: readonly string[],
    stdout: 'pipe' | number = 'pipe',
    pipe?: number,
  ): Command {
    const env = environment(PLAIN);
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'], env });
    running.push(() => child.kill('SIGKILL'));
    return new Command(child, pipe);
  }

  /** Reads the pipe to its end. */
  async readPipe(): Promise<void> {
    const { pipe } = this;
    if (pipe === undefined) throw new Error('no pipe');
    await this.collect('stdout', new Socket({ fd: pipe, writable: false }));
  }

  /** Halts the process until it gets SIGCONT, and waits for that where the system tells: a
   * signal may arrive a little later. */
  async halt(): Promise<void> {
    this.process.kill('SIGSTOP');
    const file = `/proc/${this.process.pid}/stat`;
    while (fs.existsSync(file) && !/\) [Tt] /.test(fs.readFileSync(file, 'latin1'))) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The variables of this process, but for those that choose colours, and others. */
function environment(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NO_COLOR: _, FORCE_COLOR: __, ...own } = process.env;
  return { ...own, ...variables };
}

/** The arguments of Node that run a module before the program. */
export function importing(source: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(source)}`];
}

const running: (() => unknown)[] = [];

export function killCommands(): void {
  for (const kill of running.splice(0)) kill();
}
