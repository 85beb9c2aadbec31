/** A client of a simulated server. It reads whatever arrives, unless a test has it stop. */
import { bytes } from '../support/bytes';
import type { Kernel } from './kernel';
import { TcpConnection } from './tcp';

export interface ClientOptions {
  /** How many bytes the system holds between the two: toward the server, and back. */
  readonly inputRoom?: number;
  readonly outputRoom?: number;
}

export class SimulatedClient {
  readonly connection: TcpConnection;
  /** What it has read. */
  received = '';
  /** When it has read how many bytes. */
  readonly reads: { readonly time: number; readonly bytes: number }[] = [];
  /** How the server has closed its side: after the last byte, or with a reset. */
  ending: 'end' | 'reset' | undefined;
  /** What has reached the server's system, and when. */
  readonly sent: { readonly time: number; readonly bytes: Buffer }[] = [];
  /** What has not. */
  private readonly unsent: Buffer[] = [];
  private hasEnded = false;
  /** Whether it has closed both sides, or the connection was reset. */
  isGone = false;
  /** Called with what it has just read, if only nothing. */
  onRead = (_: string): void => {};
  private isReading = true;

  constructor(
    private readonly kernel: Kernel,
    { inputRoom = 1_000_000, outputRoom = 1_000_000 }: ClientOptions = {},
  ) {
    this.connection = new TcpConnection(kernel, inputRoom, outputRoom, () =>
      this.onChange(),
    );
    if (kernel.listener === undefined) throw new Error('no server listens');
    kernel.listener.connect(this.connection);
  }

  /** Sends bytes, written as bytes() reads them. */
  send(text: string): this {
    return this.write(bytes(text));
  }

  write(data: Buffer): this {
    if (this.hasEnded) throw new Error('the client has closed its side');
    this.unsent.push(data);
    this.sendUnsent();
    return this;
  }

  /** Closes its sending side, once everything is sent. */
  end(): void {
    this.hasEnded = true;
    this.sendUnsent();
  }

  reset(): void {
    this.isGone = true;
    this.connection.clientResets();
  }

  /** Closes both sides at once. */
  close(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.connection.clientCloses();
  }

  stopReading(): void {
    this.isReading = false;
  }

  readOn(): void {
    this.isReading = true;
    this.connection.wakeClient();
  }

  /** Reads so many bytes, if they are there, and sees whether more can come. */
  read(most: number): void {
    const { isResetByServer, output } = this.connection;
    const text = output.take(most).toString('latin1');
    this.received += text;
    if (text !== '') this.reads.push({ time: this.kernel.time, bytes: text.length });
    const isAtEnd = output.hasEnded && output.length === 0;
    if (isAtEnd || isResetByServer) this.ending ??= isResetByServer ? 'reset' : 'end';
    this.isGone ||= isResetByServer;
    this.onRead(text);
  }

  /** The statuses of what it has read so far. */
  get statuses(): number[] {
    const lines = this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g);
    return Array.from(lines, ([, status]) => Number(status));
  }

  private sendUnsent(): void {
    const { connection, unsent } = this;
    if (this.isGone) return;
    for (let data = unsent.shift(); data !== undefined; data = unsent.shift()) {
      const count = data.length > 0 ? connection.clientWrites(data) : 0;
      if (count > 0)
        this.sent.push({ time: this.kernel.time, bytes: data.subarray(0, count) });
      if (count === data.length) continue;
      unsent.unshift(data.subarray(count));
      break;
    }
    if (this.hasEnded && unsent.length === 0) connection.input.hasEnded = true;
  }

  private onChange(): void {
    if (this.isGone) return;
    this.read(this.isReading ? Infinity : 0);
    this.sendUnsent();
  }
}
