/** The request line (9112 §3).
 *
 *   request-line = method SP request-target SP HTTP-version
 *   method       = token
 *   HTTP-version = "HTTP" "/" DIGIT "." DIGIT                                    (9112 §2.3)
 *
 * 9112 §3 lets a recipient split the line at any white space instead. Two recipients that
 * split it differently see two targets, so we ask for exactly one SP. */
import { Byte, skipTargetChars } from './grammar';
import { unlessBareLineEnd, type Line } from './line';
import type { ReaderTrace } from './parts';
import { allowedBy, ourChoice, type ProtocolError } from './protocol-error';
import { parseForm, type Leniency, type RequestTarget } from './request-target';

const { HASH, PERCENT, SP, TLS_HANDSHAKE } = Byte;

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;
/** The length of the version, with the SP before it. */
const VERSION_LENGTH = ' HTTP/1.1'.length;

/** The most bytes of one character in UTF-8, and what Node puts in place of bytes that are
 * not UTF-8. */
const LONGEST_CHARACTER = 4;
const REPLACEMENT_CHARACTER = '\ufffd';
const TLS_HINT = 'this looks like TLS: https:// on a port that speaks plain HTTP';
const HTTP2_HINT = 'the client began with HTTP/2; this port speaks HTTP/1.1';

/** @param methodBefore the method of the previous request if that had no content, or ''
 * @returns the token that the line starts with
 * @throws ProtocolError if the line does not start with a token and SP */
export function parseMethod(line: Line, methodBefore: string): string {
  const { bytes, start, tokenEnd } = line;
  if (tokenEnd === start || bytes[tokenEnd] !== SP) {
    throw unlessBareLineEnd(line, methodError(line, contentHint(methodBefore)));
  }
  return line.text(start, tokenEnd);
}

/** The commonest mistake of all: content without a length, which the server then reads as
 * the next request.
 * @param method that of the previous request if that had no content, or ''
 * @returns what may have happened, or '' if a request with this method usually has no
 * content */
export function contentHint(method: string): string {
  const usuallyHasContent = method === 'POST' || method === 'PUT' || method === 'PATCH';
  if (!usuallyHasContent) return '';
  return 'this may be the content of the previous request, which had no Content-Length';
}

function methodError(line: Line, hint: string): ProtocolError {
  const { bytes, start, end, tokenEnd } = line;
  const offset = line.offsetOf(tokenEnd);
  // 9112 §3 asks for 501 if a method is longer than any we implement. Here we have not even
  // seen its end.
  if (tokenEnd === end && line.ending === 'too long') {
    const reason = `The method exceeds ${REQUEST_LINE_LIMIT} bytes`;
    return ourChoice('9112 3', offset, reason, { hint });
  }
  if (tokenEnd > start) {
    const reason = 'The method is not a token followed by one SP';
    return allowedBy('9112 3', offset, reason, { hint });
  }
  const isTls = bytes[start] === TLS_HANDSHAKE;
  const reason =
    'The request line does not start with a method: this byte is not allowed in a token';
  return allowedBy('9112 3', offset, reason, { hint: isTls ? TLS_HINT : hint });
}

/** Reads the version before the target, because its fixed length tells where the target
 * ends. A line that ends with " HTTP/1.1" is not checked further here: white space in its
 * target is a byte that parseTarget() rejects.
 * @param line the line whose method parseMethod() has read
 * @param methodBefore as for parseMethod()
 * @returns the minor version: 1 for HTTP/1.1
 * @throws ProtocolError if the line is too long, if any other line has the wrong shape, or
 * if the major version is not 1 */
export function parseMinorVersion(
  line: Line,
  method: string,
  methodBefore: string,
): number {
  const { end, tokenEnd } = line;
  if (line.ending === 'too long') {
    const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes`;
    const hint = contentHint(methodBefore);
    throw ourChoice('9112 3', line.offsetOf(end), reason, { status: 414, hint });
  }
  const gap = end - VERSION_LENGTH;
  const isTargetEmpty = gap <= tokenEnd + 1;
  if (!isTargetEmpty && line.text(gap, end) === ' HTTP/1.1') return 1;

  const error = findShapeError(line);
  if (error !== undefined) throw unlessBareLineEnd(line, error);
  const major = gap + ' HTTP/'.length;
  if (line.text(major, major + 1) === '1') return Number(line.text(end - 1, end));
  // A server can send 505 "if it wishes" (9110 §6.2).
  throw allowedBy('9110 6.2', line.offsetOf(major), 'The major version is not 1', {
    status: 505,
    hint: method === 'PRI' ? HTTP2_HINT : '',
  });
}

/** @param line the line whose version parseMinorVersion() has read
 * @throws ProtocolError if the target has a byte that it must not have, or the wrong
 * form */
export function parseTarget(line: Line, method: string): RequestTarget {
  const from = line.tokenEnd + 1;
  const to = line.end - VERSION_LENGTH;
  const strictEnd = skipTargetChars(line.bytes, from, to);
  const leniency = strictEnd < to ? checkLenientChars(line, strictEnd) : undefined;
  const target = parseForm(method, line.text(from, to), line.offsetOf(from));
  return leniency === undefined ? target : { ...target, leniency };
}

/** Our one leniency: what browsers and Node's fetch send raw, though 3986 does not allow
 * it, such as "?a[]=1|2" and "?q=100%". Both follow the URL Standard instead. Nothing is
 * decoded, and every recipient finds the same end of the target, so these characters get
 * no second meaning. (The brackets in an authority are no leniency: they belong to an IP
 * literal.) */
const ACCEPTED_RAW = { authority: '[]', path: '[]^|%', query: '[]\\^`{|}%' } as const;

/** @param strictEnd the index of the first byte that 3986 allows neither in a path nor in a
 * query
 * @returns the first character that is accepted all the same, if it is in a path or a query
 * @throws ProtocolError at a byte that is not accepted */
function checkLenientChars(line: Line, strictEnd: number): Leniency | undefined {
  const from = line.tokenEnd + 1;
  const to = line.end - VERSION_LENGTH;
  const target = line.text(from, to);
  const starts = findParts(target);
  let first: Leniency | undefined;
  let at = strictEnd;
  while (at < to) {
    const character = target.charAt(at - from);
    const part = partAt(starts, at - from);
    if (!ACCEPTED_RAW[part].includes(character)) {
      throw findShapeError(line) ?? targetError(line, at, part);
    }
    if (part !== 'authority') first ??= { part, character };
    at = skipTargetChars(line.bytes, at + 1, to);
  }
  return first;
}

/** Where the parts of a target start; a part that it does not have starts at its end. */
interface PartStarts {
  readonly path: number;
  readonly query: number;
}

function findParts(target: string): PartStarts {
  // Before the path is nothing, or a scheme and an authority: "http://a".
  const prefix = /^(?:[a-z][a-z\d+.-]*:\/\/[^/]*)?(?=\/)/i.exec(target)?.[0];
  const mark = target.indexOf('?');
  return {
    path: prefix?.length ?? target.length,
    query: mark < 0 ? target.length : mark,
  };
}

/** @param at an index in the target
 * @returns the part that the character is in: "authority" is whatever is neither path nor
 * query */
function partAt(starts: PartStarts, at: number): keyof typeof ACCEPTED_RAW {
  if (at >= starts.query) return 'query';
  return at >= starts.path ? 'path' : 'authority';
}

/** @param line the line whose method parseMethod() has read */
export function nameMethod(line: Line, trace: ReaderTrace): void {
  const { start, tokenEnd } = line;
  trace.add('method', line, start, tokenEnd);
  trace.add('SP', line, tokenEnd, tokenEnd + 1);
}

/** @param line the line whose target parseTarget() has read */
export function nameTargetAndVersion(line: Line, trace: ReaderTrace): void {
  const { end, tokenEnd } = line;
  const gap = end - VERSION_LENGTH;
  trace.add('request-target', line, tokenEnd + 1, gap);
  trace.add('SP', line, gap, gap + 1);
  trace.add('HTTP-version', line, gap + 1, end);
  trace.add('CRLF', line, end, end + 2);
}

/** Says what keeps a line from being `method SP request-target SP HTTP-version`. It looks
 * at any white space, because a lenient recipient would split the line there (9112 §3).
 * @returns undefined if the line has this shape */
function findShapeError(line: Line): ProtocolError | undefined {
  const from = line.tokenEnd + 1;
  const offset = line.offsetOf(from);
  const rest = line.text(from, line.end); // what follows `method SP`
  const gap = rest.search(/[ \t\v\f]/); // the first white space in it
  if (gap < 0) return versionlessError(line, rest);
  if (rest.startsWith(' ')) {
    return allowedBy('9112 3', offset, 'More than one SP after the method');
  }
  if (gap > 0 && / HTTP\/\d\.\d$/.test(rest)) {
    // The ends of the line are right. What is wrong, if anything, is white space between
    // them.
    const versionGap = rest.length - VERSION_LENGTH;
    if (gap === versionGap) return undefined;
    if (/^ +$/.test(rest.slice(gap, versionGap))) {
      return allowedBy(
        '9112 3',
        offset + gap + 1,
        'More than one SP after the request-target',
      );
    }
    return allowedBy('9112 3.2', offset + gap, 'White space in the request-target');
  }
  if (rest[gap] !== ' ') {
    return allowedBy(
      '9112 3',
      offset + gap,
      'White space other than SP in the request line',
    );
  }
  return versionError(rest.slice(gap + 1), offset + gap + 1);
}

/** @param rest the target, after which nothing comes */
function versionlessError(line: Line, rest: string): ProtocolError {
  if (line.ending !== 'CRLF') {
    return targetError(line, line.end - 1, partAt(findParts(rest), rest.length - 1));
  }
  // HTTP/0.9 looks like this: GET and a path.
  const reason = 'No SP and HTTP-version after the request-target';
  return allowedBy('9112 3', line.offsetOf(line.end), reason);
}

/** @param text what follows `method SP request-target SP`, and is not an HTTP-version
 * @param offset of its first byte */
function versionError(text: string, offset: number): ProtocolError {
  const length = versionPrefix(text);
  if (length === 'HTTP/1.1'.length) {
    const reason = 'The request line does not end after the HTTP-version';
    return allowedBy('9112 3', offset + length, reason);
  }
  const isLowerCase = /^http\/\d\.\d$/i.test(text);
  const hint = isLowerCase ? 'HTTP is written in capitals: HTTP/1.1' : '';
  const reason = 'The HTTP-version is not "HTTP/" DIGIT "." DIGIT';
  return allowedBy('9112 2.3', offset + length, reason, { hint });
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

/** @param at the index of a byte that is not accepted in this part of the target */
function targetError(
  line: Line,
  at: number,
  part: keyof typeof ACCEPTED_RAW,
): ProtocolError {
  const offset = line.offsetOf(at);
  if (line.bytes[at] === HASH) {
    return allowedBy(
      '9112 3.2',
      offset,
      'A "#" in the request-target, which has no fragment',
    );
  }
  if (line.bytes[at] === PERCENT) {
    return allowedBy(
      '3986 2.1',
      offset,
      'A "%" in the target without two hexadecimal digits',
    );
  }
  switch (part) {
    case 'query': {
      const hint = encodingHint(line.bytes, at);
      return allowedBy('3986 3.4', offset, 'A byte that is not allowed in a query', {
        hint,
      });
    }
    case 'path': {
      const hint = encodingHint(line.bytes, at);
      return allowedBy('3986 3.3', offset, 'A byte that is not allowed in a path', {
        hint,
      });
    }
    case 'authority':
      return allowedBy('3986 2', offset, 'A byte that is not allowed in a URI');
  }
}

/** Shows how to write the character that starts at an index, if it is not in US-ASCII. We
 * take its bytes for UTF-8, or else for ISO-8859-1.
 * @returns a hint in US-ASCII, or '' */
function encodingHint(bytes: Buffer, at: number): string {
  const byte = bytes[at] ?? 0;
  if (byte < 0x7f) return '';
  const [utf8 = ''] = bytes.toString('utf8', at, at + LONGEST_CHARACTER);
  const character = utf8 === REPLACEMENT_CHARACTER ? String.fromCharCode(byte) : utf8;
  return `write this character percent-encoded, in UTF-8: ${encodeURIComponent(character)}`;
}
