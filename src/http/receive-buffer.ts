/** Bytes in; lines, and counted bytes, out. Only this file splits lines. An index is one of
 * `bytes`, which is replaced as it grows. An offset counts the bytes of the request from 0. */
import { Byte, skipLineChars, skipToken } from './grammar';
import { allowedBy, type ProtocolError } from './protocol-error';

export const NOTHING = Buffer.alloc(0);
/** The fewest bytes to decode at once: a few small requests, yet little to hold for one. */
const DECODE_AHEAD = 2048;

/** The line taken last, without its line end: the buffer itself, so valid until the next one. */
export type Line = Readonly<
  Pick<ReceiveBuffer, 'bytes' | 'start' | 'end' | 'tokenEnd' | 'ending' | 'offsetOf' | 'text'>
>;

/** The line around a wrong byte, as far as it is still held, and the offset of its first byte. */
export type Excerpt = { readonly bytes: Buffer; readonly offset: number };

export class ReceiveBuffer {
  // Received from `retainedFrom` to `received`; `position` is the next byte to read.
  bytes: Buffer = NOTHING;
  position = 0;
  private received = 0;
  private retainedFrom = 0;
  private base = 0; // what to add to an index to get an offset

  // The line that was taken last.
  start = 0;
  end = 0;
  tokenEnd = 0; // where the token that it starts with ends: a method, or a field name
  /** How it ended: at CRLF; at a byte that no line may hold, kept as its last; or at the limit. */
  ending: 'CRLF' | 'invalid byte' | 'too long' = 'CRLF';
  /** A lone CR or LF at its end. It replaces an error at the same byte: RequestReader.next(). */
  lineEndError: ProtocolError | undefined;

  // Of an incomplete line: how much was scanned, and of that, the token. No byte is scanned twice.
  private scanned = 0;
  private tokenLength = 0;
  // `bytes` from an index on, as text: decoded once for what arrived together.
  private decoded = '';
  private decodedFrom = 0;

  get unread(): number {
    return this.received - this.position;
  }
  /** The offset of the next byte. */
  get offset(): number {
    return this.position + this.base;
  }
  offsetOf(index: number): number {
    return index + this.base;
  }
  /** @param offset of a byte that is still held */
  indexOf(offset: number): number {
    return offset - this.base;
  }

  /** @param bytes must not be changed afterwards */
  push(bytes: Buffer): void {
    const held = this.received - this.retainedFrom;
    if (held === 0) return this.hold(bytes, bytes.length);
    // Only a buffer of our own has room. Doubling it keeps copying linear, however small the parts.
    if (this.bytes.length - this.received < bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (held + bytes.length));
      this.bytes.copy(larger, 0, this.retainedFrom, this.received);
      this.hold(larger, held);
    }
    bytes.copy(this.bytes, this.received);
    this.received += bytes.length;
  }

  /** Replaces `bytes` with a buffer that starts with what is retained. */
  private hold(bytes: Buffer, received = 0): void {
    this.bytes = bytes;
    this.received = received;
    this.base += this.retainedFrom;
    this.position -= this.retainedFrom;
    this.retainedFrom = 0;
    this.decoded = '';
  }

  /** Takes the next line, once its CRLF is here. The line ends earlier at a byte that no line may
   * hold (a control character other than HTAB, or a lone CR or LF), or at the limit.
   * @param limit the most bytes that the line may have, its CRLF not counted
   * @param section that says how the line ends
   * @returns undefined where more bytes are needed */
  takeLine(limit: number, section: '9112 2.2' | '9112 7.1' = '9112 2.2'): Line | undefined {
    const { bytes, position: start, received } = this;
    const to = Math.min(received, start + limit);
    let at = start + this.scanned;
    let tokenEnd = start + this.tokenLength;
    if (tokenEnd === at) at = tokenEnd = skipToken(bytes, at, to);
    at = skipLineChars(bytes, at, to);
    if (at === received || (at + 1 === received && bytes[at] === Byte.CR)) {
      this.scanned = at - start;
      this.tokenLength = tokenEnd - start;
      return undefined;
    }
    this.start = start;
    this.end = at;
    this.tokenEnd = tokenEnd;
    const byte = bytes[at];
    if (byte === Byte.CR && bytes[at + 1] === Byte.LF) {
      this.position = at + 2;
      this.scanned = this.tokenLength = 0;
      this.ending = 'CRLF';
      return this;
    }
    if (at === start + limit && byte !== Byte.CR && byte !== Byte.LF) {
      this.ending = 'too long';
      return this;
    }
    // 9112 §2.2 would let us accept LF, except in chunked content, and read CR as SP. Where a proxy
    // sees one line and a server two, requests are smuggled.
    if (byte === Byte.LF) {
      this.lineEndError = allowedBy(section, this.offsetOf(at), 'A line ends with LF, not CRLF', {
        hint: 'a terminal sends only LF (nc -C sends CRLF)',
      });
    }
    if (byte === Byte.CR) {
      this.lineEndError = allowedBy('9112 2.2', this.offsetOf(at), 'A CR is not followed by LF');
    }
    this.end = at + 1;
    this.ending = 'invalid byte';
    return this;
  }

  /** The bytes between two indices as ISO-8859-1, a superset of US-ASCII (9112 §2.2). */
  text(from: number, to: number): string {
    if (from < this.decodedFrom || to > this.decodedFrom + this.decoded.length) {
      const ahead = Math.min(this.received, Math.max(to, from + DECODE_AHEAD));
      this.decoded = this.bytes.toString('latin1', from, ahead);
      this.decodedFrom = from;
    }
    return this.decoded.slice(from - this.decodedFrom, to - this.decodedFrom);
  }

  /** The next byte is the first of a request: offset 0. */
  startRequest(): void {
    // Not -position: V8 stores -0 as a floating-point number, and every offset would become one.
    this.base = 0 - this.position;
    this.discardRead();
  }

  /** What was read so far is not needed any more. */
  discardRead(): void {
    this.retainedFrom = this.position;
    if (this.position === this.received) this.hold(NOTHING);
  }

  /** Whether part of the next line is here, and it is not an empty line. */
  get hasBegunLine(): boolean {
    return this.unread > 0 && this.bytes[this.position] !== Byte.CR;
  }

  /** The line around an offset, with its line end, as far as it is here and still held. */
  excerpt(offset: number): Excerpt {
    const index = this.indexOf(offset);
    let from = index;
    while (from > this.retainedFrom && this.bytes[from - 1] !== Byte.LF) from -= 1;
    const lf = this.bytes.indexOf(Byte.LF, index);
    const to = lf < 0 ? this.received : Math.min(lf + 1, this.received);
    return { bytes: this.bytes.subarray(from, to), offset: this.offsetOf(from) };
  }
}
