/** The diffs of the lab, applied to sources in memory. */
/** Files by their paths, as "src/http/framing.ts". */
export type Sources = ReadonlyMap<string, string>;

export interface Change {
  readonly file: string;
  /** Its text, with all hunks applied. */
  readonly text: string;
  /** The lines that each hunk removes or stands between, counted from 1. */
  readonly places: readonly { readonly from: number; readonly to: number }[];
}

export interface Applied {
  readonly changes: readonly Change[];
  /** The diff with the true numbers in its "@@" lines. */
  readonly diff: string;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

/** Applies a unified diff by what is in its hunks: where they begin does not count.
 * @throws Error that says which lines are not there, or not only once */
export function applyDiff(diff: string, sources: Sources): Applied {
  const changes: Change[] = [];
  const lines: string[] = [];
  for (const part of diff.split(/^(?=--- )/m)) {
    const [header = '', target = '', ...rest] = part.trimEnd().split('\n');
    const [, file = ''] = /^\+\+\+ b\/(\S+)$/.exec(target) ?? [];
    const before = sources.get(file);
    if (before === undefined || header !== `--- a/${file}`) {
      throw new Error(`not the header of a diff of a source file:\n${header}\n${target}`);
    }
    lines.push(header, target);
    const places: { from: number; to: number }[] = [];
    let text = before;
    let shift = 0;
    for (const hunk of rest.join('\n').split(/^(?=@@ )/m)) {
      const [start = '', ...body] = hunk.trimEnd().split('\n');
      const [, , , , , context = ''] = HUNK.exec(start) ?? [];
      // Otherwise git looks for it only at the end of the file.
      if (/^[+-]/.test(body.at(-1) ?? '')) throw new Error(`"${start}" ends with a change`);
      const old = side(body, '-');
      const made = side(body, '+');
      const at = findOnce(text, old, file);
      const from = text.slice(0, at).split('\n').length;
      text = text.slice(0, at) + made + text.slice(at + old.length);
      const [less, more] = [count(old), count(made)];
      lines.push(`@@ -${from - shift},${less} +${from},${more} @@${context}`, ...body);
      places.push(changedLines(body, from - shift));
      shift += more - less;
    }
    changes.push({ file, text, places });
  }
  return { changes, diff: lines.join('\n') };
}

/** The lines of a hunk that are before it, or after it. */
function side(body: readonly string[], sign: '-' | '+'): string {
  const lines = body.filter((line) => line.startsWith(sign) || /^(?: |$)/.test(line));
  return lines.map((line) => `${line.slice(1)}\n`).join('');
}

function count(text: string): number {
  return text.split('\n').length - 1;
}

function findOnce(text: string, part: string, file: string): number {
  const at = text.startsWith(part) ? 0 : text.indexOf(`\n${part}`) + 1;
  const isThere = at > 0 || text.startsWith(part);
  const isTwice = isThere && text.indexOf(`\n${part}`, at) >= 0;
  if (isThere && !isTwice) return at;
  const what = isThere ? 'more than once' : 'no longer';
  throw new Error(`the diff does not apply: these lines are ${what} in ${file}:\n${part}`);
}

/** The lines of the file that a hunk removes, or else the two between which it adds. */
function changedLines(
  body: readonly string[],
  start: number,
): { from: number; to: number } {
  const removed: number[] = [];
  const around: number[] = [];
  let line = start;
  for (const text of body) {
    if (text.startsWith('+')) around.push(line - 1, line);
    if (text.startsWith('-')) removed.push(line);
    if (!text.startsWith('+')) line += 1;
  }
  const changed = removed.length > 0 ? removed : around;
  return { from: Math.min(...changed), to: Math.max(...changed) };
}
