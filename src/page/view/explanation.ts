/** What is said of a rejection, of a byte, and of a step: three cards. Pure: it knows no
 * page. */
import type { PartData, RejectionData } from '../model/page-data';
import { nameByte, showByte } from '../model/bytes';
import { citation } from '../model/citations';
import {
  capitalize,
  explainPart,
  isContent,
  nameOf,
  STATUSES,
  VERBS,
  whatFollows,
} from '../model/glossary';
import { FAULTS, type Message, type MessageAt } from '../model/message';
import { isIn, relationsOf } from '../model/relations';
import { describeWait } from '../model/times';
import { escape, toHex } from '../../text/text';
import type { ByteGrid } from './grid';
import type { Place } from './state';
import {
  button,
  definitions,
  link,
  listOf,
  sentence,
  view,
  type Child,
  type View,
} from './view';

/** A message at a step, and what other readers take its bytes for. */
type Shown = Pick<ByteGrid, 'when' | 'readers'>;

/** @param remark is said first
 * @param grids of the request and of its responses, at a step
 * @param chosen the byte that is explained, if one is chosen */
export function explanationOf(
  remark: string,
  grids: readonly Shown[],
  step: number,
  chosen: Place | undefined,
): View[] {
  const [request] = grids;
  if (request === undefined) return [];
  const { rejection } = request.when;
  const verdict = rejection && verdictCard(request.when, rejection);
  const shown = grids.find(({ when }) => when.message.side === chosen?.side);
  const byte = chosen && shown && byteCard(shown, chosen.offset);
  const isOther = chosen?.offset !== rejection?.offset;
  return listOf(
    remark === '' ? undefined : card('said', view('p', '', remark)),
    isOther ? [byte, verdict] : [verdict, byte],
    stepCard(request.when, step),
    chosen ? undefined : view('p', 'soft', 'Choose a byte to read what it is.'),
  );
}

/** Why the request was rejected. */
function verdictCard(when: MessageAt, rejection: RejectionData): View {
  const { message } = when;
  const { authority, expected, fault, hint, offset, reason, section, status } = rejection;
  const byte = message.at(offset);
  const part = when.part(offset);
  const where = part ? `, in the ${nameOf(part)}` : '';
  const found = Number.isNaN(byte) ? 'no byte had arrived' : nameSign(byte);
  const isOurs = authority === 'our choice';
  const whose = isOurs ? 'the choice of this server' : authority;
  const about = isOurs ? '; the section about it is ' : ' ';
  const cited = link(citation(section));
  const follows = `. ${whatFollows(rejection)}`;
  return card(
    'verdict',
    view('h2', '', `\u2716 ${status} at byte ${offset}`),
    view('p', '', view('b', '', `${reason}.`)),
    definitions([
      [FAULTS[fault].term, [byteButton(message, offset), `: ${found}${where}`]],
      ['Right', expected === '' ? undefined : `${capitalize(expected)}.`],
      ['Hint', capitalize(hint).replace(/[^.?]$/, '$&.') || undefined],
    ]),
    view('p', '', 'Rejecting this is ', view('b', '', whose), about, cited, follows),
    view('p', 'soft', `${status} is ${STATUSES[status] ?? ''}.`),
    view('p', 'soft', 'Rejected in ', stepButton(message, rejection.step), '.'),
  );
}

function byteCard({ readers, when }: Shown, offset: number): View {
  const { message, rejection } = when;
  const byte = message.at(offset);
  const part = when.part(offset);
  const isHere = when.state(offset) !== 'future' && !Number.isNaN(byte);
  const glyph = !isHere ? '\u2205' : byte === 0x20 ? '\u00b7' : showByte(byte);
  const big = view('span', 'big', glyph);
  const name = nameByte(byte);
  const called = name === glyph ? '' : `, ${name}`;
  const value = isHere ? ` 0x${toHex(byte)}, ${byte}${called}` : '';
  const isWrong = rejection?.offset === offset;
  const fault = isWrong ? `${FAULTS[rejection.fault].is}${part ? ': ' : ''}` : '';
  const what = part ? nameOf(part) : fault === '' ? when.describe(offset) : '';
  const { length = 0, offset: start = 0 } = part ?? {};
  const last = length > 1 ? ` to ${start + length - 1}` : '';
  const arrived = when.arrived - start;
  const some = arrived < length ? `, ${arrived} of them here` : '';
  const range = part ? `, byte${length > 1 ? 's' : ''} ${start}${last}${some}` : '';
  const line = part && !isContent(part.name) ? `, ${placeOf(part.line)}` : '';
  const state = when.state(offset);
  const unread = UNREAD[isWrong ? (isHere ? 'wrong' : 'missing') : state];
  const { section, text } = part ? explainPart(part) : { section: '', text: unread };
  const taken = readers.take(offset);
  return card(
    'byte',
    view('h2', '', big, `Byte ${offset}`, view('span', 'soft', value)),
    view('p', fault === '' ? '' : 'bad', fault, view('b', '', what), range, line),
    view('p', '', text),
    taken.length > 0 ? definitions(taken) : undefined,
    relatedTo(when, offset),
    part && view('p', '', link(citation(section)), knownIn(when, part)),
  );
}

/** What content is known to be before it is read, and perhaps before it arrives. */
function knownIn({ message, step }: MessageAt, { name, step: at }: PartData): View[] {
  const isKnown = message.side === 'request' && message.exchange.steps.includes(at);
  if (!isKnown || at === step) return [];
  const how = isContent(name) ? 'announced' : 'read';
  return [`, ${how} in `, stepButton(message, at)];
}

/** What belongs with a byte. */
function relatedTo(when: MessageAt, at: number): View[] {
  const { message } = when;
  const groups = relationsOf(when).filter((group) => group.some((span) => isIn(span, at)));
  return groups.map((group) =>
    definitions(
      group.map(({ length, offset, says }) => {
        const here = Math.min(length, 12, when.arrived - offset);
        const text = escape(message.slice(offset, here)) || '\u2205';
        const about = [byteButton(message, offset), `: ${says}`];
        return [length > 12 ? `${text}\u2026` : text, about];
      }),
      { class: 'related', 'aria-label': 'What belongs together' },
    ),
  );
}

function stepCard({ message }: MessageAt, index: number): View | undefined {
  const { data, exchange } = message;
  const step = data.steps[index];
  if (step === undefined) return undefined;
  const wait = describeWait(data, exchange, index);
  return card(
    'step',
    view('h2', '', `${step.verb} `, view('span', 'soft', numberOf(message, index))),
    step.lines.map((text) => view('p', '', sentence(text))),
    view('p', 'soft', VERBS[step.verb]),
    wait && view('p', '', wait.text),
  );
}

function byteButton({ side }: Message, offset: number): View {
  const attributes = { class: 'link', 'data-side': side, 'data-byte': offset };
  return button(`byte ${offset}`, attributes);
}

function stepButton(message: Message, step: number): View {
  return button(numberOf(message, step), { class: 'link', 'data-step': step });
}

function numberOf({ exchange }: Message, step: number): string {
  return `step ${exchange.steps.indexOf(step) + 1}`;
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

function card(name: string, ...children: readonly Child[]): View {
  return view('div', `card ${name}`, ...children);
}
