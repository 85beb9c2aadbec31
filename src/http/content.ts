/** The content of a request (9110 §6.4), by length (9112 §6.2) or in chunks (9112 §7.1). */
import { CHUNK_LINE_LIMIT, parseChunkLine } from './chunk-line';
import { FieldSection } from './field-line';
import type { Framing } from './framing';
import { ASK_FOR_CONTENT, waitFor, type ReaderEvent, type Steps } from './outcome';
import { ourChoice } from './protocol-error';
import type { ReceiveBuffer } from './receive-buffer';

/** The most bytes of content in one request. */
const CONTENT_LIMIT = 1_048_576;

/** Bytes of content, in the buffer that received or gathered them. */
export interface ContentBytes {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

const NOTHING: Buffer = Buffer.alloc(0);
export const NO_CONTENT: ContentBytes = { bytes: NOTHING, from: 0, to: 0 };

/** What all connections together may hold of content that is read, or waits for its turn. */
export class ContentBudget {
  private held = 0;

  /** @param limit in bytes */
  constructor(private readonly limit: number) {}

  /** @returns whether there is room, which is then taken */
  reserve(count: number): boolean {
    if (this.held + count > this.limit) return false;
    this.held += count;
    return true;
  }

  release(count: number): void {
    this.held -= count;
  }
}

/** The content of one request. All methods that read throw a ProtocolError. */
export class Content {
  private length = 0;
  private bytes = NOTHING;

  constructor(
    private readonly buffer: ReceiveBuffer,
    private readonly budget: ContentBudget | undefined,
    private readonly trace: ((event: ReaderEvent) => void) | undefined,
  ) {}

  /** The usual case: all of it is here, and is not copied. Undefined where it is not. */
  takeWhole(framing: Framing): ContentBytes | undefined {
    const { buffer } = this;
    if (framing.kind !== 'length' || buffer.unread < framing.length) return undefined;
    this.checkSize(framing.length, buffer.offset);
    this.reserve(framing.length);
    const from = buffer.position;
    buffer.position += framing.length;
    return { bytes: buffer.bytes, from, to: buffer.position };
  }

  /** @param asks whether the client waits for 100 (Continue), and has not begun without it */
  *read(framing: Framing, asks: boolean): Steps<ContentBytes> {
    if (asks) {
      if (framing.kind === 'length') this.checkSize(framing.length, this.buffer.offset);
      yield* this.askForContent();
    }
    if (framing.kind === 'chunked') yield* this.readChunks();
    if (framing.kind === 'length') yield* this.readData(framing.length, 'the content', '9112 6.2');
    return { bytes: this.bytes, from: 0, to: this.length };
  }

  /** The request is answered, or never will be. */
  release(): void {
    this.budget?.release(this.length);
    this.length = 0;
  }

  /** 100 (Continue), and then the first byte of what it asks for (9110 §10.1.1). */
  private *askForContent(): Steps<void> {
    this.trace?.({ type: 'expect' });
    yield ASK_FOR_CONTENT;
    while (this.buffer.unread === 0) {
      yield waitFor('the content that 100 (Continue) asks for', '9110 10.1.1');
    }
  }

  /** chunked-body = *chunk last-chunk trailer-section CRLF */
  private *readChunks(): Steps<void> {
    const { buffer, trace } = this;
    let extensions = 0;
    for (let number = 1; ; number += 1) {
      const { offset } = buffer;
      let line = buffer.takeLine(CHUNK_LINE_LIMIT, '9112 7.1');
      while (line === undefined) {
        yield waitFor('the end of the chunk line', '9112 7.1');
        line = buffer.takeLine(CHUNK_LINE_LIMIT, '9112 7.1');
      }
      const chunk = parseChunkLine(line, extensions);
      const { size } = chunk;
      extensions = chunk.extensions;
      if (size === 0) {
        const { length } = this;
        trace?.({ type: 'parse', part: 'last chunk', chunks: number - 1, size: length, offset });
        break;
      }
      this.checkSize(size, offset);
      trace?.({ type: 'parse', part: 'chunk', number, size, offset: buffer.offset });
      if (buffer.unread >= size) this.append(size);
      else yield* this.readData(size, `chunk ${number}`, '9112 7.1');
      while (!buffer.takeCrlf()) yield waitFor(`the CRLF after chunk ${number}`, '9112 7.1');
      buffer.discardRead();
    }
    const trailer = new FieldSection('trailer', buffer.offset);
    while (!trailer.take(buffer)) yield waitFor(...trailer.missing(buffer));
    // Merged into the header, a trailer field could reframe or reroute a message that was judged
    // already. So it is checked and dropped (9110 §6.5.1).
    trace?.({ type: 'parse', part: 'trailer section', lines: trailer.lines, end: buffer.offset });
  }

  private *readData(size: number, what: string, section: string): Steps<void> {
    const { buffer } = this;
    for (let left = size; left > 0; ) {
      if (buffer.unread === 0) {
        yield waitFor(`${left} more byte${left === 1 ? '' : 's'} of ${what}`, section);
        continue;
      }
      this.checkSize(left, buffer.offset);
      const count = Math.min(left, buffer.unread);
      this.append(count);
      buffer.discardRead();
      left -= count;
    }
  }

  /** Moves bytes that are here. The room grows with what arrived, never with what was announced. */
  private append(count: number): void {
    const index = this.length;
    this.reserve(count);
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * this.length, CONTENT_LIMIT));
      this.bytes.copy(larger, 0, 0, index);
      this.bytes = larger;
    }
    this.buffer.moveTo(this.bytes, index, count);
  }

  private reserve(count: number): void {
    if (this.budget?.reserve(count) === false) {
      const reason = 'The content of all connections together exceeds what this server can hold';
      throw ourChoice('9110 15.6.4', this.buffer.offset, reason, { status: 503 });
    }
    this.length += count;
  }

  /** @param offset of what announces so many bytes more */
  private checkSize(more: number, offset: number): void {
    if (this.length + more <= CONTENT_LIMIT) return;
    const reason = `The content exceeds ${CONTENT_LIMIT} bytes`;
    throw ourChoice('9110 15.5.14', offset, reason, { status: 413 });
  }
}
