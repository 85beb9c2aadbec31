/** The content of a request (9110 §6.4), by length (9112 §6.2) or in chunks (9112 §7.1). */
import { CHUNK_LINE_LIMIT, parseChunkLine, type ChunkLine } from './chunk-line';
import { FieldSection } from './field-line';
import type { ContentFraming } from './framing';
import { Byte } from './grammar';
import { hintOnChunk, hintOnChunkBefore, mayHoldItsEnd } from './hints';
import { bareLfError, LINE_END } from './line-end';
import { waitFor, type Announced, type Waiting } from './outcome';
import { allowedBy, ourChoice, ProtocolError } from './protocol-error';
import type { ReaderTrace } from './reader-trace';
import type { Line, ReceiveBuffer } from './receive-buffer';

const { CR, LF } = Byte;

/** The most bytes of content in one request. */
const CONTENT_LIMIT = 1_048_576;

/** What is expected of longer content. */
export const SHORTER = 'content that is no longer than the limit';

/** After this many chunks, other connections get a turn. */
const CHUNKS_AT_ONCE = 128;
const PAUSE: Waiting = { ...waitFor('the next chunk', '9112 7.1'), kind: 'pause' };

/** A procedure that yields where it must wait. */
type Steps = Generator<Waiting, void>;

/** The content of one request. The methods that take or check it may throw a
 * ProtocolError. */
export class Content {
  /** What has been read, with room for more after `length`. */
  private bytes: Buffer = Buffer.alloc(0);
  private length = 0;
  /** How many chunks have begun. */
  private chunks = 0;
  /** How many bytes the extensions of all of them have. */
  private extensionBytes = 0;

  constructor(
    private readonly framing: ContentFraming,
    private readonly buffer: ReceiveBuffer,
    private readonly trace: ReaderTrace | undefined,
  ) {}

  /** Checks the announced length before the content is asked for with 100 (Continue). */
  checkAnnounced(): void {
    const { framing } = this;
    if (framing.kind === 'length') this.checkSize(framing.length, this.buffer.offset);
  }

  /** Reads all of the content. */
  *read(): Steps {
    const { framing } = this;
    if (framing.kind === 'chunked') yield* this.readChunks();
    else {
      yield* this.readData(framing.length, 'the content', '9112 6.2', 'its Content-Length');
    }
  }

  /** chunked-body = *chunk last-chunk trailer-section CRLF */
  private *readChunks(): Steps {
    const { buffer } = this;
    let sizeBefore = 0;
    for (;;) {
      let size = this.takeChunkLine(sizeBefore);
      while (size === undefined) {
        const missing = buffer.hasBegunLine ? 'the end of the chunk line' : 'a chunk line';
        yield waitFor(missing, '9112 7.1');
        size = this.takeChunkLine(sizeBefore);
      }
      if (size === 0) break;
      const what = `the data of chunk ${this.chunks}`;
      yield* this.readData(size, what, '9112 7.1', 'the size of this chunk');
      while (!this.takeChunkEnd(size)) {
        yield waitFor(`the CRLF after the data of chunk ${this.chunks}`, '9112 7.1');
      }
      buffer.discardRead();
      sizeBefore = size;
      if (this.chunks % CHUNKS_AT_ONCE === 0 && buffer.unread > 0) yield PAUSE;
    }

    // The trailer section is checked and dropped: merged into the header, a trailer field
    // could reframe or reroute a message that has already been judged (9110 §6.5.1).
    const trailer = new FieldSection('trailer', buffer, this.trace);
    while (!trailer.takeLines()) yield trailer.missing;
    this.trace?.trailerSection(trailer.lines, buffer.offset);
  }

  /** Only the size leaves this function: while readChunks() waits, it would keep a line,
   * and with it the block that the line arrived in.
   * @param sizeBefore that of the chunk before
   * @returns the size of the chunk, 0 for the last one, or undefined if more bytes are
   * needed */
  private takeChunkLine(sizeBefore: number): number | undefined {
    const line = this.buffer.takeLine(CHUNK_LINE_LIMIT);
    if (line === undefined) return undefined;
    const chunk = this.parse(line, sizeBefore);
    this.extensionBytes += chunk.extensions;
    if (chunk.size === 0) {
      this.trace?.lastChunk(this.chunks, this.length, line, chunk);
    } else {
      this.chunks += 1;
      this.checkSize(chunk.size, line.offsetOf(line.start));
      this.trace?.chunk(this.chunks, line, chunk);
    }
    return chunk.size;
  }

  /** If a line is not a chunk line, the size of the chunk before it may have been wrong: a
   * hint says so. */
  private parse(line: Line, sizeBefore: number): ChunkLine {
    try {
      return parseChunkLine(line, this.extensionBytes);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.hint !== '') throw error;
      const data = this.bytes.subarray(this.length - sizeBefore, this.length);
      throw error.withHint(hintOnChunkBefore(line.text(line.start, line.end), data));
    }
  }

  /** A recipient that skipped any two bytes here would find the next chunk elsewhere
   * (9112 §7.1).
   * @param size of the data before it
   * @returns false if more bytes are needed */
  private takeChunkEnd(size: number): boolean {
    const { buffer } = this;
    this.trace?.begin('end of the chunk');
    const first = buffer.peek(0);
    const second = buffer.peek(1);
    const isFirstWrong = first !== undefined && first !== CR;
    const isSecondWrong = second !== undefined && second !== LF;
    if (isFirstWrong || isSecondWrong) throw this.chunkEndError(size, isFirstWrong);
    if (second === undefined) return false;
    buffer.skip(2);
    this.trace?.chunkEnd(this.chunks, buffer.offset);
    return true;
  }

  private chunkEndError(size: number, isFirstWrong: boolean): ProtocolError {
    const { buffer, bytes, length } = this;
    const data = bytes.subarray(length - size, length);
    // Where the data has a line end, its size is more likely to be wrong than this LF.
    const isBareLf = buffer.peek(0) === LF && !mayHoldItsEnd(data);
    if (isBareLf) return bareLfError(buffer.offset, '9112 7.1', '');
    const wrong = buffer.offset + (isFirstWrong ? 0 : 1);
    const expected = isFirstWrong ? LINE_END : 'the second byte of the line end (\\n)';
    const hint = hintOnChunk(data);
    const reason = 'The data of a chunk is not followed by CRLF';
    return allowedBy('9112 7.1', wrong, reason, { expected, hint });
  }

  /** @param what says which bytes they are
   * @param section the one that says so
   * @param by what has announced them */
  private *readData(
    size: number,
    what: string,
    section: string,
    by: Announced['by'],
  ): Steps {
    const { buffer } = this;
    if (buffer.unread >= size) {
      // The usual case: all of it is here.
      this.checkSize(size, buffer.offset);
      this.append(size);
      return;
    }
    let left = size;
    while (left > 0) {
      while (buffer.unread === 0) {
        const announced = { by, size, arrived: size - left };
        // The rest of it would be rejected, too.
        const isTooLong = this.length + left > CONTENT_LIMIT;
        const missing = isTooLong
          ? `the first byte of ${what}, whose length is over the limit`
          : `${left} more byte${left === 1 ? '' : 's'} of ${what}`;
        const expected = isTooLong ? SHORTER : undefined;
        yield { ...waitFor(missing, section), announced, expected };
      }
      // Only now, because the error points at a byte that has arrived.
      this.checkSize(left, buffer.offset);
      const count = Math.min(left, buffer.unread);
      this.append(count);
      left -= count;
      buffer.discardRead();
    }
  }

  /** Moves bytes that have arrived into the content. The room grows with what arrives, up to
   * what was announced. */
  private append(count: number): void {
    const { framing, length: before } = this;
    this.length += count;
    if (this.length > this.bytes.length) {
      const most = framing.kind === 'length' ? framing.length : CONTENT_LIMIT;
      const larger = Buffer.allocUnsafe(Math.min(2 * this.length, most));
      this.bytes.copy(larger, 0, 0, before);
      this.bytes = larger;
    }
    this.buffer.moveBytes(count, this.bytes, before);
  }

  /** @param more how many bytes are to be added
   * @param offset where the error points */
  private checkSize(more: number, offset: number): void {
    if (this.length + more <= CONTENT_LIMIT) return;
    const reason = `The content exceeds ${CONTENT_LIMIT} bytes`;
    throw ourChoice('9110 15.5.14', offset, reason, { status: 413, expected: SHORTER });
  }

  /** How many bytes have been read. */
  get size(): number {
    return this.length;
  }

  /** The content, with one character for each byte. */
  get text(): string {
    return this.bytes.toString('latin1', 0, this.length);
  }
}
