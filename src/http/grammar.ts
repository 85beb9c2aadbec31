/** The alphabet of HTTP: bytes by their names, the character sets of the RFCs, and
 * functions that walk over them. Messages are read as bytes. What is cut out of them is
 * text, in which each character is one byte (ISO-8859-1). */

export const Byte = {
  HTAB: 0x09,
  LF: 0x0a,
  CR: 0x0d,
  SP: 0x20,
  DQUOTE: 0x22,
  COLON: 0x3a,
  SEMICOLON: 0x3b,
  EQUALS: 0x3d,
  BACKSLASH: 0x5c,
} as const;

const { HTAB, SP } = Byte;

/** @param char matches one character of a set; it is tried once on each of the 256
 * @returns a function that skips these characters: it returns the index of the first byte
 * from `from` to `to` that is outside the set, or `to` */
function skipping(char: RegExp): (bytes: Uint8Array, from: number, to: number) => number {
  const set = Uint8Array.from({ length: 256 }, (_, code) =>
    Number(char.test(String.fromCharCode(code))),
  );
  return (bytes, from, to) => {
    let at = from;
    const last = to - 3;
    // Every byte of a line passes here, so each round of the loop tests four.
    for (; at < last; at += 4) {
      if (set[bytes[at] ?? 0] !== 1) return at;
      if (set[bytes[at + 1] ?? 0] !== 1) return at + 1;
      if (set[bytes[at + 2] ?? 0] !== 1) return at + 2;
      if (set[bytes[at + 3] ?? 0] !== 1) return at + 3;
    }
    while (at < to && set[bytes[at] ?? 0] === 1) at += 1;
    return at;
  };
}

/** unreserved and sub-delims (3986 §2.2, §2.3), for a class of a regular expression. */
export const URI_CHARS = "-\\w.~!$&'()*+,;=";

/** The characters of a token (9110 §5.6.2). */
export const skipToken = skipping(/[!#$%&'*+.^_`|~\w-]/);
export const skipHexDigits = skipping(/[\da-f]/i);
/** OWS: SP and HTAB, and no other white space (9110 §5.6.3). */
export const skipOws = skipping(/[\t ]/);
/** What a line may hold: HTAB, SP, VCHAR and obs-text. These are the characters of a field
 * value (9110 §5.5), and every other part of a line allows no others. */
export const skipLineChars = skipping(/[\t -~\x80-\xff]/);
/** Everything but the white space at which a lenient recipient splits a request line: SP,
 * HTAB, VT and FF (9112 §3). */
export const skipNonSpace = skipping(/[^ \t\v\f]/);
/** What a path and a query may hold besides pct-encoded (3986 §3.3, §3.4). */
export const skipTargetChars = skipping(new RegExp(`[${URI_CHARS}:@/?]`));

/** @returns a text without the SP and HTAB around it (9110 §5.6.3) */
export function trimOws(text: string): string {
  let from = 0;
  while (isOws(text.charCodeAt(from))) from += 1;
  let to = text.length;
  while (to > from && isOws(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
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
 * @param name letters, digits and "-" */
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
