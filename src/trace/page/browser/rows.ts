/** Lays the bytes of a message out in rows, as far as they were read at one step: usually
 * a row for each line. Pure: it knows no page. */
import type { MessageData, PageData } from '../page-data';

/** Bytes of one part, or bytes that are no part. */
export interface Segment {
  /** Its entry in the glossary, or -1. */
  readonly entry: number;
  readonly from: number;
  readonly to: number;
  readonly state: SegmentState;
  /** The part that it is in: in content that is still arriving, there are more bytes to
   * it. */
  readonly partLength: number;
  /** Whether it was read at this very step. */
  readonly isNew: boolean;
}

/** `waiting`: it has arrived, and the server has not judged it. `missing`: it never
 * arrived. */
export type SegmentState = 'read' | 'waiting' | 'ignored' | 'future' | 'wrong' | 'missing';

export interface Row {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly segments: readonly Segment[];
}

/** The bytes of a message as text, a character for each. */
export function decode({ bytes }: MessageData): string {
  return atob(bytes);
}

/** @returns the offset after the last byte that had arrived at a step */
export function arrivedAt({ arrivals }: MessageData, step: number): number {
  return arrivals.reduce(
    (end, [at, until]) => (at <= step ? Math.max(end, until) : end),
    0,
  );
}

/** @returns the offset of the first byte that arrived at a step, if any did */
export function arrivingAt(message: MessageData, step: number): number | undefined {
  const arrives = message.arrivals.some(([at]) => at === step);
  return arrives ? Math.max(message.from, arrivedAt(message, step - 1)) : undefined;
}

/** @param text the bytes of the message, from its offset `from` on */
export function layOut(
  data: PageData,
  message: MessageData,
  text: string,
  step: number,
): Row[] {
  const rows: Row[] = [];
  let row: Segment[] = [];
  const finish = (): void => {
    const first = row[0];
    const last = row.at(-1);
    if (first === undefined || last === undefined) return;
    rows.push({
      label: labelOf(data, message, row),
      from: first.from,
      to: last.to,
      segments: row,
    });
    row = [];
  };
  for (const segment of findSegments(message, text, step)) {
    row.push(segment);
    const isLineEnd = data.glossary[segment.entry]?.name === 'CRLF';
    if (isLineEnd || (segment.entry < 0 && text[segment.to - 1 - message.from] === '\n'))
      finish();
  }
  finish();
  return rows;
}

function labelOf(
  data: PageData,
  { rejection }: MessageData,
  row: readonly Segment[],
): string {
  const lines = row.flatMap(({ entry, state }) => {
    const isWrong = state === 'wrong' || state === 'missing';
    return (isWrong ? rejection?.line : data.glossary[entry]?.line) ?? [];
  });
  if (lines.length > 0) return [...new Set(lines)].join(' and ');
  switch (row[0]?.state) {
    case 'future':
      return 'not here yet';
    case 'ignored':
      return 'never judged';
    default:
      return 'not judged yet';
  }
}

/** Cuts a message where a part begins or ends, where bytes had not arrived yet, at the
 * wrong byte, and after each LF that is not a part. */
function findSegments(message: MessageData, text: string, step: number): Segment[] {
  const { from, parts, rejection } = message;
  const end = from + text.length;
  const arrived = arrivedAt(message, step);
  const wrong = rejection && rejection.step <= step ? rejection.offset : undefined;
  // For each byte the last part that it was read as, counted from 1.
  const owners = new Uint32Array(text.length);
  for (const [index, [, offset, length, at]] of parts.entries()) {
    if (at > step) continue;
    owners.fill(index + 1, Math.max(0, offset - from), Math.max(0, offset + length - from));
  }
  const segments: Segment[] = [];
  const stateOf = (offset: number, owner: number): SegmentState => {
    if (offset >= arrived) return 'future';
    if (offset === wrong) return 'wrong';
    if (wrong !== undefined && offset > wrong && owner === 0) return 'ignored';
    return owner === 0 ? 'waiting' : 'read';
  };
  let start = from;
  for (let offset = from; offset < end; offset += 1) {
    const owner = owners[offset - from] ?? 0;
    const state = stateOf(offset, owner);
    const next = owners[offset + 1 - from] ?? 0;
    const isLineEnd = owner === 0 && text[offset - from] === '\n';
    const isLast =
      offset + 1 === end || next !== owner || stateOf(offset + 1, next) !== state;
    if (!isLast && !isLineEnd) continue;
    const [entry = -1, , partLength = 0, at = -1] = parts[owner - 1] ?? [];
    const isNew = at === step;
    segments.push({ entry, from: start, to: offset + 1, state, partLength, isNew });
    start = offset + 1;
  }
  if (wrong !== undefined && wrong >= end) {
    const isNew = rejection?.step === step;
    segments.push({
      entry: -1,
      from: end,
      to: end,
      state: 'missing',
      partLength: 0,
      isNew,
    });
  }
  return segments;
}

const NAMES: { readonly [byte: number]: string } = {
  0x00: 'NUL',
  0x09: 'a tab (HTAB)',
  0x0a: 'line feed (LF)',
  0x0d: 'carriage return (CR)',
  0x20: 'a space (SP)',
  0x22: 'a quotation mark (")',
  0x7f: 'DEL',
};
const ESCAPES: { readonly [byte: number]: string } = {
  0x09: '\\t',
  0x0a: '\\n',
  0x0d: '\\r',
  0x20: '\u00b7',
  0x5c: '\\\\',
};

/** @returns the byte as the page shows it: one that has no glyph is escaped */
export function showByte(byte: number): string {
  const escaped = ESCAPES[byte];
  if (escaped !== undefined) return escaped;
  if (byte > 0x20 && byte < 0x7f) return String.fromCharCode(byte);
  return `\\x${hex(byte)}`;
}

/** @returns the byte in words: its character, and its number in hexadecimal and decimal */
export function nameByte(byte: number): string {
  const isVisible = byte > 0x20 && byte < 0x7f;
  const name =
    NAMES[byte] ?? (isVisible ? `"${String.fromCharCode(byte)}"` : 'no ASCII character');
  const control = byte < 0x20 && NAMES[byte] === undefined ? 'a control character' : name;
  return `${control}, hexadecimal ${hex(byte)}, decimal ${byte}`;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
