/** The line before the data of a chunk (9112 §7.1).
 *
 *   chunk-size     = 1*HEXDIG
 *   chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )     (§7.1.1)
 *   chunk-ext-name = token
 *   chunk-ext-val  = token / quoted-string
 *
 * Extensions are checked and dropped: none means anything here. */
import { skipHexDigits, TCHAR } from './grammar';
import { allowedBy, ourChoice } from './protocol-error';
import type { Line } from './receive-buffer';

/** The most bytes of a chunk line, and of all extensions of a message: §7.1.1 asks for a limit. */
export const CHUNK_LINE_LIMIT = 1024;
const EXTENSIONS_LIMIT = 16_384;
const DIGITS_LIMIT = 16; // the most digits of a chunk-size, leading zeros included

/** @param extensions bytes of extensions in this message before this line
 * @returns the bytes of data, 0 in the last chunk; and the bytes of extensions with this line
 * @throws ProtocolError */
export function parseChunkLine(line: Line, extensions: number) {
  const { bytes, start, end } = line;
  const at = skipHexDigits(bytes, start, end);
  if (at === start) {
    throw allowedBy('9112 7.1', line.offsetOf(at), 'A chunk does not start with its size in hex');
  }
  const to = Math.min(at, start + DIGITS_LIMIT);
  let size = 0;
  for (let index = start; index < to; index += 1) size = size * 16 + hexValue(bytes[index] ?? 0);
  if (size > Number.MAX_SAFE_INTEGER) {
    // As many digits as make at most 2^53 - 1, which is 1fffffffffffff.
    const { length } = /^0*1?[\da-f]{0,13}/i.exec(line.text(start, to))?.[0] ?? '';
    throw ourChoice('9112 7.1', line.offsetOf(start + length), 'A chunk-size exceeds 2^53 - 1');
  }
  if (to < at) {
    const reason = `A chunk-size has more than ${DIGITS_LIMIT} digits`;
    throw ourChoice('9112 7.1', line.offsetOf(to), reason);
  }
  if (at === end && line.ending === 'CRLF') return { size, extensions };

  const text = line.text(at, end);
  if (/^[^;\t ]/.test(text)) {
    throw allowedBy('9112 7.1', line.offsetOf(at), 'A chunk line is not chunk-size [ chunk-ext ]');
  }
  const total = extensions + text.length;
  if (total > EXTENSIONS_LIMIT) {
    const reason = `The chunk extensions of this message exceed ${EXTENSIONS_LIMIT} bytes`;
    throw ourChoice('9112 7.1.1', line.offsetOf(end - (total - EXTENSIONS_LIMIT)), reason);
  }
  if (line.ending === 'too long') {
    const reason = `A chunk line exceeds ${CHUNK_LINE_LIMIT} bytes`;
    throw ourChoice('9112 7.1.1', line.offsetOf(end), reason);
  }
  const [valid = '', whole] = EXTENSIONS.exec(text) ?? [];
  if (whole === text) return { size, extensions: total };
  const reason = 'A chunk extension is not ";" name [ "=" value ]';
  throw allowedBy('9112 7.1.1', line.offsetOf(at + valid.length), reason);
}

/** @param byte a HEXDIG */
function hexValue(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

const BWS = '[\\t ]*';
const NAME = `${TCHAR}+`;
/** A quoted-string but for its second DQUOTE (9110 §5.6.4). */
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*';
const VALUE = `(?:${NAME}|${QUOTED}")`;
const WHOLE = `${BWS};${BWS}${NAME}(?:${BWS}=${BWS}${VALUE})?(?=${BWS};|$)`;
const PART = `${BWS}(?:;${BWS}(?:${NAME}${BWS}(?:=${BWS}(?:${VALUE}${BWS}|${QUOTED}\\\\?)?)?)?)?`;
/** Extensions that are whole, and how another one may begin: the byte after that is wrong. */
const EXTENSIONS = new RegExp(`^((?:${WHOLE})*)${PART}`);
