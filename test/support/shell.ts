/** The scripts of the pages: what they do, and when. No shell runs, and nothing sleeps:
 * `sleep 1` only says what comes after what. */

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
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly type: 'connect'; readonly client: NetcatClient }
  | { readonly type: 'send'; readonly client: NetcatClient; readonly bytes: Buffer }
  /** The end of what a client sends. */
  | { readonly type: 'end'; readonly client: NetcatClient }
  /** The script waits until a client has ended. */
  | { readonly type: 'finish'; readonly client: NetcatClient }
  | { readonly type: 'curl'; readonly args: readonly string[] }
  /** A client that is a program of its own: node -e. */
  | { readonly type: 'program'; readonly text: string }
);

/** @returns the actions in the order of their times; @throws Error for a script of another
 * kind */
export function readScript(script: string): Action[] {
  const interpreter = new Interpreter();
  const tokens = tokenize(script.replace(/\\\n/g, ''));
  interpreter.list(parseList(tokens));
  if (tokens.length > 0) throw new Error(`cannot be replayed: ${script}`);
  return [...interpreter.actions, ...interpreter.jobs].sort((a, b) => a.at - b.at);
}

type Command = readonly string[] | { readonly list: readonly Pipeline[] };
interface Pipeline {
  readonly commands: readonly Command[];
  readonly inBackground: boolean;
}

/** Words are kept in their quotes, so that a quoted ";" is none. */
function tokenize(text: string): string[] {
  const quoted = /'[^']*'|"[^"]*"/.source;
  const word = `(?:${quoted}|\\$\\([^)]*\\)|\\d?>&\\d|[^\\s;|&()'"])+`;
  const token = new RegExp(`[ \\t]*(?:#[^\\n]*)?(\\n|[;|&()]|${word})`, 'y');
  const tokens: string[] = [];
  while (token.lastIndex < text.trimEnd().length) {
    const [, found] = token.exec(text) ?? [];
    if (found === undefined) throw new Error(`cannot be replayed: ${text}`);
    tokens.push(found);
  }
  return tokens;
}

function unquote(word: string): string {
  return word.replace(
    /'([^']*)'|"([^"]*)"/g,
    (_, single?: string, double?: string) => single ?? double ?? '',
  );
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
    if (tokens.shift() !== ')') throw new Error('cannot be replayed: ")" is missing');
    return { list };
  }
  const words: string[] = [];
  while (tokens.length > 0 && !/^[;|&()\n]$/.test(tokens[0] ?? '')) {
    words.push(unquote(tokens.shift() ?? ''));
  }
  return words.filter((word) => !/^\d?>/.test(word));
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
      this.actions.push({ at, type: 'signal', signal: `SIG${signal}` as NodeJS.Signals });
    } else if (name === 'node' && args[0] === 'dist/main.js') {
      this.actions.push({ at, type: 'start', args: args.slice(1) });
    } else if (name === 'node' && args[0] === '-e') {
      this.actions.push({ at, type: 'program', text: args[1] ?? '' });
    } else if (name === 'npm' && args[0] === 'start') {
      this.actions.push({ at, type: 'start', args: args.slice(2) });
    } else if (!['npm', 'cd', 'git', 'wait'].includes(name)) {
      throw new Error(`cannot be replayed: ${words.join(' ')}`);
    }
  }

  /** nc, with the output of a source of bytes as its input. */
  private netcat(
    words: readonly string[],
    source: Command | undefined,
    isJob: boolean,
  ): void {
    const pieces: { readonly at: number; readonly bytes: Buffer }[] = [];
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

const ESCAPES: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' };

/** What printf writes: the format once, or again and again until its arguments are used
 * up. */
function printf([format = '', ...args]: readonly string[]): Buffer {
  let left = args;
  let text = '';
  do {
    text += format.replace(
      /\\(?:x([0-9a-fA-F]{2})|([0-7]{1,3})|(.))|%(.)/g,
      (_, hex?: string, octal?: string, letter?: string, conversion?: string) => {
        if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
        if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
        if (letter !== undefined) return ESCAPES[letter] ?? `\\${letter}`;
        if (conversion === '%') return '%';
        const [argument = ''] = left;
        left = left.slice(1);
        return argument;
      },
    );
  } while (left.length > 0 && /%[^%]/.test(format));
  return Buffer.from(text, 'latin1');
}
