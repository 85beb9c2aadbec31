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
import { Byte, HEXDIG, isOws, skipOws, skipToken } from './grammar';
import { allowedBy, ourChoice } from './protocol-error';
import type { Line } from './receive-buffer';

/** The most bytes of a chunk line, and of all extensions of a message: §7.1.1 asks for a limit. */
export const CHUNK_LINE_LIMIT = 1024;
const EXTENSIONS_LIMIT = 16_384;
const DIGITS_LIMIT = 16; // the most digits of a chunk-size, leading zeros included

/**
 * @param extensions bytes of extensions in this message before this line
 * @returns the bytes of data, 0 in the last chunk; and the bytes of extensions with this line
 * @throws ProtocolError
 */
export function parseChunkLine(line: Line, extensions: number) {
  const { bytes, start, end } = line;
  let size = 0;
  let at = start;
  for (; at < end && HEXDIG[bytes[at] ?? 0] === 1; at += 1) {
    if (at === start + DIGITS_LIMIT) {
      const reason = `A chunk-size has more than ${DIGITS_LIMIT} digits`;
      throw ourChoice('9112 7.1', line.offsetOf(at), reason);
    }
    size = size * 16 + hexValue(bytes[at] ?? 0);
    if (size > Number.MAX_SAFE_INTEGER) {
      throw ourChoice('9112 7.1', line.offsetOf(at), 'A chunk-size exceeds 2^53 - 1');
    }
  }
  if (at === start) {
    throw allowedBy('9112 7.1', line.offsetOf(at), 'A chunk does not start with its size in hex');
  }
  if (at === end && line.ending === 'CRLF') return { size, extensions };

  if (at < end && bytes[at] !== Byte.SEMICOLON && !isOws(bytes[at])) {
    throw allowedBy('9112 7.1', line.offsetOf(at), 'A chunk line is not chunk-size [ chunk-ext ]');
  }
  const total = extensions + end - at;
  if (total > EXTENSIONS_LIMIT) {
    const reason = `The chunk extensions of this message exceed ${EXTENSIONS_LIMIT} bytes`;
    throw ourChoice('9112 7.1.1', line.offsetOf(end - (total - EXTENSIONS_LIMIT)), reason);
  }
  if (line.ending === 'too long') {
    const reason = `A chunk line exceeds ${CHUNK_LINE_LIMIT} bytes`;
    throw ourChoice('9112 7.1.1', line.offsetOf(end), reason);
  }
  while (at < end) at = skipExtension(line, at);
  return { size, extensions: total };
}

/** @param byte a HEXDIG */
function hexValue(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

/**
 * BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ]
 * @returns the index of what follows; no token goes past the byte that ends the line
 */
function skipExtension(line: Line, from: number): number {
  const { bytes, end } = line;
  const semicolon = skipOws(bytes, from, end);
  expectAt(line, semicolon, bytes[semicolon] === Byte.SEMICOLON);
  const name = skipOws(bytes, semicolon + 1, end);
  const nameEnd = skipToken(bytes, name, end);
  expectAt(line, name, nameEnd > name);
  const equals = skipOws(bytes, nameEnd, end);
  if (bytes[equals] !== Byte.EQUALS) return nameEnd;
  const value = skipOws(bytes, equals + 1, end);
  if (bytes[value] === Byte.DQUOTE) return skipQuotedString(line, value);
  const valueEnd = skipToken(bytes, value, end);
  expectAt(line, value, valueEnd > value);
  return valueEnd;
}

/** quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE (9110 §5.6.4) */
function skipQuotedString(line: Line, from: number): number {
  const text = line.text(from, line.end);
  const start = /^"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*\\?/.exec(text)?.[0] ?? '';
  const close = from + start.length;
  expectAt(line, close, line.bytes[close] === Byte.DQUOTE);
  return close + 1;
}

function expectAt(line: Line, at: number, isThere: boolean): void {
  if (isThere) return;
  const reason = 'A chunk extension is not ";" name [ "=" value ]';
  throw allowedBy('9112 7.1.1', line.offsetOf(at), reason);
}
