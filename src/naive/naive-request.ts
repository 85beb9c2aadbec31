/** How a careless recipient finds the end of a request (9112 §6.3). Without a mistake it
 * rejects what two readers could read differently. With one, it goes on: each call of
 * errs() marks such a place. */
import { trimOws } from '../http/grammar';
import { count } from '../text/text';

/** What each reader does. The sentences fit after "a reader that". */
export const MISTAKES = {
  'content-length': 'goes by Content-Length and ignores Transfer-Encoding',
  'transfer-encoding': 'goes by Transfer-Encoding and ignores Content-Length',
  'chunked-word': 'looks for the word "chunked" anywhere in Transfer-Encoding',
  'unknown-coding': 'ignores a Transfer-Encoding that is not just "chunked"',
  'first-length': 'goes by the first of several lengths',
  'last-length': 'goes by the last of several lengths',
  'no-content': 'expects no content in a GET or HEAD',
  'space-before-colon': 'drops white space before a colon',
  'space-in-name': 'takes white space before a colon for a part of the name',
  'join-folds': 'joins a line that starts with white space to the line before it',
  'skip-indent': 'skips white space at the start of a line',
  'bare-lf': 'accepts a bare LF where CRLF should be',
  'crlf-only': 'takes a bare LF for a part of its line',
  'skip-two': 'skips any two bytes after the data of a chunk',
  number: 'reads Content-Length with the function Number()',
  'parse-int': 'reads Content-Length with parseInt(value, 10)',
  '64-bit': 'counts a chunk-size in 64 bits',
  '32-bit': 'counts a chunk-size in 32 bits',
} as const;
export type Mistake = keyof typeof MISTAKES;

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (\\S+) HTTP/1\\.(\\d)$`);
const FIELD_NAME = new RegExp(`^(${TOKEN})([ \\t]*):`);
const CHUNK_LINE = /^([\da-f]+)(?:;[\t -~]*)?$/i;

/** A request whose header section has arrived. Offsets count from its first byte. */
export interface NaiveRequest {
  readonly method: string;
  readonly target: string;
  /** Where its header section ends. */
  readonly contentStart: number;
  /** How many bytes of content are announced, without the sizes and CRLFs of chunks. */
  readonly contentLength: number;
  /** How its content is delimited: "5 bytes of content by Content-Length". */
  readonly framing: string;
  /** Where the request ends. It may lie behind the last byte. */
  readonly end: number;
  /** Whether its end is known. Otherwise `end` is where its last announced chunk ends. */
  readonly isEndKnown: boolean;
  /** Whether the mistake was made. Otherwise the request was read like any other. */
  readonly isMistaken: boolean;
}

/** Bytes that are not a request, even to this reader. */
export class Unreadable extends Error {}

/** Reads the first request of some bytes. Its cost grows with the bytes.
 * @param text each byte is one character
 * @returns undefined where the header section is not complete */
export function readNaively(
  text: string,
  mistake?: Mistake,
): NaiveRequest | Unreadable | undefined {
  try {
    return new Reader(text, mistake).read();
  } catch (error) {
    if (error instanceof Unreadable) return error;
    throw error;
  }
}

/** @returns the method and the target of a request line: "GET /tasks", or undefined if the
 * line is none */
export function nameOf(requestLine: string): string | undefined {
  const [, method, target] = REQUEST_LINE.exec(requestLine) ?? [];
  return method === undefined ? undefined : `${method} ${target}`;
}

interface Field {
  readonly name: string;
  readonly value: string;
}

type Content = Pick<NaiveRequest, 'framing' | 'contentLength' | 'isEndKnown'>;

const NO_CONTENT: Content = { framing: 'no content', contentLength: 0, isEndKnown: true };

class Reader {
  private position = 0;
  private isMistaken = false;

  constructor(
    private readonly text: string,
    private readonly mistake: Mistake | undefined,
  ) {}

  read(): NaiveRequest | undefined {
    const requestLine = this.takeLine();
    if (requestLine === undefined) return undefined;
    const [, method = '', target = '', minor] = REQUEST_LINE.exec(requestLine) ?? [];
    if (method === '') throw new Unreadable('The request line is malformed');
    const fields = this.takeFields();
    if (fields === undefined) return undefined;
    if (minor === '0' && fields.some(({ name }) => name === 'transfer-encoding')) {
      throw new Unreadable('There is a Transfer-Encoding in HTTP/1.0');
    }
    const contentStart = this.position;
    const content = this.takeContent(method, fields);
    const { isMistaken, position: end } = this;
    return { method, target, contentStart, ...content, end, isMistaken };
  }

  /** Called where the mistake would be made. All but one of these places make a strict
   * reader reject the request.
   * @returns whether this reader makes it */
  private errs(mistake: Mistake): boolean {
    if (this.mistake === mistake) this.isMistaken = true;
    return this.mistake === mistake;
  }

  /** @returns the next line without its line end, or undefined if that is not here */
  private takeLine(): string | undefined {
    const { position: start, text } = this;
    let lf = text.indexOf('\n', start);
    while (lf === start || (lf > start && text[lf - 1] !== '\r')) {
      if (this.errs('bare-lf')) break;
      if (!this.errs('crlf-only')) throw new Unreadable('A line ends with a bare LF');
      lf = text.indexOf('\n', lf + 1);
    }
    if (lf < 0) return undefined;
    this.position = lf + 1;
    const line = text.slice(start, lf).replace(/\r$/, '');
    // A bare LF is still here only if it was taken for a part of the line.
    if (/[^\t\n -~\x80-\xff]/.test(line))
      throw new Unreadable('A line has a control character');
    return line;
  }

  private takeFields(): Field[] | undefined {
    const fields: Field[] = [];
    for (let line = this.takeLine(); line !== ''; line = this.takeLine()) {
      if (line === undefined) return undefined;
      const last = fields.at(-1);
      const isIndented = /^[ \t]/.test(line);
      if (isIndented && last !== undefined && this.errs('join-folds')) {
        const more = trimOws(line);
        const value = last.value === '' ? more : `${last.value} ${more}`;
        fields[fields.length - 1] = { name: last.name, value };
        continue;
      }
      if (isIndented && !this.errs('skip-indent')) {
        throw new Unreadable('A line starts with white space');
      }
      fields.push(this.parseField(line.replace(/^[ \t]+/, '')));
    }
    return fields;
  }

  private parseField(line: string): Field {
    const [start, name, space] = FIELD_NAME.exec(line) ?? [];
    if (start === undefined || name === undefined) {
      throw new Unreadable('A field line is malformed');
    }
    const value = trimOws(line.slice(start.length));
    if (space === '' || this.errs('space-before-colon')) {
      return { name: name.toLowerCase(), value };
    }
    if (this.errs('space-in-name')) return { name: `${name}${space}`, value };
    throw new Unreadable('There is white space before a colon');
  }

  private takeContent(method: string, fields: readonly Field[]): Content {
    const valuesOf = (wanted: string): string[] =>
      fields.filter(({ name }) => name === wanted).map(({ value }) => value);
    const lengths = valuesOf('content-length');
    const codings = valuesOf('transfer-encoding');
    const hasContent = lengths.length > 0 || codings.length > 0;
    const isSafe = method === 'GET' || method === 'HEAD';
    if (hasContent && isSafe && this.errs('no-content')) return NO_CONTENT;
    if (codings.length === 0) return this.takeCounted(lengths);

    const coding = codings.join().toLowerCase();
    if (coding !== 'chunked') {
      if (coding.includes('chunked') && this.errs('chunked-word')) return this.takeChunks();
      if (this.errs('unknown-coding')) return this.takeCounted(lengths);
      throw new Unreadable('Transfer-Encoding is not "chunked"');
    }
    if (lengths.length === 0 || this.errs('transfer-encoding')) return this.takeChunks();
    if (this.errs('content-length')) return this.takeCounted(lengths);
    throw new Unreadable('There are both Transfer-Encoding and Content-Length');
  }

  private takeCounted(values: readonly string[]): Content {
    if (values.length === 0) return NO_CONTENT;
    const lengths = values.join().split(',').map(trimOws);
    if (lengths.length > 1 && !this.errs('first-length') && !this.errs('last-length')) {
      throw new Unreadable('There is more than one Content-Length');
    }
    const length = this.parseLength(
      lengths.at(this.mistake === 'last-length' ? -1 : 0) ?? '',
    );
    if (!(length >= 0 && Number.isSafeInteger(length))) {
      throw new Unreadable('Content-Length is not a number');
    }
    this.position += length;
    const framing = `${count(length)} of content by Content-Length`;
    return { framing, contentLength: length, isEndKnown: true };
  }

  private parseLength(value: string): number {
    if (/^\d+$/.test(value) || this.errs('number')) return Number(value);
    return this.errs('parse-int') ? Number.parseInt(value, 10) : NaN;
  }

  private takeChunks(): Content {
    let contentLength = 0;
    let size = 0;
    for (;;) {
      const line = this.takeLine();
      if (line === undefined) break;
      size = this.parseChunkSize(line);
      if (size === 0) {
        const isEndKnown = this.takeFields() !== undefined; // the trailer section
        const framing = `${count(contentLength)} of content in chunks`;
        return { framing, contentLength, isEndKnown };
      }
      contentLength += size;
      this.position += size;
      if (!this.takeChunkEnd()) break;
    }
    // BigInt, because a large number would be rounded to 17 digits.
    const framing = `a chunk of ${BigInt(size)} bytes`;
    return { framing, contentLength, isEndKnown: false };
  }

  private parseChunkSize(line: string): number {
    const [, size] = CHUNK_LINE.exec(line) ?? [];
    const digits = size?.replace(/^0+(?=.)/, '');
    if (digits === undefined) throw new Unreadable('A chunk line is malformed');
    if (digits.length <= 8) return Number.parseInt(digits, 16);
    const bits = this.errs('64-bit') ? 64 : this.errs('32-bit') ? 32 : undefined;
    if (bits === undefined) throw new Unreadable('A chunk-size has more than 8 digits');
    return Number(BigInt.asUintN(bits, BigInt(`0x${digits}`)));
  }

  /** @returns false where more bytes are needed */
  private takeChunkEnd(): boolean {
    const next = this.text.slice(this.position, this.position + 2);
    if (next === '\r\n' || (next.length === 2 && this.errs('skip-two'))) {
      this.position += 2;
    } else if (next.startsWith('\n') && this.errs('bare-lf')) {
      this.position += 1;
    } else if (next === '' || next === '\r' || this.mistake === 'skip-two') {
      return false;
    } else {
      throw new Unreadable('The data of a chunk is not followed by CRLF');
    }
    return true;
  }
}
