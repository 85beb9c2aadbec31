/** The request line (9112 §3).
 *
 *   request-line = method SP request-target SP HTTP-version
 *   method       = token
 *   HTTP-version = "HTTP" "/" DIGIT "." DIGIT                                    (9112 §2.3)
 *
 * 9112 §3 lets a recipient split the line at any white space instead. Two recipients that split it
 * differently see two targets, so we ask for exactly one SP. */
import { Byte, skipTargetChars } from './grammar';
import { unlessBareLineEnd, type Line } from './line';
import { allowedBy, ourChoice, requiredBy, type ProtocolError } from './protocol-error';
import { parseForm, type RequestTarget } from './request-target';

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;
/** How much of the line is the version, with the SP before it. */
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** @returns the token that the line starts with
 * @throws ProtocolError if the line does not start with a token and SP */
export function parseMethod(line: Line): string {
  const { bytes, start, tokenEnd } = line;
  if (tokenEnd === start || bytes[tokenEnd] !== Byte.SP) {
    throw unlessBareLineEnd(line, methodError(line));
  }
  return line.text(start, tokenEnd);
}

function methodError(line: Line): ProtocolError {
  const { bytes, start, end, tokenEnd } = line;
  const offset = line.offsetOf(tokenEnd);
  // 9112 §3 asks for 501 if a method is longer than any we implement. Here we have not even seen
  // its end.
  if (tokenEnd === end && line.ending === 'too long') {
    return ourChoice('9112 3', offset, `The method exceeds ${REQUEST_LINE_LIMIT} bytes`);
  }
  if (tokenEnd > start) {
    return allowedBy('9112 3', offset, 'The method is not a token followed by one SP');
  }
  const isTls = bytes[start] === Byte.TLS_HANDSHAKE;
  const hint = isTls ? 'this looks like TLS: https:// on a port that speaks plain HTTP' : '';
  const reason =
    'The request line does not start with a method: this byte is not allowed in a token';
  return allowedBy('9112 3', offset, reason, { hint });
}

/** @param line of which parseMethod() has read the method
 * @returns the minor version: 1 for HTTP/1.1
 * @throws ProtocolError if the line has another shape, or the major version is not 1 */
export function parseMinorVersion(line: Line, method: string): number {
  const { end, tokenEnd } = line;
  if (line.ending === 'too long') {
    const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes`;
    throw ourChoice('9112 3', line.offsetOf(end), reason, { status: 414 });
  }
  const gap = end - VERSION_LENGTH;
  const isTargetEmpty = gap <= tokenEnd + 1;
  if (!isTargetEmpty && line.text(gap, end) === ' HTTP/1.1') return 1;

  const error = findShapeError(line);
  if (error !== undefined) throw unlessBareLineEnd(line, error);
  const major = gap + ' HTTP/'.length;
  if (line.text(major, major + 1) === '1') return Number(line.text(end - 1, end));
  const hint = method === 'PRI' ? 'the client began with HTTP/2; this port speaks HTTP/1.1' : '';
  const reason = 'The major version is not 1';
  throw requiredBy('9110 15.6.6', line.offsetOf(major), reason, { status: 505, hint });
}

/** @param line of which parseMinorVersion() has read the version
 * @throws ProtocolError if the target has a byte that it must not have, or the wrong form */
export function parseTarget(line: Line, method: string): RequestTarget {
  const from = line.tokenEnd + 1;
  const to = line.end - VERSION_LENGTH;
  const wrong = skipTargetChars(line.bytes, from, to);
  if (wrong < to) throw findShapeError(line) ?? targetError(line, wrong);
  return parseForm(method, line.text(from, to), line.offsetOf(from));
}

/** Says what keeps a line from being `method SP request-target SP HTTP-version`. Any white space is
 * looked at, because a lenient recipient would split the line there (9112 §3).
 * @returns undefined if the line has this shape */
function findShapeError(line: Line): ProtocolError | undefined {
  const { end, tokenEnd } = line;
  const rest = line.text(tokenEnd + 1, end);
  const offset = line.offsetOf(tokenEnd + 1);
  const gap = rest.search(/[ \t\v\f]/); // where the target ends
  const version = rest.slice(gap + 1);

  if (gap < 0) {
    if (line.ending !== 'CRLF') return targetError(line, end - 1);
    // HTTP/0.9 looks like this: GET and a path.
    const reason = 'No SP and HTTP-version after the request-target';
    return allowedBy('9112 3', line.offsetOf(end), reason);
  }
  if (rest.startsWith(' ')) {
    return allowedBy('9112 3', offset, 'More than one SP after the method');
  }
  if (rest[gap] === ' ' && /^ +HTTP\/\d\.\d$/.test(version)) {
    return allowedBy('9112 3', offset + gap + 1, 'More than one SP after the request-target');
  }
  const isOnlyGap = gap === rest.length - VERSION_LENGTH;
  if (gap > 0 && !isOnlyGap && / HTTP\/\d\.\d$/.test(rest)) {
    return allowedBy('9112 3.2', offset + gap, 'White space in the request-target');
  }
  if (rest[gap] !== ' ') {
    return allowedBy('9112 3', offset + gap, 'White space other than SP in the request line');
  }
  const length = versionPrefix(version);
  const wrong = offset + gap + 1 + length;
  if (length < 'HTTP/1.1'.length) {
    return allowedBy('9112 2.3', wrong, 'The HTTP-version is not "HTTP/" DIGIT "." DIGIT');
  }
  if (length < version.length) {
    return allowedBy('9112 3', wrong, 'The request line does not end after the HTTP-version');
  }
  return undefined;
}

/** @returns how many characters at the start of a text fit "HTTP/" DIGIT "." DIGIT */
function versionPrefix(text: string): number {
  const name = 'HTTP/';
  let at = 0;
  while (at < name.length && text[at] === name[at]) at += 1;
  if (at < name.length || !isDigit(text, at)) return at;
  at += 1;
  if (text[at] !== '.') return at;
  at += 1;
  return isDigit(text, at) ? at + 1 : at;
}

function isDigit(text: string, at: number): boolean {
  return /^\d$/.test(text.charAt(at));
}

/** @param at the index of a byte for which 3986 has no place in a request-target */
function targetError(line: Line, at: number): ProtocolError {
  const offset = line.offsetOf(at);
  const before = line.text(line.tokenEnd + 1, at);
  if (line.bytes[at] === Byte.HASH) {
    return allowedBy('9112 3.2', offset, 'A "#" in the request-target, which has no fragment');
  }
  if (line.bytes[at] === Byte.PERCENT) {
    return allowedBy('3986 2.1', offset, 'A "%" in the target without two hexadecimal digits');
  }
  if (before.includes('?')) {
    return allowedBy('3986 3.4', offset, 'A byte that is not allowed in a query');
  }
  if (before.startsWith('/') || /^[a-z][a-z0-9+.-]*:\/\/[^/]*\//i.test(before)) {
    return allowedBy('3986 3.3', offset, 'A byte that is not allowed in a path');
  }
  return allowedBy('3986 2', offset, 'A byte that is not allowed in a URI');
}
