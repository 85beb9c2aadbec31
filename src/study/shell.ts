/** Bytes as commands of a shell, such as `printf 'GET / ...' | nc localhost 8080`: written
 * for somebody to run, and read from a page. No shell runs, and nothing sleeps: `sleep 1`
 * only says what comes after what. Pure: it also runs in a browser. */
import { expand, REPEATED, type Pieces } from './bytes';

/** @param halfCloses whether the client closes its sending side after them
 * @returns a command that sends bytes to a port of this machine */
export function toCommand(pieces: Pieces, port: number, halfCloses = false): string {
  const commands = pieces.map((piece) =>
    typeof piece === 'string'
      ? `printf ${toWord(piece)}`
      : `sleep ${Math.max(0.1, Math.ceil(piece / 100) / 10)}`,
  );
  const [first = ''] = commands;
  const all = commands.length === 1 ? first : `(${commands.join('; ')})`;
  return `${all} | nc ${halfCloses ? '-N ' : ''}localhost ${port}`;
}

/** @param text in the notation of bytes.ts, with repetitions such as ‹x × 5›; cuts and an
 * ending have no place in a command
 * @returns a command that prints its bytes, for a shell such as bash or zsh */
export function toPrintf(text: string): string {
  const uncut = text.replace(/‖(?:\w+‖)?/g, '');
  const parts = uncut.split(REPEATED).filter((part) => part !== '');
  const words = parts.map((part) => {
    const [, repeated, count] = /^‹([^]*) × (\d+)›$/.exec(part) ?? [];
    if (repeated === undefined) return inQuotes(escape(part));
    // The shell takes seconds to count to a million, so one character is repeated in
    // another way.
    if (repeated.length === 1)
      return `"$(head -c ${count} /dev/zero | tr '\\0' ${inQuotes(repeated)})"`;
    // The inner printf undoes one level of escapes, and repeats its text for each argument.
    const doubled = escape(expand(repeated)).replaceAll('\\', '\\\\');
    return `"$(printf ${inQuotes(`${doubled}%.0s`)} $(seq ${count}))"`;
  });
  return `printf '%b' ${words.join('')}`;
}

/** The escapes of printf for what the notation of bytes.ts has. */
function escape(text: string): string {
  return text.replace(/¬?\n|\\(?!x[\da-f]{2})|[^ -~]/gi, (sign) => {
    if (sign === '\n') return '\\r\\n';
    if (sign === '¬\n') return '\\n';
    const [letter] = Object.entries(ESCAPES).find(([, char]) => char === sign) ?? [];
    return `\\${letter ?? `x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`}`;
  });
}

const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Text for printf in any shell. Its escapes for bytes are octal: not every printf knows
 * others. A "-" at the start would begin an option. */
export function toWord(text: string): string {
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
  /** Has something to read still, and so does not close when the server has closed. */
  readonly stays: boolean;
  /** Sends what somebody types. */
  readonly isTyped: boolean;
}

/** Something that is done; `at` is in seconds since the script began. */
export type Action = { readonly at: number } & (
  | { readonly type: 'start'; readonly args: readonly string[] }
  | { readonly type: 'signal'; readonly signal: `SIG${string}` }
  | { readonly type: 'connect'; readonly client: NetcatClient }
  | { readonly type: 'send'; readonly client: NetcatClient; readonly bytes: string }
  /** The end of what a client sends. */
  | { readonly type: 'end'; readonly client: NetcatClient }
  /** The script waits until a client has ended. */
  | { readonly type: 'finish'; readonly client: NetcatClient }
  | { readonly type: 'curl'; readonly args: readonly string[] }
  /** A client that is a program of its own: node -e. */
  | { readonly type: 'program'; readonly text: string }
);

/** @returns what a script does, in the order of the times
 * @throws Error for a script of another kind */
export function readActions(script: string): Action[] {
  const interpreter = new Interpreter();
  interpreter.list(parse(script));
  return [...interpreter.actions, ...interpreter.jobs].sort((a, b) => a.at - b.at);
}

/** @returns what each nc of a script is given by nothing but sleep, and printf without
 * arguments */
export function readSent(script: string): Pieces[] {
  const pieces = parse(script).map(({ commands: [source, client] }) => {
    if (source === undefined || client === undefined) return [];
    return isWords(client) && client[0] === 'nc' ? givenBy(source) : [];
  });
  return pieces.filter(({ length }) => length > 0);
}

/** @returns none if it does anything else */
function givenBy(source: Command): Pieces {
  const steps = isWords(source)
    ? [source]
    : source.list.flatMap(({ commands }) => commands);
  const pieces: (string | number)[] = [];
  for (const step of steps) {
    if (!isWords(step)) return [];
    const [name, ...args] = step;
    if (name === 'printf' && args.length === 1) pieces.push(printf(args));
    else if (name !== 'sleep') return [];
    else if (pieces.length > 0) pieces.push(1000 * Number(args[0]));
  }
  return typeof pieces.at(-1) === 'number' ? pieces.slice(0, -1) : pieces;
}

type Command = readonly string[] | { readonly list: readonly Pipeline[] };
interface Pipeline {
  readonly commands: readonly Command[];
  readonly inBackground: boolean;
}

function parse(script: string): Pipeline[] {
  const tokens = tokenize(script.replace(/\\\n/g, ''));
  const list = parseList(tokens);
  if (tokens.length > 0) throw new Error(`cannot be read: ${script}`);
  return list;
}

/** Words are kept in their quotes, so that a quoted ";" is none. */
function tokenize(text: string): string[] {
  const quoted = /'[^']*'|"[^"]*"/.source;
  const word = `(?:${quoted}|\\\\.|\\$\\([^)]*\\)|\\d?>&\\d|[^\\s;|&()'"])+`;
  const token = new RegExp(`[ \\t]*(?:#[^\\n]*)?(\\n|[;|&()]|${word})`, 'y');
  const tokens: string[] = [];
  while (token.lastIndex < text.trimEnd().length) {
    const [, found] = token.exec(text) ?? [];
    if (found === undefined) throw new Error(`cannot be read: ${text}`);
    tokens.push(found);
  }
  return tokens;
}

/** @returns a word without its quotes, or the numbers of $(seq N) */
function wordsOf(word: string): string[] {
  const [, last] = /^\$\(seq (\d+)\)$/.exec(word) ?? [];
  if (last !== undefined)
    return Array.from({ length: Number(last) }, (_, at) => String(at + 1));
  const unquoted = word.replace(
    /'([^']*)'|"([^"]*)"|\\(.)/g,
    (_, single?: string, double?: string, char?: string) => single ?? double ?? char ?? '',
  );
  return [unquoted];
}

function parseList(tokens: string[]): Pipeline[] {
  const list: Pipeline[] = [];
  while (tokens.length > 0 && tokens[0] !== ')') {
    if (/^[;\n&]$/.test(tokens[0] ?? '')) tokens.shift();
    else list.push(parsePipeline(tokens));
  }
  return list;
}

function parsePipeline(tokens: string[]): Pipeline {
  const commands = [parseCommand(tokens)];
  while (tokens[0] === '|') {
    tokens.shift();
    commands.push(parseCommand(tokens));
  }
  // "&&" are two tokens here: what is before it is not in the background.
  return { commands, inBackground: tokens[0] === '&' && tokens[1] !== '&' };
}

function parseCommand(tokens: string[]): Command {
  if (tokens[0] === '(') {
    tokens.shift();
    const list = parseList(tokens);
    if (tokens.shift() !== ')') throw new Error('cannot be read: ")" is missing');
    return { list };
  }
  const end = tokens.findIndex((token) => /^[;|&()\n]$/.test(token));
  const words = tokens.splice(0, end < 0 ? tokens.length : end);
  // What a shell puts into double quotes is known only when it runs.
  const isKnown = (word: string): boolean =>
    !/"[^"]*[$`]/.test(word.replace(/'[^']*'|\\./g, ''));
  if (!words.every(isKnown)) return ['$'];
  return words.filter((word) => !/^\d?>/.test(word)).flatMap(wordsOf);
}

class Interpreter {
  readonly actions: Action[] = [];
  /** The ends of the clients in the background: the script is over with the last of
   * them. */
  readonly jobs: Action[] = [];
  private now = 0;

  list(pipelines: readonly Pipeline[]): void {
    for (const pipeline of pipelines) {
      const { now } = this;
      this.pipeline(pipeline);
      if (pipeline.inBackground) this.now = now;
    }
  }

  private pipeline({ commands, inBackground }: Pipeline): void {
    const last = commands.at(-1);
    const [source] = commands;
    if (source === undefined || last === undefined) return;
    if (isWords(last) && last[0] === 'nc') {
      return this.netcat(last, commands.length > 1 ? source : undefined, inBackground);
    }
    if (isWords(source)) this.command(source);
    else this.list(source.list);
  }

  private command(words: readonly string[]): void {
    const [name = '', ...args] = words;
    const { now: at } = this;
    if (name === 'sleep') this.now += Number(args[0]);
    else if (name === 'curl') this.actions.push({ at, type: 'curl', args });
    else if (name === 'kill') {
      const signal = /^-(?:SIG)?(\w+)$/.exec(args[0] ?? '')?.[1] ?? 'TERM';
      this.actions.push({ at, type: 'signal', signal: `SIG${signal}` });
    } else if (name === 'node' && args[0] === 'dist/main.js') {
      this.actions.push({ at, type: 'start', args: args.slice(1) });
    } else if (name === 'node' && args[0] === '-e') {
      this.actions.push({ at, type: 'program', text: args[1] ?? '' });
    } else if (name === 'npm' && args[0] === 'start') {
      this.actions.push({ at, type: 'start', args: args.slice(2) });
    } else if (!['npm', 'cd', 'git', 'wait'].includes(name)) {
      throw new Error(`cannot be read: ${name}`);
    }
  }

  /** nc, with the output of a source of bytes as its input. */
  private netcat(
    words: readonly string[],
    source: Command | undefined,
    isJob: boolean,
  ): void {
    const pieces: { readonly at: number; readonly bytes: string }[] = [];
    const { now: begin } = this;
    const give = (command: Command): void => {
      if (!isWords(command)) {
        for (const { commands } of command.list) commands.forEach(give);
      } else if (command[0] === 'printf') {
        pieces.push({ at: this.now, bytes: printf(command.slice(1)) });
      } else this.command(command);
    };
    if (source !== undefined) give(source);
    const client: NetcatClient = {
      halfCloses: words.includes('-N'),
      stays: source !== undefined && this.now > (pieces.at(-1)?.at ?? begin),
      isTyped: source === undefined,
    };
    this.actions.push({ at: begin, type: 'connect', client });
    for (const piece of pieces) this.actions.push({ ...piece, type: 'send', client });
    this.actions.push({ at: this.now, type: 'end', client });
    (isJob ? this.jobs : this.actions).push({
      at: isJob ? Infinity : this.now,
      type: 'finish',
      client,
    });
  }
}

function isWords(command: Command): command is readonly string[] {
  return Array.isArray(command);
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
