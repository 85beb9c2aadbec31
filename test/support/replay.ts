/** Plays the scripts of a page against a server of its own, and tells what it sent. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from './client';
import { Command } from './command';
import { Curl } from './curl';
import { readActions, type Action, type NetcatClient } from '../../src/study/shell';

/** What a script brought about. */
export interface Said {
  /** What the clients print, with LF for each CRLF. */
  readonly answer: string;
  /** What the server prints: on standard error, and on standard output. */
  readonly trace: string;
  readonly log: string;
}

/** A client, and the name that the trace has for it, once it is known. */
interface Peer {
  readonly client: Client;
  name: string;
  /** How much of the trace was there when it last sent something. */
  seen: number;
}

/** How much each output had. */
interface Output {
  readonly stderr: number;
  readonly stdout: number;
}

/** The servers of the scripts listen on ports that the system chooses; the pages say
 * 8080. */
const PORT = 8080;
/** A module after which a slow machine prints what a fast one does. Time passes only
 * between two rounds of the event loop, so a batch never ends because its time is over. And
 * a server that stops waits sixty times as long before it cuts off a client that is
 * slow. */
const SLOW_MACHINE = `
  const now = process.hrtime;
  let time;
  process.hrtime = () => {
    if (time === undefined) {
      time = now();
      setImmediate(() => (time = undefined));
    }
    return time;
  };
  const { setTimeout } = globalThis;
  const ofStopping = [800, 150];
  globalThis.setTimeout = (act, ms) => setTimeout(act, ofStopping.includes(ms) ? 60 * ms : ms);
`;
/** Ten times what any script of a page takes, beside a machine's other work. */
const PATIENCE_MS = 90_000;

export class Session {
  private server: Command | undefined;
  private isTraced = false;
  private isStopped = false;
  private readonly peers = new Map<NetcatClient, Peer>();
  private answer = '';
  /** The time in the script that is played. */
  private now = 0;
  /** Where the trace continues after a `sleep`, and for how many seconds nobody slept. */
  private skipped: { readonly from: number; readonly seconds: number }[] = [];

  /** @param script the text of a block
   * @param typed what somebody types into a client that the script starts without input */
  play(script: string, typed = ''): Promise<Said> {
    return this.within(PATIENCE_MS, this.run(script, typed));
  }

  private async run(script: string, typed: string): Promise<Said> {
    const actions = readActions(script);
    this.answer = '';
    this.peers.clear();
    const before: Output = {
      stderr: this.stderr.length,
      stdout: this.server?.stdout.length ?? 0,
    };
    this.now = 0;
    for (const action of actions) {
      if (action.type === 'start') Object.assign(before, { stderr: 0, stdout: 0 });
      await this.act(action, typed);
    }
    return this.said(before);
  }

  /** Says where the conversation is stuck, where it is. */
  private async within<T>(milliseconds: number, result: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<never>((_, reject) => {
      const explain = (): void =>
        reject(new Error(`nothing more happens after\n${this.stderr}`));
      timer = setTimeout(explain, milliseconds);
    });
    return Promise.race([result, stuck]).finally(() => clearTimeout(timer));
  }

  private async said(before: Output): Promise<Said> {
    const server = await this.running();
    if (server.stdout.includes('Maximum of ')) await this.expectExit();
    return {
      answer: this.answer.replaceAll('\r\n', '\n').trimEnd(),
      trace: this.trace(before.stderr),
      log: server.stdout
        .slice(before.stdout)
        .trimEnd()
        .replaceAll(String(await server.port), String(PORT)),
    };
  }

  private get stderr(): string {
    return this.server?.stderr ?? '';
  }

  private async running(): Promise<Command> {
    if (this.server === undefined) await this.start(['--trace', '--max-requests', '0']);
    if (this.server === undefined) throw new Error('no server');
    return this.server;
  }

  private async start(args: readonly string[]): Promise<void> {
    this.isTraced = args.includes('--trace');
    const port = args.indexOf('--port');
    const others = args.filter((_, at) => port < 0 || (at !== port && at !== port + 1));
    // The replay follows the trace, whether the page shows it or not.
    const trace = this.isTraced ? [] : ['--trace'];
    const folder = mkdtempSync(join(tmpdir(), 'replay-'));
    const page = others.indexOf('--trace-page');
    if (page >= 0) others[page + 1] = join(folder, 'trace.html');
    const own = ['--port', '0', ...others, ...trace];
    this.server = Command.runWith(SLOW_MACHINE, ...own);
    await this.server.port;
    rmSync(folder, { recursive: true }); // the server is killed before it writes the page
    this.skipped = [];
    await this.server.printed('stderr', / listen /);
  }

  private async act(action: Action, typed: string): Promise<void> {
    if (action.type === 'start') return this.start(action.args);
    const server = await this.running();
    if (action.type === 'send') await this.awaitTurn(this.peer(action.client));
    if (action.type !== 'end' && action.type !== 'finish') this.passTo(action.at);
    switch (action.type) {
      case 'signal':
        return this.signal(server, action.signal as NodeJS.Signals);
      case 'curl':
        return this.curl(new Curl(action.args));
      case 'program':
        return this.program(server, action.text);
      case 'connect':
        this.peers.set(action.client, await this.connect(server));
        if (action.client.isTyped) await this.type(this.peer(action.client), typed);
        return;
      case 'send':
        return this.write(this.peer(action.client), Buffer.from(action.bytes, 'latin1'));
      case 'end':
        if (action.client.halfCloses) this.peer(action.client).client.end();
        return;
      case 'finish':
        return this.finish(action.client, this.peer(action.client));
    }
  }

  private async signal(server: Command, signal: NodeJS.Signals): Promise<void> {
    this.isStopped = signal === 'SIGSTOP';
    if (signal === 'SIGSTOP') await server.halt();
    else server.process.kill(signal);
    if (signal === 'SIGCONT') {
      // Everything that was sent meanwhile is read before the next step.
      for (const peer of this.peers.values()) await this.awaitTurn(peer);
    } else if (signal !== 'SIGSTOP') {
      await this.expectExit();
    }
  }

  private peer(client: NetcatClient): Peer {
    const peer = this.peers.get(client);
    if (peer === undefined) throw new Error('not connected');
    return peer;
  }

  private async connect(server: Command): Promise<Peer> {
    const { length: seen } = this.stderr;
    const peer = { client: await Client.connect(await server.port), name: '', seen };
    if (!this.isStopped) await this.printed(peer, /wait/);
    return peer;
  }

  /** A line at a time. */
  private async type(peer: Peer, typed: string): Promise<void> {
    for (const line of typed.split('\n')) {
      await this.awaitTurn(peer);
      await this.write(peer, Buffer.from(`${line}\r\n`, 'latin1'));
    }
  }

  /** Waits until the server has told what it waits for, since the last piece. */
  private async awaitTurn(peer: Peer): Promise<void> {
    if (!this.isStopped) await this.printed(peer, /wait|idle|linger/);
  }

  private async write(peer: Peer, bytes: Buffer): Promise<void> {
    peer.seen = this.stderr.length;
    await new Promise((resolve) => peer.client.socket.write(bytes, resolve));
  }

  private passTo(time: number): void {
    if (time <= this.now || time === Infinity) return;
    this.skipped.push({ from: this.stderr.length, seconds: time - this.now });
    this.now = time;
  }

  private async finish({ stays }: NetcatClient, peer: Peer): Promise<void> {
    if (stays) await this.printed(peer, /gone/);
    const { how, rest } = await peer.client.closed();
    if (how === 'reset' && !stays)
      throw new Error(`the connection was reset after ${rest}`);
    peer.client.end();
    this.answer += rest;
    await this.printed(peer, /gone/);
    peer.client.socket.destroy();
  }

  private async curl(curl: Curl): Promise<void> {
    const peer = await this.connect(await this.running());
    for (const transfer of curl.transfers) {
      const { head, content, isHead } = transfer;
      peer.client.socket.write(head + content, 'latin1');
      this.answer += curl.output(transfer, await peer.client.answer(isHead));
    }
    peer.client.end();
    await this.printed(peer, /gone/);
  }

  /** Runs a client that connects once. */
  private async program(server: Command, text: string): Promise<void> {
    const { length: seen } = this.stderr;
    const own = text.replaceAll(String(PORT), String(await server.port));
    const child = spawn(process.execPath, ['-e', own], { stdio: 'inherit' });
    await Promise.all([once(child, 'exit'), server.printed('stderr', / gone /, seen)]);
  }

  /** Waits until the trace has a line of this connection since it last sent something. */
  private async printed(peer: Peer, verb: RegExp): Promise<void> {
    const server = await this.running();
    if (peer.name === '') {
      const { localPort } = peer.client.socket;
      const open = new RegExp(`(c\\d+) +open +\\S+:${localPort}\n`);
      peer.name = (await server.printed('stderr', open))[1] ?? '';
    }
    await server.printed(
      'stderr',
      new RegExp(`${peer.name} +(?:${verb.source}) `),
      peer.seen,
    );
  }

  private async expectExit(): Promise<void> {
    const code = await this.server?.exit;
    if (code !== 0) throw new Error(`the server ended with ${code}`);
  }

  /** The trace since a position, with the times that it would have had if somebody had
   * slept. */
  private trace(from: number): string {
    if (!this.isTraced) return 'The server was started without --trace';
    let position = from;
    const lines = this.stderr
      .slice(from)
      .trimEnd()
      .split('\n')
      .map((line) => {
        const before = this.skipped.filter((skip) => skip.from <= position);
        position += line.length + 1;
        const late = before.reduce((sum, { seconds }) => sum + seconds, 0);
        return line.replace(/^ *(\d+\.\d{3})(?= (?:c\d|--))/, (_, time: string) =>
          (Number(time) + late).toFixed(3).padStart(7),
        );
      });
    const trace = lines.join('\n').replace(/^\n/, '');
    return trace.replace(/(listen port )\d+/, `$1${PORT}`);
  }
}
