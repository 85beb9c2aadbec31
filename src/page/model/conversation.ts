/** Turns the lines of a trace into what the page shows: the exchanges, the bytes of each
 * message and what they are, and the decisions of the server. It takes line after line, so
 * the work grows with what is new. It parses no request: what its bytes are is in the
 * events. */
import type { LineKind, Part, PartName } from '../../http/parts';
import { WITHIN_LIMIT } from '../../http/protocol-error';
import type { Mistake } from '../../naive/naive-request';
import { count, escape } from '../../text/text';
import { explain, lengthOf, responsesOf } from '../../trace/explain';
import type { TraceEvent } from '../../trace/events';
import { parseLine, type Line } from '../../trace/line';
import type { ProxyLine } from '../../trace/proxy-events';
import { capitalize, Glossary, STATUSES, whatFollows } from './glossary';
import type {
  ExchangeData,
  OtherReadings,
  PageData,
  PartData,
  RejectionData,
  StepData,
} from './page-data';
import { readResponses, type Write } from './responses';

type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** A page that grows has at most so many steps: twice as many as a recorder keeps. */
const STEPS_KEPT = 20_000;
/** How much is kept of a response that is written by hand. */
const REPLY_KEPT = 65_536;

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
  /** The bytes of the request that arrived at a step, and the offset of the first. */
  pieces: { readonly step: number; readonly offset: number; readonly text: string }[] = [];
  method = '';
  readonly parts: PartData[] = [];
  /** What was written to it. */
  readonly writes: Write[] = [];
  length: number | undefined;
  /** How many bytes arrived later and were dropped: nobody knows which. */
  dropped = 0;
  turn: number | undefined;
  rejection: RejectionData | undefined;
  other: OtherReadings | undefined;
  outcome = '';
  /** Whether it is shown though no byte of its request is. */
  isShown = false;
  /** The ones before and after it on the same connection. */
  before: Exchange | undefined;
  next: Exchange | undefined;
  /** What was described last, unless it changed since then. */
  known: ExchangeData | undefined;

  /** @param index its place among those of its connection */
  constructor(
    readonly connection: number,
    readonly index: number,
  ) {}

  follow(before: Exchange): void {
    this.before = before;
    before.next = this;
  }

  get hasRequest(): boolean {
    return this.pieces.length > 0 || this.isShown;
  }

  /** What the one before shows may change, too. */
  addStep(step: number): void {
    this.known = undefined;
    if (this.before !== undefined) this.before.known = undefined;
    if (this.steps.at(-1) !== step) this.steps.push(step);
  }

  /** Moves what arrived after the end of this request to the next one. */
  splitAt(length: number): Exchange {
    const next = new Exchange(this.connection, this.index + 1);
    next.follow(this);
    for (const { offset, step, text } of this.pieces) {
      const rest = text.slice(Math.max(0, length - offset));
      if (rest === '') continue;
      next.pieces.push({ step, offset: Math.max(0, offset - length), text: rest });
      next.addStep(step);
    }
    const own = this.pieces.filter(({ offset }) => offset < length);
    // A read that came before the request was complete may have brought nothing of it.
    const foreign = this.pieces.slice(own.length).map(({ step }) => step);
    this.steps = this.steps.filter((step) => !foreign.includes(step));
    this.pieces = own.map((piece) => {
      return { ...piece, text: piece.text.slice(0, length - piece.offset) };
    });
    this.length = length;
    this.known = undefined;
    return next;
  }

  /** Its bytes, a character for each. */
  get text(): string {
    return this.pieces.map(({ text }) => text).join('');
  }

  get from(): number {
    return this.pieces[0]?.offset ?? 0;
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
  readonly written: { readonly own: Exchange; readonly write: Write }[] = [];
  /** How many bytes were written when the client was gone. */
  lost = 0;
  /** When the limit of the current wait began. */
  limit: StepData['limit'];
  /** How many requests came before the one with the index 0. */
  earlier = 0;
  /** What was being read when a request was rejected. */
  rejectedLine: LineKind = 'request line';

  constructor(number: number) {
    this.reading = new Exchange(number, 1);
  }
}

export class Conversation {
  private connections = new Map<number, TracedConnection>();
  private exchanges: Exchange[] = [];
  private server = new Exchange(0, 0);
  private readonly glossary = new Glossary();
  private steps: StepData[] = [];
  private proxy: ProxyLine[] = [];
  private leftOut = '';
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
    const { event, leftOut, proxy } = parseLine(text);
    if (leftOut !== undefined) {
      this.connections = new Map();
      this.exchanges = [];
      this.server = new Exchange(0, 0);
      this.steps = [];
      this.proxy = [];
      this.leftOut = tellLeftOut(leftOut);
      this.taken = leftOut.events;
    }
    if (event !== undefined || proxy !== undefined) this.taken += 1;
    if (proxy !== undefined) this.addProxy(proxy);
    if (event === undefined) return;
    const about = this.addEvent(event);
    if (about.length === 0) return;
    for (const exchange of about) exchange.addStep(this.step);
    const { at, connection, type: verb } = event;
    const limit = this.limitOf(event);
    const lines = explain(event);
    this.steps.push({ at: Math.round(at * 1000) / 1000, connection, verb, lines, limit });
  }

  /** How many events it has taken, with those that are left out: what came after them is
   * new to it. 0 where it has more than it needs to keep: all that there is is new then. */
  get known(): number {
    return this.step + this.proxy.length > STEPS_KEPT ? 0 : this.taken;
  }

  /** The number of the next step. */
  private get step(): number {
    return this.steps.length;
  }

  /** @param now the time of the server, for a live page
   * @returns what the page shows. An exchange that did not change is the same object. */
  describe(now?: number): PageData {
    const exchanges = [...this.exchanges, this.server].flatMap((exchange) => {
      const { before, connection, hasRequest, next } = exchange;
      if (before !== undefined && !hasRequest) return [];
      const { earlier = 0 } = this.connections.get(connection) ?? {};
      const number = hasRequest ? earlier + exchange.index : 0;
      // No request followed: what happened on the connection is about the one before.
      const rest = next?.hasRequest === false ? next.steps : [];
      if (exchange.steps.length + rest.length === 0) return [];
      if (exchange.known?.number !== number)
        exchange.known = this.describeExchange(exchange, number, rest, now !== undefined);
      return [exchange.known];
    });
    const { leftOut, proxy, steps } = this;
    return { exchanges, steps, proxy, leftOut, now };
  }

  /** @param rest the steps after it that are about it, too */
  private describeExchange(
    exchange: Exchange,
    number: number,
    rest: readonly number[],
    isLive: boolean,
  ): ExchangeData {
    const { connection, from, other, outcome, parts, pieces, text } = exchange;
    const { dropped, length, method, rejection, turn, writes } = exchange;
    const responses = readResponses(writes, method, this.glossary);
    const { remote } = this.connections.get(connection) ?? {};
    const isAnswered = responses.some((one) => one.isSent && !one.status.startsWith('1'));
    const why = outcome || (isLive ? '' : 'the trace ends before its response');
    const arrivals = pieces.map((one) => [one.step, one.offset + one.text.length] as const);
    return {
      ...{ connection, number, remote, length, dropped, turn, rejection },
      title: titleOf(exchange, remote === undefined, isLive),
      request: { text, from, arrivals, parts: [...parts] },
      responses,
      other: other && { ...other, proxy: this.mistakeOf(remote) },
      outcome: isAnswered || connection === 0 ? '' : why,
      steps: [...new Set([...exchange.steps, ...rest])].sort((a, b) => a - b),
    };
  }

  /** @returns the mistake of the proxy with an address */
  private mistakeOf(address: string | undefined): Mistake | undefined {
    const line = this.proxy.find(
      (one) => one.type === 'connect' && one.address === address,
    );
    return line?.type === 'connect' ? line.mistake : undefined;
  }

  private addProxy(line: ProxyLine): void {
    this.proxy.push(line);
    if (line.type !== 'connect') return;
    for (const one of this.exchanges)
      if (this.connections.get(one.connection)?.remote === line.address)
        one.known = undefined;
  }

  /** @returns the exchanges that the event is a step of */
  private addEvent(event: TraceEvent): readonly Exchange[] {
    const connection = this.connectionOf(event);
    if (connection === undefined) return [this.server];
    const { handled, queued, reading } = connection;
    switch (event.type) {
      case 'open':
        connection.remote = event.remoteAddress ?? '';
        return [reading];
      case 'read': {
        const { bytes: text, offset } = event;
        reading.pieces.push({ step: this.step, offset, text });
        return [reading];
      }
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
        return this.addWrite(event, connection);
      case 'reject':
        reading.rejection = this.describeRejection(event, connection);
        connection.unwritten.push(reading);
        return [reading];
      case 'risk': {
        const { consequence, experiment, readings } = event;
        const end = reading.text.length;
        const step = reading.rejection?.step ?? this.step;
        if (reading.from === 0 && end > 0)
          reading.other = { consequence, experiment, readings, end, step };
        return [reading];
      }
      case 'close':
        settle(connection, event.reason);
        return [reading];
      case 'gone':
        settle(connection, event.reason);
        return [reading, ...cut(event.unsent, connection)];
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

  private connectionOf({ connection: number }: TraceEvent): TracedConnection | undefined {
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
  private limitOf(event: TraceEvent): StepData['limit'] {
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
      connection.earlier = event.number - reading.index;
      connection.queued.push(reading);
      connection.reading = reading.splitAt(event.length);
      this.exchanges.push(connection.reading);
      return [];
    }
    if (event.part === 'request line') reading.method = event.method;
    const field = event.part === 'field line' ? event.line.name : undefined;
    this.addParts(reading.parts, event.parts ?? [], lineOf(event), field);
    if (event.part !== 'rejected line') return [reading];
    connection.rejectedLine = event.kind; // the next step is the rejection
    return [];
  }

  private addParts(
    list: PartData[],
    parts: readonly Part[],
    line: LineKind,
    field?: string,
  ): void {
    for (const { name, offset, length } of parts) {
      const entry = this.glossary.entryOf(name, LINES_OF_PARTS[name] ?? line, field);
      list.push([entry, offset, length, this.step]);
    }
  }

  private addTurn(event: EventOf<'turn'>, connection: TracedConnection): Exchange {
    const { reading } = connection;
    let handled = connection.queued.shift();
    if (handled === undefined) {
      // Its request came in events that are left out.
      connection.earlier += 1;
      handled = new Exchange(reading.connection, reading.index - 1);
      handled.isShown = true;
      if (reading.before === undefined) reading.follow(handled);
      this.exchanges.splice(this.exchanges.indexOf(reading), 0, handled);
    }
    handled.turn = event.request;
    handled.method = event.method;
    connection.handled = handled;
    connection.unwritten.push(handled);
    return handled;
  }

  /** Gives each response that is written to its request. */
  private addWrite(event: EventOf<'write'>, connection: TracedConnection): Exchange[] {
    const { isSent, part } = event;
    const { handled, reading, unwritten, written } = connection;
    const responses = responsesOf(event);
    const isInterim = (text: string): boolean => text.startsWith('HTTP/1.1 1');
    // Those of requests in events that are left out come first.
    const finals = responses.filter(({ text }) => !isInterim(text));
    const unknown = finals.slice(0, Math.max(0, finals.length - unwritten.length));
    const owners = responses.flatMap((one, index) => {
      const { length, text } = one;
      const which = `part ${index + 1} of ${responses.length} of one write`;
      const place = responses.length === 1 ? '' : which;
      const about = { step: this.step, length, isSent, place, unsent: 0 };
      if (part !== undefined)
        return [addPart(handled ?? reading, part, { ...about, text })];
      if (unknown.includes(one)) return [];
      const own = isInterim(text) ? reading : unwritten.shift();
      if (own === undefined) return [];
      const write = { ...about, text, isPart: false };
      own.writes.push(write);
      if (isSent) written.push({ own, write });
      else own.outcome = 'the response was made, but the client was gone';
      return [own];
    });
    if (!isSent) connection.lost += lengthOf(event);
    return owners.length > 0 ? owners : [reading];
  }

  private describeRejection(
    { error }: EventOf<'reject'>,
    { reading, rejectedLine }: TracedConnection,
  ): RejectionData {
    const { status, reason, authority, section, offset, hint } = error;
    // The server may judge a value after its line: then the byte is in a part that is
    // known.
    const part = reading.parts
      .filter(([, from, length]) => from <= offset && offset < from + length)
      .at(-1);
    return {
      ...{ step: this.step, offset, status, reason, authority, section },
      line: part?.[0].line ?? rejectedLine,
      hint: capitalize(hint),
      fault: faultOf(error, reading.text.slice(offset - reading.from)),
      follows: whatFollows(error),
      meaning: STATUSES[status] ?? '',
      right: error.expected && `${capitalize(error.expected)}.`,
    };
  }
}

/** Adds a part of a response that is written by hand: a client says what is in it. */
function addPart(
  own: Exchange,
  part: number,
  { text, ...about }: Omit<Write, 'isPart'>,
): Exchange {
  // Without its beginning, nobody can say what a response is.
  if (part > 1 && own.writes.length === 0) return own;
  const kept = own.writes.reduce((sum, one) => sum + one.text.length, 0);
  own.writes.push({ ...about, text: text.slice(0, REPLY_KEPT - kept), isPart: true });
  return own;
}

/** Gives the bytes that were never sent to the last responses: first to those that were
 * made when the client was gone.
 * @returns the exchanges of the others */
function cut(unsent: number, { lost, written }: TracedConnection): Exchange[] {
  let left = unsent - lost;
  return written.reverse().flatMap(({ own, write }) => {
    if (left <= 0) return [];
    write.unsent = Math.min(left, write.length);
    left -= write.length;
    return [own];
  });
}

/** Nothing more is written to the requests of a connection that have no response. */
function settle({ queued, reading, unwritten }: TracedConnection, reason: string): void {
  for (const exchange of [...queued, ...unwritten, reading]) {
    exchange.outcome ||= reason;
    exchange.known = undefined;
  }
}

function faultOf(
  { expected, reason, section, status }: EventOf<'reject'>['error'],
  bytes: string,
): RejectionData['fault'] {
  if (status === 413) return 'large';
  if (status === 503) return 'room';
  if ([414, 431].includes(status) || expected === WITHIN_LIMIT.expected) return 'limit';
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

/** What the lanes call an exchange: the request line, without the version. */
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

/** @returns the line that the parts of an event are in */
function lineOf(event: Exclude<EventOf<'parse'>, { part: 'request' }>): LineKind {
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
    default:
      return event.part;
  }
}
