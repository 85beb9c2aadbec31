/** The table of exchanges, and how each spent its time. */
import type { ExchangeData, PageData } from '../page-data';
import { byId, element } from './dom';
import { durationOf, phasesOf, placesOf, remarkOn } from './waterfall';
import { milliseconds } from './words';

/** From here on, a remark stands before its bars: it has no room behind them. */
const LATE = 0.74;

export class Table {
  private readonly body = byId('rows');
  private places: readonly number[] = [];
  private exchanges: readonly ExchangeData[] = [];

  constructor(private readonly onChoose: (exchange: ExchangeData) => void) {
    const { body } = this;
    body.addEventListener('click', ({ target }) => {
      const row = target instanceof Element ? target.closest('tr') : null;
      if (row !== null) this.chooseRow(row);
    });
    body.addEventListener('keydown', (event) => {
      const row = event.target instanceof Element ? event.target.closest('tr') : null;
      const next = event.key === 'ArrowDown' ? row?.nextElementSibling : undefined;
      const to = event.key === 'ArrowUp' ? row?.previousElementSibling : next;
      if (!(to instanceof HTMLTableRowElement)) return;
      event.preventDefault();
      this.chooseRow(to);
      to.focus();
    });
  }

  /** @param isHidden whether it is not told yet what became of an exchange */
  show(data: PageData, isHidden: (exchange: ExchangeData) => boolean): void {
    this.exchanges = data.exchanges;
    this.places = placesOf(data.steps);
    let before = -1;
    const rows = data.exchanges.map((exchange) => {
      const isSame = exchange.connection === before;
      before = exchange.connection;
      return this.row(data, exchange, isSame, isHidden(exchange));
    });
    this.body.replaceChildren(...rows);
  }

  /** Marks an exchange, and a step in all rows. */
  choose(exchange: ExchangeData, step: number): void {
    const row = this.body.children[this.exchanges.indexOf(exchange)];
    const before = this.body.querySelector('[aria-selected="true"]');
    if (before !== row) {
      before?.setAttribute('aria-selected', 'false');
      before?.setAttribute('tabindex', '-1');
      row?.setAttribute('aria-selected', 'true');
      row?.setAttribute('tabindex', '0');
      row?.scrollIntoView({ block: 'nearest' });
    }
    this.body.style.setProperty('--cursor', percent(this.places[step] ?? 0));
  }

  focus(): void {
    this.body.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  private chooseRow(row: HTMLTableRowElement): void {
    const exchange = this.exchanges[row.sectionRowIndex];
    if (exchange !== undefined) this.onChoose(exchange);
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
    const sent = request.arrivals.at(-1)?.[1] ?? 0;
    const received = responses.reduce((sum, { length }) => sum + length, 0);
    const duration = durationOf(data, exchange);
    const [status, isBad] = isHidden ? ['?', false] : statusOf(exchange);
    const [short = '', ...long] = status.split(/(?= )/);
    const bytes = `${sent} \u2192 ${isHidden ? '?' : received}`;
    const time = isHidden || duration === undefined ? '' : milliseconds(duration);
    return element(
      'tr',
      {
        tabindex: -1,
        'aria-selected': 'false',
        'aria-label': `${name}, ${title}, ${status}`,
      },
      element('td', { class: isSame ? 'soft' : '' }, name),
      element('td', { class: 'mono', title }, title),
      element(
        'td',
        { class: isBad ? 'bad' : '', title: status },
        short,
        element('span', { class: 'long' }, ...long),
      ),
      element('td', { class: 'num' }, connection === 0 ? '' : bytes),
      element('td', { class: 'num' }, time),
      this.bars(data, exchange, isHidden),
    );
  }

  private bars(data: PageData, exchange: ExchangeData, isHidden: boolean): HTMLElement {
    const cell = element('td', { class: 'fall', 'aria-hidden': 'true' });
    const phases = isHidden || exchange.connection === 0 ? [] : phasesOf(data, exchange);
    for (const { from, kind, to } of phases) {
      const bar = element('i', { class: `phase ${kind}` });
      const [left = 0, right = 0] = [this.places[from], this.places[to]];
      bar.style.left = percent(left);
      bar.style.width = `calc(${percent(right)} - ${percent(left)})`;
      cell.append(bar);
    }
    const remark = isHidden ? '' : remarkOn(data, exchange);
    const [first, last] = [phases[0], phases.at(-1)];
    if (remark === '' || first === undefined || last === undefined) return cell;
    const note = element(
      'span',
      { class: exchange.rejection ? 'note bad' : 'note' },
      remark,
    );
    const end = this.places[last.to] ?? 0;
    if (end > LATE)
      note.style.right = `calc(100% - ${percent(this.places[first.from] ?? 0)} + 6px)`;
    else note.style.left = `calc(${percent(end)} + 6px)`;
    cell.append(note);
    return cell;
  }
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
  const status = responses.at(-1)?.status;
  if (outcome === '' && status !== undefined) return [status, false];
  if (connection === 0) return ['', false];
  return [outcome === '' ? '\u2026 in progress' : `\u2013 ${outcome}`, false];
}

/** Places on the axis leave some room on the right. */
function percent(place: number): string {
  return `${(97 * place).toFixed(3)}%`;
}
