/** A client on a raw socket: sends bytes, waits for bytes. */
import type { Socket } from 'node:net';
import { Player } from '../../src/study/player';
import { bytes, raw } from './bytes';

export interface Answer {
  readonly status: number;
  /** The header fields, with their names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly content: string;
  /** The whole message. */
  readonly raw: string;
}

/** What a client sees of a server that closes without another byte. */
export const CLOSED_IN_SILENCE = { how: 'end', rest: '' } as const;

export class Client {
  /** Resolves when both sides are closed, in whatever way. */
  readonly gone: Promise<void>;

  /** @param player has received what was not taken yet */
  private constructor(private readonly player: Player) {
    this.gone = new Promise((resolve) => this.socket.on('close', () => resolve()));
    player.read();
  }

  static async connect(port: number): Promise<Client> {
    return new Client(await Player.connect(port));
  }

  get socket(): Socket {
    return this.player.socket;
  }

  /** Sends bytes, written as bytes() reads them. */
  send(text: string): this {
    this.socket.write(bytes(text));
    return this;
  }

  /** Closes our side. */
  end(): this {
    this.socket.end();
    return this;
  }

  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Takes what has arrived, up to the end of a text. */
  async until(text: string): Promise<string> {
    await this.wait((received) => received.includes(text));
    return this.take(this.player.received.indexOf(text) + text.length);
  }

  /** Takes the next response.
   * @param bodiless whether it ends with its empty line, as one to HEAD */
  async answer(bodiless = false): Promise<Answer> {
    const head = await this.until('\r\n\r\n');
    const [start = '', ...lines] = head.trimEnd().split('\r\n');
    const fields = Object.fromEntries(lines.map(parseField));
    const length = bodiless ? 0 : Number(fields['content-length'] ?? 0);
    await this.wait((received) => received.length >= length);
    const content = this.take(length);
    return { status: Number(start.split(' ')[1]), fields, content, raw: head + content };
  }

  /** Takes some responses, and returns their statuses. */
  async statuses(count: number): Promise<number[]> {
    const statuses: number[] = [];
    while (statuses.length < count) statuses.push((await this.answer()).status);
    return statuses;
  }

  /** Sends a request and takes its response. */
  async ask(start: string, lines = '', content = ''): Promise<Answer> {
    this.send(raw`${start} HTTP/1.1\r\nHost: a\r\n${lines}\r\n${content}`);
    return this.answer(start.startsWith('HEAD '));
  }

  /** Waits for the server to close. @returns how it did, and what arrived before */
  async closed(): Promise<{ readonly how: 'end' | 'reset'; readonly rest: string }> {
    await this.player.ended();
    const { ending = 'reset', received } = this.player;
    return { how: ending, rest: this.take(received.length) };
  }

  private take(count: number): string {
    const { received } = this.player;
    this.player.received = received.slice(count);
    return received.slice(0, count);
  }

  private async wait(isEnough: (received: string) => boolean): Promise<void> {
    await this.player.until(isEnough);
    const { ending, received } = this.player;
    if (isEnough(received)) return;
    const start = JSON.stringify(received.slice(0, 500));
    throw new Error(
      `the server closed (${ending}) after ${received.length} bytes: ${start}`,
    );
  }
}

/** Sends a piece again and again, as fast as the other side reads. */
export function flood(socket: Socket, piece: string | Buffer): void {
  const more = (): void => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
