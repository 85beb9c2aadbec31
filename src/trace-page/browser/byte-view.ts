/** The bytes of one message, in order: each can be chosen with the mouse or the
 * keyboard. */
import type { MessageData, PageData } from '../page-data';
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

type OnChoose = (offset: number, segment: Segment, byte: number) => void;

export class ByteView {
  private readonly data: PageData;
  private readonly grid: HTMLElement;
  private readonly onChoose: OnChoose;
  private rows: readonly Row[] = [];
  private message: MessageData | undefined;
  private text = '';
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
    this.rows = layOut(this.data, message, text, step);
    const row = this.rows.findIndex(({ to }) => to > focus);
    const at = row < 0 ? this.rows.length - 1 : row;
    if (isNew || at < this.firstRow || at >= this.lastRow) {
      this.firstRow = Math.max(0, at - ROWS_SHOWN / 2);
      this.lastRow = this.firstRow + ROWS_SHOWN;
    }
    this.render();
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
    this.mark(this.chosen);
    if (hadFocus) this.cell(this.chosen)?.focus();
  }

  private row({ label, from, segments }: Row): HTMLElement {
    const head = element(
      'div',
      { class: 'head', role: 'rowheader' },
      element('span', { class: 'offset' }, String(from)),
      element('span', { class: 'label' }, label),
    );
    const parts = segments.map((segment) => this.segment(segment));
    const cells = element('div', { class: 'cells', role: 'none' }, ...parts);
    return element('div', { class: 'row', role: 'row' }, head, cells);
  }

  private segment(segment: Segment): HTMLElement {
    const { entry, from, isNew, state, to } = segment;
    const part = this.data.glossary[entry];
    const limit = this.opened.get(from) ?? BYTES_SHOWN;
    const end = Math.min(to, from + limit);
    const start = this.message?.from ?? 0;
    const bytes = element('span', { class: 'bytes', role: 'none' });
    for (let offset = from; offset < end; offset += 1) {
      const byte = this.text.charCodeAt(offset - start);
      const glyph = showByte(byte);
      const isEscaped = glyph.length > 1 || byte === 0x20;
      const what = { role: 'gridcell', class: isEscaped ? 'byte escaped' : 'byte' };
      const label = `byte ${offset}: ${nameByte(byte)}, ${part?.name ?? STATES[state]}`;
      const place = { 'data-at': offset, tabindex: -1, 'aria-label': label };
      bytes.append(element('span', { ...what, ...place }, glyph));
    }
    if (state === 'missing') bytes.append(element('span', { class: 'byte' }, '\u2205'));
    if (end < to) {
      const more = (): Map<number, number> => this.opened.set(from, limit + MORE_BYTES);
      bytes.append(this.button(count(to - end, 'more byte'), more));
    }
    const isWrong = state === 'wrong' || state === 'missing';
    const tag = isWrong ? `${STATES[state]} ${from}` : (part?.name ?? STATES[state]);
    const kind = isWrong ? 'wrong' : (part?.kind ?? 'none');
    const classes = `part k-${kind} is-${state}${isNew ? ' is-new' : ''}`;
    const below = element('span', { class: 'tag', 'aria-hidden': 'true' }, tag);
    return element('span', { class: classes, role: 'none' }, bytes, below);
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
    const index = cells.findIndex((cell) => cell.getAttribute('data-at') === String(this.chosen));
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
          [...(current?.closest('.row')?.querySelectorAll('[data-at]') ?? [])].at(-1) ?? current
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
