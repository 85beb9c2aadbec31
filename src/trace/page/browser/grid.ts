/** The bytes of one message: each is one cell, which the mouse and the keyboard can choose.
 * Labels lie in a lane below their row, so that none moves a byte. */
import type { OtherReadings } from '../page-data';
import { nameByte, showByte, showBytes, toHex } from './bytes';
import { button, element } from './dom';
import { FAULTS, nameOf, type Message, type MessageAt } from './message';
import { cutAt, cutsOf, endOf, tell, type Cut, type Reading } from './readings';
import { isIn, relationsOf } from './relations';
import { count, milliseconds } from './words';
import { timeBetween } from './waterfall';

/** How many bytes and rows are drawn at once. */
const BYTES_DRAWN = 6000;
const ROWS_DRAWN = 150;
/** A longer span is named where it begins, and has no other mark. */
const LONGEST_MARK = 1024;
/** Between more pieces than these there is no room to say what each wait was for. */
const MOST_PIECES = 4;

export class ByteGrid {
  readonly element: HTMLElement;
  private readonly grid: HTMLElement;
  private rows: readonly number[];
  private readonly readings: readonly (readonly Cut[])[];
  private when: MessageAt;
  private chosen: number | undefined;
  private firstRow = 0;
  private readonly shown: readonly Reading[];
  /** The columns of the other readers, once there is a verdict to compare them with. */
  private columns: readonly (readonly Cut[])[] = [];

  constructor(
    readonly message: Message,
    private readonly other: OtherReadings | undefined,
    private readonly onChoose: (offset: number) => void,
  ) {
    this.shown = shownOf(other);
    this.readings = this.shown.map((reading) =>
      cutsOf(reading, other?.end ?? message.end, message.text),
    );
    this.rows = message.rows();
    this.when = message.when(-1);
    const isRequest = message.side === 'request';
    const name = `Bytes of the ${isRequest ? 'request' : 'response'}`;
    this.grid = element('div', { class: 'grid', role: 'grid', 'aria-label': name });
    this.element = element('div', { class: 'grids' }, this.grid);
    this.grid.addEventListener('click', ({ target }) => {
      if (!(target instanceof Element)) return;
      const cell = target.closest('[data-at]');
      const row = target.closest('.rd')?.closest('.row');
      if (cell !== null) onChoose(offsetOf(cell));
      else if (row) onChoose(Number(row.getAttribute('data-from')));
    });
    this.grid.addEventListener('keydown', (event) => this.onKey(event));
    this.grid.addEventListener('copy', (event) => this.copy(event));
  }

  /** Shows what of the message had arrived and was known at a step.
   * @param focus a byte that is to be among those that are drawn
   * @param chosen the byte that is marked */
  draw(step: number, focus: number, chosen: number | undefined): void {
    this.chosen = chosen;
    this.when = this.message.when(step);
    this.columns = isJudgedAt(this.message, step) ? this.readings : [];
    // Before a verdict, a row that ends where a reader ends the request would tell of it.
    this.rows = this.message.rows(
      this.columns.flat().flatMap(({ from, to }) => [from, to]),
    );
    this.element.className = `grids by-${this.columns.length}`;
    const row = this.rowOf(focus);
    if (row < this.firstRow || row >= this.lastRow) this.firstRow = Math.max(0, row - 4);
    this.render();
  }

  /** Marks a byte, its part, and what belongs with it. */
  choose(offset: number | undefined): void {
    this.chosen = offset;
    this.mark();
  }

  cell(offset: number): HTMLElement | null {
    return this.grid.querySelector<HTMLElement>(`[data-at="${offset}"]`);
  }

  /** Marks bytes as long as the mouse is over what is about them. */
  point(spans: readonly (readonly [from: number, length: number])[]): void {
    for (const cell of this.grid.querySelectorAll('.pointed'))
      cell.classList.remove('pointed');
    for (const [from, length] of spans) this.each(from, length, 'pointed');
  }

  private rowOf(offset: number): number {
    const row = this.rows.filter((start) => start <= offset).length - 1;
    return Math.max(0, Math.min(row, this.rows.length - 2)); // the last number is the end
  }

  private get lastRow(): number {
    const from = this.rows[this.firstRow] ?? 0;
    const behind = this.rows.findIndex((start) => start > from + BYTES_DRAWN);
    const last = behind < 0 ? this.rows.length - 1 : behind;
    return Math.min(last, this.firstRow + ROWS_DRAWN);
  }

  private render(): void {
    const { firstRow, lastRow, rows } = this;
    const focused = this.grid.contains(document.activeElement);
    const drawn: HTMLElement[] = [];
    if (this.columns.length > 0) drawn.push(this.heads());
    let before = '';
    for (let index = firstRow; index < lastRow; index += 1) {
      const tag = this.tagOf(rows[index] ?? 0);
      drawn.push(this.row(rows[index] ?? 0, rows[index + 1] ?? 0, tag, tag === before));
      before = tag;
    }
    if (this.message.text === '')
      drawn.push(this.row(this.message.end, this.message.end, '', true));
    if (firstRow > 0) {
      const to = Math.max(0, firstRow - ROWS_DRAWN);
      drawn.unshift(this.more(`${count(firstRow, 'row')} before these`, to));
    }
    const behind = rows.length - 1 - lastRow;
    if (behind > 0) drawn.push(this.more(count(behind, 'more row'), lastRow));
    this.grid.replaceChildren(...drawn);
    this.mark();
    if (focused && this.chosen !== undefined) this.cell(this.chosen)?.focus();
  }

  private more(text: string, firstRow: number): HTMLElement {
    const show = (): void => {
      this.firstRow = firstRow;
      this.render();
    };
    return element('div', { class: 'more', role: 'none' }, button(text, show));
  }

  private tagOf(offset: number): string {
    const part = this.when.part(offset);
    const wrong = this.when.isWrong(offset) ? this.when.rejection?.line : undefined;
    const line = this.message.entry(part)?.line ?? wrong;
    if (line !== undefined) return TAGS[line] ?? line;
    const state = this.when.state(offset);
    return state === 'never' ? 'never parsed' : state === 'whole' ? 'not accepted' : '';
  }

  private row(from: number, to: number, tag: string, isSame: boolean): HTMLElement {
    const { message, when } = this;
    const cells = element('span', { class: 'cells', role: 'none' });
    for (let offset = from; offset < to; offset += 1) {
      const made = [...(this.waitsAt(offset) ? [makeGap()] : []), this.byte(offset)];
      const cr = cells.lastElementChild;
      // A line end is never cut in two where a row is too long for the window.
      if (cr !== null && message.slice(offset - 1, 2) === '\r\n')
        cells.append(element('span', { class: 'end', role: 'none' }, cr, ...made));
      else cells.append(...made);
    }
    const isLast = to === message.end;
    const { rejection } = when;
    if (isLast && rejection !== undefined && rejection.offset >= message.end)
      cells.append(this.nothing(rejection.offset));
    if (isLast && this.waitsAt(to)) cells.append(makeGap());
    const name = `${tag === '' ? 'bytes' : tag}, from byte ${from}`;
    return element(
      'div',
      { class: 'row', role: 'row', 'aria-label': name, 'data-from': from },
      ...(this.columns.length > 0
        ? []
        : [element('span', { class: 'tag', 'aria-hidden': 'true' }, isSame ? '' : tag)]),
      element(
        'span',
        { class: 'off', role: 'rowheader', 'aria-label': name },
        String(from),
      ),
      cells,
      ...this.columns.map((cuts) => this.column(cuts, from, to)),
    );
  }

  private byte(offset: number): HTMLElement {
    const { message, when } = this;
    const byte = message.at(offset);
    const state = when.state(offset);
    const part = when.part(offset);
    const kind = message.entry(part)?.kind;
    const classes = ['b', kind === undefined ? state : `k-${kind}`];
    if (part?.[3] === when.step && message.side === 'request') classes.push('new');
    if (byte === 0x20) classes.push('space');
    const shown = showByte(byte);
    if (shown.length > 2) classes.push('wide');
    if (when.isWrong(offset)) classes.push('wrong');
    const isCut = message.message.arrivals.some(([, end]) => end === offset);
    if (isCut && offset < when.arrived) classes.push('cut');
    const turn = this.turnAt(offset);
    if (turn !== '') classes.push('begins');
    const value = state === 'future' ? '' : `${nameByte(byte)}, `;
    const what = `byte ${offset}, ${value}${when.describe(offset)}`;
    const name = turn === '' ? what : `${what}, ${turn}`;
    return element(
      'span',
      {
        ...{ class: classes.join(' '), role: 'gridcell', tabindex: -1, 'aria-label': name },
        ...{ 'data-at': offset, 'data-hex': toHex(byte) },
      },
      shown,
    );
  }

  /** @returns which readers begin another request at a byte, in words, or '' */
  private turnAt(offset: number): string {
    const found = this.columns.flatMap((cuts, index) => {
      const cut = cutAt(cuts, offset);
      if (cut?.from !== offset || cut.kind !== 'head' || cut.request === 1) return [];
      return [[index, cut.request] as const];
    });
    const [first, ...rest] = found;
    if (first === undefined) return '';
    const name = inSentence(nameReader(this.other, first[0]));
    // There is no more room beside the columns.
    const others = rest.map(([index, request]) => {
      const short = nameReader(this.other, index).replace('Reader ', '');
      return `, ${short.length > 1 ? inSentence(short) : short} request ${request}`;
    });
    return `${name} begins request ${first[1]}${others.join('')} here`;
  }

  /** @returns what each reader with a column takes a byte for, unless nobody differs. In
   * the head of the first request nobody does, but each goes by other bytes that belong
   * together. */
  readersAt(offset: number): readonly (readonly [reader: string, takesFor: string])[] {
    if (this.columns.length === 0) return this.readersBefore(offset);
    const cuts = this.columns.map((all) => cutAt(all, offset));
    if (cuts.every((cut) => cut?.kind === 'head' && cut.request === 1))
      return this.isRelated(offset)
        ? this.shown.map(
            (one, index) => [nameReader(this.other, index), doesOf(one)] as const,
          )
        : [];
    const [first] = cuts;
    const isOneSaid = cuts.every((cut) => cut?.says === first?.says);
    if (isOneSaid && cuts.length > 1) return [];
    return cuts.flatMap((cut, index) =>
      cut === undefined ? [] : [[nameReader(this.other, index), cut.says] as const],
    );
  }

  /** Whether a byte belongs with others, such as the length with what it measures. */
  private isRelated(offset: number): boolean {
    return relationsOf(this.when).some((group) => group.some((span) => isIn(span, offset)));
  }

  /** Whose content the byte is for a reader of an earlier request that has not ended it
   * yet. */
  private readersBefore(offset: number): readonly (readonly [string, string])[] {
    const { data, exchange, side } = this.message;
    const { connection, number } = exchange;
    const earlier = data.exchanges.filter(
      (one) => one.connection === connection && one.number < number && side === 'request',
    );
    let distance = offset;
    return earlier.reverse().flatMap((one) => {
      distance += one.length ?? NaN;
      if (!isJudgedAt({ data, exchange: one }, this.when.step)) return [];
      return shownOf(one.other).flatMap((reading, index) => {
        const cuts = cutsOf(reading, one.other?.end ?? 0, atob(one.request.bytes));
        const cut = cutAt(cuts, distance);
        if (cut?.kind !== 'content' || cut.request !== 1) return [];
        const says = cut.says.replace(/^its content/, `content of ${one.title}`);
        return [[nameReader(one.other, index), says] as const];
      });
    });
  }

  /** Whether all readers, this server included, take a byte for the same. */
  private isAlike(cut: Cut, offset: number): boolean {
    const isSame = this.columns.every((other) => {
      const same = cutAt(other, offset);
      return same?.kind === cut.kind && same.request === cut.request;
    });
    return isSame && (cut.request === 1 || this.columns.length > 1);
  }

  /** Where a byte is missed: it can be chosen like a byte. */
  private nothing(offset: number): HTMLElement {
    const name = `byte ${offset}, ${FAULTS.nothing.is}`;
    return element(
      'span',
      {
        ...{ class: 'b wrong nothing', role: 'gridcell', tabindex: -1 },
        ...{ 'data-at': offset, 'aria-label': name },
      },
      '\u2205',
    );
  }

  /** Whether the server waits for the byte with an offset. */
  private waitsAt(offset: number): boolean {
    const { message, when } = this;
    const verb = message.data.steps[when.step]?.verb;
    return verb === 'wait' && message.side === 'request' && offset === when.arrived;
  }

  private heads(): HTMLElement {
    const { exchange, rejection } = this.message;
    const ours = rejection
      ? `rejects at byte ${rejection.offset}`
      : `ends the request after byte ${(exchange.length ?? this.message.end) - 1}`;
    const head = (who: string, name: string, text: string): HTMLElement =>
      element(
        'div',
        { class: 'rh' },
        element('b', {}, element('span', { class: 'who' }, who), name),
        element('span', { class: 'does' }, text),
      );
    const others = this.shown.map((reading, index) => {
      const does = doesOf(reading);
      const end = endOf(reading, this.other?.end ?? this.message.end);
      const [who, name = ''] = nameReader(this.other, index).split(' ');
      return head(`${who} `, name, `${does}: ${end}`);
    });
    const none = element('span');
    return element(
      'div',
      { class: 'row heads', 'aria-hidden': 'true' },
      none,
      head('', 'The server', ours),
      ...others,
    );
  }

  /** A row as another reader has it. What all readers read alike is soft. */
  private column(cuts: readonly Cut[], from: number, to: number): HTMLElement {
    const cut = cutAt(cuts, from);
    const text = showBytes(this.message.slice(from, to - from)).replaceAll(' ', '\u00b7');
    if (cut === undefined) return element('span', { 'aria-hidden': 'true' });
    const classes = ['rd', cut.kind];
    if (this.isAlike(cut, from)) classes.push('alike');
    if (from === cut.from) classes.push('first');
    if (to === cut.to) classes.push('last');
    if (cut.request > 1 && cut.kind !== 'skipped') classes.push('second');
    const { end } = this.message;
    const isLast = to === cut.to || to === end;
    const behind = cut.kind === 'content' ? cut.to - end : 0;
    const more = behind > 0 ? `, ${behind} of them after this request` : '';
    const number = from === cut.from && cut.kind === 'head' ? String(cut.request) : '';
    return element(
      'span',
      { class: classes.join(' '), 'aria-hidden': 'true' },
      element('span', { class: 'number' }, number),
      element('span', { class: 'text' }, text),
      element('span', { class: 'says' }, isLast ? cut.says + more : ''),
    );
  }

  /** What the readers do, in sentences: for a narrow window, and for the ear. */
  tellReadings(step: number): HTMLElement | undefined {
    if (this.other === undefined || !isJudgedAt(this.message, step)) return undefined;
    const { consequence, end, experiment, readings } = this.other;
    const lab =
      experiment === undefined
        ? ''
        : ` A case like it: Lab ${experiment} of the workbench, or npm run lab -- ` +
          `${experiment} --play.`;
    const beyond =
      end > this.message.end ? ' That reading goes on in what came after the request.' : '';
    const { rejection } = this.message;
    const until = rejection?.status === 408 ? 'the rest arrives' : 'the input ends';
    const whether =
      rejection?.fault === 'nothing' ? `Before ${until}: ` : 'If this were accepted: ';
    const what = this.shown.reduce((text, reading, index) => {
      const does = doesOf(reading);
      const name = nameReader(this.other, index);
      return name === PROXY
        ? text.replace(`A proxy that ${does}`, name)
        : name === ANOTHER
          ? text
          : text.replace(does, `reads like ${inSentence(name)}`);
    }, consequence);
    const all = new Set([...this.shown, ...readings]);
    const told = [...all].map((reading) => {
      const index = this.shown.indexOf(reading);
      const name = index < 0 ? ANOTHER : nameReader(this.other, index);
      return element('li', {}, tell(reading, end, this.message.text, name));
    });
    return element(
      'div',
      { class: 'after' },
      element(
        'p',
        {},
        `${rejection ? `${whether}${inSentence(what)}` : what}${beyond}`,
        element('span', { class: 'lab' }, lab),
      ),
      element('ul', { class: 'told' }, ...told),
    );
  }

  // The marks, and the labels in the lanes.

  private each(from: number, length: number, name: string): void {
    const end = Math.min(from + length, this.rows[this.lastRow] ?? this.message.end + 1);
    for (
      let at = Math.max(from, this.rows[this.firstRow] ?? 0);
      at < Math.max(end, from + 1);
      at += 1
    )
      this.cell(at)?.classList.add(name);
  }

  private mark(): void {
    const { chosen, grid, when } = this;
    for (const lane of grid.querySelectorAll('.lane')) lane.remove();
    for (const name of ['chosen', 'also', 'here'])
      for (const cell of grid.querySelectorAll(`.${name}`)) cell.classList.remove(name);
    const relations = relationsOf(when);
    for (const { length, offset, says } of relations.flat())
      if (says.startsWith('says')) this.each(offset, length, 'measure');
    const labels: [offset: number, text: string, kind: string][] = [];
    const { rejection } = when;
    if (rejection !== undefined) {
      const also = relations.flat().find(({ offset }) => offset === rejection.offset)?.says;
      const isTooMuch = ['limit', 'large', 'room'].includes(rejection.fault);
      const more = also === undefined || isTooMuch ? '' : `, ${also}`;
      const text = `${POINTER}${FAULTS[rejection.fault].mark}${more}`;
      labels.push([rejection.offset, text, 'wrong']);
    }
    labels.push(...this.cutLabels(), ...this.turnLabels());
    const part = chosen === undefined ? undefined : when.part(chosen);
    const groups = relations.filter((group) => group.some((span) => isIn(span, chosen)));
    if (part !== undefined) this.each(part[1], part[2], 'chosen');
    for (const { length, offset, says } of groups.flat()) {
      if (length <= LONGEST_MARK) this.each(offset, length, 'also');
      if (offset !== rejection?.offset) labels.push([offset, says, 'also']);
    }
    const entry = this.message.entry(part);
    if (part && entry && groups.length === 0 && rejection?.offset !== part[1])
      labels.push([part[1], nameOf(entry), 'name']);
    this.label(labels);
    if (chosen !== undefined) this.cell(chosen)?.classList.add('here');
    for (const cell of grid.querySelectorAll('[tabindex="0"]'))
      cell.setAttribute('tabindex', '-1');
    const stop =
      (chosen === undefined ? null : this.cell(chosen)) ?? grid.querySelector('[data-at]');
    stop?.setAttribute('tabindex', '0');
  }

  /** What is between two reads, and what the server waits for. */
  private cutLabels(): [offset: number, text: string, kind: string][] {
    const { message, when } = this;
    const { arrivals } = message.message;
    const cuts = arrivals.slice(1).flatMap(([step], index): [number, string, string][] => {
      const [before = 0, end = 0] = arrivals[index] ?? [];
      if (step > when.step) return [];
      const isWait = (at: number): boolean =>
        at > before && at < step && message.data.steps[at]?.verb === 'wait';
      const wait = message.exchange.steps.filter(isWait).at(-1);
      const isTold = wait !== undefined && arrivals.length <= MOST_PIECES;
      const from = isTold ? wait : before;
      const time = milliseconds(timeBetween(message.data, from, step));
      const says = isTold ? `waited ${time} ${this.waitAt(wait)}` : `${time} later`;
      return [[end, says, 'cut']];
    });
    return [...cuts, [-1, `waits ${this.waitAt(when.step)}`, 'cut']];
  }

  /** @returns what the server waits for at a step: "for the end of the request line" */
  private waitAt(step: number): string {
    return this.message.data.steps[step]?.lines[0]?.replace(/ \(RFC.*/, '') ?? '';
  }

  /** Where another reader begins a request. */
  private turnLabels(): [offset: number, text: string, kind: string][] {
    const starts = new Set(this.columns.flat().map(({ from }) => from));
    return [...starts].flatMap((offset): [number, string, string][] => {
      const turn = this.turnAt(offset);
      return turn === '' ? [] : [[offset, turn, 'begins']];
    });
  }

  /** Puts labels under their bytes; two in one lane never overlap. */
  private label(labels: readonly [offset: number, text: string, kind: string][]): void {
    /** For each row its lines, and where the last label below a line ends. */
    const rows = new Map<Element | null, { middle: number; end: number }[]>();
    const places = labels.flatMap(([offset, text, kind]) => {
      const cell =
        offset < 0 ? this.grid.querySelector<HTMLElement>('.gap') : this.cell(offset);
      return cell === null ? [] : { cell, text, kind };
    });
    places.sort(({ cell: one }, { cell: other }) => one.offsetLeft - other.offsetLeft);
    for (const { cell, kind, text } of places) {
      const cells = cell.closest<HTMLElement>('.cells');
      const lane = element('span', { class: `lane ${kind}`, 'aria-hidden': 'true' }, text);
      cells?.append(lane);
      // A gap is not as high as a byte.
      const middle = cell.offsetTop + cell.offsetHeight / 2;
      const lines = rows.get(cells) ?? [];
      rows.set(cells, lines);
      const known = lines.find(
        (one) => Math.abs(one.middle - middle) < cell.offsetHeight / 2,
      );
      const line = known ?? { middle, end: 0 };
      if (known === undefined) lines.push(line);
      const room = (cells?.clientWidth ?? 0) - lane.offsetWidth;
      // Where there is no room to the right, the label ends under its byte.
      if (cell.offsetLeft > room && text.startsWith(POINTER))
        lane.textContent = `${text.slice(POINTER.length)} ${POINTER.trim()}`;
      const last = cell.offsetLeft + cell.offsetWidth - lane.offsetWidth;
      const wanted = cell.offsetLeft > room ? last : cell.offsetLeft;
      const left = Math.max(line.end, wanted);
      // Where it stands elsewhere, it would point to another byte.
      const isAway = left > Math.max(0, wanted);
      if (isAway && text.endsWith(' later')) {
        lane.remove();
        continue;
      }
      lane.classList.toggle('away', isAway);
      if (isAway && text.startsWith(POINTER)) lane.textContent = text.slice(POINTER.length);
      lane.style.left = `${left}px`;
      lane.style.top = `${cell.offsetTop + cell.offsetHeight}px`;
      line.end = left + lane.offsetWidth + 8;
    }
  }

  /** What is selected is copied as the bytes that it shows. */
  private copy(event: ClipboardEvent): void {
    const selection = getSelection();
    if (selection === null || event.clipboardData === null) return;
    const cells = [...this.grid.querySelectorAll('[data-at]')].filter((cell) =>
      selection.containsNode(cell, true),
    );
    const offsets = cells.map(offsetOf).filter((offset) => offset < this.message.end);
    const bytes = offsets.map((offset) => this.message.slice(offset, 1)).join('');
    event.clipboardData.setData('text/plain', bytes);
    event.preventDefault();
  }

  // The keys.

  private onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { chosen = this.message.from } = this;
    const to = this.target(event.key, chosen);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const last = Math.max(this.message.end - 1, this.when.rejection?.offset ?? 0);
    const offset = Math.max(this.message.from, Math.min(last, to));
    if (this.cell(offset) === null) this.draw(this.when.step, offset, this.chosen);
    this.onChoose(offset);
    this.cell(offset)?.focus();
  }

  /** @returns the byte that a key leads to, or undefined where it leads to none */
  private target(key: string, at: number): number | undefined {
    const part = this.when.part(at);
    switch (key) {
      case 'ArrowLeft':
        return at - 1;
      case 'ArrowRight':
        return at + 1;
      case 'ArrowUp':
      case 'ArrowDown':
        return this.nextLine(at, key === 'ArrowUp' ? -1 : 1);
      case 'Home':
        return this.rows[this.rowOf(at)];
      case 'End':
        return (this.rows[this.rowOf(at) + 1] ?? this.message.end) - 1;
      case ']':
        return part && part[1] + part[2];
      case '[':
        return part && this.when.part(part[1] - 1)?.[1];
      case 'w':
        return this.when.rejection?.offset;
      case 'r': {
        const groups = relationsOf(this.when);
        const group = groups.find((spans) => spans.some((span) => isIn(span, at))) ?? [];
        const index = group.findIndex((span) => isIn(span, at));
        return group[(index + 1) % group.length]?.offset;
      }
      default:
        return undefined;
    }
  }

  /** @returns the byte that is above or below another */
  private nextLine(at: number, way: 1 | -1): number | undefined {
    const cell = this.cell(at);
    if (cell === null) return undefined;
    const { height, left, top } = cell.getBoundingClientRect();
    let best: number | undefined;
    let distance = Infinity;
    let line: number | undefined;
    const all = [...this.grid.querySelectorAll('[data-at]')];
    for (const other of way > 0 ? all : all.reverse()) {
      const box = other.getBoundingClientRect();
      if ((box.top - top) * way < height / 2) continue; // its own line, or one behind it
      line ??= box.top;
      if (Math.abs(box.top - line) > height / 2) break;
      if (Math.abs(box.left - left) >= distance) continue;
      distance = Math.abs(box.left - left);
      best = offsetOf(other);
    }
    return best;
  }
}

/** What stands where the server waits. */
function makeGap(): HTMLElement {
  return element('span', { class: 'gap', 'aria-hidden': 'true' });
}

function offsetOf(cell: Element): number {
  return Number(cell.getAttribute('data-at'));
}

/** What the readers with a column are called. */
const LETTERS = ['A', 'B'] as const;
/** What the one is called that the request came through. */
const PROXY = 'The proxy';
/** What the one is called that has no letter, or is beside the proxy. */
const ANOTHER = 'Another reader';

function nameReader(other: OtherReadings | undefined, index: number): string {
  const proxy = other?.proxy;
  const areProxies = shownOf(other).map(
    ({ mistakes }) => proxy !== undefined && mistakes.includes(proxy),
  );
  if (areProxies[index]) return PROXY;
  return areProxies.includes(true) ? ANOTHER : `Reader ${LETTERS[index]}`;
}

/** @returns its mistake: "goes by Content-Length and ignores Transfer-Encoding" */
function doesOf({ reader }: Reading): string {
  return reader.replace(/^a reader that /, '');
}

/** @returns the text with a small first letter, for the middle of a sentence */
function inSentence(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** @returns the two readings that have a column: the one that ends the request last, mostly
 * that of a proxy, and the one that ends it first, mostly that of the server behind it */
function shownOf(other: OtherReadings | undefined): readonly Reading[] {
  const [first, ...more] = other?.readings ?? [];
  return [more.at(-1), first].filter((one) => one !== undefined);
}

/** Whether the server has decided where a request ends. */
function isJudgedAt(
  { data, exchange }: Pick<Message, 'data' | 'exchange'>,
  step: number,
): boolean {
  const isVerdict = (at: number): boolean =>
    ['reject', 'queue'].includes(data.steps[at]?.verb ?? '');
  return exchange.steps.some((at) => at <= step && isVerdict(at));
}

/** Points up, to the byte of a rejection. */
const POINTER = '\u25b2 ';

/** What stands before the first row of some lines. */
const TAGS: { readonly [line: string]: string } = {
  'empty line before the request line': 'empty line',
  'header field line': 'header fields',
  'end of the header section': 'empty line',
  'chunk line': 'chunk line',
  'end of the chunk': 'chunk end',
  'trailer field line': 'trailer fields',
  'end of the trailer section': 'empty line',
};
