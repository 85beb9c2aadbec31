/** Turns trace events into what the page shows: who was connected, the bytes of each
 * message and what they are, and the decisions of the server, one step each. It
 * parses no request: what its bytes are is in the events. */
import type { LineKind, Part, PartName } from '../../http/parts';
import { responseParts } from '../../http/response-parts';
import type { TraceEvent } from '../events';
import { explain } from '../explain';
import { AUTHORITIES, Glossary, LINES, SIGNS, STATUSES, VERBS } from './glossary';
import type {
  AnnouncedSize,
  ConnectionData,
  GlossaryEntry,
  MessageData,
  PageData,
  PartData,
  RejectionData,
  StepData,
  TimeLimit,
} from './page-data';

type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** @param events in the order in which they happened; the first ones may be missing. They
 * are read twice: the sentences of all steps would be megabytes, so each is made when it
 * is asked for. */
export function describeConversation(events: Iterable<TraceEvent>): Conversation {
  const conversation = new ConversationReader(events);
  for (const event of events) conversation.add(event);
  return conversation;
}

/** What the page holds. Its messages and its steps are made one at a time. */
export type Conversation = Omit<PageData, 'messages' | 'steps'> & {
  readonly messages: Iterable<MessageData>;
  readonly steps: Iterable<StepData>;
  /** How many requests had a turn, and how many were rejected. */
  readonly handled: number;
  readonly rejections: number;
  readonly stepCount: number;
  /** When the first event was, and the last. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The verbs of the steps, in the order in which they first occur. */
  readonly verbsUsed: readonly string[];
};

/** A message while its events come in. */
class Message {
  readonly connection: number;
  readonly isRequest: boolean;
  /** What the page calls it. */
  title = '';
  /** The bytes that have arrived, and the offset of each run of them. */
  pieces: { readonly offset: number; readonly bytes: Buffer }[] = [];
  arrivals: [step: number, end: number][] = [];
  /** Four numbers for each part: flat, because a long trace has many. */
  private parts: number[] = [];
  rejection: RejectionData | undefined;
  /** What describe() returns, as JSON, once the message is complete. As objects, the parts
   * of a long trace would be megabytes. */
  private packed: Buffer | undefined;

  constructor(connection: number, isRequest: boolean) {
    this.connection = connection;
    this.isRequest = isRequest;
  }

  receive(step: number, bytes: Buffer, offset: number): void {
    this.pieces.push({ offset, bytes });
    this.arrivals.push([step, offset + bytes.length]);
  }

  /** Moves what arrived after the end of this request to the next one. */
  splitAt(length: number): Message {
    const next = new Message(this.connection, true);
    for (const { offset, bytes } of this.pieces) {
      const rest = bytes.subarray(Math.max(0, length - offset));
      if (rest.length > 0)
        next.pieces.push({ offset: Math.max(0, offset - length), bytes: rest });
    }
    for (const [step, end] of this.arrivals) {
      if (end > length) next.arrivals.push([step, end - length]);
    }
    this.pieces = this.pieces
      .filter(({ offset }) => offset < length)
      .map(({ offset, bytes }) => ({ offset, bytes: bytes.subarray(0, length - offset) }));
    this.arrivals = this.arrivals.map(([step, end]) => [step, Math.min(end, length)]);
    return next;
  }

  get hasBytes(): boolean {
    return this.packed !== undefined || this.pieces.length > 0;
  }

  addPart(...part: PartData): void {
    this.parts.push(...part);
  }

  /** @returns the entry of the last part that a byte is in, or -1 */
  entryAt(wanted: number): number {
    const { parts } = this.describe();
    const found = parts.filter(
      ([, from, length]) => from <= wanted && wanted < from + length,
    );
    return found.at(-1)?.[0] ?? -1;
  }

  /** Nothing is added any more. */
  pack(): void {
    if (!this.hasBytes) return;
    this.packed = Buffer.from(JSON.stringify(this.describe()));
    this.pieces = [];
    this.arrivals = [];
    this.parts = [];
  }

  describe(): MessageData {
    if (this.packed !== undefined) return JSON.parse(this.packed.toString());
    const { arrivals, connection, isRequest, pieces, rejection, title } = this;
    const parts: PartData[] = [];
    for (let at = 0; at < this.parts.length; at += 4) {
      const [entry = -1, offset = 0, length = 0, step = 0] = this.parts.slice(at, at + 4);
      parts.push([entry, offset, length, step]);
    }
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes)).toString('base64');
    const from = pieces[0]?.offset ?? 0;
    return { connection, isRequest, title, bytes, from, arrivals, parts, rejection };
  }
}

/** A connection while its events come in. */
class TracedConnection {
  readonly number: number;
  remote = '';
  /** The request that is being read. */
  reading: Message;
  /** Complete requests that have no turn yet, and the one that had the last turn. */
  readonly complete: Message[] = [];
  handled: Message | undefined;
  /** The request whose client waits for 100 (Continue): the next write asks for its
   * content. */
  awaitingContinue: Message | undefined;
  /** The last chunk whose line was read. */
  lastChunk: EventOf<'parse'> | undefined;
  /** The message that the last event was about, and the request. */
  lastMessage: Message | undefined;
  lastRequest: Message | undefined;

  constructor(number: number) {
    this.number = number;
    this.reading = new Message(number, true);
  }
}

/** The messages of a step, which have no index yet. */
interface Step {
  readonly message: Message | undefined;
  readonly request: Message | undefined;
  /** The message before, if this one turns out to have no bytes. */
  readonly before: Message | undefined;
}

class ConversationReader implements Conversation {
  readonly queue: [step: number, connection: number, change: 1 | -1][] = [];
  readonly lines = LINES;
  readonly verbs = VERBS;
  readonly authorities = AUTHORITIES;
  readonly signs = SIGNS;
  handled = 0;
  rejections = 0;
  private readonly events: Iterable<TraceEvent>;
  private readonly opened = new Map<number, TracedConnection>();
  private readonly stepList: Step[] = [];
  private readonly queuedNumbers: number[] = []; // of the connections in the queue
  private readonly messageList: Message[] = [];
  private readonly usedEntries = new Glossary();
  private firstAt: number | undefined;
  private readonly usedVerbs = new Set<string>();
  endedAt = 0;
  /** The steps of the first rejection and of the first write. */
  private firstReject: number | undefined;
  private firstWrite: number | undefined;
  /** What was being read, before a rejection, and where its line ends. */
  private rejectedLine: LineKind = 'request line';
  private lineEnd: number | undefined;

  constructor(events: Iterable<TraceEvent>) {
    this.events = events;
  }

  get stepCount(): number {
    return this.stepList.length;
  }

  get startedAt(): number {
    return this.firstAt ?? 0;
  }

  get verbsUsed(): readonly string[] {
    return [...this.usedVerbs];
  }

  get glossary(): readonly GlossaryEntry[] {
    return this.usedEntries.entries;
  }

  get connections(): ConnectionData[] {
    return Array.from(this.opened.values(), ({ number, remote }) => ({ number, remote }));
  }

  /** A page opens at the first rejection, or else at the first response. */
  get start(): number {
    return this.firstReject ?? this.firstWrite ?? 0;
  }

  /** Those that have bytes, with the requests and responses of each connection counted. */
  get messages(): Iterable<MessageData> {
    return this.describeMessages();
  }

  get steps(): Iterable<StepData> {
    return this.describeSteps();
  }

  private *describeMessages(): Generator<MessageData> {
    const counts = new Map<string, number>();
    for (const message of this.messageList.filter(({ hasBytes }) => hasBytes)) {
      const { connection, isRequest } = message;
      const what = `c${connection} ${isRequest ? 'request' : 'response'}`;
      const number = (counts.get(what) ?? 0) + 1;
      counts.set(what, number);
      const data = message.describe();
      const isParsed = data.parts.length > 0 || data.rejection !== undefined;
      const name = isParsed
        ? `${what} ${number}`
        : `c${connection}: bytes that were never parsed`;
      yield { ...data, title: data.title === '' ? name : `${name}: ${data.title}` };
    }
  }

  private *describeSteps(): Generator<StepData> {
    const messages = this.messageList.filter(({ hasBytes }) => hasBytes);
    const index = new Map(messages.map((message, at) => [message, at]));
    const indexOf = (message?: Message): number | undefined =>
      message && index.get(message);
    const limits = new Map<number, TimeLimit>();
    let step = 0;
    for (const event of this.events) {
      if (!isStep(event)) continue;
      const { message, request, before } = this.stepList[step] ?? {};
      const limit = limitOf(event, step, limits);
      step += 1;
      yield {
        at: Math.round(event.at * 1000) / 1000,
        connection: event.connection,
        verb: event.type,
        lines: explain(event),
        message: indexOf(message) ?? indexOf(before) ?? -1,
        request: indexOf(request) ?? indexOf(before) ?? -1,
        limit,
      };
    }
  }

  add(event: TraceEvent): void {
    this.firstAt ??= event.at;
    if (isStep(event)) this.usedVerbs.add(event.type);
    this.endedAt = event.at;
    const connection = this.connectionOf(event);
    if (connection === undefined) return this.addStep(undefined);
    const { reading } = connection;
    switch (event.type) {
      case 'open':
        connection.remote = event.remoteAddress ?? '';
        return this.addStep(connection, reading);
      case 'read':
        reading.receive(this.stepList.length, event.bytes, event.offset);
        return this.addStep(connection, reading);
      case 'parse':
        return this.addParse(event, connection);
      case 'queue':
        this.join(event.connection);
        return this.addStep(connection, connection.complete.at(-1));
      case 'block':
        this.leave(event.connection);
        return this.addStep(connection, connection.complete[0]);
      case 'turn':
        this.leave(event.connection);
        connection.handled = connection.complete.shift();
        this.handled += 1;
        return this.addStep(connection, connection.handled);
      case 'route':
        return this.addStep(connection, connection.handled);
      case 'write':
        return this.addWrite(event, connection);
      case 'reject':
        return this.addRejection(event, connection);
      case 'expect':
        if (event.ignoredBecause === undefined) connection.awaitingContinue = reading;
        return this.addStep(connection, reading);
      case 'wait':
      case 'frame':
      case 'keep':
      case 'idle':
        return this.addStep(connection, reading);
      case 'drop':
        this.leave(event.connection);
        return this.addStep(connection, droppedOf(connection), connection.lastRequest);
      case 'close':
      case 'gone':
        this.leave(event.connection);
        return this.addStep(connection, connection.lastMessage, connection.lastRequest);
      case 'end':
      case 'linger':
        return this.addStep(connection, connection.lastMessage, connection.lastRequest);
      case 'listen':
      case 'error':
      case 'refuse':
      case 'stop':
        return this.addStep(undefined);
    }
  }

  private connectionOf({ connection: number }: TraceEvent): TracedConnection | undefined {
    if (number === 0) return undefined;
    let connection = this.opened.get(number);
    if (connection === undefined) {
      connection = new TracedConnection(number);
      this.messageList.push(connection.reading);
      this.opened.set(number, connection);
    }
    return connection;
  }

  private addStep(
    connection: TracedConnection | undefined,
    message?: Message,
    request = message,
  ): void {
    const before = connection?.lastMessage;
    if (connection && message?.hasBytes) connection.lastMessage = message;
    if (connection && request?.hasBytes) connection.lastRequest = request;
    this.stepList.push({ message, request, before });
  }

  private addParse(event: EventOf<'parse'>, connection: TracedConnection): void {
    const { reading } = connection;
    if (event.part === 'request') {
      connection.complete.push(reading);
      connection.lastMessage = reading;
      connection.reading = reading.splitAt(event.length);
      reading.pack();
      this.messageList.push(connection.reading);
      return;
    }
    // The next step is the rejection.
    if (event.part === 'rejected line') {
      this.rejectedLine = event.kind;
      this.lineEnd = event.lineEnd;
    }
    if (event.part === 'chunk') connection.lastChunk = event;
    if ('parts' in event)
      this.addParts(reading, event.parts ?? [], kindOf(event), fieldOf(event));
    if (event.part === 'request line')
      reading.title = `${event.method} ${event.target.path}`;
    if (event.part !== 'rejected line') this.addStep(connection, reading);
  }

  private addParts(
    message: Message,
    parts: readonly Part[],
    kind: LineKind,
    field?: string,
  ): void {
    for (const { name, offset, length } of parts) {
      const entry = this.usedEntries.indexOf(name, LINES_OF_PARTS[name] ?? kind, field);
      message.addPart(entry, offset, length, this.stepList.length);
    }
  }

  private addWrite(event: EventOf<'write'>, connection: TracedConnection): void {
    this.firstWrite ??= this.stepList.length;
    const response = new Message(event.connection, false);
    response.receive(this.stepList.length, Buffer.from(event.text, 'latin1'), 0);
    response.title = event.text.slice(0, event.text.indexOf('\r\n'));
    let start = 0;
    for (const length of event.lengths ?? []) {
      const lines = responseParts(event.text.slice(start, start + length), start);
      for (const { kind, parts } of lines) {
        const { offset, length } = parts[0] ?? { offset: 0, length: 0 };
        this.addParts(response, parts, kind, event.text.slice(offset, offset + length));
      }
      start += length;
    }
    response.pack();
    this.messageList.push(response);
    const { awaitingContinue, handled, reading } = connection;
    const request = reading.rejection ? reading : (awaitingContinue ?? handled ?? reading);
    connection.awaitingContinue = undefined;
    this.stepList.push({ message: response, request, before: undefined });
    connection.lastMessage = response;
  }

  private addRejection(event: EventOf<'reject'>, connection: TracedConnection): void {
    const { status, reason, authority, section, offset, hint, expected } = event.error;
    const { reading } = connection;
    const step = this.stepList.length;
    this.firstReject ??= step;
    this.rejections += 1;
    // The server may judge a value after its line. Then the page knows in which line the byte is.
    const line = this.glossary[reading.entryAt(offset)]?.line ?? this.rejectedLine;
    const announced = line === 'end of the chunk' ? this.announced(connection) : undefined;
    const meaning = STATUSES[status] ?? '';
    const why = { status, meaning, reason, authority, section, hint };
    reading.rejection = { step, offset, line, expected, announced, ...why };
    this.addStep(connection, reading);
  }

  /** @returns the size of the chunk whose end is wrong */
  private announced({ lastChunk: chunk }: TracedConnection): AnnouncedSize | undefined {
    if (chunk?.part !== 'chunk') return undefined;
    const size = chunk.parts?.find(({ name }) => name === 'chunk-size');
    if (size === undefined) return undefined;
    const { offset, length } = size;
    const { digits, offset: data, size: announced } = chunk;
    return { offset, length, digits, size: announced, data, lineEnd: this.lineEnd };
  }

  private join(connection: number): void {
    this.queuedNumbers.push(connection);
    this.queue.push([this.stepList.length, connection, 1]);
  }

  private leave(connection: number): void {
    const at = this.queuedNumbers.indexOf(connection);
    if (at < 0) return;
    this.queuedNumbers.splice(at, 1);
    this.queue.push([this.stepList.length, connection, -1]);
  }
}

/** @returns the message whose bytes are dropped: a complete request, or what came after those that
 * were read */
function droppedOf(connection: TracedConnection): Message | undefined {
  const { complete, lastMessage, lastRequest, reading } = connection;
  if (reading.pieces.length > 0) return reading;
  return complete[0] ?? lastRequest ?? lastMessage;
}

/** @param limits of the connections, as far as they are known
 * @returns the time limit of a wait that names none, because it began before */
function limitOf(
  event: TraceEvent,
  step: number,
  limits: Map<number, TimeLimit>,
): TimeLimit | undefined {
  const { connection, type } = event;
  if (type === 'queue' || type === 'idle') limits.delete(connection);
  if (type !== 'wait') return undefined;
  if (event.seconds === undefined) return limits.get(connection);
  limits.set(connection, { seconds: event.seconds, step });
  return undefined;
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

/** The parts of a rejected line belong to the rejection, and the end of a request to its
 * queue. */
function isStep(event: TraceEvent): boolean {
  return (
    event.type !== 'parse' || (event.part !== 'request' && event.part !== 'rejected line')
  );
}

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
