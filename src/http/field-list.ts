/** The fields by which the protocol layer steers itself, and the lists that some of them hold (9110 §5.6.1). */
import type { FieldLine } from './message';
import { isNamed, OWS, skipText } from './octets';

const NONE: readonly FieldLine[] = [];

/** The lines of each steering field, in the order received. */
export class Steering {
  host: readonly FieldLine[] = NONE;
  expect: readonly FieldLine[] = NONE;
  connection: readonly FieldLine[] = NONE;
  contentLength: readonly FieldLine[] = NONE;
  transferEncoding: readonly FieldLine[] = NONE;

  /** Names compare without case (9110 §5.1). Most are passed over by their length. */
  constructor(lines: readonly FieldLine[]) {
    for (const line of lines) {
      const { name } = line;
      if (isNamed(name, 'host')) this.host = and(this.host, line);
      else if (isNamed(name, 'expect')) this.expect = and(this.expect, line);
      else if (isNamed(name, 'connection')) this.connection = and(this.connection, line);
      else if (isNamed(name, 'content-length')) this.contentLength = and(this.contentLength, line);
      else if (isNamed(name, 'transfer-encoding')) this.transferEncoding = and(this.transferEncoding, line);
    }
  }
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
  for (const { value, offset } of lines) {
    for (let from = 0; from <= value.length; ) {
      const comma = value.indexOf(',', from);
      let to = comma < 0 ? value.length : comma;
      const next = to + 1;
      from = skipText(OWS, value, from, to);
      while (to > from && OWS[value.charCodeAt(to - 1)] === 1) to -= 1;
      if (from < to) elements.push({ text: value.slice(from, to), offset: offset + from });
      from = next;
    }
  }
  return elements;
}
