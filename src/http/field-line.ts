/**
 * Field lines (9112 §5), in the header section and in the trailer section.
 *
 *   field-line = field-name ":" OWS field-value OWS CRLF
 *   field-name = token
 *
 * A section ends with an empty line. White space is refused wherever the grammar has none: an intermediary that reads it
 * otherwise would see another message than we do.
 */
import { bareCr, bareLf, Failure } from './failure';
import { NONE, type Input } from './input';
import type { FieldLine } from './message';
import { COLON, CR, FIELD_VALUE, HTAB, LF, OWS, skipText, SP, TCHAR } from './octets';

/** Octets of a section, line ends counted and the empty line not (6585 §5 leaves the number to us). */
const LIMIT = 16_384;
const LINES = 100;

/** A section while it comes. Positions are offsets in the request. */
export class FieldSection {
  lines = 0;
  private start = 0;
  private lineStart = 0;
  /** The offset of the colon of the line that is being read, or NONE before it. */
  private colon = NONE;
  /** Where each line starts, has its colon, and ends: three numbers a line. */
  private readonly spans: number[] = [];

  begin(offset: number): void {
    this.start = this.lineStart = offset;
    this.lines = 0;
    this.colon = NONE;
  }

  /** Reads field lines, to the empty line that ends the section. */
  read(input: Input): 'end' | 'needMore' | Failure {
    for (;;) {
      const after = this.readLine(input);
      if (after !== 'goOn') return after;
    }
  }

  private readLine(input: Input): 'goOn' | 'end' | 'needMore' | Failure {
    const limit = this.start + LIMIT;
    if (this.colon === NONE) {
      const octet = input.skip(TCHAR);
      const { offset } = input;
      if (octet === CR && offset === this.lineStart) return this.readEnd(input);
      if (octet === LF && offset === this.lineStart) return bareLf(offset);
      if (this.lines === LINES && (octet !== NONE || offset > this.lineStart)) return new Failure(431, '6585 5', `More than ${LINES} field lines`, this.lineStart);
      if (offset > limit || (offset === limit && octet !== NONE)) return this.tooLarge();
      if (octet === NONE) return 'needMore';
      if (octet !== COLON || offset === this.lineStart) return this.noName(octet, offset);
      this.colon = offset;
      input.at += 1;
    }
    const octet = input.skip(FIELD_VALUE);
    const { offset } = input;
    // A CR is followed by an octet that belongs to the line as well.
    if (offset > limit || (octet !== NONE && offset + (octet === CR ? 1 : 0) >= limit)) return this.tooLarge();
    if (octet === NONE) return 'needMore';
    if (octet === LF) return bareLf(offset);
    if (octet !== CR) return new Failure(400, '9110 5.5', 'A control character in a field value', offset);
    const lf = input.peek(1);
    if (lf === NONE) return 'needMore';
    if (lf !== LF) return bareCr(offset);
    const { spans } = this;
    const index = 3 * this.lines;
    spans[index] = this.lineStart;
    spans[index + 1] = this.colon;
    spans[index + 2] = offset;
    input.at += 2;
    this.lines += 1;
    this.lineStart = offset + 2;
    this.colon = NONE;
    return 'goOn';
  }

  /**
   * Cuts the lines that were read from the text of the message.
   * @param base offset of the first octet of the text
   */
  cut(text: string, base: number): FieldLine[] {
    const { spans } = this;
    const lines: FieldLine[] = [];
    for (let index = 0; index < 3 * this.lines; index += 3) {
      const start = (spans[index] ?? 0) - base;
      const colon = (spans[index + 1] ?? 0) - base;
      let to = (spans[index + 2] ?? 0) - base;
      const from = skipText(OWS, text, colon + 1, to);
      while (to > from && OWS[text.charCodeAt(to - 1)] === 1) to -= 1;
      lines.push({ name: text.slice(start, colon), value: text.slice(from, to), offset: base + from });
    }
    return lines;
  }

  private readEnd(input: Input): 'end' | 'needMore' | Failure {
    const lf = input.peek(1);
    if (lf === NONE) return 'needMore';
    if (lf !== LF) return bareCr(input.offset);
    input.at += 2;
    return 'end';
  }

  private noName(octet: number, offset: number): Failure {
    const white = octet === SP || octet === HTAB;
    if (octet === LF) return bareLf(offset);
    if (offset > this.lineStart) {
      if (white) return new Failure(400, '9112 5.1', 'White space between a field name and the colon', offset);
      if (octet === CR) return new Failure(400, '9112 5', 'A field line without a colon', offset);
      return new Failure(400, '9110 5.1', 'An octet in a field name that is in no token', offset);
    }
    if (octet === COLON) return new Failure(400, '9110 5.1', 'A field line with an empty name', offset);
    if (!white) return new Failure(400, '9110 5.1', 'A field name starts with an octet that is in no token', offset);
    return this.lines === 0
      ? new Failure(400, '9112 2.2', 'White space before the first field line', offset)
      : new Failure(400, '9112 5.2', 'A field value that goes on in a second line (obs-fold)', offset);
  }

  private tooLarge(): Failure {
    return new Failure(431, '6585 5', `The field lines take more than ${LIMIT} octets`, this.start + LIMIT);
  }
}
