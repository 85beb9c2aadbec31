/** The fields by which the protocol layer steers itself, and the lists that some of them hold (9110 §5.6.1). */
import type { FieldLine } from './message';
import { OWS, skip } from './octets';

/** The lines of each steering field, in the order received. */
export interface Steering {
  readonly host: FieldLine[];
  readonly expect: FieldLine[];
  readonly connection: FieldLine[];
  readonly contentLength: FieldLine[];
  readonly transferEncoding: FieldLine[];
}

/** Names compare without case (9110 §5.1). A name is a token, so its lower case is ASCII's; most names are passed over by their length. */
export function steeringFields(lines: readonly FieldLine[]): Steering {
  const found: Steering = { host: [], expect: [], connection: [], contentLength: [], transferEncoding: [] };
  for (const line of lines) {
    const { name } = line;
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === 'host') found.host.push(line);
        break;
      case 6:
        if (name.toLowerCase() === 'expect') found.expect.push(line);
        break;
      case 10:
        if (name.toLowerCase() === 'connection') found.connection.push(line);
        break;
      case 14:
        if (name.toLowerCase() === 'content-length') found.contentLength.push(line);
        break;
      case 17:
        if (name.toLowerCase() === 'transfer-encoding') found.transferEncoding.push(line);
    }
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
