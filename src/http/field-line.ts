/** Field lines (9112 §5) of the header and trailer sections.
 *
 *   field-line = field-name ":" OWS field-value OWS
 *   field-name = token
 *
 * An empty line ends a section. We reject white space wherever the grammar has none: a
 * proxy that reads it differently would see another message than we do. */
import { Byte, isOws, skipOws, skipToken } from './grammar';
import { lineEndErrorOr } from './line-end';
import type { FieldLine } from './message';
import { waitFor, type Waiting } from './outcome';
import {
  allowedBy,
  ourChoice,
  requiredBy,
  WITHIN_LIMIT,
  type ProtocolError,
} from './protocol-error';
import type { Observer } from './observer';
import type { Line, ReceiveBuffer } from './receive-buffer';

const { COLON } = Byte;

/** The most bytes of a section, with line ends but without the empty line. */
const SECTION_LIMIT = 16_384;
/** The most lines of a section. */
const LINES_LIMIT = 100;
/** A hint does not repeat a field name that is longer. */
const LONGEST_NAME = 256;

const A_NAME = {
  expected: 'a name of letters, digits, and some signs such as "-" and "_"',
};
const A_COLON = {
  expected: 'a colon, directly after the name of the field: Host: localhost',
  hint: 'a field line is a name, a colon and a value, such as "Host: localhost"',
};
const A_TRAILER_OR_END = {
  expected:
    'the empty line that ends the request, or a trailer field: a name, a colon, a value',
  hint: 'after the last chunk, an empty line ends the request',
};

type SectionKind = 'header' | 'trailer';

/** The field lines of one section, taken as they arrive. */
export class FieldSection {
  readonly lines: FieldLine[] = [];
  /** The offset that the lines of the section must not go past. */
  private readonly limit: number;

  constructor(
    private readonly kind: SectionKind,
    private readonly buffer: ReceiveBuffer,
    private readonly trace: Observer | undefined,
  ) {
    this.limit = buffer.offset + SECTION_LIMIT;
  }

  /** Takes all lines that have arrived.
   * @returns whether the empty line is among them
   * @throws ProtocolError */
  takeLines(): boolean {
    const { buffer, limit, lines } = this;
    for (;;) {
      const { offset } = buffer;
      // In a full section only the empty line fits.
      const line = buffer.takeLine(lines.length === LINES_LIMIT ? 0 : limit - offset);
      if (line?.ending === 'CRLF' && line.start === line.end) return true;
      if (this.exceedsLimit(line)) throw this.limitError(offset);
      if (line === undefined) return false;
      const fieldLine = this.parse(line);
      this.trace?.fieldLine(this.kind, line, fieldLine);
      lines.push(fieldLine);
    }
  }

  /** Whether a line takes the section over its limit. takeLine() applies the limit to
   * the line itself. The line end, or a wrong byte in its place, may still be beyond it.
   * @param line undefined if more of it is needed */
  private exceedsLimit(line: Line | undefined): boolean {
    const { buffer, limit } = this;
    // A CR alone may belong to the empty line, which does not count.
    if (line === undefined) return buffer.hasBegunLine && buffer.received > limit;
    if (line.ending === 'CRLF') return buffer.offset > limit;
    return line.ending === 'too long' || line.offsetOf(line.end) > limit;
  }

  /** What takeLines() waits for. */
  get missing(): Waiting {
    const { buffer, kind, lines } = this;
    if (buffer.hasBegunLine) {
      return waitFor(`the end of ${kind} field line ${lines.length + 1}`, '9112 5');
    }
    const missing = `the next ${kind} field line, or the empty line that ends them`;
    return waitFor(missing, kind === 'header' ? '9112 2.1' : '9112 7.1');
  }

  private parse(line: Line): FieldLine {
    const { bytes, start, tokenEnd: colon, end } = line;
    if (colon === start || bytes[colon] !== COLON) {
      throw lineEndErrorOr(line, this.nameError(line));
    }
    if (line.ending !== 'CRLF') throw lineEndErrorOr(line, controlError(line));
    let from = colon + 1;
    while (from < end && isOws(bytes[from])) from += 1;
    let to = end;
    while (to > from && isOws(bytes[to - 1])) to -= 1;
    const name = line.text(start, colon);
    return { name, value: line.text(from, to), offset: line.offsetOf(from) };
  }

  /** Says why a line does not start with a token and a colon. */
  private nameError(line: Line): ProtocolError {
    const { bytes, start, tokenEnd, end } = line;
    const offset = line.offsetOf(tokenEnd);
    const next = bytes[tokenEnd];
    if (tokenEnd === start && isOws(next)) return this.leadingSpaceError(offset);
    if (next === COLON) {
      return allowedBy('9110 5.1', offset, 'A field line with an empty name', A_NAME);
    }
    if (isOws(next) && bytes[skipOws(bytes, tokenEnd, end)] === COLON) {
      const reason = 'White space between a field name and the colon';
      const expected = 'the colon, directly after the name of the field';
      // 9112 §5.1 has a MUST for header fields: a proxy that drops the white space sees a
      // field that we might not. A trailer field with white space only breaks the grammar.
      const ruledBy = this.kind === 'header' ? requiredBy : allowedBy;
      return ruledBy('9112 5.1', offset, reason, { expected });
    }
    if (isOws(next) && /^[^:]*:[\t ]/.test(line.text(tokenEnd, end))) {
      return allowedBy('9110 5.1', offset, 'White space inside a field name', A_NAME);
    }
    if (isOws(next) || tokenEnd === end) {
      const options = this.kind === 'header' ? A_COLON : A_TRAILER_OR_END;
      return allowedBy('9112 5', offset, 'No colon after the field name', options);
    }
    const reason = 'A byte in a field name that is not allowed in a token';
    return allowedBy('9110 5.1', offset, reason, A_NAME);
  }

  private leadingSpaceError(offset: number): ProtocolError {
    // 9112 §5.2 would let us join the lines, but a recipient that does not join them sees
    // two fields.
    if (this.lines.length > 0) {
      const reason = 'A field value continues on another line (obs-fold)';
      const expected =
        'the name of the next field, or the empty line: a value ends with its line';
      return allowedBy('9112 5.2', offset, reason, { expected });
    }
    const reason = 'White space before the first field line';
    if (this.kind === 'trailer') {
      const expected = 'the name of a trailer field, or the empty line';
      return allowedBy('9112 7.1.2', offset, reason, { expected });
    }
    const expected = 'the name of a field, from the first byte of the line on';
    return allowedBy('9112 2.2', offset, reason, { expected });
  }

  /** @param offset of the line that goes past the limit */
  private limitError(offset: number): ProtocolError {
    if (this.lines.length < LINES_LIMIT) {
      const reason = `The ${this.kind} section exceeds ${SECTION_LIMIT} bytes`;
      const name = this.findLargeField(offset);
      const hint = name && `most of them are in the field ${name}`;
      const options = { ...WITHIN_LIMIT, status: 431, hint } as const;
      return ourChoice('6585 5', this.limit, reason, options);
    }
    const reason = `The ${this.kind} section has more than ${LINES_LIMIT} field lines`;
    const expected = 'the empty line that ends the section: up to here, the limit was kept';
    const options = { ...WITHIN_LIMIT, status: 431, expected } as const;
    return ourChoice('6585 5', this.buffer.offset, reason, options);
  }

  /** If one field is at fault, the response should name it (6585 §5).
   * @param offset of the last line
   * @returns the name of a field that takes more than half of the section, if it is short
   * enough to repeat */
  private findLargeField(offset: number): string | undefined {
    const isLarge = (length: number): boolean => length > SECTION_LIMIT / 2;
    if (isLarge(this.limit - offset)) {
      const { bytes } = this.buffer.excerpt(offset);
      const colon = skipToken(bytes, 0, Math.min(bytes.length, LONGEST_NAME + 1));
      const isName = bytes[colon] === COLON && colon <= LONGEST_NAME;
      return isName ? bytes.toString('latin1', 0, colon) : undefined;
    }
    return this.lines.find(
      ({ name, value }) => name.length <= LONGEST_NAME && isLarge(value.length),
    )?.name;
  }
}

function controlError(line: Line): ProtocolError {
  const reason = 'A control character in a field value';
  const expected = 'a visible character, a space, a tab, or the line end';
  return allowedBy('9110 5.5', line.offsetOf(line.end - 1), reason, { expected });
}
