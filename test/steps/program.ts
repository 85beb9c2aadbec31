/** A program of src/STEPS.md that runs, in this process or in one of its own, as the one
 * who plays a script sees it. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Notifier } from '../../src/study/notifier';
import { ROOT } from '../support/page';
import type { Stage } from '../support/script';
import { run, type Control, type Observation, type Progress } from './run';

const RUN = join(__dirname, 'run.ts');
const COMPILER = join(__dirname, '..', 'support', 'ts-node.cjs');
/** A pause of so many seconds is long: the time of every timer is up. */
const LONG = 10;

export class Program implements Stage {
  output = '';
  port = 0;
  /** Whether its process has ended. */
  hasEnded = false;
  readonly changes = new Notifier();
  private readonly progress = new Map<number, Progress>();
  private readonly control: Control;

  private constructor(command: string, isApart: boolean) {
    const [name = '', ...options] = command.split(' ').slice(1).reverse();
    const file = join(ROOT, 'src', 'study', 'steps', name);
    const observe = (one: Observation): void => this.observe(one);
    const print = (line: string): void => this.print(`${line}\n`);
    this.control = isApart
      ? this.fork(file, options)
      : run(readFileSync(file, 'utf8'), observe, print);
  }

  /** @param command as a page has it: "node --option step1.js"
   * @param isApart whether it runs in a process of its own, because it may end that */
  static async start(command: string, isApart: boolean): Promise<Program> {
    const program = new Program(command, isApart);
    await program.changes.until(() => program.port > 0);
    return program;
  }

  private fork(file: string, options: readonly string[]): Control {
    const execArgv = ['--require', COMPILER, ...options];
    const child = fork(RUN, [file], { execArgv, silent: true });
    for (const output of [child.stdout, child.stderr])
      output?.on('data', (data: Buffer) => this.print(data.toString('latin1')));
    child.on('message', (message) => this.observe(message as Observation));
    child.on('close', () => {
      this.hasEnded = true;
      this.changes.notify();
    });
    return {
      letTimePass: () => child.send(''),
      halt: () => child.kill('SIGSTOP'),
      resume: () => child.kill('SIGCONT'),
      kill: () => child.kill('SIGKILL'),
    };
  }

  private print(text: string): void {
    this.output += text;
    this.changes.notify();
  }

  private observe({ port, ...progress }: Observation): void {
    if (progress.client === 0) this.port = port;
    else this.progress.set(progress.client, progress);
    this.changes.notify();
  }

  hasRead(client: number, bytes: number): boolean {
    return (this.progress.get(client)?.bytes ?? -1) >= bytes;
  }

  isGone(client: number): boolean {
    return this.progress.get(client)?.isClosed === true || this.hasEnded;
  }

  hasUnread(client: number): boolean {
    return (this.progress.get(client)?.waiting ?? 0) > 0;
  }

  passTime(seconds: number): void {
    if (seconds >= LONG) this.control.letTimePass();
  }

  onlyWaits(client: number): void {
    const { hasEnded, isClosed } = this.progress.get(client) ?? {};
    if (hasEnded !== true && isClosed !== true) this.control.letTimePass();
  }

  halt(): void {
    this.control.halt();
  }

  resume(): void {
    this.control.resume();
  }

  kill(): void {
    this.control.kill();
  }
}
