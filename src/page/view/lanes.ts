/// <reference lib="dom" />
/** The lanes of a run: who sent what to whom, on an axis of time. They scroll, and only what
 * is near is drawn. */
import { Axis } from '../model/axis';
import {
  lanesOf,
  SERVER,
  type Arrow,
  type Box,
  type LanesData,
  type Span,
} from '../model/lanes';
import type { ExchangeData } from '../model/page-data';
import { describeExchanges } from '../model/sections';
import { draw } from './dom';
import { dataOf, isHidden, keyOf, shownOf, type State } from './state';
import { listOf, view, type Attributes, type View } from './view';

/** Sizes in pixels: of a lane at least and at most, and of the axis. */
const LANE = [22, 44] as const;
const AXIS = 19;
/** What is above the first lane. */
const TOP = 4;
/** Before the first event and after the last one there is room for words. */
const MARGIN = [26, 350] as const;
/** What is near is drawn, too. */
const NEAR = 300;
/** What is in sight before and behind the step that is chosen. */
const [BEFORE, BEHIND] = [60, 180];
/** How wide a character is, nearly: two labels of a lane never overlap. */
const CHARACTER = 6.1;

/** Paper has all of it. */
const PAPER = new DOMRect(0, 0, Infinity, Infinity);

type Places = { readonly [name in 'x' | 'y' | 'w' | 'h']?: number };

export class LanesPane {
  private readonly called: Element;
  private readonly names: Element;
  private readonly pane: Element;
  private readonly canvas: HTMLElement;
  /** What the lanes were made of last, and what was made of it. */
  private shown: readonly unknown[] = [];
  private data: LanesData = { names: [], spans: [], arrows: [], boxes: [], times: [] };
  private axis = new Axis([], 0, MARGIN);
  /** The exchange that is chosen, if it is of this run, and the time of the step. */
  private chosen: ExchangeData | undefined;
  private now: number | undefined;
  /** What is in sight, where it ends, and where the last lane begins. */
  private window = PAPER;
  private bottom = 0;
  private ground = 0;
  /** How high a lane is. */
  private pitch = 0;
  /** The lanes that are in sight, and where they begin. */
  private readonly tops = new Map<string, number>();
  /** Where the last label ends in each row of labels. */
  private readonly ends = new Map<string, number>();

  constructor(private readonly root: HTMLElement) {
    const part = (name: string) => root.querySelector<HTMLElement>(`.${name}`) ?? root;
    this.called = part('called');
    this.names = part('names');
    this.pane = part('pane');
    this.canvas = part('canvas');
    this.pane.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => {
      this.measure();
      this.draw();
    }).observe(this.pane);
    addEventListener('beforeprint', () => this.draw(PAPER));
    addEventListener('afterprint', () => this.draw());
  }

  /** @param run which of the runs of the page it shows, from 0
   * @param isMoved whether another exchange or step is chosen, which comes into sight */
  show(state: State, run: number, isMoved: boolean): void {
    const { exchange, filter, isPredicting, other, revealed, step } = state;
    const data = dataOf(state, run);
    const shown = [data, filter, isPredicting, other, revealed];
    this.root.hidden = data === undefined;
    if (data !== undefined && shown.some((one, index) => one !== this.shown[index])) {
      const about = `${other?.called[run]}: ${describeExchanges(data, isPredicting)}`;
      draw(this.called, other === undefined ? [] : [about]);
      this.shown = shown;
      this.data = lanesOf(data, shownOf(state, run), (one) => isHidden(state, one, run));
      this.measure();
    }
    this.chosen = run === state.run ? exchange : undefined;
    this.now = this.chosen && data?.steps[step]?.at;
    if (isMoved) this.reveal();
    this.draw();
  }

  private measure(): void {
    this.axis = new Axis(this.data.times, this.pane.clientWidth, MARGIN);
  }

  private inSight(): DOMRect {
    const { clientHeight, clientWidth, scrollLeft, scrollTop } = this.pane;
    return new DOMRect(scrollLeft, scrollTop, clientWidth, clientHeight);
  }

  /** Says where each lane is. @param window what is in sight, in pixels */
  private arrange(window: DOMRect): void {
    this.window = window;
    const { height, top } = window;
    const { names } = this.data;
    const fair = (height - AXIS - TOP) / Math.max(1, names.length);
    this.pitch = Math.floor(Math.min(LANE[1], Math.max(LANE[0], fair)));
    // The last lane and the axis are always in sight.
    const end = TOP + names.length * this.pitch + AXIS;
    this.bottom = Math.min(end, top + height);
    this.ground = this.bottom - AXIS - this.pitch;
    this.canvas.style.width = `${this.axis.width}px`;
    this.canvas.style.height = `${TOP + names.length * this.pitch + AXIS}px`;
    this.tops.clear();
    for (const name of names) {
      const natural = this.naturalTop(name);
      const isInSight =
        natural > top - this.pitch && natural + this.pitch <= this.ground + 1;
      if (name === SERVER) this.tops.set(name, this.ground);
      else if (isInSight) this.tops.set(name, natural);
    }
  }

  /** Scrolls so that the exchange that is chosen and its step are in sight. */
  private reveal(): void {
    const span = this.data.spans.find(({ exchange }) => exchange === this.chosen);
    if (span === undefined) return;
    this.arrange(this.inSight()); // first, because a canvas that is too small cannot scroll
    const { left, top, width } = this.window;
    const [from, at] = [this.axis.at(span.from) - BEFORE, this.axis.at(this.now ?? 0)];
    const isBeside = at - BEFORE < left || at + BEHIND > left + width;
    const lane = this.naturalTop(span.lane) - TOP;
    const isAbove = lane < top || lane + TOP > this.ground - this.pitch;
    this.pane.scrollTo(
      isBeside ? Math.max(0, from, at + BEHIND - width) : left,
      span.lane !== SERVER && isAbove ? lane - (this.ground - top) / 2 : top,
    );
  }

  private draw(window = this.inSight()): void {
    this.arrange(window);
    this.ends.clear();
    const { left, top, width } = this.window;
    const { axis, bottom, data, ground, now, pitch, tops } = this;
    const [from, to] = [left - NEAR, left + width + NEAR];
    const isIn = (begin: number, end: number, ...lanes: readonly string[]): boolean =>
      axis.at(end) > from && axis.at(begin) < to && lanes.every((one) => tops.has(one));
    const chosen = data.spans.find(({ exchange }) => exchange === this.chosen);
    const stop = chosen ?? data.spans[0];
    const below = bottom - AXIS + 5;
    const lines = Array.from(tops.keys(), (name) =>
      mark('line', { y: this.middleOf(name) }),
    );
    const isOver = ground < this.naturalTop(SERVER); // over other lanes
    const views = listOf(
      lines.slice(0, -1),
      isOver ? mark('ground', { y: ground - 2, h: pitch + AXIS + 2 }) : undefined,
      lines.slice(-1),
      axis
        .cuts(from, to)
        .flatMap(({ says, width: w, x }) => [
          mark('pause', { x, w, y: 0, h: bottom }),
          mark('paused', { x, w, y: below }, says),
        ]),
      axis.ticks(from, to).map(({ says, x }) => mark('tick', { x, y: below }, says)),
      now === undefined ? undefined : mark('cursor', { x: axis.at(now), h: bottom - AXIS }),
      data.spans
        .filter((one) => one === stop || isIn(one.from, one.to, one.lane))
        .map((one) => this.span(one, one === chosen, one === stop)),
      data.boxes
        .filter((one) => isIn(one.from, one.to, one.lane))
        .flatMap((one) => this.box(one)),
      data.arrows
        .filter((one) => isIn(one.at, one.at, one.from, one.to))
        .flatMap((one) => this.arrow(one)),
    );
    draw(this.canvas, views);
    draw(
      this.names,
      Array.from(tops, ([name, y]) => view('div', places({ y: y - top, h: pitch }), name)),
    );
  }

  private naturalTop(lane: string): number {
    return TOP + this.data.names.indexOf(lane) * this.pitch;
  }

  private middleOf(lane: string): number {
    return (this.tops.get(lane) ?? this.naturalTop(lane)) + this.pitch / 2;
  }

  private span(span: Span, isChosen: boolean, isStop: boolean): View {
    const { exchange, from, lane, says, to } = span;
    const isServer = exchange.connection === 0;
    const x = isServer ? 2 : this.axis.at(from) - 5;
    const width = isServer ? MARGIN[0] - 8 : this.axis.at(to) - x + 5;
    const y = this.middleOf(lane) - this.pitch / 2;
    return view('div', {
      class: 'span',
      role: 'option',
      'aria-selected': String(isChosen),
      'aria-label': says,
      tabindex: isStop ? 0 : -1,
      'data-key': keyOf(exchange),
      ...places({ x, y, w: Math.max(12, width), h: this.pitch }),
    });
  }

  private box({ exchange, from, kind, lane, says, to }: Box): View[] {
    const x = this.axis.at(from);
    const w = Math.max(2, this.axis.at(to) - x);
    // Two requests of a client may wait at the same time.
    const isOdd = exchange === undefined || exchange.number % 2 === 1;
    const isOwn = lane === SERVER || kind === 'left-over';
    const y = this.middleOf(lane) + (isOwn ? -5 : isOdd ? 2 : 8);
    const about = { 'data-key': keyOf(exchange) || undefined };
    const box = mark(`box ${kind}`, { x, y, w, h: isOwn ? 10 : 5 }, '', {
      ...about,
      title: says,
    });
    const isNamed = kind === 'reject' || kind === 'left-over';
    if (!isNamed && w <= says.length * CHARACTER) return [box];
    const row = kind === 'left-over' ? lane : `${lane} ${kind === 'reject'}`;
    const below = isOwn ? 10 : this.pitch < 40 ? 0 : 5; // where a lane has room
    return [box, ...this.label(row, kind, { x, y: y + below }, says, about)];
  }

  private arrow({ at, exchange, from, kind, says, step, to }: Arrow): View[] {
    const x = this.axis.at(at);
    const [start, end] = [this.middleOf(from), this.middleOf(to)];
    const y = Math.max(this.window.top, Math.min(start, end));
    const key = keyOf(exchange) || undefined;
    const about = { 'data-key': key, 'data-step': step, title: says };
    const isUp = kind !== 'request';
    const row = isUp ? to : `above ${from}`;
    const place = { x: x + 5, y: isUp ? end + 1 : start - 14 };
    const way = end > start ? 'down' : 'up';
    return [
      mark(`arrow ${kind} ${way}`, { x, y, h: Math.max(start, end) - y }, '', about),
      ...this.label(row, kind, place, says, about),
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
