/**
 * How long the content is and how its end is found (9112 §6.3). Two recipients that disagree here are what request smuggling lives on, so
 * whatever could be read in two ways is refused, where the RFC lets us choose.
 */
import { Failure } from './failure';
import { listElements, type Steering } from './field-list';
import { DIGIT, isNamed, skipText, TCHAR } from './octets';

/** `rule` is the item of 9112 §6.3 that decided, and `why` says it. (1, 2 and 8 speak of responses, 3 and 5 are refusals.) */
export type Framing =
  | { readonly kind: 'none'; readonly rule: 7; readonly why: string }
  | { readonly kind: 'length'; readonly rule: 6; readonly why: string; readonly length: number }
  | { readonly kind: 'chunked'; readonly rule: 4; readonly why: string };

const NO_CONTENT: Framing = { kind: 'none', rule: 7, why: 'no content: neither Content-Length nor Transfer-Encoding' };
const CHUNKED_CONTENT: Framing = { kind: 'chunked', rule: 4, why: 'chunked, the final coding' };

export function readFraming(version: string, { transferEncoding, contentLength }: Steering): Framing | Failure {
  const coding = transferEncoding[0];
  const length = contentLength[0];
  const second = contentLength[1];
  if (coding !== undefined) {
    if (length !== undefined) return new Failure(400, '9112 6.1', 'Transfer-Encoding together with Content-Length', Math.max(coding.offset, length.offset));
    if (version === 'HTTP/1.0') return new Failure(400, '9112 6.1', 'Transfer-Encoding in an HTTP/1.0 request', coding.offset);
    return readTransferEncoding(coding.offset, transferEncoding);
  }
  if (length === undefined) return NO_CONTENT;
  if (second !== undefined) return new Failure(400, '9110 8.6', 'More than one Content-Length', second.offset);
  return readContentLength(length.value, length.offset);
}

/** Transfer-Encoding = #transfer-coding; without parameters, for none is defined for chunked (9112 §7.1). */
function readTransferEncoding(offset: number, lines: Steering['transferEncoding']): Framing | Failure {
  const codings = listElements(lines);
  for (const { text, offset } of codings) {
    const end = skipText(TCHAR, text, 0);
    if (end < text.length) return new Failure(400, '9112 7', 'A transfer coding that is not a token alone', offset + end);
  }
  const chunked = codings.filter(({ text }) => isNamed(text, 'chunked'));
  const last = codings.at(-1);
  if (last === undefined) return new Failure(400, '9112 6.1', 'Transfer-Encoding without a transfer coding', offset);
  if (chunked[1] !== undefined) return new Failure(400, '9112 7.1', 'The chunked coding is applied twice', chunked[1].offset);
  if (chunked[0] !== last) return new Failure(400, '9112 6.3', 'The last transfer coding of a request is not chunked', last.offset);
  if (codings[0] !== last) return new Failure(501, '9112 6.1', 'A transfer coding other than chunked', codings[0]?.offset ?? offset);
  return CHUNKED_CONTENT;
}

/** Content-Length = 1*DIGIT; here without leading zeros, and with at most 15 digits, which a number holds exactly. */
function readContentLength(value: string, offset: number): Framing | Failure {
  const end = skipText(DIGIT, value, 0);
  if (end < value.length || end === 0) return new Failure(400, '9110 8.6', 'Content-Length is not one number of decimal digits', offset + end);
  if (end > 1 && value.startsWith('0')) return new Failure(400, '9110 8.6', 'Content-Length starts with a zero', offset);
  if (end > 15) return new Failure(400, '9110 8.6', 'Content-Length has more than 15 digits', offset + 15);
  const length = Number(value);
  return { kind: 'length', rule: 6, why: `${length} bytes of content: Content-Length`, length };
}
