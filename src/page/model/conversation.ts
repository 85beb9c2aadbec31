/** Turns the lines of a trace into what the page shows: the exchanges, the bytes of each
 * message and what they are, and the decisions of the server. It takes line after line, so
 * the work grows with what is new. It parses no request: what its bytes are is in the
 * events. */
import type { LineKind, Part, PartName } from '../../http/parts';
import type { Mistake } from '../../naive/naive-request';
import { count, escape } from '../../text/text';
import { explain } from '../../trace/explain';
import { parseLine, type Line, type LineEvent } from '../../trace/line';
import type { ProxyLine } from '../../trace/proxy-events';
import { capitalize, Glossary, STATUSES, whatFollows } from './glossary';
import type {
  ExchangeData,
  MessageData,
  OtherReadings,
  PageData,
  PartData,
  RejectionData,
  ResponseData,
  StepData,
} from './page-data';
import { readReply, responseParts, type Written } from './response-parts';

/** A response, of which it shows only later that it was not sent whole. */
type Response = { -readonly [K in keyof ResponseData]: ResponseData[K] };

type EventOf<T extends LineEvent['type']> = Extract<LineEvent, { type: T }>;

/** A page that grows has at most so many steps: twice as many as a recorder keeps. */
const STEPS_KEPT = 20_000;

export function tellLeftOut({ bytes, events }: NonNullable<Line['leftOut']>): string {
  return events === 0
    ? ''
    : `Left out: the first ${count(events, 'event')}, with ${count(bytes)} of messages. ` +
        'A page has room for the last 10,000 events, and for 4 MiB of messages.';
}

/** An exchange while its events come in. */
class Exchange {
  /** In their order, but for those of bytes that turned out to be its. */
  steps: number[] = [];
  /** The bytes of the request that have arrived, and the offset of each run of them. */
  pieces: { readonly offset: number; readonly bytes: string }[] = [];
  arrivals: [step: number, end: number][] = [];
  readonly parts: PartData[] = [];
  responses: Response[] = [];
  /** What was written to it by hand, if it was, and the method of its request. */
  readonly reply = {
    text: '',
    length: 0,
    arrivals: new Array<[step: number, end: number]>(),
  };
  method = '';
  length: number | undefined;
  /** How many bytes arrived later and were dropped: nobody knows which. */
  dropped = 0;
  turn: number | undefined;
  rejection: RejectionData | undefined;
  other: OtherReadings | undefined;
  outcome = '';
  /** Whether it is shown though no byte of its request is. */
  isShown = false;
  /** Counts its changes. */
  version = 0;
  /** What was described last, and of which version. */
  known: { readonly key: string; readonly data: ExchangeData } | undefined;
  private joined: string | undefined;

  constructor(
    readonly connection: number,
    /** The one before on the same connection. */
    public before?: Exchange,
  ) {}

  get hasRequest(): boolean {
    return this.pieces.length > 0 || this.isShown;
  }

  get hasResponse(): boolean {
    return this.responses.some(({ isSent, status }) => isSent && !status.startsWith('1'));
  }

  addStep(step: number): void {
    this.version += 1;
    if (this.steps.at(-1) !== step) this.steps.push(step);
  }

  receive(step: number, bytes: string, offset: number): void {
    this.joined = undefined;
    this.pieces.push({ offset, bytes });
    this.arrivals.push([step, offset + bytes.length]);
  }

  /** Moves what arrived after the end of this request to the next one. */
  splitAt(length: number): Exchange {
    const next = new Exchange(this.connection, this);
    for (const { offset, bytes } of this.pieces) {
      const rest = bytes.slice(Math.max(0, length - offset));
      if (rest.length > 0)
        next.pieces.push({ offset: Math.max(0, offset - length), bytes: rest });
    }
    for (const [step, end] of this.arrivals) {
      if (end > length) next.arrivals.push([step, end - length]);
    }
    this.pieces = this.pieces
      .filter(({ offset }) => offset < length)
      .map(({ offset, bytes }) => ({ offset, bytes: bytes.slice(0, length - offset) }));
    this.joined = undefined;
    this.version += 1;
    // A read that came before the request was complete may have brought nothing of it.
    const own = this.arrivals.filter(
      (_, index) => (this.arrivals[index - 1]?.[1] ?? 0) < length,
    );
    const foreign = this.arrivals.slice(own.length).map(([step]) => step);
    this.steps = this.steps.filter((step) => !foreign.includes(step));
    this.arrivals = own.map(([step, end]) => [step, Math.min(end, length)]);
    this.length = length;
    return next;
  }

  /** Its bytes, a character for each. */
  get text(): string {
    return (this.joined ??= this.pieces.map(({ bytes }) => bytes).join(''));
  }

  get from(): number {
    return this.pieces[0]?.offset ?? 0;
  }

  describeRequest(): MessageData {
    const { arrivals, from, parts, text } = this;
    return { text, from, arrivals: [...arrivals], parts: [...parts] };
  }
}

/** A connection while its events come in. */
class TracedConnection {
  /** undefined where its beginning is left out. */
  remote: string | undefined;
  /** The exchange whose request is being read. */
  reading: Exchange;
  /** Those whose request is complete and has no turn yet. */
  readonly queued: Exchange[] = [];
  /** The one that had the last turn. */
  handled: Exchange | undefined;
  /** Those whose response is not written yet, in their order. */
  readonly unwritten: Exchange[] = [];
  /** What was written while the client was there. */
  readonly written: { readonly own: Exchange; readonly response: Response }[] = [];
  /** How many bytes were written when the client was gone. */
  lost = 0;
  /** When the limit of the current wait began. */
  limit: StepData['limit'];
  /** What was being read when a request was rejected. */
  rejectedLine: LineKind = 'request line';

  constructor(readonly number: number) {
    this.reading = new Exchange(number);
  }
}

export class Conversation {
  private connections = new Map<number, TracedConnection>();
  private exchanges: Exchange[] = [];
  private server = new Exchange(0);
  private readonly glossary = new Glossary();
  private steps: StepData[] = [];
  private proxy: ProxyLine[] = [];
  /** Those of the proxy, by the address of its connection. */
  private readonly mistakes = new Map<string, Mistake | undefined>();
  private leftOut = '';
  private turnsLeftOut: NonNullable<Line['turns']> = {};

  private taken = 0;

  /** @param lines of a recorder, in their order */
  static of(lines: Iterable<string>): Conversation {
    const conversation = new Conversation();
    for (const line of lines) conversation.add(line);
    return conversation;
  }

  /** @param text the next line. One that says what is left out starts the conversation
   * again. */
  add(text: string): void {
    const { event, leftOut, proxy, turns = {}, whole } = parseLine(text);
    if (leftOut !== undefined) {
      this.connections = new Map();
      this.exchanges = [];
      this.server = new Exchange(0);
      this.steps = [];
      this.proxy = [];
      this.leftOut = tellLeftOut(leftOut);
      this.turnsLeftOut = turns;
      this.taken = leftOut.events;
    }
    if (event !== undefined || proxy !== undefined) this.taken += 1;
    if (proxy !== undefined) this.proxy.push(proxy);
    if (proxy?.type === 'connect') this.mistakes.set(proxy.address, proxy.mistake);
    if (event === undefined) return;
    const about = this.addEvent(event, whole);
    if (about.length === 0) return;
    for (const exchange of about) exchange.addStep(this.step);
    const { at, connection, type: verb } = event;
    const limit = this.limitOf(event);
    const lines = whole?.sentences ?? explain(event);
    this.steps.push({ at: Math.round(at * 1000) / 1000, connection, verb, lines, limit });
  }

  /** How many events it has taken, with those that are left out: what came after them is
   * new to it. 0 where it has more than it needs to keep: all that there is is new then. */
  get known(): number {
    return this.step > STEPS_KEPT ? 0 : this.taken;
  }

  /** The number of the next step. */
  private get step(): number {
    return this.steps.length;
  }

  /** @param now the time of the server, for a live page
   * @returns what the page shows. An exchange that did not change is the same object. */
  describe(now?: number): PageData {
    const followers = new Map<Exchange, Exchange>();
    const shown: Exchange[] = [];
    for (const exchange of this.exchanges) {
      const { before } = exchange;
      if (before !== undefined) followers.set(before, exchange);
      if (exchange.hasRequest || before === undefined) shown.push(exchange);
    }
    const numbers = new Map<number, number>();
    const exchanges = [...shown, this.server].flatMap((exchange) => {
      const { connection, hasRequest } = exchange;
      const before = numbers.get(connection) ?? this.turnsLeftOut[connection] ?? 0;
      const number = before + (hasRequest ? 1 : 0);
      numbers.set(connection, number);
      const isLive = now !== undefined;
      const next = followers.get(exchange);
      // No request followed: what happened on the connection is about the one before.
      const rest = next?.hasRequest === false ? next.steps : [];
      if (exchange.steps.length + rest.length === 0) return [];
      const proxy = this.mistakes.get(this.connections.get(connection)?.remote ?? '');
      const key = `${exchange.version} ${next?.version} ${number} ${isLive} ${proxy}`;
      if (exchange.known?.key !== key) {
        const about = { number: hasRequest ? number : 0, rest, isLive, proxy };
        exchange.known = { key, data: this.describeExchange(exchange, about) };
      }
      return [exchange.known.data];
    });
    const { leftOut, proxy, steps } = this;
    return { exchanges, steps, proxy, leftOut, now };
  }

  private describeExchange(
    exchange: Exchange,
    { isLive, number, proxy, rest }: About,
  ): ExchangeData {
    const { connection, dropped, hasResponse, length, rejection, responses, turn } =
      exchange;
    const { remote } = this.connections.get(connection) ?? {};
    const why = exchange.outcome || (isLive ? '' : 'the trace ends before its response');
    return {
      ...{ connection, number, remote, length, dropped, turn, rejection },
      title: titleOf(exchange, remote === undefined, isLive),
      request: exchange.describeRequest(),
      responses: responses.map((response) => ({ ...response })),
      other: exchange.other && { ...exchange.other, proxy },
      outcome: hasResponse || connection === 0 ? '' : why,
      steps: [...new Set([...exchange.steps, ...rest])].sort((a, b) => a - b),
    };
  }

  /** @returns the exchanges that the event is a step of */
  private addEvent(event: LineEvent, whole: Line['whole']): readonly Exchange[] {
    const connection = this.connectionOf(event);
    if (connection === undefined) return [this.server];
    const { handled, queued, reading } = connection;
    switch (event.type) {
      case 'open':
        connection.remote = event.remoteAddress ?? '';
        return [reading];
      case 'read':
        reading.receive(this.step, event.bytes, event.offset);
        return [reading];
      case 'parse':
        return this.addParse(event, connection);
      case 'queue':
        return [queued.at(-1) ?? reading];
      case 'block':
        return [queued[0] ?? handled ?? reading];
      case 'turn':
        return [this.addTurn(event, connection)];
      case 'route':
        return [handled ?? reading];
      case 'write':
        return this.addWrite(event, whole, connection);
      case 'reject':
        reading.rejection = this.describeRejection(event, connection);
        connection.unwritten.push(reading);
        return [reading];
      case 'risk': {
        const { consequence, experiment, readings } = event;
        const about = { consequence, experiment, readings, end: reading.text.length };
        if (reading.from === 0 && about.end > 0) reading.other = about;
        return [reading];
      }
      case 'close':
        this.settle(connection, event.reason);
        return [reading];
      case 'gone':
        this.settle(connection, event.reason);
        return [reading, ...this.cut(event.unsent, connection)];
      case 'drop':
        if (event.which.startsWith('after the last handled request')) {
          const why = `the request before it is the last (${reading.outcome})`;
          reading.outcome = `never parsed, because ${why}`;
        }
        if (event.which.startsWith('that arrived later')) reading.dropped += event.bytes;
        return [queued[0] ?? reading];
      default:
        return [reading];
    }
  }

  private connectionOf({ connection: number }: LineEvent): TracedConnection | undefined {
    if (number === 0) return undefined;
    let connection = this.connections.get(number);
    if (connection === undefined) {
      connection = new TracedConnection(number);
      this.exchanges.push(connection.reading);
      this.connections.set(number, connection);
    }
    return connection;
  }

  /** The limit of a wait may have begun at an earlier one. */
  private limitOf(event: LineEvent): StepData['limit'] {
    const connection = this.connections.get(event.connection);
    if (connection === undefined) return undefined;
    // A stopping server waits for all connections, so its limit begins later.
    const isLater = 'isStopping' in event && event.isStopping;
    const seconds = 'seconds' in event && !isLater ? event.seconds : undefined;
    if (seconds !== undefined) connection.limit = { seconds, from: this.step };
    else if (event.type === 'queue') connection.limit = undefined;
    return event.type === 'wait' || seconds !== undefined ? connection.limit : undefined;
  }

  private addParse(
    event: EventOf<'parse'>,
    connection: TracedConnection,
  ): readonly Exchange[] {
    const { reading } = connection;
    reading.isShown = true; // its bytes may be left out
    if (event.part === 'request') {
      connection.queued.push(reading);
      connection.reading = reading.splitAt(event.length);
      for (const [step] of connection.reading.arrivals) connection.reading.addStep(step);
      this.exchanges.push(connection.reading);
      return [];
    }
    const parts = 'parts' in event ? (event.parts ?? []) : [];
    this.addParts(reading.parts, parts, kindOf(event), fieldOf(event));
    if (event.part !== 'rejected line') return [reading];
    connection.rejectedLine = event.kind; // the next step is the rejection
    return [];
  }

  private addParts(
    list: PartData[],
    parts: readonly Part[],
    kind: LineKind,
    field?: string,
  ): void {
    for (const { name, offset, length } of parts) {
      const entry = this.glossary.entryOf(name, LINES_OF_PARTS[name] ?? kind, field);
      list.push([entry, offset, length, this.step]);
    }
  }

  private addTurn(event: EventOf<'turn'>, connection: TracedConnection): Exchange {
    let handled = connection.queued.shift();
    if (handled === undefined) {
      handled = new Exchange(connection.number); // its request came in events that are left out
      handled.isShown = true;
      connection.reading.before ??= handled;
      this.exchanges.splice(this.exchanges.indexOf(connection.reading), 0, handled);
    }
    handled.turn = event.request;
    handled.method = event.method;
    connection.handled = handled;
    connection.unwritten.push(handled);
    return handled;
  }

  /** Gives each response that is written to its request. */
  private addWrite(
    event: EventOf<'write'>,
    whole: Line['whole'],
    connection: TracedConnection,
  ): readonly Exchange[] {
    if (event.part !== undefined) return this.addPart(event, connection);
    const { isSent, lengths: kept = [event.text.length], text } = event;
    const lengths = whole?.lengths ?? kept;
    const total = lengths.reduce((sum, length) => sum + length, 0);
    const written: TracedConnection['written'] = [];
    let from = 0; // in the text
    let start = 0; // in what was written
    const texts = kept.map((length) => text.slice(from, (from += length)));
    const isInterim = (one: string): boolean => one.startsWith('HTTP/1.1 1');
    // Those of requests in events that are left out come first.
    let unknown =
      texts.filter((one) => !isInterim(one)).length - connection.unwritten.length;
    for (const [index, one] of texts.entries()) {
      const length = lengths[index] ?? one.length;
      const end = start + length - 1;
      const part = `part ${index + 1} of ${lengths.length} of one write`;
      const bytes = `bytes ${start} to ${end} of ${total}`;
      const place = lengths.length === 1 ? '' : `${part}: ${bytes}`;
      start += length;
      let own: Exchange | undefined = connection.reading;
      if (!isInterim(one)) {
        unknown -= 1;
        own = unknown >= 0 ? undefined : connection.unwritten.shift();
      }
      if (own === undefined) continue;
      written.push({
        own,
        response: this.describeResponse(one, { isSent, length, place }),
      });
    }
    if (isSent) connection.written.push(...written);
    else connection.lost += total;
    for (const { own, response } of written) {
      own.responses.push(response);
      if (!isSent) own.outcome = 'the response was made, but the client was gone';
    }
    return written.length > 0 ? written.map(({ own }) => own) : [connection.reading];
  }

  /** Adds a part of a response that is written by hand: a client says what is in it. */
  private addPart({ text }: EventOf<'write'>, connection: TracedConnection): Exchange[] {
    const own = connection.handled ?? connection.reading;
    const { reply } = own;
    const taken = text.slice(0, REPLY_KEPT - reply.text.length);
    reply.text += taken;
    if (taken !== '') {
      reply.arrivals.push([this.step, reply.text.length]);
      own.responses = readReply(reply.text, own.method).map((written) =>
        this.describeWritten(written, reply.arrivals),
      );
    }
    const last = own.responses.at(-1);
    if (last !== undefined) last.length += text.length - taken.length;
    return [own];
  }

  /** @param arrivals of all that was written */
  private describeWritten(
    { from, lines, status, text }: Written,
    arrivals: Exchange['arrivals'],
  ): Response {
    const to = from + text.length;
    const own = arrivals
      .filter(([, end], at) => end > from && (arrivals[at - 1]?.[1] ?? 0) < to)
      .map(([step, end]): (typeof arrivals)[number] => [step, Math.min(end, to) - from]);
    const known: PartData[] = [];
    for (const { kind, name, parts } of lines) this.addParts(known, parts, kind, name);
    const parts = known.map(([entry, offset, length]): PartData => {
      const [step] = own.find(([, end]) => end >= offset + length) ?? [this.step];
      return [entry, offset, length, step];
    });
    const sent = { place: '', isSent: true, unsent: 0 };
    return { text, from: 0, length: text.length, status, arrivals: own, parts, ...sent };
  }

  private describeResponse(
    text: string,
    about: Pick<ResponseData, 'isSent' | 'length' | 'place'>,
  ): Response {
    const parts: PartData[] = [];
    if (text.includes('\r\n\r\n')) {
      for (const { kind, parts: own } of responseParts(text)) {
        const [{ offset, length } = { offset: 0, length: 0 }] = own;
        this.addParts(parts, own, kind, text.slice(offset, offset + length));
      }
    }
    return {
      ...about,
      status: text.slice('HTTP/1.1 '.length, text.indexOf('\r\n')),
      text,
      from: 0,
      arrivals: [[this.step, text.length]],
      parts,
      unsent: 0,
    };
  }

  private describeRejection(
    { error }: EventOf<'reject'>,
    { reading, rejectedLine }: TracedConnection,
  ): RejectionData {
    const { status, reason, authority, section, offset, hint } = error;
    const bytes = reading.text.slice(offset - reading.from);
    // The server may judge a value after its line: then the byte is in a part that is
    // known.
    const part = reading.parts
      .filter(([, from, length]) => from <= offset && offset < from + length)
      .at(-1);
    const line = part?.[0].line ?? rejectedLine;
    return {
      ...{
        step: this.step,
        offset,
        line,
        status,
        reason,
        authority,
        section,
        hint: capitalize(hint),
      },
      fault: faultOf(error, bytes),
      follows: whatFollows(error, line),
      meaning: STATUSES[status] ?? '',
      right: error.expected && `${capitalize(error.expected)}.`,
    };
  }

  /** Gives the bytes that were never sent to the last responses: first to those that were
   * made when the client was gone.
   * @returns the exchanges of the others */
  private cut(unsent: number, { lost, written }: TracedConnection): Exchange[] {
    const owners: Exchange[] = [];
    for (let left = unsent - lost; left > 0;) {
      const last = written.pop();
      if (last === undefined) break;
      const { own, response } = last;
      response.unsent = Math.min(left, response.length);
      left -= response.length;
      owners.push(own);
    }
    return owners;
  }

  /** Nothing more is written to the requests of a connection that have no response. */
  private settle(connection: TracedConnection, reason: string): void {
    const waiting = [...connection.queued, ...connection.unwritten, connection.reading];
    for (const exchange of waiting) exchange.outcome ||= reason;
  }
}

/** How much is kept of a response that is written by hand. */
const REPLY_KEPT = 65_536;

/** What an exchange does not know of itself. */
interface About {
  readonly number: number;
  /** The steps after it that are about it, too. */
  readonly rest: readonly number[];
  readonly isLive: boolean;
  /** The mistake of the proxy that it came through. */
  readonly proxy: Mistake | undefined;
}

function faultOf(
  { reason, section, status }: EventOf<'reject'>['error'],
  bytes: string,
): RejectionData['fault'] {
  if (status === 413) return 'large';
  if (status === 503) return 'room';
  if ([414, 431].includes(status) || /exceeds? |more than \d/.test(reason)) return 'limit';
  if (/ together with |^More than one (?:Host|Content)|different values$/.test(reason))
    return 'beside';
  if (bytes.length === 0) return 'nothing';
  // Where a line ends as it should, something is missing before its end: but not where the
  // line itself should not be there.
  const isLineEnd = bytes.startsWith('\r\n');
  return isLineEnd && !['9112 2.2', '9112 6.1'].includes(section) ? 'missing' : 'wrong';
}

/** A title shows no more bytes of a request. */
const TITLE_LIMIT = 200;

/** What the table calls an exchange: the request line, without the version. */
function titleOf(
  { connection, from, hasRequest, text: bytes }: Exchange,
  isLeftOut: boolean,
  isLive: boolean,
): string {
  if (connection === 0) return 'the server itself';
  if (!hasRequest && !isLeftOut)
    return isLive ? '(no byte has arrived)' : '(no byte arrived)';
  if (bytes.length === 0 || from > 0) return '(its beginning is left out)';
  const text = bytes.slice(0, TITLE_LIMIT);
  const line = text.split(/\r?\n/).find((one) => one !== '') ?? text;
  if (/^[ \t]+$/.test(line)) return '(white space)';
  const isCut = bytes.length > TITLE_LIMIT && text.endsWith(line);
  return `${escape(line.replace(/^(\S+ \S+) HTTP\/1\.[01]$/, '$1'))}${isCut ? ' \u2026' : ''}`;
}

/** Parts that are told with another line than the one that they are in: the data of a
 * chunk with its line, and the values of the fields that the server judges, once the
 * section is complete. */
const LINES_OF_PARTS: { readonly [N in PartName]?: LineKind } = {
  'chunk-data': 'chunk data',
  Host: 'header field line',
  Connection: 'header field line',
  'Content-Length': 'header field line',
  'Transfer-Encoding': 'header field line',
  Expect: 'header field line',
};

function fieldOf(event: EventOf<'parse'>): string | undefined {
  return event.part === 'field line' ? event.line.name : undefined;
}

function kindOf(event: EventOf<'parse'>): LineKind {
  switch (event.part) {
    case 'empty line':
      return 'empty line before the request line';
    case 'field line':
      return `${event.section} field line`;
    case 'header section':
    case 'trailer section':
      return `end of the ${event.part}`;
    case 'chunk':
      return 'chunk line';
    case 'chunk end':
      return 'end of the chunk';
    case 'rejected line':
      return event.kind;
    case 'request line':
    case 'content':
    case 'last chunk':
      return event.part;
    case 'request':
      throw new Error('a complete request has no line');
  }
}
