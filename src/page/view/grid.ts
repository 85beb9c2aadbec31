/** The bytes of one message: each is one cell, which the mouse and the keyboard can choose.
 * Labels lie in a lane below their row, so that none moves a byte. */
import type { OtherReadings } from '../model/page-data';
import { nameByte, showByte, toHex } from '../model/bytes';
import { button, element } from './dom';
import { labelsOf, POINTER, type Label } from '../model/labels';
import { FAULTS, type Message, type MessageAt } from '../model/message';
import { Readers } from '../model/readers';
import type { Cut } from '../model/readings';
import { isIn, relationsOf } from '../model/relations';
import { count } from '../model/words';

/** How many bytes and rows are drawn at once. */
const BYTES_DRAWN = 6000;
const ROWS_DRAWN = 150;
/** A longer span is named where it begins, and has no other mark. */
const LONGEST_MARK = 1024;

export class ByteGrid {
  readonly element: HTMLElement;
  private readonly grid: HTMLElement;
  private rows: readonly number[];
  readonly readers: Readers;
  private when: MessageAt;
  private chosen: number | undefined;
  private firstRow = 0;
  /** The columns of the other readers, once there is a verdict to compare them with. */
  private columns: readonly (readonly Cut[])[] = [];

  constructor(
    readonly message: Message,
    other: OtherReadings | undefined,
    private readonly onChoose: (offset: number) => void,
  ) {
    this.readers = new Readers(message, other);
    this.rows = message.rows();
    this.when = message.when(-1);
    const isRequest = message.side === 'request';
    const name = `Bytes of the ${isRequest ? 'request' : 'response'}`;
    this.grid = element('div', { class: 'grid', role: 'grid', 'aria-label': name });
    this.element = element('div', { class: 'grids' }, this.grid);
    this.grid.addEventListener('click', ({ target }) => {
      if (!(target instanceof Element)) return;
      const cell = target.closest('[data-at]');
      const cut = target.closest('.rd');
      if (cell !== null) onChoose(offsetOf(cell));
      else if (cut !== null) onChoose(Number(cut.getAttribute('data-from')));
    });
    this.grid.addEventListener('keydown', (event) => this.onKey(event));
    this.grid.addEventListener('copy', (event) => this.copy(event));
  }

  /** Shows what of the message had arrived and was known at a step.
   * @param focus a byte that is to be among those that are drawn
   * @param chosen the byte that is marked */
  draw(step: number, focus: number, chosen: number | undefined): void {
    this.chosen = chosen;
    this.when = this.message.when(step);
    this.columns = this.readers.columnsAt(step);
    // Before a verdict, a row that ends where a reader ends the request would tell of it.
    this.rows = this.message.rows(
      this.columns.flat().flatMap(({ from, to }) => [from, to]),
    );
    this.element.className = `grids by-${this.columns.length}`;
    const row = this.rowOf(focus);
    if (row < this.firstRow || row >= this.lastRow) this.firstRow = Math.max(0, row - 4);
    this.render();
  }

  /** Marks a byte, its part, and what belongs with it. */
  choose(offset: number | undefined): void {
    this.chosen = offset;
    this.mark();
  }

  cell(offset: number): HTMLElement | null {
    return this.grid.querySelector<HTMLElement>(`[data-at="${offset}"]`);
  }

  /** Marks bytes as long as the mouse is over what is about them. */
  point(spans: readonly (readonly [from: number, length: number])[]): void {
    for (const cell of this.grid.querySelectorAll('.pointed'))
      cell.classList.remove('pointed');
    for (const [from, length] of spans) this.each(from, length, 'pointed');
  }

  private rowOf(offset: number): number {
    const row = this.rows.filter((start) => start <= offset).length - 1;
    return Math.max(0, Math.min(row, this.rows.length - 2)); // the last number is the end
  }

  private get lastRow(): number {
    const from = this.rows[this.firstRow] ?? 0;
    const behind = this.rows.findIndex((start) => start > from + BYTES_DRAWN);
    const last = behind < 0 ? this.rows.length - 1 : behind;
    return Math.min(last, this.firstRow + ROWS_DRAWN);
  }

  private render(): void {
    const { firstRow, lastRow, rows } = this;
    const focused = this.grid.contains(document.activeElement);
    const drawn: HTMLElement[] = [];
    let before = '';
    for (let index = firstRow; index < lastRow; index += 1) {
      const tag = this.tagOf(rows[index] ?? 0);
      drawn.push(this.row(rows[index] ?? 0, rows[index + 1] ?? 0, tag, tag === before));
      before = tag;
    }
    if (this.message.text === '')
      drawn.push(this.row(this.message.end, this.message.end, '', true));
    if (firstRow > 0) {
      const to = Math.max(0, firstRow - ROWS_DRAWN);
      drawn.unshift(this.more(`${count(firstRow, 'row')} before these`, to));
    }
    const behind = rows.length - 1 - lastRow;
    if (behind > 0) drawn.push(this.more(count(behind, 'more row'), lastRow));
    const heads = this.columns.length > 0 ? [this.heads()] : [];
    const before0 = heads.length + (firstRow > 0 ? 1 : 0);
    const cuts = this.columns.flatMap((column, index) =>
      column.flatMap((cut) => this.cut(cut, index, before0)),
    );
    for (const [index, one] of [...heads, ...drawn].entries())
      one.style.gridRow = String(index + 1);
    this.grid.replaceChildren(...heads, ...drawn, ...cuts);
    this.mark();
    if (focused && this.chosen !== undefined) this.cell(this.chosen)?.focus();
  }

  private more(text: string, firstRow: number): HTMLElement {
    const show = (): void => {
      this.firstRow = firstRow;
      this.render();
    };
    return element('div', { class: 'more', role: 'none' }, button(text, show));
  }

  private tagOf(offset: number): string {
    const part = this.when.part(offset);
    const wrong = this.when.isWrong(offset) ? this.when.rejection?.line : undefined;
    const line = this.message.entry(part)?.line ?? wrong;
    if (line !== undefined) return TAGS[line] ?? line;
    const state = this.when.state(offset);
    return state === 'never' ? 'never parsed' : state === 'whole' ? 'not accepted' : '';
  }

  private row(from: number, to: number, tag: string, isSame: boolean): HTMLElement {
    const { message, when } = this;
    const cells = element('span', { class: 'cells', role: 'none' });
    for (let offset = from; offset < to; offset += 1) {
      const made = [...(this.waitsAt(offset) ? [makeGap()] : []), this.byte(offset)];
      const cr = cells.lastElementChild;
      // A line end is never cut in two where a row is too long for the window.
      if (cr !== null && message.slice(offset - 1, 2) === '\r\n')
        cells.append(element('span', { class: 'end', role: 'none' }, cr, ...made));
      else cells.append(...made);
    }
    const isLast = to === message.end;
    const { rejection } = when;
    if (isLast && rejection !== undefined && rejection.offset >= message.end)
      cells.append(this.nothing(rejection.offset));
    if (isLast && this.waitsAt(to)) cells.append(makeGap());
    const name = `${tag === '' ? 'bytes' : tag}, from byte ${from}`;
    return element(
      'div',
      { class: 'row', role: 'row', 'aria-label': name, 'data-from': from },
      element('span', { class: 'tag', 'aria-hidden': 'true' }, isSame ? '' : tag),
      element(
        'span',
        { class: 'off', role: 'rowheader', 'aria-label': name },
        String(from),
      ),
      cells,
    );
  }

  private byte(offset: number): HTMLElement {
    const { message, when } = this;
    const byte = message.at(offset);
    const state = when.state(offset);
    const part = when.part(offset);
    const kind = message.entry(part)?.kind;
    const classes = ['b', kind === undefined ? state : `k-${kind}`];
    if (part?.[3] === when.step && message.side === 'request') classes.push('new');
    if (byte === 0x20) classes.push('space');
    const shown = showByte(byte);
    if (shown.length > 2) classes.push('wide');
    if (when.isWrong(offset)) classes.push('wrong');
    const isCut = message.message.arrivals.some(([, end]) => end === offset);
    if (isCut && offset < when.arrived) classes.push('cut');
    const turn = this.readers.beginAt(when.step, offset);
    if (turn !== '') classes.push('begins');
    const value = state === 'future' ? '' : `${nameByte(byte)}, `;
    const what = `byte ${offset}, ${value}${when.describe(offset)}`;
    const name = turn === '' ? what : `${what}, ${turn}`;
    return element(
      'span',
      {
        ...{ class: classes.join(' '), role: 'gridcell', tabindex: -1, 'aria-label': name },
        ...{ 'data-at': offset, 'data-hex': toHex(byte) },
      },
      shown,
    );
  }

  /** Where a byte is missed: it can be chosen like a byte. */
  private nothing(offset: number): HTMLElement {
    const name = `byte ${offset}, ${FAULTS.nothing.is}`;
    return element(
      'span',
      {
        ...{ class: 'b wrong nothing', role: 'gridcell', tabindex: -1 },
        ...{ 'data-at': offset, 'aria-label': name },
      },
      '\u2205',
    );
  }

  /** Whether the server waits for the byte with an offset. */
  private waitsAt(offset: number): boolean {
    const { message, when } = this;
    const verb = message.data.steps[when.step]?.verb;
    return verb === 'wait' && message.side === 'request' && offset === when.arrived;
  }

  private heads(): HTMLElement {
    const heads = this.readers.heads().map(([name, does], index) => {
      const [, who = '', rest = name] = (index > 0 && /^(\S+ )(.*)$/.exec(name)) || [];
      return element(
        'div',
        { class: 'rh' },
        element('b', {}, element('span', { class: 'who' }, who), rest),
        element('span', { class: 'does' }, does),
      );
    });
    return element(
      'div',
      { class: 'row heads', 'aria-hidden': 'true' },
      element('span', { class: 'tag' }),
      element('span', { class: 'off' }),
      ...heads,
    );
  }

  /** What another reader takes as one, beside the rows that it has. What all readers read
   * alike is soft.
   * @param before how many rows of the grid come before those of bytes */
  private cut(cut: Cut, column: number, before: number): HTMLElement[] {
    const { firstRow, lastRow, rows } = this;
    const own = rows.slice(firstRow, lastRow).flatMap((start, index) => {
      const end = rows[firstRow + index + 1] ?? start;
      return end > cut.from && start < cut.to ? index : [];
    });
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const classes = ['rd', cut.kind];
    const isSame = ({ from, kind, request, to }: Cut): boolean =>
      from === cut.from && to === cut.to && kind === cut.kind && request === cut.request;
    if (this.columns.length > 1 && this.columns.every((other) => other.some(isSame)))
      classes.push('alike');
    if (cut.request > 1 && cut.kind !== 'skipped') classes.push('second');
    const { end } = this.message;
    const behind = cut.kind === 'content' ? cut.to - end : 0;
    const more = behind > 0 ? `, ${behind} of them after this request` : '';
    const number = cut.kind === 'head' ? String(cut.request) : '';
    const made = element(
      'div',
      {
        ...{ class: classes.join(' '), 'aria-hidden': 'true', 'data-from': cut.from },
        title: cut.says + more,
      },
      element('span', { class: 'number' }, number),
      element(
        'span',
        { class: 'says' },
        cut.says + more,
        element('small', {}, `${cut.from}\u2013${cut.to - 1}`),
      ),
    );
    made.style.gridArea = `${before + first + 1} / ${column + 4} / ${before + last + 2}`;
    return [made];
  }

  // The marks, and the labels in the lanes.

  private each(from: number, length: number, name: string): void {
    const end = Math.min(from + length, this.rows[this.lastRow] ?? this.message.end + 1);
    for (
      let at = Math.max(from, this.rows[this.firstRow] ?? 0);
      at < Math.max(end, from + 1);
      at += 1
    )
      this.cell(at)?.classList.add(name);
  }

  private mark(): void {
    const { chosen, grid, when } = this;
    for (const lane of grid.querySelectorAll('.lane')) lane.remove();
    for (const name of ['chosen', 'also', 'here'])
      for (const cell of grid.querySelectorAll(`.${name}`)) cell.classList.remove(name);
    for (const { length, offset, says } of relationsOf(when).flat())
      if (says.startsWith('says')) this.each(offset, length, 'measure');
    const { also, labels } = labelsOf(when, this.readers, chosen);
    const part = chosen === undefined ? undefined : when.part(chosen);
    if (part !== undefined) this.each(part[1], part[2], 'chosen');
    for (const { length, offset } of also)
      if (length <= LONGEST_MARK) this.each(offset, length, 'also');
    this.label(labels);
    if (chosen !== undefined) this.cell(chosen)?.classList.add('here');
    for (const cell of grid.querySelectorAll('[tabindex="0"]'))
      cell.setAttribute('tabindex', '-1');
    const stop =
      (chosen === undefined ? null : this.cell(chosen)) ?? grid.querySelector('[data-at]');
    stop?.setAttribute('tabindex', '0');
  }

  /** Puts labels under their bytes; two in one lane never overlap. */
  private label(labels: readonly Label[]): void {
    /** For each row its lines, and where the last label below a line ends. */
    const rows = new Map<Element | null, { middle: number; end: number }[]>();
    const places = labels.flatMap(([offset, text, kind]) => {
      const cell =
        offset < 0 ? this.grid.querySelector<HTMLElement>('.gap') : this.cell(offset);
      return cell === null ? [] : { cell, text, kind };
    });
    places.sort(({ cell: one }, { cell: other }) => one.offsetLeft - other.offsetLeft);
    for (const { cell, kind, text } of places) {
      const cells = cell.closest<HTMLElement>('.cells');
      const lane = element('span', { class: `lane ${kind}`, 'aria-hidden': 'true' }, text);
      cells?.append(lane);
      // A gap is not as high as a byte.
      const middle = cell.offsetTop + cell.offsetHeight / 2;
      const lines = rows.get(cells) ?? [];
      rows.set(cells, lines);
      const known = lines.find(
        (one) => Math.abs(one.middle - middle) < cell.offsetHeight / 2,
      );
      const line = known ?? { middle, end: 0 };
      if (known === undefined) lines.push(line);
      const room = (cells?.clientWidth ?? 0) - lane.offsetWidth;
      // Where there is no room to the right, the label ends under its byte.
      if (cell.offsetLeft > room && text.startsWith(POINTER))
        lane.textContent = `${text.slice(POINTER.length)} ${POINTER.trim()}`;
      const last = cell.offsetLeft + cell.offsetWidth - lane.offsetWidth;
      const wanted = cell.offsetLeft > room ? last : cell.offsetLeft;
      const left = Math.max(line.end, wanted);
      // Where it stands elsewhere, it would point to another byte.
      const isAway = left > Math.max(0, wanted);
      if (isAway && text.endsWith(' later')) {
        lane.remove();
        continue;
      }
      lane.classList.toggle('away', isAway);
      if (isAway && text.startsWith(POINTER)) lane.textContent = text.slice(POINTER.length);
      lane.style.left = `${left}px`;
      lane.style.top = `${cell.offsetTop + cell.offsetHeight}px`;
      line.end = left + lane.offsetWidth + 8;
    }
  }

  /** What is selected is copied as the bytes that it shows. */
  private copy(event: ClipboardEvent): void {
    const selection = getSelection();
    if (selection === null || event.clipboardData === null) return;
    const cells = [...this.grid.querySelectorAll('[data-at]')].filter((cell) =>
      selection.containsNode(cell, true),
    );
    const offsets = cells.map(offsetOf).filter((offset) => offset < this.message.end);
    const bytes = offsets.map((offset) => this.message.slice(offset, 1)).join('');
    event.clipboardData.setData('text/plain', bytes);
    event.preventDefault();
  }

  // The keys.

  private onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { chosen = this.message.from } = this;
    const to = this.target(event.key, chosen);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const last = Math.max(this.message.end - 1, this.when.rejection?.offset ?? 0);
    const offset = Math.max(this.message.from, Math.min(last, to));
    if (this.cell(offset) === null) this.draw(this.when.step, offset, this.chosen);
    this.onChoose(offset);
    this.cell(offset)?.focus();
  }

  /** @returns the byte that a key leads to, or undefined where it leads to none */
  private target(key: string, at: number): number | undefined {
    const part = this.when.part(at);
    switch (key) {
      case 'ArrowLeft':
        return at - 1;
      case 'ArrowRight':
        return at + 1;
      case 'ArrowUp':
      case 'ArrowDown':
        return this.nextLine(at, key === 'ArrowUp' ? -1 : 1);
      case 'Home':
        return this.rows[this.rowOf(at)];
      case 'End':
        return (this.rows[this.rowOf(at) + 1] ?? this.message.end) - 1;
      case ']':
        return part && part[1] + part[2];
      case '[':
        return part && this.when.part(part[1] - 1)?.[1];
      case 'w':
        return this.when.rejection?.offset;
      case 'r': {
        const groups = relationsOf(this.when);
        const group = groups.find((spans) => spans.some((span) => isIn(span, at))) ?? [];
        const index = group.findIndex((span) => isIn(span, at));
        return group[(index + 1) % group.length]?.offset;
      }
      default:
        return undefined;
    }
  }

  /** @returns the byte that is above or below another */
  private nextLine(at: number, way: 1 | -1): number | undefined {
    const cell = this.cell(at);
    if (cell === null) return undefined;
    const { height, left, top } = cell.getBoundingClientRect();
    let best: number | undefined;
    let distance = Infinity;
    let line: number | undefined;
    const all = [...this.grid.querySelectorAll('[data-at]')];
    for (const other of way > 0 ? all : all.reverse()) {
      const box = other.getBoundingClientRect();
      if ((box.top - top) * way < height / 2) continue; // its own line, or one behind it
      line ??= box.top;
      if (Math.abs(box.top - line) > height / 2) break;
      if (Math.abs(box.left - left) >= distance) continue;
      distance = Math.abs(box.left - left);
      best = offsetOf(other);
    }
    return best;
  }
}

/** What stands where the server waits. */
function makeGap(): HTMLElement {
  return element('span', { class: 'gap', 'aria-hidden': 'true' });
}

function offsetOf(cell: Element): number {
  return Number(cell.getAttribute('data-at'));
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
