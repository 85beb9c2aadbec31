/** The fields by which the protocol layer steers itself, and the lists that some of them hold (9110 §5.6.1). */
import type { FieldLine } from './message';
import { isNamed, isOws } from './octets';

const NONE: readonly FieldLine[] = [];

/** The lines of each steering field, in the order received. */
export type Steering = ReturnType<typeof readSteering>;

/** Finds the fields that steer. Names compare without case (9110 §5.1). Most are passed over by their length. */
export function readSteering(lines: readonly FieldLine[]) {
  let host = NONE;
  let expect = NONE;
  let connection = NONE;
  let contentLength = NONE;
  let transferEncoding = NONE;
  for (const line of lines) {
    const { name } = line;
    if (isNamed(name, 'Host')) host = and(host, line);
    else if (isNamed(name, 'Expect')) expect = and(expect, line);
    else if (isNamed(name, 'Connection')) connection = and(connection, line);
    else if (isNamed(name, 'Content-Length')) contentLength = and(contentLength, line);
    else if (isNamed(name, 'Transfer-Encoding')) transferEncoding = and(transferEncoding, line);
  }
  return { host, expect, connection, contentLength, transferEncoding };
}

function and(lines: readonly FieldLine[], line: FieldLine): readonly FieldLine[] {
  return lines.length === 0 ? [line] : [...lines, line];
}

export interface Element {
  readonly text: string;
  /** Where it stands in the request. */
  readonly offset: number;
}

/** The elements of a list field: its lines joined, split at commas, white space around them and empty ones dropped (9110 §5.6.1.2). */
export function listElements(lines: readonly FieldLine[]): Element[] {
  const elements: Element[] = [];
  someElement(lines, (text, offset) => {
    elements.push({ text, offset });
    return false;
  });
  return elements;
}

/** @returns whether a test holds for an element of a list field */
export function someElement(lines: readonly FieldLine[], test: (text: string, offset: number) => boolean): boolean {
  for (const { value, offset } of lines) {
    for (let from = 0; from <= value.length; ) {
      const comma = value.indexOf(',', from);
      const next = comma < 0 ? value.length : comma;
      let to = next;
      while (from < to && isOws(value.charCodeAt(from))) from += 1;
      while (to > from && isOws(value.charCodeAt(to - 1))) to -= 1;
      if (from < to && test(value.slice(from, to), offset + from)) return true;
      from = next + 1;
    }
  }
  return false;
}
