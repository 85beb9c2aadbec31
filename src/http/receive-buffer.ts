/** Takes bytes as they arrive, and gives out lines and counted bytes. In this folder, only
 * this file cuts requests into lines. It counts bytes in two ways. An offset counts the
 * bytes of the request from 0. An index is a place in the current block, and is valid until
 * another block replaces that one. */
import { Byte, skipLineChars, skipToken } from './grammar';

const { CR, LF } = Byte;

/** A block decodes at least this many bytes at once, or all that are left: enough for a few
 * small requests, and little memory for one. */
const DECODE_AHEAD = 2048;

/** A block of at most so many bytes is kept, however little of it is left. */
const SMALL_BLOCK = 4096;

/** What is still held of the line around a wrong byte, and the offset of its first byte. */
export interface Excerpt {
  readonly bytes: Buffer;
  readonly offset: number;
}

/** Bytes that have arrived, with room for more. */
class Block {
  /** The bytes from the index `decodedFrom` on, as text. */
  private decoded = '';
  private decodedFrom = 0;

  /** @param length how many of the bytes have arrived */
  constructor(
    readonly bytes: Buffer,
    public length: number,
  ) {}

  /** @returns the bytes between two indices as ISO-8859-1, a superset of US-ASCII
   * (9112 §2.2) */
  text(from: number, to: number): string {
    if (from < this.decodedFrom || to > this.decodedFrom + this.decoded.length) {
      const ahead = Math.min(this.length, Math.max(to, from + DECODE_AHEAD));
      this.decoded = this.bytes.toString('latin1', from, ahead);
      this.decodedFrom = from;
    }
    return this.decoded.slice(from - this.decodedFrom, to - this.decodedFrom);
  }
}

/** What ended a line: CRLF, a byte that no line may hold, or the limit of its length. */
export type LineEnding = 'CRLF' | 'bare CR' | 'bare LF' | 'control character' | 'too long';

/** A line is the bytes of a block from the index `start` up to the index `end`, without its
 * CRLF. If a byte that no line may hold ended it, that byte is its last. */
export class Line {
  readonly bytes: Buffer;

  /** @param requestStart the index at which the request starts
   * @param tokenEnd the index after the token that the line starts with, if any */
  constructor(
    private readonly block: Block,
    private readonly requestStart: number,
    readonly start: number,
    readonly tokenEnd: number,
    readonly end: number,
    readonly ending: LineEnding,
  ) {
    this.bytes = block.bytes;
  }

  /** @returns the bytes between two indices as text */
  text(from: number, to: number): string {
    return this.block.text(from, to);
  }

  /** @returns the offset in the request of the byte at an index */
  offsetOf(index: number): number {
    return index - this.requestStart;
  }
}

const NOTHING = new Block(Buffer.alloc(0), 0);

/** What the bytes of the block are:
 *
 *     0             heldFrom       position      length        bytes.length
 *     |  forgotten  |  held: read  |  unread     |  room       |
 *
 * The offset of a byte is its index less `requestStart`.
 */
export class ReceiveBuffer {
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

  /** How many bytes have arrived since the request began. */
  get received(): number {
    return this.block.length - this.requestStart;
  }

  /** The offset of the next byte to read. */
  get offset(): number {
    return this.position - this.requestStart;
  }

  /** Whether part of the next line has arrived, other than the CR of an empty line. */
  get hasBegunLine(): boolean {
    return this.unread > 0 && this.peek(0) !== CR;
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
      this.replace(new Block(bytes, bytes.length), heldFrom);
      return;
    }
    // Only a block of our own has room. Doubling it keeps copying linear, however small the
    // parts.
    if (block.bytes.length - block.length < bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (held + bytes.length));
      block.bytes.copy(larger, 0, heldFrom, block.length);
      this.replace(new Block(larger, held), heldFrom);
    }
    bytes.copy(this.block.bytes, this.block.length);
    this.block.length += bytes.length;
  }

  /** @param block starts with the byte that has the index `from` now */
  private replace(block: Block, from: number): void {
    this.block = block;
    this.requestStart -= from;
    this.position -= from;
    this.heldFrom = 0;
  }

  /** Takes the next line, once its CRLF has arrived. A line ends earlier at a byte that no
   * line may hold, or at the limit, and then nothing after it can be taken.
   * @param limit the most bytes that the line may have
   * @returns undefined if more bytes are needed */
  takeLine(limit: number): Line | undefined {
    const { block, position: start, requestStart, scanned } = this;
    const { bytes, length: received } = block;
    const limitIndex = start + limit;
    const to = Math.min(received, limitIndex);
    // Any line may hold what a token may hold.
    let tokenEnd = skipToken(bytes, start + scanned, to);
    const at = skipLineChars(bytes, tokenEnd, to);

    // Nothing is wrong so far, but the line may go on.
    if (at === received || (bytes[at] === CR && at + 1 === received)) {
      this.scanned = at - start;
      return undefined;
    }

    // What was scanned before may go beyond the token.
    if (scanned > 0) tokenEnd = skipToken(bytes, start, at);

    if (bytes[at] === CR && bytes[at + 1] === LF) {
      this.position = at + '\r\n'.length;
      this.scanned = 0;
      return new Line(block, requestStart, start, tokenEnd, at, 'CRLF');
    }

    // The wrong byte, if there is one, is part of the line.
    let ending: LineEnding = at === limitIndex ? 'too long' : 'control character';
    if (bytes[at] === CR) ending = 'bare CR';
    else if (bytes[at] === LF) ending = 'bare LF';
    const end = ending === 'too long' ? at : at + 1;
    return new Line(block, requestStart, start, tokenEnd, end, ending);
  }

  skip(count: number): void {
    this.position += count;
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

  /** Forgets what has been read. Where that is most of a block, what is left gets a block of
   * its own: it may wait for long, and would keep all of the old one. */
  discardRead(): void {
    const { position, unread } = this;
    const { bytes, length } = this.block;
    if (unread === 0) this.replace(NOTHING, position);
    else if (bytes.length > SMALL_BLOCK && 2 * unread < bytes.length) {
      const rest = Buffer.allocUnsafe(unread);
      bytes.copy(rest, 0, position, length);
      this.replace(new Block(rest, unread), position);
    } else this.heldFrom = position;
  }

  /** @returns what is held of the line around an offset, with its line end */
  excerpt(offset: number): Excerpt {
    const { bytes, length: received } = this.block;
    const index = offset + this.requestStart;
    let from = index;
    while (from > this.heldFrom && bytes[from - 1] !== LF) from -= 1;
    const lf = bytes.indexOf(LF, index);
    const to = lf < 0 ? received : Math.min(lf + 1, received);
    return { bytes: bytes.subarray(from, to), offset: from - this.requestStart };
  }
}
