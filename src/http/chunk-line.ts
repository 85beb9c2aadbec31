/**
 * The line before the data of a chunk (9112 §7.1).
 *
 *   chunk-size     = 1*HEXDIG
 *   chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )     (§7.1.1)
 *   chunk-ext-name = token
 *   chunk-ext-val  = token / quoted-string
 *
 * Extensions are checked and dropped: none means anything here.
 */
import { Byte, HEXDIG, hexValue, isOws, skipOws, skipQuotedChars, skipToken } from './grammar';
import { allowedBy, ourChoice, type ProtocolError } from './protocol-error';
import type { Line } from './receive-buffer';

/** The most bytes of a chunk line, and of all extensions of a message: §7.1.1 asks for a limit. */
export const CHUNK_LINE_LIMIT = 1024;
const EXTENSIONS_LIMIT = 16_384;
/** The most digits of a chunk-size, leading zeros included. */
const DIGITS_LIMIT = 16;

export interface ChunkLine {
  /** The number of bytes of data; 0 in the last chunk. */
  readonly size: number;
  /** Bytes of extensions in this message so far. */
  readonly extensions: number;
}

/**
 * @param extensions bytes of extensions in this message before this line
 * @throws ProtocolError
 */
export function parseChunkLine(line: Line, extensions: number): ChunkLine {
  const { bytes, start, end } = line;
  let size = 0;
  let at = start;
  for (; at < end && HEXDIG[bytes[at] ?? 0] === 1; at += 1) {
    if (at === start + DIGITS_LIMIT) {
      throw ourChoice('9112 7.1', line.offset(at),
        `A chunk-size has more than ${DIGITS_LIMIT} digits`);
    }
    size = size * 16 + hexValue(bytes[at] ?? 0);
    if (size > Number.MAX_SAFE_INTEGER) {
      throw ourChoice('9112 7.1', line.offset(at), 'A chunk-size exceeds 2^53 - 1');
    }
  }
  if (at === start) {
    throw allowedBy('9112 7.1', line.offset(at), 'A chunk does not start with its size in hex');
  }
  if (at === end && line.ending === 'CRLF') return { size, extensions };

  if (at < end && bytes[at] !== Byte.SEMICOLON && !isOws(bytes[at])) {
    throw allowedBy('9112 7.1', line.offset(at), 'A chunk line is not chunk-size [ chunk-ext ]');
  }
  const total = extensions + end - at;
  if (total > EXTENSIONS_LIMIT) {
    const offset = line.offset(end - (total - EXTENSIONS_LIMIT));
    throw ourChoice('9112 7.1.1', offset,
      `The chunk extensions of this message exceed ${EXTENSIONS_LIMIT} bytes`);
  }
  if (line.ending === 'too long') {
    throw ourChoice('9112 7.1.1', line.offset(end),
      `A chunk line exceeds ${CHUNK_LINE_LIMIT} bytes`);
  }
  while (at < end) at = skipExtension(line, at);
  return { size, extensions: total };
}

/** BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] @returns the index of what follows */
function skipExtension(line: Line, from: number): number {
  const { bytes, end } = line;
  const semicolon = skipOws(bytes, from, end);
  if (semicolon === end || bytes[semicolon] !== Byte.SEMICOLON) {
    throw extensionError(line, semicolon);
  }
  const name = skipOws(bytes, semicolon + 1, end);
  const nameEnd = skipToken(bytes, name, end);
  if (nameEnd === name) throw extensionError(line, name);
  const equals = skipOws(bytes, nameEnd, end);
  if (equals === end || bytes[equals] !== Byte.EQUALS) return nameEnd;
  const value = skipOws(bytes, equals + 1, end);
  if (value < end && bytes[value] === Byte.DQUOTE) return skipQuotedString(line, value);
  const valueEnd = skipToken(bytes, value, end);
  if (valueEnd === value) throw extensionError(line, value);
  return valueEnd;
}

/** DQUOTE *( qdtext / quoted-pair ) DQUOTE (9110 §5.6.4). */
function skipQuotedString(line: Line, from: number): number {
  const { bytes, end } = line;
  let at = skipQuotedChars(bytes, from + 1, end);
  while (at < end && bytes[at] === Byte.BACKSLASH) {
    const isLast = at + 2 === end && line.ending === 'invalid byte';
    if (at + 1 === end || isLast) throw extensionError(line, at + 1);
    at = skipQuotedChars(bytes, at + 2, end);
  }
  if (at === end || bytes[at] !== Byte.DQUOTE) throw extensionError(line, at);
  return at + 1;
}

function extensionError(line: Line, at: number): ProtocolError {
  const reason = 'A chunk extension is not ";" name [ "=" value ]';
  return allowedBy('9112 7.1.1', line.offset(at), reason);
}
