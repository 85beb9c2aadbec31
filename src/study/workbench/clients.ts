/** The clients of the workbench. They send bytes, in pieces, to the ports of the servers
 * and proxies that the workbench has started, and to no other port. */
import { Socket } from 'node:net';
import type { Mistake } from '../../naive/naive-request';
import { printable } from '../../text/text';
import type { Then } from './judge';
import { CONNECTIONS_LIMIT, WAITING_LIMIT } from './limits';

/** How much is kept of what a client received, and how many closed clients are kept. */
const RECEIVED_KEPT = 16_384;
const CLOSED_KEPT = 20;
const ASKED_KEPT = 60;
const ACCEPTED_KEPT = 1000;
/** A cut without a pause lasts so many rounds of the event loop. The proxy and the server
 * run in this process: each needs one to accept and one to read. */
const ROUNDS = 8;

/** 'server' for the server itself, 'proxy' for a proxy without a mistake. */
export type Through = 'server' | 'proxy' | Mistake;

/** What is to be sent. */
export interface Sending {
  /** Each piece is written after its pause, in milliseconds. */
  readonly pieces: readonly { readonly bytes: Buffer; readonly pause: number }[];
  /** What happens to the connection after the last piece. */
  readonly then: Then;
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
  /** The first line of the request that it sent last, or a part of. */
  readonly asked: string;
  readonly sent: number;
  /** How many bytes are still to be sent: they are held, or come after a pause. Where it is
   * closed, they never were. */
  readonly unsent: number;
  readonly received: number;
  /** What it received, in base64, or the end of it; left out where the page has it. */
  readonly bytes?: string;
}

export class Client {
  /** "127.0.0.1:57032", once it is connected. */
  address = '';
  state: ClientData['state'] = 'open';
  why = '';
  asked = '';
  sent = 0;
  unsent = 0;
  received = 0;
  /** What was sent, or will be, since the last complete request. */
  pending: Buffer = Buffer.alloc(0);
  /** Whether the server closes after what was sent: nothing may follow. */
  private isLast = false;
  private readonly socket: Socket;
  private kept: Buffer = Buffer.alloc(0);
  private receivedAt = 0;
  /** Resolves once it is connected and has sent what it had to send. */
  ready: Promise<void>;

  constructor(
    readonly id: number,
    readonly through: Through,
    /** Its name, if its bytes go through the proxy. */
    readonly proxied: string | undefined,
    port: Promise<number>,
    /** Counts what has happened. */
    private readonly onChange: () => number,
    private readonly pendingOf: PendingOf,
  ) {
    const socket = (this.socket = new Socket({ allowHalfOpen: true }));
    socket.setNoDelay(true);
    void port.then(
      (number) => !socket.destroyed && socket.connect({ port: number, host: '127.0.0.1' }),
      () => socket.destroy(), // the proxy could not listen
    );
    this.ready = new Promise((resolve) => {
      socket.once('connect', () => {
        this.address = `${socket.localAddress}:${socket.localPort}`;
        onChange();
        resolve();
      });
      socket.once('close', () => resolve());
    });
    socket.on('data', (bytes) => {
      this.received += bytes.length;
      this.kept = Buffer.concat([this.kept, bytes]).subarray(-RECEIVED_KEPT);
      this.receivedAt = onChange();
    });
    // The server has closed its side: we close ours, as most clients do.
    socket.on('end', () => {
      this.noteClosing('');
      socket.end();
    });
    socket.on('error', () => {}); // a reset: 'close' follows
    socket.on('close', () => {
      this.state = 'closed';
      this.pending = Buffer.alloc(0);
      onChange();
    });
  }

  /** @param after the revision that the page has */
  describe(name: string, after: number): ClientData {
    const { asked, id, received, sent, state, through, unsent, why } = this;
    const isNews = this.receivedAt > after;
    const told = { id, name, through, state, why, asked, sent, unsent, received };
    return isNews ? { ...told, bytes: this.kept.toString('base64') } : told;
  }

  /** Whether more can be sent on it. */
  get isOpen(): boolean {
    return this.state === 'open' && !this.isLast;
  }

  /** The server closes it. @param why '' where that is not known */
  noteClosing(why: string): void {
    this.why ||= why;
    if (this.state === 'open') this.state = 'closing';
    this.onChange();
  }

  /** Sends the pieces after those that are still to be sent.
   * @param start resolves when the first piece may be sent */
  send(sending: Sending, start: Promise<unknown>): void {
    if (sending.then !== 'keep') this.state = 'closing';
    const bytes = Buffer.concat(sending.pieces.map((piece) => piece.bytes));
    const all = Buffer.concat([this.pending, bytes]);
    const [line = ''] = all.toString('latin1', 0, ASKED_KEPT).split('\n', 1);
    this.asked = printable(line.trimEnd().replace(/ HTTP\/1\.[01]$/, ''));
    const pending = this.pendingOf(this.pending, bytes);
    // What a proxy forwards of it, nobody knows: then it is open until it is closed.
    this.isLast = pending === undefined && this.proxied === undefined;
    this.pending = pending ?? Buffer.alloc(0);
    this.unsent += bytes.length;
    this.ready = start.then(() => this.play(sending));
  }

  private async play({ pieces, then }: Sending): Promise<void> {
    for (const [index, { bytes, pause }] of pieces.entries()) {
      if (index > 0 || pause > 0) await this.wait(pause);
      await this.write(bytes);
    }
    if (then === 'close') this.socket.end();
    if (then === 'reset') this.socket.resetAndDestroy();
    this.onChange();
  }

  /** @param pause in milliseconds. A client that is gone waits no longer. */
  private async wait(pause: number): Promise<void> {
    if (pause > 0 && !this.socket.destroyed) {
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          this.socket.removeListener('close', end);
          resolve();
        };
        const timer = setTimeout(end, pause);
        this.socket.once('close', end);
      });
    }
    await passRounds();
  }

  private write(bytes: Buffer): Promise<void> {
    const { socket } = this;
    if (socket.destroyed || socket.writableEnded || bytes.length === 0) {
      return Promise.resolve();
    }
    this.unsent -= bytes.length;
    this.sent += bytes.length;
    this.onChange();
    return new Promise((resolve) => {
      socket.once('close', resolve);
      socket.write(bytes, () => {
        socket.removeListener('close', resolve);
        resolve();
      });
    });
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** @returns what is left to be judged, of what was sent before and of what is sent now;
 * undefined where the server closes after it */
type PendingOf = (before: Buffer, bytes: Buffer) => Buffer | undefined;

/** A send that begins together with the next one. */
interface Held {
  readonly client: Client;
  readonly ready: Promise<void>;
  readonly begin: () => void;
}

export class Clients {
  private readonly clients = new Map<number, Client>();
  private opened = 0;
  /** The connections of the server, by the addresses of their clients. */
  private readonly accepted = new Map<string | undefined, number>();
  /** Bytes of sends that are under way. */
  private waiting = 0;
  /** What each page holds. */
  private readonly held = new Map<string, Held[]>();

  constructor(
    private readonly onChange: () => number,
    private readonly pendingOf: PendingOf,
  ) {}

  /** @param after the revision that the page has */
  describe(after: number): ClientData[] {
    return Array.from(this.clients.values(), (client) => {
      const number = this.accepted.get(client.address);
      const name = client.proxied ?? (number === undefined ? '' : `c${number}`);
      return client.describe(name, after);
    });
  }

  get(id: number): Client | undefined {
    return this.clients.get(id);
  }

  /** @param port of a server of the workbench, or of its proxy
   * @returns undefined if too many are open */
  open(
    port: Promise<number>,
    through: Through,
    proxied: string | undefined,
  ): Client | undefined {
    const all = [...this.clients.values()];
    const closed = all.filter(({ state }) => state === 'closed');
    for (const { id } of closed.slice(0, -CLOSED_KEPT)) this.clients.delete(id);
    if (all.length - closed.length >= CONNECTIONS_LIMIT) return undefined;
    this.opened += 1;
    const { onChange, opened, pendingOf } = this;
    const client = new Client(opened, through, proxied, port, onChange, pendingOf);
    this.clients.set(client.id, client);
    return client;
  }

  /** @param isHeld whether it waits for the next send of this page that is not held, and
   * begins with it
   * @returns false if too much is to be sent already */
  send(client: Client, sending: Sending, isHeld: boolean, page: string): boolean {
    const bytes = sending.pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
    if (this.waiting + bytes > WAITING_LIMIT) return false;
    this.waiting += bytes;
    const { ready } = client;
    // What follows on a connection that is held comes after it, and is held with it.
    const isAfterHeld = [...this.held.values()].flat().some((one) => one.client === client);
    const held = this.held.get(page) ?? [];
    const begun = new Promise<void>((begin) => {
      if (isAfterHeld) begin(ready);
      else held.push({ client, ready, begin });
    });
    this.held.set(page, held);
    client.send(sending, begun);
    void client.ready.then(() => (this.waiting -= bytes));
    if (!isHeld) this.release(page);
    return true;
  }

  /** Begins what is held, all at once, when every client of it is ready, and the server has
   * accepted it: else the first request would be handled before the second one is read. */
  private release(page: string): void {
    const held = this.held.get(page) ?? [];
    this.held.delete(page);
    const ready = Promise.all(held.map((one) => one.ready));
    void ready.then(passRounds).then(() => held.forEach(({ begin }) => begin()));
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

/** Lets the proxy and the server accept and read what is there. */
async function passRounds(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await new Promise(setImmediate);
}
