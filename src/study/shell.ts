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
  const source = steps.length > 1 ? `(${steps.join('; ')})` : (steps[0] ?? "printf ''");
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

/** The words of a command, or a sign between commands: a bracket, "|", "&", "&&", ";" or a
 * line end. */
export type Token = readonly string[] | string;

/** @returns the bytes that a script sends with nc, and the pauses between them, in
 * milliseconds
 * @throws Error for a script that sends none, or others */
export function readSent(script: string): Pieces {
  const sent: (string | number)[] = [];
  /** What is printed before a "|": undefined where that is not known. */
  let printed: (string | number)[] | undefined = [];
  let isPiped = false;
  let depth = 0;
  for (const token of readTokens(script)) {
    if (typeof token === 'string') {
      isPiped = token === '|';
      if (token === '(') depth += 1;
      else if (token === ')') depth -= 1;
      else if (depth === 0 && !isPiped) printed = [];
      continue;
    }
    const [name, ...args] = token;
    if (isPiped && name === 'nc') {
      if (printed === undefined) throw unreadable(script);
      sent.push(...printed);
      printed = [];
    } else if (isPiped) printed = printed?.length === 0 ? printed : undefined;
    else if (name === 'printf') printed?.push(printf(args));
    else if (name === 'echo') printed?.push(`${args.join(' ')}\n`);
    else if (name === 'sleep' && Number(args[0]) >= 0)
      printed?.push(Math.round(1000 * Number(args[0])));
    else printed = undefined;
  }
  if (sent.length === 0) throw unreadable(script);
  return sent;
}

/** @returns the commands of a script, without where their output goes, and the signs between
 * them
 * @throws Error for a script of another kind */
export function readTokens(script: string): Token[] {
  const text = script.replace(/\\\n/g, '').trimEnd();
  // Words are kept in their quotes, so that a quoted ";" is none.
  const quoted = /'[^']*'|"[^"]*"/.source;
  const word = `(?:${quoted}|\\\\.|\\$\\([^)]*\\)|\\d?>&\\d|[^\\s;|&()'"])+`;
  const one = new RegExp(`[ \\t]*(?:#[^\\n]*)?(?:(\\n|&&|[;|&()])|(${word}))`, 'y');
  const tokens: Token[] = [];
  let words: string[] = [];
  const endCommand = (): void => {
    if (words.length > 0) tokens.push(words);
    words = [];
  };
  while (one.lastIndex < text.length) {
    const [found, sign, word = ''] = one.exec(text) ?? [];
    if (found === undefined) throw unreadable(script);
    if (sign !== undefined) {
      endCommand();
      tokens.push(sign);
    } else if (!/^\d?>/.test(word)) words.push(...unquote(word));
  }
  endCommand();
  return tokens;
}

/** @returns a word without its quotes; what a program prints, and the numbers of
 * $(seq N) */
function unquote(word: string): string[] {
  const [, last] = /^\$\(seq (\d+)\)$/.exec(word) ?? [];
  if (last !== undefined)
    return Array.from({ length: Number(last) }, (_, at) => String(at + 1));
  const [, format] = /^"\$\(printf ('[^']*')\)"$/.exec(word) ?? [];
  if (format !== undefined) return [printf(unquote(format)).replace(/\n+$/, '')];
  // What else a shell puts into double quotes is known only when it runs.
  if (/"[^"]*[$`]/.test(word.replace(/'[^']*'|\\./g, ''))) throw unreadable(word);
  const quoted = /'([^']*)'|"([^"]*)"|\\(.)/g;
  return [
    word.replace(
      quoted,
      (_, single?: string, double?: string, char?: string) =>
        single ?? double ?? char ?? '',
    ),
  ];
}

export function unreadable(what: string): Error {
  return new Error(`cannot be read: ${what}`);
}

/** @returns what printf writes, a character for each byte: the format once, or again and
 * again until its arguments are used up */
export function printf([format = '', ...args]: readonly string[]): string {
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
