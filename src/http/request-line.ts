/**
 * The request line (9112 §3).
 *
 *   request-line = method SP request-target SP HTTP-version
 *   method       = token
 *   HTTP-version = "HTTP" "/" DIGIT "." DIGIT                                    (9112 §2.3)
 *
 * 9112 §3 lets a recipient split the line at any white space instead. Two recipients that split it
 * differently see two targets, so we ask for exactly one SP.
 */
import { Byte, DIGIT, skipTargetChars } from './grammar';
import { allowedBy, ourChoice, requiredBy, type ProtocolError } from './protocol-error';
import type { Line } from './receive-buffer';
import { parseForm, type RequestTarget } from './request-target';

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;

/** HTTP/1.1 and every later minor version are read alike (9110 §6.2). */
export type Version = 'HTTP/1.0' | 'HTTP/1.1';

const VERSION_LENGTH = ' HTTP/1.1'.length;
const MAJOR = ' HTTP/'.length;
const MINOR = ' HTTP/1.'.length;
/** As much of SP HTTP-version as is there. */
const VERSION_START = /^ (?:H(?:T(?:T(?:P(?:\/(?:\d(?:\.\d?)?)?)?)?)?)?)?/;
const WHITE_SPACE = /[ \t\v\f]/; // what a lenient recipient would split the line at (9112 §3)

/** @throws ProtocolError where the line does not start with a token and SP */
export function parseMethod(line: Line): string {
  const { bytes, start, end, tokenEnd } = line;
  if (tokenEnd === start || tokenEnd === end || bytes[tokenEnd] !== Byte.SP) {
    throw methodError(line, tokenEnd);
  }
  return line.text(start, tokenEnd);
}

/** @throws ProtocolError where the line has another shape, or the version is not HTTP/1.x */
export function parseVersion(line: Line, method: string): Version {
  const { bytes, end, tokenEnd } = line;
  if (line.ending === 'too long') {
    const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes`;
    throw ourChoice('9112 3', line.offsetOf(end), reason, { status: 414 });
  }
  const at = end - VERSION_LENGTH;
  if (at <= tokenEnd + 1 || !isVersion(bytes, at)) throw shapeError(line);
  if (bytes[at + MAJOR] !== Byte.ONE) {
    if (hasWhiteSpace(line)) throw shapeError(line);
    const hint = method === 'PRI' ? 'the client began with HTTP/2; this port speaks HTTP/1.1' : '';
    const offset = line.offsetOf(at + MAJOR);
    throw requiredBy('9110 15.6.6', offset, 'The major version is not 1', { status: 505, hint });
  }
  return bytes[at + MINOR] === Byte.ZERO ? 'HTTP/1.0' : 'HTTP/1.1';
}

/**
 * @param line of which parseVersion() has found the version
 * @throws ProtocolError where the target has a byte that it must not have, or the wrong form
 */
export function parseTarget(line: Line, method: string): RequestTarget {
  const from = line.tokenEnd + 1;
  const to = line.end - VERSION_LENGTH;
  const invalid = skipTargetChars(line.bytes, from, to);
  if (invalid < to) throw hasWhiteSpace(line) ? shapeError(line) : targetByteError(line, invalid);
  return parseForm(method, line.text(from, to), line.offsetOf(from));
}

/** Whether SP HTTP-version is at an index. */
function isVersion(bytes: Buffer, at: number): boolean {
  return (
    (bytes[at] === Byte.SP && bytes[at + 1] === Byte.H && bytes[at + 2] === Byte.T) &&
    (bytes[at + 3] === Byte.T && bytes[at + 4] === Byte.P && bytes[at + 5] === Byte.SLASH) &&
    DIGIT[bytes[at + 6] ?? 0] === 1 && bytes[at + 7] === Byte.DOT && DIGIT[bytes[at + 8] ?? 0] === 1
  );
}

function methodError(line: Line, at: number): ProtocolError {
  const { bytes, start, end } = line;
  const offset = line.offsetOf(at);
  if (at === end && line.ending === 'too long') {
    // 9112 §3 asks for 501 where a method is longer than any that we have. This one has no end.
    return ourChoice('9112 3', offset, `The method exceeds ${REQUEST_LINE_LIMIT} bytes`);
  }
  if (at > start) {
    return allowedBy('9112 3', offset, 'The method is not a token followed by one SP');
  }
  const isTls = bytes[at] === Byte.TLS_HANDSHAKE;
  const hint = isTls ? 'this looks like TLS: https:// on a port that speaks plain HTTP' : '';
  const reason =
    'The request line does not start with a method: this byte is not allowed in a token';
  return allowedBy('9112 3', offset, reason, { hint });
}

/** Whether the target has white space. Then the shape of the line is wrong, and nothing else. */
function hasWhiteSpace(line: Line): boolean {
  return WHITE_SPACE.test(line.text(line.tokenEnd + 1, line.end - VERSION_LENGTH));
}

/** What is wrong with a line that is not `method SP request-target SP HTTP-version`. */
function shapeError(line: Line): ProtocolError {
  const from = line.tokenEnd + 1;
  const text = line.text(from, line.end);
  const space = text.search(WHITE_SPACE);
  const error = (at: number, reason: string): ProtocolError =>
    allowedBy('9112 3', line.offsetOf(from + at), reason);
  if (text.startsWith(' ')) return error(0, 'More than one SP after the method');
  if (space < 0 && line.ending === 'invalid byte') return targetByteError(line, line.end - 1);
  // HTTP/0.9 looks like this: GET and a path.
  if (space < 0) return error(text.length, 'No SP and HTTP-version after the request-target');
  const rest = text.slice(space);
  if (/^ +HTTP\/\d\.\d$/.test(rest)) {
    return error(space + 1, 'More than one SP after the request-target');
  }
  if (space > 0 && / HTTP\/\d\.\d$/.test(rest)) {
    return allowedBy('9112 3.2', line.offsetOf(from + space), 'White space in the request-target');
  }
  if (!rest.startsWith(' ')) return error(space, 'White space other than SP in the request line');
  const { length } = VERSION_START.exec(rest)?.[0] ?? '';
  if (length === VERSION_LENGTH) {
    return error(space + length, 'The request line does not end after the HTTP-version');
  }
  const offset = line.offsetOf(from + space + length);
  return allowedBy('9112 2.3', offset, 'The HTTP-version is not "HTTP/" DIGIT "." DIGIT');
}

/** A byte of the request-target for which 3986 has no place. */
function targetByteError(line: Line, at: number): ProtocolError {
  const { bytes } = line;
  const offset = line.offsetOf(at);
  if (bytes[at] === Byte.HASH) {
    return allowedBy('9112 3.2', offset, 'A "#" in the request-target, which has no fragment');
  }
  if (bytes[at] === Byte.PERCENT) {
    return allowedBy('3986 2.1', offset, 'A "%" in the target without two hexadecimal digits');
  }
  const before = line.text(line.tokenEnd + 1, at);
  if (before.includes('?')) {
    return allowedBy('3986 3.4', offset, 'A byte that is not allowed in a query');
  }
  return /^(?:[a-z][a-z0-9+.-]*:\/\/[^/]*)?\//i.test(before)
    ? allowedBy('3986 3.3', offset, 'A byte that is not allowed in a path')
    : allowedBy('3986 2', offset, 'A byte that is not allowed in a URI');
}
