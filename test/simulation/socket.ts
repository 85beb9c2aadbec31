/** The server's end of a simulated connection: what net.Socket adds to a Duplex, with the
 * system's part simulated. Everything that a stream does is Node's own. */
import { Duplex } from 'node:stream';
import type { Kernel, Pollable } from './kernel';
import type { TcpConnection } from './tcp';

/** How libuv reads: so many bytes at once, and so often before others get a turn. */
const READ_SIZE = 65_536;
const READS = 32;

type Callback = (error?: Error | null) => void;

interface Chunk {
  readonly chunk: string | Buffer;
  readonly encoding: BufferEncoding;
}

export class SimulatedSocket extends Duplex implements Pollable {
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  private isReading = false;
  private hasReadEnd = false;
  /** What the system could not take at once. */
  private writing: { rest: Buffer; readonly callback: Callback } | undefined;
  private ending: Callback | undefined;

  constructor(
    private readonly kernel: Kernel,
    private readonly connection: TcpConnection,
  ) {
    // As net.Socket does: strings reach the system as they are, and "close" comes from
    // there.
    super({ allowHalfOpen: true, decodeStrings: false, emitClose: false });
    this.remoteAddress = connection.isReset ? undefined : connection.address;
    this.remotePort = connection.isReset ? undefined : connection.port;
    kernel.watch(this);
    this.read(0);
  }

  override _read(): void {
    this.isReading = true;
  }

  override _write(chunk: string | Buffer, encoding: BufferEncoding, callback: Callback) {
    this._writev([{ chunk, encoding }], callback);
  }

  override _writev(chunks: readonly Chunk[], callback: Callback): void {
    const buffers = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    const [first = Buffer.alloc(0)] = buffers;
    const bytes = buffers.length === 1 ? first : Buffer.concat(buffers);
    if (this.connection.isReset) {
      callback(systemError('EPIPE'));
      return;
    }
    const rest = bytes.subarray(this.connection.serverWrites(bytes));
    if (rest.length === 0) callback();
    else this.writing = { rest, callback };
  }

  override _final(callback: Callback): void {
    this.ending = callback;
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.isReading = false;
    this.connection.closeServer();
    const { writing } = this;
    this.writing = undefined;
    this.ending = undefined;
    this.kernel.unwatch(this);
    this.kernel.atClose(async () => {
      if (writing !== undefined)
        await this.kernel.call(() => writing.callback(systemError('ECANCELED')));
      await this.kernel.call(() => this.emit('close', error !== null));
    });
    callback(error);
  }

  get isReady(): boolean {
    return this.isInputReady || this.isOutputReady;
  }

  private get isInputReady(): boolean {
    const { input, isReset } = this.connection;
    return (
      this.isReading && !this.hasReadEnd && (input.length > 0 || input.hasEnded || isReset)
    );
  }

  /** Linux reports room once a third of a buffer is free. */
  private get isOutputReady(): boolean {
    const { output, isReset } = this.connection;
    if (this.writing === undefined) return this.ending !== undefined;
    return isReset || 3 * (output.room - output.length) >= output.room;
  }

  async poll(): Promise<void> {
    if (this.isInputReady) await this.pollInput();
    if (this.isOutputReady) await this.pollOutput();
  }

  private async pollInput(): Promise<void> {
    const { connection } = this;
    const { input } = connection;
    let isPartial = false;
    for (let reads = READS; reads > 0 && this.isReading && !isPartial; reads -= 1) {
      if (input.length === 0) break;
      const bytes = connection.serverReads(READ_SIZE);
      isPartial = bytes.length < READ_SIZE;
      await this.kernel.call(() => {
        if (!this.push(bytes)) this.isReading = false;
      });
    }
    if (!this.isReading || input.length > 0) return;
    // Where bytes came with a reset, libuv reports an end.
    if (input.hasEnded || (connection.isReset && isPartial)) {
      this.hasReadEnd = true;
      await this.kernel.call(() => {
        this.push(null);
        this.read(0);
      });
    } else if (connection.isReset) {
      await this.kernel.call(() => this.destroy(systemError('ECONNRESET')));
    }
  }

  private async pollOutput(): Promise<void> {
    const { connection, ending, writing } = this;
    if (writing !== undefined) {
      const { callback, rest } = writing;
      const isReset = connection.isReset;
      writing.rest = isReset ? rest : rest.subarray(connection.serverWrites(rest));
      if (!isReset && writing.rest.length > 0) return;
      this.writing = undefined;
      await this.kernel.call(() => callback(isReset ? systemError('EPIPE') : null));
    } else if (ending !== undefined) {
      this.ending = undefined;
      connection.serverEnds();
      await this.kernel.call(() => ending());
    }
  }
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
