/** The pages as data: their fenced blocks, their links, and the files that they name. A
 * block that shows what a server said may leave lines out with a line "...", and may
 * continue a line on the next one with a "\". Times, ports and dates are never the same
 * twice, and do not count. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
/** README=write npm test writes what it finds into the pages, instead of comparing. */
export const WRITING = process.env['README'] === 'write';

export interface Block {
  readonly language: string;
  readonly text: string;
  /** A mark before the block: <!-- diagram connection --> */
  readonly mark: string | undefined;
  /** Its place, as "src/TOUR.md:12". */
  readonly place: string;
  /** The prose since the block before it. */
  readonly before: string;
}

const FENCED = /((?:<!-- [^>]+ -->\n)?^```\w*\n(?:[^]*?\n)??^```$)/m;
const PARTS_OF_FENCED = /^(?:<!-- ([^>]+) -->\n)?```(\w*)\n([^]*?)\n?```$/;

export class Page {
  readonly blocks: Block[] = [];
  /** Prose at even indices, fenced blocks at odd ones. */
  private parts: string[];

  constructor(readonly name: string) {
    this.parts = readFileSync(join(ROOT, name), 'utf8').split(FENCED);
    let line = 1;
    for (const [index, part] of this.parts.entries()) {
      if (index % 2 === 1) {
        const [, mark, language = '', text = ''] = PARTS_OF_FENCED.exec(part) ?? [];
        const before = this.parts[index - 1] ?? '';
        this.blocks.push({ language, text, mark, place: `${name}:${line}`, before });
      }
      line += part.split('\n').length - 1;
    }
  }

  get text(): string {
    return this.parts.join('');
  }

  /** The text without its blocks. */
  get prose(): string {
    return this.parts.filter((_, index) => index % 2 === 0).join('\n');
  }

  /** Holds a block against what was said. README=write writes that into the block, unless
   * somebody has left lines out.
   * @param abridge leaves out the same lines as the page
   * @returns what is wrong, or '' */
  check(block: Block, said: string, abridge?: (text: string) => string): string {
    const difference = findDifference(block.text, said);
    if (difference === undefined) return '';
    const isWhole =
      abridge === undefined ? !isElided(block.text) : abridge(block.text) === block.text;
    if (WRITING && isWhole) {
      this.write(this.blocks.indexOf(block), abridge?.(said) ?? said);
      return '';
    }
    const advice = isWhole
      ? 'README=write npm test rewrites it'
      : 'it leaves lines out, so nobody but you can rewrite it';
    return `${block.place}: ${difference}\n(${advice}) What was said:\n${said}\n`;
  }

  /** Puts another text into a block. */
  write(index: number, text: string): void {
    const at = 2 * index + 1;
    const put = (_: string, open: string): string => `${open}${text}\n\`\`\``;
    this.parts[at] = (this.parts[at] ?? '').replace(/(```\w*\n)[^]*$/, put);
    writeFileSync(join(ROOT, this.name), this.text);
  }

  /** Puts another text in the place of one, with as many blocks. */
  replace(old: string, text: string): void {
    this.parts = this.text.replace(old, () => text).split(FENCED);
    writeFileSync(join(ROOT, this.name), this.text);
  }

  /** The links to places within the repository that lead nowhere. */
  brokenLinks(): string[] {
    return this.links().filter((link) => {
      const [path = '', anchor] = link.split('#');
      const file = path === '' ? this.name : join(dirname(this.name), path);
      if (!existsSync(join(ROOT, file))) return true;
      return anchor !== undefined && !(file.endsWith('.md') && new Page(file).has(anchor));
    });
  }

  links(): string[] {
    const prose = this.prose.replace(/`[^`\n]*`/g, '');
    const links = [/\]\(([^)\s]+)[^)]*\)/g, /(?:href|src)="([^"]+)"/g];
    const found = links.flatMap((link) =>
      Array.from(prose.matchAll(link), ([, to = '']) => to),
    );
    return found.filter((link) => !/^[a-z]+:/.test(link));
  }

  /** The files and folders of the repository that the prose names, as `src/main.ts`. */
  namedFiles(): string[] {
    const name = /`((?:src|test|\.github|\.ci)\/[\w./-]*\w)(?::\d+(?:-\d+)?)?`/g;
    return Array.from(this.prose.matchAll(name), ([, file = '']) => file);
  }

  /** Whether a heading has this anchor. */
  private has(anchor: string): boolean {
    const headings = Array.from(
      this.prose.matchAll(/^#+ (.*)$/gm),
      ([, text = '']) => text,
    );
    return headings.map(toAnchor).includes(anchor);
  }
}

/** @returns the anchor of a heading, as GitHub makes it */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Every page of the repository. */
export function pageNames(): string[] {
  const isOurs = (name: string): boolean =>
    !['.git', 'dist', 'node_modules'].includes(name);
  const files = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (!entry.isDirectory() || !isOurs(name)) return name;
    const within = readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' });
    return within.map((file) => `${name}/${file}`);
  });
  return files.filter((file) => file.endsWith('.md')).sort();
}

/** What a block shows, held against what was said.
 * @returns what is wrong with it, or undefined where it is true */
export function findDifference(shown: string, said: string): string | undefined {
  const lines = blur(unfold(said));
  let from = 0;
  const runs = splitAtGaps(blur(unfold(shown)));
  for (const [index, run] of runs.entries()) {
    const isFirst = index === 0;
    const isLast = index === runs.length - 1;
    if (isFirst && isLast)
      return run.join('\n') === lines.join('\n') ? undefined : 'it differs';
    if (run.length === 0) continue;
    const last = isFirst ? 0 : lines.length - run.length;
    let at = isLast ? Math.max(last, from) : from;
    while (at <= last && !run.every((line, offset) => line === lines[at + offset])) at += 1;
    if (at > last)
      return `these lines are not there, or not in this order:\n${run.join('\n')}`;
    from = at + run.length;
  }
  return undefined;
}

/** Joins what hangs below a line of a trace to it, and what a "\" at the end of a line
 * continues. Leaves out the empty lines between the events of two connections. */
function unfold(text: string): string {
  return text
    .replace(/ \\\n */g, ' ')
    .replace(/^ *\d+\.\d{3} .*(?:\n {19}\S.*)+/gm, (line) => line.replace(/\n */g, ' '))
    .replace(/\n {17}\| (?! *(?:\^ byte \d+|byte \d+ \^)$)/gm, '')
    .replace(/^\n(?= *\d+\.\d{3} )/gm, '');
}

/** Whether lines are left out. */
function isElided(shown: string): boolean {
  return shown.split('\n').some(isGap);
}

function isGap(line: string): boolean {
  return line.trim() === '...';
}

function splitAtGaps(lines: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  for (const line of lines) {
    if (isGap(line)) runs.push([]);
    else runs.at(-1)?.push(line);
  }
  return runs;
}

/** The lines of a text without what differs each time. Connections are numbered from the
 * first that occurs, and requests not at all unless there is a limit: both depend on what
 * was sent before. */
export function blur(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const connection = /^ *\d+\.\d{3} c(\d+) */;
  const numbers = lines.flatMap((line) => connection.exec(line)?.[1] ?? []).map(Number);
  const first = Math.min(...numbers);
  return lines.map((line) =>
    line
      .replace(connection, (_, number: string) => `c${Number(number) - first + 1} `)
      .replace(
        /, behind c(\d+)$/,
        (_, number: string) => `, behind c${Number(number) - first + 1}`,
      )
      .replace(/^ *\d+\.\d{3} -- */, '-- ')
      .replace(/( open +)(?:127\.0\.0\.1|::1):\d+$/, '$1a port')
      .replace(/( turn +request) \d+:/, '$1:')
      .replace(/( request \d+ of) c\d+ (?=is complete)/, '$1 ')
      // What the system says of a client that is gone depends on when it is noticed, and V8
      // of memory that is used up, on what it does then.
      .replace(/\b(?:read|write) (?:ECONNRESET|EPIPE)\b/, 'write ECONNRESET')
      .replace(/^FATAL ERROR: .*(?= - JavaScript heap out of memory$)/, 'FATAL ERROR: ...')
      .replace(/(Date: )\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '$1a date'),
  );
}
