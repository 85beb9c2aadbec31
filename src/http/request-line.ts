/**
 * The request line (9112 §3), read in the three steps in which it comes.
 *
 *   request-line = method SP request-target SP HTTP-version CRLF
 *
 * Each step reads what is there, stops where the octets end, and goes on from that octet when there are more. It looks for what the grammar
 * wants; what may stand there instead, the end of the octets or a mistake, is told apart in the function behind it.
 */
import { bareCr, bareLf, Failure } from './failure';
import type { Input } from './input';
import { DIGIT, HEXDIG, isCrlf, Octet, skipTarget, skipToken } from './octets';
import { readTarget, type Target } from './request-target';

/** Octets of a request line, its CRLF not counted: a little over the 8,000 that 9112 §3 asks for. */
const LIMIT = 8192;

/** A request line while it comes. Positions are offsets in the request. */
export class RequestLine {
  start = 0;
  methodEnd = 0;
  /** Where the path ends, of a target in origin-form: at its first "?", or with the target. NONE while that is not known. */
  pathEnd: number = Octet.NONE;
  targetEnd = 0;
  /** The first octet of the target that no URI can hold, or NONE: it is judged after the version. */
  wrong: number = Octet.NONE;
  /** HTTP/1.1 and later minor versions are one to us (9110 §6.2). */
  version: 'HTTP/1.0' | 'HTTP/1.1' = 'HTTP/1.1';
  /** The target in any other form than origin-form. */
  target: Target | undefined;

  begin(offset: number): void {
    this.start = this.methodEnd = offset;
    this.wrong = this.pathEnd = Octet.NONE;
    this.target = undefined;
  }

  /** @param text what came from the start of the line on */
  method(text: string): string {
    return text.slice(0, this.methodEnd - this.start);
  }

  path(text: string): string {
    return this.target?.path ?? text.slice(this.methodEnd + 1 - this.start, this.pathEnd - this.start);
  }
}

/** method = token */
export function readMethod(input: Input, line: RequestLine): 'target' | 'needMore' | Failure {
  input.at = skipToken(input.octets, input.at, input.end);
  const { offset } = input;
  if (input.peek() !== Octet.SP || offset === line.start || offset > line.start + LIMIT) return insteadOfMethod(input, line);
  line.methodEnd = offset;
  input.at += 1;
  return 'target';
}

function insteadOfMethod(input: Input, line: RequestLine): 'needMore' | Failure {
  const octet = input.peek();
  const { offset } = input;
  if (offset > line.start + LIMIT) return new Failure(400, '9112 3', `The method does not end within ${LIMIT} octets`, line.start + LIMIT);
  if (octet === Octet.NONE) return 'needMore';
  if (octet === Octet.LF) return bareLf(offset);
  if (offset > line.start) return new Failure(400, '9112 3', 'The method is not a token followed by one SP', offset);
  if (octet === Octet.CR) return new Failure(400, '9112 2.2', 'More than one empty line before the request line', offset);
  return new Failure(400, '9112 3', 'A request line starts with a method, and this octet is in no token', offset);
}

/** request-target, as far as its octets go: its form is judged when the line is whole. */
export function readTargetOctets(input: Input, line: RequestLine): 'version' | 'needMore' | Failure {
  for (;;) {
    input.at = skipTarget(input.octets, input.at, input.end);
    const { offset } = input;
    if (input.peek() === Octet.SP && offset > line.methodEnd + 1 && offset < line.start + LIMIT) {
      line.targetEnd = offset;
      if (line.pathEnd === Octet.NONE) line.pathEnd = offset;
      input.at += 1;
      return 'version';
    }
    const after = otherInTarget(input, line);
    if (after !== 'target') return after;
  }
}

/** Whatever stands in a target or ends it, other than the octets of its set and one SP. */
function otherInTarget(input: Input, line: RequestLine): 'target' | 'needMore' | Failure {
  const octet = input.peek();
  const { offset } = input;
  if (isTooLong(line, offset, octet)) return tooLong(line);
  switch (octet) {
    case Octet.NONE:
      return 'needMore';
    case Octet.SP: // and no target before it
      return new Failure(400, '9112 3', 'More than one SP after the method', offset);
    case Octet.LF:
      return bareLf(offset);
    case Octet.CR:
      return new Failure(400, '9112 3', 'No SP and HTTP-version after the request-target', offset);
    case Octet.HTAB:
    case Octet.VT:
    case Octet.FF:
      return new Failure(400, '9112 3', 'White space other than one SP in the request line', offset);
    case Octet.QUESTION:
      if (line.pathEnd === Octet.NONE) line.pathEnd = offset;
      input.at += 1;
      return 'target';
    case Octet.PERCENT: {
      const first = input.peek(1);
      const second = input.peek(2);
      if (HEXDIG[first] === 1 && HEXDIG[second] === 1) {
        input.at += 3;
        return 'target';
      }
      if (first === Octet.NONE || (HEXDIG[first] === 1 && second === Octet.NONE)) return offset + input.unread > line.start + LIMIT ? tooLong(line) : 'needMore';
    }
  }
  // The target goes on: what is wrong in it is told when the version is known.
  if (line.wrong === Octet.NONE) line.wrong = offset;
  input.at += 1;
  return 'target';
}

/** HTTP-version = "HTTP" "/" DIGIT "." DIGIT, with case (9112 §2.3): each "1" stands for any digit. */
const VERSION = Buffer.from('HTTP/1.1');
const LENGTH = 'HTTP/1.1'.length;
const MAJOR = 'HTTP/'.length;
const MINOR = 'HTTP/1.'.length;
const CONNECT = 'CONNECT';

/** HTTP-version CRLF, and the judgement of the whole line: its version, then its target. */
export function readVersion(input: Input, line: RequestLine): 'fieldLines' | 'needMore' | Failure {
  const { octets, at, end, offset } = input;
  const right = rightInVersion(octets, at, end);
  const cr = at + LENGTH;
  if (right < LENGTH || !isCrlf(octets, cr, end) || offset + LENGTH > line.start + LIMIT) return insteadOfVersion(input, line, right);
  if (octets[at + MAJOR] !== Octet.ONE) return new Failure(505, '9110 15.6.6', 'The major version is not 1', offset + MAJOR);
  line.version = octets[at + MINOR] === Octet.ZERO ? 'HTTP/1.0' : 'HTTP/1.1';
  input.at = cr + 2;
  if (line.wrong !== Octet.NONE) return new Failure(400, '3986 2', 'An octet that no URI holds, or a "%" without two hex digits, in the request-target', line.wrong);
  return isOriginForm(input, line) ? 'fieldLines' : readForm(input, line);
}

/** Its path is cut with everything else, when the head is whole. */
function isOriginForm(input: Input, { start, methodEnd }: RequestLine): boolean {
  const isConnect = methodEnd - start === CONNECT.length && input.text(start, methodEnd) === CONNECT;
  return !isConnect && input.octets[input.index(methodEnd + 1)] === Octet.SLASH;
}

/** @returns how many octets are as HTTP-version wants them */
function rightInVersion(octets: Buffer, from: number, to: number): number {
  let count = 0;
  while (count < LENGTH && from + count < to && (octets[from + count] === VERSION[count] || (VERSION[count] === Octet.ONE && DIGIT[octets[from + count] ?? 0] === 1))) count += 1;
  return count;
}

function insteadOfVersion(input: Input, line: RequestLine, right: number): 'needMore' | Failure {
  const octet = input.peek(right);
  const offset = input.offset + right;
  if (isTooLong(line, offset, octet)) return tooLong(line);
  if (octet === Octet.NONE) return 'needMore';
  if (octet === Octet.LF) return bareLf(offset);
  if (right < LENGTH) return new Failure(400, '9112 2.3', 'The HTTP-version is not "HTTP/" DIGIT "." DIGIT after one SP', offset);
  if (octet !== Octet.CR) return new Failure(400, '9112 3', 'The request line does not end after the HTTP-version', offset);
  return input.peek(LENGTH + 1) === Octet.NONE ? 'needMore' : bareCr(offset);
}

function readForm(input: Input, line: RequestLine): 'fieldLines' | Failure {
  const { start, methodEnd, targetEnd } = line;
  const target = readTarget(input.text(start, methodEnd), input.text(methodEnd + 1, targetEnd), methodEnd + 1);
  if (target instanceof Failure) return target;
  line.target = target;
  return 'fieldLines';
}

/** Whether an octet stands beyond the limit. CR and LF may stand right behind it, for they are not counted. */
function isTooLong(line: RequestLine, offset: number, octet: number): boolean {
  const beyond = offset - line.start - LIMIT;
  return beyond > 0 || (beyond === 0 && octet !== Octet.NONE && octet !== Octet.CR && octet !== Octet.LF);
}

function tooLong(line: RequestLine): Failure {
  return new Failure(414, '9112 3', `The request line is longer than ${LIMIT} octets`, line.start + LIMIT);
}
