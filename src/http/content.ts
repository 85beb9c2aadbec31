/** The content of a request (9110 §6.4), by length (9112 §6.2) or in chunks (9112 §7.1). */
import { CHUNK_LINE_LIMIT, parseChunkLine, type ChunkLine } from './chunk-line';
import { FieldSection } from './field-line';
import type { ContentFraming } from './framing';
import { Byte } from './grammar';
import { hintOnChunk, hintOnChunkBefore, mayHoldItsEnd, type RequestBefore } from './hints';
import { bareLfError, LINE_END } from './line-end';
import { waitFor, type Waiting } from './outcome';
import { allowedBy, ourChoice, ProtocolError } from './protocol-error';
import type { Observer } from './observer';
import type { Line, ReceiveBuffer } from './receive-buffer';

const { CR, LF } = Byte;

/** The most bytes of content in one request. */
const CONTENT_LIMIT = 1_048_576;

/** What is expected of longer content. */
const SHORTER = 'content that is no longer than the limit';

/** After this many chunks, other connections get a turn. */
const CHUNKS_AT_ONCE = 128;
const TURN = 'the end of the content, or a turn to read it';
const PAUSE: Waiting = { ...waitFor(TURN, '9112 7.1'), kind: 'pause' };

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
  /** The size of the last of them, and 0 before the first. */
  private chunkSize = 0;
  /** How many bytes the extensions of all of them have. */
  private extensionBytes = 0;

  constructor(
    private readonly framing: ContentFraming,
    private readonly buffer: ReceiveBuffer,
    private readonly trace: Observer | undefined,
  ) {}

  /** Checks the announced length before the content is asked for with 100 (Continue). */
  checkAnnounced(): void {
    const { framing } = this;
    if (framing.kind === 'length') this.checkSize(framing.length, this.buffer.offset);
  }

  /** Reads all of the content. */
  *read(): Steps {
    if (this.framing.kind === 'length') yield* this.readData(this.framing.length);
    else yield* this.readChunks();
  }

  /** chunked-body = *chunk last-chunk trailer-section CRLF */
  private *readChunks(): Steps {
    const { buffer } = this;
    for (;;) {
      while (!this.takeChunkLine()) {
        const missing = buffer.hasBegunLine ? 'the end of the chunk line' : 'a chunk line';
        yield waitFor(missing, '9112 7.1');
      }
      if (this.chunkSize === 0) break;
      yield* this.readData(this.chunkSize);
      this.trace?.begin('end of the chunk');
      while (!this.takeChunkEnd()) {
        yield waitFor(`the CRLF after the data of chunk ${this.chunks}`, '9112 7.1');
      }
      buffer.discardRead();
      if (this.chunks % CHUNKS_AT_ONCE === 0 && buffer.unread > 0) yield PAUSE;
    }

    // The trailer section is checked and dropped: merged into the header, a trailer field
    // could reframe or reroute a message that has already been judged (9110 §6.5.1).
    const trailer = new FieldSection('trailer', buffer, this.trace);
    while (!trailer.takeLines()) yield trailer.missing;
    this.trace?.trailerSection(trailer.lines, buffer.offset);
  }

  /** @returns false if more bytes are needed */
  private takeChunkLine(): boolean {
    const line = this.buffer.takeLine(CHUNK_LINE_LIMIT);
    if (line === undefined) return false;
    const chunk = this.parse(line);
    this.chunkSize = chunk.size;
    this.extensionBytes += chunk.extensions;
    if (chunk.size > 0) this.chunks += 1;
    this.checkSize(chunk.size, line.offsetOf(line.start));
    this.trace?.chunkLine(this.chunks, this.length, line, chunk);
    return true;
  }

  /** If a line is not a chunk line, the size of the chunk before it may have been wrong: a
   * hint says so. */
  private parse(line: Line): ChunkLine {
    try {
      return parseChunkLine(line, this.extensionBytes);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.hint !== '') throw error;
      const text = line.text(line.start, line.end);
      throw error.withHint(hintOnChunkBefore(text, this.chunkData));
    }
  }

  /** A recipient that skipped any two bytes here would find the next chunk elsewhere
   * (9112 §7.1).
   * @returns false if more bytes are needed */
  private takeChunkEnd(): boolean {
    const { buffer } = this;
    const first = buffer.peek(0);
    const second = buffer.peek(1);
    const isFirstWrong = first !== undefined && first !== CR;
    const isSecondWrong = second !== undefined && second !== LF;
    if (isFirstWrong || isSecondWrong) throw this.chunkEndError(isFirstWrong);
    if (second === undefined) return false;
    buffer.skip(2);
    this.trace?.chunkEnd(this.chunks, buffer.offset);
    return true;
  }

  private chunkEndError(isFirstWrong: boolean): ProtocolError {
    const { buffer, chunkData: data } = this;
    // Where the data has a line end, its size is more likely to be wrong than this LF.
    const isBareLf = buffer.peek(0) === LF && !mayHoldItsEnd(data);
    if (isBareLf) return bareLfError(buffer.offset, '9112 7.1', '');
    const wrong = buffer.offset + (isFirstWrong ? 0 : 1);
    const expected = isFirstWrong ? LINE_END : 'the second byte of the line end (\\n)';
    const hint = hintOnChunk(data);
    const reason = 'The data of a chunk is not followed by CRLF';
    return allowedBy('9112 7.1', wrong, reason, { expected, hint });
  }

  /** Reads the content, or the data of a chunk. */
  private *readData(size: number): Steps {
    const { buffer } = this;
    // What is here at once stays held, so that an excerpt shows it before a wrong line end.
    const isHere = buffer.unread >= size;
    for (let left = size; left > 0;) {
      while (buffer.unread === 0) yield this.missingData(size, left);
      // Only now: before its first byte, the client has sent nothing that is too much.
      this.checkSize(left, buffer.offset);
      const count = Math.min(left, buffer.unread);
      this.append(count);
      left -= count;
      if (!isHere) buffer.discardRead();
    }
  }

  private missingData(size: number, left: number): Waiting {
    const isChunk = this.framing.kind === 'chunked';
    const what = isChunk ? `the data of chunk ${this.chunks}` : 'the content';
    const by = isChunk ? 'the size of this chunk' : 'its Content-Length';
    const announced = { by, size, arrived: size - left } as const;
    const section = isChunk ? '9112 7.1' : '9112 6.2';
    if (this.length + left > CONTENT_LIMIT) {
      // The rest of it would be rejected, too.
      const missing = `the first byte of ${what}, whose length is over the limit`;
      return { ...waitFor(missing, section), announced, expected: SHORTER };
    }
    const missing = `${left} more byte${left === 1 ? '' : 's'} of ${what}`;
    return { ...waitFor(missing, section), announced };
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
    const options = { status: 413, expected: SHORTER, fault: 'large' } as const;
    throw ourChoice('9110 15.5.14', offset, reason, options);
  }

  /** The data of the last chunk, once it has been read. */
  private get chunkData(): Buffer {
    return this.bytes.subarray(this.length - this.chunkSize, this.length);
  }

  /** Whether the client has announced that there is none. */
  get isEmpty(): boolean {
    return this.framing.kind === 'length' && this.framing.length === 0;
  }

  get summary(): RequestBefore {
    return { framing: this.framing.kind, size: this.length };
  }

  /** The content, with one character for each byte. */
  get text(): string {
    return this.bytes.toString('latin1', 0, this.length);
  }
}
