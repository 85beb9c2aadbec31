/** How long the content is, and how its end is found (9112 §6.3). Request smuggling needs two
 * recipients that disagree about this, so where the RFC leaves a choice, we reject. */
import { listElements, type ControlFields } from './field-line';
import { equalsIgnoreCase, TCHAR } from './grammar';
import type { FieldLine } from './message';
import { allowedBy, findFault, ourChoice, requiredBy, type Fault } from './protocol-error';
import type { Version } from './request-line';

/** `rule` is the item of 9112 §6.3 that decided, and `reason` what it says. (Items 1, 2 and 8 are
 * about responses; 3 and 5 are rejections.) */
export type Framing =
  | { readonly kind: 'none'; readonly rule: 7; readonly reason: string }
  | { readonly kind: 'length'; readonly rule: 6; readonly reason: string; readonly length: number }
  | { readonly kind: 'chunked'; readonly rule: 4; readonly reason: string };
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
const DIGITS_LIMIT = 15; // the most digits of a Content-Length: a number holds any 15 exactly

/** @throws ProtocolError where the length is not known for sure */
export function determineFraming(version: Version, fields: ControlFields): Framing {
  const coding = fields.transferEncoding[0];
  const length = fields.contentLength[0];
  if (coding === undefined) {
    return length === undefined ? NO_CONTENT : parseContentLength(length, fields.contentLength);
  }
  if (version === 'HTTP/1.0') {
    throw requiredBy('9112 6.1', coding.offset, 'Transfer-Encoding in an HTTP/1.0 request');
  }
  // 9112 §6.1 would let us ignore Content-Length. A proxy before us may not have done so.
  if (length !== undefined) {
    throw allowedBy(
      '9112 6.1',
      Math.max(coding.offset, length.offset),
      'Transfer-Encoding together with Content-Length',
    );
  }
  return parseTransferEncoding(coding, fields.transferEncoding);
}

/** Transfer-Encoding = #transfer-coding                                         (9112 §6.1)
 *  transfer-coding   = token *( OWS ";" OWS transfer-parameter )             (9110 §10.1.4) */
const CODING_FAULTS: readonly Fault[] = [
  [
    new RegExp(`^(?!${TCHAR}+[ \\t]*(?:;|$))${TCHAR}*`),
    allowedBy,
    '9110 10.1.4',
    'A transfer coding is not a token with parameters',
  ],
  // The parameters of another coding are not looked into: it is 501 anyway.
  [
    /^chunked(?=[ \t;])/i,
    allowedBy,
    '9112 7.1',
    'The chunked coding has a parameter, but defines none',
  ],
];

function parseTransferEncoding(field: FieldLine, lines: readonly FieldLine[]): Framing {
  const codings = listElements(lines);
  const chunked = codings.filter(({ text }) => equalsIgnoreCase(text, 'chunked'));
  const last = codings.at(-1);
  if (last === undefined) {
    throw requiredBy('9112 6.3', field.offset, 'Transfer-Encoding without a transfer coding');
  }
  if (codings.length === 1 && chunked.length === 1) return CHUNKED;
  const faults = codings.map(({ text, offset }) => findFault(CODING_FAULTS, text, offset));
  const isFinal = last === chunked.at(-1);
  if (!isFinal && faults.at(-1) === undefined) {
    throw requiredBy(
      '9112 6.3',
      last.offset,
      'The final transfer coding of a request is not chunked',
    );
  }
  for (const fault of faults) if (fault !== undefined) throw fault;
  if (chunked[1] !== undefined) {
    throw allowedBy('9112 6.1', chunked[1].offset, 'The chunked coding is applied more than once');
  }
  const { offset } = codings[0] ?? last;
  throw allowedBy('9112 6.1', offset, 'A transfer coding other than chunked', { status: 501 });
}

/** Content-Length = 1*DIGIT (9110 §8.6). */
function parseContentLength({ value, offset }: FieldLine, lines: readonly FieldLine[]): Framing {
  for (const line of lines) {
    const wrong = line.value.search(/\D|^$/);
    if (wrong >= 0) throw lengthError(lines, line.offset + wrong);
  }
  if (lines[1] !== undefined) throw lengthError(lines, lines[1].offset);
  if (/^0./.test(value)) throw ourChoice('9110 8.6', offset, 'Content-Length has a leading zero');
  if (value.length > DIGITS_LIMIT) {
    throw ourChoice(
      '9110 8.6',
      offset + DIGITS_LIMIT,
      `Content-Length has more than ${DIGITS_LIMIT} digits`,
    );
  }
  return { kind: 'length', rule: 6, reason: 'content: Content-Length', length: Number(value) };
}

/** 9110 §8.6 lets a recipient take a list of equal numbers for one: a proxy may have joined lines.
 * A recipient that takes the first of any list, or the last, may find a different length. */
const LIST_FAULTS: readonly Fault[] = [
  [
    /^(?=(\d+)(?:,\1)*$)/,
    allowedBy,
    '9110 8.6',
    'Content-Length is a list, though all its numbers are equal',
  ],
  [/^(?=\d+(?:,\d+)*$)/, requiredBy, '9112 6.3', 'Content-Length has different values'],
  [/^/, requiredBy, '9112 6.3', 'Content-Length is not a single decimal number'],
];

const lengthError = (lines: readonly FieldLine[], offset: number) =>
  findFault(
    LIST_FAULTS,
    listElements(lines)
      .map(({ text }) => text)
      .join(),
    offset,
  );
