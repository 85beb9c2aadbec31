/** What is said of a rejection, of a byte, and of a step: three cards. Pure: it knows no
 * page. */
import type { PartData, RejectionData, StepData } from '../model/page-data';
import { nameByte, showByte, showBytes, toHex } from '../model/bytes';
import { citation } from '../model/citations';
import { VERBS } from '../model/glossary';
import { keepTogether, signsOf } from '../model/grammar';
import { FAULTS, nameOf, type Message, type MessageAt } from '../model/message';
import type { Readers } from '../model/readers';
import { isIn, relationsOf } from '../model/relations';
import { button, definitions, link, paragraph, sentence, view, type View } from './view';
import { describeWait } from '../model/times';

/** The byte that is explained. */
interface Chosen {
  readonly message: Message;
  readonly offset: number;
  /** What other readers take it for. */
  readonly readers: readonly (readonly [reader: string, takesFor: string])[];
}

/** What the page does when a button of the explanation is pressed. */
export interface Actions {
  goTo(step: number): void;
  choose(message: Message, offset: number): void;
}

export class Explanation {
  constructor(private readonly actions: Actions) {}

  /** @param remark is said first
   * @param messages the request and its responses
   * @param chosen the byte that is explained, if one is chosen */
  cards(
    remark: string,
    messages: readonly Message[],
    step: number,
    chosen: Chosen | undefined,
  ): View[] {
    const verdict = this.verdict(messages[0], step);
    const byte = chosen && this.byte(chosen, step);
    const isOther = chosen?.offset !== messages[0]?.when(step).rejection?.offset;
    const cards = [
      remark === '' ? undefined : card('said', paragraph('', remark)),
      ...(isOther ? [byte, verdict] : [verdict, byte]),
      this.step(messages[0], step),
      chosen ? undefined : paragraph('soft', 'Choose a byte to read what it is.'),
    ];
    return cards.filter((one) => one !== undefined);
  }

  /** Why the request was rejected. */
  private verdict(message: Message | undefined, step: number): View | undefined {
    const rejection = message?.when(step).rejection;
    if (message === undefined || rejection === undefined) return undefined;
    const { authority, fault, follows, hint, meaning, offset, reason, right, section } =
      rejection;
    const byte = message.at(offset);
    const entry = message.entry(message.when(step).part(offset));
    const where = entry ? `, in the ${nameOf(entry)}` : '';
    const found = Number.isNaN(byte) ? 'no byte had arrived' : nameSign(byte);
    const [whose, about] =
      authority === 'our choice'
        ? ['the choice of this server', '; the section about it is ']
        : [authority, ' '];
    const number = message.exchange.steps.indexOf(rejection.step) + 1;
    return card(
      'verdict',
      view('h2', {}, `\u2716 ${rejection.status} at byte ${offset}`),
      paragraph('', view('b', {}, `${reason}.`)),
      definitions([
        [FAULTS[fault].term, [this.byteButton(message, offset), `: ${found}${where}`]],
        ['Right', right === '' ? undefined : [right]],
        ['Hint', hint === '' ? undefined : [hint.replace(/[^.?]$/, '$&.')]],
      ]),
      paragraph(
        '',
        ...['Rejecting this is ', view('b', {}, whose), about],
        ...[link(citation(section)), `. ${follows}`],
      ),
      paragraph('soft', `${rejection.status} is ${meaning}.`),
      paragraph(
        'soft',
        `The server ${this.progress(message, rejection)} when it rejected the request, in `,
        ...[this.stepButton(number, rejection.step), '.'],
      ),
    );
  }

  /** How far the server was. It judges the fields only once all of them are read. */
  private progress(message: Message, rejection: RejectionData): string {
    const { fault, line, offset, status, step } = rejection;
    if (fault === 'nothing' && status === 408) return 'was waiting for more';
    if (fault === 'nothing') return 'knew that nothing more would come'; // the input has ended
    if (fault === 'large' && line === 'content') return `had not begun to read the ${line}`;
    const [, , , readAt = step] = message.when(step).part(offset) ?? [];
    if (readAt === step || fault === 'room') return `was reading the ${line}`;
    const isSectionRead =
      line === 'header field line' &&
      message.message.parts.some(
        (part) => message.entry(part)?.line === 'end of the header section',
      );
    return `had read the ${isSectionRead ? 'header section' : line}`;
  }

  private byte({ message, offset, readers }: Chosen, step: number): View {
    const when = message.when(step);
    const byte = message.at(offset);
    const part = when.part(offset);
    const entry = message.entry(part);
    const isHere = when.state(offset) !== 'future' && !Number.isNaN(byte);
    const glyph = !isHere ? '\u2205' : byte === 0x20 ? '\u00b7' : showByte(byte);
    const name = nameByte(byte);
    const called = [glyph, `0x${toHex(byte)}`].includes(name) ? '' : `, ${name}`;
    const value = isHere ? ` 0x${toHex(byte)}, ${byte}${called}` : '';
    const { rejection } = when;
    const isWrong = rejection?.offset === offset;
    const fault = isWrong ? `${FAULTS[rejection.fault].is}${entry ? ': ' : ''}` : '';
    const what = entry ? nameOf(entry) : fault === '' ? when.describe(offset) : '';
    const [, start = 0, length = 0] = part ?? [];
    const last = length > 1 ? ` to ${start + length - 1}` : '';
    const arrived = when.arrived - start;
    const some = arrived < length ? `, ${arrived.toLocaleString('en')} of them here` : '';
    const range = part ? `, byte${length > 1 ? 's' : ''} ${start}${last}${some}` : '';
    const line = entry && entry.kind !== 'content' ? `, ${placeOf(entry.line)}` : '';
    const state = when.state(offset);
    const text = entry?.text ?? UNREAD[isWrong ? (isHere ? 'wrong' : 'missing') : state];
    const about = entry && [
      ...(entry.rule === '' ? [] : [this.rule(entry.rule)]),
      paragraph('', link(citation(entry.section)), ...this.knownIn(message, part, step)),
    ];
    return card(
      'byte',
      view(
        'h2',
        {},
        view('span', { class: 'big' }, glyph),
        ...[`Byte ${offset}`, view('span', { class: 'soft' }, value)],
      ),
      paragraph(fault === '' ? '' : 'bad', fault, view('b', {}, what), range, line),
      paragraph('', text),
      ...(readers.length > 0
        ? [definitions(readers.map(([name, says]) => [name, [says]] as const))]
        : []),
      ...this.related(when, offset),
      ...(about ?? []),
    );
  }

  /** What content is known to be before it is read, and perhaps before it arrives. */
  private knownIn(message: Message, part: PartData | undefined, step: number): View[] {
    const { exchange, side } = message;
    const at = part?.[3] ?? -1;
    const number = exchange.steps.indexOf(at) + 1;
    if (side !== 'request' || number === 0 || at === step) return [];
    const how = message.entry(part)?.kind === 'content' ? 'announced' : 'read';
    return [`, ${how} in `, this.stepButton(number, at)];
  }

  /** What belongs with a byte. */
  private related(when: MessageAt, at: number): View[] {
    const { message } = when;
    const groups = relationsOf(when).filter((group) =>
      group.some((span) => isIn(span, at)),
    );
    return groups.map((group) =>
      definitions(
        group.map(({ length, offset, says }) => {
          const here = Math.min(length, 12, when.arrived - offset);
          const text = showBytes(message.slice(offset, here)) || '\u2205';
          const button = this.byteButton(message, offset);
          return [length > 12 ? `${text}\u2026` : text, [button, `: ${says}`]];
        }),
        { class: 'related', 'aria-label': 'What belongs together' },
      ),
    );
  }

  /** A rule of the grammar, with what its signs mean, folded away. */
  private rule(rule: string): View {
    return view(
      'details',
      {},
      view('summary', {}, 'The grammar of this part'),
      view('code', { class: 'rule' }, keepTogether(rule)),
      definitions(signsOf(rule).map(([sign, text]) => [sign, [text]] as const)),
    );
  }

  private step(message: Message | undefined, index: number): View | undefined {
    const step: StepData | undefined = message?.data.steps[index];
    if (message === undefined || step === undefined) return undefined;
    const { data, exchange } = message;
    const number = `step ${exchange.steps.indexOf(index) + 1}`;
    const wait = describeWait(data, exchange, index);
    return card(
      'step',
      view('h2', {}, `${step.verb} `, view('span', { class: 'soft' }, number)),
      ...step.lines.map((text) => paragraph('', ...sentence(text))),
      paragraph('soft', VERBS[step.verb]),
      ...(wait === undefined ? [] : [paragraph('', wait.text)]),
    );
  }

  private byteButton(message: Message, offset: number): View {
    return button(`byte ${offset}`, () => this.actions.choose(message, offset), 'link');
  }

  private stepButton(number: number, step: number): View {
    return button(`step ${number}`, () => this.actions.goTo(step), 'link');
  }
}

/** What the readers do: the list is for a narrow window, and for the ear. */
export function tellReaders(readers: Readers, step: number): View[] {
  const { lab = '', said = '', told = [] } = readers.tell(step) ?? {};
  if (said === '') return [];
  const items = told.map((text) => view('li', {}, text));
  return [
    view(
      'div',
      { class: 'after' },
      paragraph('', said, view('span', { class: 'lab' }, lab)),
      view('ul', { class: 'told' }, ...items),
    ),
  ];
}

const UNREAD = {
  part: '',
  raw: 'It has arrived. The server has not parsed it yet.',
  whole: 'The server has looked through its line, but has not accepted it.',
  never: 'The server never parses it.',
  future: 'At this step, it has not arrived.',
  wrong: 'Here the server rejects the request, and parses nothing more.',
  missing: 'It had not arrived when the server rejected the request.',
} as const;

/** "in the request line", "at the end of the header section" */
function placeOf(line: string): string {
  return `${line.startsWith('end of') ? 'at' : 'in'} the ${line}`;
}

/** A byte in the middle of a sentence. */
function nameSign(byte: number): string {
  return { 0x20: 'a space', 0x2c: 'a comma' }[byte] ?? showByte(byte);
}

function card(name: string, ...children: readonly View[]): View {
  return view('div', { class: `card ${name}` }, ...children);
}
