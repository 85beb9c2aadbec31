/** The bytes of one message, in order: each can be chosen with the mouse or the
 * keyboard. */
import type { GlossaryEntry, MessageData, PageData } from '../page-data';
import { count, element } from './dom';
import { layOut, nameByte, showByte, type Row, type Segment } from './rows';

/** How many bytes of a part, and how many rows, are shown before a button that shows
 * more. */
const BYTES_SHOWN = 400;
const MORE_BYTES = 4000;
const ROWS_SHOWN = 120;

/** What stands below bytes that have no part. */
const STATES = {
  read: '',
  waiting: 'not judged yet',
  ignored: 'never judged',
  future: 'not here yet',
  wrong: '\u2716 wrong byte',
  missing: 'nothing more arrived',
} as const;

/** How wide a character of a label is, compared with that of a byte. */
const LABEL_WIDTH = 0.78;

type OnChoose = (offset: number, segment: Segment, byte: number) => void;

export class ByteView {
  private readonly data: PageData;
  private readonly grid: HTMLElement;
  private readonly onChoose: OnChoose;
  private rows: readonly Row[] = [];
  private message: MessageData | undefined;
  private text = '';
  private step = 0;
  private chosen = -1;
  /** How many bytes are shown of segments that were opened, by their first offset. */
  private readonly opened = new Map<number, number>();
  private firstRow = 0;
  private lastRow = ROWS_SHOWN;

  constructor(data: PageData, grid: HTMLElement, onChoose: OnChoose) {
    this.data = data;
    this.grid = grid;
    this.onChoose = onChoose;
    grid.addEventListener('click', ({ target }) => {
      const cell = target instanceof Element ? target.closest('[data-at]') : null;
      if (cell !== null) this.choose(Number(cell.getAttribute('data-at')), true);
    });
    grid.addEventListener('keydown', (event) => this.onKey(event));
  }

  /** @param text the bytes of the message
   * @param step shows what had arrived and been read by then */
  show(message: MessageData, text: string, step: number, focus: number): void {
    if (message !== this.message) {
      this.opened.clear();
      this.chosen = -1;
    }
    const isNew = message !== this.message;
    this.message = message;
    this.text = text;
    this.step = step;
    this.rows = layOut(this.data, message, text, step);
    const row = this.rows.findIndex(({ to }) => to > focus);
    const at = row < 0 ? this.rows.length - 1 : row;
    if (isNew || at < this.firstRow || at >= this.lastRow) {
      this.firstRow = Math.max(0, at - ROWS_SHOWN / 2);
      this.lastRow = this.firstRow + ROWS_SHOWN;
    }
    this.render();
  }

  /** The byte that is chosen, or -1. */
  get chosenByte(): number {
    return this.chosen;
  }

  /** @param isMoved whether the focus moves to that byte */
  choose(offset: number, isMoved: boolean): void {
    this.mark(offset);
    const cell = this.cell(offset);
    if (isMoved) cell?.focus();
    const segment = this.segmentAt(offset);
    const byte = this.text.charCodeAt(offset - (this.message?.from ?? 0));
    if (segment) this.onChoose(offset, segment, byte);
  }

  segmentAt(offset: number): Segment | undefined {
    const row = this.rows.find(({ to }) => offset < to);
    return row?.segments.find(({ to }) => offset < to);
  }

  private mark(offset: number): void {
    const before = this.cell(this.chosen);
    before?.setAttribute('tabindex', '-1');
    before?.setAttribute('aria-selected', 'false');
    this.chosen = offset;
    const cell = this.cell(offset) ?? this.grid.querySelector<HTMLElement>('[data-at]');
    cell?.setAttribute('tabindex', '0');
    if (cell?.getAttribute('data-at') === String(offset))
      cell.setAttribute('aria-selected', 'true');
  }

  private cell(offset: number): HTMLElement | null {
    return this.grid.querySelector<HTMLElement>(`[data-at="${offset}"]`);
  }

  private render(): void {
    const hadFocus = this.grid.contains(document.activeElement);
    const rows = this.rows.slice(this.firstRow, this.lastRow).map((row) => this.row(row));
    const before = this.firstRow;
    const behind = this.rows.length - this.lastRow;
    if (before > 0) {
      const earlier = (): number => (this.firstRow = Math.max(0, before - ROWS_SHOWN));
      rows.unshift(this.button(`${count(before, 'row')} before these`, earlier));
    }
    if (behind > 0) {
      const later = (): number => (this.lastRow += ROWS_SHOWN);
      rows.push(this.button(`${count(behind, 'more row')}`, later));
    }
    this.grid.replaceChildren(...rows);
    this.pullIn();
    this.mark(this.chosen);
    if (hadFocus) this.cell(this.chosen)?.focus();
  }

  private row({ label, from, segments }: Row): HTMLElement {
    const head = element(
      'div',
      { class: 'head', role: 'rowheader' },
      element('span', { class: 'offset' }, `from byte ${from}`),
      element('span', { class: 'label' }, label),
    );
    const parts = segments.map((segment, index) =>
      this.segment(segment, segments.slice(index + 1)),
    );
    const cells = element('div', { class: 'cells', role: 'none' }, ...parts);
    return element('div', { class: 'row', role: 'row' }, head, cells);
  }

  private segment(segment: Segment, behind: readonly Segment[]): HTMLElement {
    const { entry, from, isNew, state, to } = segment;
    const part = this.data.glossary[entry];
    const announced = this.announcedBy(segment);
    const limit = this.opened.get(from) ?? BYTES_SHOWN;
    const end = Math.min(to, from + limit);
    const start = this.message?.from ?? 0;
    const bytes = element('span', { class: 'bytes', role: 'none' });
    for (let offset = from; offset < end; offset += 1) {
      const byte = this.text.charCodeAt(offset - start);
      const glyph = showByte(byte);
      const isEscaped = glyph.length > 1 || byte === 0x20;
      const what = { role: 'gridcell', class: isEscaped ? 'byte escaped' : 'byte' };
      const name = part ? nameOf(part) : STATES[state];
      const label = `byte ${offset}: ${nameByte(byte)}, ${name}${announced}`;
      const place = { 'data-at': offset, tabindex: -1, 'aria-label': label };
      bytes.append(element('span', { ...what, ...place }, glyph));
      if (byte === 0x20) bytes.append(element('wbr')); // a line of bytes breaks where text would
    }
    if (state === 'missing') bytes.append(element('span', { class: 'byte' }, '\u2205'));
    if (end < to) {
      const more = (): Map<number, number> => this.opened.set(from, limit + MORE_BYTES);
      bytes.append(this.button(count(to - end, 'more byte'), more));
    }
    const isWrong = state === 'wrong' || state === 'missing';
    const kind = isWrong ? 'wrong' : (part?.kind ?? 'none');
    const tag = this.labelOf(segment) + announced;
    const classes = ['part', `k-${kind}`, `is-${state}`];
    if (isNew) classes.push('is-new');
    if (announced !== '') classes.push('is-announced');
    const hasRoom = this.hasRoom(tag, segment, behind);
    const isLow = (isWrong || announced !== '') && !hasRoom;
    if (isLow) classes.push('is-low');
    if (isLow || hasRoom) classes.push('is-overhung');
    const below = element('span', { class: 'tag', 'aria-hidden': 'true' }, tag);
    return element('span', { class: classes.join(' '), role: 'none' }, bytes, below);
  }

  /** What stands below a segment: nothing where its bytes speak for themselves. */
  private labelOf({ entry, state }: Segment): string {
    const part = this.data.glossary[entry];
    return part?.kind === 'delimiter' ? '' : (part?.name ?? STATES[state]);
  }

  /** @returns what a size announces, if the bytes after it are not what it says */
  private announcedBy({ from, to }: Segment): string {
    const rejection = this.message?.rejection;
    const { announced, step } = rejection ?? {};
    if (announced === undefined || step === undefined || step > this.step) return '';
    const { offset, length, size } = announced;
    if (from < offset || to > offset + length) return '';
    return `: announces ${count(size, 'byte')}`;
  }

  /** A label may be wider than its bytes if those after it have none. Where they have one, that
   * of the wrong byte stands on a line of its own. */
  private hasRoom(tag: string, segment: Segment, behind: readonly Segment[]): boolean {
    const next = behind.findIndex((other) => this.labelOf(other) !== '');
    if (next < 0) return true;
    const free = [segment, ...behind.slice(0, next)];
    const columns = free.reduce((sum, { from, to }) => sum + this.columns(from, to), 0);
    return tag.length * LABEL_WIDTH < columns;
  }

  /** Labels that would leave the row on the right begin further left. */
  private pullIn(): void {
    for (const label of this.grid.querySelectorAll<HTMLElement>('.is-overhung .tag')) {
      const room = this.grid.getBoundingClientRect().right - 10;
      const { left } = label.getBoundingClientRect();
      const excess = left + label.scrollWidth - room;
      if (excess > 0) label.style.marginLeft = `${-Math.min(excess, left)}px`;
    }
  }

  /** About how many characters show these bytes: more than a line has need no count. */
  private columns(from: number, to: number): number {
    const start = this.message?.from ?? 0;
    const bytes = Array.from(
      this.text.slice(from - start, Math.min(to, from + 40) - start),
    );
    return bytes.reduce((sum, byte) => sum + showByte(byte.charCodeAt(0)).length, 0);
  }

  private button(text: string, act: () => unknown): HTMLElement {
    const button = element('button', { type: 'button', class: 'more' }, text);
    button.addEventListener('click', (event) => {
      event.stopPropagation();
      act();
      this.render();
    });
    return button;
  }

  private onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    // The arrow keys go from step to step again.
    if (event.key === 'Escape') this.cell(this.chosen)?.blur();
    const to = this.target(event.key);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = to.getAttribute('data-at');
    if (at !== null) this.choose(Number(at), true);
  }

  /** @returns the byte that a key leads to, or undefined where the key means nothing
   * here */
  private target(key: string): Element | undefined {
    const cells = [...this.grid.querySelectorAll('[data-at]')];
    const index = cells.findIndex(
      (cell) => cell.getAttribute('data-at') === String(this.chosen),
    );
    const current = cells[index];
    switch (key) {
      case 'ArrowLeft':
        return cells[index - 1] ?? current;
      case 'ArrowRight':
        return cells[index + 1] ?? current;
      case 'Home':
        return current?.closest('.row')?.querySelector('[data-at]') ?? current;
      case 'End':
        return (
          [...(current?.closest('.row')?.querySelectorAll('[data-at]') ?? [])].at(-1) ??
          current
        );
      case 'ArrowUp':
        return findNearest(cells.slice(0, Math.max(0, index)).reverse(), current, -1);
      case 'ArrowDown':
        return findNearest(cells.slice(index + 1), current, 1);
      default:
        return undefined;
    }
  }
}

/** The name of a part, in plain words too where it is an abbreviation. */
export function nameOf({ name, plain }: GlossaryEntry): string {
  return plain === undefined ? name : `${name} (${plain})`;
}

/** @param cells those before or behind the current one, the nearest first
 * @returns the one that is above or below it, in the next line */
function findNearest(cells: Element[], current: Element | undefined, way: 1 | -1) {
  if (current === undefined) return cells[0];
  const { left, top, height } = current.getBoundingClientRect();
  let line: number | undefined;
  let best: Element | undefined;
  let distance = Infinity;
  for (const cell of cells) {
    const rect = cell.getBoundingClientRect();
    if ((rect.top - top) * way < height / 2) continue; // the line of the current one
    line ??= rect.top;
    if (Math.abs(rect.top - line) > height / 2) break;
    const away = Math.abs(rect.left - left);
    if (away < distance) [best, distance] = [cell, away];
  }
  return best ?? current;
}
