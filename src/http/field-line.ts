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
import { isCrlf, isOws, Octet, skipFieldValue, skipToken } from './octets';

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
  /** Where each line has its colon, and where it ends. */
  private readonly colons: number[] = [];
  private readonly ends: number[] = [];

  begin(offset: number): void {
    this.start = this.lineStart = offset;
    this.lines = 0;
    this.colon = Octet.NONE;
  }

  /** Reads field lines, to the empty line that ends the section. */
  read(input: Input): 'end' | 'needMore' | Failure {
    // `at`, `end` and `limit` are indices; what is kept, for the octets may move before there are more of them, are offsets.
    const { octets, end } = input;
    const base = input.offset - input.at;
    const limit = input.index(this.start + LIMIT);
    let { lines, lineStart, colon } = this;
    let { at } = input;
    for (;;) {
      if (colon === Octet.NONE) {
        at = skipToken(octets, at, end);
        if (at >= end || octets[at] !== Octet.COLON || at + base === lineStart || at >= limit || lines === LINES) break;
        colon = at + base;
        at += 1;
      }
      at = skipFieldValue(octets, at, end);
      if (!isCrlf(octets, at, end) || at + 1 >= limit) break;
      this.colons[lines] = colon;
      this.ends[lines] = at + base;
      at += 2;
      lines += 1;
      lineStart = at + base;
      colon = Octet.NONE;
    }
    this.lines = lines;
    this.lineStart = lineStart;
    this.colon = colon;
    if (at + base === lineStart && isCrlf(octets, at, end)) {
      input.at = at + 2;
      return 'end';
    }
    input.at = at;
    return colon === Octet.NONE ? this.insteadOfColon(input) : this.insteadOfLineEnd(input);
  }

  /**
   * Cuts the lines that were read from the text of the message.
   * @param input still holds them
   * @param base offset of the first octet of the text
   */
  cut(input: Input, text: string, base: number): FieldLine[] {
    const { octets } = input;
    const shift = input.index(base);
    const lines = new Array<FieldLine>(this.lines);
    let start = this.start - base;
    for (let line = 0; line < lines.length; line += 1) {
      const colon = (this.colons[line] ?? 0) - base;
      const end = (this.ends[line] ?? 0) - base;
      let from = colon + 1;
      let to = end;
      while (from < to && isOws(octets[from + shift])) from += 1;
      while (to > from && isOws(octets[to - 1 + shift])) to -= 1;
      lines[line] = { name: text.slice(start, colon), value: text.slice(from, to), offset: base + from };
      start = end + 2;
    }
    return lines;
  }

  /** What stands where a name should be followed by its colon. */
  private insteadOfColon(input: Input): 'needMore' | Failure {
    const limit = this.start + LIMIT;
    const octet = input.peek();
    const { offset } = input;
    if (offset === this.lineStart && octet === Octet.CR) return input.peek(1) === Octet.NONE ? 'needMore' : bareCr(offset);
    if (offset === this.lineStart && octet === Octet.LF) return bareLf(offset);
    if (this.lines === LINES && (octet !== Octet.NONE || offset > this.lineStart)) return new Failure(431, '6585 5', `More than ${LINES} field lines`, this.lineStart);
    if (offset > limit || (offset === limit && octet !== Octet.NONE)) return this.tooLarge();
    if (octet === Octet.NONE) return 'needMore';
    if (octet === Octet.LF) return bareLf(offset);
    const white = isOws(octet);
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

  /** What stands where a value should be followed by CRLF. */
  private insteadOfLineEnd(input: Input): 'needMore' | Failure {
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

  private tooLarge(): Failure {
    return new Failure(431, '6585 5', `The field lines take more than ${LIMIT} octets`, this.start + LIMIT);
  }
}
