/** Takes bytes as they arrive, and gives out lines and counted bytes. In this folder, only
 * this file splits requests into lines. It counts bytes in two ways. An offset counts the
 * bytes of the request from 0. An index is a place in the current block, and is valid until
 * another block replaces that one. */
import { Byte, skipLineChars } from './grammar';
import { Block, Line, type LineEnding } from './line';

const { CR, LF } = Byte;

const NOTHING = new Block(Buffer.alloc(0), 0);

/** What is still held of the line around a wrong byte, and the offset of its first byte. */
export interface Excerpt {
  readonly bytes: Buffer;
  readonly offset: number;
}

/** What the bytes of the block are:
 *
 *     0             heldFrom       position      length        bytes.length
 *     |  forgotten  |  held: read  |  unread     |  room       |
 */
export class ReceiveBuffer {
  /** What has arrived and is held, from the index `heldFrom` on. */
  private block = NOTHING;
  private heldFrom = 0;
  /** The index of the next byte to read. */
  private position = 0;
  /** The index at which the request starts. It is negative once the bytes there are
   * forgotten: -45 if the block starts with the byte at the offset 45. */
  private requestStart = 0;

  /** How many bytes of an incomplete line takeLine() has scanned. */
  private scanned = 0;

  /** How many bytes have arrived and are unread. */
  get unread(): number {
    return this.block.length - this.position;
  }

  /** How many bytes of memory are held. */
  get capacity(): number {
    return this.block.bytes.length;
  }

  /** The offset of the next byte to read. */
  get offset(): number {
    return this.position - this.requestStart;
  }

  /** Whether part of the next line has arrived, other than the CR of an empty line. */
  get hasBegunLine(): boolean {
    return this.unread > 0 && this.block.bytes[this.position] !== CR;
  }

  /** Whether what is unread is at most an empty line, and the start of another. */
  get holdsAtMostEmptyLine(): boolean {
    const { position, unread } = this;
    return unread <= 3 && '\r\n\r'.startsWith(this.block.text(position, position + unread));
  }

  /** @param bytes the buffer keeps them, so do not modify them */
  push(bytes: Buffer): void {
    const { block, heldFrom } = this;
    const held = block.length - heldFrom;
    if (held === 0) {
      this.replace(new Block(bytes, bytes.length));
      return;
    }
    // Only a block of our own has room. Doubling it keeps copying linear, however small the
    // parts.
    if (block.bytes.length - block.length < bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (held + bytes.length));
      block.bytes.copy(larger, 0, heldFrom, block.length);
      this.replace(new Block(larger, held));
    }
    bytes.copy(this.block.bytes, this.block.length);
    this.block.length += bytes.length;
  }

  /** @param block starts with what is held */
  private replace(block: Block): void {
    this.block = block;
    this.requestStart -= this.heldFrom;
    this.position -= this.heldFrom;
    this.heldFrom = 0;
  }

  /** Takes the next line, once its CRLF has arrived. A line ends earlier at a byte that no
   * line may hold, or at the limit, and then nothing after it can be taken.
   * @param limit the most bytes that the line may have
   * @returns undefined if more bytes are needed */
  takeLine(limit: number): Line | undefined {
    const { block, position: start, requestStart } = this;
    const { bytes, length: received } = block;
    const limitIndex = start + limit;
    const at = skipLineChars(bytes, start + this.scanned, Math.min(received, limitIndex));

    // Nothing is wrong so far, but the line may go on.
    if (at === received || (bytes[at] === CR && at + 1 === received)) {
      this.scanned = at - start;
      return undefined;
    }

    if (bytes[at] === CR && bytes[at + 1] === LF) {
      this.position = at + '\r\n'.length;
      this.scanned = 0;
      return new Line(block, requestStart, start, at, 'CRLF');
    }

    const ending = this.wrongEnding(at, limitIndex);
    const end = ending === 'too long' ? at : at + 1; // with the wrong byte, if there is one
    return new Line(block, requestStart, start, end, ending);
  }

  /** @param at the index of a byte that ends a line and is not the CR of CRLF
   * @param limit the index of the first byte beyond the limit */
  private wrongEnding(at: number, limit: number): LineEnding {
    const byte = this.block.bytes[at];
    if (byte === CR) return 'bare CR';
    if (byte === LF) return 'bare LF';
    return at === limit ? 'too long' : 'control character';
  }

  /** The bytes of the block. indexAt() gives the index of one that is still held. */
  get bytes(): Buffer {
    return this.block.bytes;
  }

  /** @param offset of a byte that is still held
   * @returns its index in `bytes` */
  indexAt(offset: number): number {
    return offset + this.requestStart;
  }

  skip(count: number): void {
    this.position += count;
  }

  /** Takes bytes, and all the memory that they are in: what follows them is copied
   * elsewhere.
   * @param count at most as many as are unread */
  takeBytes(count: number): Buffer {
    const { block, position: from } = this;
    this.position += count;
    this.discardRead();
    if (this.unread > 0) {
      const rest = Buffer.from(block.bytes.subarray(this.position, block.length));
      this.replace(new Block(rest, rest.length));
    }
    return block.bytes.subarray(from, from + count);
  }

  /** Copies bytes into `target`, at the index `at`.
   * @param count at most as many as are unread */
  moveBytes(count: number, target: Buffer, at: number): void {
    this.block.bytes.copy(target, at, this.position, this.position + count);
    this.position += count;
  }

  /** @returns the byte at `distance` from the next one, or undefined if it has not
   * arrived */
  peek(distance: number): number | undefined {
    return distance < this.unread ? this.block.bytes[this.position + distance] : undefined;
  }

  /** Makes the next byte the first of a request: its offset becomes 0. */
  startRequest(): void {
    this.requestStart = this.position;
    this.discardRead();
  }

  /** Forgets what has been read. */
  discardRead(): void {
    this.heldFrom = this.position;
    if (this.unread === 0) this.replace(NOTHING);
  }

  /** @returns what is held of the line around an offset, with its line end */
  excerpt(offset: number): Excerpt {
    const { bytes, length: received } = this.block;
    const index = this.indexAt(offset);
    let from = index;
    while (from > this.heldFrom && bytes[from - 1] !== LF) from -= 1;
    const lf = bytes.indexOf(LF, index);
    const to = lf < 0 ? received : Math.min(lf + 1, received);
    return { bytes: bytes.subarray(from, to), offset: from - this.requestStart };
  }
}
