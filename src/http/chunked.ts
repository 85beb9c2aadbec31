/**
 * The chunked transfer coding (9112 §7.1), a machine of its own inside the reading of a request.
 *
 *   chunked-body = *chunk last-chunk trailer-section CRLF
 *   chunk        = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
 *   chunk-size   = 1*HEXDIG
 *   last-chunk   = 1*"0" [ chunk-ext ] CRLF
 *   chunk-ext    = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
 *   chunk-ext-val = token / quoted-string
 *
 * Extensions and trailer fields are checked by their grammar and dropped: a trailer field that became a header field could reframe or
 * reroute a message that was judged already (9110 §6.5.1).
 */
import { Content, CONTENT_LIMIT } from './content';
import { bareCr, bareLf, Failure } from './failure';
import { FieldSection } from './field-line';
import type { Input } from './input';
import { FIELD_VALUE, HEXDIG, hexValue, isOws, Octet, TCHAR } from './octets';

/** The states, and to which each may lead. Every step may also refuse, or need more octets. */
export const CHUNKED = {
  size: ['extension'],
  extension: ['data', 'trailer'],
  data: ['dataEnd'],
  dataEnd: ['size'],
  trailer: ['end'],
  end: [],
} as const;

export type ChunkedState = keyof typeof CHUNKED;
type After<S extends ChunkedState> = (typeof CHUNKED)[S][number] | 'needMore' | Failure;

/** Octets of one chunk line, its CRLF not counted; octets of extensions in one message; digits of a chunk-size. */
const LINE_LIMIT = 1024;
const EXTENSIONS_LIMIT = 16_384;
const SIZE_DIGITS = 16;

/** What the reading of a chunked body tells to somebody who follows it: where its data starts, where the line of the last chunk and where its end is, as offsets in the request. */
export type ChunkEvent =
  | { readonly type: 'chunk'; readonly number: number; readonly size: number; readonly data: number }
  | { readonly type: 'last chunk'; readonly number: number; readonly line: number; readonly trailerLines: number; readonly end: number; readonly content: number };

export class ChunkedBody {
  private state: ChunkedState = 'size';
  readonly content = new Content();
  /** The chunk-size as far as it is read, then the octets of the chunk's data that are still to come. */
  private left = 0;
  private number = 0;
  /** Where the chunk line starts. */
  private line: number;
  private extension: ExtensionState = 'after';
  private extensions = 0;
  private readonly trailer = new FieldSection();

  /** @param start offset of the first chunk line */
  constructor(start: number, private readonly tell?: (event: ChunkEvent) => void) {
    this.line = start;
  }

  /** Reads as far as the octets go. */
  read(input: Input): 'end' | 'needMore' | Failure {
    while (this.state !== 'end') {
      const after: ChunkedState | 'needMore' | Failure = this.step(this.state, input);
      input.release();
      if (after === 'needMore' || typeof after !== 'string') return after;
      this.state = after;
    }
    return 'end';
  }

  /** What is missing next, in words. */
  get missing(): string {
    switch (this.state) {
      case 'data':
        return `${this.left} octets of the data of chunk ${this.number}`;
      case 'dataEnd':
        return 'the CRLF after the data of the chunk';
      case 'trailer':
        return 'the empty line after the last chunk';
      default:
        return 'the end of the chunk line';
    }
  }

  /** One step a state. An edge that CHUNKED does not draw does not compile. */
  private step(state: Exclude<ChunkedState, 'end'>, input: Input): ChunkedState | 'needMore' | Failure {
    switch (state) {
      case 'size':
        return this.readSize(input) satisfies After<'size'>;
      case 'extension':
        return this.readExtension(input) satisfies After<'extension'>;
      case 'data':
        return this.readData(input) satisfies After<'data'>;
      case 'dataEnd':
        return this.readDataEnd(input) satisfies After<'dataEnd'>;
      case 'trailer':
        return this.readTrailer(input) satisfies After<'trailer'>;
    }
  }

  private readSize(input: Input): After<'size'> {
    for (;;) {
      const octet = input.peek();
      const { offset } = input;
      if (octet === Octet.NONE) return 'needMore';
      if (HEXDIG[octet] !== 1) {
        if (offset === this.line) return octet === Octet.LF ? bareLf(offset) : this.wrongLine('A chunk-size starts with a hexadecimal digit', offset);
        if (this.content.length + this.left > CONTENT_LIMIT && EXTENSION.after[CLASS[octet] ?? 'control'] !== undefined) {
          return new Failure(413, '9110 15.5.14', `The chunk takes the content over ${CONTENT_LIMIT} octets`, this.line);
        }
        this.extension = 'after';
        return 'extension';
      }
      if (offset === this.line + SIZE_DIGITS) return this.wrongLine(`A chunk-size of more than ${SIZE_DIGITS} digits`, offset);
      this.left = this.left * 16 + hexValue(octet);
      if (this.left > Number.MAX_SAFE_INTEGER) return this.wrongLine('A chunk-size over 2^53 - 1', offset);
      input.at += 1;
    }
  }

  private readExtension(input: Input): After<'extension'> {
    for (;;) {
      const octet = input.peek();
      const { offset } = input;
      if (octet === Octet.NONE) return 'needMore';
      const next = EXTENSION[this.extension][CLASS[octet] ?? 'control'];
      if (next === 'end') break;
      if (octet === Octet.LF) return bareLf(offset);
      if (offset >= this.line + LINE_LIMIT) return this.wrongLine(`A chunk line of more than ${LINE_LIMIT} octets`, offset);
      if (next === undefined) return this.wrongLine('The chunk line is not chunk-size [ chunk-ext ] CRLF', offset);
      if (this.extensions === EXTENSIONS_LIMIT) return this.wrongLine(`More than ${EXTENSIONS_LIMIT} octets of chunk extensions`, offset);
      this.extension = next;
      this.extensions += 1;
      input.at += 1;
    }
    const lf = input.peek(1);
    if (lf === Octet.NONE) return 'needMore';
    if (lf !== Octet.LF) return bareCr(input.offset);
    input.at += 2;
    if (this.left === 0) {
      this.trailer.begin(input.offset);
      return 'trailer';
    }
    this.number += 1;
    this.tell?.({ type: 'chunk', number: this.number, size: this.left, data: input.offset });
    return 'data';
  }

  private readData(input: Input): After<'data'> {
    this.left -= this.content.take(input, this.left);
    return this.left > 0 ? 'needMore' : 'dataEnd';
  }

  /** Exactly CRLF: a reader that skips two octets here, whatever they are, hides a request in them. */
  private readDataEnd(input: Input): After<'dataEnd'> {
    const [cr, lf] = [input.peek(), input.peek(1)];
    if (cr !== Octet.CR && cr !== Octet.NONE) return new Failure(400, '9112 7.1', 'The data of a chunk is not followed by CRLF', input.offset);
    if (lf !== Octet.LF && lf !== Octet.NONE) return new Failure(400, '9112 7.1', 'The data of a chunk is not followed by CRLF', input.offset + 1);
    if (lf === Octet.NONE) return 'needMore';
    input.at += 2;
    this.line = input.offset;
    return 'size';
  }

  private readTrailer(input: Input): After<'trailer'> {
    const after = this.trailer.read(input);
    if (after === 'end') {
      this.tell?.({ type: 'last chunk', number: this.number + 1, line: this.line, trailerLines: this.trailer.lines, end: input.offset, content: this.content.length });
    }
    return after;
  }

  private wrongLine(sentence: string, offset: number): Failure {
    return new Failure(400, '9112 7.1', sentence, offset);
  }
}

/** What an octet is to the grammar of extensions. A control octet is in none but CR, which ends the line. */
type OctetClass = 'tchar' | 'space' | ';' | '=' | '"' | '\\' | 'text' | 'CR' | 'control';
type ExtensionState = 'after' | 'gap' | 'beforeName' | 'name' | 'afterName' | 'beforeValue' | 'token' | 'quoted' | 'pair';

const CLASS: readonly OctetClass[] = Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet);
  if (character === ';' || character === '=' || character === '"' || character === '\\') return character;
  if (octet === Octet.CR) return 'CR';
  if (isOws(octet)) return 'space';
  if (TCHAR[octet] === 1) return 'tchar';
  return FIELD_VALUE[octet] === 1 ? 'text' : 'control';
});

/**
 * chunk-ext, octet by octet. A blank cell is a refusal. White space stands around ";" and "=" alone: 'gap' and 'afterName' have no way
 * to the end of the line. quoted-string and quoted-pair are those of 9110 §5.6.4.
 */
export const EXTENSION: { readonly [S in ExtensionState]: { readonly [C in OctetClass]?: ExtensionState | 'end' } } = {
  after: { CR: 'end', space: 'gap', ';': 'beforeName' },
  gap: { space: 'gap', ';': 'beforeName' },
  beforeName: { space: 'beforeName', tchar: 'name' },
  name: { CR: 'end', tchar: 'name', space: 'afterName', ';': 'beforeName', '=': 'beforeValue' },
  afterName: { space: 'afterName', ';': 'beforeName', '=': 'beforeValue' },
  beforeValue: { space: 'beforeValue', tchar: 'token', '"': 'quoted' },
  token: { CR: 'end', tchar: 'token', space: 'gap', ';': 'beforeName' },
  quoted: { tchar: 'quoted', space: 'quoted', ';': 'quoted', '=': 'quoted', text: 'quoted', '\\': 'pair', '"': 'after' },
  pair: { tchar: 'quoted', space: 'quoted', ';': 'quoted', '=': 'quoted', text: 'quoted', '\\': 'quoted', '"': 'quoted' },
};
