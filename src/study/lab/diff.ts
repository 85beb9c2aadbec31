import { Failure } from '../../command/arguments';

/** Applies a diff of the lab. A hunk begins with "@@ FILE @@", and belongs where the lines
 * are that it keeps and removes.
 * @param read the text of a file of the project
 * @returns the changed texts by file
 * @throws Failure that says which lines are not there, or not only once */
export function applyDiff(
  diff: string,
  read: (file: string) => string,
): Map<string, string> {
  const changed = new Map<string, string>();
  for (const hunk of diff.split(/^(?=@@ )/m)) {
    const [header = '', ...lines] = hunk.trimEnd().split('\n');
    const [, file] = /^@@ (\S+) @@$/.exec(header) ?? [];
    if (file === undefined) throw new Failure(`not the start of a hunk: ${header}`);
    const old = side(lines, '-');
    const parts = `\n${changed.get(file) ?? read(file)}`.split(old);
    if (parts.length !== 2) {
      const what = parts.length === 1 ? 'no longer' : 'more than once';
      throw new Failure(`these lines are ${what} in ${file}:${old}`);
    }
    changed.set(file, parts.join(side(lines, '+')).slice(1));
  }
  return changed;
}

/** The lines of a hunk that are before it, or after it, with a line end on both sides. */
function side(lines: readonly string[], sign: '-' | '+'): string {
  const kept = lines.filter((line) => !/^[+-]/.test(line) || line.startsWith(sign));
  return `\n${kept.map((line) => `${line.slice(1)}\n`).join('')}`;
}
