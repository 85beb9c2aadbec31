/** What lies between a client and the server: two buffers of the system, and how TCP
 * ends. */
import type { Kernel } from './kernel';

const NOTHING = Buffer.alloc(0);

/** One direction: what one side has sent, and the other has not read yet. */
class Pipe {
  length = 0;
  /** Whether a FIN comes after it. */
  hasEnded = false;
  private chunks: Buffer[] = [];

  constructor(readonly room: number) {}

  /** @returns how many bytes had room */
  put(bytes: Buffer): number {
    const count = Math.min(bytes.length, this.room - this.length);
    if (count > 0) this.chunks.push(bytes.subarray(0, count));
    this.length += count;
    return count;
  }

  take(most: number): Buffer {
    if (this.length === 0) return NOTHING;
    const [first = NOTHING] = this.chunks;
    const all = this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
    const taken = all.subarray(0, most);
    this.chunks = taken.length < all.length ? [all.subarray(taken.length)] : [];
    this.length -= taken.length;
    return taken;
  }
}

export class TcpConnection {
  readonly address = '127.0.0.1';
  readonly port = this.kernel.nextPort();
  /** To the server. */
  readonly input: Pipe;
  /** To the client. */
  readonly output: Pipe;
  /** Whether the client has reset the connection, or a reset has returned from its
   * system. */
  isReset = false;
  isResetByServer = false;
  /** How many bytes the system has taken from the server. */
  taken = 0;
  private isClientClosed = false;
  private isServerClosed = false;
  private isToldSoon = false;

  /** @param inputRoom how many bytes the buffer to the server holds
   * @param outputRoom how many bytes the buffer to the client holds
   * @param onChange tells the client that it may read or write again */
  constructor(
    private readonly kernel: Kernel,
    inputRoom: number,
    outputRoom: number,
    private readonly onChange: () => void,
  ) {
    this.input = new Pipe(inputRoom);
    this.output = new Pipe(outputRoom);
  }

  /** The client is another program: it notices a change after the server has gone on. */
  wakeClient(): void {
    if (this.isToldSoon) return;
    this.isToldSoon = true;
    this.kernel.at(this.kernel.time, () => {
      this.isToldSoon = false;
      this.onChange();
    });
  }

  /** @returns how many bytes the system took */
  clientWrites(bytes: Buffer): number {
    if (!this.isServerClosed) return this.input.put(bytes);
    this.resetClient();
    return bytes.length;
  }

  clientResets(): void {
    if (this.isServerClosed) return;
    this.isReset = true;
    this.output.take(Infinity);
  }

  /** Closes both sides. With bytes that it has not read, that is a reset. */
  clientCloses(): void {
    if (this.output.length > 0) {
      this.clientResets();
      return;
    }
    this.isClientClosed = true;
    this.input.hasEnded = true;
  }

  /** @returns how many bytes the system took */
  serverWrites(bytes: Buffer): number {
    if (this.isClientClosed) {
      this.isReset = true; // comes back from the client's system
      this.taken += bytes.length;
      return bytes.length;
    }
    this.wakeClient();
    const count = this.output.put(bytes);
    this.taken += count;
    return count;
  }

  serverReads(most: number): Buffer {
    this.wakeClient();
    return this.input.take(most);
  }

  serverEnds(): void {
    this.output.hasEnded = true;
    this.wakeClient();
  }

  /** Closes both sides. With bytes that the server has not read, that is a reset. */
  closeServer(): void {
    this.isServerClosed = true;
    if (this.input.length > 0) this.resetClient();
    else this.serverEnds();
  }

  resetClient(): void {
    this.isServerClosed = true;
    if (this.isResetByServer) return;
    this.isResetByServer = true;
    if (this.kernel.freedom.resetLosesData()) this.output.take(Infinity);
    this.wakeClient();
  }
}
