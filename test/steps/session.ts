/** Plays the scripts of src/STEPS.md against one of its programs. Nothing sleeps: a script
 * goes on when the program has read what was sent, and time passes when nothing else can
 * happen. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from '../support/client';
import { Curl } from '../support/curl';
import { Notifier } from '../support/notifier';
import { readActions, type Action, type NetcatClient } from '../../src/study/shell';
import { ROOT } from '../support/page';
import { run, type Control, type Observation, type Progress } from './run';

/** More than any script of the page takes. */
const PATIENCE_MS = 60_000;

const RUN = join(__dirname, 'run.ts');
const COMPILER = join(__dirname, '..', 'support', 'ts-node.cjs');

/** A program that runs, what it prints, and what is observed of it. */
export class Program {
  output = '';
  port = 0;
  hasEnded = false;
  private readonly connected = new Set<number>();
  private readonly closed = new Set<number>();
  private readonly progress = new Map<number, Progress>();
  private readonly changes = new Notifier();
  private readonly control: Control;

  private constructor(command: string, isApart: boolean) {
    const [name = '', ...options] = command.split(' ').slice(1).reverse();
    const file = join(ROOT, 'src', 'study', 'steps', name);
    const print = (line: string): void => this.print(`${line}\n`);
    this.control = isApart
      ? this.fork(file, options)
      : run(readFileSync(file, 'utf8'), (one) => this.observe(one), print);
  }

  /** @param command as a page has it: "node --option step1.js"
   * @param isApart whether it runs in a process of its own, because it may end that */
  static async start(command: string, isApart: boolean): Promise<Program> {
    const program = new Program(command, isApart);
    await program.until(() => program.port > 0);
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

  private observe(observation: Observation): void {
    if (observation.type === 'listening') this.port = observation.port;
    if (observation.type === 'connected') this.connected.add(observation.client);
    if (observation.type === 'closed') this.closed.add(observation.client);
    if (observation.type === 'read') this.progress.set(observation.client, observation);
    this.changes.notify();
  }

  progressOf(client: number): Progress {
    return this.progress.get(client) ?? { bytes: 0, hasEnded: false, waiting: 0 };
  }

  hasAccepted(client: number): boolean {
    return this.connected.has(client);
  }

  hasClosed(client: number): boolean {
    return this.closed.has(client) || this.hasEnded;
  }

  /** @throws Error where nothing more happens */
  async until(condition: () => boolean): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.changes.notify();
    }, PATIENCE_MS);
    await this.changes.until(() => isLate || condition());
    clearTimeout(timer);
    if (!condition()) throw this.stuckError();
  }

  stuckError(): Error {
    return new Error(`nothing more happens; the program printed\n${this.output}`);
  }

  letTimePass(): void {
    this.control.letTimePass();
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

// What readActions() does not know. A script that has one of these has only one client of
// nc.

/** The client reads the first line, and disappears. */
const DISAPPEARS = / \| head -1$/m;
/** The client sends zeros as long as the program reads them. */
const FLOODS = /\n? *head -c \d+ \/dev\/zero/;
const ZEROS = Buffer.alloc(65_536);
/** The client sends a line again and again, and reads nothing. */
const REPEATS = /^yes "\$\(printf '(.*)'\)" \| nc localhost 8080 \| sleep \d+$/m;
const TIMES = 1000;
/** A pause of so many seconds is long: the time of every timer is up. */
const LONG = 10;

/** @param isInterrupted whether the reader presses Control-C where nothing more happens
 * @returns what the clients of a script print, with LF for each CRLF */
export function play(
  script: string,
  program: Program,
  isInterrupted = false,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(program.stuckError()), PATIENCE_MS);
  });
  const played = new Player(script, program, isInterrupted).run();
  return Promise.race([played, stuck]).finally(() => clearTimeout(timer));
}

interface Peer {
  readonly client: Client;
  /** What the program knows it by. */
  readonly name: number;
  sent: number;
  /** What it has sent last. */
  bytes: Buffer;
}

class Player {
  private printed = '';
  private isHalted = false;
  private readonly program: Program;
  private readonly isInterrupted: boolean;
  private readonly disappears: boolean;
  private readonly floods: boolean;
  private readonly repeats: boolean;
  private readonly actions: readonly Action[];
  private readonly peers = new Map<NetcatClient, Peer>();

  constructor(script: string, program: Program, isInterrupted: boolean) {
    this.program = program;
    this.isInterrupted = isInterrupted;
    this.disappears = DISAPPEARS.test(script);
    this.floods = FLOODS.test(script);
    this.repeats = REPEATS.test(script);
    this.actions = readActions(
      script
        .replace(DISAPPEARS, '')
        .replace(FLOODS, '')
        .replace(REPEATS, "printf '$1\\n' | nc localhost 8080"),
    );
  }

  async run(): Promise<string> {
    let before = 0;
    for (const action of this.actions) {
      if (action.at - before >= LONG) await this.letTimePass();
      before = action.at;
      await this.act(action);
    }
    return this.printed.replaceAll('\r\n', '\n').trimEnd();
  }

  private async letTimePass(): Promise<void> {
    for (const peer of this.peers.values()) await this.isRead(peer);
    this.program.letTimePass();
  }

  private async act(action: Action): Promise<void> {
    switch (action.type) {
      case 'connect':
        this.peers.set(action.client, await this.connect());
        return;
      case 'send':
        return this.send(this.peer(action.client), Buffer.from(action.bytes, 'latin1'));
      case 'end':
        if (action.client.halfCloses) this.peer(action.client).client.end();
        return;
      case 'finish':
        return this.finish(this.peer(action.client), action.client);
      case 'curl':
        return this.curl(new Curl(action.args));
      case 'signal':
        this.isHalted = action.signal === 'SIGSTOP';
        return this.isHalted ? this.program.halt() : this.program.resume();
      case 'start':
        throw new Error('a program is started by a block of its own');
    }
  }

  private peer(client: NetcatClient): Peer {
    const peer = this.peers.get(client);
    if (peer === undefined) throw new Error('not connected');
    return peer;
  }

  private async connect(): Promise<Peer> {
    const client = await Client.connect(this.program.port);
    const { localPort: name = 0 } = client.socket;
    await this.program.until(() => this.program.hasAccepted(name));
    return { client, name, sent: 0, bytes: Buffer.alloc(0) };
  }

  /** Sends a piece when the program has read the one before. */
  private async send(peer: Peer, bytes: Buffer): Promise<void> {
    if (!this.isHalted) await this.isRead(peer);
    peer.sent += bytes.length;
    peer.bytes = bytes;
    await new Promise((resolve) => peer.client.socket.write(bytes, resolve));
  }

  private isRead({ name, sent }: Peer): Promise<void> {
    const { program } = this;
    return program.until(
      () => program.progressOf(name).bytes >= sent || program.hasClosed(name),
    );
  }

  private async finish(peer: Peer, { halfCloses, stays }: NetcatClient): Promise<void> {
    const { client, name } = peer;
    if (this.disappears) return this.disappear(peer);
    if (this.repeats) return this.repeat(peer);
    if (this.floods) flood(client.socket, ZEROS);
    else await this.isRead(peer);
    // The program has done all that it does about these bytes: the rest is up to the clock.
    const isOpen = !this.floods && !halfCloses && !this.program.progressOf(name).hasEnded;
    if (isOpen && !this.program.hasClosed(name)) {
      if (this.isInterrupted) client.end();
      else this.program.letTimePass();
    }
    const { rest } = await client.closed();
    this.printed += rest;
    if (stays && !this.program.hasClosed(name)) {
      this.program.letTimePass();
      await this.program.until(() => this.program.hasClosed(name));
    }
    client.socket.destroy();
    await this.program.until(() => this.program.hasClosed(name));
  }

  private async disappear({ client, name }: Peer): Promise<void> {
    this.printed += await client.until('\r\n');
    client.reset();
    await this.program.until(() => this.program.hasClosed(name));
  }

  private async repeat({ client: { socket }, name, bytes }: Peer): Promise<void> {
    socket.pause().on('error', () => {});
    flood(socket, Buffer.concat(Array.from({ length: TIMES }, () => bytes)));
    const { program } = this;
    await program.until(
      () =>
        program.hasClosed(name) ||
        (this.isInterrupted && program.progressOf(name).waiting > 0),
    );
    socket.resetAndDestroy();
    await program.until(() => program.hasClosed(name));
  }

  private async curl(curl: Curl): Promise<void> {
    const { client, name } = await this.connect();
    for (const transfer of curl.transfers) {
      client.socket.write(transfer.head + transfer.content, 'latin1');
      this.printed += curl.output(transfer, await client.answer(transfer.isHead));
    }
    client.end();
    await this.program.until(() => this.program.hasClosed(name));
  }
}

/** Sends bytes again and again, as long as they leave. */
function flood(socket: Socket, bytes: Buffer): void {
  if (socket.writable) socket.write(bytes, () => flood(socket, bytes));
}
