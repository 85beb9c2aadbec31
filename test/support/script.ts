/** Plays the scripts of a page against a server in this process. Nobody sleeps: a script
 * goes on when the server has done all that it does about what was sent. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Notifier } from '../../src/study/notifier';
import { readActions, type Action, type NetcatClient } from './actions';
import { Client, flood } from './client';
import { Curl } from './curl';

/** A server, as one who plays a script sees it. A client is named by its port. */
export interface Stage {
  readonly port: number;
  /** What it prints. */
  readonly output: string;
  readonly changes: Notifier;
  /** Whether it has accepted a client, and waits for more than so many bytes of it. */
  hasRead(client: number, bytes: number): boolean;
  /** Whether the connection of a client is over. */
  isGone(client: number): boolean;
  /** Whether responses wait, because a client does not read. */
  hasUnread(client: number): boolean;
  /** The script sleeps. */
  passTime(seconds: number): void;
  /** A client waits, and does nothing more: what happens next is up to the clock. */
  onlyWaits(client: number): void;
  /** What arrives from now on is kept until resume(). */
  halt(): void;
  resume(): void;
}

interface Peer {
  readonly client: Client;
  readonly name: number;
  sent: number;
}

export interface Typing {
  /** What somebody types into a client that the script starts without input. */
  readonly typed?: string;
  /** Somebody presses Control-C where nothing more happens. */
  readonly isInterrupted?: boolean;
}

/** Several times what any script of a page takes, beside a machine's other work. */
const PATIENCE_MS = 90_000;
/** How much is sent at once where no end is in sight. */
const BLOCK_BYTES = 65_536;

/** @returns what the clients of a script print, with LF for each CRLF */
export function playScript(
  script: string,
  stage: Stage,
  typing: Typing = {},
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    const explain = (): void =>
      reject(new Error(`nothing more happens after\n${stage.output}`));
    timer = setTimeout(explain, PATIENCE_MS);
  });
  const played = new ScriptPlayer(stage, typing).play(readActions(script));
  return Promise.race([played, stuck]).finally(() => clearTimeout(timer));
}

class ScriptPlayer {
  private printed = '';
  private isHalted = false;
  private readonly peers = new Map<NetcatClient, Peer>();

  constructor(
    private readonly stage: Stage,
    private readonly typing: Typing,
  ) {}

  async play(actions: readonly Action[]): Promise<string> {
    let now = 0;
    for (const action of actions) {
      if (action.at > now && action.at < Infinity) {
        await this.allRead();
        this.stage.passTime(action.at - now);
        now = action.at;
      }
      await this.act(action);
    }
    return this.printed.replaceAll('\r\n', '\n').trimEnd();
  }

  private async act(action: Action): Promise<void> {
    const { stage } = this;
    switch (action.type) {
      case 'connect':
        return this.open(action.client);
      case 'send':
        return this.send(this.peer(action.client), action.bytes, action.times);
      case 'end':
        if (action.client.halfCloses) this.peer(action.client).client.end();
        return;
      case 'finish':
        return this.finish(this.peer(action.client), action.client);
      case 'curl':
        return this.curl(new Curl(action.args));
      case 'program':
        return this.program(action.text);
      case 'signal':
        this.isHalted = action.signal === 'SIGSTOP';
        if (this.isHalted) return stage.halt();
        stage.resume();
        // Everything that was sent meanwhile is read before the next step.
        return this.allRead();
      case 'start':
        throw new Error('a server is started by a block of its own');
    }
  }

  private peer(client: NetcatClient): Peer {
    const peer = this.peers.get(client);
    if (peer === undefined) throw new Error('not connected');
    return peer;
  }

  private async open(client: NetcatClient): Promise<void> {
    const peer = await this.connect();
    this.peers.set(client, peer);
    const { isTyped } = client;
    const lines = isTyped ? (this.typing.typed ?? '').split('\n') : [];
    for (const line of lines) await this.send(peer, `${line}\r\n`, 1);
  }

  private async connect(): Promise<Peer> {
    const client = await Client.connect(this.stage.port);
    const { localPort: name = 0 } = client.socket;
    const peer = { client, name, sent: 0 };
    await this.isRead(peer);
    return peer;
  }

  private async allRead(): Promise<void> {
    for (const peer of this.peers.values()) await this.isRead(peer);
  }

  private async isRead({ name, sent }: Peer): Promise<void> {
    const { changes } = this.stage;
    if (this.isHalted) return;
    await changes.until(() => this.stage.hasRead(name, sent) || this.stage.isGone(name));
  }

  /** Sends a piece when the server has read the one before. */
  private async send(peer: Peer, text: string, times: number): Promise<void> {
    await this.isRead(peer);
    const { socket } = peer.client;
    const bytes = Buffer.from(text, 'latin1');
    if (times > 1) {
      peer.sent = Infinity;
      return flood(socket, Buffer.alloc(bytes.length * BLOCK_BYTES, bytes));
    }
    peer.sent += bytes.length;
    await new Promise((resolve) => socket.write(bytes, resolve));
  }

  private async finish(peer: Peer, { halfCloses, reader }: NetcatClient): Promise<void> {
    const { client, name, sent } = peer;
    const { stage } = this;
    const { isInterrupted = false } = this.typing;
    if (reader === 'head -1') {
      this.printed += await client.until('\r\n');
      client.reset();
    } else if (reader.startsWith('sleep')) {
      client.socket.pause();
      await stage.changes.until(
        () => stage.isGone(name) || (isInterrupted && stage.hasUnread(name)),
      );
      client.reset();
    } else {
      if (sent < Infinity) await this.isRead(peer);
      if (isInterrupted) client.end();
      else if (sent < Infinity && !halfCloses) stage.onlyWaits(name);
      this.printed += (await client.closed()).rest;
      client.socket.destroy();
    }
    await stage.changes.until(() => stage.isGone(name));
  }

  private async curl(curl: Curl): Promise<void> {
    const { client, name } = await this.connect();
    client.socket.write(curl.request, 'latin1');
    this.printed += curl.output(await client.answer());
    client.end();
    await this.stage.changes.until(() => this.stage.isGone(name));
  }

  /** Runs a client that connects once, to the port of the page. */
  private async program(text: string): Promise<void> {
    const { changes, port } = this.stage;
    const socket = connect(port, '127.0.0.1');
    const net = { connect: () => socket };
    await once(socket, 'connect');
    const { localPort: name = 0 } = socket;
    new Function('require', text)(() => net);
    await changes.until(() => this.stage.isGone(name));
  }
}
