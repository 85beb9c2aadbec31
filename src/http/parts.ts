/** The parts of a message: what each of its bytes is, as the parser that read them says it.
 * Only a trace needs them: without one, nothing here runs. */
import type { Line } from './line';
import type { ReaderEvent } from './outcome';
import type { Excerpt } from './receive-buffer';

/** A name of the grammar (9112, 9110), or of a field whose value has a grammar of its
 * own. */
export type PartName =
  | 'method'
  | 'SP'
  | 'request-target'
  | 'HTTP-version'
  | 'status-code'
  | 'reason-phrase'
  | 'CRLF'
  | 'field-name'
  | 'colon'
  | 'OWS'
  | 'field-value'
  | 'Host'
  | 'Connection'
  | 'Content-Length'
  | 'Transfer-Encoding'
  | 'Expect'
  | 'chunk-size'
  | 'chunk-ext'
  | 'chunk-data'
  | 'content';

/** `offset` counts the bytes of the message from 0. */
export interface Part {
  readonly name: PartName;
  readonly offset: number;
  readonly length: number;
}

/** What is read as one: a line, or the bytes between two lines. */
export type LineKind =
  | 'empty line before the request line'
  | 'request line'
  | 'status line'
  | 'header field line'
  | 'end of the header section'
  | 'chunk line'
  | 'chunk data'
  | 'end of the chunk'
  | 'last chunk'
  | 'trailer field line'
  | 'end of the trailer section'
  | 'content';

/** A line that was read or written, and its parts. */
export interface LineParts {
  readonly kind: LineKind;
  readonly parts: readonly Part[];
}

/** Tells a trace what the reader decides, with the parts that each decision is about. */
export class ReaderTrace {
  private readonly sink: (event: ReaderEvent) => void;
  /** What is being read, and the parts of it that are known. */
  private kind: LineKind = 'request line';
  private parts: Part[] = [];

  constructor(sink: (event: ReaderEvent) => void) {
    this.sink = sink;
  }

  /** A line of this kind is read next. */
  begin(kind: LineKind): void {
    this.kind = kind;
    this.parts = [];
  }

  /** The empty line that ends a section is read; what the whole section says is told next.
   * @param end the offset after it */
  beginEnd(section: 'header' | 'trailer', end: number): void {
    this.begin(`end of the ${section} section`);
    this.addBytes('CRLF', end - '\r\n'.length, '\r\n'.length);
  }

  /** Adds the bytes of a line between two indices as a part, if there are any. */
  add(name: PartName, line: Line, from: number, to: number): void {
    this.addBytes(name, line.offsetOf(from), to - from);
  }

  addBytes(name: PartName, offset: number, length: number): void {
    if (length > 0) this.parts.push({ name, offset, length });
  }

  /** Tells a decision, with the parts that were added since the last one. */
  tell(event: ReaderEvent): void {
    const { parts } = this;
    this.parts = [];
    const isAboutParts = event.type === 'parse' && event.part !== 'request';
    // In this order: where a property follows the spread, V8 lets what it refers to live
    // until a full collection.
    this.sink(isAboutParts && parts.length > 0 ? { parts, ...event } : event);
  }

  /** Tells which bytes are content. They need not have arrived. */
  tellContent(offset: number, length: number): void {
    this.begin('content');
    this.addBytes('content', offset, length);
    this.tell({ type: 'parse', part: 'content' });
  }

  /** @param end the offset after the CRLF that follows the data of a chunk */
  tellChunkEnd(number: number, end: number): void {
    this.addBytes('CRLF', end - '\r\n'.length, '\r\n'.length);
    this.tell({ type: 'parse', part: 'chunk end', number });
  }

  /** Tells what was being read, and its parts before the wrong byte.
   * @param wrong the offset of that byte
   * @param excerpt the line that it is in, as far as it has arrived */
  tellRejected(wrong: number, { bytes, offset: start }: Excerpt): void {
    const { kind } = this;
    const isWhole = bytes.toString('latin1').endsWith('\r\n');
    const lineEnd = isWhole ? start + bytes.length - '\r\n'.length : undefined;
    const parts = this.parts.filter(({ offset, length }) => offset + length <= wrong);
    this.sink({ type: 'parse', part: 'rejected line', kind, lineEnd, parts });
  }
}
