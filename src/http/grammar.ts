/**
 * The alphabet of HTTP: bytes by their names, and the character sets of the RFCs. Bytes are
 * compared as numbers: no decoding, no locale, no regular expression on the path of every request.
 */

/** The compiler inlines the numbers. TLS_HANDSHAKE begins a TLS connection (8446 §5.1). */
export const enum Byte {
  HTAB = 0x09, LF = 0x0a, CR = 0x0d, TLS_HANDSHAKE = 0x16, SP = 0x20, DQUOTE = 0x22, HASH = 0x23,
  PERCENT = 0x25, DOT = 0x2e, SLASH = 0x2f, ZERO = 0x30, ONE = 0x31, COLON = 0x3a,
  SEMICOLON = 0x3b, EQUALS = 0x3d, H = 0x48, P = 0x50, T = 0x54, LEFT_BRACKET = 0x5b,
}

type CharSet = Uint8Array; // membership by index: 1 where the byte belongs to the set

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

/** @returns the index of the first byte outside a set, or `to` */
type Skip = (bytes: Uint8Array, from: number, to: number) => number;

/** Each set gets a function of its own, and a constant in it: that saves a third. */
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

/** The same set, and "%" with two hexadecimal digits (pct-encoded, 3986 §2.1). */
function orPctEncoded(skip: Skip): Skip {
  return (bytes, from, to) => {
    let at = skip(bytes, from, to);
    while (at < to && isPctEncoded(bytes, at, to)) at = skip(bytes, at + 3, to);
    return at;
  };
}

function isPctEncoded(bytes: Uint8Array, at: number, to: number): boolean {
  if (at + 2 >= to || bytes[at] !== Byte.PERCENT) return false;
  return HEXDIG[bytes[at + 1] ?? 0] === 1 && HEXDIG[bytes[at + 2] ?? 0] === 1;
}

export const skipDigits = makeSkip(DIGIT);
export const skipToken = makeSkip(TCHAR);

/**
 * What a line may hold: HTAB, SP, VCHAR and obs-text. These are the characters of a field value
 * (9110 §5.5), and every other part of a line allows fewer.
 */
export const skipLineChars = makeSkipRun(charSet('\t', [0x20, 0x7e], [0x80, 0xff]));

/**
 * What a path or a query may hold (3986 §3.3, §3.4). "[" and "]" are our one leniency: they belong
 * only in an IP literal (3986 §3.2.2), but every browser sends them raw in a query: "?a[]=1".
 */
export const skipTargetChars = orPctEncoded(makeSkip(charSet(UNRESERVED, SUB_DELIMS, ':@/?[]')));

/** reg-name (3986 §3.2.2). */
export const skipRegName = orPctEncoded(makeSkip(charSet(UNRESERVED, SUB_DELIMS)));

/** OWS is SP and HTAB, nothing else (9110 §5.6.3). */
export function isOws(byte: number | undefined): boolean {
  return byte === Byte.SP || byte === Byte.HTAB;
}

export function skipOws(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isOws(bytes[at])) at += 1;
  return at;
}

/** @returns the index of the first character outside the set, or the length */
export function skipText(set: CharSet, text: string): number {
  let at = 0;
  while (at < text.length && set[text.charCodeAt(at)] === 1) at += 1;
  return at;
}

/** @param name letters, digits and "-", in any case; in its usual spelling it is found faster */
export function equalsIgnoreCase(text: string, name: string): boolean {
  return text.length === name.length && (text === name || hasSameLetters(text, name));
}

function hasSameLetters(text: string, name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    // In ASCII, the case of a letter is one bit. No control character is here: see skipLineChars().
    if ((text.charCodeAt(at) | 0x20) !== (name.charCodeAt(at) | 0x20)) return false;
  }
  return true;
}
