/** A block holds bytes that have arrived, and a line is a part of it. The receive buffer
 * makes both, and the parsers read lines. */
import { allowedBy, type ProtocolError } from './protocol-error';

/** What should have been there, as an error words it. */
export const LINE_END = 'a line end (\\r\\n)';
export const LINE_FEED = 'the second byte of the line end (\\n)';

/** Bytes that have arrived, with room for more. */
export class Block {
  /** The bytes from the index `decodedFrom` on, as text. */
  private decoded = '';
  /** The index of the first of these bytes. */
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

/** A block decodes at least this many bytes at once, or all that are left: enough for a few
 * small requests, and little memory for one. */
const DECODE_AHEAD = 2048;

/** What ended a line: CRLF, a byte that no line may hold, or the limit of its length. */
export type LineEnding = 'CRLF' | 'bare CR' | 'bare LF' | 'control character' | 'too long';

export class Line {
  /** The line is the bytes from the index `start` up to the index `end`, without its
   * CRLF. If another byte ended the line, that byte is its last.
   * @param requestStart the index at which the request starts */
  constructor(
    private readonly block: Block,
    private readonly requestStart: number,
    readonly start: number,
    readonly end: number,
    readonly ending: LineEnding,
  ) {}

  /** The bytes of the line, and those around it. */
  get bytes(): Buffer {
    return this.block.bytes;
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Whether nothing is before the CRLF. */
  get isEmpty(): boolean {
    return this.start === this.end && this.ending === 'CRLF';
  }

  /** @returns the bytes between two indices as text */
  text(from: number, to: number): string {
    return this.block.text(from, to);
  }

  /** @returns the offset in the request of the byte at an index */
  offsetOf(index: number): number {
    return index - this.requestStart;
  }

  /** @returns the index of the byte at an offset in the request */
  indexOf(offset: number): number {
    return offset + this.requestStart;
  }
}

/** Where the grammar meets a bare CR or LF, the line end is what is wrong, whatever the
 * grammar expected there.
 * @param error an error at a byte of the line
 * @param section the one that says how such a line ends
 * @returns the error for the bare CR or LF if it is at the same byte, or else the same
 * error */
export function lineEndErrorOr(
  line: Line,
  error: ProtocolError,
  section: '9112 2.2' | '9112 7.1' = '9112 2.2',
): ProtocolError {
  const isAtEnd = error.offset === line.offsetOf(line.end - 1);
  if (isAtEnd && line.ending === 'bare LF') return bareLfError(error.offset, section);
  // 9112 §2.2 would let us read a bare CR as SP. Where a proxy sees one line and a server
  // two, requests are smuggled.
  if (isAtEnd && line.ending === 'bare CR') {
    const expected = 'a line end of two bytes: CR, and LF directly after it (\\r\\n)';
    return allowedBy('9112 2.2', error.offset, 'A CR is not followed by LF', { expected });
  }
  return error;
}

/** 9112 §2.2 would let us accept LF as a line end, except in chunked content (§7.1). If a
 * proxy did not, it would see one line where we see two. */
export function bareLfError(
  offset: number,
  section: '9112 2.2' | '9112 7.1',
  hint = 'a terminal sends only LF (nc -C sends CRLF)',
): ProtocolError {
  const expected = LINE_END;
  return allowedBy(section, offset, 'A line ends with LF, not CRLF', { hint, expected });
}
