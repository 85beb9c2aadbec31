/** How the naive proxy finds the end of a request (9112 §6.3). Without a mistake it rejects
 * what two readers could read differently. With one, it goes on: each call of errs() marks
 * such a place. */
import { count } from '../../trace/text';

export const MISTAKES = {
  'content-length': 'goes by Content-Length, although there is a Transfer-Encoding',
  'chunked-word': 'looks for the word "chunked" anywhere in Transfer-Encoding',
  'space-before-colon': 'drops the white space before a colon',
  'join-folds': 'joins a line that starts with white space to the line before it',
  'skip-indent': 'skips the white space at the start of a line',
  'bare-lf': 'accepts a bare LF where CRLF should be',
  'crlf-only': 'takes a bare LF for a part of its line',
  'skip-two': 'skips the two bytes after the data of a chunk without looking at them',
  number: 'reads Content-Length with the function Number()',
  '64-bit': 'counts a chunk-size in 64 bits, however long the chunk is',
} as const;
export type Mistake = keyof typeof MISTAKES;

/** The most bytes of a request. The proxy holds no more than this of one. */
export const REQUEST_LIMIT = 16_384;

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) (\\S+) HTTP/1\\.(\\d)$`);
const FIELD_LINE = new RegExp(`^(${TOKEN})([ \\t]*):[ \\t]*([^]*?)[ \\t]*$`);
const CHUNK_LINE = /^([\da-f]+)(?:;[\t -~]*)?$/i;

/** A request as the proxy sees it. */
export interface NaiveRequest {
  readonly method: string;
  readonly target: string;
  /** What the proxy says about the content: "5 bytes of content by Content-Length". */
  readonly framing: string;
  /** Where the request ends, in bytes. */
  readonly end: number;
  /** Whether all of it is here. A chunk that is too long to be held never is. */
  readonly isComplete: boolean;
  /** Whether the mistake was made. Otherwise the request was read like any other. */
  readonly isMistaken: boolean;
}

/** Bytes that the proxy does not forward. */
export class Unreadable extends Error {}

/** Reads the first request of some bytes, each of them one character.
 * @returns undefined where more bytes are needed
 * @throws Unreadable */
export function readRequest(text: string, mistake?: Mistake): NaiveRequest | undefined {
  const request = new Reader(text, mistake).read();
  const length = request?.isComplete === false ? 0 : (request?.end ?? text.length);
  if (length > REQUEST_LIMIT)
    throw new Unreadable(`A request exceeds ${REQUEST_LIMIT} bytes`);
  return request?.isComplete === true && request.end > text.length ? undefined : request;
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** What follows the header section. */
interface Content {
  readonly framing: string;
  readonly isComplete: boolean;
}

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
    const content = this.takeContent(fields);
    if (content === undefined) return undefined;
    const { isMistaken, position: end } = this;
    return { method, target, ...content, end, isMistaken };
  }

  /** Called only where the strict proxy would reject.
   * @returns whether this one goes on */
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
        const value = `${last.value} ${line.trim()}`.trim();
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
    const [, name, space, value = ''] = FIELD_LINE.exec(line) ?? [];
    if (name === undefined) throw new Unreadable('A field line is malformed');
    if (space !== '' && !this.errs('space-before-colon')) {
      throw new Unreadable('There is white space before a colon');
    }
    return { name: name.toLowerCase(), value };
  }

  private takeContent(fields: readonly Field[]): Content | undefined {
    const valuesOf = (wanted: string): string[] =>
      fields.filter(({ name }) => name === wanted).map(({ value }) => value);
    const lengths = valuesOf('content-length');
    const codings = valuesOf('transfer-encoding');
    if (codings.length === 0) return this.takeCounted(lengths);
    if (lengths.length > 0 && this.errs('content-length')) return this.takeCounted(lengths);
    const coding = codings.join().toLowerCase();
    if (lengths.length === 0 && coding === 'chunked') return this.takeChunks();
    if (coding.includes('chunked') && this.errs('chunked-word')) return this.takeChunks();
    if (lengths.length === 0) throw new Unreadable('Transfer-Encoding is not "chunked"');
    throw new Unreadable('There are both Transfer-Encoding and Content-Length');
  }

  private takeCounted(lengths: readonly string[]): Content {
    const [value] = lengths;
    if (value === undefined) return { framing: 'no content', isComplete: true };
    if (lengths.length > 1) throw new Unreadable('There is more than one Content-Length');
    const isPlain = /^\d{1,15}$/.test(value);
    const length = isPlain || this.errs('number') ? Number(value) : NaN;
    if (!(length >= 0 && Number.isSafeInteger(length))) {
      throw new Unreadable('Content-Length is not a number');
    }
    this.position += length;
    return { framing: `${count(length)} of content by Content-Length`, isComplete: true };
  }

  private takeChunks(): Content | undefined {
    let sum = 0;
    for (;;) {
      const line = this.takeLine();
      if (line === undefined) return undefined;
      const size = this.parseChunkSize(line);
      if (size === 0) break;
      sum += size;
      this.position += size;
      if (size > REQUEST_LIMIT && this.errs('64-bit')) {
        // BigInt, because a large number would be rounded to 17 digits.
        return { framing: `a chunk of ${BigInt(size)} bytes`, isComplete: false };
      }
      if (this.position > REQUEST_LIMIT) throw new Unreadable('A chunk is too long');
      if (!this.takeChunkEnd()) return undefined;
    }
    if (this.takeFields() === undefined) return undefined; // the trailer section
    return { framing: `${count(sum)} of content in chunks`, isComplete: true };
  }

  private parseChunkSize(line: string): number {
    const [, digits] = CHUNK_LINE.exec(line) ?? [];
    if (digits === undefined) throw new Unreadable('A chunk line is malformed');
    if (digits.length <= 8) return Number.parseInt(digits, 16);
    if (!this.errs('64-bit')) throw new Unreadable('A chunk-size has more than 8 digits');
    return Number(BigInt.asUintN(64, BigInt(`0x${digits}`)));
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
