/** A request as a command that sends it again. Pure: it knows no page. */

/** @param pieces the bytes that arrived at once, a character for each, and the milliseconds
 * between two of them
 * @param halfCloses whether the client closes its sending side after them */
export function toCommand(
  pieces: readonly (string | number)[],
  port: number,
  halfCloses = false,
): string {
  const commands = pieces.map((piece) =>
    typeof piece === 'string'
      ? `printf ${quote(piece)}`
      : `sleep ${Math.max(0.1, Math.ceil(piece / 100) / 10)}`,
  );
  const [first = ''] = commands;
  const all = commands.length === 1 ? first : `(${commands.join('; ')})`;
  return `${all} | nc ${halfCloses ? '-N ' : ''}localhost ${port}`;
}

/** Text for printf in any shell. Its escapes for bytes are octal: not every printf knows
 * others. A "-" at the start would begin an option. */
function quote(text: string): string {
  const format = text
    .replace(/[\\%]/g, (one) => one + one)
    .replace(/\r/g, '\\r')
    .replace(/\n/g, '\\n')
    .replace(/^-|[^ -~]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `'${format.replaceAll("'", `'\\''`)}'`;
}
