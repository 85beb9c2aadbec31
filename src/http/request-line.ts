/** The request line (9112 §3).
 *
 *   request-line = method SP request-target SP HTTP-version
 *   method       = token
 *   HTTP-version = "HTTP" "/" DIGIT "." DIGIT                                  (9112 §2.3)
 *
 * 9112 §3 lets a recipient split the line at any white space instead. Two recipients that
 * split it differently see two targets, so we ask for exactly one SP. */
import { Byte, skipNonSpace, skipTargetChars } from './grammar';
import { lineEndErrorOr } from './line-end';
import { allowedBy, ourChoice, WITHIN_LIMIT, type ProtocolError } from './protocol-error';
import type { Line } from './receive-buffer';
import {
  A_PATH,
  characterError,
  checkCharacters,
  encodingHint,
  parseTarget,
  type RequestTarget,
} from './request-target';

const { SP } = Byte;

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;

const REQUEST_LINE = {
  expected: 'a method, one space, a path, one space and the version: GET /tasks HTTP/1.1',
};

/** What the line begins with if the client does not speak HTTP/1.1, or not at once. */
// prettier-ignore
const HINTS: readonly (readonly [start: RegExp, hint: string])[] = [
  [/^\x16/, 'this looks like TLS: https:// on a port that speaks plain HTTP'], // 8446 §5.1
  [/^PRI \* HTTP\/2/, 'the client began with HTTP/2; this port speaks HTTP/1.1'],
  [/^PROXY [^/]/, 'a proxy announces its client: this port does not speak the PROXY protocol'],
  [/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, // those of UTF-8 and UTF-16
    'this is a byte order mark: save the file as UTF-8 without it'],
];

const VERSION = /^ HTTP\/\d\.\d$/;

/** What a request line says. */
export interface RequestLine {
  readonly method: string;
  readonly target: RequestTarget;
  /** 1 for HTTP/1.1 */
  readonly minorVersion: number;
}

/** Reads a request line from left to right. Its shape is judged first, then the version, then
 * the target: "PRI * HTTP/2.0" gets 505, and no error about its target.
 * @throws ProtocolError */
export function parseRequestLine(line: Line): RequestLine {
  const { bytes, start, tokenEnd: methodEnd, end } = line;
  if (methodEnd === start || methodEnd === end || bytes[methodEnd] !== SP) {
    throw lineEndErrorOr(line, methodError(line));
  }
  const method = line.text(start, methodEnd);

  // The target ends at the next white space. Its usual characters lead there.
  const targetStart = methodEnd + ' '.length;
  const usualEnd = skipTargetChars(bytes, targetStart, end);
  const targetEnd = bytes[usualEnd] === SP ? usualEnd : skipNonSpace(bytes, usualEnd, end);
  const target = line.text(targetStart, targetEnd);
  const rest = line.text(targetEnd, end);
  const offset = line.offsetOf(targetStart);

  const isUsual = rest === ' HTTP/1.1' && target !== '' && line.ending === 'CRLF';
  const minorVersion = isUsual ? 1 : parseRest({ line, method, target, rest, offset });
  const leniency = usualEnd < targetEnd ? checkCharacters(target, offset) : undefined;
  const parsed = parseTarget(method, target, offset);
  return { method, target: leniency ? { ...parsed, leniency } : parsed, minorVersion };
}

function methodError(line: Line): ProtocolError {
  const { start, tokenEnd, end } = line;
  const offset = line.offsetOf(tokenEnd);
  if (tokenEnd === end && line.ending === 'too long') return longMethodError(offset);
  if (tokenEnd > start) {
    const reason = 'The method is not a token followed by one space';
    return allowedBy('9112 3', offset, reason, REQUEST_LINE);
  }
  const reason =
    'The request line does not start with a method: this byte is not allowed in a token';
  return allowedBy('9112 3', offset, reason, { ...REQUEST_LINE, hint: hintOn(line) });
}

function hintOn(line: Line): string {
  const text = line.text(line.start, line.end);
  return HINTS.find(([start]) => start.test(text))?.[1] ?? '';
}

/** A line that begins with `method SP`. */
interface Split {
  readonly line: Line;
  readonly method: string;
  readonly target: string;
  readonly rest: string; // what follows the target
  readonly offset: number; // that of the target
}

/** @returns the minor version
 * @throws ProtocolError if the rest is not SP and a version, or the major version is not 1 */
function parseRest(split: Split): number {
  const { line, target, rest, offset } = split;
  if (line.ending === 'too long') throw lengthError(split);
  if (target === '' || !VERSION.test(rest)) throw shapeError(split);
  if (rest.startsWith(' HTTP/1.')) return Number(rest.slice(' HTTP/1.'.length));
  // A server can send 505 "if it wishes" (9110 §6.2).
  const at = offset + target.length + ' HTTP/'.length;
  const expected = 'HTTP/1.1, or HTTP/1.0';
  const options = { status: 505, hint: hintOn(line), expected } as const;
  throw allowedBy('9110 6.2', at, 'The major version is not 1', options);
}

/** Judges a line by what reaches the limit, because the rest of it may not have arrived.
 * @returns what is wrong at the limit, or before it
 * @throws ProtocolError for a wrong character of the target */
function lengthError(split: Split): ProtocolError {
  const { line, method, target, rest, offset } = split;
  const mayBeVersion =
    rest.startsWith(' ') && versionPrefix(rest.slice(1)) === rest.length - 1;
  // GET / x
  if (rest !== '' && (target === '' || !mayBeVersion)) return shapeError(split);
  // "%4" at the limit may go on as "%41".
  const sure = rest === '' ? target.replace(/%[\da-f]?$/i, '') : target;
  checkCharacters(sure, offset);
  const limit = line.offsetOf(line.end);
  if (method.length > target.length) return longMethodError(limit);
  const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes`;
  return ourChoice('9112 3', limit, reason, { ...WITHIN_LIMIT, status: 414 });
}

/** A server SHOULD respond with 501 if a method is longer than any that it implements. */
function longMethodError(offset: number): ProtocolError {
  const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes, most of them the method`;
  return allowedBy('9112 3', offset, reason, { ...WITHIN_LIMIT, status: 501 });
}

/** Says why what follows `method SP` is not `request-target SP HTTP-version`. */
function shapeError({ line, target, rest, offset }: Split): ProtocolError {
  const isWhole = line.ending === 'CRLF' || line.ending === 'too long';
  const end = offset + target.length;
  let error: ProtocolError;
  if (rest !== '') error = spaceError(target, isWhole ? rest : rest.slice(0, -1), end);
  else if (isWhole) error = noVersionError(target, end);
  else error = characterError(target, target.length - 1, offset); // the one that ended the line
  return lineEndErrorOr(line, error.withHint(hintOn(line) || error.hint));
}

/** HTTP/0.9 looks like this: GET and a path.
 * @param end the offset after the target */
function noVersionError(target: string, end: number): ProtocolError {
  const isVersion = VERSION.test(` ${target}`);
  const hint = isVersion ? `"${target}" was read as the request-target` : '';
  const reason = 'The request line ends before an HTTP version';
  return allowedBy('9112 3', end, reason, { ...REQUEST_LINE, hint });
}

/** Looks at any white space, because a lenient recipient would split the line there
 * (9112 §3).
 * @param rest begins with the white space after the target
 * @param offset of this white space */
function spaceError(target: string, rest: string, offset: number): ProtocolError {
  // GET  /a HTTP/1.1
  if (target === '' && rest.startsWith(' ')) {
    const reason = 'More than one space after the method';
    return allowedBy('9112 3', offset, reason, REQUEST_LINE);
  }
  // GET /a  HTTP/1.1
  if (/^ {2,}HTTP\/\d\.\d$/.test(rest)) {
    const reason = 'More than one space after the request-target';
    return allowedBy('9112 3', offset + 1, reason, REQUEST_LINE);
  }
  // GET /a b HTTP/1.1
  if (target !== '' && /. HTTP\/\d\.\d$/.test(rest)) {
    // A space before a version was meant to end the target: GET / HTTP/1.1 HTTP/1.1
    const isEnd = rest.startsWith(' HTTP/');
    const hint = isEnd ? '' : encodingHint(target + rest, target.length);
    const options = { hint, expected: `${A_PATH}. A space in it is written as %20` };
    return allowedBy('9112 3.2', offset, 'White space in the request-target', options);
  }
  // GET /a and HTAB, VT or FF
  if (!rest.startsWith(' ')) {
    const reason = 'White space other than a space in the request line';
    return allowedBy('9112 3', offset, reason, REQUEST_LINE);
  }
  // GET /a HTTP/1.1 and more, or GET /a http/1.1
  return versionError(rest.slice(' '.length), offset + ' '.length);
}

/** @param text what follows `method SP request-target SP`, and is not an HTTP-version alone
 * @param offset of its first byte */
function versionError(text: string, offset: number): ProtocolError {
  const length = versionPrefix(text);
  if (length === 'HTTP/1.1'.length) {
    const reason = 'The request line does not end after the HTTP version';
    return allowedBy('9112 3', offset + length, reason, REQUEST_LINE);
  }
  const isLowerCase = VERSION.test(` ${text.toUpperCase()}`);
  const hint = isLowerCase ? 'HTTP is written in capitals: HTTP/1.1' : '';
  const reason = 'The HTTP version is not "HTTP/", a digit, a dot and a digit';
  const expected = 'HTTP/1.1: HTTP in capitals, a slash, a digit, a dot and a digit';
  return allowedBy('9112 2.3', offset + length, reason, { hint, expected });
}

/** @returns how many characters at the start of a text fit the shape of an HTTP-version, in
 * which each 0 stands for any DIGIT */
function versionPrefix(text: string): number {
  const shape = 'HTTP/0.0';
  const digits = text.slice(0, shape.length).replace(/\d/g, '0');
  let at = 0;
  while (at < shape.length && digits[at] === shape[at]) at += 1;
  return at;
}
