/** The clients of the workbench. They send to the ports of the servers and proxies that the
 * workbench has started, and to no other port. */
import { setTimeout } from 'node:timers/promises';
import type { Mistake } from '../../naive/naive-request';
import type { Script } from '../bytes';
import { Player } from '../player';
import { Refusal } from './guard';
import { CONNECTIONS_LIMIT, WAITING_LIMIT } from './scenes';

/** How many closed clients are kept. */
const CLOSED_KEPT = 20;
/** A cut without a pause lasts so many rounds of the event loop. The proxy and the server
 * run in this process: each needs one to accept and one to read. */
const ROUNDS = 8;

/** 'server' for the server itself, 'proxy' for a proxy without a mistake. */
export type Through = 'server' | 'proxy' | Mistake;

/** What the page is told of a client. */
export interface ClientData {
  readonly id: number;
  /** "127.0.0.1:57032", once it is connected. */
  readonly address: string;
  /** "p1", if its bytes go through the proxy, or ''. */
  readonly proxied: string;
  readonly through: Through;
  /** Whether more can be sent on it. */
  readonly isOpen: boolean;
  readonly sent: number;
  /** How many bytes are still to be sent, after a pause. Where it is closed, they never
   * were. */
  readonly unsent: number;
}

export class Client {
  /** What was sent, or will be, since the last complete request. */
  pending: Buffer = Buffer.alloc(0);
  isOpen = true;
  private address = '';
  private player: Player | undefined;
  /** How many bytes it has been given to send. */
  private given = 0;
  private sending: Promise<void>;
  private readonly gone = new AbortController();

  constructor(
    readonly id: number,
    readonly through: Through,
    private readonly proxied: string,
    port: Promise<number>,
    /** Counts what has happened. */
    private readonly onChange: () => void,
  ) {
    this.sending = port.then(Player.connect).then(
      (player) => this.connected(player),
      () => this.close(), // the proxy could not listen
    );
  }

  private connected(player: Player): void {
    this.player = player;
    const { socket } = player;
    this.address = `${socket.localAddress}:${socket.localPort}`;
    socket.resume(); // the trace of the server has what it receives
    // The server has closed its side: we close ours, as most clients do.
    socket.on('end', () => {
      this.noteClosing();
      socket.end();
    });
    socket.on('close', () => this.close());
    if (this.isClosed) socket.destroy();
    this.onChange();
  }

  private close(): void {
    this.pending = Buffer.alloc(0);
    this.gone.abort();
    this.noteClosing();
  }

  private noteClosing(): void {
    this.isOpen = false;
    this.onChange();
  }

  get isClosed(): boolean {
    return this.gone.signal.aborted;
  }

  private get sent(): number {
    return this.player?.socket.bytesWritten ?? 0;
  }

  get unsent(): number {
    return this.given - this.sent;
  }

  /** How many of the bytes that it was given have not left. */
  get waiting(): number {
    return this.isClosed ? 0 : this.unsent + (this.player?.socket.writableLength ?? 0);
  }

  describe(): ClientData {
    const { address, id, isOpen, proxied, sent, through, unsent } = this;
    return { id, address, proxied, through, isOpen, sent, unsent };
  }

  /** Sends a text after those that are still to be sent.
   * @param script the same text, read
   * @param pending what is left of it, with what was sent before, after the last complete
   * request; undefined where the server closes after it */
  send(text: string, { bytes, ending }: Script, pending: Buffer | undefined): void {
    // What a proxy forwards of it, nobody knows: then it is open until it is closed.
    const isLast = pending === undefined && this.proxied === '';
    if (isLast || ending !== 'stay') this.isOpen = false;
    this.pending = pending ?? Buffer.alloc(0);
    this.given += bytes.length;
    // The server reads what came before it, and accepts the connection. Before a reset, too,
    // the last bytes need a moment to leave.
    this.sending = this.sending
      .then(() => this.wait(0))
      .then(() =>
        this.player?.send(text.replace(/(?=‖reset‖$)/, '‖'), (pause) => this.wait(pause)),
      )
      .then(this.onChange);
  }

  /** @param pause in milliseconds. A client that is gone waits no longer. */
  private async wait(pause: number): Promise<void> {
    this.onChange();
    const { signal } = this.gone;
    if (pause > 0) await setTimeout(pause, undefined, { signal }).catch(() => {});
    for (let round = 0; round < ROUNDS; round += 1) await new Promise(setImmediate);
  }

  destroy(): void {
    this.gone.abort();
    this.player?.socket.destroy();
  }
}

export class Clients {
  private clients: readonly Client[] = [];
  private opened = 0;

  constructor(private readonly onChange: () => void) {}

  describe(): ClientData[] {
    return this.clients.map((client) => client.describe());
  }

  /** @returns the client with a number, if there is one */
  get(id: number): Client | undefined {
    return this.clients.find((one) => one.id === id);
  }

  /** @param port of a server of the workbench, or of its proxy
   * @throws Refusal if too many are open */
  open(port: Promise<number>, through: Through, proxied = ''): Client {
    const closed = this.clients.filter(({ isClosed }) => isClosed);
    if (this.clients.length - closed.length >= CONNECTIONS_LIMIT)
      throw new Refusal(503, `${CONNECTIONS_LIMIT} connections are open`);
    const old = closed.slice(0, -CLOSED_KEPT);
    this.opened += 1;
    const client = new Client(this.opened, through, proxied, port, this.onChange);
    this.clients = [...this.clients.filter((one) => !old.includes(one)), client];
    return client;
  }

  /** @throws Refusal if so many bytes may not be sent, too */
  makeRoomFor(bytes: number): void {
    const waiting = this.clients.reduce((sum, client) => sum + client.waiting, bytes);
    if (waiting > WAITING_LIMIT) throw new Refusal(503, 'too much is being sent already');
  }

  /** Closes and forgets all. Their numbers are not used again: another tab may know them. */
  stop(): void {
    for (const client of this.clients) client.destroy();
    this.clients = [];
  }
}
