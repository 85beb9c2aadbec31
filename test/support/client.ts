/** A client on a raw socket: sends octets, waits for octets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { octets } from './octets';

export interface Answer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly content: string;
  /** The whole message. */
  readonly raw: string;
}

export class Client {
  /** What has come and was not taken yet. */
  received = '';
  /** How the server ended it: 'end' for a half-close, 'reset' for anything else. */
  private ending: 'end' | 'reset' | undefined;
  private wake = (): void => {};
  /** Settles when both sides are closed, however. */
  readonly gone: Promise<void>;

  private constructor(readonly socket: Socket) {
    this.gone = new Promise((resolve) => socket.on('close', () => resolve()));
    socket.on('data', (data) => this.happened(() => (this.received += data.toString('latin1'))));
    socket.on('end', () => this.happened(() => (this.ending ??= 'end')));
    socket.on('error', () => this.happened(() => (this.ending = 'reset')));
    socket.on('close', () => this.happened(() => (this.ending ??= 'reset')));
  }

  static async connect(port: number): Promise<Client> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    await once(socket, 'connect');
    return new Client(socket);
  }

  /** Sends octets, written as String.raw with visible escapes. */
  send(raw: string): this {
    this.socket.write(octets(raw));
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

  /** Takes octets that have come, up to the end of a text. */
  async until(text: string): Promise<string> {
    await this.wait(() => this.received.includes(text));
    return this.take(this.received.indexOf(text) + text.length);
  }

  /** Takes the next answer. @param bodiless whether it ends with its empty line, as one to HEAD */
  async answer(bodiless = false): Promise<Answer> {
    const head = await this.until('\r\n\r\n');
    const [start = '', ...lines] = head.trimEnd().split('\r\n');
    const fields = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
    const length = bodiless ? 0 : Number(fields['content-length'] ?? 0);
    await this.wait(() => this.received.length >= length);
    const content = this.take(length);
    return { status: Number(start.split(' ')[1]), fields, content, raw: head + content };
  }

  /** Sends a request and takes its answer. */
  async ask(start: string, lines = '', content = ''): Promise<Answer> {
    this.send(String.raw`${start} HTTP/1.1\r\nHost: a\r\n${lines}\r\n${content}`);
    return this.answer(start.startsWith('HEAD '));
  }

  /** Waits for the server to close. @returns how it did, and what came before */
  async closed(): Promise<{ readonly how: 'end' | 'reset'; readonly rest: string }> {
    await this.wait(() => this.ending !== undefined);
    return { how: this.ending ?? 'reset', rest: this.take(this.received.length) };
  }

  private take(count: number): string {
    const taken = this.received.slice(0, count);
    this.received = this.received.slice(count);
    return taken;
  }

  private happened(change: () => void): void {
    change();
    this.wake();
  }

  private async wait(enough: () => boolean): Promise<void> {
    while (!enough()) {
      if (this.ending !== undefined) throw new Error(`the server closed (${this.ending}); before that came ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
