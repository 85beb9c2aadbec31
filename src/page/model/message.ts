/** A message at one step: what of it had arrived, and what each byte was known to be. Pure:
 * it knows no page. */
import { isContent, nameOf } from './glossary';
import type {
  ExchangeData,
  MessageData,
  PageData,
  PartData,
  RejectionData,
} from './page-data';

/** `raw`: not parsed yet. `whole`: read, but not accepted. `never`: never read. */
export type ByteState = 'part' | 'raw' | 'whole' | 'never' | 'future';

/** No row has more bytes. */
const ROW_LENGTH = 512;
/** The rest of a line, up to a byte that no line may hold. */
const LINE = /^[^\0-\x08\n-\x1f\x7f]*(?:\r\n)?/;
/** What the server does with bytes that it will not parse any more. */
const ENDINGS = ['reject', 'drop', 'close', 'gone'];

/** A message that does not change, whatever the step is. */
export class Message {
  /** Its bytes, a character for each. */
  readonly text: string;
  readonly from: number;
  /** The offset after its last byte that is here. */
  readonly end: number;
  readonly rejection: RejectionData | undefined;
  /** The step from which on nothing more of it is parsed. */
  private readonly over: number;
  /** The offset after what was read of it: up to the verdict, or when the server last
   * waited for more. */
  readonly readTo: number;

  constructor(
    readonly data: PageData,
    readonly exchange: ExchangeData,
    /** The request, or the response with an index. */
    readonly side: 'request' | number,
    readonly message: MessageData,
  ) {
    this.text = message.text;
    this.from = message.from;
    this.end = message.from + this.text.length;
    const isRequest = side === 'request';
    this.rejection = isRequest ? exchange.rejection : undefined;
    const verbOf = (step: number): string => data.steps[step]?.verb ?? '';
    const ending = exchange.steps.find((step) => ENDINGS.includes(verbOf(step)));
    this.over = (isRequest ? ending : undefined) ?? Infinity;
    const wait = exchange.steps.filter((step) => verbOf(step) === 'wait').at(-1);
    const { rejection } = this;
    this.readTo = rejection ? this.endOfLine(rejection) : this.arrivedAt(wait ?? -1);
  }

  /** A line is judged once all of it is here, or a byte that no line may hold. A limit is
   * judged before that, and so is what is not a line.
   * @returns the offset after what was read when a request was rejected */
  private endOfLine({ fault, line, offset }: RejectionData): number {
    const isWhole =
      ['wrong', 'beside', 'missing', 'large'].includes(fault) &&
      !/^(content|end of the chunk)$/.test(line);
    const [rest = ''] = LINE.exec(isWhole ? this.text.slice(offset - this.from) : '') ?? [];
    return offset + rest.length;
  }

  at(offset: number): number {
    return this.text.charCodeAt(offset - this.from);
  }

  slice(offset: number, length: number): string {
    return this.text.slice(offset - this.from, offset - this.from + length);
  }

  /** @returns the offset after the last byte that had arrived at a step */
  arrivedAt(step: number): number {
    const ends = this.message.arrivals.map(([at, end]) => (at <= step ? end : 0));
    return Math.max(this.from, ...ends);
  }

  /** @param cuts where other readers cut, too
   * @returns where each row begins, and the end: after each LF, and around content */
  rows(cuts: readonly number[] = []): number[] {
    const starts = new Set([this.from, this.end, ...cuts]);
    for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1))
      starts.add(this.from + at + 1);
    for (const { length, name, offset } of this.message.parts)
      if (isContent(name)) starts.add(offset).add(offset + length);
    const known = [...starts].filter((at) => at >= this.from && at <= this.end);
    known.sort((one, other) => one - other);
    return known.flatMap((start, index) => {
      const end = known[index + 1] ?? start + 1;
      const rows = Math.ceil((end - start) / ROW_LENGTH);
      return Array.from({ length: rows }, (_, row) => start + row * ROW_LENGTH);
    });
  }

  when(step: number): MessageAt {
    return new MessageAt(this, step, step >= this.over);
  }
}

export class MessageAt {
  readonly arrived: number;
  /** The rejection, once it is there. */
  readonly rejection: RejectionData | undefined;
  /** For each byte the last part that it was read as, counted from 1. */
  private readonly owners: Uint32Array;

  constructor(
    readonly message: Message,
    readonly step: number,
    readonly isOver: boolean,
  ) {
    const { from, rejection, text } = message;
    this.arrived = message.arrivedAt(step);
    this.rejection = rejection && rejection.step <= step ? rejection : undefined;
    this.owners = new Uint32Array(text.length);
    for (const [index, part] of message.message.parts.entries()) {
      if (part.step > step) continue;
      const { length, offset } = part;
      const start = Math.max(0, offset - from);
      this.owners.fill(index + 1, start, Math.max(start, offset + length - from));
    }
  }

  /** @returns the part that a byte is in, if it had arrived and was parsed */
  part(offset: number): PartData | undefined {
    if (offset >= this.arrived) return undefined;
    const owner = this.owners[offset - this.message.from] ?? 0;
    return this.message.message.parts[owner - 1];
  }

  state(offset: number): ByteState {
    if (offset >= this.arrived) return 'future';
    if (this.part(offset)) return 'part';
    if (!this.isOver) return 'raw';
    return offset < this.message.readTo ? 'whole' : 'never';
  }

  isWrong(offset: number): boolean {
    return this.rejection?.offset === offset;
  }

  /** What a byte is, in a few words. */
  describe(offset: number): string {
    const part = this.part(offset);
    const name = part ? nameOf(part) : STATES[this.state(offset)];
    return this.rejection && this.isWrong(offset)
      ? `${FAULTS[this.rejection.fault].is}${part ? `, in the ${name}` : ''}`
      : name;
  }
}

const STATES: { readonly [S in ByteState]: string } = {
  part: '',
  raw: 'not parsed yet',
  whole: 'read, but not accepted',
  never: 'never parsed',
  future: 'not here yet',
};

/** What the byte of a rejection is, and what stands before it in the verdict. */
export const FAULTS: {
  readonly [F in RejectionData['fault']]: { readonly is: string; readonly term: string };
} = {
  wrong: { is: 'wrong byte', term: 'Found' },
  beside: { is: 'one value too many', term: 'Found' },
  missing: { is: 'something missing before it', term: 'Missing before' },
  limit: { is: 'beyond the limit', term: 'Beyond the limit' },
  large: { is: 'content too large', term: 'Rejected at' },
  room: { is: 'no room from here on', term: 'No room from' },
  nothing: { is: 'nothing had arrived', term: 'Missing' },
};
