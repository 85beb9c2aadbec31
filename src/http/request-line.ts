/**
 * The request line (9112 §3), read in the three steps in which it comes.
 *
 *   request-line = method SP request-target SP HTTP-version CRLF
 *
 * Each step reads what is there, stops where the octets end, and goes on from that octet when there are more.
 */
import { bareCr, bareLf, Failure } from './failure';
import { NONE, type Input } from './input';
import { CR, DIGIT, FF, HEXDIG, HTAB, LF, ONE, PERCENT, SLASH, SP, TARGET, TCHAR, VT, ZERO } from './octets';
import { originPath, readTarget, type Target } from './request-target';

/** Octets of a request line, its CRLF not counted: a little over the 8,000 that 9112 §3 asks for. */
const LIMIT = 8192;

/** A request line while it comes. Positions are offsets in the request. */
export class RequestLine {
  start = 0;
  methodEnd = 0;
  targetEnd = 0;
  /** The first octet of the target that no URI can hold, or NONE: it is judged after the version. */
  wrong = NONE;
  /** HTTP/1.1 and later minor versions are one to us (9110 §6.2). */
  version: 'HTTP/1.0' | 'HTTP/1.1' = 'HTTP/1.1';
  /** The target in any other form than origin-form. */
  target: Target | undefined;

  begin(offset: number): void {
    this.start = this.methodEnd = offset;
    this.wrong = NONE;
    this.target = undefined;
  }

  /** @param text what came from the start of the line on */
  method(text: string): string {
    return text.slice(0, this.methodEnd - this.start);
  }

  path(text: string): string {
    return this.target?.path ?? originPath(text.slice(this.methodEnd + 1 - this.start, this.targetEnd - this.start));
  }
}

/** method = token */
export function readMethod(input: Input, line: RequestLine): 'target' | 'needMore' | Failure {
  const octet = input.skip(TCHAR);
  const offset = input.offset;
  if (offset > line.start + LIMIT) return new Failure(400, '9112 3', `The method does not end within ${LIMIT} octets`, line.start + LIMIT);
  if (octet === NONE) return 'needMore';
  if (octet === LF) return bareLf(offset);
  if (offset === line.start) {
    if (octet === CR) return new Failure(400, '9112 2.2', 'More than one empty line before the request line', offset);
    return new Failure(400, '9112 3', 'A request line starts with a method, and this octet is in no token', offset);
  }
  if (octet !== SP) return new Failure(400, '9112 3', 'The method is not a token followed by one SP', offset);
  line.methodEnd = offset;
  input.at += 1;
  return 'target';
}

/** request-target, as far as its octets go: its form is judged when the line is whole. */
export function readTargetOctets(input: Input, line: RequestLine): 'version' | 'needMore' | Failure {
  for (;;) {
    const octet = input.skip(TARGET);
    const offset = input.offset;
    if (offset > line.start + LIMIT || (offset === line.start + LIMIT && octet === SP)) return tooLong(line);
    switch (octet) {
      case NONE:
        return 'needMore';
      case SP:
        if (offset === line.methodEnd + 1) return new Failure(400, '9112 3', 'More than one SP after the method', offset);
        line.targetEnd = offset;
        input.at += 1;
        return 'version';
      case LF:
        return bareLf(offset);
      case CR:
        return new Failure(400, '9112 3', 'No SP and HTTP-version after the request-target', offset);
      case HTAB:
      case VT:
      case FF:
        return new Failure(400, '9112 3', 'White space other than one SP in the request line', offset);
      case PERCENT: {
        const first = input.peek(1);
        const second = input.peek(2);
        if (HEXDIG[first] === 1 && HEXDIG[second] === 1) {
          input.at += 3;
          continue;
        }
        if (first === NONE || (HEXDIG[first] === 1 && second === NONE)) return 'needMore';
      }
    }
    if (line.wrong === NONE) line.wrong = offset;
    input.at += 1;
  }
}

/** HTTP-version = "HTTP" "/" DIGIT "." DIGIT, with case (9112 §2.3): each "1" stands for any digit. */
const VERSION = 'HTTP/1.1';
const MAJOR = 'HTTP/'.length;
const MINOR = 'HTTP/1.'.length;
const CONNECT = 'CONNECT';

/** HTTP-version CRLF, and the judgement of the whole line: its version, then its target. */
export function readVersion(input: Input, line: RequestLine): 'fieldLines' | 'needMore' | Failure {
  const { offset } = input;
  const { length } = VERSION;
  for (let index = 0; index < length; index += 1) {
    const octet = input.peek(index);
    const expected = VERSION.charCodeAt(index);
    if (octet === expected || (expected === ONE && DIGIT[octet] === 1)) continue;
    if (octet === NONE) return 'needMore';
    if (octet === LF) return bareLf(offset + index);
    return new Failure(400, '9112 2.3', 'The HTTP-version is not "HTTP/" DIGIT "." DIGIT after one SP', offset + index);
  }
  const end = offset + length;
  if (end > line.start + LIMIT) return tooLong(line);
  const cr = input.peek(length);
  const lf = input.peek(length + 1);
  if (cr === LF) return bareLf(end);
  if (cr !== CR && cr !== NONE) return new Failure(400, '9112 3', 'The request line does not end after the HTTP-version', end);
  if (lf === NONE) return 'needMore';
  if (lf !== LF) return bareCr(end);

  if (input.peek(MAJOR) !== ONE) return new Failure(505, '9110 15.6.6', 'The major version is not 1', offset + MAJOR);
  line.version = input.peek(MINOR) === ZERO ? 'HTTP/1.0' : 'HTTP/1.1';
  input.at += length + 2;
  if (line.wrong !== NONE) return new Failure(400, '3986 2', 'An octet that no URI holds, or a "%" without two hex digits, in the request-target', line.wrong);
  return readForm(input, line);
}

/** Nearly every target is in origin-form, and its path is cut later, with everything else, from one text of the whole head. */
function readForm(input: Input, line: RequestLine): 'fieldLines' | Failure {
  const { start, methodEnd, targetEnd } = line;
  const isConnect = methodEnd - start === CONNECT.length && input.text(start, methodEnd) === CONNECT;
  if (!isConnect && input.octets[input.index(methodEnd + 1)] === SLASH) return 'fieldLines';
  const target = readTarget(input.text(start, methodEnd), input.text(methodEnd + 1, targetEnd), methodEnd + 1);
  if (target instanceof Failure) return target;
  line.target = target;
  return 'fieldLines';
}

function tooLong(line: RequestLine): Failure {
  return new Failure(414, '9112 3', `The request line is longer than ${LIMIT} octets`, line.start + LIMIT);
}
