/** Shows the conversation: one step at a time, with the message that it is about. */
import type {
  AnnouncedSize,
  MessageData,
  PageData,
  RejectionData,
  StepData,
} from '../page-data';
import { ByteView, nameOf } from './byte-view';
import { citation } from './citations';
import { byId, count, definitions, element, link, sentence } from './dom';
import { BEFORE, describeFacts, findWait, groupByRequest, type Wait } from './facts';
import { keepTogether, signsOf } from './grammar';
import { Lanes } from './lanes';
import { arrivedAt, arrivingAt, decode, nameByte, showByte, type Segment } from './rows';

class Page {
  private readonly data: PageData;
  private step = 0;
  private message = -1;
  private isGrammarOpen = false;
  private readonly texts = new Map<number, string>();
  private readonly requests: Map<number, number[]>;
  private readonly lanes: Lanes;
  private readonly byteView: ByteView;
  private readonly slider = byId('step');
  private readonly picker = byId('message');
  private readonly live = byId('live');

  constructor(data: PageData) {
    this.data = data;
    this.requests = groupByRequest(data);
    this.lanes = new Lanes(data, byId('lanes'), byId('beyond'), (step) => this.go(step));
    this.byteView = new ByteView(data, byId('bytes'), (offset, segment, byte) =>
      this.explain(offset, segment, byte),
    );
    this.fillLists();
    this.listen();
    this.go(this.hashedStep ?? data.start);
  }

  /** The step that the address names, as in "page.html#step=3". */
  private get hashedStep(): number | undefined {
    const step = /^#step=(\d+)$/.exec(location.hash)?.[1];
    return step === undefined ? undefined : Number(step) - 1;
  }

  private fillLists(): void {
    const legend = byId('legend');
    legend.append(...this.lanes.legend());
    // A narrow window has no room for it.
    legend.toggleAttribute('open', matchMedia('(min-width: 901px)').matches);
    for (const [index, { title }] of this.data.messages.entries()) {
      this.picker.append(element('option', { value: index }, title));
    }
  }

  private listen(): void {
    const { picker, slider } = this;
    slider.addEventListener('input', () => {
      if (slider instanceof HTMLInputElement) this.go(Number(slider.value));
    });
    picker.addEventListener('change', () => {
      if (picker instanceof HTMLSelectElement) this.goToMessage(Number(picker.value));
    });
    byId('previous').addEventListener('click', () => this.move(-1));
    byId('next').addEventListener('click', () => this.move(1));
    byId('all').addEventListener('click', ({ target }) => {
      const line = target instanceof Element ? target.closest('[data-step]') : null;
      if (line === null || (target instanceof Element && target.closest('a'))) return;
      this.go(Number(line.getAttribute('data-step')));
      byId('moment').scrollIntoView();
    });
    addEventListener('hashchange', () => this.go(this.hashedStep ?? this.step));
    document.addEventListener('keydown', (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const { target } = event;
      if (target instanceof HTMLElement && target.matches('[type=range], select')) return;
      if (event.key === 'ArrowLeft') this.move(-1);
      else if (event.key === 'ArrowRight') this.move(1);
      else return;
      event.preventDefault();
    });
  }

  /** To the next step, or the previous one; of this connection, if that is wanted. */
  private move(way: 1 | -1): void {
    const only = byId('only');
    const isOnly = only instanceof HTMLInputElement && only.checked;
    const { steps } = this.data;
    const connection = steps[this.step]?.connection;
    let to = this.step + way;
    while (isOnly && steps[to] && steps[to]?.connection !== connection) to += way;
    if (steps[to] !== undefined) this.go(to);
  }

  /** Shows a message as it is at this step, or where it is not all here yet, at another: its
   * rejection, or the last step about it. */
  private goToMessage(index: number): void {
    const { messages, steps } = this.data;
    const message = messages[index];
    if (message === undefined) return;
    const all = arrivedAt(message, Infinity);
    if (arrivedAt(message, this.step) === all) return this.showMessage(index);
    const last = steps.reduce(
      (found, { message: at }, step) => (at === index ? step : found),
      0,
    );
    const sent = message.isRequest ? undefined : message.arrivals[0]?.[0];
    this.go(message.rejection?.step ?? sent ?? last);
    this.showMessage(index);
  }

  private go(index: number): void {
    const { data, slider } = this;
    const step = data.steps[index];
    if (step === undefined) return;
    this.step = index;
    if (slider instanceof HTMLInputElement) slider.value = String(index);
    const spoken = `${nameConnection(step)}: ${step.verb} ${step.lines.join('. ')}`;
    slider.setAttribute('aria-valuetext', `step ${index + 1}, ${spoken}`);
    this.live.textContent = spoken;
    this.lanes.show(index);
    this.showMoment(step);
    this.showFacts(this.requestAt(index));
    this.showMessage(step.message >= 0 ? step.message : this.message);
  }

  /** The request that a step is about. A step of the server itself is about the last one. */
  private requestAt(index: number): number {
    const { steps } = this.data;
    if (steps[index]?.connection !== 0) return steps[index]?.request ?? -1;
    let before = index;
    while (steps[before]?.connection === 0) before -= 1;
    return steps[before]?.request ?? -1;
  }

  private showMoment({ at, connection, limit, lines, verb }: StepData): void {
    const { data } = this;
    const number = `Step ${this.step + 1} of ${data.steps.length}`;
    const remote = data.connections.find((one) => one.number === connection)?.remote;
    const from = connection === 0 ? 'the server' : `connection c${connection}`;
    const who = remote ? `${from}, from ${remote}` : from;
    byId('when').textContent = `${number}, ${(at / 1000).toFixed(3)} s, ${who}`;
    byId('what').replaceChildren(
      element('span', { class: `verb ${verb}` }, verb),
      ...lines.map((text) => element('span', { class: 'line' }, ...sentence(text))),
    );
    const goesOn = limit
      ? ` The limit of ${limit.seconds} s that began at step ${limit.step + 1} goes on.`
      : '';
    byId('gloss').textContent = (data.verbs[verb] ?? '') + goesOn;
  }

  private showFacts(request: number): void {
    const { data, step } = this;
    const message = data.messages[request];
    const known = message ? `What the server knew by then about ${message.title}` : '';
    byId('facts-of').textContent = known;
    const about = this.requests.get(request) ?? [];
    const rejection = message?.rejection;
    const isRejected = rejection !== undefined && rejection.step <= step;
    byId('verdict').replaceChildren(
      ...(message && isRejected ? [this.verdict(request, message, rejection)] : []),
    );
    const facts = describeFacts(data, request, about, step);
    // The verdict says what the server waited for before.
    const terms = facts
      .filter(({ term }) => !isRejected || term !== BEFORE)
      .map(({ term, text }) => [term, sentence(text)] as const);
    byId('facts').replaceChildren(definitions(terms));
  }

  /** Why a request was rejected. */
  private verdict(
    index: number,
    message: MessageData,
    rejection: RejectionData,
  ): HTMLElement {
    const { data } = this;
    const { announced, authority, expected, hint, line, meaning } = rejection;
    const { offset, reason, section, status } = rejection;
    const byte = this.textOf(index).charCodeAt(offset - message.from);
    const isMissing = Number.isNaN(byte);
    const where = isMissing ? ': no byte arrived here' : `: ${nameByte(byte)}`;
    const show = (at: number, text: string): HTMLElement =>
      button(text, () => this.showByte(index, rejection.step, at));
    const after = announced
      ? [
          ` after the ${count(announced.size, 'byte')} of data that `,
          show(announced.offset, `byte ${announced.offset}: ${announced.digits}`),
          ' announces',
        ]
      : [];
    const wait = findWait(data, message, this.requests.get(index) ?? [], rejection.step);
    const { before = '', after: consequence = '' } = data.authorities[authority] ?? {};
    const rule = [`${before} `, link(citation(section)), `. ${consequence} ${RFC}`];
    const { text = '' } = data.lines[line] ?? {};
    return element(
      'div',
      { class: 'verdict', role: 'group', 'aria-label': 'Why it was rejected' },
      element('p', { class: 'of' }, message.title),
      element('p', { class: 'reason' }, `\u2716 Rejected with ${status} (${meaning})`),
      definitions([
        ['What is wrong', expected === '' ? [reason] : undefined],
        ['Expected', expected === '' ? undefined : [expected, ...after]],
        [expected === '' ? 'Where' : 'Found', [show(offset, `byte ${offset}`), where]],
        ['What was being read', [`The ${line}. ${text}`]],
        ['What to send instead', announced && guessSize(announced, offset)],
        ['Hint', hint === '' ? undefined : [hint]],
        ['On whose authority', rule],
        ['A moment earlier', wait && this.describeWait(wait)],
      ]),
    );
  }

  /** From when to when the server waited, for what, and what of it had arrived. */
  private describeWait({ begun, from, next, step, text, until }: Wait): (Node | string)[] {
    const time = (at: number): string => `${(at / 1000).toFixed(3)} s`;
    const when =
      until === undefined ? `since ${time(from)}` : `from ${time(from)} to ${time(until)}`;
    const nothing = `nothing from byte ${next} on had arrived`;
    const some = begun === 1 ? `byte ${next - 1}` : `bytes ${next - begun} to ${next - 1}`;
    return [
      `The server waited ${when}, `,
      ...sentence(text),
      begun === 0 ? `; ${nothing}. ` : `; of it, ${some} had arrived, and ${nothing}. `,
      button(`go to step ${step + 1}`, () => this.go(step)),
    ];
  }

  /** Shows one byte of a message, at a step. */
  private showByte(message: number, step: number, offset: number): void {
    this.go(step);
    this.showMessage(message);
    this.byteView.choose(offset, true);
  }

  private showMessage(index: number): void {
    const { data, picker, step } = this;
    const message = data.messages[index];
    if (message === undefined) {
      byId('bytes').replaceChildren(element('p', {}, 'No bytes have arrived yet.'));
      return;
    }
    const isNew = index !== this.message;
    this.message = index;
    if (picker instanceof HTMLSelectElement) picker.value = String(index);
    const text = this.textOf(index);
    const arrived = arrivedAt(message, step);
    const end = message.from + text.length;
    const what = message.isRequest ? 'arrived' : 'sent';
    const later = arrived < end ? `, ${end - arrived} later` : '';
    const left =
      message.from > 0 ? `. The first ${count(message.from, 'byte')} are left out` : '';
    byId('arrived').textContent =
      `${count(arrived, 'byte')} ${what} by now${later}${left}.`;
    const isWaiting = data.steps[step]?.verb === 'wait' && arrived < end;
    const latest = isWaiting
      ? arrived // the byte that the server waits for
      : (message.parts.find(([, , , at]) => at === step)?.[1] ?? arrivingAt(message, step));
    const { rejection } = message;
    const wrong = rejection && rejection.step <= step ? rejection.offset : undefined;
    const first = wrong ?? latest ?? message.from;
    this.byteView.show(message, text, step, first);
    const isMoved = isNew || latest !== undefined || wrong !== undefined;
    const chosen = isMoved ? first : this.byteView.chosenByte;
    this.byteView.choose(Math.min(chosen, end - 1), false);
  }

  private textOf(message: number): string {
    let text = this.texts.get(message);
    const data = this.data.messages[message];
    if (text === undefined && data !== undefined)
      this.texts.set(message, (text = decode(data)));
    return text ?? '';
  }

  /** Says what one byte is, and was known to be at this step. */
  private explain(offset: number, segment: Segment, byte: number): void {
    const { glossary, lines, signs } = this.data;
    const part = glossary[segment.entry];
    const message = this.data.messages[this.message];
    const rejection = message?.rejection;
    const wrong = segment.state === 'wrong' ? rejection : undefined;
    const length = segment.to - segment.from;
    const more = segment.partLength > length ? ` of ${segment.partLength}` : '';
    const name = part ? nameOf(part) : UNREAD[segment.state];
    const next = lines[rejection?.line ?? '']?.next;
    const usual =
      segment.state === 'ignored' && next !== undefined
        ? ` Without the mistake, the line of the wrong byte would end, and then ${next} would come.`
        : '';
    const rule = wrong ? lines[wrong.line]?.rule : part?.rule;
    const box = byId('byte');
    const toggle = button('details', () => this.setOpen(!box.classList.contains('open')));
    toggle.id = 'toggle';
    box.replaceChildren(
      element(
        'p',
        { class: `byte-name k-${wrong ? 'wrong' : (part?.kind ?? 'none')}` },
        element('span', { class: 'glyph' }, showByte(byte)),
        element('span', {}, `Byte ${offset}: `, element('b', {}, name)),
        toggle,
      ),
      definitions([
        ['Byte', [nameByte(byte)]],
        ['Part', part && [`${name}, ${count(length, 'byte')}${more}, in the ${part.line}`]],
        ['Meaning', [part?.text ?? UNREAD_TEXT[segment.state] + usual]],
        ['When', message && this.whenHere(message, offset, segment)],
        ['Section', sectionOf(wrong?.section ?? part?.section)],
      ]),
      ...(rule === undefined ? [] : [describeRule(rule, signs, this.isGrammarOpen)]),
    );
    box.querySelector('details')?.addEventListener('toggle', ({ currentTarget }) => {
      if (currentTarget instanceof HTMLDetailsElement)
        this.isGrammarOpen = currentTarget.open;
    });
    this.setOpen(box.classList.contains('open'));
  }

  /** In a narrow window, the box of a byte is one line until it is opened. */
  private setOpen(isOpen: boolean): void {
    byId('byte').classList.toggle('open', isOpen);
    byId('toggle').setAttribute('aria-expanded', String(isOpen));
  }

  /** When a byte arrived or was sent: at this step, that may be still to come. */
  private whenHere({ arrivals, isRequest }: MessageData, offset: number, segment: Segment) {
    const step = arrivals.find(([, end]) => offset < end)?.[0];
    const at = this.data.steps[step ?? -1]?.at;
    if (step === undefined || at === undefined) return undefined;
    const isFuture = segment.state === 'future';
    const [past, future] = isRequest ? ['arrived', 'arrives'] : ['sent', 'is sent'];
    return [
      `${isFuture ? future : past} at ${(at / 1000).toFixed(3)} s, at step ${step + 1}`,
    ];
  }
}

/** Where an RFC is cited for the first time. */
const RFC = 'RFCs are the public documents that define HTTP.';

/** @param wrong the byte that is wrong
 * @returns the size that would be right if the data goes on to the next line end */
function guessSize({ data, digits, lineEnd, size }: AnnouncedSize, wrong: number) {
  if (lineEnd === undefined || wrong !== data + size || lineEnd <= wrong) return undefined;
  const length = lineEnd - data;
  return [
    `A guess, because the next line end is at byte ${lineEnd}: if the data was meant to go on to ` +
      `there, it has ${count(length, 'byte')}, and its size is `,
    element('code', {}, length.toString(16)),
    ' in hexadecimal, not ',
    element('code', {}, digits),
    `. If the size is right, the data is ${count(length - size, 'byte')} too long.`,
  ];
}

/** A rule, with what its signs mean, folded away. */
function describeRule(
  rule: string,
  signs: PageData['signs'],
  isOpen: boolean,
): HTMLElement {
  const details = element(
    'details',
    { class: 'grammar' },
    element('summary', {}, 'The rule in the grammar of HTTP'),
    element('code', {}, keepTogether(rule)),
    definitions(signsOf(rule, signs).map(([sign, text]) => [sign, [text]] as const)),
  );
  details.open = isOpen;
  return details;
}

function button(text: string, act: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', act);
  return made;
}

const sectionOf = (section: string | undefined) =>
  section === undefined ? undefined : [link(citation(section))];

const UNREAD = {
  read: '',
  waiting: 'not judged yet',
  ignored: 'never judged',
  future: 'not here yet',
  wrong: 'wrong byte',
  missing: 'missing',
} as const;
const UNREAD_TEXT = {
  read: '',
  waiting: 'It has arrived. The server has not decided yet what it is.',
  ignored:
    'It came after the mistake, so the server never decided what it is. Two programs that ' +
    'guessed might guess differently.',
  future: 'At this step, it had not arrived yet.',
  wrong: 'The server rejects the request because of this byte. The red box says why.',
  missing: 'No byte arrived here.',
} as const;

const nameConnection = ({ connection }: StepData): string =>
  connection === 0 ? 'server' : `c${connection}`;

const data: PageData = JSON.parse(byId('data').textContent ?? '');
document.documentElement.classList.add('interactive');
new Page(data);
