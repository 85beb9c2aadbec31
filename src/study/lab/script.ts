/** The scripts of the lab as data: what each client sends, and how it reads. */
import { unescape } from '../shell';

/** One `... | nc localhost 8080 | ...`. */
export interface Pipeline {
  readonly pieces: readonly Buffer[];
  readonly halfCloses: boolean;
  /** When it reads: at once, when the server has said the last word, or never. */
  readonly reading: 'at once' | 'late' | 'never';
  /** What it counts, instead of printing it: grep -c. */
  readonly counted: string | undefined;
}

/** One command of a script that goes through the proxy. */
export type Statement =
  | { readonly type: 'send'; readonly bytes: Buffer }
  /** What curl sends, and whether it prints the header section of the response (-i). */
  | { readonly type: 'curl'; readonly bytes: Buffer; readonly isWhole: boolean };

const PIPELINE =
  /^((?:printf|\().*)\| nc( -N)? localhost \d+(?: \| ([^&\n]*)|; echo)?(?: &)?$/gm;
const PRINTF = /printf '(?<format>[^']*)'(?: \$\(seq (?<times>\d+)\))?/;
const HEAD = /head -c (?<size>\d+) \/dev\/zero(?: \| tr '\\0' (?<fill>\w))?/;
const PIECE = new RegExp(`${PRINTF.source}|${HEAD.source}`, 'g');
const CURL = /^curl( -i)?(?: -H '([^']+)')? (localhost:\d+)(\/\S*)$/;
/** What the curl of Debian 12 calls itself. */
const USER_AGENT = 'curl/7.88.1';

/** What a client writes at once, of what `head` makes. */
const PIECE_SIZE = 65_536;

/** @returns the text of the program that a script starts with `node -e`, and leaves
 * running */
export function readProgram(script: string): string | undefined {
  return /^node -e '([^']*)' &$/m.exec(script)?.[1];
}

export function readPipelines(script: string): Pipeline[] {
  const joined = join(script).replace(/\n +/g, '; ');
  return Array.from(
    joined.matchAll(PIPELINE),
    ([, source = '', halfCloses, sink = '']) => ({
      pieces: Array.from(source.matchAll(PIECE)).flatMap(({ groups = {} }) => {
        const { format, times = '1', size, fill } = groups;
        if (format === undefined) return filled(Number(size), fill);
        const text = unescape(format.replace('%.0s', '').replaceAll('%%', '%'));
        return [Buffer.alloc(text.length * Number(times), text, 'latin1')];
      }),
      halfCloses: halfCloses !== undefined,
      reading: /^\(sleep/.test(sink) ? 'late' : /^sleep/.test(sink) ? 'never' : 'at once',
      counted: /grep -c '?([^')]*)/.exec(sink)?.[1],
    }),
  );
}

/** @returns the commands of a script that is only printf, nc -N and curl
 * @throws Error for another script */
export function readStatements(script: string): Statement[] {
  return join(script)
    .split('\n')
    .map((line): Statement => {
      const [, whole, field, authority = '', target = ''] = CURL.exec(line) ?? [];
      if (authority !== '') {
        const lines = [`GET ${target} HTTP/1.1`, `Host: ${authority}`];
        lines.push(`User-Agent: ${USER_AGENT}`, 'Accept: */*');
        if (field !== undefined) lines.push(field);
        const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
        return { type: 'curl', bytes, isWhole: whole !== undefined };
      }
      const [pipeline] = readPipelines(line);
      if (pipeline?.halfCloses !== true) throw new Error(`cannot be played: ${line}`);
      return { type: 'send', bytes: Buffer.concat(pipeline.pieces) };
    });
}

/** Joins the lines of a command that is continued. */
function join(script: string): string {
  return script.replace(/'\\\n'/g, '').replace(/ *\\\n */g, ' ');
}

function filled(size: number, fill = '\0'): Buffer[] {
  const piece = Buffer.alloc(PIECE_SIZE, fill);
  const pieces = Array.from({ length: Math.floor(size / PIECE_SIZE) }, () => piece);
  return [...pieces, piece.subarray(0, size % PIECE_SIZE)];
}
