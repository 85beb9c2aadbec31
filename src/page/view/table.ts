/** The table of exchanges, and how each spent its time. Of a long table only the rows
 * around those in sight are drawn, and two empty rows have the height of the rest. */
import type { ExchangeData, PageData } from '../model/page-data';
import { byId, element } from './dom';
import { durationOf, isFinal, phasesOf, placesOf, remarkOn } from '../model/waterfall';
import { milliseconds } from '../model/words';

/** The most rows that are drawn at once. */
const ROWS_DRAWN = 100;

export class Table {
  private readonly box = byId('table');
  private readonly body = byId('rows');
  private places: readonly number[] = [];
  private data: PageData | undefined;
  private isHidden: (exchange: ExchangeData) => boolean = () => false;
  /** The index of the first row that is drawn, and that after the last one. */
  private first = 0;
  private end = 0;
  private chosen: ExchangeData | undefined;

  constructor(private readonly onChoose: (exchange: ExchangeData) => void) {
    const { body } = this;
    body.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest('tr') : null;
      const exchange = row === null ? undefined : this.exchanges[this.indexOf(row)];
      if (exchange !== undefined) this.onChoose(exchange);
    });
    body.addEventListener('keydown', (event) => {
      const row = event.target instanceof Element ? event.target.closest('tr') : null;
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (row === null || way === undefined) return;
      const to = this.exchanges[this.indexOf(row) + way];
      if (to === undefined) return;
      event.preventDefault();
      this.onChoose(to);
      this.focus();
    });
    this.box.addEventListener('scroll', () => this.drawInSight());
    addEventListener('beforeprint', () => this.draw(0, Infinity));
    addEventListener('afterprint', () => {
      this.draw(0);
      this.drawInSight();
    });
  }

  private get exchanges(): readonly ExchangeData[] {
    return this.data?.exchanges ?? [];
  }

  /** @param next the exchange that is chosen next: it is among the rows that are drawn
   * @param isHidden whether it is not told yet what became of an exchange */
  show(
    data: PageData,
    next: ExchangeData | undefined,
    isHidden: (exchange: ExchangeData) => boolean,
  ): void {
    const { chosen } = this;
    this.data = data;
    this.isHidden = isHidden;
    this.places = placesOf(data.steps);
    this.chosen = data.exchanges.find(
      ({ connection, number }) =>
        connection === chosen?.connection && number === chosen.number,
    );
    const index = next === undefined ? -1 : data.exchanges.indexOf(next);
    const isDrawn = index < 0 || (index >= this.first && index < this.first + ROWS_DRAWN);
    this.draw(isDrawn ? this.first : index - ROWS_DRAWN / 2);
  }

  /** Draws some of the rows, with what is chosen among them as it was. */
  private draw(wanted: number, most = ROWS_DRAWN): void {
    const { body, data, exchanges } = this;
    if (data === undefined) return;
    const hadFocus = body.contains(document.activeElement);
    this.first = Math.max(0, Math.min(wanted, exchanges.length - most));
    this.end = Math.min(exchanges.length, this.first + most);
    const rows = exchanges.slice(this.first, this.end).map((exchange, index) => {
      const before = exchanges[this.first + index - 1]?.connection;
      const row = this.row(
        data,
        exchange,
        before === exchange.connection,
        this.isHidden(exchange),
      );
      row.setAttribute('aria-rowindex', String(this.first + index + 2)); // 1 is the heading
      return row;
    });
    body.parentElement?.setAttribute('aria-rowcount', String(exchanges.length + 1));
    const rest = exchanges.length - this.end;
    body.replaceChildren(...makeSpace(this.first), ...rows, ...makeSpace(rest));
    this.mark();
    if (hadFocus) this.focus();
  }

  /** Draws other rows when a row comes into sight that is not drawn. */
  private drawInSight(): void {
    const { box, body, end, exchanges, first } = this;
    if (end - first >= exchanges.length) return;
    const height = body.offsetHeight / exchanges.length;
    const top = Math.floor(box.scrollTop / height);
    const bottom = Math.min(exchanges.length, Math.ceil(top + box.clientHeight / height));
    if (top < first || bottom > end) this.draw(Math.floor((top + bottom - ROWS_DRAWN) / 2));
  }

  /** Marks an exchange, and a step in all rows. */
  choose(exchange: ExchangeData, step: number): void {
    if (this.chosen !== exchange) {
      this.chosen = exchange;
      const index = this.exchanges.indexOf(exchange);
      if (index < this.first || index >= this.end)
        this.draw(index - Math.floor(ROWS_DRAWN / 2));
      else this.mark();
      this.chosenRow?.scrollIntoView({ block: 'nearest' });
    }
    this.body.style.setProperty('--cursor', onAxis(this.places[step]));
  }

  private get chosenRow(): HTMLElement | null {
    return this.body.querySelector('[aria-selected="true"]');
  }

  /** Marks the row that is chosen. If it is not drawn, the Tab key leads to another one. */
  private mark(): void {
    const { body, chosen, exchanges } = this;
    for (const row of body.querySelectorAll('[tabindex="0"]')) {
      row.setAttribute('aria-selected', 'false');
      row.setAttribute('tabindex', '-1');
    }
    const index = chosen === undefined ? -1 : exchanges.indexOf(chosen);
    const row = body.querySelector(`[aria-rowindex="${index + 2}"]`);
    row?.setAttribute('aria-selected', 'true');
    (row ?? body.querySelector('[aria-rowindex]'))?.setAttribute('tabindex', '0');
  }

  focus(): void {
    this.chosenRow?.focus({ preventScroll: true });
  }

  private indexOf(row: Element): number {
    return Number(row.getAttribute('aria-rowindex')) - 2;
  }

  private row(
    data: PageData,
    exchange: ExchangeData,
    isSame: boolean,
    isHidden: boolean,
  ): HTMLElement {
    const { connection, number, request, responses, title } = exchange;
    const client = connection === 0 ? 'server' : `c${connection}`;
    const name = number > 1 ? `${client}, ${number}` : client;
    const sent =
      request.arrivals.at(-1)?.[1] ??
      exchange.length ??
      (number > 0 ? '?' : exchange.dropped);
    const written = responses.filter(({ isSent }) => isSent);
    const most = written.some(({ unsent }) => unsent > 0) ? '\u2264 ' : '';
    const received = most + written.reduce((sum, { length }) => sum + length, 0);
    const duration = durationOf(data, exchange);
    const [status, isBad] = isHidden ? ['?', false] : statusOf(exchange);
    const [short = '', ...long] = status.split(/(?= )/);
    const bytes = connection === 0 ? '' : `${sent} \u2192 ${isHidden ? '?' : received}`;
    const time = isHidden || duration === undefined ? '' : milliseconds(duration);
    return element(
      'tr',
      {
        tabindex: -1,
        'aria-selected': 'false',
        'aria-label': `${name}, ${title}, ${status}`,
      },
      element('td', { class: isSame ? 'soft' : '', title: name }, name),
      element('td', { class: 'mono', title }, title),
      element(
        'td',
        { class: isBad ? 'bad' : '', title: status },
        short,
        element('span', { class: 'long' }, ...long),
      ),
      element('td', { class: 'num', title: bytes }, bytes),
      element('td', { class: 'num' }, time),
      this.bars(data, exchange, isHidden),
    );
  }

  private bars(data: PageData, exchange: ExchangeData, isHidden: boolean): HTMLElement {
    const cell = element('td', { class: 'fall', 'aria-hidden': 'true' });
    const phases = isHidden || exchange.connection === 0 ? [] : phasesOf(data, exchange);
    for (const { from, kind, to } of phases) {
      const bar = element('i', { class: `phase ${kind}` });
      bar.style.left = onAxis(this.places[from]);
      bar.style.width = `calc(${onAxis(this.places[to])} - ${onAxis(this.places[from])})`;
      cell.append(bar);
    }
    const remark = isHidden ? '' : remarkOn(data, exchange);
    const last = phases.at(-1);
    if (remark === '' || last === undefined) return cell;
    const note = element(
      'span',
      { class: exchange.rejection ? 'note bad' : 'note' },
      remark,
    );
    note.style.left = `calc(${onAxis(this.places[last.to])} + 6px)`;
    cell.append(note);
    return cell;
  }
}

/** @returns a row that takes the room of some rows that are not drawn */
function makeSpace(rows: number): HTMLElement[] {
  if (rows === 0) return [];
  const space = element('tr', { role: 'none' });
  space.style.height = `calc(${rows} * var(--row))`;
  return [space];
}

/** @returns what became of an exchange, and whether it was rejected */
function statusOf({
  connection,
  outcome,
  rejection,
  responses,
}: ExchangeData): [string, boolean] {
  if (rejection !== undefined)
    return [`\u2716\u00a0${rejection.status} at byte ${rejection.offset}`, true];
  const response = responses.filter(isFinal).at(-1);
  if (outcome === '' && response !== undefined)
    return [`${response.status}${response.unsent > 0 ? ', cut short' : ''}`, false];
  if (connection === 0) return ['', false];
  return [outcome === '' ? '\u2026 in progress' : `\u2013 ${outcome}`, false];
}

/** The axis leaves room for a remark behind the last bar. */
function onAxis(place = 0): string {
  return `calc(${place.toFixed(5)} * (100% - var(--room)))`;
}
