/** The lanes: who sent what to whom, on an axis of time. Only what is in sight is drawn. The
 * keys go from exchange to exchange, and a click on an arrow goes to its step. */
import { Axis } from '../model/axis';
import { lanesOf, type LanesData } from '../model/lanes';
import type { ExchangeData, PageData } from '../model/page-data';
import { byId, draw } from './dom';
import { view, type View } from './view';

/** Sizes in pixels: of a lane at least and at most, and of the axis. */
const LANE = [25, 44] as const;
const AXIS = 19;
/** Before the first event and after the last one there is room for words. */
const MARGIN = [26, 230] as const;
/** What is near is drawn, too. */
const NEAR = 300;
/** How wide a character is, nearly: two labels of a lane never overlap. */
const CHARACTER = 6.1;

type Places = { readonly [name: string]: number };

export class Lanes {
  private readonly pane = byId('lanes-pane');
  private readonly canvas = byId('lanes');
  private readonly names = byId('lane-names');
  private data: LanesData | undefined;
  private axis = new Axis([], 0, MARGIN);
  private exchanges: readonly ExchangeData[] = [];
  private chosen: ExchangeData | undefined;
  private now: number | undefined;
  private isWaiting = false;

  constructor(choose: (exchange: ExchangeData, step?: number) => void) {
    const { canvas, pane } = this;
    canvas.addEventListener('click', ({ target }) => {
      const at = target instanceof Element ? target.closest('[data-key]') : null;
      const exchange = this.find(at?.getAttribute('data-key'));
      const step = at?.getAttribute('data-step');
      if (exchange !== undefined) choose(exchange, step ? Number(step) : undefined);
    });
    canvas.addEventListener('keydown', (event) => {
      const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (way === undefined || this.chosen === undefined) return;
      event.preventDefault();
      const to = this.exchanges[this.exchanges.indexOf(this.chosen) + way];
      if (to === undefined) return;
      choose(to);
      this.focus();
    });
    pane.addEventListener('scroll', () => this.drawSoon());
    new ResizeObserver(() => {
      this.measure();
      this.drawSoon();
    }).observe(pane);
    for (const type of ['beforeprint', 'afterprint'])
      addEventListener(type, () => this.draw(type === 'beforeprint'));
  }

  /** @param exchanges those that are shown
   * @param isHidden whether it is not told yet what became of one */
  show(
    data: PageData,
    exchanges: readonly ExchangeData[],
    isHidden: (exchange: ExchangeData) => boolean,
  ): void {
    this.exchanges = exchanges;
    this.data = lanesOf(data, exchanges, isHidden);
    this.measure();
    this.draw();
  }

  /** Marks an exchange, and a time. */
  mark(exchange: ExchangeData | undefined, now: number | undefined): void {
    const isOther = keyOf(exchange) !== keyOf(this.chosen);
    this.chosen = exchange;
    this.now = now;
    if (isOther) this.reveal();
    this.draw();
  }

  focus(): void {
    this.canvas
      .querySelector<HTMLElement>('[aria-selected="true"]')
      ?.focus({ preventScroll: true });
  }

  private find(key: string | null | undefined): ExchangeData | undefined {
    return this.exchanges.find((one) => keyOf(one) === key);
  }

  private measure(): void {
    this.axis = new Axis(this.data?.times ?? [], this.pane.clientWidth, MARGIN);
  }

  private get pitch(): number {
    const room = this.pane.clientHeight - AXIS - 4;
    const fair = room / Math.max(1, this.data?.names.length ?? 1);
    return Math.floor(Math.min(LANE[1], Math.max(LANE[0], fair)));
  }

  /** Scrolls to the exchange that is chosen. */
  private reveal(): void {
    const { axis, chosen, data, pane, pitch } = this;
    const span = data?.spans.find(({ exchange }) => keyOf(exchange) === keyOf(chosen));
    if (data === undefined || span === undefined) return;
    const [left, right] = [axis.at(span.from) - 60, axis.at(span.to) + MARGIN[1]];
    if (
      left < pane.scrollLeft ||
      axis.at(span.from) + 120 > pane.scrollLeft + pane.clientWidth
    )
      pane.scrollLeft = Math.max(0, Math.min(left, right - pane.clientWidth));
    const lane = data.names.indexOf(span.lane);
    const top = lane * pitch;
    const room = pane.clientHeight - AXIS - pitch;
    if (
      lane < data.names.length - 1 &&
      (top < pane.scrollTop || top + pitch > pane.scrollTop + room)
    )
      pane.scrollTop = top - room / 2;
  }

  private drawSoon(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  /** @param isAll for paper */
  private draw(isAll = false): void {
    const { axis, canvas, data, names, now, pane, pitch } = this;
    if (data === undefined) return;
    const height = data.names.length * pitch + 4;
    canvas.style.width = `${axis.width}px`;
    canvas.style.height = `${height + AXIS}px`;
    const { clientHeight, clientWidth, scrollLeft, scrollTop } = pane;
    const left = isAll ? 0 : scrollLeft - NEAR;
    const right = isAll ? Infinity : scrollLeft + clientWidth + NEAR;
    const bottom = isAll
      ? height + AXIS
      : Math.min(height + AXIS, scrollTop + clientHeight);
    // The last lane and the axis are always in sight.
    const last = data.names.length - 1;
    const ground = bottom - AXIS - pitch;
    const topOf = (lane: number): number => (lane === last ? ground : 4 + lane * pitch);
    const lanes = new Map(data.names.map((name, lane) => [name, lane]));
    const isInSight = (lane: number): boolean => {
      const top = topOf(lane);
      return isAll || lane === last || (top > scrollTop - pitch && top < ground - 6);
    };
    const middleOf = (name: string): number => topOf(lanes.get(name) ?? last) + pitch / 2;
    const isNear = ({
      from,
      to,
    }: {
      readonly from: number;
      readonly to: number;
    }): boolean => axis.at(to) > left && axis.at(from) < right;
    const inSight = data.names.flatMap((name, lane) =>
      isInSight(lane) ? [{ name, lane }] : [],
    );
    const seen = new Set(inSight.map(({ name }) => name));
    const labels = new Labels();

    const lines = inSight.map(({ lane, name }) =>
      mark(`line${lane === last ? ' own' : ''}`, { y: middleOf(name) }),
    );
    const spans = data.spans
      .filter((one) => seen.has(one.lane) && isNear(one))
      .map(({ exchange, from, lane, says, to }) => {
        const x = exchange.connection === 0 ? 2 : axis.at(from) - 5;
        const width = exchange.connection === 0 ? MARGIN[0] - 8 : axis.at(to) - x + 5;
        const isChosen = keyOf(exchange) === keyOf(this.chosen);
        return view('div', {
          class: 'span',
          role: 'option',
          'aria-selected': String(isChosen),
          'aria-label': says,
          tabindex: isChosen ? 0 : -1,
          'data-key': keyOf(exchange),
          ...places({
            x,
            y: topOf(lanes.get(lane) ?? last),
            w: Math.max(12, width),
            h: pitch,
          }),
        });
      });
    const boxes = data.boxes
      .filter((one) => seen.has(one.lane) && isNear(one))
      .flatMap(({ exchange, from, kind, lane, says, to }) => {
        const x = axis.at(from);
        const width = Math.max(2, axis.at(to) - x);
        // Two requests of a client may wait at the same time.
        const isOdd = exchange === undefined || exchange.number % 2 === 1;
        const isOwn = lane === data.names[last] || kind === 'left-over';
        const y = middleOf(lane) + (isOwn ? -5 : isOdd ? 2 : 8);
        const key = keyOf(exchange);
        const isWide =
          width > says.length * CHARACTER || ['reject', 'left-over'].includes(kind);
        const row = kind === 'reject' ? `${lane} below` : `${lane} box`;
        const isFree = isWide && labels.take(row, x, says);
        const label = isFree
          ? [mark(`says ${kind}`, { x, y: y + (isOwn ? 10 : 0) }, says, key)]
          : [];
        return [
          mark(`box ${kind}`, { x, y, w: width, h: isOwn ? 10 : 5 }, '', key, says),
          ...label,
        ];
      });
    const arrows = data.arrows
      .filter(
        ({ at, from, to }) =>
          isNear({ from: at, to: at }) && seen.has(from) && seen.has(to),
      )
      .flatMap((arrow) => {
        const { at, exchange, from, kind, says, step, to } = arrow;
        const x = axis.at(at);
        const [start, end] = [middleOf(from), middleOf(to)];
        const key = keyOf(exchange);
        const y = Math.max(scrollTop, Math.min(start, end));
        const h = Math.max(start, end) - y;
        const line = mark(
          `arrow ${kind} ${end > start ? 'down' : 'up'}`,
          { x, y, h },
          '',
          key,
          says,
          step,
        );
        const isUp = kind !== 'request';
        const client = isUp ? to : from;
        const isFree = labels.take(`${client} ${isUp}`, x + 6, says);
        const middle = middleOf(client);
        const label = { x: x + 5, y: isUp ? middle + 1 : middle - 14 };
        return isFree ? [line, mark(`says ${kind}`, label, says, key, says, step)] : [line];
      });
    const cursor =
      now === undefined ? [] : [mark('cursor', { x: axis.at(now), h: bottom - AXIS })];
    const cuts = axis
      .cuts(left, right)
      .flatMap(({ says, width, x }) => [
        mark('pause', { x, w: width, y: 0, h: bottom }),
        mark('paused', { x, w: width, y: bottom - AXIS + 2 }, says),
      ]);
    const ticks = axis
      .ticks(left, right)
      .map(({ says, x }) => mark('tick', { x, y: bottom - AXIS + 2 }, says));
    const ground0 = mark('ground', { y: ground - 2, h: pitch + AXIS + 2 });
    const isCovered = ground < 4 + last * pitch;
    draw(canvas, [
      ...lines.slice(0, -1),
      ...(isCovered ? [ground0] : []),
      ...lines.slice(-1),
      ...cuts,
      ...ticks,
      ...cursor,
      ...spans,
      ...boxes,
      ...arrows,
    ]);
    draw(
      names,
      inSight.map(({ lane, name }) =>
        view('div', places({ y: topOf(lane) - (isAll ? 0 : scrollTop), h: pitch }), name),
      ),
    );
  }
}

/** Where the last label ends in each row of labels. */
class Labels {
  private readonly ends = new Map<string, number>();

  /** @returns whether there is room for a label */
  take(row: string, x: number, says: string): boolean {
    if (says === '' || x < (this.ends.get(row) ?? -Infinity)) return false;
    this.ends.set(row, x + says.length * CHARACTER + 6);
    return true;
  }
}

/** What names an exchange in the address: "4.1". A connection that has sent nothing yet has
 * the name of its first request. */
export function keyOf(exchange: ExchangeData | undefined): string {
  if (exchange === undefined) return '';
  return `${exchange.connection}.${Math.max(1, exchange.number)}`;
}

function places(all: Places): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [`--${name}`, `${value.toFixed(1)}px`]),
  );
}

/** What the eye sees: the options are there for the ear. */
function mark(
  name: string,
  at: Places,
  text = '',
  key?: string,
  title?: string,
  step?: number,
): View {
  const about = { class: name, 'aria-hidden': 'true', title, ...places(at) };
  const where = { 'data-key': key || undefined, 'data-step': step };
  return view('span', { ...about, ...where }, ...(text === '' ? [] : [text]));
}
