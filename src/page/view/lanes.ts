/** The lanes: who sent what to whom, on an axis of time. Only what is near is drawn. Pure: it
 * knows no page. */
import type { Axis } from '../model/axis';
import type { Arrow, Box, LanesData, Span } from '../model/lanes';
import type { ExchangeData } from '../model/page-data';
import { keyOf } from './state';
import { view, type Attributes, type View } from './view';

/** Sizes in pixels: of a lane at least and at most, and of the axis. */
const LANE = [25, 44] as const;
const AXIS = 19;
/** Before the first event and after the last one there is room for words. */
export const MARGIN = [26, 350] as const;
/** What is near is drawn, too. */
const NEAR = 300;
/** What is in sight before and behind the step that is chosen. */
const [BEFORE, BEHIND] = [60, 180];
/** How wide a character is, nearly: two labels of a lane never overlap. */
const CHARACTER = 6.1;

/** What of the lanes is in sight, in pixels. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type Places = { readonly [name: string]: number };

export class LanesView {
  readonly height: number;
  private readonly pitch: number;
  private readonly last: number;
  /** Where the last lane is, and what is below what is in sight. */
  private readonly ground: number;
  private readonly bottom: number;
  /** The lanes that are in sight, and where they begin. */
  private readonly tops = new Map<string, number>();
  /** Where the Tab key goes. */
  private readonly stop: ExchangeData | undefined;
  /** Where the last label ends in each row of labels. */
  private readonly ends = new Map<string, number>();

  constructor(
    private readonly data: LanesData,
    private readonly axis: Axis,
    private readonly window: Window,
    /** The exchange that is chosen, if it is of this run, and the time of the step. */
    private readonly chosen: ExchangeData | undefined,
    private readonly now: number | undefined,
  ) {
    const { names } = data;
    const fair = (window.height - AXIS - 4) / Math.max(1, names.length);
    this.pitch = Math.floor(Math.min(LANE[1], Math.max(LANE[0], fair)));
    this.last = names.length - 1;
    const own = data.spans.find(({ exchange }) => keyOf(exchange) === keyOf(chosen));
    this.stop = (own ?? data.spans[0])?.exchange;
    this.height = names.length * this.pitch + 4 + AXIS;
    // The last lane and the axis are always in sight.
    this.bottom = Math.min(this.height, window.top + window.height);
    this.ground = this.bottom - AXIS - this.pitch;
    for (const [lane, name] of names.entries()) {
      const top = lane === this.last ? this.ground : 4 + lane * this.pitch;
      const isInSight = top > window.top - this.pitch && top < this.ground - 6;
      if (lane === this.last || isInSight) this.tops.set(name, top);
    }
  }

  names(): View[] {
    return Array.from(this.tops, ([name, top]) =>
      view('div', places({ y: top - this.window.top, h: this.pitch }), name),
    );
  }

  view(): View[] {
    const { axis, bottom, data, ground, now, tops } = this;
    const [left, right] = [
      this.window.left - NEAR,
      this.window.left + this.window.width + NEAR,
    ];
    const isNear = (from: number, to = from): boolean =>
      axis.at(to) > left && axis.at(from) < right;
    const isIn = ({ from, lane, to }: Span | Box): boolean =>
      tops.has(lane) && isNear(from, to);
    const lines = Array.from(tops.keys(), (name) =>
      mark('line', { y: this.middleOf(name) }),
    );
    const isCovered = ground < 4 + this.last * this.pitch;
    const axisTop = bottom - AXIS + 2;
    return [
      ...lines.slice(0, -1),
      ...(isCovered ? [mark('ground', { y: ground - 2, h: this.pitch + AXIS + 2 })] : []),
      ...lines.slice(-1),
      ...axis
        .cuts(left, right)
        .flatMap(({ says, width, x }) => [
          mark('pause', { x, w: width, y: 0, h: bottom }),
          mark('paused', { x, w: width, y: axisTop }, says),
        ]),
      ...axis
        .ticks(left, right)
        .map(({ says, x }) => mark('tick', { x, y: axisTop }, says)),
      ...(now === undefined ? [] : [mark('cursor', { x: axis.at(now), h: bottom - AXIS })]),
      ...data.spans
        .filter((one) => one.exchange === this.stop || isIn(one))
        .map((one) => this.span(one)),
      ...data.boxes.filter(isIn).flatMap((one) => this.box(one)),
      ...data.arrows
        .filter(({ at, from, to }) => isNear(at) && tops.has(from) && tops.has(to))
        .flatMap((one) => this.arrow(one)),
    ];
  }

  /** @returns where to scroll, so that the exchange and its step are in sight */
  reveal(exchange: ExchangeData): Pick<Window, 'left' | 'top'> {
    const { axis, data, now = 0, pitch } = this;
    const { height, left, top, width } = this.window;
    const span = data.spans.find((one) => keyOf(one.exchange) === keyOf(exchange));
    if (span === undefined) return { left, top };
    const [from, at] = [axis.at(span.from) - BEFORE, axis.at(now)];
    const isBeside = at - BEFORE < left || at + BEHIND > left + width;
    const lane = data.names.indexOf(span.lane);
    const room = height - AXIS - pitch;
    const isAbove = lane * pitch < top || (lane + 1) * pitch > top + room;
    return {
      left: isBeside ? Math.max(0, from, at + BEHIND - width) : left,
      top: lane < this.last && isAbove ? lane * pitch - room / 2 : top,
    };
  }

  private middleOf(lane: string): number {
    const natural = 4 + this.data.names.indexOf(lane) * this.pitch;
    return (this.tops.get(lane) ?? natural) + this.pitch / 2;
  }

  private span({ exchange, from, lane, says, to }: Span): View {
    const { axis, pitch } = this;
    const isServer = exchange.connection === 0;
    const x = isServer ? 2 : axis.at(from) - 5;
    const width = isServer ? MARGIN[0] - 8 : axis.at(to) - x + 5;
    const isChosen = keyOf(exchange) === keyOf(this.chosen);
    return view('div', {
      class: 'span',
      role: 'option',
      'aria-selected': String(isChosen),
      'aria-label': says,
      tabindex: exchange === this.stop ? 0 : -1,
      'data-key': keyOf(exchange),
      ...places({
        x,
        y: this.middleOf(lane) - pitch / 2,
        w: Math.max(12, width),
        h: pitch,
      }),
    });
  }

  private box({ exchange, from, kind, lane, says, to }: Box): View[] {
    const x = this.axis.at(from);
    const width = Math.max(2, this.axis.at(to) - x);
    // Two requests of a client may wait at the same time.
    const isOdd = exchange === undefined || exchange.number % 2 === 1;
    const isOwn = lane === this.data.names[this.last] || kind === 'left-over';
    const y = this.middleOf(lane) + (isOwn ? -5 : isOdd ? 2 : 8);
    const about = aboutOf(exchange);
    const isNamed = kind === 'reject' || kind === 'left-over';
    const isWide = isNamed || width > says.length * CHARACTER;
    const row = kind === 'left-over' ? lane : `${lane} ${kind === 'reject'}`;
    const place = { x, y: y + (isOwn ? 10 : 0) };
    return [
      mark(`box ${kind}`, { x, y, w: width, h: isOwn ? 10 : 5 }, '', {
        ...about,
        title: says,
      }),
      ...(isWide ? this.label(row, kind, place, says, about) : []),
    ];
  }

  private arrow({ at, exchange, from, kind, says, step, to }: Arrow): View[] {
    const x = this.axis.at(at);
    const [start, end] = [this.middleOf(from), this.middleOf(to)];
    const y = Math.max(this.window.top, Math.min(start, end));
    const about = { ...aboutOf(exchange), 'data-step': step, title: says };
    const isUp = kind !== 'request';
    const client = isUp ? to : from;
    const middle = this.middleOf(client);
    const place = { x: x + 5, y: isUp ? middle + 1 : middle - 14 };
    const way = end > start ? 'down' : 'up';
    return [
      mark(`arrow ${kind} ${way}`, { x, y, h: Math.max(start, end) - y }, '', about),
      ...this.label(isUp ? client : `above ${client}`, kind, place, says, about),
    ];
  }

  /** A label, where there is room for it in its row. */
  private label(
    row: string,
    kind: string,
    at: Places,
    says: string,
    about: Attributes,
  ): View[] {
    const { x = 0 } = at;
    if (says === '' || x < (this.ends.get(row) ?? -Infinity)) return [];
    this.ends.set(row, x + says.length * CHARACTER + 6);
    return [mark(`says ${kind}`, at, says, about)];
  }
}

function aboutOf(exchange: ExchangeData | undefined): Attributes {
  return exchange === undefined ? {} : { 'data-key': keyOf(exchange) };
}

function places(all: Places): Attributes {
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [`--${name}`, `${value.toFixed(1)}px`]),
  );
}

/** What the eye sees: the options are there for the ear. */
function mark(name: string, at: Places, text = '', more: Attributes = {}): View {
  const about = { class: name, 'aria-hidden': 'true', ...places(at), ...more };
  return view('span', about, ...(text === '' ? [] : [text]));
}
