/** Field lines (9112 §5) of the header and trailer sections, the fields that control how a message
 * is read, and the lists in them.
 *
 *   field-line = field-name ":" OWS field-value OWS
 *   field-name = token
 *
 * An empty line ends a section. White space is rejected wherever the grammar has none: a proxy that
 * reads it differently would see another message than we do. */
import { Byte, equalsIgnoreCase, isOws, skipOws } from './grammar';
import type { FieldLine } from './message';
import { waitFor, type Waiting } from './outcome';
import { allowedBy, findFault, ourChoice, requiredBy, type Fault } from './protocol-error';
import type { Line, ReceiveBuffer } from './receive-buffer';

/** The most bytes of a section, line ends counted and the empty line not; its most lines. */
const SECTION_LIMIT = 16_384;
const LINES_LIMIT = 100;

/** The field lines of one section, taken as they arrive. */
export class FieldSection {
  readonly lines: FieldLine[] = [];
  private readonly limit: number;
  constructor(
    private readonly kind: 'header' | 'trailer',
    private readonly buffer: ReceiveBuffer,
  ) {
    this.limit = buffer.offset + SECTION_LIMIT;
  }

  /** Takes all lines that are here. @returns whether the empty line is among them */
  take(): boolean {
    const { buffer, limit, lines } = this;
    for (;;) {
      const line = buffer.takeLine(lines.length === LINES_LIMIT ? 0 : limit - buffer.offset);
      if (line === undefined) return false;
      if (line.end === line.start && line.ending === 'CRLF') return true;
      if (line.ending === 'too long' || buffer.offset > limit) throw this.limitError(line);
      lines.push(this.parse(line));
    }
  }

  get missing(): Waiting {
    const { buffer, kind, lines } = this;
    return buffer.hasBegunLine
      ? waitFor(`the end of ${kind} field line ${lines.length + 1}`, '9112 5')
      : waitFor(`the next ${kind} field line, or the empty line that ends them`, '9112 2.1');
  }

  private parse(line: Line): FieldLine {
    const { bytes, start, end, tokenEnd: colon } = line;
    if (colon === start || colon === end || bytes[colon] !== Byte.COLON) throw this.nameError(line);
    if (line.ending === 'invalid byte') {
      throw allowedBy('9110 5.5', line.offsetOf(end - 1), 'A control character in a field value');
    }
    const from = skipOws(bytes, colon + 1, end);
    let to = end;
    while (to > from && isOws(bytes[to - 1])) to -= 1;
    const name = line.text(start, colon);
    return { name, value: line.text(from, to), offset: line.offsetOf(from) };
  }

  private nameError(line: Line) {
    const { bytes, start, end, tokenEnd } = line;
    const offset = line.offsetOf(tokenEnd);
    if (tokenEnd > start || !isOws(bytes[start])) {
      return findFault(NAME_FAULTS, line.text(tokenEnd, end), offset);
    }
    // 9112 §5.2 would let us join the lines. A recipient that does not sees two fields.
    if (this.lines.length > 0) {
      return allowedBy('9112 5.2', offset, 'A field value continues on another line (obs-fold)');
    }
    return allowedBy(
      this.kind === 'header' ? '9112 2.2' : '9112 7.1.2',
      offset,
      'White space before the first field line',
    );
  }

  private limitError(line: Line) {
    if (this.lines.length < LINES_LIMIT) {
      return ourChoice(
        '6585 5',
        this.limit,
        `The ${this.kind} section exceeds ${SECTION_LIMIT} bytes`,
        { status: 431 },
      );
    }
    return ourChoice(
      '6585 5',
      line.offsetOf(line.start),
      `The ${this.kind} section has more than ${LINES_LIMIT} field lines`,
      { status: 431 },
    );
  }
}

/** What can follow the token that a line starts with, where a colon should. */
const NAME_FAULTS: readonly Fault[] = [
  [/^(?=:)/, allowedBy, '9110 5.1', 'A field line with an empty name'],
  // 9112 §5.1: a proxy that drops the white space sees a field that we might not.
  [/^(?=[\t ]+:)/, requiredBy, '9112 5.1', 'White space between a field name and the colon'],
  [
    /^(?=[\t ]|$)/,
    allowedBy,
    '9112 5',
    'No colon after the field name',
    { hint: 'a field line is a name, a colon and a value, such as "Host: localhost"' },
  ],
  [/^/, allowedBy, '9110 5.1', 'A byte in a field name that is not allowed in a token'],
];

const NONE: readonly FieldLine[] = [];
/** The lines of each control field, in the order received. */
export type ControlFields = ReturnType<typeof findControlFields>;

/** Names compare without case (9110 §5.1). The length of a name rules most lines out. */
export function findControlFields(lines: readonly FieldLine[]) {
  let host = NONE,
    expect = NONE,
    connection = NONE,
    contentLength = NONE,
    encoding = NONE;
  for (const line of lines) {
    const { name } = line;
    if (equalsIgnoreCase(name, 'Host')) host = append(host, line);
    else if (equalsIgnoreCase(name, 'Expect')) expect = append(expect, line);
    else if (equalsIgnoreCase(name, 'Connection')) connection = append(connection, line);
    else if (equalsIgnoreCase(name, 'Content-Length')) contentLength = append(contentLength, line);
    else if (equalsIgnoreCase(name, 'Transfer-Encoding')) encoding = append(encoding, line);
  }
  return { host, expect, connection, contentLength, transferEncoding: encoding };
}

const append = (lines: readonly FieldLine[], line: FieldLine): readonly FieldLine[] =>
  lines.length === 0 ? [line] : [...lines, line];

/** What is between commas, without white space around it. A quoted-string may hold a comma. */
const ELEMENT = /(?:[^\t ",]|"(?:[^"\\]|\\.)*"?)+(?:[\t ]+(?:[^\t ",]|"(?:[^"\\]|\\.)*"?)+)*/g;

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
