/// <reference lib="dom" />
/** The page: the lanes of all exchanges, the bytes of the one that is chosen, its steps, and
 * an explanation. What somebody does and what happens change one state, and the page shows
 * it. */
import type { ExchangeData, PageData } from '../model/page-data';
import type { OtherRun } from '../model/runs';
import { describePage } from '../model/sections';
import { byId, draw } from './dom';
import { explanationOf } from './explanation';
import type { ByteGrid } from './grid';
import { spreadLabels } from './labels';
import { LanesPane } from './lanes';
import { gridsOf, messagesView, runsView } from './messages';
import * as states from './state';
import type { Place, State } from './state';
import { describeStep, nowView, stepsView } from './steps';
import { listOf } from './view';

/** What can be clicked: an attribute says what that does. */
const CLICKED = '[data-key], [data-step], [data-at], [data-byte], [data-guess]';
/** What has keys of its own. */
const TYPED = 'input, select, textarea, [popover]';
/** In each of them, the Tab key goes to one place. */
const GROUPS = '[role=grid], [role=listbox]';

/** How far a key goes in a list. */
const WAYS: { readonly [key: string]: number } = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  PageUp: -8,
  PageDown: 8,
  Home: -Infinity,
  End: Infinity,
};

export class Page {
  private state = states.NOTHING;
  private grids: readonly ByteGrid[] = [];
  /** Of the first run, and of another one. */
  private readonly panes = [0, 1].map((run) => new LanesPane(byId(`run-${run}`)));
  private readonly steps = byId('steplist');
  private readonly bytes = byId('bytes');

  /** @param onReveal is told of each exchange whose outcome is shown to one who predicts */
  constructor(private readonly onReveal: (exchange: ExchangeData) => void = () => {}) {
    document.documentElement.classList.add('interactive');
    this.listen();
  }

  /** Shows data. If it has grown, what is chosen stays chosen; at the last step of an
   * exchange, the page follows what happens, up to a rejection.
   * @param newest an exchange that it goes to */
  show(data: PageData, newest?: ExchangeData): void {
    this.change(states.grow(this.state, data, newest, location.hash));
  }

  /** Lays another run beside the one that is shown, or takes it away.
   * @param address where the page goes, if it says so */
  compare(other: OtherRun | undefined, address = ''): void {
    this.change(states.compare(this.state, other, address));
  }

  /** The byte of a request that is chosen. */
  get chosen() {
    const { byte, exchange } = this.state;
    if (exchange === undefined || byte?.side !== 'request') return undefined;
    return { exchange, offset: byte.offset };
  }

  /** Forgets what was chosen: what is shown next happened on another server. */
  forget(): void {
    this.state = { ...this.state, exchange: undefined, revealed: new Set() };
    byId('say').textContent = '';
  }

  /** On a live page, time passes while nothing happens.
   * @param now the time of the server, in milliseconds */
  tick(now: number): void {
    const { data, exchange, step } = this.state;
    if (data?.now === undefined) return;
    data.now = now;
    draw(byId('now'), nowView(this.state));
    if (step === exchange?.steps.at(-1)) this.explain();
  }

  private change(next: State): void {
    const { state: before } = this;
    this.state = next;
    this.grids = gridsOf(next);
    const { comparison } = next;
    const isCompared = comparison !== undefined && comparison !== before.comparison;
    const isOther =
      isCompared ||
      next.run !== before.run ||
      states.keyOf(next.exchange) !== states.keyOf(before.exchange);
    this.drawTop();
    const isMoved = isOther || next.step !== before.step;
    for (const [run, pane] of this.panes.entries()) pane.show(next, run, isMoved);
    draw(this.bytes, listOf(runsView(next), messagesView(next, this.grids)));
    draw(this.steps, stepsView(next));
    draw(byId('now'), nowView(next));
    draw(byId('step-number'), [describeStep(next)[0]]);
    this.explain();
    spreadLabels(this.bytes);
    if (isOther) this.bytes.scrollTop = 0;
    if (isMoved) this.revealStep();
    if (next.look !== undefined && next.look !== before.look) {
      const { scrollY } = window;
      this.cell(next.look)?.scrollIntoView({ block: 'nearest' });
      // A live page is opened where one types. In a narrow window, the bytes are below.
      if (before.exchange === undefined && next.data?.now !== undefined)
        scrollTo(0, scrollY);
    }
    this.tellAddress();
  }

  private drawTop(): void {
    const { data, filter, isPredicting, other } = this.state;
    if (data === undefined) return;
    const all = states.countShown({ ...this.state, filter: '' });
    const found = `${states.countShown(this.state)} of ${all}`;
    draw(byId('about'), [other ? 'two runs' : describePage(data, isPredicting)]);
    draw(byId('filtered'), filter === '' ? [] : [found]);
    draw(byId('left-out'), [data.leftOut]);
  }

  private explain(): void {
    const { byte, remark, step } = this.state;
    draw(byId('explanation'), explanationOf(remark, this.grids, step, byte));
  }

  private cell({ offset, side }: Place): HTMLElement | null {
    return this.bytes.querySelector(`[data-side="${side}"] [data-at="${offset}"]`);
  }

  /** Scrolls the list of steps, and nothing around it. */
  private revealStep(): void {
    const item = this.steps.querySelector<HTMLElement>('[aria-selected="true"]');
    if (item === null) return;
    this.steps.scrollTop = item.offsetTop - this.steps.clientHeight / 2;
  }

  private tellAddress(): void {
    const address = states.addressOf(this.state, location.hash);
    try {
      if (address !== location.hash) history.replaceState(null, '', address);
    } catch {
      // A browser refuses many changes in a short time. Then the address stays as it was.
    }
  }

  // What somebody does.

  /** Does what somebody wants. The focus goes with what is chosen. */
  private act(next: State): void {
    const { state: before } = this;
    this.change(next);
    const group = document.activeElement?.closest(GROUPS);
    group?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    const said = next.remark || (next.step === before.step ? '' : describeStep(next)[1]);
    if (said !== '') byId('say').textContent = said;
  }

  private listen(): void {
    this.toggle('hex', (isOn) => {
      this.bytes.classList.toggle('hex', isOn);
      spreadLabels(this.bytes);
      this.bytes.querySelector('.here')?.scrollIntoView({ block: 'nearest' });
    });
    this.toggle('predict', (isOn) => this.act(states.predict(this.state, isOn)));
    byId('previous').addEventListener('click', () => this.act(states.move(this.state, -1)));
    byId('next').addEventListener('click', () => this.act(states.move(this.state, 1)));
    byId('filter').addEventListener('input', ({ target }) => {
      if (!(target instanceof HTMLInputElement)) return;
      this.act({ ...this.state, filter: target.value });
      byId('say').textContent = byId('filtered').textContent;
    });
    document.addEventListener('click', ({ target }) => {
      const clicked = target instanceof Element ? target.closest(CLICKED) : null;
      if (clicked instanceof HTMLElement) this.onClick(clicked);
    });
    document.addEventListener('keydown', (event) => this.onKey(event));
    document.addEventListener('copy', (event) => this.onCopy(event));
    addEventListener('hashchange', () => {
      const next = states.follow(this.state, location.hash);
      if (next !== undefined) this.act(next);
    });
    addEventListener('resize', () => spreadLabels(this.bytes));
  }

  private toggle(id: string, act: (isOn: boolean) => void): void {
    byId(id).addEventListener('click', () => {
      const isOn = byId(id).ariaPressed !== 'true';
      byId(id).ariaPressed = String(isOn);
      act(isOn);
    });
  }

  private onClick(clicked: HTMLElement): void {
    const { state } = this;
    const { at, byte = at, guess, key, step } = clicked.dataset;
    const named = clicked.closest<HTMLElement>('[data-side]')?.dataset['side'];
    const side = named === undefined || named === 'request' ? 'request' : Number(named);
    const run = runOf(clicked) ?? state.run;
    const to = step === undefined ? undefined : Number(step);
    if (key !== undefined) this.act(states.openBy(state, run, key, to));
    else if (to !== undefined) this.act(states.go(state, to));
    else if (guess !== undefined) {
      this.act(states.reveal(state, guess));
      if (state.exchange !== undefined) this.onReveal(state.exchange);
      byId('explanation').focus(); // the button is gone
    } else {
      const place = { side, offset: Number(byte) } as const;
      this.act(states.choose(state, place));
      this.cell(place)?.focus({ preventScroll: true });
    }
  }

  private onKey(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (!(target instanceof Element) || target.closest(TYPED)) return;
    if (document.querySelector(':popover-open') !== null) return; // Escape closes that
    if (key === '/') byId('filter').focus();
    else {
      const next = this.after(key, target);
      if (next === undefined) return;
      this.act(next);
      if (key === 'Escape')
        document
          .querySelector<HTMLElement>('#lanes [aria-selected="true"]')
          ?.focus({ preventScroll: true });
    }
    event.preventDefault();
  }

  /** @returns the state after a key, or undefined where it does nothing */
  private after(key: string, target: Element): State | undefined {
    const { state } = this;
    const side = target
      .closest('[role=grid]')
      ?.closest('[data-side]')
      ?.getAttribute('data-side');
    const grid = this.grids.find(({ message }) => String(message.side) === side);
    const offset = grid?.target(key);
    if (grid !== undefined && offset !== undefined)
      return states.choose(state, { side: grid.message.side, offset });
    const way = WAYS[key];
    if (key === 'Escape') return { ...state, byte: undefined };
    if (way === undefined) return undefined;
    if (/Left|Right/.test(key) || target.closest('#steplist'))
      return states.move(state, way);
    const run = runOf(target);
    return run === undefined ? undefined : states.moveInLanes(state, run, way);
  }

  /** What is selected is copied as the bytes that it shows. */
  private onCopy(event: ClipboardEvent): void {
    const selection = getSelection();
    const cells = [...this.bytes.querySelectorAll<HTMLElement>('[data-hex]')];
    const chosen = cells.filter((cell) => selection?.containsNode(cell, true));
    if (chosen.length === 0) return;
    const codes = chosen.map(({ dataset }) => parseInt(dataset['hex'] ?? '', 16));
    event.clipboardData?.setData('text/plain', String.fromCharCode(...codes));
    event.preventDefault();
  }
}

/** @returns which run an element is of, if it is of one */
function runOf(element: Element): number | undefined {
  const run = element.closest<HTMLElement>('[data-run]')?.dataset['run'];
  return run === undefined ? undefined : Number(run);
}
