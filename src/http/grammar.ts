/** The alphabet of HTTP: bytes by their names, and the character sets of the RFCs. A byte is looked
 * up by its number: no regular expression is on the path of every request. */

/** The compiler inlines the numbers. TLS_HANDSHAKE begins a TLS connection (8446 §5.1). */
export const enum Byte {
  HTAB = 0x09,
  LF = 0x0a,
  CR = 0x0d,
  TLS_HANDSHAKE = 0x16,
  SP = 0x20,
  PERCENT = 0x25,
  COLON = 0x3a,
  LEFT_BRACKET = 0x5b,
}

/** @returns 1 at the index of each byte that a pattern matches: asked once, then only looked up */
const makeSet = (char: RegExp): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, at) => Number(char.test(String.fromCharCode(at))));

/** @returns the index of the first byte outside a set, or `to` */
type Skip = (bytes: Uint8Array, from: number, to: number) => number;

/** Each set gets a function of its own, so the set in it is a constant: that saves a third. */
function makeSkip(char: RegExp): Skip {
  const set = makeSet(char);
  return (bytes, from, to) => {
    let at = from;
    while (at < to && set[bytes[at] ?? 0] === 1) at += 1;
    return at;
  };
}

/** For long runs, such as field values: four bytes are tested with one branch. */
function makeSkipRun(char: RegExp): Skip {
  const set = makeSet(char);
  const has = (byte = 0): number => set[byte] ?? 0;
  const hasFour = (bytes: Uint8Array, at: number): boolean =>
    (has(bytes[at]) & has(bytes[at + 1]) & has(bytes[at + 2]) & has(bytes[at + 3])) === 1;
  return (bytes, from, to) => {
    let at = from;
    while (at + 3 < to && hasFour(bytes, at)) at += 4;
    while (at < to && has(bytes[at]) === 1) at += 1;
    return at;
  };
}

/** The same set, and "%" with two hexadecimal digits (pct-encoded, 3986 §2.1). */
function orPctEncoded(skip: Skip): Skip {
  return (bytes, from, to) => {
    let at = skip(bytes, from, to);
    while (at < to && bytes[at] === Byte.PERCENT) {
      const end = skipHexDigits(bytes, at + 1, Math.min(at + 3, to));
      if (end !== at + 3) return at;
      at = skip(bytes, end, to);
    }
    return at;
  };
}

export const skipDigits = makeSkip(/\d/);
export const skipHexDigits = makeSkip(/[\da-f]/i);
/** SP and HTAB, nothing else (9110 §5.6.3). */
export const skipOws = makeSkip(/[ \t]/);
/** The characters of a token (9110 §5.6.2), for patterns. */
export const TCHAR = "[!#$%&'*+.^_`|~\\w-]";
export const skipToken = makeSkip(new RegExp(TCHAR));
/** What a line may hold: HTAB, SP, VCHAR and obs-text. These are the characters of a field value
 * (9110 §5.5), and every other part of a line allows fewer. */
export const skipLineChars = makeSkipRun(/[\t -~\x80-\xff]/);
/** What a path or a query may hold (3986 §3.3, §3.4). "[" and "]" are our one leniency: they belong
 * only in an IP literal (3986 §3.2.2), but every browser sends them raw in a query: "?a[]=1". */
export const skipTargetChars = orPctEncoded(makeSkip(/[\w.~!$&'()*+,;=:@/?[\]-]/));
/** reg-name (3986 §3.2.2). */
export const skipRegName = orPctEncoded(makeSkip(/[\w.~!$&'()*+,;=-]/));
export const isOws = (byte?: number): boolean => byte === Byte.SP || byte === Byte.HTAB;
/** @param name letters, digits and "-", in any case; in its usual spelling it is found faster */
export function equalsIgnoreCase(text: string, name: string): boolean {
  if (text.length !== name.length) return false;
  if (text === name) return true;
  for (let at = 0; at < name.length; at += 1) {
    // In ASCII, the case of a letter is one bit. No control character is here: see skipLineChars.
    if ((text.charCodeAt(at) | 0x20) !== (name.charCodeAt(at) | 0x20)) return false;
  }
  return true;
}
