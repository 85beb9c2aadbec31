/** The page: the lanes of all exchanges, the bytes of the one that is chosen, its steps, and
 * an explanation. show() takes data, and takes it again when it has grown. */
import { filterBy } from '../model/lanes';
import type { ExchangeData, PageData } from '../model/page-data';
import { button, byId, draw, element, make } from './dom';
import { Explanation, tellReaders } from './explanation';
import { view } from './view';
import { ByteGrid } from './grid';
import { Message } from '../model/message';
import {
  commandOf,
  describeMissing,
  describePage,
  describeRequest,
  describeResponse,
  GUESSES,
  judgeGuess,
  newestIn,
} from '../model/sections';
import { keyOf, Lanes } from './lanes';
import { describeNow, isFinal } from '../model/times';
import { milliseconds } from '../model/words';

export class Page {
  private data: PageData | undefined;
  /** What is chosen: an exchange, a step, and a byte of a message. */
  private exchange: ExchangeData | undefined;
  private step = 0;
  private byte: { readonly side: Message['side']; readonly offset: number } | undefined;
  private grids: readonly ByteGrid[] = [];
  private isPredicting = false;
  /** The exchanges whose outcome is told, while one predicts first. */
  private readonly told = new Set<string>();
  private remark = '';
  private filter = '';
  private readonly lanes = new Lanes((exchange, step) => this.open(exchange, step));
  private readonly explanation = new Explanation({
    goTo: (step) => this.go(step),
    choose: (message, offset) => this.choose(message.side, offset, true),
  });
  private readonly steps = byId('steplist');

  constructor() {
    document.documentElement.classList.add('interactive');
    this.listen();
  }

  /** Shows data. If it has grown, what is chosen stays chosen; at the last step of an
   * exchange, the page follows what happens, up to a rejection.
   * @param toNewest whether it goes to the exchange of which a request arrived last: to its
   * last step, unless it is chosen already */
  show(data: PageData, toNewest = false): void {
    const before = this.exchange;
    const isFollowing = this.step === this.shownSteps.at(-1);
    this.data = data;
    const leftOut = byId('left-out');
    leftOut.textContent = leftOut.title = data.leftOut;
    const same = data.exchanges.find((one) => before && keyOf(one) === keyOf(before));
    const next = (toNewest ? newestIn(data) : undefined) ?? same;
    this.showLanes(data);
    if (same === undefined && this.followAddress()) {
      if (next === undefined || next === this.exchange) return;
    }
    if (next === undefined) return this.openFirst(data);
    // What has the focus, and what is selected, stays.
    if (next === before) return this.drawNow();
    const isRejected = next.rejection !== undefined && before?.rejection === undefined;
    if (next !== same || (isFollowing && isRejected)) return this.open(next);
    const { byte, step } = this;
    this.setExchange(same);
    this.byte = byte;
    this.go(isFollowing ? (this.shownSteps.at(-1) ?? step) : step, false);
  }

  /** Forgets what was chosen and told: what is shown next happened on another server. */
  forget(): void {
    this.exchange = undefined;
    this.told.clear();
  }

  /** On a live page, time passes while nothing happens.
   * @param now the time of the server, in milliseconds */
  tick(now: number): void {
    if (this.data?.now === undefined) return;
    this.data.now = now;
    this.drawNow();
    if (this.step === this.exchange?.steps.at(-1)) this.explain();
  }

  private showLanes(data: PageData): void {
    byId('about').textContent = describePage(data, this.isPredicting);
    const found = filterBy(data.exchanges, this.filter);
    byId('filtered').textContent =
      this.filter === '' ? '' : `${found.length} of ${data.exchanges.length}`;
    this.lanes.show(data, found, (exchange) => this.isHidden(exchange));
  }

  private openFirst({ exchanges }: PageData): void {
    const first = exchanges.find(({ rejection }) => rejection) ?? exchanges[0];
    if (first !== undefined) this.open(first);
    else this.empty();
  }

  /** Shows that there is nothing: what was shown is forgotten. */
  private empty(): void {
    this.exchange = undefined;
    this.grids = [];
    byId('step-number').textContent = '';
    this.lanes.mark(undefined, undefined);
    for (const id of ['steplist', 'explanation', 'now']) draw(byId(id), []);
    byId('bytes').replaceChildren(this.nothing());
  }

  /** What stands in place of bytes where there are none. */
  private nothing(): HTMLElement {
    const { exchanges = [], now } = this.data ?? {};
    const text = exchanges.some(({ connection }) => connection > 0)
      ? ''
      : now === undefined
        ? 'Nothing arrived at the server.'
        : 'Choose a request on the left, and press Send. What arrives at the server is shown ' +
          'here, byte by byte, and what the server makes of it.';
    return element('p', { class: 'soft msg' }, text);
  }

  /** Opens an exchange where it is rejected, at its wrong byte; or else where its response
   * is written, or at its last step.
   * @param step if it is to be opened elsewhere */
  private open(exchange: ExchangeData, step?: number): void {
    const { responses } = exchange;
    const rejection = this.isHidden(exchange) ? undefined : exchange.rejection;
    this.setExchange(exchange);
    if (step !== undefined && this.shownSteps.includes(step)) return this.go(step);
    const last = this.shownSteps.at(-1) ?? 0;
    const written = responses.at(-1)?.arrivals[0]?.[0] ?? last;
    this.byte = rejection && { side: 'request', offset: rejection.offset };
    this.go(rejection?.step ?? Math.min(written, last), false);
    byId('bytes').scrollTop = 0;
    if (rejection) this.scrollTo('request', rejection.offset);
  }

  private setExchange(exchange: ExchangeData): void {
    const { data } = this;
    if (data === undefined) return;
    this.exchange = exchange;
    this.byte = undefined;
    this.remark = '';
    const request = new Message(data, exchange, 'request', exchange.request);
    const responses = exchange.responses.map(
      (response, index) => new Message(data, exchange, index, response),
    );
    this.grids = [request, ...responses].map(
      (message) =>
        new ByteGrid(
          message,
          message.side === 'request' ? exchange.other : undefined,
          (offset) => this.choose(message.side, offset, false),
        ),
    );
    this.listSteps(data, exchange);
  }

  /** The steps that may be shown: until all is here, if one is to predict the rest. */
  private get shownSteps(): readonly number[] {
    const { data, exchange } = this;
    if (data === undefined || exchange === undefined) return [];
    const { request, steps } = exchange;
    if (!this.isHidden(exchange)) return steps;
    const arrived = request.arrivals.at(-1)?.[0] ?? 0;
    return steps.filter((step) => step <= arrived);
  }

  private isHidden(exchange: ExchangeData): boolean {
    return this.isPredicting && exchange.number > 0 && !this.told.has(keyOf(exchange));
  }

  // The steps.

  private listSteps({ steps }: PageData, exchange: ExchangeData): void {
    const [first = 0] = exchange.request.arrivals[0] ?? exchange.steps;
    const items = this.shownSteps.map((index) => {
      const { at = 0, lines = [], verb = '' } = steps[index] ?? {};
      const text = lines.map((line) => line.replace(/ \([^()]*RFC[^()]*\)/, '')).join('. ');
      const since = at - (steps[first]?.at ?? 0);
      const sign = since < 0 ? '\u2212' : '';
      const time = sign + milliseconds(Math.abs(since)).replace(' ms', '');
      return element(
        'li',
        {
          ...{ role: 'option', 'aria-selected': 'false', 'data-step': index },
          ...{ class: verb },
        },
        element('span', { class: 'time' }, time),
        element('span', { class: 'verb' }, verb),
        element('span', { class: 'text' }, text),
      );
    });
    this.steps.replaceChildren(...items);
  }

  /** Shows another step. @param isMoving whether the page moves to what the step changed */
  private go(step: number, isMoving = true): void {
    const { data, exchange } = this;
    if (data === undefined || exchange === undefined) return;
    this.step = step;
    const { shownSteps } = this;
    const index = shownSteps.indexOf(step);
    const item = this.steps.children[index];
    const before = this.steps.querySelector('[aria-selected="true"]');
    before?.setAttribute('aria-selected', 'false');
    before?.setAttribute('tabindex', '-1');
    item?.setAttribute('aria-selected', 'true');
    item?.setAttribute('tabindex', '0');
    byId('step-number').textContent = `${index + 1} of ${shownSteps.length}`;
    const { lines = [], verb = '' } = data.steps[step] ?? {};
    if (isMoving)
      byId('say').textContent = `Step ${index + 1}, ${verb}: ${lines.join('. ')}`;
    this.lanes.mark(exchange, data.steps[step]?.at);
    this.drawBytes();
    if (isMoving) this.showChange();
    this.drawNow();
    this.reveal(item);
    this.explain();
    this.tellAddress();
  }

  /** Scrolls the list of steps, and nothing around it. */
  private reveal(item: Element | null | undefined): void {
    if (!(item instanceof HTMLElement)) return;
    this.steps.scrollTop = item.offsetTop - this.steps.clientHeight / 2;
  }

  private move(way: 1 | -1): void {
    const to = this.shownSteps[this.shownSteps.indexOf(this.step) + way];
    if (to !== undefined) this.go(to);
  }

  /** Scrolls to the bytes that arrived, were parsed or were written at this step. */
  private showChange(): void {
    const { exchange, step } = this;
    if (exchange === undefined) return;
    const { rejection, request, responses } = exchange;
    const written = responses.findIndex(({ arrivals }) => arrivals[0]?.[0] === step);
    if (written >= 0) return this.scrollTo(written, 0);
    const read = request.arrivals.findIndex(([at]) => at === step);
    const arrived =
      read < 0 ? undefined : Math.max(request.from, request.arrivals[read - 1]?.[1] ?? 0);
    const parsed = request.parts.find(([, , , at]) => at === step)?.[1];
    const wrong = rejection?.step === step ? rejection.offset : undefined;
    const offset = wrong ?? parsed ?? arrived;
    if (offset !== undefined) this.scrollTo('request', offset);
  }

  /** What the server waits for: on a live page, now, and else at the step that is chosen. */
  private drawNow(): void {
    const { data, exchange } = this;
    if (data === undefined || exchange === undefined) return;
    const isHidden = this.isHidden(exchange);
    const now = describeNow(data, exchange, isHidden ? this.step : undefined, this.step);
    const { left, limit = 0 } = now;
    const meter =
      left === undefined
        ? []
        : [
            view('meter', {
              ...{ min: 0, max: limit, low: limit / 5, value: left },
              'aria-label': 'Time left',
            }),
          ];
    draw(byId('now'), [
      view('b', {}, now.when),
      view('span', {}, now.says),
      ...meter,
      view('span', { class: 'soft' }, now.more),
    ]);
  }

  // The bytes.

  private drawBytes(): void {
    const { data, exchange, step } = this;
    if (data === undefined || exchange === undefined) return;
    const shown = this.grids.flatMap((grid) => {
      const { message } = grid;
      const { side } = message;
      const written = side === 'request' ? -1 : (message.message.arrivals[0]?.[0] ?? 0);
      return written > step ? [] : [this.section(grid)];
    });
    const isWritten =
      shown.length === this.grids.length && exchange.responses.some(isFinal);
    byId('bytes').replaceChildren(...shown, ...(isWritten ? [] : [this.missing(exchange)]));
    for (const { element: grid, message } of this.grids) {
      if (grid.isConnected) this.drawGrid(message.side);
    }
  }

  /** The grid is measured while it is drawn, so it must be on the page. */
  private drawGrid(side: Message['side']): void {
    const grid = this.grids.find(({ message }) => message.side === side);
    if (grid === undefined) return;
    const chosen = this.chosenIn(side);
    grid.draw(this.step, chosen ?? grid.message.from, chosen);
  }

  private chosenIn(side: Message['side']): number | undefined {
    return this.byte?.side === side ? this.byte.offset : undefined;
  }

  private section(grid: ByteGrid): HTMLElement {
    const { message } = grid;
    const { exchange, side } = message;
    const isRequest = side === 'request';
    const response = isRequest ? undefined : exchange.responses[side];
    const name = isRequest
      ? exchange.connection === 0
        ? 'No client'
        : '\u2192 Request'
      : `\u2190 ${response && !isFinal(response) ? 'Interim response' : 'Response'}`;
    const about = isRequest
      ? describeRequest(message, this.step, this.isHidden(exchange))
      : describeResponse(message);
    const command = isRequest ? commandOf(message) : '';
    const made = element(
      'section',
      { class: 'msg', 'data-side': String(side) },
      makeBar(element('h2', {}, name), about),
      ...(message.text === '' && exchange.rejection === undefined ? [] : [grid.element]),
    );
    if (isRequest) made.append(...tellReaders(grid.readers, this.step).map(make));
    if (command !== '')
      made.append(
        element(
          'details',
          { class: 'command' },
          element('summary', {}, 'Send these bytes again, with nc'),
          element('code', { tabindex: 0 }, command),
        ),
      );
    return made;
  }

  /** What stands in place of a response. */
  private missing(exchange: ExchangeData): HTMLElement {
    if (this.isHidden(exchange)) return this.question(exchange);
    if (exchange.connection === 0) return this.nothing();
    const title = element('h2', { class: 'soft' }, '\u2190 Response');
    const text = describeMissing(exchange, this.step);
    return element('section', { class: 'msg' }, makeBar(title, text));
  }

  private choose(side: Message['side'], offset: number, isMoved: boolean): void {
    this.byte = { side, offset };
    for (const grid of this.grids)
      grid.choose(grid.message.side === side ? offset : undefined);
    this.explain();
    this.tellAddress();
    this.scrollTo(side, offset);
    if (!isMoved) return;
    const grid = this.grids.find(({ message }) => message.side === side);
    grid?.cell(offset)?.focus({ preventScroll: true });
  }

  private scrollTo(side: Message['side'], offset: number): void {
    const grid = this.grids.find(({ message }) => message.side === side);
    if (grid === undefined) return;
    if (grid.cell(offset) === null) grid.draw(this.step, offset, this.chosenIn(side));
    grid.cell(offset)?.scrollIntoView({ block: 'nearest' });
  }

  private explain(): void {
    const { byte, grids, remark, step } = this;
    const grid = grids.find(({ message }) => message.side === byte?.side);
    const chosen = byte &&
      grid && {
        message: grid.message,
        offset: byte.offset,
        readers: grid.readers.take(grid.message.when(step), byte.offset),
      };
    const messages = grids.map((grid) => grid.message);
    draw(byId('explanation'), this.explanation.cards(remark, messages, step, chosen));
  }

  // Predict first.

  private question(exchange: ExchangeData): HTMLElement {
    const { data } = this;
    const tell = (guess: string): void => {
      this.told.add(keyOf(exchange));
      if (data) this.showLanes(data);
      this.open(exchange);
      if (guess === '' || data === undefined) return;
      this.remark = judgeGuess(data, exchange, guess);
      this.explain();
      byId('say').textContent = this.remark;
    };
    const buttons = GUESSES.map((guess) => button(`It ${guess}`, () => tell(guess)));
    const asked = element('b', {}, 'These bytes arrived. What does the server do?');
    return element(
      'section',
      { class: 'msg ask' },
      element('p', {}, asked),
      ...buttons,
      button('Just show it', () => tell('')),
    );
  }

  // The address, the keys, and the mouse.

  /** Goes where the address says: "#x=4.1&step=9&byte=78". @returns whether it says it */
  private followAddress(): boolean {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const exchange = this.data?.exchanges.find((one) => keyOf(one) === wanted.get('x'));
    if (exchange === undefined) return false;
    this.open(exchange);
    const step = this.shownSteps[Number(wanted.get('step') ?? NaN) - 1];
    if (step !== undefined) this.go(step);
    const [, side = 'request', offset] =
      /^(?:(\d+):)?(\d+)$/.exec(wanted.get('byte') ?? '') ?? [];
    if (offset !== undefined)
      this.choose(side === 'request' ? side : Number(side), Number(offset), false);
    return true;
  }

  private tellAddress(): void {
    const { byte, exchange, shownSteps, step } = this;
    if (exchange === undefined) return;
    const side = byte === undefined || byte.side === 'request' ? '' : `${byte.side}:`;
    // What else is in the address stays.
    const address = new URLSearchParams(location.hash.slice(1));
    address.set('x', keyOf(exchange));
    address.set('step', String(shownSteps.indexOf(step) + 1));
    if (byte === undefined) address.delete('byte');
    else address.set('byte', `${side}${byte.offset}`);
    try {
      history.replaceState(null, '', `#${address}`);
    } catch {
      // A browser may refuse it when it comes too often. Then the address is that of
      // before.
    }
  }

  private listen(): void {
    const toggle = (id: string, act: (isOn: boolean) => void): void =>
      byId(id).addEventListener('click', ({ currentTarget: button }) => {
        if (!(button instanceof Element)) return;
        const isOn = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(isOn));
        act(isOn);
      });
    toggle('hex', (isOn) => {
      byId('bytes').classList.toggle('hex', isOn);
      this.drawBytes();
    });
    toggle('predict', (isOn) => {
      this.isPredicting = isOn;
      this.told.clear();
      if (this.data) this.showLanes(this.data);
      if (this.exchange) this.open(this.exchange);
    });
    const filter = byId('filter');
    filter.addEventListener('input', () => {
      if (!(filter instanceof HTMLInputElement) || this.data === undefined) return;
      this.filter = filter.value;
      this.showLanes(this.data);
      byId('say').textContent = byId('filtered').textContent;
      this.lanes.mark(this.exchange, this.data.steps[this.step]?.at);
    });
    byId('previous').addEventListener('click', () => this.move(-1));
    byId('next').addEventListener('click', () => this.move(1));
    this.steps.addEventListener('click', ({ target }) => {
      const item = target instanceof Element ? target.closest('[data-step]') : null;
      if (item !== null) this.go(Number(item.getAttribute('data-step')));
    });
    byId('bytes').addEventListener('mouseover', (event) => this.pointOut(event));
    this.steps.addEventListener('mouseover', (event) => this.pointOut(event));
    addEventListener('hashchange', () => this.followAddress());
    addEventListener('resize', () => this.drawBytes());
    document.addEventListener('keydown', (event) => this.onKey(event));
  }

  /** What the mouse is over is marked in the bytes and in the steps. */
  private pointOut({ target }: Event): void {
    if (!(target instanceof Element)) return;
    for (const item of this.steps.querySelectorAll('.pointed'))
      item.classList.remove('pointed');
    const cell = target.closest('.b');
    const step = target.closest('[data-step]')?.getAttribute('data-step');
    for (const grid of this.grids) {
      const { message } = grid;
      const own = cell !== null && grid.element.contains(cell);
      const part = own
        ? message.when(this.step).part(Number(cell.getAttribute('data-at')))
        : undefined;
      const parts = message.message.parts.filter(([, , , at]) => String(at) === step);
      grid.point(
        [...(part ? [part] : []), ...parts].map(([, from, length]) => [from, length]),
      );
      if (part && message.side === 'request')
        this.steps.querySelector(`[data-step="${part[3]}"]`)?.classList.add('pointed');
    }
  }

  private onKey(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (!(target instanceof Element) || target.closest('input, select, textarea')) return;
    const inSteps = target.closest('#steplist') !== null;
    if (key === 'Escape') {
      this.byte = undefined;
      this.drawBytes();
      this.explain();
      this.lanes.focus();
    } else if (key === 'ArrowLeft' || (inSteps && key === 'ArrowUp')) this.move(-1);
    else if (key === '/') byId('filter').focus();
    else if (key === 'ArrowRight' || (inSteps && key === 'ArrowDown')) this.move(1);
    else return;
    if (inSteps) this.steps.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
    event.preventDefault();
  }
}

/** What stands above the bytes of a message. */
function makeBar(title: HTMLElement, about: string): HTMLElement {
  return element('div', { class: 'bar' }, title, element('span', { class: 'soft' }, about));
}
