/** How long the content is, and how its end is found (9112 §6.3). Request smuggling needs
 * two recipients that disagree about this, so what the RFC would let us repair, we reject. */
import { listElements, type ControlFields, type ListElement } from './control-fields';
import { Byte, equalsIgnoreCase, skipOws, skipToken } from './grammar';
import type { FieldLine } from './message';
import {
  allowedBy,
  ourChoice,
  requiredBy,
  WITHIN_LIMIT,
  type ProtocolError,
} from './protocol-error';

const { SEMICOLON } = Byte;

/** `rule` is the item of 9112 §6.3 that decided, and `reason` how the trace words it.
 * (Items 1, 2 and 8 are about responses. Item 5 is a rejection, and so is the rest of item
 * 4. Item 3 lets Transfer-Encoding win over Content-Length; we reject a request with both,
 * as 9112 §6.1 allows.) */
export type Framing = { readonly rule: 4 | 6 | 7; readonly reason: string } & (
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
);
/** The framing of a request that has content. */
export type ContentFraming = Exclude<Framing, { kind: 'none' }>;

const NO_CONTENT: Framing = {
  kind: 'none',
  rule: 7,
  reason: 'no content: neither Content-Length nor Transfer-Encoding',
};
const CHUNKED: Framing = {
  kind: 'chunked',
  rule: 4,
  reason: 'content in chunks: "chunked" is the final transfer coding',
};
const CHUNKED_LAST = { expected: '"chunked", as the last coding' };
const CHUNKED_ALONE = { expected: '"chunked", once, and no other coding' };
const A_NUMBER = { expected: 'one decimal number, once: how many bytes the content has' };
const ONE_LENGTH = { expected: 'one decimal number, once, and without a zero before it' };

/** The most digits of a Content-Length: every 15-digit integer is exact. */
const DIGITS_LIMIT = 15;

/** @throws ProtocolError if the length is not known for sure */
export function determineFraming(minorVersion: number, fields: ControlFields): Framing {
  const { contentLength, transferEncoding } = fields;
  const coding = transferEncoding[0];
  const length = contentLength[0];
  if (coding === undefined) {
    return length === undefined ? NO_CONTENT : parseContentLength(length, contentLength);
  }
  if (minorVersion === 0) {
    // 9112 §6.1: we MUST treat the framing as faulty, and close the connection after we have
    // processed the message. We do not process it: a proxy in front of us that speaks only
    // HTTP/1.0 knows no chunks, and sees a different end.
    const reason = 'Transfer-Encoding in an HTTP/1.0 request';
    const expected = 'Content-Length: HTTP/1.0 has no chunks';
    throw allowedBy('9112 6.1', coding.offset, reason, { expected, fault: 'wrong' });
  }
  // 9112 §6.1 would let us ignore Content-Length. A proxy in front of us may not have done
  // so.
  if (length !== undefined) {
    const second = Math.max(coding.offset, length.offset);
    const reason = 'Transfer-Encoding together with Content-Length';
    const expected = 'one of the two fields, not both';
    throw allowedBy('9112 6.1', second, reason, { expected, fault: 'beside' });
  }
  return parseTransferEncoding(coding, transferEncoding);
}

/** Transfer-Encoding = #transfer-coding                                         (9112 §6.1)
 *  transfer-coding   = token *( OWS ";" OWS transfer-parameter )             (9110 §10.1.4)
 * Of all that this grammar allows, we accept one coding: "chunked", once. Empty
 * elements beside it must be accepted (9110 §5.6.1.2). */
function parseTransferEncoding(field: FieldLine, lines: readonly FieldLine[]): Framing {
  const codings = listElements(lines);
  const last = codings.at(-1);
  if (last === undefined) {
    const reason = 'Transfer-Encoding without a transfer coding';
    throw requiredBy('9112 6.3', field.offset, reason, CHUNKED_LAST);
  }
  if (codings.length === 1 && isChunked(last)) return CHUNKED;
  throw listError(codings, last);
}

/** Says why a list of codings is not "chunked" alone. If several rules are broken, the one
 * with a MUST is told. */
function listError(codings: readonly ListElement[], last: ListElement): ProtocolError {
  // gzip
  if (!isChunked(last) && findCodingError(last) === undefined) {
    const reason = 'The final transfer coding of a request is not chunked';
    return requiredBy('9112 6.3', last.offset, reason, CHUNKED_LAST);
  }
  // "chunked" in quotation marks, or chunked;a=b
  for (const coding of codings) {
    const error = findCodingError(coding);
    if (error !== undefined) return error;
  }
  // chunked, chunked
  const again = codings.filter(isChunked)[1];
  if (again !== undefined) {
    const reason = 'The chunked coding is applied more than once';
    return allowedBy('9112 6.1', again.offset, reason, CHUNKED_ALONE);
  }
  // gzip, chunked
  const { offset } = codings[0] ?? last;
  const reason = 'A transfer coding other than chunked';
  return allowedBy('9112 6.1', offset, reason, { ...CHUNKED_ALONE, status: 501 });
}

function isChunked({ text }: ListElement): boolean {
  return equalsIgnoreCase(text, 'chunked');
}

/** @returns what is wrong with a coding, if anything. We do not look into the parameters of
 * one that we do not know, because we reject it anyway. */
function findCodingError({ offset, text }: ListElement): ProtocolError | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const end = skipToken(bytes, 0, bytes.length);
  const next = skipOws(bytes, end, bytes.length);
  const isWhole = next === bytes.length;
  if (end === 0 || (!isWhole && bytes[next] !== SEMICOLON)) {
    const reason = 'A transfer coding is not a token with parameters';
    const expected = 'the name of a coding, without quotation marks or spaces: chunked';
    return allowedBy('9110 10.1.4', offset + end, reason, { expected });
  }
  if (!isWhole && equalsIgnoreCase(text.slice(0, end), 'chunked')) {
    const reason = 'The chunked coding has a parameter, but defines none';
    const expected = '"chunked", without a parameter';
    return allowedBy('9112 7.1', offset + end, reason, { expected });
  }
  return undefined;
}

/** Content-Length = 1*DIGIT (9110 §8.6). */
function parseContentLength(
  { value, offset }: FieldLine,
  lines: readonly FieldLine[],
): Framing {
  for (const line of lines) {
    const wrong = findInvalidDigit(line.value);
    if (wrong >= 0) throw lengthError(lines, line.offset + wrong);
  }
  const second = lines[1];
  if (second !== undefined) throw lengthError(lines, second.offset);
  if (value.length > 1 && value.startsWith('0')) {
    throw ourChoice('9110 8.6', offset, 'Content-Length has a leading zero', ONE_LENGTH);
  }
  if (value.length > DIGITS_LIMIT) {
    const reason = `Content-Length has more than ${DIGITS_LIMIT} digits`;
    throw ourChoice('9110 8.6', offset + DIGITS_LIMIT, reason, WITHIN_LIMIT);
  }
  return {
    kind: 'length',
    rule: 6,
    reason: 'content: Content-Length',
    length: Number(value),
  };
}

/** @returns the index of the first character that breaks the grammar of 1*DIGIT, or -1 if
 * none does */
function findInvalidDigit(text: string): number {
  return text === '' ? 0 : text.search(/\D/);
}

/** Says why one or more Content-Length lines are not one number.
 * @param offset of the first byte that makes them something else */
function lengthError(lines: readonly FieldLine[], offset: number): ProtocolError {
  const values = listElements(lines).map(({ text }) => text);
  if (values.length === 0 || !values.every((text) => /^\d+$/.test(text))) {
    const reason = 'Content-Length is not a single decimal number';
    return requiredBy('9112 6.3', offset, reason, A_NUMBER);
  }
  const numbers = values.map((text) => text.replace(/^0+(?=\d)/, ''));
  if (numbers.some((number) => number !== numbers[0])) {
    const options = { ...A_NUMBER, fault: 'beside' } as const;
    return requiredBy('9112 6.3', offset, 'Content-Length has different values', options);
  }
  // 9110 §8.6 lets a recipient take a list of equal numbers for one, because a proxy may
  // have joined lines. A recipient that takes the first of any list, or the last, may find
  // another length.
  if (lines.some(({ value }) => value.includes(','))) {
    const reason = 'Content-Length is a list, though it names one length';
    return allowedBy('9110 8.6', offset, reason, ONE_LENGTH);
  }
  const reason = 'More than one Content-Length, though all their numbers are equal';
  return allowedBy('9110 8.6', offset, reason, { ...ONE_LENGTH, fault: 'beside' });
}
