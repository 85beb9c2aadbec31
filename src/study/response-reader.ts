/** Reads responses from the bytes of one connection, as a client does: each is awaited by a
 * request (9112 §9.2), and 9112 §6.3 says where it ends. It runs in a browser, too.
 *
 * At a mistake that a client may forgive, the reader notes the byte and reads on as most
 * clients would. It rejects only what nobody can read on after: a client MUST, or the
 * reader cannot know what follows. So a strict caller looks at `mistakes`. */
import { findInvalidExtensionByte } from '../http/chunk-line';
import {
  findControlFields,
  listElements,
  type ControlFields,
} from '../http/control-fields';
import {
  Byte,
  equalsIgnoreCase,
  hexValue,
  isDigit,
  isOws,
  skipLineChars,
  skipToken,
  trimOws,
} from '../http/grammar';
import type { FieldLine } from '../http/message';
import { partsFrom, type LineKind, type LineParts, type PartName } from '../http/parts';
import { determinePersistence } from '../http/persistence';
import { allowedBy, ourChoice, ProtocolError, requiredBy } from '../http/protocol-error';
import { count } from '../text/text';

const { CR, LF, SEMICOLON } = Byte;

/** The most bytes of a response, and the most of its mistakes that are noted. */
export const RESPONSE_LIMIT = 1_048_576;
const MISTAKES_LIMIT = 100;
/** The most digits of a Content-Length: every 15-digit integer is exact. */
const DIGITS_LIMIT = 15;

/** How a status line begins; # is a digit. */
const EXPECTED = 'HTTP/1.# ### ';
/** The same for a client that splits at white space. Some servers repeat the major version
 * of the request. */
const STATUS_LINE = /^HTTP\/\d\.(\d)[\s\0]+(\d{3})(?:[\s\0]+([^]*))?$/;

/** What is wrong with a response, and what the RFC asks of a client there: `required by` if
 * it MUST NOT take the response as it is, `allowed by` if the bytes break the grammar and
 * it may do either, `our choice` for a limit of this reader. Offsets count all bytes of
 * the connection from 0. */
export type Mistake = Omit<ProtocolError, 'status' | 'withHint'>;

/** Where the content ends, by which item of 9112 §6.3. */
export type ResponseFraming = {
  readonly rule: 1 | 2 | 4 | 6 | 8;
  readonly reason: string;
} & (
  | { readonly kind: 'none' | 'tunnel' | 'chunked' | 'close' }
  | { readonly kind: 'length'; readonly length: number }
);

/** What precedes the content, and what it says. */
export interface ResponseHead {
  /** The method of the request that awaits it: undefined if none does. */
  readonly method: string | undefined;
  readonly minorVersion: number;
  readonly status: number;
  /** The status code and the reason phrase: "200 OK". */
  readonly statusText: string;
  readonly fields: readonly FieldLine[];
  readonly framing: ResponseFraming;
  /** Whether the final response is still to come (9110 §15.2). */
  readonly isInterim: boolean;
  /** Whether another response may follow on the connection (9112 §9.3). */
  readonly persists: boolean;
}

export interface ReceivedResponse extends ResponseHead {
  readonly kind: 'response';
  /** All its bytes, and the offset of the first. */
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** Without its transfer coding, if that is chunked. */
  readonly content: Uint8Array;
  readonly trailer: readonly FieldLine[];
  readonly mistakes: readonly Mistake[];
}

export interface MissingBytes {
  readonly kind: 'wait';
  /** What is missing, such as "3 more bytes of the content". */
  readonly missing: string;
  /** The section that asks for it, such as "9112 6.2". */
  readonly section: string;
  /** Whether a response has begun. */
  readonly inResponse: boolean;
}

export type ResponseOutcome =
  | MissingBytes
  | ReceivedResponse
  | { readonly kind: 'rejected'; readonly error: Mistake }
  /** Nothing more is read as a response: how many bytes are left over. */
  | { readonly kind: 'finished'; readonly unread: number };

export interface ResponseReaderOptions {
  /** The methods of the requests that have been sent: one GET by default. */
  readonly methods?: readonly string[];
  /** Takes the name of each byte as it is read. */
  readonly describe?: ((line: LineParts) => void) | undefined;
}

type Steps<Result = void> = Generator<MissingBytes, Result>;
type Section = 'header' | 'trailer';
type StatusLine = Pick<ResponseHead, 'minorVersion' | 'status' | 'statusText'>;
type Named = readonly [name: PartName, length: number];

/** A line, without its line end, by the indices of its bytes. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

export class ResponseReader {
  /** The bytes that are held: `length` have arrived, `at` have been read, and the response
   * starts at `start`. The first of them has the offset `base`. */
  private bytes = new Uint8Array(256);
  private length = 0;
  private at = 0;
  private start = 0;
  private base = 0;
  /** The methods of the requests that have no final response yet (9112 §9.2). */
  private readonly awaited: string[];
  /** Of the response that is being read: what is wrong with it, and its header section once
   * that is complete. */
  mistakes: readonly Mistake[] = [];
  head: ResponseHead | undefined;
  private readonly describe: ResponseReaderOptions['describe'];
  private reading: Steps<ReceivedResponse> | undefined;
  private ending: 'close' | 'reset' | undefined;
  private isOver = false;
  private hasLastChunk = false;
  /** Where the content is in the bytes. */
  private ranges: (readonly [from: number, to: number])[] = [];

  constructor({ methods = ['GET'], describe }: ResponseReaderOptions = {}) {
    this.awaited = [...methods];
    this.describe = describe;
  }

  /** Notes that another request was sent. */
  await(method: string): void {
    this.awaited.push(method);
  }

  push(bytes: Uint8Array): void {
    const length = this.length + bytes.length;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(bytes, this.length);
    this.length = length;
  }

  /** Notes that the server sends nothing more. After a reset, content without a length is
   * incomplete (9112 §8). */
  end(ending: 'close' | 'reset' = 'close'): void {
    this.ending ??= ending;
  }

  /** How many bytes of its content have been read. */
  get contentSize(): number {
    return this.ranges.reduce((size, [from, to]) => size + to - from, 0);
  }

  /** Reads on, at most to the end of one response, final or interim. */
  next(): ResponseOutcome {
    if (this.isOver) return this.finish();
    try {
      const outcome = this.step();
      if (outcome.kind !== 'wait' || this.ending === undefined) return outcome;
      if (!outcome.inResponse && this.awaited.length === 0) return this.finish();
      const how = this.ending === 'reset' ? 'was reset' : 'ended';
      const where = outcome.inResponse ? 'mid-response' : 'before a response';
      const reason = `The connection ${how} ${where}; still missing: ${outcome.missing}`;
      const offset = this.base + this.length;
      if (!outcome.inResponse) return this.reject(allowedBy('9112 9.3.1', offset, reason));
      // Chunked content is complete when the last chunk has arrived.
      const makeError = this.hasLastChunk ? allowedBy : requiredBy;
      return this.reject(makeError('9112 8', offset, reason));
    } catch (error) {
      if (error instanceof ProtocolError) return this.reject(error);
      throw error;
    }
  }

  private step(): MissingBytes | ReceivedResponse {
    this.reading ??= this.readResponse();
    const { done, value } = this.reading.next();
    if (done === true) this.reading = undefined;
    return value;
  }

  private finish(): ResponseOutcome {
    this.isOver = true;
    return { kind: 'finished', unread: this.length - this.at };
  }

  private reject(error: ProtocolError): ResponseOutcome {
    this.isOver = true;
    this.note(error);
    return { kind: 'rejected', error };
  }

  /** Notes the first mistake at a byte. */
  private note(error: ProtocolError): void {
    const { mistakes } = this;
    const isKnown = mistakes.some(({ offset }) => offset === error.offset);
    if (!isKnown && mistakes.length < MISTAKES_LIMIT) this.mistakes = [...mistakes, error];
  }

  /** Notes what a client may forgive, at an index. */
  private noteAt(at: number, section: string, reason: string): void {
    this.note(allowedBy(section, this.base + at, reason));
  }

  /** A response, from top to bottom (9112 §2.1). */
  private *readResponse(): Steps<ReceivedResponse> {
    this.mistakes = [];
    this.head = undefined;
    this.ranges = [];
    this.hasLastChunk = false;
    yield* this.readStart();
    const method = this.awaited[0];
    const line = yield* this.readLine('the end of the status line', '9112 4');
    const statusLine = this.parseStatusLine(line);
    const fields = yield* this.readFields('header');
    const head = this.interpret(method, statusLine, fields);
    this.head = head;
    const trailer = yield* this.readContent(head.framing);
    return this.complete(head, trailer);
  }

  /** Skips empty lines, and waits for the first bytes of a response. */
  private *readStart(): Steps {
    for (;;) {
      yield* this.needByte('a response', '9112 2.1');
      const end = yield* this.findLineEnd('the end of an empty line', '9112 2.2');
      if (this.bytes[end] !== LF) break;
      // After all responses, an empty line means nothing (9112 §9.2).
      const isLeftOver = this.awaited.length === 0;
      if (!isLeftOver)
        this.noteAt(this.at, '9112 2.2', 'An empty line before the response');
      this.at = end + 1;
      if (isLeftOver) this.discardRead();
    }
    if (this.awaited.length === 0) {
      // A client MUST NOT take it for a response (9112 §6.3, §9.2).
      const offset = this.base + this.at;
      this.note(requiredBy('9112 9.2', offset, 'No request awaits what follows'));
    }
    // A server of another protocol may never send a line end.
    for (let index = 0; index < 'HTTP/'.length; index += 1) {
      yield* this.needByte('the rest of the status line', '9112 4', index);
      if (this.bytes[this.at + index] !== EXPECTED.charCodeAt(index)) {
        const offset = this.base + this.at + index;
        throw allowedBy('9112 4', offset, 'A response does not start with "HTTP/"');
      }
    }
  }

  /** status-line = HTTP-version SP status-code SP [ reason-phrase ]             (9112 §4) */
  private parseStatusLine(line: Line): StatusLine {
    const { start, end } = line;
    const text = this.text(start, end);
    const wrong = findMismatch(text);
    const [, minor, code, phrase = ''] = STATUS_LINE.exec(text) ?? [];
    const [section, reason] = whatIsWrong(text, wrong);
    if (minor === undefined || code === undefined) {
      throw allowedBy(section, this.base + start + wrong, reason);
    }
    // 9112 §4 lets a client split the line at any white space.
    if (wrong < EXPECTED.length) this.noteAt(start + wrong, section, reason);
    const status = Number(code);
    if (status < 100 || status > 599) {
      // A client SHOULD read it as one from 500 to 599 (9110 §15).
      const at = start + text.indexOf(code, 8);
      this.noteAt(at, '9110 15', 'The status code is not from 100 to 599');
    }
    // prettier-ignore
    if (wrong === EXPECTED.length) {
      this.tell('status line', line,
        ['HTTP-version', 8], ['SP', 1], ['status-code', 3], ['SP', 1],
        ['reason-phrase', end - start - EXPECTED.length]);
    } else this.tell('status line', { ...line, start: end });
    return { minorVersion: Number(minor), status, statusText: `${code} ${phrase}`.trim() };
  }

  /** Reads a section to its empty line. */
  private *readFields(section: Section): Steps<FieldLine[]> {
    const fields: FieldLine[] = [];
    for (;;) {
      const line = yield* this.readLine(
        `the end of ${section} field line ${fields.length + 1}`,
        section === 'header' ? '9112 2.1' : '9112 7.1',
        `the next ${section} field line, or the empty line that ends them`,
      );
      if (line.start === line.end) {
        this.tell(`end of the ${section} section`, line);
        return fields;
      }
      if (isOws(this.bytes[line.start])) this.fold(section, line, fields);
      else this.addField(section, line, fields);
    }
  }

  /** A client MUST read a folded value as one with spaces (9112 §5.2). Before the first
   * field, it MUST reject the line or ignore it (§2.2). */
  private fold(section: Section, line: Line, fields: FieldLine[]): void {
    const { start, end } = line;
    const before = fields.pop();
    const value = trimOws(`${before?.value ?? ''} ${trimOws(this.text(start, end))}`);
    if (before !== undefined) fields.push({ ...before, value });
    else this.noteAt(start, '9112 2.2', 'White space before the first field line');
    this.tell(`${section} field line`, line, ['field-value', end - start]);
  }

  /** field-line = field-name ":" OWS field-value OWS                             (9112 §5) */
  private addField(section: Section, line: Line, fields: FieldLine[]): void {
    const { start, end } = line;
    const text = this.text(start, end);
    const colon = text.indexOf(':');
    const wrong = skipToken(this.bytes, start, end) - start;
    if (wrong !== colon || colon === 0) {
      this.noteAt(start + wrong, ...whatIsWrongInName(text, wrong, colon));
    }
    if (colon < 0) return;
    const rest = text.slice(colon + 1);
    const value = trimOws(rest);
    const space = value === '' ? rest.length : rest.indexOf(value);
    const after = rest.length - space - value.length;
    fields.push({
      name: trimOws(text.slice(0, colon)),
      value: value.replace(/[\r\0]/g, ' '), // a MUST, if they are not rejected (9110 §5.5)
      offset: this.base + start + colon + 1 + space,
    });
    // prettier-ignore
    this.tell(`${section} field line`, line,
      ['field-name', colon], ['colon', 1],
      ['OWS', space], ['field-value', value.length], ['OWS', after]);
  }

  private interpret(
    method: string | undefined,
    statusLine: StatusLine,
    fields: readonly FieldLine[],
  ): ResponseHead {
    const { minorVersion, status } = statusLine;
    const control = findControlFields(fields);
    const framing = this.determineFraming(method, statusLine, control);
    const isInterim = isInformational(status) && status !== 101;
    const isFaulty = minorVersion === 0 && control.transferEncoding.length > 0;
    const isLast = framing.kind === 'close' || framing.kind === 'tunnel' || isFaulty;
    const wish = determinePersistence(minorVersion, '', control.connection);
    const persists = isInterim || (wish.persists && !isLast);
    return { method, ...statusLine, fields, framing, isInterim, persists };
  }

  /** The items of 9112 §6.3 in their order. */
  private determineFraming(
    method: string | undefined,
    { minorVersion, status }: StatusLine,
    { contentLength, transferEncoding }: ControlFields,
  ): ResponseFraming {
    if (status === 101) return SWITCHED;
    if (method === 'HEAD') return noContent('the response to HEAD');
    if (isInformational(status) || status === 204 || status === 304) {
      return noContent(`status ${status}`);
    }
    if (method === 'CONNECT' && status >= 200 && status < 300) return TUNNEL;
    const [length] = contentLength;
    const [coding] = transferEncoding;
    if (coding === undefined) {
      return length === undefined ? UNTIL_CLOSE : this.frameByLength(length, contentLength);
    }
    if (length !== undefined) {
      // Transfer-Encoding overrides Content-Length, and it ought to be an error (item 3).
      const second = Math.max(coding.offset, length.offset);
      const reason = 'Transfer-Encoding together with Content-Length';
      this.note(allowedBy('9112 6.3', second, reason));
    }
    if (minorVersion === 0) {
      // The framing is faulty: a client MUST close after it.
      const reason = 'Transfer-Encoding in an HTTP/1.0 response';
      this.note(allowedBy('9112 6.1', coding.offset, reason));
    }
    const codings = listElements(transferEncoding);
    const chunked = codings.filter(({ text }) => equalsIgnoreCase(text, 'chunked'));
    if (chunked[1] !== undefined) {
      const reason = 'The chunked coding is applied more than once';
      this.note(allowedBy('9112 6.1', chunked[1].offset, reason));
    }
    const isChunkedLast = chunked.length > 0 && chunked.at(-1) === codings.at(-1);
    return isChunkedLast ? CHUNKED : OTHER_CODING;
  }

  /** Content-Length = 1*DIGIT, or a list of equal numbers (9110 §8.6).
   * @throws ProtocolError for any other: a MUST (item 5) */
  private frameByLength(first: FieldLine, lines: readonly FieldLine[]): ResponseFraming {
    const lengths = listElements(lines);
    const wrong = lengths.find(({ text }) => !/^\d+$/.test(text));
    if (wrong !== undefined || lengths.length === 0) {
      const { offset, text } = wrong ?? { offset: first.offset, text: '' };
      const digits = /^\d*/.exec(text)?.[0].length ?? 0;
      const reason = 'Content-Length is not a single decimal number';
      throw requiredBy('9112 6.3', offset + digits, reason);
    }
    const numbers = lengths.map(({ text }) => text.replace(/^0+(?=\d)/, ''));
    const [number = ''] = numbers;
    const other = lengths[numbers.findIndex((one) => one !== number)];
    if (other !== undefined) {
      throw requiredBy('9112 6.3', other.offset, 'Content-Length has different values');
    }
    if (number.length > DIGITS_LIMIT) {
      const reason = `Content-Length has more than ${DIGITS_LIMIT} digits`;
      throw ourChoice('9110 8.6', first.offset + DIGITS_LIMIT, reason);
    }
    if (lengths[1] !== undefined) {
      const reason = 'More than one Content-Length, though all their numbers are equal';
      this.note(allowedBy('9110 8.6', lengths[1].offset, reason));
    }
    const reason = 'content: Content-Length';
    return { rule: 6, kind: 'length', length: Number(number), reason };
  }

  /** @returns the trailer section */
  private *readContent(framing: ResponseFraming): Steps<FieldLine[]> {
    if (framing.kind === 'chunked') return yield* this.readChunks();
    if (framing.kind === 'length') {
      yield* this.readData('content', framing.length, 'the content', '9112 6.2');
    }
    if (framing.kind === 'close') yield* this.readToEnd();
    return [];
  }

  private *readToEnd(): Steps {
    for (;;) {
      this.takeData('content', this.length - this.at);
      if (this.ending === 'close') return;
      yield this.missing('the end of the connection, which ends the content', '9112 6.3');
    }
  }

  /** chunked-body = *chunk last-chunk trailer-section CRLF                     (9112 §7.1) */
  private *readChunks(): Steps<FieldLine[]> {
    for (let number = 1; ; number += 1) {
      const end = 'the end of the chunk line';
      const line = yield* this.readLine(end, '9112 7.1', 'a chunk line');
      const size = this.parseChunkLine(line);
      this.hasLastChunk = size === 0;
      if (size === 0) return yield* this.readFields('trailer');
      yield* this.readData('chunk-data', size, `the data of chunk ${number}`, '9112 7.1');
      yield* this.readChunkEnd(`the CRLF after the data of chunk ${number}`);
    }
  }

  /** Where chunks cannot be decoded, a client MUST record that the response is incomplete
   * (9112 §8). */
  private parseChunkLine(line: Line): number {
    const { base, bytes } = this;
    const { start, end } = line;
    let size = 0;
    let at = start;
    for (; at < end && hexValue(bytes[at]) >= 0; at += 1) {
      size = size * 16 + hexValue(bytes[at]);
      if (size > Number.MAX_SAFE_INTEGER) {
        throw ourChoice('9112 7.1', base + at, 'A chunk-size exceeds 2^53 - 1');
      }
    }
    const isSize =
      at > start && (at === end || bytes[at] === SEMICOLON || isOws(bytes[at]));
    if (!isSize) {
      const reason = 'A chunk does not start with its size in hex';
      throw requiredBy('9112 8', base + at, reason);
    }
    const wrong = findInvalidExtensionByte(bytes, at, end);
    if (wrong >= 0) this.noteAt(wrong, '9112 7.1.1', 'A chunk extension is malformed');
    const kind = size === 0 ? 'last chunk' : 'chunk line';
    this.tell(kind, line, ['chunk-size', at - start], ['chunk-ext', end - at]);
    return size;
  }

  private *readChunkEnd(what: string): Steps {
    const end = yield* this.findLineEnd(what, '9112 7.1');
    if (this.bytes[end] !== LF) {
      const reason = 'The data of a chunk is not followed by CRLF';
      throw requiredBy('9112 8', this.base + end, reason);
    }
    if (end === this.at) this.noteAt(end, '9112 7.1', ONLY_LF);
    this.tell('end of the chunk', { start: this.at, end: this.at, next: end + 1 });
    this.at = end + 1;
  }

  private *readData(
    name: 'content' | 'chunk-data',
    size: number,
    what: string,
    section: string,
  ): Steps {
    for (let left = size; ;) {
      const taken = Math.min(left, this.length - this.at);
      this.takeData(name, taken);
      left -= taken;
      if (left === 0) return;
      yield this.missing(`${count(left, 'more byte')} of ${what}`, section);
    }
  }

  private takeData(name: 'content' | 'chunk-data', size: number): void {
    if (size === 0) return;
    const [from, to] = [this.at, this.at + size];
    const last = this.ranges.at(-1);
    if (last?.[1] === from) this.ranges[this.ranges.length - 1] = [last[0], to];
    else this.ranges.push([from, to]);
    this.at = to;
    const kind = name === 'content' ? 'content' : 'chunk data';
    this.tell(kind, { start: from, end: to, next: to }, [name, size]);
  }

  /** The next byte of the connection belongs to the next response. */
  private complete(head: ResponseHead, trailer: readonly FieldLine[]): ReceivedResponse {
    const { at, base, mistakes, ranges, start } = this;
    if (at - start > RESPONSE_LIMIT) throw this.limitError();
    const bytes = this.bytes.slice(start, at);
    const content = new Uint8Array(this.contentSize);
    let size = 0;
    for (const [from, to] of ranges) {
      content.set(this.bytes.subarray(from, to), size);
      size += to - from;
    }
    if (!head.isInterim) this.awaited.shift();
    if (!head.persists) this.isOver = true;
    this.discardRead();
    const offset = base + start;
    return { kind: 'response', ...head, bytes, offset, content, trailer, mistakes };
  }

  /** Moves what is unread to the front once it is the smaller part, so that moving it takes
   * linear time in all. */
  private discardRead(): void {
    const { at, length } = this;
    this.start = at;
    if (2 * at < length) return;
    this.bytes = this.bytes.slice(at, length);
    this.base += at;
    this.length -= at;
    this.at = 0;
    this.start = 0;
  }

  /** Reads a line to its line end. Notes a line end that is only LF, which a client may
   * accept (9112 §2.2), and bytes that no line may hold.
   * @param missing what is missing once the line has begun
   * @param before what is missing before that */
  private *readLine(missing: string, section: string, before = missing): Steps<Line> {
    const start = this.at;
    for (;;) {
      const at = skipLineChars(this.bytes, this.at, this.length);
      this.at = at;
      if (at === this.length || (this.bytes[at] === CR && at + 1 === this.length)) {
        yield this.missing(at === start ? before : missing, section);
        continue;
      }
      const isCr = this.bytes[at] === CR;
      const end = isCr && this.bytes[at + 1] === LF ? at + 1 : at;
      this.at = end + 1;
      if (this.bytes[end] !== LF) {
        if (isCr) this.noteAt(at, '9112 2.2', 'A CR is not followed by LF');
        else this.noteAt(at, '9110 5.5', 'A control character in a line');
        continue;
      }
      if (!isCr) this.noteAt(at, section === '9112 7.1' ? section : '9112 2.2', ONLY_LF);
      return { start, end: at, next: this.at };
    }
  }

  /** Waits for the next byte, or two if the first is CR.
   * @returns the index at which a line end has its LF */
  private *findLineEnd(missing: string, section: string): Steps<number> {
    yield* this.needByte(missing, section);
    if (this.bytes[this.at] !== CR) return this.at;
    yield* this.needByte(missing, section, 1);
    return this.at + 1;
  }

  /** Waits for the byte at a distance from the next one. */
  private *needByte(missing: string, section: string, distance = 0): Steps {
    while (this.at + distance >= this.length) yield this.missing(missing, section);
  }

  /** @throws ProtocolError if the response is too long already */
  private missing(missing: string, section: string): MissingBytes {
    const received = this.length - this.start;
    if (received > RESPONSE_LIMIT) throw this.limitError();
    return { kind: 'wait', missing, section, inResponse: received > 0 };
  }

  private limitError(): ProtocolError {
    const offset = this.base + this.start + RESPONSE_LIMIT;
    return ourChoice('9112 6', offset, `The response exceeds ${count(RESPONSE_LIMIT)}`);
  }

  /** Names the bytes of a line, and its line end. */
  private tell(kind: LineKind, { start, end, next }: Line, ...lengths: Named[]): void {
    const parts = partsFrom(this.base + start, ...lengths, ['CRLF', next - end]);
    this.describe?.({ kind, parts });
  }

  /** @returns a character for each byte */
  private text(from: number, to: number): string {
    let text = '';
    for (let at = from; at < to; at += 1) text += String.fromCharCode(this.bytes[at] ?? 0);
    return text;
  }
}

const ONLY_LF = 'A line ends with LF, not CRLF';

type Unsized = Exclude<ResponseFraming['kind'], 'length'>;
const frame = (
  rule: ResponseFraming['rule'],
  kind: Unsized,
  reason: string,
): ResponseFraming => ({ rule, kind, reason });

const noContent = (to: string): ResponseFraming => frame(1, 'none', `no content: ${to}`);
const SWITCHED = frame(1, 'tunnel', 'another protocol follows 101');
const TUNNEL = frame(2, 'tunnel', 'a tunnel follows: CONNECT has succeeded');
const CHUNKED = frame(4, 'chunked', 'content in chunks: "chunked" is the final coding');
const OTHER_CODING = frame(
  4,
  'close',
  'content until the end: the final coding is not chunked',
);
const UNTIL_CLOSE = frame(8, 'close', 'content until the end: neither a length nor chunks');

function isInformational(status: number): boolean {
  return status >= 100 && status < 200; // 9110 §15.2
}

/** @returns the index of the first byte of a status line that is not as expected */
function findMismatch(text: string): number {
  let at = 0;
  for (; at < EXPECTED.length; at += 1) {
    const code = text.charCodeAt(at);
    const isRight = EXPECTED[at] === '#' ? isDigit(code) : EXPECTED.charCodeAt(at) === code;
    if (!isRight) return at;
  }
  return at;
}

type Wrong = readonly [section: string, reason: string];

/** @param index of the wrong byte in a status line */
function whatIsWrong(text: string, index: number): Wrong {
  if (index === 5) return ['9110 2.5', 'The major version is not 1'];
  if (index < 8) return ['9112 2.3', 'The HTTP version is not "HTTP/1." and a digit'];
  if (index === 8 || (index === 9 && isOws(text.charCodeAt(9))))
    return ['9112 4', 'The HTTP version is not followed by one space'];
  if (index < 12) return ['9112 4', 'The status code is not three digits'];
  return ['9112 4', 'The status code is not followed by a space'];
}

/** @param wrong the index of the first byte that is not in a token
 * @param colon its index, or -1 */
function whatIsWrongInName(text: string, wrong: number, colon: number): Wrong {
  if (colon < 0) return ['9112 5', 'No colon after the field name'];
  if (colon === 0) return ['9110 5.1', 'A field line with an empty name'];
  return trimOws(text.slice(wrong, colon)) === ''
    ? ['9112 5.1', 'White space between a field name and the colon']
    : ['9110 5.1', 'A byte in a field name that is not allowed in a token'];
}
