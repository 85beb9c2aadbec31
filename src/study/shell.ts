/** Bytes as commands of a shell, such as `printf 'GET / ...' | nc localhost 8080`: written
 * for somebody to run, and read from a page. No shell runs, and nothing sleeps: `sleep 1`
 * only says what comes after what. Pure: it also runs in a browser. */
import { partsOf, piecesOf, readScript, type Pieces } from './bytes';

/** @param text in the notation of bytes.ts, with repetitions
 * @returns commands that print its bytes one after the other, and wait in between */
export function toSteps(text: string): string[] {
  return partsOf(text).flatMap(({ unit, times }) => {
    // A shell takes seconds to count to a million.
    if (times > 1 && unit.length === 1) {
      const zeros = `head -c ${times} /dev/zero`;
      return unit === '\0' ? zeros : `${zeros} | tr '\\0' ${inQuotes(unit)}`;
    }
    const pieces = piecesOf(readScript(unit)).filter((piece) => piece !== '');
    // printf repeats its text for each argument.
    if (times > 1)
      return `printf ${toWord(pieces.join('')).replace(/'$/, "%.0s'")} $(seq ${times})`;
    return pieces.map((piece) =>
      typeof piece === 'string'
        ? `printf ${toWord(piece)}`
        : `sleep ${Math.max(0.1, Math.ceil(piece / 100) / 10)}`,
    );
  });
}

/** @param text in the notation of bytes.ts, with repetitions
 * @returns a command that sends its bytes */
export function toCommand(text: string, port: number, host = 'localhost'): string {
  const steps = toSteps(text);
  const source = steps.length === 1 ? steps.join() : `(${steps.join('; ')})`;
  return `${source} | ${toNetcat(text, port, host)}`;
}

/** @returns the nc for a text: it closes its side after its input where the text says so */
export function toNetcat(text: string, port: number, host = 'localhost'): string {
  return `nc ${text.endsWith('‖close‖') ? '-N ' : ''}${host} ${port}`;
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Text for printf in any shell. Its escapes for bytes are octal: not every printf knows
 * others. A "-" at the start would begin an option. */
function toWord(text: string): string {
  const format = text
    .replace(/[\\%]/g, (one) => one + one)
    .replace(/\r/g, '\\r')
    .replace(/\n/g, '\\n')
    .replace(/^-|[^ -~]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return inQuotes(format);
}

/** A client: nc, with what it is given to send. */
export interface NetcatClient {
  /** Closes its sending side behind its last byte (nc -N). */
  readonly halfCloses: boolean;
  /** Sends what somebody types. */
  readonly isTyped: boolean;
  /** What reads its output: "head -1". */
  readonly reader: string;
}

/** Bytes, a character for each, and how often they are sent. */
interface Printed {
  readonly at: number;
  readonly bytes: string;
  readonly times: number;
}

/** Something that is done; `at` is in seconds since the script began. */
export type Action = { readonly at: number } & (
  | { readonly type: 'start'; readonly args: readonly string[] }
  | { readonly type: 'signal'; readonly signal: `SIG${string}` }
  | { readonly type: 'connect'; readonly client: NetcatClient }
  | ({ readonly type: 'send'; readonly client: NetcatClient } & Printed)
  /** The end of what a client sends. */
  | { readonly type: 'end'; readonly client: NetcatClient }
  /** The script waits until a client has ended. */
  | { readonly type: 'finish'; readonly client: NetcatClient }
  | { readonly type: 'curl'; readonly args: readonly string[] }
  /** A client that is a program of its own: node -e. */
  | { readonly type: 'program'; readonly text: string }
);

/** @returns what a script does, in the order of the times. What it leaves in the background
 * ends last.
 * @throws Error for a script of another kind */
export function readActions(script: string): Action[] {
  const reader = new ScriptReader(script);
  reader.read();
  return reader.actions.sort((a, b) => a.at - b.at);
}

/** @returns the bytes that a script sends, and the pauses between them, in milliseconds
 * @throws Error for a script of another kind, or one that repeats something */
export function readSent(script: string): Pieces {
  const pieces: (string | number)[] = [];
  let now: number | undefined;
  for (const action of readActions(script)) {
    if (action.type !== 'send') continue;
    const { at, bytes, times } = action;
    if (times > 1) throw new Error(`cannot be read: ${script}`);
    if (now !== undefined && at > now) pieces.push(1000 * (at - now));
    pieces.push(bytes);
    now = at;
  }
  return pieces;
}

const COMMAND_END = /^(?:[\n;|&()]|&&)$/;

/** Reads the commands of a script from left to right, and does nothing but note them. */
class ScriptReader {
  readonly actions: Action[] = [];
  private readonly tokens: string[];
  private now = 0;

  constructor(private readonly script: string) {
    this.tokens = tokenize(script.replace(/\\\n/g, ''));
  }

  /** @returns what is printed */
  read(): Printed[] {
    const printed = this.list();
    if (this.tokens.length > 0) throw this.error();
    return printed;
  }

  /** Reads up to the end, or to a ")". */
  private list(): Printed[] {
    const printed: Printed[] = [];
    while (this.tokens.length > 0 && this.tokens[0] !== ')') {
      if (/^[\n;&]/.test(this.tokens[0] ?? '')) {
        this.tokens.shift();
        continue;
      }
      const { now } = this;
      const { length: before } = this.actions;
      printed.push(...this.pipeline());
      if (this.tokens[0] !== '&') continue;
      this.now = now;
      for (const action of this.actions.splice(before))
        this.actions.push(action.type === 'finish' ? { ...action, at: Infinity } : action);
    }
    return printed;
  }

  private pipeline(): Printed[] {
    const { now: begin } = this;
    let printed = this.takes('(') ? this.inBrackets() : this.command();
    while (this.takes('|')) {
      const words = this.words();
      if (words[0] === 'nc') this.netcat(words, begin, printed);
      else if (printed.length > 0) throw this.error(words[0]);
      printed = [];
    }
    return printed;
  }

  private inBrackets(): Printed[] {
    const printed = this.list();
    if (!this.takes(')')) throw this.error();
    return printed;
  }

  private command(): Printed[] {
    const { now: at } = this;
    const words = this.words();
    const [name = '', ...args] = words;
    const [first = '', second = '', third] = args;
    if (name === 'printf') return [{ at, bytes: printf(args), times: 1 }];
    if (name === 'echo') return [{ at, bytes: `${args.join(' ')}\n`, times: 1 }];
    if (name === 'yes') return [{ at, bytes: `${first}\n`, times: Infinity }];
    if (name === 'head' && first === '-c' && third === '/dev/zero')
      return [{ at, bytes: '\0', times: Number(second) }];
    if (name === 'sleep') this.now += Number(first);
    else if (name === 'nc') this.netcat(words, at);
    else if (name === 'curl') this.actions.push({ at, type: 'curl', args });
    else if (name === 'kill') {
      const signal = /^-(?:SIG)?(\w+)$/.exec(first)?.[1] ?? 'TERM';
      this.actions.push({ at, type: 'signal', signal: `SIG${signal}` });
    } else if (name === 'node' && first === '-e') {
      this.actions.push({ at, type: 'program', text: second });
    } else if (name === 'node' && first === 'dist/main.js') {
      this.actions.push({ at, type: 'start', args: args.slice(1) });
    } else if (name === 'npm' && first === 'start') {
      this.actions.push({ at, type: 'start', args: args.slice(2) });
    } else if (!['npm', 'cd', 'git', 'wait'].includes(name)) throw this.error(name);
    return [];
  }

  /** @param input what it sends; undefined if somebody types it */
  private netcat(
    words: readonly string[],
    begin: number,
    input?: readonly Printed[],
  ): void {
    const { now: at } = this;
    const client: NetcatClient = {
      halfCloses: words.includes('-N'),
      isTyped: input === undefined,
      reader: this.takes('|') ? this.words().join(' ') : '',
    };
    this.actions.push({ at: begin, type: 'connect', client });
    for (const printed of input ?? [])
      this.actions.push({ ...printed, type: 'send', client });
    this.actions.push({ at, type: 'end', client }, { at, type: 'finish', client });
  }

  private takes(token: string): boolean {
    if (this.tokens[0] !== token) return false;
    this.tokens.shift();
    return true;
  }

  /** The words of a command, without where its output goes. */
  private words(): string[] {
    const end = this.tokens.findIndex((token) => COMMAND_END.test(token));
    const words = this.tokens.splice(0, end < 0 ? this.tokens.length : end);
    return words
      .filter((word) => !/^\d?>/.test(word))
      .flatMap((word) => this.unquote(word));
  }

  /** @returns a word without its quotes; what a program prints, and the numbers of
   * $(seq N) */
  private unquote(word: string): string[] {
    const [, last] = /^\$\(seq (\d+)\)$/.exec(word) ?? [];
    if (last !== undefined)
      return Array.from({ length: Number(last) }, (_, at) => String(at + 1));
    const [, inner] = /^"\$\((printf '[^']*')\)"$/.exec(word) ?? [];
    if (inner !== undefined)
      return new ScriptReader(inner).read().map(({ bytes }) => bytes.replace(/\n+$/, ''));
    // What else a shell puts into double quotes is known only when it runs.
    if (/"[^"]*[$`]/.test(word.replace(/'[^']*'|\\./g, ''))) throw this.error(word);
    const quoted = /'([^']*)'|"([^"]*)"|\\(.)/g;
    return [
      word.replace(
        quoted,
        (_, single?: string, double?: string, char?: string) =>
          single ?? double ?? char ?? '',
      ),
    ];
  }

  private error(what = this.script): Error {
    return new Error(`cannot be read: ${what}`);
  }
}

/** Words are kept in their quotes, so that a quoted ";" is none. */
function tokenize(text: string): string[] {
  const quoted = /'[^']*'|"[^"]*"/.source;
  const word = `(?:${quoted}|\\\\.|\\$\\([^)]*\\)|\\d?>&\\d|[^\\s;|&()'"])+`;
  const token = new RegExp(`[ \\t]*(?:#[^\\n]*)?(\\n|&&|[;|&()]|${word})`, 'y');
  const tokens: string[] = [];
  while (token.lastIndex < text.trimEnd().length) {
    const [, found] = token.exec(text) ?? [];
    if (found === undefined) throw new Error(`cannot be read: ${text}`);
    tokens.push(found);
  }
  return tokens;
}

/** @returns what printf writes, a character for each byte: the format once, or again and
 * again until its arguments are used up */
function printf([format = '', ...args]: readonly string[]): string {
  let left = args;
  let text = '';
  do {
    text += format.replace(
      /\\(?:x[\da-fA-F]{2}|[0-7]{1,3}|.)|%(\.0)?(.)/g,
      (sign, none, conversion) => {
        if (conversion === undefined) return unescape(sign);
        if (conversion === '%') return '%';
        const [argument = ''] = left;
        left = left.slice(1);
        return none === undefined ? argument : '';
      },
    );
  } while (left.length > 0 && /%[^%]/.test(format));
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  r: '\r',
  n: '\n',
  t: '\t',
  v: '\v',
  f: '\f',
  '\\': '\\',
};

/** Reads the escapes of printf: \r \n \t \v \f \\, \xNN, and up to three octal digits.
 * @returns a text with a character for each byte */
export function unescape(text: string): string {
  return text.replace(
    /\\(?:x([\da-f]{2})|([0-7]{1,3})|(.))/gi,
    (whole, hex?: string, octal?: string, letter = '') => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ESCAPES[letter] ?? whole;
    },
  );
}
