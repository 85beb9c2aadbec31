/** The fields that control how a request is read and what becomes of its connection, the
 * lists in their values, and Expect. */
import { equalsIgnoreCase, trimOws } from './grammar';
import type { FieldLine } from './message';
import { allowedBy } from './protocol-error';

/** The lines of each control field, in the order received. */
export interface ControlFields {
  readonly host: readonly FieldLine[];
  readonly expect: readonly FieldLine[];
  readonly connection: readonly FieldLine[];
  readonly contentLength: readonly FieldLine[];
  readonly transferEncoding: readonly FieldLine[];
}

const NONE: readonly FieldLine[] = [];

/** Names compare without case (9110 §5.1). */
export function findControlFields(lines: readonly FieldLine[]): ControlFields {
  let host = NONE;
  let expect = NONE;
  let connection = NONE;
  let contentLength = NONE;
  let transferEncoding = NONE;
  for (const line of lines) {
    const { name } = line;
    if (equalsIgnoreCase(name, 'Host')) host = append(host, line);
    else if (equalsIgnoreCase(name, 'Expect')) expect = append(expect, line);
    else if (equalsIgnoreCase(name, 'Connection')) connection = append(connection, line);
    else if (equalsIgnoreCase(name, 'Content-Length'))
      contentLength = append(contentLength, line);
    else if (equalsIgnoreCase(name, 'Transfer-Encoding'))
      transferEncoding = append(transferEncoding, line);
  }
  return { host, expect, connection, contentLength, transferEncoding };
}

function append(lines: readonly FieldLine[], line: FieldLine): readonly FieldLine[] {
  return lines === NONE ? [line] : [...lines, line];
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
export function listElements(lines: readonly FieldLine[]): ListElement[] {
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
function offsetIn(lines: readonly FieldLine[], at: number): number {
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
export function expectsContinue(expect: readonly FieldLine[]): boolean {
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
