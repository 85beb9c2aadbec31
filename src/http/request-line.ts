/** The request line (9112 §3).
 *
 *   request-line = method SP request-target SP HTTP-version
 *   method       = token
 *   HTTP-version = "HTTP" "/" DIGIT "." DIGIT                                    (9112 §2.3)
 *
 * 9112 §3 lets a recipient split the line at any white space instead. Two recipients that split it
 * differently see two targets, so we ask for exactly one SP. */
import { Byte, skipTargetChars } from './grammar';
import { allowedBy, findFault, ourChoice, requiredBy, type Fault } from './protocol-error';
import type { Line } from './receive-buffer';
import { parseForm, type RequestTarget } from './request-target';

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;
/** HTTP/1.1 and every later minor version are read alike (9110 §6.2). */
export type Version = `HTTP/1.${number}`;
const VERSION_LENGTH = ' HTTP/1.1'.length; // with the SP before it

/** @throws ProtocolError where the line does not start with a token and SP */
export function parseMethod(line: Line): string {
  const { bytes, start, end, tokenEnd } = line;
  const offset = line.offsetOf(tokenEnd);
  // 9112 §3 asks for 501 where a method is longer than any that we have. This one has no end.
  if (tokenEnd === end && line.ending === 'too long') {
    throw ourChoice('9112 3', offset, `The method exceeds ${REQUEST_LINE_LIMIT} bytes`);
  }
  if (tokenEnd > start) {
    if (bytes[tokenEnd] === Byte.SP) return line.text(start, tokenEnd);
    throw allowedBy('9112 3', offset, 'The method is not a token followed by one SP');
  }
  const isTls = bytes[start] === Byte.TLS_HANDSHAKE;
  const hint = isTls ? 'this looks like TLS: https:// on a port that speaks plain HTTP' : '';
  throw allowedBy(
    '9112 3',
    offset,
    'The request line does not start with a method: this byte is not allowed in a token',
    { hint },
  );
}

/** @throws ProtocolError where the line has another shape, or the version is not HTTP/1.x */
export function parseVersion(line: Line, method: string): Version {
  const { end, tokenEnd } = line;
  if (line.ending === 'too long') {
    throw ourChoice(
      '9112 3',
      line.offsetOf(end),
      `The request line exceeds ${REQUEST_LINE_LIMIT} bytes`,
      { status: 414 },
    );
  }
  const at = end - VERSION_LENGTH;
  const version = at > tokenEnd + 1 ? line.text(at, end) : '';
  if (version === ' HTTP/1.1') return 'HTTP/1.1';
  if (/^ HTTP\/1\.\d$/.test(version)) return version.slice(1) as Version;
  const hint = method === 'PRI' ? 'the client began with HTTP/2; this port speaks HTTP/1.1' : '';
  const major = line.offsetOf(at + ' HTTP/'.length);
  throw (
    shapeError(line) ??
    requiredBy('9110 15.6.6', major, 'The major version is not 1', { status: 505, hint })
  );
}

/** @param line whose version parseVersion() has found
 * @throws ProtocolError where the target has a byte that it must not have, or the wrong form */
export function parseTarget(line: Line, method: string): RequestTarget {
  const from = line.tokenEnd + 1;
  const to = line.end - VERSION_LENGTH;
  const offset = line.offsetOf(from);
  const invalid = skipTargetChars(line.bytes, from, to);
  if (invalid === to) return parseForm(method, line.text(from, to), offset);
  throw shapeError(line) ?? findFault(TARGET_FAULTS, line.text(from, invalid + 1), offset);
}

/** What is wrong with a line that is not `method SP request-target SP HTTP-version`. White space is
 * what a lenient recipient would split it at (9112 §3). */
const SHAPE_FAULTS: readonly Fault[] = [
  [/^(?= )/, allowedBy, '9112 3', 'More than one SP after the method'],
  // HTTP/0.9 looks like this: GET and a path.
  [/^[^ \t\v\f]*$/, allowedBy, '9112 3', 'No SP and HTTP-version after the request-target'],
  [
    /^[^ \t\v\f]* (?= +HTTP\/\d\.\d$)/,
    allowedBy,
    '9112 3',
    'More than one SP after the request-target',
  ],
  [
    /^[^ \t\v\f]+(?=[ \t\v\f].* HTTP\/\d\.\d$)/,
    allowedBy,
    '9112 3.2',
    'White space in the request-target',
  ],
  [
    /^[^ \t\v\f]*(?=[\t\v\f])/,
    allowedBy,
    '9112 3',
    'White space other than SP in the request line',
  ],
  [
    /^[^ ]* HTTP\/\d\.\d(?=.)/s,
    allowedBy,
    '9112 3',
    'The request line does not end after the HTTP-version',
  ],
  [
    /^[^ ]* (?!HTTP\/\d\.\d$)(?:H(?:T(?:T(?:P(?:\/(?:\d(?:\.\d?)?)?)?)?)?)?)?/,
    allowedBy,
    '9112 2.3',
    'The HTTP-version is not "HTTP/" DIGIT "." DIGIT',
  ],
];

function shapeError(line: Line) {
  const from = line.tokenEnd + 1;
  const text = line.text(from, line.end);
  const isCut = line.ending === 'invalid byte' && !/[ \t\v\f]/.test(text);
  return findFault(isCut ? TARGET_FAULTS : SHAPE_FAULTS, text, line.offsetOf(from));
}

/** The bytes of a request-target for which 3986 has no place; the last byte of the text is one. */
const TARGET_FAULTS: readonly Fault[] = [
  [/^.*(?=#$)/, allowedBy, '9112 3.2', 'A "#" in the request-target, which has no fragment'],
  [/^.*(?=%$)/, allowedBy, '3986 2.1', 'A "%" in the target without two hexadecimal digits'],
  [/^.*\?.*(?=.$)/s, allowedBy, '3986 3.4', 'A byte that is not allowed in a query'],
  [
    /^(?:[a-z][a-z0-9+.-]*:\/\/[^/]*)?\/.*(?=.$)/is,
    allowedBy,
    '3986 3.3',
    'A byte that is not allowed in a path',
  ],
  [/^.*(?=.$)/s, allowedBy, '3986 2', 'A byte that is not allowed in a URI'],
];
