/** The scripts of the pages: what they do, and when. Nothing runs, and nothing sleeps:
 * `sleep 1` only says what comes after what. */
import { printf, readTokens, unreadable, type Token } from '../../src/study/shell';

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
  return new ScriptReader(script).read().sort((a, b) => a.at - b.at);
}

/** Reads the commands of a script from left to right, and does nothing but note them. */
class ScriptReader {
  private readonly actions: Action[] = [];
  private readonly tokens: Token[];
  private now = 0;

  constructor(private readonly script: string) {
    this.tokens = readTokens(script);
  }

  read(): Action[] {
    this.list();
    if (this.tokens.length > 0) throw unreadable(this.script);
    return this.actions;
  }

  /** Reads up to the end, or to a ")". */
  private list(): Printed[] {
    const printed: Printed[] = [];
    while (this.tokens.length > 0 && this.tokens[0] !== ')') {
      if (['\n', ';', '&', '&&'].some((sign) => this.takes(sign))) continue;
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
      else if (printed.length > 0) throw unreadable(this.script);
      printed = [];
    }
    return printed;
  }

  private inBrackets(): Printed[] {
    const printed = this.list();
    if (!this.takes(')')) throw unreadable(this.script);
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
    } else if (!['npm', 'cd', 'git', 'wait'].includes(name)) throw unreadable(this.script);
    return [];
  }

  /** @param input what it sends; undefined if somebody types it */
  private netcat(words: readonly string[], begin: number, input?: readonly Printed[]) {
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

  private words(): readonly string[] {
    const [words] = this.tokens;
    if (typeof words !== 'object') throw unreadable(this.script);
    this.tokens.shift();
    return words;
  }
}
