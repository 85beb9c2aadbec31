/** The fields that control how a message is read, and the lists in them (9110 §5.6.1). */
import { Byte, equalsIgnoreCase, isOws } from './grammar';
import type { FieldLine } from './message';

const NONE: readonly FieldLine[] = [];

/** The lines of each control field, in the order received. */
export type ControlFields = ReturnType<typeof findControlFields>;

/** Names compare without case (9110 §5.1). The length of a name rules most lines out. */
export function findControlFields(lines: readonly FieldLine[]) {
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
    else if (equalsIgnoreCase(name, 'Content-Length')) contentLength = append(contentLength, line);
    else if (equalsIgnoreCase(name, 'Transfer-Encoding')) {
      transferEncoding = append(transferEncoding, line);
    }
  }
  return { host, expect, connection, contentLength, transferEncoding };
}

function append(lines: readonly FieldLine[], line: FieldLine): readonly FieldLine[] {
  return lines.length === 0 ? [line] : [...lines, line];
}

export interface ListElement {
  readonly text: string;
  /** Its offset in the request. */
  readonly offset: number;
}

/** The elements of a list field, its lines joined and empty elements dropped (9110 §5.6.1.2). */
export function listElements(lines: readonly FieldLine[]): ListElement[] {
  const elements: ListElement[] = [];
  for (const { value, offset } of lines) {
    for (let from = 0; from <= value.length; ) {
      const next = findComma(value, from);
      let to = next;
      while (from < to && isOws(value.charCodeAt(from))) from += 1;
      while (to > from && isOws(value.charCodeAt(to - 1))) to -= 1;
      if (from < to) elements.push({ text: value.slice(from, to), offset: offset + from });
      from = next + 1;
    }
  }
  return elements;
}

/** @returns the index of the next comma outside a quoted-string (9110 §5.6.4), or the length */
function findComma(value: string, from: number): number {
  let quoted = false;
  for (let at = from; at < value.length; at += 1) {
    const char = value.charCodeAt(at);
    if (char === Byte.DQUOTE) quoted = !quoted;
    else if (char === Byte.BACKSLASH && quoted) at += 1;
    else if (char === Byte.COMMA && !quoted) return at;
  }
  return value.length;
}
