/** Text for a terminal. */

const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\r', '\\r'],
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

/** Escapes what must not reach a terminal raw: every control character, and all from 0x7F
 * up.
 * @param limit how many characters are shown, before escaping */
export function printable(text: string, limit = 60): string {
  const shown = text.slice(0, limit).replace(/[^\x20-\x5b\x5d-\x7e]/g, (char) => {
    const code = char.charCodeAt(0);
    const hex = code > 0xff ? `\\u${code.toString(16).padStart(4, '0')}` : undefined;
    return NAMED_ESCAPES.get(char) ?? hex ?? `\\x${code.toString(16).padStart(2, '0')}`;
  });
  return text.length > limit ? `${shown}...` : shown;
}

/** @returns "1 case", "2 cases" */
export const count = (number: number, what: string, many = `${what}s`): string =>
  `${number} ${number === 1 ? what : many}`;
