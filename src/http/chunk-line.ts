/** The line before the data of a chunk (9112 §7.1).
 *
 *   chunk-size     = 1*HEXDIG
 *   chunk-ext      = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )     (§7.1.1)
 *   chunk-ext-name = token
 *   chunk-ext-val  = token / quoted-string
 *
 * Extensions are checked and dropped: none means anything here. */
import { skipHexDigits, TCHAR } from './grammar';
import { allowedBy, findFault, ourChoice, type Fault } from './protocol-error';
import type { Line } from './receive-buffer';

/** The most bytes of a chunk line, and of all extensions of a message: §7.1.1 asks for a limit. */
export const CHUNK_LINE_LIMIT = 1024;
const EXTENSIONS_LIMIT = 16_384;
const DIGITS_LIMIT = 16; // the most digits of a chunk-size, leading zeros included

/** @param extensions bytes of extensions in this message before this line
 * @returns the bytes of data, 0 in the last chunk; and the bytes of extensions with this line
 * @throws ProtocolError */
export function parseChunkLine(line: Line, extensions: number) {
  const { bytes, start, end, ending } = line;
  const at = skipHexDigits(bytes, start, end);
  let size = 0;
  for (let index = start; index < at; index += 1) size = size * 16 + hexValue(bytes[index] ?? 0);
  const isSize = at > start && at - start <= DIGITS_LIMIT && size <= Number.MAX_SAFE_INTEGER;
  if (isSize && at === end && ending === 'CRLF') return { size, extensions };

  const fault = findFault(SIZE_FAULTS, line.text(start, end), line.offsetOf(start));
  if (fault !== undefined) throw fault;
  const total = extensions + end - at;
  const excess = total - EXTENSIONS_LIMIT;
  if (excess > 0) throw ourChoice('9112 7.1.1', line.offsetOf(end - excess),
    `The chunk extensions of this message exceed ${EXTENSIONS_LIMIT} bytes`);
  if (ending === 'too long') throw ourChoice('9112 7.1.1', line.offsetOf(end),
    `A chunk line exceeds ${CHUNK_LINE_LIMIT} bytes`);
  const text = line.text(at, end);
  const [valid = '', whole] = EXTENSIONS.exec(text) ?? [];
  if (whole !== text) throw allowedBy('9112 7.1.1', line.offsetOf(at + valid.length),
    'A chunk extension is not ";" name [ "=" value ]');
  return { size, extensions: total };
}

/** @param byte a HEXDIG */
const hexValue = (byte: number): number => (byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57);

/** 2^53 - 1 is 1fffffffffffff: the digit that exceeds it is among the first 16, or too many are. */
const SIZE_FAULTS: readonly Fault[] = [
  [/^(?![\da-f])/i, allowedBy, '9112 7.1', 'A chunk does not start with its size in hex'],
  [/^(?:0?1[\da-f]{13}|0{0,2}[2-9a-f][\da-f]{12})(?=[\da-f])/i, ourChoice, '9112 7.1',
    'A chunk-size exceeds 2^53 - 1'],
  [/^[\da-f]{16}(?=[\da-f])/i, ourChoice, '9112 7.1', 'A chunk-size has more than 16 digits'],
  [/^[\da-f]+(?=[^\da-f;\t ])/i, allowedBy, '9112 7.1',
    'A chunk line is not chunk-size [ chunk-ext ]'],
];

const BWS = '[\\t ]*';
const NAME = `${TCHAR}+`;
/** A quoted-string but for its second DQUOTE (9110 §5.6.4). */
const QUOTED = '"(?:[\\t !#-[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*';
const VALUE = `(?:${NAME}|${QUOTED}")`;
const WHOLE = `${BWS};${BWS}${NAME}(?:${BWS}=${BWS}${VALUE})?(?=${BWS};|$)`;
const PART = `${BWS}(?:;${BWS}(?:${NAME}${BWS}(?:=${BWS}(?:${VALUE}${BWS}|${QUOTED}\\\\?)?)?)?)?`;
/** Extensions that are whole, and how another one may begin: the byte after that is wrong. */
const EXTENSIONS = new RegExp(`^((?:${WHOLE})*)${PART}`);
