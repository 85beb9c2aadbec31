/** The fields that control how a request is read and what becomes of its connection, the
 * lists in their values, and Expect. */
import { equalsIgnoreCase, trimOws } from './grammar';
import type { FieldLine } from './message';
import { allowedBy } from './protocol-error';

/** Each of them has a name of another length, so a name is compared with one at most. */
// prettier-ignore
export const CONTROL_FIELDS = [
  ['Host', 'host'], ['Connection', 'connection'], ['Content-Length', 'contentLength'],
  ['Transfer-Encoding', 'transferEncoding'], ['Expect', 'expect'],
] as const;
type ControlField = (typeof CONTROL_FIELDS)[number];
const BY_LENGTH = new Map<number, ControlField>(
  CONTROL_FIELDS.map((field) => [field[0].length, field]),
);

type Lines = readonly FieldLine[];
/** The lines of each control field, in the order received. */
export type ControlFields = Readonly<Record<ControlField[1], Lines>>;

const NONE: Lines = [];

/** Names compare without case (9110 §5.1). */
export function findControlFields(lines: Lines): ControlFields {
  const fields: Record<ControlField[1], Lines> = {
    host: NONE,
    connection: NONE,
    contentLength: NONE,
    transferEncoding: NONE,
    expect: NONE,
  };
  for (const line of lines) {
    const field = BY_LENGTH.get(line.name.length);
    if (field === undefined || !equalsIgnoreCase(line.name, field[0])) continue;
    const before = fields[field[1]];
    fields[field[1]] = before === NONE ? [line] : [...before, line];
  }
  return fields;
}

/** One element of a list, without white space around it. */
export interface ListElement {
  readonly text: string;
  /** The offset of its first byte in the request. */
  readonly offset: number;
}

/** A quoted-string may hold a comma, and a backslash in it escapes the next character
 * (9110 §5.6.4). */
const ELEMENT = /(?:"(?:[^"\\]|\\.?)*(?:"|$)|[^",])+/g;

/** @returns the elements of a list field. Its lines are joined with commas first
 * (9110 §5.3), because a quoted string may go on in the next line. Empty elements are
 * dropped (9110 §5.6.1.2). */
export function listElements(lines: Lines): ListElement[] {
  const list = lines.map(({ value }) => value).join(',');
  const elements: ListElement[] = [];
  for (const { 0: element, index } of list.matchAll(ELEMENT)) {
    const text = trimOws(element);
    const start = index + element.indexOf(text);
    if (text !== '') elements.push({ text, offset: offsetIn(lines, start) });
  }
  return elements;
}

/** @param at the index of a character in the joined list
 * @returns the offset of its byte in the request */
function offsetIn(lines: Lines, at: number): number {
  let start = 0;
  for (const { value, offset } of lines) {
    if (at <= start + value.length) return offset + at - start;
    start += value.length + ','.length;
  }
  return NaN; // never: every index is in a line, or is the comma after it
}

/** Expect = #expectation, of which only one is defined: 100-continue (9110 §10.1.1).
 * @param expect the lines of the Expect field
 * @returns whether the client expects 100 (Continue)
 * @throws ProtocolError if the client expects anything else */
export function expectsContinue(expect: Lines): boolean {
  if (expect.length === 0) return false;
  const elements = listElements(expect);
  const unknown = elements.find(({ text }) => !equalsIgnoreCase(text, '100-continue'));
  if (unknown !== undefined) {
    const reason = 'An expectation other than 100-continue';
    const expected = '100-continue, or no Expect field at all';
    throw allowedBy('9110 10.1.1', unknown.offset, reason, { status: 417, expected });
  }
  return elements.length > 0;
}
