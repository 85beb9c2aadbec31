/** Plays the scripts of a page against a server of its own, in this process, and tells what
 * it sent. Nobody sleeps: the script goes on when the server has said what it waits for. */
import { parseOptions } from '../../src/command/options';
import type { TraceEvent } from '../../src/index';
import { SYSTEM, type System } from '../../src/server/system';
import { readActions, type Action, type NetcatClient } from '../../src/study/shell';
import { ENDPOINTS } from '../../src/tasks/dispatcher';
import { NAME, VERSION } from '../../src/tasks/tasks';
import { withRisk } from '../../src/trace/risk';
import { TraceFormatter } from '../../src/trace/terminal';
import type { Client } from './client';
import { Curl } from './curl';
import { Halting } from './halting';
import { Notifier } from './notifier';
import { serve, type TestServer } from './test-server';

/** What a script brought about. */
export interface Said {
  /** What the clients print, with LF for each CRLF. */
  readonly answer: string;
  /** What the server prints: on standard error, and on standard output. */
  readonly trace: string;
  readonly log: string;
}

interface Peer {
  readonly client: Client;
  /** The end of its address. */
  readonly port: string;
  /** How many events there were when it last sent something. */
  seen: number;
}

/** The servers of the scripts listen on ports that the system chooses; the pages say
 * 8080. */
const PORT = 8080;
/** How long a stopping server waits. */
const STOPPING_MS: readonly number[] = [800, 150];
/** Ten times what any script of a page takes, beside a machine's other work. */
const PATIENCE_MS = 90_000;

export class Session {
  private server: TestServer | undefined;
  private isTraced = false;
  private readonly events: TraceEvent[] = [];
  private trace = '';
  private log = '';
  private answer = '';
  private readonly changes = new Notifier();
  private readonly halting = new Halting();
  private isHalted = false;
  private readonly peers = new Map<NetcatClient, Peer>();
  /** The time in the script that is played, and for how many seconds nobody slept. */
  private now = 0;
  private skipped = 0;

  /** @param script the text of a block
   * @param typed what somebody types into a client that the script starts without input */
  async play(script: string, typed = ''): Promise<Said> {
    let timer: NodeJS.Timeout | undefined;
    const stuck = new Promise<never>((_, reject) => {
      const explain = (): void =>
        reject(new Error(`nothing more happens after\n${this.trace}`));
      timer = setTimeout(explain, PATIENCE_MS);
    });
    return Promise.race([this.run(script, typed), stuck]).finally(() =>
      clearTimeout(timer),
    );
  }

  private async run(script: string, typed: string): Promise<Said> {
    this.trace = this.log = this.answer = '';
    this.peers.clear();
    this.now = 0;
    for (const action of readActions(script)) await this.act(action, typed);
    const server = await this.running();
    if (this.log.includes('Maximum of ')) await server.stopped;
    const untraced = 'The server was started without --trace';
    return {
      answer: this.answer.replaceAll('\r\n', '\n').trimEnd(),
      trace: this.isTraced ? this.trace.trimEnd().replace(/^\n/, '') : untraced,
      log: this.log.trimEnd(),
    };
  }

  private async running(): Promise<TestServer> {
    return this.server ?? this.start(['--trace', '--max-requests', '0']);
  }

  /** @param args those of the command */
  private async start(args: readonly string[]): Promise<TestServer> {
    const options = parseOptions(args);
    if (typeof options === 'string') throw new Error(`${options} starts no server`);
    const { maxRequests, requestTimeout, idleTimeout, trace } = options;
    this.isTraced = trace;
    this.skipped = 0;
    const formatter = new TraceFormatter(false);
    this.server = await serve(
      {
        ...{ maxRequests, requestTimeout, idleTimeout },
        log: (lines) => (this.log += lines),
        trace: withRisk((event) => {
          const at = event.at + 1000 * this.skipped;
          this.events.push(event);
          const port = event.type === 'listen' ? { port: PORT } : {};
          this.trace += formatter.format({ ...event, at, ...port });
          this.changes.notify();
        }),
      },
      this.system(),
    );
    const endpoints = ENDPOINTS.map((endpoint) => `  ${endpoint}\n`).join('');
    const address = `http://localhost:${PORT}`;
    this.log = `${NAME} ${VERSION}\n${endpoints}Listening on port ${PORT}: ${address}\n`;
    return this.server;
  }

  /** A slow machine prints what a fast one does. Time passes only between two rounds of the
   * event loop, so a batch never ends because its time is over. And a server that stops
   * waits sixty times as long before it cuts off a client that is slow. */
  private system(): System {
    let time: number | undefined;
    return {
      ...SYSTEM,
      now: () => {
        if (time === undefined) setImmediate(() => (time = undefined));
        return (time ??= SYSTEM.now());
      },
      after: (ms, callback) =>
        SYSTEM.after(STOPPING_MS.includes(ms) ? 60 * ms : ms, callback),
      createListener: (options, onConnection) =>
        SYSTEM.createListener(options, (socket) => {
          this.halting.watch(socket);
          onConnection(socket);
        }),
    };
  }

  private async act(action: Action, typed: string): Promise<void> {
    if (action.type === 'start') return void (await this.start(action.args));
    const server = await this.running();
    if (action.type === 'send') await this.hasTurn(this.peer(action.client));
    if (action.type !== 'end' && action.type !== 'finish') this.passTo(action.at);
    switch (action.type) {
      case 'signal':
        return this.signal(server, action.signal);
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

  private async signal(server: TestServer, signal: string): Promise<void> {
    this.isHalted = signal === 'SIGSTOP';
    if (this.isHalted) return this.halting.halt();
    if (signal !== 'SIGCONT') return server.stop();
    this.halting.resume();
    // Everything that was sent meanwhile is read before the next step.
    for (const peer of this.peers.values()) await this.hasTurn(peer);
  }

  private peer(client: NetcatClient): Peer {
    const peer = this.peers.get(client);
    if (peer === undefined) throw new Error('not connected');
    return peer;
  }

  private async connect(server: TestServer): Promise<Peer> {
    const { length: seen } = this.events;
    const client = await server.client();
    const peer = { client, port: `:${client.socket.localPort}`, seen };
    await this.hasTurn(peer);
    return peer;
  }

  /** A line at a time. */
  private async type(peer: Peer, typed: string): Promise<void> {
    for (const line of typed.split('\n')) {
      await this.hasTurn(peer);
      await this.write(peer, Buffer.from(`${line}\r\n`, 'latin1'));
    }
  }

  /** Waits until the server has told what it waits for, since the last piece. */
  private async hasTurn(peer: Peer): Promise<void> {
    if (!this.isHalted) await this.happened(peer, 'wait', 'idle', 'linger');
  }

  private async write(peer: Peer, bytes: Buffer): Promise<void> {
    peer.seen = this.events.length;
    await new Promise((resolve) => peer.client.socket.write(bytes, resolve));
  }

  private passTo(time: number): void {
    if (time <= this.now || time === Infinity) return;
    this.skipped += time - this.now;
    this.now = time;
  }

  private async finish({ stays }: NetcatClient, peer: Peer): Promise<void> {
    if (stays) await this.happened(peer, 'gone');
    const { how, rest } = await peer.client.closed();
    if (how === 'reset' && !stays)
      throw new Error(`the connection was reset after ${rest}`);
    peer.client.end();
    this.answer += rest;
    await this.happened(peer, 'gone');
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
    await this.happened(peer, 'gone');
  }

  /** Runs a client that connects once. */
  private async program({ port }: TestServer, text: string): Promise<void> {
    const { length: seen } = this.events;
    new Function('require', text.replaceAll(String(PORT), String(port)))(require);
    await this.changes.until(() =>
      this.events.slice(seen).some(({ type }) => type === 'gone'),
    );
  }

  /** Waits for an event of a connection since its client last sent something. */
  private happened({ port, seen }: Peer, ...types: TraceEvent['type'][]): Promise<void> {
    return this.changes.until(() => {
      const { connection } =
        this.events.find(
          (event) => event.type === 'open' && event.remoteAddress?.endsWith(port),
        ) ?? {};
      return this.events
        .slice(seen)
        .some((event) => event.connection === connection && types.includes(event.type));
    });
  }
}
