/** The fields by which the protocol layer steers itself, and the lists that some of them hold (9110 §5.6.1). */
import type { FieldLine } from './message';
import { isNamed, OWS, skip } from './octets';

/** The lines of each steering field, in the order received. */
export interface Steering {
  host: readonly FieldLine[];
  expect: readonly FieldLine[];
  connection: readonly FieldLine[];
  contentLength: readonly FieldLine[];
  transferEncoding: readonly FieldLine[];
}

const NONE: readonly FieldLine[] = [];

/** Names compare without case (9110 §5.1). Most are passed over by their length. */
export function steeringFields(lines: readonly FieldLine[]): Steering {
  const found: Steering = { host: NONE, expect: NONE, connection: NONE, contentLength: NONE, transferEncoding: NONE };
  for (const line of lines) {
    const { name } = line;
    if (isNamed(name, 'host')) found.host = [...found.host, line];
    else if (isNamed(name, 'expect')) found.expect = [...found.expect, line];
    else if (isNamed(name, 'connection')) found.connection = [...found.connection, line];
    else if (isNamed(name, 'content-length')) found.contentLength = [...found.contentLength, line];
    else if (isNamed(name, 'transfer-encoding')) found.transferEncoding = [...found.transferEncoding, line];
  }
  return found;
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
      from = skip(OWS, value, from, to);
      while (to > from && OWS[value.charCodeAt(to - 1)] === 1) to -= 1;
      if (from < to) elements.push({ text: value.slice(from, to), offset: offset + from });
      from = next;
    }
  }
  return elements;
}
