/** A client on a raw socket: sends bytes, waits for bytes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { bytes, raw } from './bytes';
import { Notifier } from '../../src/study/notifier';

export interface Answer {
  readonly status: number;
  /** The header fields, with their names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly content: string;
  /** The whole message. */
  readonly raw: string;
}

/** How the server closed its side: 'reset' for anything but a half-close. */
type Ending = 'end' | 'reset';

/** What a client sees of a server that closes without another byte. */
export const CLOSED_IN_SILENCE = { how: 'end', rest: '' } as const;

export class Client {
  /** What has arrived and was not taken yet. */
  private received = '';
  private ending: Ending | undefined;
  private readonly changes = new Notifier();
  /** Resolves when both sides are closed, in whatever way. */
  readonly gone: Promise<void>;

  private constructor(readonly socket: Socket) {
    this.gone = new Promise((resolve) => socket.on('close', () => resolve()));
    socket.on('data', (data) => {
      this.received += data.toString('latin1');
      this.changes.notify();
    });
    socket.on('end', () => this.finish('end'));
    socket.on('error', () => (this.ending = 'reset'));
    socket.on('close', () => this.finish('reset'));
  }

  static async connect(port: number): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    return new Client(socket);
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
    await this.wait(() => this.received.includes(text));
    return this.take(this.received.indexOf(text) + text.length);
  }

  /** Takes the next response.
   * @param bodiless whether it ends with its empty line, as one to HEAD */
  async answer(bodiless = false): Promise<Answer> {
    const head = await this.until('\r\n\r\n');
    const [start = '', ...lines] = head.trimEnd().split('\r\n');
    const fields = Object.fromEntries(lines.map(parseField));
    const length = bodiless ? 0 : Number(fields['content-length'] ?? 0);
    await this.wait(() => this.received.length >= length);
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
  async closed(): Promise<{ readonly how: Ending; readonly rest: string }> {
    await this.changes.until(() => this.ending !== undefined);
    return { how: this.ending ?? 'reset', rest: this.take(this.received.length) };
  }

  private take(count: number): string {
    const taken = this.received.slice(0, count);
    this.received = this.received.slice(count);
    return taken;
  }

  private finish(ending: Ending): void {
    this.ending ??= ending;
    this.changes.notify();
  }

  private async wait(condition: () => boolean): Promise<void> {
    await this.changes.until(() => this.ending !== undefined || condition());
    if (condition()) return;
    const { ending, received } = this;
    const start = JSON.stringify(received.slice(0, 500));
    throw new Error(
      `the server closed (${ending}) after ${received.length} bytes: ${start}`,
    );
  }
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
