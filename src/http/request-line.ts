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
import { Byte, DIGIT, isOws, isPctEncoded, skipTargetChars } from './grammar';
import { allowedBy, ourChoice, requiredBy, type ProtocolError } from './protocol-error';
import type { Line } from './receive-buffer';
import { parseTarget, type RequestTarget } from './request-target';

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;

/** HTTP/1.1 and every later minor version are read alike (9110 §6.2). */
export type Version = 'HTTP/1.0' | 'HTTP/1.1';

export interface RequestLine {
  readonly target: RequestTarget;
  readonly version: Version;
}

/** The longest version there is, with the SP before it: each "1" is any digit. */
const SP_VERSION = Uint8Array.from(Buffer.from(' HTTP/1.1'));
const MAJOR = ' HTTP/'.length;
const MINOR = ' HTTP/1.'.length;

/** @throws ProtocolError where the line does not start with a token and SP */
export function parseMethod(line: Line): string {
  const { bytes, start, end, tokenEnd } = line;
  if (tokenEnd === start || tokenEnd === end || bytes[tokenEnd] !== Byte.SP) {
    throw methodError(line, tokenEnd);
  }
  return line.text(start, tokenEnd);
}

/**
 * Parses what follows the method. The shape of the line is judged first, then the version, then the
 * target.
 * @throws ProtocolError
 */
export function parseRequestLine(line: Line, method: string): RequestLine {
  const { bytes, end, tokenEnd } = line;
  const limit = REQUEST_LINE_LIMIT;
  if (line.ending === 'too long') {
    throw ourChoice('9112 3', line.offset(end),
      `The request line exceeds ${limit} bytes`, { status: 414 });
  }
  const from = tokenEnd + 1;
  const to = end - SP_VERSION.length;
  if (to <= from || !isVersion(bytes, to)) throw shapeError(line, from);

  const invalid = findInvalidTargetByte(bytes, from, to);
  const space = invalid < to ? findWhiteSpace(bytes, invalid, to) : to;
  if (space < to) throw space > from ? spaceInTargetError(line, space) : shapeError(line, from);
  if (bytes[to + MAJOR] !== Byte.ONE) throw versionError(line.offset(to + MAJOR), method);
  if (invalid < to) throw targetByteError(line, from, invalid);

  const target = parseTarget(method, line.text(from, to), line.offset(from));
  return { target, version: bytes[to + MINOR] === Byte.ZERO ? 'HTTP/1.0' : 'HTTP/1.1' };
}

/** Whether SP HTTP-version is at an index. */
function isVersion(bytes: Buffer, at: number): boolean {
  return (
    (bytes[at] === Byte.SP && bytes[at + 1] === Byte.H && bytes[at + 2] === Byte.T) &&
    (bytes[at + 3] === Byte.T && bytes[at + 4] === Byte.P && bytes[at + 5] === Byte.SLASH) &&
    DIGIT[bytes[at + 6] ?? 0] === 1 && bytes[at + 7] === Byte.DOT && DIGIT[bytes[at + 8] ?? 0] === 1
  );
}

/** @returns the index of the first byte that does not belong to SP HTTP-version, at most `end` */
function matchVersion(bytes: Buffer, from: number, end: number): number {
  let at = from;
  for (let index = 0; index < SP_VERSION.length && at < end; index += 1, at += 1) {
    const byte = bytes[at] ?? 0;
    const expected = SP_VERSION[index];
    if (byte !== expected && !(expected === Byte.ONE && DIGIT[byte] === 1)) break;
  }
  return at;
}

/** @returns the index of the first byte that no path or query may hold, or `to` */
function findInvalidTargetByte(bytes: Buffer, from: number, to: number): number {
  let at = skipTargetChars(bytes, from, to);
  while (isPctEncoded(bytes, at, to)) at = skipTargetChars(bytes, at + 3, to);
  return at;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return isOws(byte) || byte === Byte.VT || byte === Byte.FF;
}

function findWhiteSpace(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && !isWhiteSpace(bytes[at])) at += 1;
  return at;
}

function methodError(line: Line, at: number): ProtocolError {
  const { bytes, start, end } = line;
  const offset = line.offset(at);
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

/** What is wrong with a line that is not `method SP request-target SP HTTP-version`. */
function shapeError(line: Line, from: number): ProtocolError {
  const { bytes, end } = line;
  if (from < end && bytes[from] === Byte.SP) {
    return allowedBy('9112 3', line.offset(from), 'More than one SP after the method');
  }
  const space = findWhiteSpace(bytes, from, end);
  if (space === end) {
    if (line.ending === 'invalid byte') return targetByteError(line, from, end - 1);
    // HTTP/0.9 looks like this: GET and a path.
    return allowedBy('9112 3', line.offset(end), 'No SP and HTTP-version after the request-target');
  }
  if (bytes[space] !== Byte.SP) {
    return allowedBy('9112 3', line.offset(space), 'White space other than SP in the request line');
  }
  const at = matchVersion(bytes, space, end);
  return at === space + SP_VERSION.length
    ? allowedBy('9112 3', line.offset(at), 'The request line does not end after the HTTP-version')
    : allowedBy('9112 2.3', line.offset(at), 'The HTTP-version is not "HTTP/" DIGIT "." DIGIT');
}

function spaceInTargetError(line: Line, at: number): ProtocolError {
  const to = line.end - SP_VERSION.length;
  let next = at;
  while (next < to && line.bytes[next] === Byte.SP) next += 1;
  return next === to
    ? allowedBy('9112 3', line.offset(at + 1), 'More than one SP after the request-target')
    : allowedBy('9112 3.2', line.offset(at), 'White space in the request-target');
}

function versionError(offset: number, method: string): ProtocolError {
  const hint = method === 'PRI' ? 'the client began with HTTP/2, this port speaks HTTP/1.1' : '';
  return requiredBy('9110 15.6.6', offset, 'The major version is not 1', { status: 505, hint });
}

/** A byte of the request-target for which 3986 has no place. */
function targetByteError(line: Line, from: number, at: number): ProtocolError {
  const { bytes } = line;
  const offset = line.offset(at);
  if (bytes[at] === Byte.HASH) {
    return allowedBy('9112 3.2', offset, 'A "#" in the request-target, which has no fragment');
  }
  if (bytes[at] === Byte.PERCENT) {
    return allowedBy('3986 2.1', offset, 'A "%" in the target without two hexadecimal digits');
  }
  const before = bytes.toString('latin1', from, at);
  if (before.includes('?')) {
    return allowedBy('3986 3.4', offset, 'A byte that is not allowed in a query');
  }
  return /^(?:[a-z][a-z0-9+.-]*:\/\/[^/]*)?\//i.test(before)
    ? allowedBy('3986 3.3', offset, 'A byte that is not allowed in a path')
    : allowedBy('3986 2', offset, 'A byte that is not allowed in a URI');
}
