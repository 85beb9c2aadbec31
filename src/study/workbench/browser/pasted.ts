/** Text that was pasted and means other bytes than its own: a command that sends them, or
 * line ends that are written out. Pure: it knows no page. */
import { textOf, writeScript } from '../../bytes';
import { readSent, readTokens, unescape } from '../../shell';

export interface Pasted {
  /** "a printf command". */
  readonly what: string;
  /** In the notation of bytes.ts. */
  readonly text: string;
}

export const WRITTEN_OUT = 'text with \\r\\n written out';

/** @returns what the text means, or undefined where it means itself */
export function readPasted(text: string): Pasted | undefined {
  const code = text.trim().replace(/^\$ /, '');
  try {
    if (/^\(?\s*printf\s/.test(code)) return readPrintf(code);
    if (/^curl\s/.test(code)) return readCurl(code);
  } catch {
    return undefined; // a command that nobody here can read
  }
  if (!/\\r\\n|^[A-Z]+ [^\n]* HTTP\/1\.\d\\n/m.test(text)) return undefined;
  // Where each line ends both ways, it ends once.
  const once = text.replace(/(\\r\\n|\\n)\r?\n/g, '$1');
  // Any other character is what it is in the editor.
  const read = once.replace(/[ -~]+/g, (ascii) => writeScript([unescape(ascii)]));
  return { what: WRITTEN_OUT, text: read };
}

function readPrintf(code: string): Pasted {
  const whole = /\|\s*(nc|netcat|ncat|telnet)\b/.test(code)
    ? code.replace(/\|\s*(?:netcat|ncat|telnet)\b/g, '| nc')
    : `(${code}) | nc localhost 8080`;
  return { what: 'a printf command', text: writeScript(readSent(bytesOf(whole))) };
}

/** The options of curl that change nothing that is sent, without a value and with one. */
const PLAIN =
  /^(?:-[fgikLNsSv]+|--(?:fail|include|insecure|location|silent|show-error|verbose))$/;
const SILENT = /^(?:-o|--output|-m|--max-time|--connect-timeout|-w|--write-out|--resolve)$/;

/** Those whose value is that of a field. */
const FIELDS: { readonly [option: string]: string } = {
  '-A': 'User-Agent',
  '-b': 'Cookie',
};

/** What curl sends for a command, but for its own User-Agent and Accept where it gives
 * others. */
function readCurl(code: string): Pasted | undefined {
  const [command = ''] = readTokens(code.split('\n| ')[0] ?? code);
  if (typeof command === 'string') return undefined;
  const args = command.slice(1);
  const fields: string[] = [];
  const content: string[] = [];
  let method = '';
  let url: string | undefined;
  for (;;) {
    const option = args.shift();
    if (option === undefined) break;
    const field = FIELDS[option];
    if (field !== undefined) fields.push(`${field}: ${args.shift()}`);
    else if (option === '-X' || option === '--request') method = args.shift() ?? '';
    else if (option === '-H' || option === '--header') fields.push(args.shift() ?? '');
    else if (/^(?:-d|--data(?:-raw|-ascii|-binary)?|--json)$/.test(option)) {
      content.push(args.shift() ?? '');
      if (option === '--json') fields.push('Content-Type: application/json');
    } else if (option === '-I' || option === '--head') method = 'HEAD';
    else if (SILENT.test(option)) args.shift();
    else if (option === '--compressed') fields.push('Accept-Encoding: deflate, gzip');
    else if (option === '--url') url = args.shift();
    else if (!option.startsWith('-')) {
      if (url !== undefined) return undefined; // two requests
      url = option;
    } else if (!PLAIN.test(option)) return undefined; // it may send something else
  }
  if (url === undefined || content.some((one) => one.startsWith('@'))) return undefined;
  // With another scheme, or a user's name, curl sends other bytes.
  const address = /^(?:http:\/\/)?(?![^/?#]*:\/\/)([^/?#@]+)(?![^/?#])([^#]*)/i.exec(url);
  if (address === null) return undefined;
  const [, authority = '', target = ''] = address;
  const bytes = bytesOf(content.join('&'));
  const own = [`Host: ${authority}`, 'User-Agent: curl/8.5.0', 'Accept: */*'];
  const form = 'Content-Type: application/x-www-form-urlencoded';
  if (content.length > 0) own.push(`Content-Length: ${bytes.length}`, form);
  const nameOf = (line: string): string => line.toLowerCase().replace(/:.*/, '');
  const given = fields.map(nameOf);
  const added = own.filter((line) => !given.includes(nameOf(line)));
  method ||= content.length > 0 ? 'POST' : 'GET';
  const path = target.startsWith('/') ? target : `/${target}`;
  const lines = [`${method} ${path} HTTP/1.1`, ...added, ...fields].map(bytesOf);
  const sent = `${lines.join('\r\n')}\r\n\r\n${bytes}`;
  return { what: 'a curl command', text: writeScript([sent]) };
}

/** @returns a character for each byte of a text in UTF-8 */
function bytesOf(text: string): string {
  return textOf(new TextEncoder().encode(text));
}
