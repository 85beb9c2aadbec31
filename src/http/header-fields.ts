/** The fields that control how a message is read, and the lists in them (9110 §5.6.1). */
import { equalsIgnoreCase } from './grammar';
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

/** What is between commas, without white space around it. A quoted-string may hold a comma. */
const ELEMENT =
  /(?:[^\t ",]|"(?:[^"\\]|\\.)*"?)+(?:[\t ]+(?:[^\t ",]|"(?:[^"\\]|\\.)*"?)+)*/g;

/** The elements of a list field, its lines joined and empty elements dropped (9110 §5.6.1.2). */
export function listElements(lines: readonly FieldLine[]) {
  const elements: { text: string; offset: number }[] = [];
  for (const { value, offset } of lines) {
    if (value !== '' && !value.includes(',')) {
      elements.push({ text: value, offset }); // nearly always, it is a list of one
      continue;
    }
    for (const { 0: text, index } of value.matchAll(ELEMENT)) {
      elements.push({ text, offset: offset + index });
    }
  }
  return elements;
}
