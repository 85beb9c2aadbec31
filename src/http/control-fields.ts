/** The fields that control how a request is read and what becomes of its connection, and
 * the lists in their values. */
import { equalsIgnoreCase, trimOws } from './grammar';
import type { FieldLine } from './message';

/** The lines of each control field, in the order received. */
export interface ControlFields {
  readonly host: readonly FieldLine[];
  readonly expect: readonly FieldLine[];
  readonly connection: readonly FieldLine[];
  readonly contentLength: readonly FieldLine[];
  readonly transferEncoding: readonly FieldLine[];
}

/** Names compare without case (9110 §5.1). */
export function findControlFields(lines: readonly FieldLine[]): ControlFields {
  const host: FieldLine[] = [];
  const expect: FieldLine[] = [];
  const connection: FieldLine[] = [];
  const contentLength: FieldLine[] = [];
  const transferEncoding: FieldLine[] = [];
  for (const line of lines) {
    const { name } = line;
    if (equalsIgnoreCase(name, 'Host')) host.push(line);
    else if (equalsIgnoreCase(name, 'Expect')) expect.push(line);
    else if (equalsIgnoreCase(name, 'Connection')) connection.push(line);
    else if (equalsIgnoreCase(name, 'Content-Length')) contentLength.push(line);
    else if (equalsIgnoreCase(name, 'Transfer-Encoding')) transferEncoding.push(line);
  }
  return { host, expect, connection, contentLength, transferEncoding };
}

/** One element of a list, without white space around it. */
export interface ListElement {
  readonly text: string;
  /** The offset of its first byte in the request. */
  readonly offset: number;
}

/** @returns the elements of a list field. Its lines are joined with commas first
 * (9110 §5.3), because a quoted string may go on in the next line. Empty elements are
 * dropped (9110 §5.6.1.2). */
export function listElements(lines: readonly FieldLine[]): ListElement[] {
  const first = lines[0];
  const isOneElement =
    lines.length === 1 &&
    first !== undefined &&
    first.value !== '' &&
    !first.value.includes(',');
  if (isOneElement) return [{ text: first.value, offset: first.offset }]; // the usual case
  const list = lines.map(({ value }) => value).join(',');
  const elements: ListElement[] = [];
  let at = 0;
  while (at < list.length) {
    const comma = findComma(list, at);
    const element = list.slice(at, comma);
    const text = trimOws(element);
    const start = at + element.indexOf(text);
    if (text !== '') elements.push({ text, offset: offsetIn(lines, start) });
    at = comma + 1;
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

/** A quoted-string may hold a comma, and a backslash in it escapes the next character
 * (9110 §5.6.4).
 * @returns the index of the comma that ends the element at `from`, or the length of the
 * value */
function findComma(value: string, from: number): number {
  let isQuoted = false;
  let at = from;
  while (at < value.length && (isQuoted || value[at] !== ',')) {
    if (value[at] === '"') isQuoted = !isQuoted;
    if (isQuoted && value[at] === '\\') at += 1;
    at += 1;
  }
  return Math.min(at, value.length);
}
