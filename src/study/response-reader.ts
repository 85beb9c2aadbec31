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
import { Byte, equalsIgnoreCase, hexValue, isOws, trimOws } from '../http/grammar';
import type { FieldLine } from '../http/message';
import { partsFrom, type LineKind, type LineParts, type PartName } from '../http/parts';
import { determinePersistence } from '../http/persistence';
import { allowedBy, ourChoice, ProtocolError, requiredBy } from '../http/protocol-error';
import { count } from '../text/text';

/** The most bytes of a response, and the most of its mistakes that are noted. */
export const RESPONSE_LIMIT = 1_048_576;
const MISTAKES_LIMIT = 100;
/** The most digits of a Content-Length: every 15-digit integer is exact. */
const DIGITS_LIMIT = 15;

/** What is wrong with a response, and what the RFC asks of a client there: `required by` if
 * it MUST NOT take the response unchanged, `allowed by` if the bytes break the grammar and
 * it may do either, `our choice` for a limit of this reader. Offsets count all bytes of
 * the connection from 0. */
export type Mistake = Omit<ProtocolError, 'status' | 'withHint'>;

/** Where the content ends, by which item of 9112 §6.3: `close` is at the end of the
 * connection, and `tunnel` is before what belongs to another protocol. */
type Framing =
  | { readonly rule: 1 | 2; readonly kind: 'none' | 'tunnel' }
  | { readonly rule: 4; readonly kind: 'chunked' | 'close' }
  | { readonly rule: 6; readonly kind: 'length'; readonly length: number }
  | { readonly rule: 8; readonly kind: 'close' };

/** In its strings, each character is one byte. */
export interface ReceivedResponse {
  readonly kind: 'response';
  /** The method of the request that awaits it: undefined if none does. */
  readonly method: string | undefined;
  readonly status: number;
  /** The status code and the reason phrase: "200 OK". */
  readonly statusText: string;
  readonly fields: readonly FieldLine[];
  readonly framing: Framing;
  /** Without its transfer coding, if that is chunked. */
  readonly content: string;
  readonly trailer: readonly FieldLine[];
  /** All its bytes, and the offset of the first. */
  readonly bytes: string;
  readonly offset: number;
  readonly mistakes: readonly Mistake[];
  /** Whether the final response is still to come (9110 §15.2). */
  readonly isInterim: boolean;
  /** Whether another response may follow on the connection (9112 §9.3). */
  readonly persists: boolean;
}

interface MissingBytes {
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
  /** Nothing more is read as a response: what is left over. */
  | { readonly kind: 'finished'; readonly unread: string };

export interface ResponseReaderOptions {
  /** The methods of the requests that have been sent: one GET by default. */
  readonly methods?: readonly string[];
  /** Called with the names of the bytes of each line. */
  readonly describe?: ((line: LineParts) => void) | undefined;
}

type Steps<Result = void> = Generator<MissingBytes, Result>;
type Section = 'header' | 'trailer';

/** A line without its line end, and the offset of its first byte. */
interface Line {
  readonly text: string;
  readonly offset: number;
}

export class ResponseReader {
  /** What has arrived and is unread, a character for each byte, and the offset of the
   * first. */
  private text = '';
  private offset = 0;
  /** What has been read of this response. */
  private bytes = '';
  /** The methods of the requests that have no final response yet (9112 §9.2). */
  private readonly awaited: string[];
  private readonly describe: ResponseReaderOptions['describe'];
  private reading: Steps<ReceivedResponse> | undefined;
  private ending: 'close' | 'reset' | undefined;
  private isOver = false;
  /** Of the response that is being read: what is wrong with it, and its content so far. */
  mistakes: readonly Mistake[] = [];
  content = '';
  private hasLastChunk = false;

  constructor({ methods = ['GET'], describe }: ResponseReaderOptions = {}) {
    this.awaited = [...methods];
    this.describe = describe;
  }

  /** Notes that another request was sent. */
  await(method: string): void {
    this.awaited.push(method);
  }

  /** @param text a character for each byte that has arrived */
  push(text: string): void {
    this.text += text;
  }

  /** Notes that the server sends nothing more. After a reset, content without a length is
   * incomplete (9112 §8). */
  end(ending: 'close' | 'reset' = 'close'): void {
    this.ending ??= ending;
  }

  /** Reads on, at most to the end of one response, final or interim. */
  next(): ResponseOutcome {
    if (this.isOver) return this.finish();
    try {
      this.reading ??= this.readResponse();
      const { done, value } = this.reading.next();
      if (done === true) this.reading = undefined;
      if (value.kind === 'response' || this.ending === undefined) return value;
      if (value.inResponse || this.awaited.length > 0) throw this.endError(value);
      return this.finish();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.isOver = true;
      this.note(error);
      return { kind: 'rejected', error };
    }
  }

  private finish(): ResponseOutcome {
    this.isOver = true;
    return { kind: 'finished', unread: this.text };
  }

  private endError({ inResponse, missing }: MissingBytes): ProtocolError {
    const how = this.ending === 'reset' ? 'was reset' : 'ended';
    const where = inResponse ? 'mid-response' : 'before a response';
    const reason = `The connection ${how} ${where}; still missing: ${missing}`;
    const offset = this.offset + this.text.length;
    if (!inResponse) return allowedBy('9112 9.3.1', offset, reason);
    // Chunked content is complete when the last chunk has arrived.
    return (this.hasLastChunk ? allowedBy : requiredBy)('9112 8', offset, reason);
  }

  /** Notes the first mistake at a byte. */
  private note(error: ProtocolError): void {
    const { mistakes } = this;
    const isKnown = mistakes.some(({ offset }) => offset === error.offset);
    if (!isKnown && mistakes.length < MISTAKES_LIMIT) this.mistakes = [...mistakes, error];
  }

  /** A response, from top to bottom (9112 §2.1). */
  private *readResponse(): Steps<ReceivedResponse> {
    this.bytes = '';
    this.mistakes = [];
    this.content = '';
    this.hasLastChunk = false;
    yield* this.readStart();
    const [method] = this.awaited;
    const line = yield* this.readLine('the end of the status line', '9112 4');
    const { minorVersion, status, statusText } = this.parseStatusLine(line);
    const fields = yield* this.readFields('header');
    const control = findControlFields(fields);
    const framing = this.determineFraming(method, minorVersion, status, control);
    const trailer = yield* this.readContent(framing);
    if (this.bytes.length > RESPONSE_LIMIT) throw this.limitError();

    const isInterim = isInformational(status) && status !== 101;
    const isFaulty = minorVersion === 0 && control.transferEncoding.length > 0;
    const isLast = framing.kind === 'close' || framing.kind === 'tunnel' || isFaulty;
    const wish = determinePersistence(minorVersion, '', control.connection);
    const persists = isInterim || (wish.persists && !isLast);
    if (!isInterim) this.awaited.shift();
    if (!persists) this.isOver = true;
    return {
      kind: 'response',
      method,
      status,
      statusText,
      fields,
      framing,
      content: this.content,
      trailer,
      bytes: this.bytes,
      offset: this.offset - this.bytes.length,
      mistakes: this.mistakes,
      isInterim,
      persists,
    };
  }

  /** Takes the next bytes: so many, or all that have arrived. */
  private take(most: number): string {
    const taken = this.text.slice(0, most);
    this.text = this.text.slice(taken.length);
    this.offset += taken.length;
    this.bytes += taken;
    return taken;
  }

  /** Skips empty lines, and waits for the first bytes of a response. */
  private *readStart(): Steps {
    for (;;) {
      const lineEnd = yield* this.findLineEnd('a response', '9112 2.1');
      if (lineEnd === '') break;
      const { offset } = this;
      this.take(lineEnd.length);
      // After all responses, an empty line means nothing (9112 §9.2).
      if (this.awaited.length === 0) this.bytes = '';
      else this.note(allowedBy('9112 2.2', offset, 'An empty line before the response'));
    }
    if (this.awaited.length === 0) {
      // A client MUST NOT take it for a response (9112 §6.3, §9.2).
      this.note(requiredBy('9112 9.2', this.offset, 'No request awaits what follows'));
    }
    // A server of another protocol may never send a line end.
    while ('HTTP'.startsWith(this.text)) {
      yield this.missing('the rest of the status line', '9112 4');
    }
    const wrong = Array.from('HTTP/').findIndex((char, at) => this.text[at] !== char);
    if (wrong >= 0) {
      const reason = 'A response does not start with "HTTP/"';
      throw allowedBy('9112 4', this.offset + wrong, reason);
    }
  }

  /** status-line = HTTP-version SP status-code SP [ reason-phrase ]             (9112 §4) */
  private parseStatusLine(line: Line) {
    const { offset, text } = line;
    const wrong = Array.from(EXPECTED).findIndex((expected, at) =>
      expected === '#' ? !/\d/.test(text[at] ?? '') : text[at] !== expected,
    );
    const [, minor, code, phrase = ''] = STATUS_LINE.exec(text) ?? [];
    const [section, reason] = whatIsWrong(text, wrong);
    const error = allowedBy(section, offset + wrong, reason);
    if (minor === undefined || code === undefined) throw error;
    // 9112 §4 lets a client split the line at any white space.
    if (wrong >= 0) this.note(error);
    const status = Number(code);
    if (status < 100 || status > 599) {
      // A client SHOULD read it as one from 500 to 599 (9110 §15).
      const at = offset + text.indexOf(code, 8);
      this.note(allowedBy('9110 15', at, 'The status code is not from 100 to 599'));
    }
    // prettier-ignore
    if (wrong < 0) {
      this.tell('status line', line,
        ['HTTP-version', 8], ['SP', 1], ['status-code', 3], ['SP', 1],
        ['reason-phrase', text.length - EXPECTED.length]);
    }
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
      if (line.text === '') {
        this.tell(`end of the ${section} section`, line);
        return fields;
      }
      if (isOws(line.text.charCodeAt(0))) this.fold(section, line, fields);
      else this.addField(section, line, fields);
    }
  }

  /** A client MUST read a folded value as one with spaces (9112 §5.2). Before the first
   * field, it MUST reject the line or ignore it (§2.2). */
  private fold(section: Section, line: Line, fields: FieldLine[]): void {
    const before = fields.pop();
    const value = trimOws(`${before?.value ?? ''} ${trimOws(line.text)}`);
    const reason = 'White space before the first field line';
    if (before !== undefined) fields.push({ ...before, value });
    else this.note(allowedBy('9112 2.2', line.offset, reason));
    this.tell(`${section} field line`, line, ['field-value', line.text.length]);
  }

  /** field-line = field-name ":" OWS field-value OWS                             (9112 §5) */
  private addField(section: Section, line: Line, fields: FieldLine[]): void {
    const { offset, text } = line;
    const colon = text.indexOf(':');
    const wrong = text.search(NO_TOKEN);
    if (wrong !== colon || colon <= 0) {
      const at = wrong < 0 ? text.length : wrong;
      const [rule, reason] = whatIsWrongInName(text, at, colon);
      this.note(allowedBy(rule, offset + at, reason));
    }
    if (colon < 0) return;
    const rest = text.slice(colon + 1);
    const value = trimOws(rest);
    const space = value === '' ? rest.length : rest.indexOf(value);
    const after = rest.length - space - value.length;
    fields.push({
      name: trimOws(text.slice(0, colon)),
      value: value.replace(/[\r\0]/g, ' '), // a MUST, if they are not rejected (9110 §5.5)
      offset: offset + colon + 1 + space,
    });
    // prettier-ignore
    this.tell(`${section} field line`, line,
      ['field-name', colon], ['colon', 1],
      ['OWS', space], ['field-value', value.length], ['OWS', after]);
  }

  /** The items of 9112 §6.3 in their order. */
  private determineFraming(
    method: string | undefined,
    minorVersion: number,
    status: number,
    { contentLength, transferEncoding }: ControlFields,
  ): Framing {
    if (status === 101) return { rule: 1, kind: 'tunnel' }; // to the new protocol
    const hasNone = isInformational(status) || status === 204 || status === 304;
    if (hasNone || method === 'HEAD') return { rule: 1, kind: 'none' };
    if (method === 'CONNECT' && /^2/.test(String(status)))
      return { rule: 2, kind: 'tunnel' };
    const [length] = contentLength;
    const [coding] = transferEncoding;
    if (coding === undefined) {
      if (length === undefined) return { rule: 8, kind: 'close' };
      return this.frameByLength(length, contentLength);
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
    return { rule: 4, kind: isChunkedLast ? 'chunked' : 'close' };
  }

  /** Content-Length = 1*DIGIT, or a list of equal numbers (9110 §8.6).
   * @throws ProtocolError for any other: a MUST (item 5) */
  private frameByLength(first: FieldLine, lines: readonly FieldLine[]): Framing {
    const lengths = listElements(lines);
    const wrong = lengths.find(({ text }) => /\D/.test(text));
    if (wrong !== undefined || lengths.length === 0) {
      const offset = wrong ? wrong.offset + wrong.text.search(/\D/) : first.offset;
      const reason = 'Content-Length is not a single decimal number';
      throw requiredBy('9112 6.3', offset, reason);
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
    return { rule: 6, kind: 'length', length: Number(number) };
  }

  /** @returns the trailer section */
  private *readContent(framing: Framing): Steps<FieldLine[]> {
    if (framing.kind === 'chunked') return yield* this.readChunks();
    if (framing.kind === 'length')
      yield* this.readData('content', framing.length, 'the content', '9112 6.2');
    if (framing.kind === 'close') {
      const end = 'the end of the connection, which ends the content';
      yield* this.readData('content', Infinity, end, '9112 6.3');
    }
    return [];
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
    const { offset, text } = line;
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    const { length: end } = bytes;
    let size = 0;
    let at = 0;
    for (; hexValue(bytes[at]) >= 0; at += 1) {
      size = size * 16 + hexValue(bytes[at]);
      if (size > Number.MAX_SAFE_INTEGER) {
        const reason = 'A chunk-size exceeds 2^53 - 1';
        throw ourChoice('9112 7.1', offset + at, reason);
      }
    }
    const isWhole = at === end || bytes[at] === Byte.SEMICOLON || isOws(bytes[at]);
    if (at === 0 || !isWhole) {
      const reason = 'A chunk does not start with its size in hex';
      throw requiredBy('9112 8', offset + at, reason);
    }
    const wrong = findInvalidExtensionByte(bytes, at, end);
    if (wrong >= 0) {
      const reason = 'A chunk extension is malformed';
      this.note(allowedBy('9112 7.1.1', offset + wrong, reason));
    }
    const kind = size === 0 ? 'last chunk' : 'chunk line';
    this.tell(kind, line, ['chunk-size', at], ['chunk-ext', end - at]);
    return size;
  }

  private *readChunkEnd(what: string): Steps {
    const lineEnd = yield* this.findLineEnd(what, '9112 7.1');
    const { offset, text } = this;
    if (lineEnd === '') {
      const wrong = offset + (text.startsWith('\r') ? 1 : 0);
      throw requiredBy('9112 8', wrong, 'The data of a chunk is not followed by CRLF');
    }
    if (lineEnd === '\n') this.note(allowedBy('9112 7.1', offset, ONLY_LF));
    this.take(lineEnd.length);
    this.tell('end of the chunk', { offset, text: '' });
  }

  /** @param size Infinity for all that comes before the end of the connection
   * @param what of it is missing */
  private *readData(
    name: 'content' | 'chunk-data',
    size: number,
    what: string,
    section: string,
  ): Steps {
    const kind = name === 'content' ? name : 'chunk data';
    for (let left = size; ;) {
      const { offset } = this;
      const text = this.take(left);
      left -= text.length;
      this.content += text;
      if (text !== '') this.tell(kind, { offset, text }, [name, text.length]);
      if (left === 0 || (left === Infinity && this.ending === 'close')) return;
      const missing = left < Infinity ? `${count(left, 'more byte')} of ${what}` : what;
      yield this.missing(missing, section);
    }
  }

  /** Reads a line to its line end. Notes a line end that is only LF, which a client may
   * accept (9112 §2.2), and bytes that no line may hold.
   * @param missing what is missing once the line has begun
   * @param before what is missing before that */
  private *readLine(missing: string, section: string, before = missing): Steps<Line> {
    let end = this.text.indexOf('\n');
    while (end < 0) {
      const { length } = this.text;
      yield this.missing(/^\r?$/.test(this.text) ? before : missing, section);
      end = this.text.indexOf('\n', length);
    }
    const { offset } = this;
    const text = this.take(end + 1).replace(/\r?\n$/, '');
    for (const { 0: char, index } of text.matchAll(NO_LINE_CHAR)) {
      const isCr = char === '\r';
      const reason = isCr ? 'A CR is not followed by LF' : 'A control character in a line';
      this.note(allowedBy(isCr ? '9112 2.2' : '9110 5.5', offset + index, reason));
    }
    if (text.length === end) {
      const rule = section === '9112 7.1' ? section : '9112 2.2';
      this.note(allowedBy(rule, offset + end, ONLY_LF));
    }
    return { offset, text };
  }

  /** Waits for the next byte, or two if the first is CR.
   * @returns the line end there, or '' if there is none */
  private *findLineEnd(missing: string, section: string): Steps<string> {
    for (;;) {
      const { text } = this;
      if (text !== '' && text !== '\r') return /^\r?\n/.exec(text)?.[0] ?? '';
      yield this.missing(missing, section);
    }
  }

  /** @throws ProtocolError if the response is too long already */
  private missing(missing: string, section: string): MissingBytes {
    const length = this.bytes.length + this.text.length;
    if (length > RESPONSE_LIMIT) throw this.limitError();
    return { kind: 'wait', missing, section, inResponse: length > 0 };
  }

  private limitError(): ProtocolError {
    const offset = this.offset - this.bytes.length + RESPONSE_LIMIT;
    return ourChoice('9112 6', offset, `The response exceeds ${count(RESPONSE_LIMIT)}`);
  }

  /** Names the bytes of a line that has just been read, and its line end. */
  private tell(
    kind: LineKind,
    { offset, text }: Line,
    ...lengths: (readonly [name: PartName, length: number])[]
  ): void {
    const end = this.offset - offset - text.length;
    const parts = partsFrom(offset, ...lengths, ['CRLF', end]);
    this.describe?.({ kind, parts });
  }
}

const ONLY_LF = 'A line ends with LF, not CRLF';
/** What no line may hold (9110 §5.5), and no token (§5.6.2). */
const NO_LINE_CHAR = /[^\t -~\x80-\xff]/g;
const NO_TOKEN = /[^!#$%&'*+.^_`|~\w-]/;

function isInformational(status: number): boolean {
  return status >= 100 && status < 200; // 9110 §15.2
}

/** How a status line begins; # is a digit. */
const EXPECTED = 'HTTP/1.# ### ';
/** The same for a client that splits at white space. Some servers repeat the major version
 * of the request. */
const STATUS_LINE = /^HTTP\/\d\.(\d)[\s\0]+(\d{3})(?:[\s\0]+([^]*))?$/;

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
