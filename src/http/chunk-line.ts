/** The line before the data of a chunk (9112 §7.1). Its extensions are checked and dropped.
 *
 *   chunk-size     = 1*HEXDIG
 *   chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )     (§7.1.1)
 *   chunk-ext-name = token
 *   chunk-ext-val  = token / quoted-string */
import { Byte, hexValue, isOws, skipLineChars, skipOws, skipToken } from './grammar';
import { LINE_END, lineEndErrorOr } from './line-end';
import { allowedBy, ourChoice, WITHIN_LIMIT, type ProtocolError } from './protocol-error';
import type { Line } from './receive-buffer';

const { BACKSLASH, DQUOTE, EQUALS, SEMICOLON } = Byte;

/** The most bytes of a chunk line: 9112 §7.1.1 asks for a limit on its extensions. */
export const CHUNK_LINE_LIMIT = 1024;
/** The most bytes of all chunk extensions of a message. */
const EXTENSIONS_LIMIT = 16_384;
/** The most digits of a chunk-size, leading zeros included. */
const SIZE_DIGITS_LIMIT = 16;

export interface ChunkLine {
  /** How many bytes of data follow: 0 in the last chunk. */
  readonly size: number;
  /** How many bytes of the line are extensions. */
  readonly extensions: number;
}

/** @param extensionsBefore how many bytes of extensions the message has had before this
 * line
 * @throws ProtocolError */
export function parseChunkLine(line: Line, extensionsBefore: number): ChunkLine {
  const { bytes, start, end } = line;
  let size = 0;
  let at = start;
  while (at < end && hexValue(bytes[at]) >= 0) {
    if (at - start === SIZE_DIGITS_LIMIT) {
      const reason = `A chunk-size has more than ${SIZE_DIGITS_LIMIT} digits`;
      throw ourChoice('9112 7.1', line.offsetOf(at), reason, WITHIN_LIMIT);
    }
    size = size * 16 + hexValue(bytes[at]);
    if (size > Number.MAX_SAFE_INTEGER) {
      const reason = 'A chunk-size exceeds 2^53 - 1';
      throw ourChoice('9112 7.1', line.offsetOf(at), reason, WITHIN_LIMIT);
    }
    at += 1;
  }
  const isSizeAlone = at === end && at > start && line.ending === 'CRLF';
  if (!isSizeAlone) {
    const error = findError(line, at, extensionsBefore);
    if (error !== undefined) throw lineEndErrorOr(line, error, '9112 7.1');
  }
  return { size, extensions: end - at };
}

/** @param at the index after the digits of the size
 * @param before how many bytes of extensions the message has had
 * @returns what is wrong from there on, if anything */
function findError(line: Line, at: number, before: number): ProtocolError | undefined {
  const { bytes, start, end } = line;
  const offset = line.offsetOf(at);
  if (at === start) {
    const reason = 'A chunk does not start with its size in hex';
    const expected = 'the size of a chunk, in hexadecimal digits';
    return allowedBy('9112 7.1', offset, reason, { expected });
  }
  if (bytes[at] !== SEMICOLON && !isOws(bytes[at])) {
    const reason = 'A chunk line is not a size in hex and perhaps extensions';
    const expected =
      'another hexadecimal digit of the size, ";" and a chunk extension (a remark), or ' +
      LINE_END;
    return allowedBy('9112 7.1', offset, reason, { expected });
  }
  const excess = before + end - at - EXTENSIONS_LIMIT;
  if (excess > 0) {
    const reason = `The chunk extensions of this message exceed ${EXTENSIONS_LIMIT} bytes`;
    return ourChoice('9112 7.1.1', line.offsetOf(end - excess), reason, WITHIN_LIMIT);
  }
  if (line.ending === 'too long') {
    const reason = `A chunk line exceeds ${CHUNK_LINE_LIMIT} bytes`;
    return ourChoice('9112 7.1.1', line.offsetOf(end), reason, WITHIN_LIMIT);
  }
  const wrong = findInvalidExtensionByte(bytes, at, end);
  if (wrong < 0) return undefined;
  const isSpaceAlone = skipOws(bytes, at, end) === end;
  const reason = isSpaceAlone
    ? 'White space after the size of a chunk, and no extension'
    : 'A chunk extension is not ";", a name and perhaps "=" and a value';
  const expected = isSpaceAlone
    ? 'the line end directly after the size, or ";" and a name'
    : 'a semicolon and a name, perhaps "=" and a value, and then the line end';
  return allowedBy('9112 7.1.1', line.offsetOf(wrong), reason, { expected });
}

/** @returns the index of the first byte from `from` to `end` that breaks the grammar of
 * chunk-ext (`end` if something is missing), or -1 if none does */
export function findInvalidExtensionByte(
  bytes: Uint8Array,
  from: number,
  end: number,
): number {
  let at = from;
  while (at < end) {
    at = skipOws(bytes, at, end);
    if (bytes[at] !== SEMICOLON) return at;
    const name = skipOws(bytes, at + 1, end);
    at = skipToken(bytes, name, end);
    if (at === name) return at;
    const equals = skipOws(bytes, at, end);
    if (bytes[equals] !== EQUALS) continue;
    const value = skipOws(bytes, equals + 1, end);
    at = skipToken(bytes, value, end);
    if (at > value) continue;
    if (bytes[at] !== DQUOTE) return at;
    at = closingQuote(bytes, at + 1, end);
    if (at === end || bytes[at] !== DQUOTE) return at;
    at += 1;
  }
  return -1;
}

/** quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE                        (9110 §5.6.4)
 * @param from the index after the opening quote
 * @returns the index of the closing quote or of a byte that cannot be before it, or else
 * `end` */
function closingQuote(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== DQUOTE) {
    if (bytes[at] === BACKSLASH) at += 1; // it quotes the next byte, perhaps a DQUOTE
    if (at < end && skipLineChars(bytes, at, at + 1) === at) return at;
    at += 1;
  }
  return Math.min(at, end);
}
