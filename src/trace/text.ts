/** Text for a terminal. */

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

/** Escapes what must not reach a terminal raw: every control character, and all from 0x7F
 * up. */
export function escape(text: string): string {
  return text.replace(/[^\x20-\x5b\x5d-\x7e]/g, (char) => {
    const code = char.charCodeAt(0);
    const hex = code > 0xff ? `\\u${code.toString(16).padStart(4, '0')}` : undefined;
    return NAMED_ESCAPES.get(char) ?? hex ?? `\\x${code.toString(16).padStart(2, '0')}`;
  });
}

/** Escapes a text, and cuts a long one.
 * @param limit how many characters are shown, before escaping */
export function printable(text: string, limit = 60): string {
  return escape(text.slice(0, limit)) + (text.length > limit ? '...' : '');
}

/** @returns "1 byte", "2 bytes" */
export function count(number: number, what = 'byte'): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
