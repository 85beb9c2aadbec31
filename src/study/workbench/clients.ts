/** The clients of the workbench. They send to the ports of the servers and proxies that the
 * workbench has started, and to no other port. */
import { setTimeout } from 'node:timers/promises';
import type { Mistake } from '../../naive/naive-request';
import type { Ending } from '../bytes';
import { Player } from '../player';
import { CONNECTIONS_LIMIT, WAITING_LIMIT } from './limits';

/** How many closed clients are kept. */
const CLOSED_KEPT = 20;
const ACCEPTED_KEPT = 1000;
/** A cut without a pause lasts so many rounds of the event loop. The proxy and the server
 * run in this process: each needs one to accept and one to read. */
const ROUNDS = 8;

/** 'server' for the server itself, 'proxy' for a proxy without a mistake. */
export type Through = 'server' | 'proxy' | Mistake;

/** What is to be sent. */
export interface Sending {
  /** In the notation of bytes.ts. */
  readonly text: string;
  readonly bytes: Buffer;
  readonly ending: Ending;
  /** What is left of it, with what was sent before, after the last complete request;
   * undefined where the server closes after it. */
  readonly pending: Buffer | undefined;
}

/** What the page shows of a client. */
export interface ClientData {
  readonly id: number;
  /** As the trace calls its connection: "c3"; through the proxy "p1". */
  readonly name: string;
  readonly through: Through;
  readonly state: 'open' | 'closing' | 'closed';
  /** Why the server closes it, where that is known. */
  readonly why: string;
  readonly sent: number;
  /** How many bytes are still to be sent, after a pause. Where it is closed, they never
   * were. */
  readonly unsent: number;
}

export class Client {
  /** "127.0.0.1:57032", once it is connected. */
  address = '';
  /** What was sent, or will be, since the last complete request. */
  pending: Buffer = Buffer.alloc(0);
  private state: ClientData['state'] = 'open';
  private why = '';
  /** How many bytes it has been given to send. */
  private given = 0;
  /** Whether the server closes after what was sent: nothing may follow. */
  private isLast = false;
  private player: Player | undefined;
  private sending: Promise<void>;
  private readonly gone = new AbortController();

  constructor(
    readonly id: number,
    readonly through: Through,
    /** Its name, if its bytes go through the proxy. */
    readonly proxied: string | undefined,
    port: Promise<number>,
    /** Counts what has happened. */
    private readonly onChange: () => void,
  ) {
    this.sending = port
      .then((number) => Player.connect(number))
      .then(
        (player) => this.connected(player),
        () => this.close(), // the proxy could not listen
      );
  }

  private connected(player: Player): void {
    const { socket } = (this.player = player);
    this.address = `${socket.localAddress}:${socket.localPort}`;
    socket.resume(); // the trace of the server has what it receives
    // The server has closed its side: we close ours, as most clients do.
    socket.on('end', () => {
      this.noteClosing('');
      socket.end();
    });
    socket.on('close', () => this.close());
    if (this.gone.signal.aborted) socket.destroy();
    this.onChange();
  }

  private close(): void {
    this.state = 'closed';
    this.pending = Buffer.alloc(0);
    this.gone.abort();
    this.onChange();
  }

  get sent(): number {
    return this.player?.socket.bytesWritten ?? 0;
  }

  /** How many of the bytes that it was given have not left. */
  get waiting(): number {
    return this.state === 'closed'
      ? 0
      : this.unsent + (this.player?.socket.writableLength ?? 0);
  }

  get unsent(): number {
    return this.given - this.sent;
  }

  describe(name: string): ClientData {
    const { id, sent, state, through, unsent, why } = this;
    return { id, name, through, state, why, sent, unsent };
  }

  /** Whether more can be sent on it. */
  get isOpen(): boolean {
    return this.state === 'open' && !this.isLast;
  }

  get isClosed(): boolean {
    return this.state === 'closed';
  }

  /** The server closes it. @param why '' where that is not known */
  noteClosing(why: string): void {
    this.why ||= why;
    if (this.state === 'open') this.state = 'closing';
    this.onChange();
  }

  /** Sends a text after those that are still to be sent. */
  send({ bytes, ending, pending, text }: Sending): void {
    if (ending !== 'stay') this.state = 'closing';
    // What a proxy forwards of it, nobody knows: then it is open until it is closed.
    this.isLast = pending === undefined && this.proxied === undefined;
    this.pending = pending ?? Buffer.alloc(0);
    this.given += bytes.length;
    // The server reads what came before it, and accepts the connection.
    this.sending = this.sending
      .then(() => this.wait(0))
      .then(() =>
        this.player?.send(text.replace(/(?=‖reset‖$)/, '‖'), (pause) => this.wait(pause)),
      )
      .then(() => void this.onChange());
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
  private readonly clients = new Map<number, Client>();
  private opened = 0;
  /** The connections of the server, by the addresses of their clients. */
  private readonly accepted = new Map<string | undefined, number>();

  constructor(private readonly onChange: () => void) {}

  describe(): ClientData[] {
    return Array.from(this.clients.values(), (client) => {
      const number = this.accepted.get(client.address);
      const name = client.proxied ?? (number === undefined ? '' : `c${number}`);
      return client.describe(name);
    });
  }

  get(id: number): Client | undefined {
    return this.clients.get(id);
  }

  /** @param port of a server of the workbench, or of its proxy
   * @returns undefined if too many are open */
  open(port: Promise<number>, through: Through, proxied?: string): Client | undefined {
    const all = [...this.clients.values()];
    const closed = all.filter(({ isClosed }) => isClosed);
    for (const { id } of closed.slice(0, -CLOSED_KEPT)) this.clients.delete(id);
    if (all.length - closed.length >= CONNECTIONS_LIMIT) return undefined;
    this.opened += 1;
    const client = new Client(this.opened, through, proxied, port, this.onChange);
    this.clients.set(client.id, client);
    return client;
  }

  /** @returns whether so many bytes may be sent, too */
  hasRoomFor(bytes: number): boolean {
    let waiting = bytes;
    for (const client of this.clients.values()) waiting += client.waiting;
    return waiting <= WAITING_LIMIT;
  }

  /** The server has accepted a connection, perhaps from another program.
   * @param address undefined if that is gone already */
  noteAccepted(address: string | undefined, connection: number): void {
    this.accepted.delete(address); // a port may be used again
    this.accepted.set(address, connection);
    const [oldest] = this.accepted.keys();
    if (this.accepted.size > ACCEPTED_KEPT) this.accepted.delete(oldest);
  }

  /** The server has begun to close a connection. */
  noteClosing(connection: number, why: string): void {
    for (const client of this.clients.values())
      if (this.accepted.get(client.address) === connection) client.noteClosing(why);
  }

  stop(): void {
    for (const client of this.clients.values()) client.destroy();
  }
}
