/**
 * The alphabet of HTTP: bytes by their names, and the character sets of the RFCs. Bytes are
 * compared as numbers: no decoding, no locale, no regular expression where every request passes.
 */

/** Bytes by their names in the grammar. A const enum: the compiler inlines the numbers. */
export const enum Byte {
  HTAB = 0x09,
  LF = 0x0a,
  VT = 0x0b,
  FF = 0x0c,
  CR = 0x0d,
  /** The first byte of a TLS connection: the type of a handshake record (8446 §5.1). */
  TLS_HANDSHAKE = 0x16,
  SP = 0x20,
  DQUOTE = 0x22,
  HASH = 0x23,
  PERCENT = 0x25,
  COMMA = 0x2c,
  DOT = 0x2e,
  SLASH = 0x2f,
  ZERO = 0x30,
  ONE = 0x31,
  COLON = 0x3a,
  SEMICOLON = 0x3b,
  EQUALS = 0x3d,
  H = 0x48,
  P = 0x50,
  T = 0x54,
  LEFT_BRACKET = 0x5b,
  BACKSLASH = 0x5c,
  RIGHT_BRACKET = 0x5d,
}

/** Membership by index: 1 where the byte belongs to the set. */
type CharSet = Uint8Array;

/** @param members single characters, and ranges of two bytes, both ends included */
function charSet(...members: readonly (string | readonly [number, number])[]): CharSet {
  const set = new Uint8Array(256);
  for (const member of members) {
    if (typeof member === 'string') for (const char of member) set[char.charCodeAt(0)] = 1;
    else set.fill(1, member[0], member[1] + 1);
  }
  return set;
}

const DIGITS = '0123456789';
const ALPHA = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const UNRESERVED = `${ALPHA + DIGITS}-._~`;
const SUB_DELIMS = "!$&'()*+,;=";

export const DIGIT = charSet(DIGITS);
export const HEXDIG = charSet(DIGITS, 'ABCDEFabcdef');

/** tchar, the characters of a token (9110 §5.6.2). */
export const TCHAR = charSet("!#$%&'*+-.^_`|~", DIGITS, ALPHA);

/**
 * What a line may hold: HTAB, SP, VCHAR and obs-text. These are the characters of a field value
 * (9110 §5.5), and every other part of a line allows fewer.
 */
const LINE_CHAR = charSet('\t', [0x20, 0x7e], [0x80, 0xff]);

/**
 * What a path or a query may hold (3986 §3.3, §3.4), but for "%", which needs two hexadecimal
 * digits. "[" and "]" are our one leniency: 3986 §3.2.2 allows them only in an IP literal, but
 * every browser sends them raw in a query such as "?a[]=1".
 */
const TARGET_CHAR = charSet(UNRESERVED, SUB_DELIMS, ':@/?[]');

/** unreserved and sub-delims, the characters of a reg-name (3986 §3.2.2). */
const REG_NAME_CHAR = charSet(UNRESERVED, SUB_DELIMS);

/** What a quoted-string holds besides quoted-pairs: HTAB, SP, VCHAR and obs-text (9110 §5.6.4). */
const QUOTED_CHAR = LINE_CHAR.map((member, byte) =>
  byte === Byte.DQUOTE || byte === Byte.BACKSLASH ? 0 : member,
);

/** @returns the index of the first byte outside the set, or `to` */
type Skip = (bytes: Uint8Array, from: number, to: number) => number;

/** Each set gets a function of its own: the set is a constant to it, which saves a third. */
function makeSkip(members: CharSet): Skip {
  const set = members;
  return (bytes, from, to) => {
    let at = from;
    while (at < to && set[bytes[at] ?? 0] === 1) at += 1;
    return at;
  };
}

/** For long runs, such as field values: four bytes are tested with one branch. */
function makeSkipRun(members: CharSet): Skip {
  const set = members;
  const has = (byte = 0): number => set[byte] ?? 0;
  return (bytes, from, to) => {
    let at = from;
    while (
      at + 3 < to &&
      (has(bytes[at]) & has(bytes[at + 1]) & has(bytes[at + 2]) & has(bytes[at + 3])) === 1
    ) {
      at += 4;
    }
    while (at < to && has(bytes[at]) === 1) at += 1;
    return at;
  };
}

export const skipDigits = makeSkip(DIGIT);
export const skipToken = makeSkip(TCHAR);
export const skipLineChars = makeSkipRun(LINE_CHAR);
export const skipTargetChars = makeSkip(TARGET_CHAR);
export const skipRegName = makeSkip(REG_NAME_CHAR);
export const skipQuotedChars = makeSkip(QUOTED_CHAR);

/** OWS is SP and HTAB, nothing else (9110 §5.6.3). */
export function isOws(byte: number | undefined): boolean {
  return byte === Byte.SP || byte === Byte.HTAB;
}

export function skipOws(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isOws(bytes[at])) at += 1;
  return at;
}

/** @returns the index of the first character outside the set, one byte per character */
export function skipText(set: CharSet, text: string, from = 0): number {
  let at = from;
  while (at < text.length && set[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

/** Whether "%" and two hexadecimal digits are at an index, before `to` (3986 §2.1). */
export function isPctEncoded(bytes: Uint8Array, at: number, to: number): boolean {
  return (
    at + 2 < to &&
    bytes[at] === Byte.PERCENT &&
    HEXDIG[bytes[at + 1] ?? 0] === 1 &&
    HEXDIG[bytes[at + 2] ?? 0] === 1
  );
}

/** The value of a hexadecimal digit. The byte must be a HEXDIG. */
export function hexValue(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte | 0x20) - 0x57;
}

/** Each byte in lower case, in ASCII only: to toLowerCase(), U+212A (KELVIN SIGN) is a "k" too. */
const LOWER_CASE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/** @param name in any case; in its usual spelling it is found faster */
export function equalsIgnoreCase(text: string, name: string): boolean {
  return text.length === name.length && (text === name || hasSameLetters(text, name));
}

function hasSameLetters(text: string, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    if (LOWER_CASE[text.charCodeAt(at)] !== LOWER_CASE[name.charCodeAt(at)]) return false;
  }
  return true;
}
