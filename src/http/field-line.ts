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
import type { Input } from './input';
import type { FieldLine } from './message';
import { Octet, OWS, skipFieldValue, skipOws, skipToken } from './octets';

/** Octets of a section, line ends counted and the empty line not (6585 §5 leaves the number to us). */
const LIMIT = 16_384;
const LINES = 100;

/** A section while it comes. Positions are offsets in the request. */
export class FieldSection {
  lines = 0;
  private start = 0;
  private lineStart = 0;
  /** The offset of the colon of the line that is being read, or NONE before it. */
  private colon: number = Octet.NONE;
  /** Where each line has its colon, and where it ends: two numbers a line. */
  private readonly spans: number[] = [];

  begin(offset: number): void {
    this.start = this.lineStart = offset;
    this.lines = 0;
    this.colon = Octet.NONE;
  }

  /** Reads field lines, to the empty line that ends the section. */
  read(input: Input): 'end' | 'needMore' | Failure {
    const { octets, end } = input;
    const { spans } = this;
    const base = input.offset - input.at;
    const limit = this.start + LIMIT - base;
    for (;;) {
      if (this.colon === Octet.NONE) {
        const at = skipToken(octets, input.at, end);
        input.at = at;
        if (at >= end || octets[at] !== Octet.COLON || at + base === this.lineStart || at >= limit || this.lines === LINES) return this.withoutColon(input);
        this.colon = at + base;
        input.at = at + 1;
      }
      const at = skipFieldValue(octets, input.at, end);
      input.at = at;
      if (at + 1 >= end || octets[at] !== Octet.CR || octets[at + 1] !== Octet.LF || at + 1 >= limit) return this.withoutLineEnd(input);
      spans[2 * this.lines] = this.colon;
      spans[2 * this.lines + 1] = at + base;
      input.at = at + 2;
      this.lines += 1;
      this.lineStart = at + 2 + base;
      this.colon = Octet.NONE;
    }
  }

  /**
   * Cuts the lines that were read from the text of the message.
   * @param input still holds them
   * @param base offset of the first octet of the text
   */
  cut(input: Input, text: string, base: number): FieldLine[] {
    const { octets } = input;
    const { spans } = this;
    const shift = input.index(base);
    const lines = new Array<FieldLine>(this.lines);
    let start = this.start - base;
    for (let line = 0; line < lines.length; line += 1) {
      const colon = (spans[2 * line] ?? 0) - base;
      const end = (spans[2 * line + 1] ?? 0) - base;
      const from = skipOws(octets, colon + 1 + shift, end + shift) - shift;
      let to = end;
      while (to > from && OWS[octets[to - 1 + shift] ?? 0] === 1) to -= 1;
      lines[line] = { name: text.slice(start, colon), value: text.slice(from, to), offset: base + from };
      start = end + 2;
    }
    return lines;
  }

  /** No colon follows what stands at the start of a line, or none may. */
  private withoutColon(input: Input): 'end' | 'needMore' | Failure {
    const limit = this.start + LIMIT;
    const octet = input.peek();
    const { offset } = input;
    if (offset === this.lineStart && octet === Octet.CR) return this.readEnd(input);
    if (offset === this.lineStart && octet === Octet.LF) return bareLf(offset);
    if (this.lines === LINES && (octet !== Octet.NONE || offset > this.lineStart)) return new Failure(431, '6585 5', `More than ${LINES} field lines`, this.lineStart);
    if (offset > limit || (offset === limit && octet !== Octet.NONE)) return this.tooLarge();
    if (octet === Octet.NONE) return 'needMore';
    return this.noName(octet, offset);
  }

  /** No CRLF follows a value, or none may. */
  private withoutLineEnd(input: Input): 'needMore' | Failure {
    const limit = this.start + LIMIT;
    const octet = input.peek();
    const { offset } = input;
    // A CR is followed by an octet that belongs to the line as well.
    if (offset > limit || (octet !== Octet.NONE && offset + (octet === Octet.CR ? 1 : 0) >= limit)) return this.tooLarge();
    if (octet === Octet.NONE) return 'needMore';
    if (octet === Octet.LF) return bareLf(offset);
    if (octet !== Octet.CR) return new Failure(400, '9110 5.5', 'A control character in a field value', offset);
    return input.peek(1) === Octet.NONE ? 'needMore' : bareCr(offset);
  }

  private readEnd(input: Input): 'end' | 'needMore' | Failure {
    const lf = input.peek(1);
    if (lf === Octet.NONE) return 'needMore';
    if (lf !== Octet.LF) return bareCr(input.offset);
    input.at += 2;
    return 'end';
  }

  private noName(octet: number, offset: number): Failure {
    const white = octet === Octet.SP || octet === Octet.HTAB;
    if (octet === Octet.LF) return bareLf(offset);
    if (offset > this.lineStart) {
      if (white) return new Failure(400, '9112 5.1', 'White space between a field name and the colon', offset);
      if (octet === Octet.CR) return new Failure(400, '9112 5', 'A field line without a colon', offset);
      return new Failure(400, '9110 5.1', 'An octet in a field name that is in no token', offset);
    }
    if (octet === Octet.COLON) return new Failure(400, '9110 5.1', 'A field line with an empty name', offset);
    if (!white) return new Failure(400, '9110 5.1', 'A field name starts with an octet that is in no token', offset);
    return this.lines === 0
      ? new Failure(400, '9112 2.2', 'White space before the first field line', offset)
      : new Failure(400, '9112 5.2', 'A field value that goes on in a second line (obs-fold)', offset);
  }

  private tooLarge(): Failure {
    return new Failure(431, '6585 5', `The field lines take more than ${LIMIT} octets`, this.start + LIMIT);
  }
}
