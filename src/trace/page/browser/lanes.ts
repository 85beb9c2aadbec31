/** The lanes: one for the queue and one for each connection, with a mark for each step.
 * Pauses are shortened, because between steps of microseconds a second would be the
 * whole picture. */
import type { PageData, StepData } from '../page-data';
import { element } from './dom';

/** The distance between two steps, in pixels: the least, and what is added each time that a
 * pause is ten times as long, from 1 ms on. */
const STEP_WIDTH = 15;
const PAUSE_WIDTH = 45;
const LABEL_DISTANCE = 84;
const NAME_WIDTH = 56;
/** What is free before the first step, and after the last one for its time. */
const START_WIDTH = 14;
const END_WIDTH = 60;
/** All steps are fitted into the window, unless that would make them narrower than this. */
const LEAST_FIT = 0.75;
/** A bar with less room has no text. */
const TEXT_WIDTH = 46;

/** What a lane shows from a step on, until the next of these. */
const BARS: { readonly [verb: string]: { readonly state: string; readonly text: string } } =
  {
    wait: { state: 'waiting', text: 'waits' },
    read: { state: 'reading', text: 'reads' },
    reject: { state: 'rejected', text: 'rejected' },
    queue: { state: 'queued', text: 'queued' },
    block: { state: 'blocked', text: 'blocked' },
    turn: { state: 'handled', text: 'handled' },
    idle: { state: 'idle', text: 'idle' },
    close: { state: 'closing', text: 'closing' },
    linger: { state: 'closing', text: 'closing' },
    gone: { state: 'gone', text: '' },
  };
/** The marks of some verbs; the others have a dot. */
const MARKS: { readonly [verb: string]: string } = {
  open: '\u25cb',
  read: '\u25bc',
  write: '\u25b2',
  reject: '\u2716',
  wait: '\u2026',
  queue: '\u25a4',
  turn: '\u25c6',
  gone: '\u25cf',
};
const OTHER_MARK = '\u2022';
/** What the colours of the bars mean. */
const COLOURS: readonly (readonly [state: string, text: string])[] = [
  ['waiting', 'the server waits'],
  ['reading', 'it reads what arrived'],
  ['queued', 'the request is in the queue'],
  ['blocked', 'the client does not read'],
  ['handled', 'the request is handled'],
  ['rejected', 'it is rejected'],
  ['idle', 'nothing is asked'],
  ['closing', 'the connection is closing'],
];

/** A bar of a lane, from one place to another, in pixels. */
interface Bar {
  readonly lane: HTMLElement;
  readonly step: number;
  readonly from: number;
  readonly to: number;
  readonly state: string;
  readonly text: string;
}

export class Lanes {
  private readonly data: PageData;
  private readonly scroller: HTMLElement;
  /** Where each step is, in pixels from the left end of the track. */
  private places: readonly number[] = [];
  private width = 0;
  private fitted = 0;
  private readonly axis = makeLane('seconds', 'axis');
  private readonly server = makeLane('server', 'lane');
  private readonly queue = makeLane('queue', 'lane queue');
  private readonly connections = new Map<number, HTMLElement>();
  private bars: readonly Bar[] = [];
  private readonly track = element('div', { class: 'track' });
  private readonly beyond: HTMLElement;
  private readonly cursor = element('div', { class: 'cursor' });
  /** What is drawn: only what is in view, and a little more. */
  private drawn: HTMLElement[] = [];
  private chosen = 0;

  /** @param beyond says how many steps are out of view */
  constructor(
    data: PageData,
    scroller: HTMLElement,
    beyond: HTMLElement,
    onStep: (step: number) => void,
  ) {
    this.data = data;
    this.scroller = scroller;
    this.beyond = beyond;
    for (const { number } of data.connections) {
      this.connections.set(number, makeLane(`c${number}`, 'lane'));
    }
    const { track } = this;
    const queue = data.queue.length > 0 ? [this.queue] : [];
    track.append(
      this.axis,
      this.server,
      ...queue,
      ...this.connections.values(),
      this.cursor,
    );
    scroller.append(track);
    this.fit();
    new ResizeObserver(() => {
      if (scroller.clientWidth === this.fitted) return;
      this.fit();
      this.show(this.chosen);
    }).observe(scroller);
    scroller.addEventListener('scroll', () => this.draw());
    track.addEventListener('click', ({ clientX, target }) => {
      const step = target instanceof Element ? target.getAttribute('data-step') : null;
      if (step !== null) return onStep(Number(step));
      onStep(this.nearest(clientX - track.getBoundingClientRect().left));
    });
  }

  /** Places the steps in the width that there is. */
  private fit(): void {
    const { clientWidth } = this.scroller;
    this.fitted = clientWidth;
    this.places = placeSteps(this.data.steps, clientWidth);
    this.width = Math.max((this.places.at(-1) ?? 0) + END_WIDTH, clientWidth);
    this.track.style.width = `${this.width}px`;
    this.bars = [...this.queueBars(), ...this.connectionBars()];
  }

  /** The marks and colours that occur, and what they mean. */
  legend(): HTMLElement[] {
    const verbs = new Set(this.data.steps.map(({ verb }) => verb));
    const marks = Object.entries(MARKS)
      .filter(([verb]) => verbs.has(verb))
      .map(([verb, mark]) => element('span', {}, `${mark} ${verb}`));
    const states = new Set(this.bars.map(({ state }) => state));
    const colours = COLOURS.filter(([state]) => states.has(state)).map(([state, text]) =>
      element('span', {}, element('i', { class: `swatch ${state}` }), ` ${text}`),
    );
    return [...marks, element('span', {}, `${OTHER_MARK} other steps`), ...colours];
  }

  /** Puts the cursor on a step, and brings it into view. */
  show(step: number): void {
    const { scroller } = this;
    const x = this.place(step);
    this.chosen = step;
    this.cursor.style.left = `${x}px`;
    const { clientWidth, scrollLeft } = scroller;
    if (x < scrollLeft + 80 || x > scrollLeft + clientWidth - 40) {
      scroller.scrollLeft = x - clientWidth / 2;
    }
    const { clientHeight, scrollTop } = scroller;
    const { offsetTop, offsetHeight } = this.laneOf(step);
    if (offsetTop < scrollTop + 20 || offsetTop + offsetHeight > scrollTop + clientHeight) {
      scroller.scrollTop = offsetTop - clientHeight / 2;
    }
    this.draw();
  }

  private draw(): void {
    const { clientWidth, scrollLeft } = this.scroller;
    const from = scrollLeft - clientWidth;
    const to = scrollLeft + 2 * clientWidth;
    for (const drawn of this.drawn) drawn.remove();
    this.drawn = [];
    for (const bar of this.bars) if (bar.to >= from && bar.from <= to) this.drawBar(bar);
    let label = -LABEL_DISTANCE;
    let last = '';
    let before = 0;
    let behind = 0;
    for (const [index, step] of this.data.steps.entries()) {
      const x = this.place(index);
      const time = (step.at / 1000).toFixed(3);
      // A time stands over the first step that has it.
      const isLabelled = time !== last && x - label >= LABEL_DISTANCE;
      last = time;
      if (isLabelled) label = x;
      if (x < scrollLeft + NAME_WIDTH) before += 1;
      if (x > scrollLeft + clientWidth) behind += 1;
      if (x < from || x > to) continue;
      this.drawMark(index, step);
      if (isLabelled) this.add(this.axis, x, { class: 'time' }, time);
    }
    const sides = [
      before > 0 ? `\u2190 ${before} earlier` : '',
      behind > 0 ? `${behind} later \u2192` : '',
    ];
    this.beyond.textContent = sides.filter((side) => side !== '').join(', ');
  }

  private drawBar({ from, lane, state, step, text, to }: Bar): void {
    const bar = this.add(lane, from, { class: `bar ${state}`, 'data-step': step }, text);
    bar.style.width = `${Math.max(2, to - from)}px`;
  }

  private drawMark(index: number, { lines, verb }: StepData): void {
    const title = `${verb} ${lines[0] ?? ''}`;
    const chosen = index === this.chosen ? ' chosen' : '';
    const attributes = { class: `mark ${verb}${chosen}`, 'data-step': index, title };
    this.add(this.laneOf(index), this.place(index), attributes, MARKS[verb] ?? OTHER_MARK);
  }

  private add(
    lane: HTMLElement,
    left: number,
    attributes: Parameters<typeof element>[1],
    text: string,
  ): HTMLElement {
    const added = element('div', attributes, text);
    added.style.left = `${left}px`;
    lane.append(added);
    this.drawn.push(added);
    return added;
  }

  private place(step: number): number {
    return this.places[step] ?? this.width;
  }

  private laneOf(step: number): HTMLElement {
    return this.connections.get(this.data.steps[step]?.connection ?? 0) ?? this.server;
  }

  private nearest(x: number): number {
    const after = this.places.findIndex((place) => place >= x);
    if (after < 0) return this.places.length - 1;
    const before = Math.max(0, after - 1);
    return x - this.place(before) < this.place(after) - x ? before : after;
  }

  /** How many requests wait for their turn, and whose. */
  private queueBars(): Bar[] {
    const { queue } = this.data;
    const waiting: number[] = [];
    return queue.flatMap(([step, connection, change], index) => {
      if (change === 1) waiting.push(connection);
      else waiting.splice(waiting.indexOf(connection), 1);
      if (waiting.length === 0) return [];
      const to = this.place(queue[index + 1]?.[0] ?? Infinity);
      const names = waiting.slice(0, 4).map((number) => `c${number}`);
      const text = names.join(' ') + (waiting.length > 4 ? ` +${waiting.length - 4}` : '');
      return { lane: this.queue, step, from: this.place(step), to, state: 'queued', text };
    });
  }

  private connectionBars(): Bar[] {
    const bars: Bar[] = [];
    for (const [connection, steps] of this.stepsOfConnections()) {
      const lane = this.connections.get(connection) ?? this.server;
      let to = this.width;
      let next = this.width;
      for (const step of steps.reverse()) {
        const from = this.place(step);
        const bar = BARS[this.data.steps[step]?.verb ?? ''];
        if (bar !== undefined) {
          const text = next - from < TEXT_WIDTH ? '' : bar.text;
          if (bar.state !== 'gone')
            bars.push({ lane, step, from, to, state: bar.state, text });
          to = from;
        }
        next = from;
      }
    }
    return bars;
  }

  private stepsOfConnections(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const [index, { connection }] of this.data.steps.entries()) {
      if (connection === 0) continue;
      const steps = found.get(connection);
      if (steps === undefined) found.set(connection, [index]);
      else steps.push(index);
    }
    return found;
  }
}

function makeLane(name: string, kind: string): HTMLElement {
  return element('div', { class: kind }, element('span', { class: 'lane-name' }, name));
}

/** @param width what is filled at least
 * @returns the place of each step */
function placeSteps(steps: readonly StepData[], width: number): number[] {
  let x = 0;
  const places = steps.map(({ at }, index) => {
    const pause = at - (steps[index - 1]?.at ?? at);
    if (index > 0) x += STEP_WIDTH + PAUSE_WIDTH * Math.log10(Math.max(1, pause));
    return x;
  });
  const fit = (width - NAME_WIDTH - START_WIDTH - END_WIDTH) / Math.max(1, x);
  const stretch = fit < LEAST_FIT ? 1 : fit;
  return places.map((place) => NAME_WIDTH + START_WIDTH + place * stretch);
}
