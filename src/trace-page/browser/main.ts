/** Shows the conversation: one step at a time, with the message that it is about. */
import type { MessageData, PageData, RejectionData, StepData } from '../page-data';
import { ByteView } from './byte-view';
import { citation } from './citations';
import { byId, count, definitions, element, link, sentence } from './dom';
import { describeFacts, groupByRequest } from './facts';
import { Lanes, MARK_LEGEND } from './lanes';
import { arrivedAt, arrivingAt, decode, nameByte, showByte, type Segment } from './rows';

class Page {
  private readonly data: PageData;
  private step = 0;
  private message = -1;
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
    this.lanes = new Lanes(data, byId('lanes'), (step) => this.go(step));
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
    for (const [verb, mark] of MARK_LEGEND) {
      byId('legend').append(element('span', {}, `${mark} ${verb}`));
    }
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
      const isField = event.target instanceof HTMLElement && event.target.matches('input, select');
      if (isField) return;
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

  /** To the rejection of a message, or to the last step about it. */
  private goToMessage(message: number): void {
    const { messages, steps } = this.data;
    const rejected = messages[message]?.rejection?.step;
    const last = steps.reduce((found, { message: at }, step) => (at === message ? step : found), 0);
    this.go(rejected ?? last);
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
    this.showFacts(step);
    this.showMessage(step);
  }

  private showMoment({ at, connection, lines, verb }: StepData): void {
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
    byId('gloss').textContent = data.verbs[verb] ?? '';
  }

  private showFacts({ request }: StepData): void {
    const { data, step } = this;
    const message = data.messages[request];
    const known = message ? `What the server knew by then about ${message.title}` : '';
    byId('facts-of').textContent = known;
    const facts = describeFacts(data, request, this.requests.get(request) ?? [], step);
    const rejection = message?.rejection;
    const isRejected = rejection !== undefined && rejection.step <= step;
    byId('verdict').replaceChildren(
      ...(message && isRejected ? [this.verdict(message, rejection, facts[1]?.text ?? '')] : []),
    );
    const terms = facts.map(({ term, text }) => [term, sentence(text)] as const);
    byId('facts').replaceChildren(definitions(terms));
  }

  /** Why a request was rejected. */
  private verdict(message: MessageData, rejection: RejectionData, waited: string): HTMLElement {
    const { data } = this;
    const { authority, hint, line, offset, reason, section, status } = rejection;
    const text = this.textOf(data.messages.indexOf(message));
    const byte = text.charCodeAt(offset - message.from);
    const isMissing = Number.isNaN(byte);
    const where = isMissing ? 'after the last byte that arrived' : nameByte(byte);
    const show = element('button', { type: 'button' }, `byte ${offset}`);
    show.addEventListener('click', () => {
      this.go(rejection.step);
      this.byteView.choose(offset, true);
    });
    const rule = [`${authority} `, link(citation(section)), `. ${data.authorities[authority]}`];
    return element(
      'div',
      { class: 'verdict', role: 'group', 'aria-label': 'Why it was rejected' },
      element('p', { class: 'reason' }, `\u2716 Rejected with ${status}: ${reason}`),
      definitions([
        ['At', [show, `: ${where}`]],
        ['It was read as', [`${line}. ${data.lines[line]?.text}`]],
        ['Grammar', [element('code', {}, data.lines[line]?.rule ?? '')]],
        ['On whose authority', rule],
        ['Hint', hint === '' ? undefined : [hint]],
        ['A moment earlier', sentence(waited)],
      ]),
    );
  }

  private showMessage({ message: index }: StepData): void {
    const { data, picker, step } = this;
    const shown = index >= 0 ? index : this.message;
    const message = data.messages[shown];
    if (message === undefined) {
      byId('bytes').replaceChildren(element('p', {}, 'No bytes have arrived yet.'));
      return;
    }
    const isNew = shown !== this.message;
    this.message = shown;
    if (picker instanceof HTMLSelectElement) picker.value = String(shown);
    const text = this.textOf(shown);
    const arrived = arrivedAt(message, step);
    const end = message.from + text.length;
    const what = message.isRequest ? 'arrived' : 'sent';
    const later = arrived < end ? `, ${end - arrived} later` : '';
    const left = message.from > 0 ? `. The first ${count(message.from, 'byte')} are left out` : '';
    byId('arrived').textContent = `${count(arrived, 'byte')} ${what} by now${later}${left}.`;
    const latest =
      message.parts.find(([, , , at]) => at === step)?.[1] ?? arrivingAt(message, step);
    const { rejection } = message;
    const wrong = rejection && rejection.step <= step ? rejection.offset : undefined;
    const first = wrong ?? latest ?? message.from;
    this.byteView.show(message, text, step, first);
    if (isNew || latest !== undefined || wrong !== undefined)
      this.byteView.choose(Math.min(first, end - 1), false);
  }

  private textOf(message: number): string {
    let text = this.texts.get(message);
    const data = this.data.messages[message];
    if (text === undefined && data !== undefined) this.texts.set(message, (text = decode(data)));
    return text ?? '';
  }

  /** Says what one byte is. */
  private explain(offset: number, segment: Segment, byte: number): void {
    const { glossary, messages, steps } = this.data;
    const part = glossary[segment.entry];
    const message = messages[this.message];
    const rejection = segment.state === 'wrong' ? message?.rejection : undefined;
    const verb = message?.isRequest === false ? 'sent' : 'arrived';
    const arrival = message?.arrivals.find(([, end]) => offset < end)?.[0];
    const at = arrival === undefined ? undefined : steps[arrival]?.at;
    const when = at === undefined ? undefined : [`${verb} at ${(at / 1000).toFixed(3)} s`];
    const length = segment.to - segment.from;
    const more = segment.partLength > length ? ` of ${segment.partLength}` : '';
    const rule = rejection ? this.data.lines[rejection.line]?.rule : part?.rule;
    const name = part?.name ?? UNREAD[segment.state];
    byId('byte').replaceChildren(
      element(
        'p',
        { class: `byte-name k-${rejection ? 'wrong' : (part?.kind ?? 'none')}` },
        element('span', { class: 'glyph' }, showByte(byte)),
        element('span', {}, `Byte ${offset}: `, element('b', {}, rejection ? 'wrong byte' : name)),
      ),
      definitions([
        ['Byte', [nameByte(byte)]],
        ['Read as', rejection && [rejection.line]],
        ['Part', part && [`${name}, ${count(length, 'byte')}${more}, in the ${part.line}`]],
        ['Meaning', rejection ? [rejection.reason] : [part?.text ?? UNREAD_TEXT[segment.state]]],
        ['Grammar', rule === undefined ? undefined : [element('code', {}, rule)]],
        ['Section', sectionOf(rejection?.section ?? part?.section)],
        ['When', when],
      ]),
    );
  }
}

const sectionOf = (section: string | undefined) =>
  section === undefined ? undefined : [link(citation(section))];

const UNREAD = {
  read: '',
  waiting: 'not judged yet',
  ignored: 'never judged',
  future: 'not here yet',
  wrong: 'the wrong byte',
  missing: 'missing',
} as const;
const UNREAD_TEXT = {
  read: '',
  waiting: 'It has arrived. The server has not decided yet what it is.',
  ignored: 'It came after the wrong byte: the server never decided what it is.',
  future: 'At this step, it had not arrived yet.',
  wrong: 'The first byte that breaks the rule.',
  missing: 'No byte came here.',
} as const;

const nameConnection = ({ connection }: StepData): string =>
  connection === 0 ? 'server' : `c${connection}`;

const data: PageData = JSON.parse(byId('data').textContent ?? '');
document.documentElement.classList.add('interactive');
new Page(data);
