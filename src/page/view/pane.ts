/// <reference lib="dom" />
/** The pane of the lanes of a run: it scrolls, and draws what is in sight. */
import { Axis } from '../model/axis';
import { lanesOf, type LanesData } from '../model/lanes';
import type { ExchangeData, PageData } from '../model/page-data';
import { draw } from './dom';
import { LanesView, MARGIN, type Window } from './lanes';

/** Paper has all of it. */
const PAPER: Window = { left: 0, top: 0, width: Infinity, height: Infinity };
const EMPTY: LanesData = { names: [], spans: [], arrows: [], boxes: [], times: [] };

export class LanesPane {
  private readonly called: Element;
  private readonly names: Element;
  private readonly pane: Element;
  private readonly canvas: HTMLElement;
  private data = EMPTY;
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
    new ResizeObserver(() => this.measure()).observe(this.pane);
    addEventListener('beforeprint', () => this.draw(PAPER));
    addEventListener('afterprint', () => this.draw());
  }

  /** @param data of the run, if there is one
   * @param called what the run is called, if there are two
   * @param exchanges those that are shown
   * @param isHidden whether it is not told yet what became of one */
  show(
    data: PageData | undefined,
    called: string,
    exchanges: readonly ExchangeData[],
    isHidden: (exchange: ExchangeData) => boolean,
  ): void {
    this.root.hidden = data === undefined;
    draw(this.called, [called]);
    this.data = data === undefined ? EMPTY : lanesOf(data, exchanges, isHidden);
    this.measure();
  }

  /** Marks an exchange of the run, and a time. @param isOther whether it comes into sight */
  mark(
    exchange: ExchangeData | undefined,
    now: number | undefined,
    isOther: boolean,
  ): void {
    this.chosen = exchange;
    this.now = now;
    if (isOther && exchange !== undefined) {
      const { left, top } = this.view().reveal(exchange);
      this.pane.scrollTo(left, top);
    }
    this.draw();
  }

  private measure(): void {
    this.axis = new Axis(this.data.times, this.pane.clientWidth, MARGIN);
    this.draw();
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
