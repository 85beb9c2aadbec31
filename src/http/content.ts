/** The content of a request (9110 §6.4), by length (9112 §6.2) or in chunks (9112 §7.1). */
import { FieldSection } from './field-line';
import type { Framing } from './framing';
import { Byte, skipHexDigits, TCHAR } from './grammar';
import { waitFor, type ReaderEvent, type Steps } from './outcome';
import { allowedBy, findFault, ourChoice, type Fault } from './protocol-error';
import { NOTHING, type Line, type ReceiveBuffer } from './receive-buffer';

const CONTENT_LIMIT = 1_048_576; // the most bytes of content in one request
/** The most bytes of a chunk line, and of all extensions of a message: §7.1.1 asks for a limit. */
const CHUNK_LINE_LIMIT = 1024;
const EXTENSIONS_LIMIT = 16_384;

/** How many more bytes of content all connections together may hold. */
export type ContentBudget = { left: number };

/** The content of one request. What takes and reads it may throw a ProtocolError. */
export class Content {
  /** Where it is: in the buffer that received it, or in one that gathers it. */
  private bytes: Buffer = NOTHING;
  private from = 0;
  private length = 0;

  constructor(
    private readonly buffer: ReceiveBuffer,
    private readonly budget: ContentBudget,
    private readonly trace: ((event: ReaderEvent) => void) | undefined,
  ) {}

  /** The usual case: all of it is here, and is not copied. @returns whether that is so */
  takeWhole(framing: Framing): boolean {
    const { buffer } = this;
    if (framing.kind !== 'length' || buffer.unread < framing.length) return false;
    this.checkSize(framing.length, buffer.offset);
    this.reserve(framing.length);
    this.bytes = buffer.bytes;
    this.from = buffer.position;
    buffer.position += framing.length;
    return true;
  }

  /** The client waits for 100 (Continue): content that is too long is not asked for. */
  allowContinue(framing: Framing): void {
    if (framing.kind === 'length') this.checkSize(framing.length, this.buffer.offset);
    this.trace?.({ type: 'expect' });
  }

  *read(framing: Framing): Steps<void> {
    if (framing.kind === 'chunked') yield* this.readChunks();
    if (framing.kind === 'length') yield* this.readData(framing.length, 'the content', '9112 6.2');
  }

  /** chunked-body = *chunk last-chunk trailer-section CRLF */
  private *readChunks(): Steps<void> {
    const { buffer, trace } = this;
    let size = 0;
    let chunks = 0;
    let extensions = 0; // their bytes so far
    for (;;) {
      const { offset } = buffer;
      let line: Line | undefined;
      while ((line = buffer.takeLine(CHUNK_LINE_LIMIT, '9112 7.1')) === undefined) {
        yield waitFor('the end of the chunk line', '9112 7.1');
      }
      ({ size, extensions } = parseChunkLine(line, extensions));
      if (size === 0) {
        trace?.({ type: 'parse', part: 'last chunk', chunks, size: this.length, offset });
        break;
      }
      chunks += 1;
      this.checkSize(size, offset);
      trace?.({ type: 'parse', part: 'chunk', number: chunks, size, offset: buffer.offset });
      if (buffer.unread >= size) this.append(size);
      else yield* this.readData(size, `the data of chunk ${chunks}`, '9112 7.1');
      while (!this.takeChunkEnd()) yield waitFor(`the CRLF after chunk ${chunks}`, '9112 7.1');
      buffer.discardRead();
    }
    const trailer = new FieldSection('trailer', buffer);
    while (!trailer.take()) yield trailer.missing;
    // Checked and dropped: merged into the header, a trailer field could reframe or reroute a
    // message that was judged already (9110 §6.5.1).
    trace?.({ type: 'parse', part: 'trailer section', lines: trailer.lines, end: buffer.offset });
  }

  /** A recipient that skipped any two bytes here would find the next chunk elsewhere (9112 §7.1).
   * @returns false where more bytes are needed */
  private takeChunkEnd(): boolean {
    const line = this.buffer.takeLine(0, '9112 7.1');
    if (line === undefined) return false;
    if (line.ending === 'CRLF') return true;
    const at = line.bytes[line.start] === Byte.CR ? line.start + 1 : line.start;
    throw allowedBy('9112 7.1', line.offsetOf(at), 'The data of a chunk is not followed by CRLF');
  }

  private *readData(size: number, what: string, section: string): Steps<void> {
    const { buffer } = this;
    const end = this.length + size;
    for (let left = size; left > 0; left = end - this.length) {
      while (buffer.unread === 0) {
        yield waitFor(`${left} more byte${left === 1 ? '' : 's'} of ${what}`, section);
      }
      this.checkSize(left, buffer.offset); // only now: the error points at a byte that is here
      this.append(Math.min(left, buffer.unread));
      buffer.discardRead();
    }
  }

  /** Moves bytes that are here. The room grows with what arrived, never with what was announced. */
  private append(count: number): void {
    const { buffer, length: before } = this;
    this.reserve(count);
    if (this.length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(2 * this.length, CONTENT_LIMIT));
      this.bytes.copy(larger, 0, 0, before);
      this.bytes = larger;
    }
    buffer.bytes.copy(this.bytes, before, buffer.position, buffer.position + count);
    buffer.position += count;
  }

  private reserve(count: number): void {
    if (count > this.budget.left) {
      throw ourChoice(
        '9110 15.6.4',
        this.buffer.offset,
        'The content of all connections together exceeds what this server can hold',
        { status: 503 },
      );
    }
    this.budget.left -= count;
    this.length += count;
  }

  /** @param offset where the error points */
  private checkSize(more: number, offset: number): void {
    if (this.length + more > CONTENT_LIMIT) {
      throw ourChoice('9110 15.5.14', offset, `The content exceeds ${CONTENT_LIMIT} bytes`, {
        status: 413,
      });
    }
  }

  /** Each byte as one character. */
  get text(): string {
    return this.bytes.toString('latin1', this.from, this.from + this.length);
  }
  /** To be called once, when the request has been answered, or never will be. */
  release(): void {
    this.budget.left += this.length;
  }
}

/** The line before the data of a chunk (9112 §7.1). Its extensions are checked and dropped.
 *
 *   chunk-size     = 1*HEXDIG
 *   chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )     (§7.1.1)
 *   chunk-ext-name = token
 *   chunk-ext-val  = token / quoted-string
 *
 * @param extensions bytes of extensions in this message before this line
 * @returns the bytes of data, 0 in the last chunk; and the bytes of extensions with this line
 * @throws ProtocolError */
function parseChunkLine(line: Line, extensions: number) {
  const { bytes, start, end, ending } = line;
  const at = skipHexDigits(bytes, start, end);
  let size = 0;
  for (let index = start; index < at; index += 1) size = size * 16 + hexValue(bytes[index] ?? 0);
  const isSize = at > start && at - start <= 16 && size <= Number.MAX_SAFE_INTEGER;
  if (isSize && at === end && ending === 'CRLF') return { size, extensions };

  const fault = findFault(SIZE_FAULTS, line.text(start, end), line.offsetOf(start));
  if (fault !== undefined) throw fault;
  const total = extensions + end - at;
  const excess = total - EXTENSIONS_LIMIT;
  if (excess > 0) {
    throw ourChoice(
      '9112 7.1.1',
      line.offsetOf(end - excess),
      `The chunk extensions of this message exceed ${EXTENSIONS_LIMIT} bytes`,
    );
  }
  if (ending === 'too long') {
    throw ourChoice(
      '9112 7.1.1',
      line.offsetOf(end),
      `A chunk line exceeds ${CHUNK_LINE_LIMIT} bytes`,
    );
  }
  const text = line.text(at, end);
  const [valid = '', whole] = EXTENSIONS.exec(text) ?? [];
  if (whole !== text) {
    throw allowedBy(
      '9112 7.1.1',
      line.offsetOf(at + valid.length),
      'A chunk extension is not ";" name [ "=" value ]',
    );
  }
  return { size, extensions: total };
}

const hexValue = (digit: number): number => (digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x57);

/** 2^53 - 1 is 1fffffffffffff. With more zeros before it, what exceeds it has over 16 digits. */
const SIZE_FAULTS: readonly Fault[] = [
  [/^(?![\da-f])/i, allowedBy, '9112 7.1', 'A chunk does not start with its size in hex'],
  [
    /^(?:0?1[\da-f]{13}|0{0,2}[2-9a-f][\da-f]{12})(?=[\da-f])/i,
    ourChoice,
    '9112 7.1',
    'A chunk-size exceeds 2^53 - 1',
  ],
  [/^[\da-f]{16}(?=[\da-f])/i, ourChoice, '9112 7.1', 'A chunk-size has more than 16 digits'],
  [
    /^[\da-f]+(?=[^\da-f;\t ])/i,
    allowedBy,
    '9112 7.1',
    'A chunk line is not chunk-size [ chunk-ext ]',
  ],
];

const BWS = '[\\t ]*';
const NAME = `${TCHAR}+`;
/** A quoted-string without its closing DQUOTE (9110 §5.6.4). */
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*';
const VALUE = `(?:${NAME}|${QUOTED}")`;
const WHOLE = `${BWS};${BWS}${NAME}(?:${BWS}=${BWS}${VALUE})?(?=${BWS};|$)`;
const PART = `${BWS}(?:;${BWS}(?:${NAME}${BWS}(?:=${BWS}(?:${VALUE}${BWS}|${QUOTED}\\\\?)?)?)?)?`;
/** Extensions that are whole, and how another one may begin: the byte after that is wrong. */
const EXTENSIONS = new RegExp(`^((?:${WHOLE})*)${PART}`);
