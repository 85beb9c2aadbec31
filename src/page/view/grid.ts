/** The bytes of one message at one step: each is one cell, which the mouse and the keyboard
 * can choose. Labels lie below their byte, so that none moves another. Pure: it knows no
 * page. */
import { kindOf } from '../model/glossary';
import { nameByte, showByte } from '../model/bytes';
import { labelsOf, type Label } from '../model/labels';
import type { Message, MessageAt } from '../model/message';
import type { Readers } from '../model/readers';
import type { Cut } from '../model/readings';
import { isIn, relationsOf, type Span } from '../model/relations';
import { count, toHex } from '../../text/text';
import { button, listOf, view, type Child, type View } from './view';

/** How many bytes and rows are drawn at once. */
const BYTES_DRAWN = 6000;
const ROWS_DRAWN = 150;

export class ByteGrid {
  readonly message: Message;
  /** Where each row begins, and the end of the last. */
  private readonly rows: readonly number[];
  /** The rows that are drawn: the first, and the one after the last. */
  private readonly drawn: readonly [first: number, end: number];
  /** The columns of the other readers, once there is a verdict to compare them with. */
  private readonly columns: readonly (readonly Cut[])[];
  private readonly labels = new Map<number, Label[]>();
  private readonly relations: readonly (readonly Span[])[];
  /** What says how long something is. */
  private readonly measures: readonly Span[];
  /** What belongs with the byte that is chosen. */
  private readonly also: readonly Span[];
  /** The byte that the Tab key goes to. */
  private readonly stop: number | undefined;

  /** @param chosen the byte that is marked
   * @param look a byte that is among those that are drawn */
  constructor(
    readonly when: MessageAt,
    readonly readers: Readers,
    private readonly chosen: number | undefined,
    look: number,
  ) {
    this.message = when.message;
    this.columns = readers.columns;
    // Before a verdict, a row that ends where a reader ends the request would tell of it.
    const cuts = this.columns.flat().flatMap(({ from, to }) => [from, to]);
    this.rows = this.message.rows(cuts);
    this.drawn = this.partAround(this.rowOf(look));
    this.relations = relationsOf(when);
    this.measures = this.relations.flat().filter((one) => one.measures);
    const [first, end] = this.drawn;
    const row = chosen === undefined ? -1 : this.rowOf(chosen);
    this.stop = row >= first && row < end ? chosen : this.rows[first];
    const { also, labels } = labelsOf(when, readers, chosen);
    this.also = also;
    for (const label of labels) {
      const [offset] = label;
      this.labels.set(offset, [...(this.labels.get(offset) ?? []), label]);
    }
  }

  view(): View {
    const { columns, message, rows } = this;
    const [first, end] = this.drawn;
    const tags = rows.slice(first, end).map((start) => this.tagOf(start));
    const name = `Bytes of the ${message.side === 'request' ? 'request' : 'response'}`;
    const about = { class: 'grid', role: 'grid', 'aria-label': name };
    return view(
      'div',
      `grids by-${columns.length}`,
      this.more(count(first, 'row') + ' before these', first - 1),
      view(
        'div',
        about,
        columns.length > 0 ? this.heads() : undefined,
        tags.map((tag, index) => this.row(first + index, tag, tags[index - 1])),
        columns.flatMap((cuts, index) => cuts.map((cut) => this.cut(cut, index))),
      ),
      this.more(count(rows.length - 1 - end, 'more row'), end),
    );
  }

  /** @returns the byte that a key leads to, or undefined where it leads to none */
  target(key: string): number | undefined {
    const { message, rows, when } = this;
    const { chosen: at = message.from } = this;
    const row = this.rowOf(at);
    const part = when.part(at);
    const group = this.relations.find((spans) => spans.some((one) => isIn(one, at))) ?? [];
    const next = group.findIndex((one) => isIn(one, at)) + 1;
    const targets: { readonly [key: string]: number | undefined } = {
      ArrowLeft: this.within(at - 1),
      ArrowRight: this.within(at + 1),
      ArrowUp: this.inRow(row - 1, at),
      ArrowDown: this.inRow(row + 1, at),
      Home: rows[row],
      End: this.within((rows[row + 1] ?? message.end) - 1),
      '[': part && when.part(part.offset - 1)?.offset,
      ']': part && this.within(part.offset + part.length),
      w: when.rejection?.offset,
      r: group[next % group.length]?.offset,
    };
    return targets[key];
  }

  /** @returns the byte of a row that is below or above another one, if there is such a row */
  private inRow(row: number, at: number): number {
    const [start, end] = [this.rows[row], this.rows[row + 1]];
    if (start === undefined || end === undefined) return at;
    return Math.min(start + at - (this.rows[this.rowOf(at)] ?? at), end - 1);
  }

  private within(offset: number): number {
    const { end, from } = this.message;
    const last = Math.max(end - 1, this.when.rejection?.offset ?? 0);
    return Math.max(from, Math.min(last, offset));
  }

  private rowOf(offset: number): number {
    const row = this.rows.filter((start) => start <= offset).length - 1;
    return Math.max(0, Math.min(row, this.rows.length - 2));
  }

  /** A long message is cut into parts, one of which is drawn. */
  private partAround(row: number): [first: number, end: number] {
    const { rows } = this;
    let first = 0;
    for (let at = 1; at < rows.length - 1; at += 1) {
      const bytes = (rows[at + 1] ?? 0) - (rows[first] ?? 0);
      if (at - first < ROWS_DRAWN && bytes <= BYTES_DRAWN) continue;
      if (at > row) return [first, at];
      first = at;
    }
    // A message without a byte has a row, too, for what is missed there.
    return [first, Math.max(1, rows.length - 1)];
  }

  /** A button that leads to rows that are not drawn. */
  private more(text: string, to: number): View | undefined {
    const byte = to < this.rows.length - 1 ? this.rows[to] : undefined;
    if (byte === undefined) return undefined;
    return view('div', 'more', button(text, { 'data-byte': byte }));
  }

  private tagOf(offset: number): string {
    const { when } = this;
    const wrong = when.isWrong(offset) ? when.rejection?.line : undefined;
    const line = when.part(offset)?.line ?? wrong;
    if (line !== undefined) return TAGS[line] ?? line;
    const state = when.state(offset);
    return state === 'never' ? 'never parsed' : state === 'whole' ? 'not accepted' : '';
  }

  private row(index: number, tag: string, before: string | undefined): View {
    const { end } = this.message;
    const [from = end, to = end] = this.rows.slice(index, index + 2);
    const name = `${tag === '' ? 'bytes' : tag}, from byte ${from}`;
    return view(
      'div',
      { class: 'row', role: 'row', 'aria-label': name, '--row': this.lineOf(index) },
      view('span', { class: 'tag', 'aria-hidden': 'true' }, tag === before ? '' : tag),
      view('span', { class: 'off', role: 'rowheader', 'aria-label': name }, String(from)),
      view('span', { class: 'cells', role: 'none' }, this.cells(from, to)),
    );
  }

  /** The line of the grid that a row is in. The heads of the columns are in the first. */
  private lineOf(row: number): number {
    return row - this.drawn[0] + 2;
  }

  private cells(from: number, to: number): View[] {
    const { message, when } = this;
    const cells: Child[] = [];
    for (let at = from; at < to; at += 1) {
      // A line end is never cut in two where a row is too long for the window.
      const isLineEnd = at + 1 < to && message.slice(at, 2) === '\r\n';
      if (!isLineEnd) cells.push(this.byte(at));
      else {
        const about = { class: 'end', role: 'none' };
        cells.push(view('span', about, this.byte(at), this.byte(at + 1)));
        at += 1;
      }
    }
    if (to === message.end) {
      const missed = when.rejection?.offset ?? -1;
      // The place of a byte that is missing can be chosen, too.
      if (missed >= to) cells.push(this.cell(missed, '\u2205', ['nothing']));
      cells.push(this.gap(to));
    }
    return listOf(...cells);
  }

  private byte(offset: number): Child {
    const { message, when } = this;
    const state = when.state(offset);
    const part = when.part(offset);
    const byte = message.at(offset);
    const text = showByte(byte);
    const looks = [
      part === undefined ? state : `k-${kindOf(part.name)}`,
      byte === 0x20 && 'space',
      text.length > 2 && 'wide',
      offset < when.arrived && this.isCutAt(offset) && 'cut',
    ];
    return [this.gap(offset), this.cell(offset, text, looks)];
  }

  private cell(offset: number, text: string, looks: readonly (string | false)[]): View {
    const { chosen, message, when } = this;
    const part = when.part(offset);
    const byte = message.at(offset);
    const labels = this.labels.get(offset) ?? [];
    const all = [
      'b',
      ...looks,
      labels.some(([, , kind]) => kind === 'begins') && 'begins',
      part?.step === when.step && message.side === 'request' && 'new',
      when.isWrong(offset) && 'wrong',
      this.measures.some((one) => isIn(one, offset)) && 'measure',
      this.also.some((one) => isIn(one, offset)) && 'also',
      chosen !== undefined && part !== undefined && part === when.part(chosen) && 'chosen',
      offset === chosen && 'here',
    ];
    const isHere = when.state(offset) !== 'future';
    // In the order in which one sees it, and nothing twice.
    const words = new Set([
      `byte ${offset}`,
      isHere ? text.trim() : '',
      ...labels.flatMap(([, says]) => says.split(', ')),
      isHere ? nameByte(byte) : '',
      ...when.describe(offset).split(', '),
    ]);
    const about = {
      class: all.filter((one) => one !== false).join(' '),
      role: 'gridcell',
      tabindex: offset === this.stop ? 0 : -1,
      'aria-label': [...words].filter((word) => word !== '').join(', '),
      'data-at': offset,
      'data-hex': Number.isNaN(byte) ? undefined : toHex(byte),
    };
    return view('span', about, text, labels.map(labelView));
  }

  private isCutAt(offset: number): boolean {
    return this.message.message.arrivals.some(([, end]) => end === offset);
  }

  /** What stands where the server waits for a byte. */
  private gap(offset: number): View | undefined {
    const { message, when } = this;
    const isWaiting = message.data.steps[when.step]?.verb === 'wait';
    const isHere = offset === when.arrived && message.side === 'request';
    const about = { class: 'gap', 'aria-hidden': 'true' };
    const labels = this.labels.get(-1)?.map(labelView);
    return isWaiting && isHere ? view('span', about, labels) : undefined;
  }

  private heads(): View {
    const heads = this.readers.heads().map(([name, does], index) => {
      const attributes = { class: 'rh', '--area': `1 / ${index + 3}` };
      return view('div', attributes, view('b', '', name), does);
    });
    return view('div', { class: 'row heads', 'aria-hidden': 'true' }, heads);
  }

  /** What another reader takes as one part, beside its rows. What all readers read alike
   * is soft. */
  private cut(cut: Cut, column: number): View | undefined {
    const { from, kind, request, to } = cut;
    const { columns, drawn, message } = this;
    const top = Math.max(drawn[0], this.rowOf(from));
    const below = Math.min(drawn[1], this.rowOf(to - 1) + 1);
    if (top >= below || from >= message.end) return undefined;
    const same = JSON.stringify(cut);
    const isAlike =
      columns.length > 1 &&
      columns.every((cuts) => cuts.some((one) => JSON.stringify(one) === same));
    const isSecond = request > 1 && kind !== 'skipped';
    const behind = kind === 'content' ? to - message.end : 0;
    const says = cut.says + (behind > 0 ? `, ${behind} of them after this request` : '');
    const attributes = {
      class: `rd ${kind}${isAlike ? ' alike' : ''}${isSecond ? ' second' : ''}`,
      'aria-hidden': 'true',
      title: says,
      'data-byte': from,
      '--area': `${this.lineOf(top)} / ${column + 4} / ${this.lineOf(below)}`,
    };
    const range = view('small', '', `${from}\u2013${to - 1}`);
    return view('div', attributes, view('span', 'says', says, range));
  }
}

/** The space is between a byte and what is below it. */
function labelView([, says, kind]: Label): View {
  return view('span', { class: `lane ${kind}`, 'aria-hidden': 'true' }, ` ${says}`);
}

/** What stands before the first row of some lines. */
const TAGS: { readonly [line: string]: string } = {
  'empty line before the request line': 'empty line',
  'header field line': 'header fields',
  'end of the header section': 'empty line',
  'chunk line': 'chunk line',
  'end of the chunk': 'chunk end',
  'trailer field line': 'trailer fields',
  'end of the trailer section': 'empty line',
};
