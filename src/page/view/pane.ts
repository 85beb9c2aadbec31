/// <reference lib="dom" />
/** The pane of the lanes: it scrolls, and draws what is in sight. */
import { Axis } from '../model/axis';
import { lanesOf, type LanesData } from '../model/lanes';
import type { ExchangeData, PageData } from '../model/page-data';
import { byId, draw } from './dom';
import { LanesView, MARGIN, type Window } from './lanes';

/** Paper has all of it. */
const PAPER: Window = { left: 0, top: 0, width: Infinity, height: Infinity };
const EMPTY: LanesData = { names: [], spans: [], arrows: [], boxes: [], times: [] };

export class LanesPane {
  private readonly pane = byId('lanes-pane');
  private readonly canvas = byId('lanes');
  private data = EMPTY;
  private axis = new Axis([], 0, MARGIN);
  private chosen: ExchangeData | undefined;
  private now: number | undefined;

  constructor() {
    this.pane.addEventListener('scroll', () => this.draw());
    new ResizeObserver(() => this.measure()).observe(this.pane);
    addEventListener('beforeprint', () => this.draw(PAPER));
    addEventListener('afterprint', () => this.draw());
  }

  /** @param exchanges those that are shown
   * @param isHidden whether it is not told yet what became of one */
  show(
    data: PageData,
    exchanges: readonly ExchangeData[],
    isHidden: (exchange: ExchangeData) => boolean,
  ): void {
    this.data = lanesOf(data, exchanges, isHidden);
    this.measure();
  }

  /** Marks an exchange, and a time. @param isOther whether it is to be in sight */
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

  focus(): void {
    const chosen = this.canvas.querySelector<HTMLElement>('[aria-selected="true"]');
    chosen?.focus({ preventScroll: true });
  }

  private measure(): void {
    this.axis = new Axis(this.data.times, this.pane.clientWidth, MARGIN);
    this.draw();
  }

  private view(window?: Window): LanesView {
    const {
      clientHeight: height,
      clientWidth: width,
      scrollLeft: left,
      scrollTop: top,
    } = this.pane;
    const seen = window ?? { left, top, width, height };
    return new LanesView(this.data, this.axis, seen, this.chosen, this.now);
  }

  private draw(window?: Window): void {
    const { canvas } = this;
    const view = this.view(window);
    canvas.style.width = `${this.axis.width}px`;
    canvas.style.height = `${view.height}px`;
    draw(canvas, view.view());
    draw(byId('lane-names'), view.names());
  }
}
