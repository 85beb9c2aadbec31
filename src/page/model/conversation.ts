/** Turns the lines of a trace into what the page shows: the exchanges, the bytes of each
 * message and what they are, and the decisions of the server. It takes line after line, so
 * the work grows with what is new. It parses no request: what its bytes are is in the
 * events. */
import type { LineKind, PartName } from '../../http/parts';
import { count, escape } from '../../text/text';
import type { TraceEvent } from '../../trace/events';
import { explain, type EventOf } from '../../trace/explain';
import { parseLine, type Line } from '../../trace/line';
import type { ProxyLine } from '../../trace/proxy-events';
import type {
  ExchangeData,
  OtherReadings,
  PageData,
  PartData,
  RejectionData,
  StepData,
} from './page-data';
import { readResponses, type Write } from './responses';

/** A page that grows has at most so many steps: twice as many as a recorder keeps. */
const STEPS_KEPT = 20_000;
const AFTER_THE_LAST = 'after the last handled request: never parsed';
/** How much is kept of a response that is written by hand. */
const REPLY_KEPT = 65_536;

export function tellLeftOut({ bytes, events }: NonNullable<Line['leftOut']>): string {
  return events === 0
    ? ''
    : `Left out: the first ${count(events, 'event')}, with ${count(bytes, 'byte')} of messages. ` +
        'A page has room for the last 10,000, and for 4 MiB.';
}

/** An exchange while its events come in. */
class Exchange {
  steps: number[] = [];
  /** The bytes of the request that arrived at a step, and the offset of the first. */
  pieces: { readonly step: number; readonly offset: number; readonly text: string }[] = [];
  method = '';
  readonly parts: PartData[] = [];
  /** What was written to it. */
  readonly writes: Write[] = [];
  length: number | undefined;
  turn: number | undefined;
  rejection: RejectionData | undefined;
  other: OtherReadings | undefined;
  outcome = '';
  /** Whether it has a request although no byte of that is here. */
  isShown = false;
  /** What was described last, unless it changed since then. */
  known: ExchangeData | undefined;

  /** @param number which request of its connection it is */
  constructor(
    readonly connection: number,
    public number: number,
  ) {}

  get hasRequest(): boolean {
    return this.pieces.length > 0 || this.isShown;
  }

  addStep(step: number): void {
    this.known = undefined;
    if (this.steps.at(-1) !== step) this.steps.push(step);
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
  readonly exchanges: Exchange[] = [];
  /** Those whose request is complete and has no turn yet. */
  readonly queued: Exchange[] = [];
  /** The one that had the last turn. */
  handled: Exchange | undefined;
  /** Those whose response is not written yet, in their order. */
  readonly unwritten: Exchange[] = [];
  /** When the limit of the current wait began. */
  limit: StepData['limit'];
  /** What was being read when a request was rejected. */
  rejectedLine: LineKind = 'request line';

  /** @param last the exchange that began last */
  constructor(public last: Exchange) {
    this.exchanges.push(last);
  }
}

export class Conversation {
  private readonly connections = new Map<number, TracedConnection>();
  private readonly exchanges: Exchange[] = [];
  private readonly server = new Exchange(0, 0);
  private readonly steps: StepData[] = [];
  private readonly proxy: ProxyLine[] = [];
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
      Object.assign(this, new Conversation());
      this.leftOut = tellLeftOut(leftOut);
      this.taken = leftOut.events;
    }
    if (event !== undefined || proxy !== undefined) this.taken += 1;
    if (proxy !== undefined) this.proxy.push(proxy);
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
    const { leftOut, proxy, steps } = this;
    const shown = [...this.exchanges, this.server].filter((one) => one.steps.length > 0);
    const exchanges = shown.map((one) => {
      one.known ??= this.describeExchange(one, now !== undefined);
      return one.known;
    });
    return { exchanges, steps, proxy, leftOut, now };
  }

  private describeExchange(exchange: Exchange, isLive: boolean): ExchangeData {
    const { connection, from, hasRequest, parts, pieces, text, writes } = exchange;
    const { remote } = this.connections.get(connection) ?? {};
    const responses = readResponses(writes, exchange.method);
    const isAnswered = responses.some((one) => one.isSent && !one.status.startsWith('1'));
    const why = exchange.outcome || (isLive ? '' : 'the trace ends before its response');
    const arrivals = pieces.map((one) => [one.step, one.offset + one.text.length] as const);
    return {
      connection,
      number: hasRequest ? exchange.number : 0,
      remote,
      title: titleOf(exchange, remote === undefined, isLive),
      request: { text, from, arrivals, parts: [...parts] },
      length: exchange.length,
      responses,
      turn: exchange.turn,
      rejection: exchange.rejection,
      other: exchange.other,
      outcome: isAnswered || connection === 0 ? '' : why,
      steps: [...exchange.steps],
    };
  }

  /** @returns the exchanges that the event is a step of */
  private addEvent(event: TraceEvent): readonly Exchange[] {
    if (event.connection === 0) return [this.server];
    const connection = this.connectionOf(event.connection);
    const { handled, last, queued } = connection;
    switch (event.type) {
      case 'open':
        connection.remote = event.remoteAddress ?? '';
        return [last];
      case 'read': {
        const { bytes: text, offset } = event;
        const reading = this.readingOn(connection);
        reading.pieces.push({ step: this.step, offset, text });
        return [reading];
      }
      case 'wait': {
        const reading = this.readingOn(connection);
        if (reading !== last) reading.isShown = true; // its bytes are left out
        return [reading];
      }
      case 'parse':
        return this.addParse(event, connection);
      case 'queue':
        return [queued.at(-1) ?? last];
      case 'block':
        return [queued[0] ?? handled ?? last];
      case 'turn':
        return [this.addTurn(event, connection)];
      case 'route':
        return [handled ?? last];
      case 'write':
        return this.addWrite(event, connection);
      case 'reject': {
        const reading = this.readingOn(connection);
        reading.rejection = this.describeRejection(event, reading, connection);
        connection.unwritten.push(reading);
        return [reading];
      }
      case 'risk': {
        const end = last.text.length;
        const step = last.rejection?.step ?? this.step;
        if (last.from === 0 && end > 0) last.other = { ...event, end, step };
        return [last];
      }
      case 'close':
        settle(connection, event.reason);
        return [last];
      case 'gone':
        settle(connection, event.reason);
        return [last, ...cut(event.unsent, connection)];
      case 'drop':
        if (event.which === AFTER_THE_LAST && last.turn === undefined) {
          const why = `the request before it is the last (${last.outcome})`;
          last.outcome = `never parsed, because ${why}`;
        }
        return [queued[0] ?? last];
      default:
        return [last];
    }
  }

  private connectionOf(number: number): TracedConnection {
    let connection = this.connections.get(number);
    if (connection === undefined) {
      connection = new TracedConnection(new Exchange(number, 1));
      this.exchanges.push(connection.last);
      this.connections.set(number, connection);
    }
    return connection;
  }

  /** @returns the exchange whose request is being read: a new one if the last is complete */
  private readingOn(connection: TracedConnection): Exchange {
    const { exchanges, last } = connection;
    if (last.length === undefined && last.turn === undefined) return last;
    connection.last = new Exchange(last.connection, last.number + 1);
    exchanges.push(connection.last);
    this.exchanges.push(connection.last);
    return connection.last;
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
    const reading = this.readingOn(connection);
    reading.isShown = true; // its bytes may be left out
    if (event.part === 'request') {
      const earlier = event.number - reading.number; // those whose events are left out
      for (const one of earlier === 0 ? [] : connection.exchanges) {
        one.number += earlier;
        one.known = undefined;
      }
      connection.queued.push(reading);
      this.complete(reading, event.length, connection);
      return [];
    }
    if (event.part === 'request line') reading.method = event.method;
    if (event.part === 'rejected line') connection.rejectedLine = event.kind;
    const line = event.part === 'rejected line' ? event.kind : event.part;
    const field = 'line' in event ? event.line.name : undefined;
    for (const part of event.parts ?? [])
      reading.parts.push({
        ...part,
        line: LINES_OF_PARTS[part.name] ?? line,
        step: this.step,
        field: part.name === 'field-value' ? field : undefined,
      });
    // After a rejected line, the next step is the rejection.
    return event.part === 'rejected line' ? [] : [reading];
  }

  /** Gives what arrived after the end of a request to the next one. */
  private complete(reading: Exchange, length: number, connection: TracedConnection): void {
    const { pieces } = reading;
    reading.length = length;
    reading.known = undefined;
    const own = pieces.filter(({ offset }) => offset < length);
    reading.pieces = own.map((piece) => {
      return { ...piece, text: piece.text.slice(0, length - piece.offset) };
    });
    for (const { offset, step, text } of pieces) {
      const rest = text.slice(Math.max(0, length - offset));
      if (rest === '') continue;
      const next = this.readingOn(connection);
      next.pieces.push({ step, offset: Math.max(0, offset - length), text: rest });
      next.addStep(step);
    }
    // A read that came before the request was complete may have brought nothing of it.
    const foreign = pieces.slice(own.length).map(({ step }) => step);
    reading.steps = reading.steps.filter((step) => !foreign.includes(step));
  }

  private addTurn(event: EventOf<'turn'>, connection: TracedConnection): Exchange {
    const handled = connection.queued.shift() ?? this.unseenOn(connection);
    handled.turn = event.request;
    handled.method = event.method;
    connection.handled = handled;
    connection.unwritten.push(handled);
    return handled;
  }

  /** @returns an exchange whose request came in events that are left out */
  private unseenOn({ exchanges, last }: TracedConnection): Exchange {
    let unseen = last;
    if (last.hasRequest) {
      unseen = new Exchange(last.connection, last.number);
      last.number += 1;
      exchanges.splice(-1, 0, unseen);
      this.exchanges.splice(this.exchanges.indexOf(last), 0, unseen);
    }
    unseen.isShown = true;
    return unseen;
  }

  /** Gives each response that is written to its request. */
  private addWrite(event: EventOf<'write'>, connection: TracedConnection): Exchange[] {
    const { isSent, part, responses } = event;
    const { handled, last, unwritten } = connection;
    const isInterim = (text: string): boolean => text.startsWith('HTTP/1.1 1');
    // Those of requests in events that are left out come first.
    const finals = responses.filter(({ text }) => !isInterim(text));
    const unknown = finals.slice(0, Math.max(0, finals.length - unwritten.length));
    const owners = responses.flatMap((one) => {
      const { length, text } = one;
      const about = { step: this.step, length, isSent, unsent: 0 };
      if (part !== undefined) return [addPart(handled ?? last, part, { ...about, text })];
      if (unknown.includes(one)) return [];
      const own = isInterim(text) ? last : unwritten.shift();
      if (own === undefined) return [];
      own.writes.push({ ...about, text, isPart: false });
      if (!isSent) own.outcome = 'the response was made, but the client was gone';
      return [own];
    });
    return owners.length > 0 ? owners : [last];
  }

  private describeRejection(
    { error }: EventOf<'reject'>,
    { from, parts, text }: Exchange,
    { rejectedLine }: TracedConnection,
  ): RejectionData {
    const { offset } = error;
    // The server may judge a value after its line: then the byte is in a part that is
    // known.
    const part = parts
      .filter((one) => one.offset <= offset && offset < one.offset + one.length)
      .at(-1);
    const rest = text.slice(offset - from);
    // Where a line ends as it should, something is missing before its end.
    const isMissing = rest.startsWith('\r\n');
    const fault = rest === '' ? 'nothing' : isMissing ? 'missing' : 'wrong';
    const line = part?.line ?? rejectedLine;
    return { ...error, step: this.step, line, fault: error.fault ?? fault };
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

/** Finds the bytes that were never sent: they are the last of what was written.
 * @returns the exchanges whose responses they are of */
function cut(unsent: number, { exchanges }: TracedConnection): Exchange[] {
  let left = unsent;
  return [...exchanges].reverse().filter(({ writes }) => {
    for (const write of [...writes].reverse()) {
      if (write.isSent) write.unsent = Math.max(0, Math.min(left, write.length));
      left -= write.length;
    }
    return writes.some((write) => write.unsent > 0);
  });
}

/** Nothing more is written on a connection: this is why a request has no response. */
function settle({ exchanges }: TracedConnection, reason: string): void {
  for (const exchange of exchanges) {
    exchange.outcome ||= reason;
    exchange.known = undefined;
  }
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
