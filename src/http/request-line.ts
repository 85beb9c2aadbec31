/** The request line (9112 §3).
 *
 *   request-line = method SP request-target SP HTTP-version
 *   method       = token
 *   HTTP-version = "HTTP" "/" DIGIT "." DIGIT                                  (9112 §2.3)
 *
 * 9112 §3 lets a recipient split the line at any white space instead. Two recipients that
 * split it differently see two targets, so we ask for exactly one SP. */
import { Byte, isDigit, skipNonSpace, skipTargetChars } from './grammar';
import { lineEndErrorOr, type Line } from './line';
import { allowedBy, ourChoice, type ProtocolError } from './protocol-error';
import { parseTarget, type RequestTarget } from './request-target';
import {
  checkCharacters,
  encodingHint,
  targetByteError,
  targetStart,
} from './target-characters';

const { SLASH, SP, TLS_HANDSHAKE } = Byte;

/** The most bytes of a request line, a little over the 8,000 that 9112 §3 recommends. */
export const REQUEST_LINE_LIMIT = 8192;

const TLS_HINT = 'this looks like TLS: https:// on a port that speaks plain HTTP';
const HTTP2_HINT = 'the client began with HTTP/2; this port speaks HTTP/1.1';
const PROXY_HINT =
  'a proxy announces its client: this port does not speak the PROXY protocol';
const MARK_HINT = 'this is a byte order mark: save the file as UTF-8 without it';

/** Those of UTF-8 and UTF-16. */
const BYTE_ORDER_MARKS = ['\xef\xbb\xbf', '\xff\xfe', '\xfe\xff'];

/** What a request line says. */
export interface RequestLine {
  readonly method: string;
  readonly target: RequestTarget;
  /** 1 for HTTP/1.1 */
  readonly minorVersion: number;
}

/** @returns the token that the line starts with
 * @throws ProtocolError if the line does not start with a token and SP */
export function parseMethod(line: Line): string {
  const { bytes, start, tokenEnd } = line;
  if (tokenEnd > start && bytes[tokenEnd] === SP) return line.text(start, tokenEnd);
  throw lineEndErrorOr(line, methodError(line));
}

function methodError(line: Line): ProtocolError {
  const { bytes, start, end, tokenEnd } = line;
  const offset = line.offsetOf(tokenEnd);
  if (tokenEnd === end && line.ending === 'too long') return longMethodError(offset);
  if (tokenEnd > start) {
    return allowedBy('9112 3', offset, 'The method is not a token followed by one space');
  }
  const reason =
    'The request line does not start with a method: this byte is not allowed in a token';
  return allowedBy('9112 3', offset, reason, { hint: firstByteHint(bytes, start) });
}

function firstByteHint(bytes: Buffer, start: number): string {
  if (bytes[start] === TLS_HANDSHAKE) return TLS_HINT;
  const text = bytes.toString('latin1', start, start + 3);
  return BYTE_ORDER_MARKS.some((mark) => text.startsWith(mark)) ? MARK_HINT : '';
}

/** Reads what follows `method SP`. The shape of the line is judged first, then the version,
 * then the target: "PRI * HTTP/2.0" gets 505, and no error about its target.
 * @param line the line whose method parseMethod() has read
 * @throws ProtocolError */
export function parseRequestLine(line: Line, method: string): RequestLine {
  const { bytes, end } = line;
  const start = targetStart(line);
  // The target ends at the next white space. Its usual characters nearly always lead there.
  const usualEnd = skipTargetChars(bytes, start, end);
  const targetEnd = bytes[usualEnd] === SP ? usualEnd : skipNonSpace(bytes, usualEnd, end);
  if (line.ending === 'too long') throw lengthError(line, usualEnd, targetEnd);
  const minorVersion = parseMinorVersion(line, targetEnd, method);
  const leniency =
    usualEnd < targetEnd ? checkCharacters(line, usualEnd, targetEnd) : undefined;
  const target = parseTarget(method, line.text(start, targetEnd), line.offsetOf(start));
  return { method, target: leniency ? { ...target, leniency } : target, minorVersion };
}

/** Judges a line by what reaches the limit, because the rest of it may not have arrived.
 * @returns what is wrong at the limit, or before it */
function lengthError(line: Line, usualEnd: number, targetEnd: number): ProtocolError {
  const { start, end, tokenEnd } = line;
  const targetFrom = targetStart(line);
  const rest = line.text(targetEnd, end);
  // GET / x
  const mayBecomeVersion = ` ${rest.slice(1, 1 + versionPrefix(rest.slice(1)))}` === rest;
  if (rest !== '' && (targetEnd === targetFrom || !mayBecomeVersion)) {
    return shapeError(line, targetEnd);
  }
  // "%4" at the limit may go on as "%41".
  const [half = ''] = /%[\da-f]?$/i.exec(line.text(targetFrom, end)) ?? [];
  checkCharacters(line, usualEnd, targetEnd - half.length);
  const offset = line.offsetOf(end);
  const isMostlyMethod = tokenEnd - start > targetEnd - targetFrom;
  if (isMostlyMethod) return longMethodError(offset);
  const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes`;
  return ourChoice('9112 3', offset, reason, { status: 414 });
}

/** A server SHOULD respond with 501 if a method is longer than any that it implements. */
function longMethodError(offset: number): ProtocolError {
  const reason = `The request line exceeds ${REQUEST_LINE_LIMIT} bytes, most of them the method`;
  return allowedBy('9112 3', offset, reason, { status: 501 });
}

/** @throws ProtocolError if what follows the target is not SP and a version, or if the
 * major version is not 1 */
function parseMinorVersion(line: Line, targetEnd: number, method: string): number {
  const { bytes } = line;
  const hasTarget = targetEnd > targetStart(line);
  const text = line.text(targetEnd, line.end);
  if (hasTarget && text === ' HTTP/1.1') return 1; // nearly always
  if (!hasTarget || !isVersion(text)) {
    const error = shapeError(line, targetEnd);
    const isProxy = method === 'PROXY' && bytes[targetStart(line)] !== SLASH;
    throw lineEndErrorOr(line, isProxy ? error.withHint(PROXY_HINT) : error);
  }
  const major = text.charAt(' HTTP/'.length);
  if (major === '1') return Number(text.charAt(' HTTP/1.'.length));
  // A server can send 505 "if it wishes" (9110 §6.2).
  const offset = line.offsetOf(targetEnd + ' HTTP/'.length);
  const hint = method === 'PRI' ? HTTP2_HINT : '';
  throw allowedBy('9110 6.2', offset, 'The major version is not 1', { status: 505, hint });
}

/** Says why what follows `method SP` is not `request-target SP HTTP-version`. It looks at
 * any white space, because a lenient recipient would split the line there (9112 §3).
 * @param targetEnd the index of the first white space, or the end of the line */
function shapeError(line: Line, targetEnd: number): ProtocolError {
  const { end, ending } = line;
  const offset = line.offsetOf(targetEnd);
  const isTargetEmpty = targetEnd === targetStart(line);
  if (targetEnd === end) return noVersionError(line); // GET /a

  // Without the byte that ended the line, if that is a wrong one.
  const isWhole = ending === 'CRLF' || ending === 'too long';
  const rest = line.text(targetEnd, isWhole ? end : end - 1);
  // GET  /a HTTP/1.1
  if (isTargetEmpty && rest.startsWith(' ')) {
    return allowedBy('9112 3', offset, 'More than one space after the method');
  }
  // GET /a  HTTP/1.1
  if (/^ {2,}HTTP\/\d\.\d$/.test(rest)) {
    const reason = 'More than one space after the request-target';
    return allowedBy('9112 3', offset + 1, reason);
  }
  // GET /a b HTTP/1.1
  if (!isTargetEmpty && /. HTTP\/\d\.\d$/.test(rest)) {
    const hint = encodingHint(line, targetEnd, targetEnd);
    return allowedBy('9112 3.2', offset, 'White space in the request-target', { hint });
  }
  // GET /a and HTAB, VT or FF
  if (!rest.startsWith(' ')) {
    const reason = 'White space other than a space in the request line';
    return allowedBy('9112 3', offset, reason);
  }
  // GET /a HTTP/1.1 and more, or GET /a http/1.1
  return versionError(rest.slice(' '.length), offset + ' '.length);
}

/** The line ends with the target: in CRLF, or in a byte that no line may hold. */
function noVersionError(line: Line): ProtocolError {
  const { end } = line;
  if (line.ending !== 'CRLF') return targetByteError(line, end - 1, end);
  // HTTP/0.9 looks like this: GET and a path.
  const reason = 'The request line ends before an HTTP version';
  const target = line.text(targetStart(line), end);
  const hint = isVersion(` ${target}`) ? `"${target}" was read as the request-target` : '';
  return allowedBy('9112 3', line.offsetOf(end), reason, { hint });
}

/** @param text what follows `method SP request-target SP`, and is not an HTTP-version alone
 * @param offset of its first byte */
function versionError(text: string, offset: number): ProtocolError {
  const length = versionPrefix(text);
  if (length === 'HTTP/1.1'.length) {
    const reason = 'The request line does not end after the HTTP version';
    return allowedBy('9112 3', offset + length, reason);
  }
  const isLowerCase = isVersion(` ${text.toUpperCase()}`);
  const hint = isLowerCase ? 'HTTP is written in capitals: HTTP/1.1' : '';
  const reason = 'The HTTP version is not "HTTP/", a digit, a dot and a digit';
  return allowedBy('9112 2.3', offset + length, reason, { hint });
}

/** Whether a text is SP and an HTTP-version. */
function isVersion(text: string): boolean {
  return /^ HTTP\/\d\.\d$/.test(text);
}

/** The HTTP-version, in which each 0 stands for any DIGIT. */
const VERSION_SHAPE = 'HTTP/0.0';

/** @returns how many characters at the start of a text fit the shape of an HTTP-version */
function versionPrefix(text: string): number {
  let at = 0;
  for (const wanted of VERSION_SHAPE) {
    const isRight = wanted === '0' ? isDigit(text.charCodeAt(at)) : text[at] === wanted;
    if (!isRight) break;
    at += 1;
  }
  return at;
}
