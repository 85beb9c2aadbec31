/** The trace as a person reads it: a line for each event, and below it the bytes that the
 * event is about. */
import type { TraceEvent, Written } from './events';
import { explain, type EventOf } from './explain';
import { count, escape } from '../text/text';

/** How much is shown of a read or a write, and of a rejected line. */
const BYTES_SHOWN = 1024;
const LINE_SHOWN = 256;
/** How many chunks of a message have lines. The last one counts the others. */
const CHUNKS_SHOWN = 8;
/** The width of time, connection and verb, before the text of a line. */
const MARGIN = 19;
const COLUMNS = 80;
const FEWEST_COLUMNS = 40;

/** Parameters of "select graphic rendition" (ECMA-48 section 8.3.117). The colours are of
 * the 256 that do not depend on the theme of a terminal. Their contrast to black and to
 * white is 3.9 or more. */
const STYLES = {
  verb: '1', // bold
  offset: '38;5;243', // grey
  read: '38;5;28', // green
  write: '38;5;63', // blue
  rejected: '38;5;160', // red
  rejectedVerb: '1;38;5;160',
  wrong: '7;38;5;160', // in inverse video
} as const;
type Style = keyof typeof STYLES;

/** Where a text may continue on the next row: not in "60 s at most", not within the
 * parentheses around a citation, and in a route only before a step. */
const WORDS = / (?!(?:s|at most|most)\b|[^()]*\))/;
const STEPS = / (?=-)/;

/** NO_COLOR wins over FORCE_COLOR; without either, a terminal has colours unless it is
 * dumb. */
export function usesColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return (
    !env['NO_COLOR'] && (!!env['FORCE_COLOR'] || (isTerminal && env['TERM'] !== 'dumb'))
  );
}

/** What only the page of a trace shows. */
const TOO_SMALL = [
  'header field line',
  'trailer field line',
  'content',
  'end of the chunk',
];

/** @returns none for chunks beyond the first few, which are counted with the last one, and
 * for parts that are too small */
function sentencesOf(event: TraceEvent): string[] {
  const sentences = explain(event);
  if (event.type !== 'parse') return sentences;
  if (TOO_SMALL.includes(event.part)) return [];
  if (event.part === 'chunk line') return event.number <= CHUNKS_SHOWN ? sentences : [];
  const hidden = event.part === 'last chunk' ? event.chunks - CHUNKS_SHOWN : 0;
  if (hidden <= 0) return sentences;
  const [last = '', ...rest] = sentences;
  return [`${count(hidden, 'more chunk')}, then the ${last}`, ...rest];
}

/** Makes the lines of a trace. */
export class TraceFormatter {
  private last: number | undefined;

  /** @param terminal its width is asked for at each event; 80 columns where it has none */
  constructor(
    private readonly hasColour: boolean,
    private readonly terminal: { readonly columns?: number } = {},
  ) {}

  /** @returns the lines of an event, each with its line end, in ASCII. An empty line comes
   * before them where the events of another connection begin. */
  format(event: TraceEvent): string {
    const lines = this.linesOf(event);
    if (lines === '') return '';
    const isOther = this.last !== undefined && this.last !== event.connection;
    this.last = event.connection;
    return isOther ? `\n${lines}` : lines;
  }

  private linesOf(event: TraceEvent): string {
    const lines = sentencesOf(event)
      .map((text) => this.line(event, text))
      .join('');
    switch (event.type) {
      case 'read': {
        const { bytes: text, offset } = event;
        return lines + this.bytes([{ text, offset, length: text.length }], 'read');
      }
      case 'parse': {
        // Where one request ends and the next begins in bytes that have arrived, the
        // numbers of the bytes start again.
        if (event.part !== 'request') return lines;
        const next = { text: event.next, length: event.unread };
        return lines + this.bytes([next], 'read');
      }
      case 'write':
        return lines + this.bytes(event.responses, 'write');
      case 'reject':
        return lines + this.rejection(event);
      default:
        return lines;
    }
  }

  /** Time, connection, verb and a text. What does not fit hangs under the text. */
  private line({ at, connection, type }: TraceEvent, text: string): string {
    const time = (at / 1000).toFixed(3).padStart(7);
    const name = (connection === 0 ? '--' : `c${connection}`).padEnd(3);
    const isRejected = type === 'reject';
    const verb = this.paint(type.padEnd(6), isRejected ? 'rejectedVerb' : 'verb');
    const start = `${time} ${name} `;
    // Large numbers take some of the room beside the margin.
    const room = this.room - (`${start}${type.padEnd(6)} `.length - MARGIN);
    const rows = wrapWords(text, room, type === 'route' ? STEPS : WORDS).map((row) =>
      isRejected ? this.paint(row, 'rejected') : row,
    );
    return `${start}${verb} ${rows.join(`\n${' '.repeat(MARGIN)}`)}\n`;
  }

  /** One printed line for each line of the bytes, with its offset. */
  private bytes(parts: readonly (Written & { offset?: number })[], style: Style): string {
    let room = BYTES_SHOWN;
    let hidden = 0;
    const lines = parts.flatMap(({ length, offset: at = 0, text }) => {
      const shown = text.slice(0, room);
      room -= shown.length;
      hidden += length - shown.length;
      let offset = at;
      return (shown.match(/[^\n]*\n|[^\n]+/g) ?? []).map((line) => {
        offset += line.length;
        return this.numbered(offset - line.length, line, style);
      });
    });
    const more = hidden > 0 ? this.indented(`... ${count(hidden, 'more byte')}`) : '';
    return lines.join('') + more;
  }

  /** The line that has a wrong byte, a mark below that byte, and the hint. */
  private rejection({ error, excerpt }: EventOf<'reject'>): string {
    const { hint, offset: wrong } = error;
    const { bytes, offset } = excerpt;
    const from = Math.max(offset, wrong - LINE_SHOWN / 2);
    const shown = bytes.slice(from - offset, from - offset + LINE_SHOWN);
    return (
      (shown === '' ? this.mark(0, wrong) : this.numbered(from, shown, 'rejected', wrong)) +
      (hint === '' ? '' : this.indented(hint)) +
      this.indented('not handled: not logged, not counted')
    );
  }

  /** Some bytes of one line, and the offset of the first. What does not fit hangs under it.
   * @param wrong the offset of a byte that is marked on a line of its own */
  private numbered(offset: number, text: string, style: Style, wrong = NaN): string {
    const rows = wrapBytes(text, this.room);
    const lines = rows.map(({ from, to }, index) => {
      const number = (index === 0 ? String(offset) : '').padStart(MARGIN - 3);
      const margin = `${this.paint(number, 'offset')} | `;
      const at = wrong - offset;
      // A byte that is missing is marked behind the last one.
      const isMarked = at >= from && (at < to || index === rows.length - 1);
      if (!isMarked) return `${margin}${this.paint(escape(text.slice(from, to)), style)}\n`;
      const before = escape(text.slice(from, at));
      const byte = escape(text.slice(at, Math.min(at + 1, to)));
      const after = escape(text.slice(at + 1, to));
      const line =
        this.paint(before, style) + this.paint(byte, 'wrong') + this.paint(after, style);
      return `${margin}${line}\n${this.mark(before.length, wrong)}`;
    });
    return lines.join('');
  }

  /** A mark below a byte. What it says stands on the side that has room.
   * @param column where the byte is, from 0 */
  private mark(column: number, offset: number): string {
    const what = `byte ${offset}`;
    const fits = column + `^ ${what}`.length <= this.room;
    const mark = fits ? `${' '.repeat(column)}^ ${what}` : `${what} ^`.padStart(column + 1);
    return `${' '.repeat(MARGIN - 3)} | ${mark}\n`;
  }

  private indented(text: string): string {
    const margin = ' '.repeat(MARGIN);
    return wrapWords(text, this.room, WORDS)
      .map((row) => `${margin}${row}\n`)
      .join('');
  }

  /** How many characters fit beside the margin. */
  private get room(): number {
    return Math.max(this.terminal.columns ?? COLUMNS, FEWEST_COLUMNS) - MARGIN;
  }

  private paint(text: string, style: Style): string {
    return this.hasColour ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
  }
}

/** @param gaps matches each space at which the text may continue on the next row */
function wrapWords(text: string, room: number, gaps: RegExp): string[] {
  const rows: string[] = [];
  for (const word of text.length > room ? text.split(gaps) : [text]) {
    const row = `${rows.at(-1)} ${word}`;
    if (rows.length > 0 && row.length <= room) rows[rows.length - 1] = row;
    else rows.push(word);
  }
  return rows;
}

/** Cuts bytes into rows that fit, but no escape in two.
 * @returns the first and the last byte of each row */
function wrapBytes(text: string, room: number): { from: number; to: number }[] {
  const rows: { from: number; to: number }[] = [];
  let from = 0;
  let width = 0;
  if (escape(text).length > room) {
    for (let at = 0; at < text.length; at += 1) {
      const { length } = escape(text.charAt(at));
      if (width + length > room) {
        const to = text[at - 1] === ' ' ? at - 1 : at; // nobody sees a space at the end of a row
        rows.push({ from, to });
        from = to;
        width = at - to;
      }
      width += length;
    }
  }
  return [...rows, { from, to: text.length }];
}
