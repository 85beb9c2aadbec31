/** The alphabet of HTTP: bytes by their names, the character sets of the RFCs, and
 * functions that walk over them. Messages are read as bytes. What is cut out of them is
 * text, in which each character is one byte (ISO-8859-1). */

export const Byte = {
  HTAB: 0x09,
  LF: 0x0a,
  CR: 0x0d,
  TLS_HANDSHAKE: 0x16, // the first byte of a TLS connection (8446 §5.1)
  SP: 0x20,
  DQUOTE: 0x22,
  HASH: 0x23,
  PERCENT: 0x25,
  DOT: 0x2e,
  SLASH: 0x2f,
  COLON: 0x3a,
  SEMICOLON: 0x3b,
  EQUALS: 0x3d,
  LEFT_BRACKET: 0x5b,
  BACKSLASH: 0x5c,
  RIGHT_BRACKET: 0x5d,
} as const;

const { HTAB, PERCENT, SP } = Byte;

/** A table with 1 at the number of each character in a set. */
type CharacterSet = Uint8Array;

/** @param char matches one character of the set; it is tried once on each of the 256
 * characters */
function makeSet(char: RegExp): CharacterSet {
  return Uint8Array.from({ length: 256 }, (_, code) =>
    Number(char.test(String.fromCharCode(code))),
  );
}

const DIGIT = makeSet(/\d/);
const HEXDIG = makeSet(/[\da-f]/i);
/** The characters of a token (9110 §5.6.2). */
const TCHAR = makeSet(/[!#$%&'*+.^_`|~\w-]/);
/** What a line may hold: HTAB, SP, VCHAR and obs-text. These are the characters of a field
 * value (9110 §5.5), and every other part of a line allows no others. */
const LINE_CHAR = makeSet(/[\t -~\x80-\xff]/);
/** What a path or a query may hold besides pct-encoded (3986 §3.3, §3.4). */
const TARGET_CHAR = makeSet(/[\w.~!$&'()*+,;=:@/?-]/);
/** Everything but SP, HTAB, VT and FF. */
const NON_SPACE = makeSet(/[^ \t\v\f]/);
/** What a reg-name may hold besides pct-encoded (3986 §3.2.2). */
const REG_NAME_CHAR = makeSet(/[\w.~!$&'()*+,;=-]/);
/** What follows "v1." in an IPvFuture (3986 §3.2.2). */
const FUTURE_ADDRESS_CHAR = makeSet(/[\w.~!$&'()*+,;=:-]/);

/** Skips the characters of a set. Nearly every byte of a header section passes through
 * here, so each round of the loop tests eight while at least eight are left. That makes a
 * browser's request 15 % cheaper to read.
 * @returns the index of the first byte from `from` to `to` that is outside the set, or
 * `to` */
function skip(set: CharacterSet, bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (; at + 8 <= to; at += 8) {
    if (set[bytes[at] ?? 0] !== 1) return at;
    if (set[bytes[at + 1] ?? 0] !== 1) return at + 1;
    if (set[bytes[at + 2] ?? 0] !== 1) return at + 2;
    if (set[bytes[at + 3] ?? 0] !== 1) return at + 3;
    if (set[bytes[at + 4] ?? 0] !== 1) return at + 4;
    if (set[bytes[at + 5] ?? 0] !== 1) return at + 5;
    if (set[bytes[at + 6] ?? 0] !== 1) return at + 6;
    if (set[bytes[at + 7] ?? 0] !== 1) return at + 7;
  }
  while (at < to && set[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

/** Skips the characters of a set, and "%" with two hexadecimal digits (pct-encoded,
 * 3986 §2.1). */
function skipOrPctEncoded(
  set: CharacterSet,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  let at = skip(set, bytes, from, to);
  while (at < to && bytes[at] === PERCENT) {
    const end = Math.min(at + 3, to);
    if (skipHexDigits(bytes, at + 1, end) < at + 3) break;
    at = skip(set, bytes, end, to);
  }
  return at;
}

export function skipDigits(bytes: Uint8Array, from: number, to: number): number {
  return skip(DIGIT, bytes, from, to);
}

export function skipHexDigits(bytes: Uint8Array, from: number, to: number): number {
  return skip(HEXDIG, bytes, from, to);
}

export function skipToken(bytes: Uint8Array, from: number, to: number): number {
  return skip(TCHAR, bytes, from, to);
}

export function skipLineChars(bytes: Uint8Array, from: number, to: number): number {
  return skip(LINE_CHAR, bytes, from, to);
}

/** Skips everything but the white space at which a lenient recipient splits a request line
 * (9112 §3). */
export function skipNonSpace(bytes: Uint8Array, from: number, to: number): number {
  return skip(NON_SPACE, bytes, from, to);
}

export function skipTargetChars(bytes: Uint8Array, from: number, to: number): number {
  return skipOrPctEncoded(TARGET_CHAR, bytes, from, to);
}

export function skipRegName(bytes: Uint8Array, from: number, to: number): number {
  return skipOrPctEncoded(REG_NAME_CHAR, bytes, from, to);
}

export function skipFutureAddress(bytes: Uint8Array, from: number, to: number): number {
  return skip(FUTURE_ADDRESS_CHAR, bytes, from, to);
}

/** Skips SP and HTAB, and no other white space (9110 §5.6.3). */
export function skipOws(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isOws(bytes[at])) at += 1;
  return at;
}

/** @returns a text without the SP and HTAB around it */
export function trimOws(text: string): string {
  let from = 0;
  while (isOws(text.charCodeAt(from))) from += 1;
  let to = text.length;
  while (to > from && isOws(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

export function isOws(byte: number | undefined): boolean {
  return byte === SP || byte === HTAB;
}

/** @returns the value of a byte as a hexadecimal digit, or -1 if it is not one */
export function hexValue(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20; // in lower case
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Compares without case, in ASCII only (9110 §5.1).
 * @param name letters, digits and "-"; found fastest in its usual spelling */
export function equalsIgnoreCase(text: string, name: string): boolean {
  if (text.length !== name.length) return false;
  if (text === name) return true;
  for (let at = 0; at < name.length; at += 1) {
    // In ASCII, the case of a letter is one bit. With that bit, a control character could
    // become a digit or "-"; but a line holds none except HTAB, which becomes ")".
    if ((text.charCodeAt(at) | 0x20) !== (name.charCodeAt(at) | 0x20)) return false;
  }
  return true;
}
