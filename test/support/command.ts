/** The built command as a process: what it prints, how it ends, and signals. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Client } from './client';

export const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');

export class Command {
  stdout = '';
  stderr = '';
  /** Settles with the exit code, or the signal that ended it. */
  readonly exit: Promise<number | string>;
  private wake = (): void => {};

  private constructor(readonly process: ChildProcess) {
    process.stdout?.on('data', (data: Buffer) => ((this.stdout += data), this.wake()));
    process.stderr?.on('data', (data: Buffer) => ((this.stderr += data), this.wake()));
    this.exit = new Promise((resolve) => process.on('close', (code, signal) => resolve(code ?? signal ?? '')));
    void this.exit.then(() => this.wake());
  }

  static run(...args: string[]): Command {
    return Command.spawn([MAIN, ...args]);
  }

  /** Starts a server that has so many MiB for its objects, and no more. */
  static async serveWithin(heap: number, ...args: string[]): Promise<Command> {
    const command = Command.spawn([`--max-old-space-size=${heap}`, MAIN, '--port', '0', ...args]);
    await command.port;
    return command;
  }

  private static spawn(args: readonly string[]): Command {
    const command = new Command(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } }));
    running.push(command);
    return command;
  }

  /** Starts a server on a port that the system chooses, and waits until it says that it listens. */
  static async serve(...args: string[]): Promise<Command> {
    const command = Command.run('--port', '0', ...args);
    await command.port;
    return command;
  }

  /** The port of the listening line. */
  get port(): Promise<number> {
    return this.printed('stdout', /^Listening on port (\d+)/m).then(([, port]) => Number(port));
  }

  /** Waits until the command has printed something. @param from how much of the output is passed over */
  async printed(output: 'stdout' | 'stderr', what: RegExp, from = 0): Promise<RegExpExecArray> {
    for (;;) {
      const found = what.exec(this[output].slice(from));
      if (found !== null) return found;
      if (this.process.exitCode !== null) throw new Error(`ended with ${this.process.exitCode}, having printed ${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  async client(): Promise<Client> {
    return Client.connect(await this.port);
  }
}

const running: Command[] = [];
afterEach(() => {
  for (const command of running.splice(0)) command.process.kill('SIGKILL');
});
