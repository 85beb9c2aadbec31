/// <reference lib="dom" />
/** The pane of the lanes of a run: it scrolls, and draws what is in sight. */
import { Axis } from '../model/axis';
import { filterBy, lanesOf, type LanesData } from '../model/lanes';
import type { ExchangeData } from '../model/page-data';
import { describePage } from '../model/sections';
import { draw } from './dom';
import { LanesView, MARGIN, type Window } from './lanes';
import { dataOf, isHidden, type State } from './state';

/** Paper has all of it. */
const PAPER: Window = { left: 0, top: 0, width: Infinity, height: Infinity };
const EMPTY: LanesData = { names: [], spans: [], arrows: [], boxes: [], times: [] };

export class LanesPane {
  private readonly called: Element;
  private readonly names: Element;
  private readonly pane: Element;
  private readonly canvas: HTMLElement;
  private data = EMPTY;
  /** What the lanes were made of last. */
  private shown: readonly unknown[] = [];
  private axis = new Axis([], 0, MARGIN);
  private chosen: ExchangeData | undefined;
  private now: number | undefined;

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
    const { exchange, filter, isPredicting, other, step, told } = state;
    const data = dataOf(state, run);
    const shown = [data, filter, isPredicting, other, told];
    this.root.hidden = data === undefined;
    if (data !== undefined && shown.some((one, index) => one !== this.shown[index])) {
      const about = `${other?.called[run]}: ${describePage(data, isPredicting)}`;
      draw(this.called, other === undefined ? [] : [about]);
      this.shown = shown;
      const found = filterBy(data.exchanges, filter);
      this.data = lanesOf(data, found, (one) => isHidden(state, one, run));
      this.measure();
    }
    this.chosen = run === state.run ? exchange : undefined;
    this.now = this.chosen && data?.steps[step]?.at;
    if (isMoved && this.chosen !== undefined) {
      const { left, top } = this.view().reveal(this.chosen);
      this.pane.scrollTo(left, top);
    }
    this.draw();
  }

  private measure(): void {
    this.axis = new Axis(this.data.times, this.pane.clientWidth, MARGIN);
  }

  private view(window?: Window): LanesView {
    const { clientHeight: height, clientWidth: width, scrollLeft, scrollTop } = this.pane;
    const seen = window ?? { left: scrollLeft, top: scrollTop, width, height };
    return new LanesView(this.data, this.axis, seen, this.chosen, this.now);
  }

  private draw(window?: Window): void {
    const view = this.view(window);
    this.canvas.style.width = `${this.axis.width}px`;
    this.canvas.style.height = `${view.height}px`;
    draw(this.canvas, view.view());
    draw(this.names, view.names());
  }
}
