/** Text for a terminal, and numbers in words. */

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

/** Escapes bytes, each of them one character: every control character, and all from 0x7F
 * up, because a terminal would obey them or show something else. */
export function escape(text: string): string {
  return text.replace(/[^\x20-\x5b\x5d-\x7e]/g, escapeCharacter);
}

/** Makes a text of a program, or of the system, one line. It may be in any language, but
 * line ends could forge a line, and characters of control or format change what a terminal
 * shows.
 * @returns the text with those escaped, and any run of white space as one space */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}]/gu, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const escaped = code > 0xff ? `\\u{${toHex(code)}}` : `\\x${toHex(code)}`;
  return NAMED_ESCAPES.get(character) ?? escaped;
}

/** @returns a byte as two hexadecimal digits */
export function toHex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** Escapes a text, and cuts a long one.
 * @param limit how many characters are shown, before escaping */
export function printable(text: string, limit = 60): string {
  return escape(text.slice(0, limit)) + (text.length > limit ? '...' : '');
}

/** @returns "1 byte", "1000 bytes": without a comma, as a program reads a number */
export function count(number: number, what = 'byte'): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** @returns a time with three digits or so, and its unit */
export function milliseconds(time: number): string {
  if (time >= 10_000) return `${(time / 1000).toFixed(1)} s`;
  if (time >= 100) return `${Math.round(time)} ms`;
  return `${time.toFixed(time >= 10 ? 1 : 2)} ms`;
}
