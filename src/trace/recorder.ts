/** Keeps the events of a trace within bounds, to make a page of them. They are kept as
 * lines of JSON, in buffers that are used again. As objects, which live for a while, they
 * would make V8 reserve twice as much memory. A process that handled 10,000 requests takes
 * 110 to 130 MB. */
import { ProtocolError } from '../http/protocol-error';
import type { TraceEvent } from './events';
import { explain } from './explain';
import { TraceFormatter } from './terminal';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;
/** How much of one response is kept. */
const RESPONSE_KEPT = 65_536;
/** How many events share a buffer. The size of a buffer is a multiple of the other. */
const BLOCK = 100;
const BUFFER_STEP = 8_192;
const NONE = Buffer.alloc(0);

export interface Recorded {
  readonly event: TraceEvent;
  /** What was written, if the event has less of it. */
  readonly whole?: Whole;
}

interface Whole {
  /** How long each response was. */
  readonly lengths: readonly number[];
  /** What explain() and a terminal say about all of it. */
  readonly sentences: readonly string[];
  readonly lines: string;
}

export class TraceRecorder implements Iterable<Recorded> {
  /** The events that had to make room for later ones, and the bytes that they showed. */
  readonly leftOut = { events: 0, bytes: 0 };
  /** How many requests of a connection had their turn in events that are left out. */
  readonly turnsLeftOut = new Map<number, number>();
  /** How many were complete in them. */
  readonly requestsLeftOut = new Map<number, number>();
  /** The oldest events; then blocks of lines; then the lines of the newest events. */
  private oldest: Recorded[] = [];
  private readonly blocks: Buffer[] = [];
  private newest: string[] = [];
  /** The buffer of a block that is left out. */
  private spare: Buffer = NONE;
  private events = 0;
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    const recorded = bound(event);
    this.events += 1;
    this.bytes += shownBy(recorded);
    this.newest.push(toLine(recorded));
    if (this.newest.length === BLOCK) this.gather();
    while (this.events > EVENTS_KEPT || this.bytes > BYTES_KEPT) this.leaveOutFirst();
  };

  *[Symbol.iterator](): Generator<Recorded> {
    yield* this.oldest;
    for (const block of this.blocks) yield* fromBlock(block);
    yield* this.newest.map(fromLine);
  }

  /** Makes a block of the newest lines. */
  private gather(): void {
    const text = this.newest.join('\n');
    const length = Buffer.byteLength(text);
    const steps = Math.ceil(length / BUFFER_STEP);
    const isEnough = length <= this.spare.length;
    const buffer = isEnough ? this.spare : Buffer.allocUnsafeSlow(steps * BUFFER_STEP);
    this.spare = NONE;
    buffer.write(text);
    this.blocks.push(buffer.subarray(0, length));
    this.newest = [];
  }

  private leaveOutFirst(): void {
    if (this.oldest.length === 0) this.takeOldest();
    const recorded = this.oldest.shift();
    if (recorded === undefined) return;
    const { event } = recorded;
    const { connection, type } = event;
    const shown = shownBy(recorded);
    this.events -= 1;
    this.bytes -= shown;
    this.leftOut.events += 1;
    this.leftOut.bytes += shown;
    const { requestsLeftOut: requests, turnsLeftOut: turns } = this;
    const isComplete = type === 'parse' && event.part === 'request';
    const counts = type === 'turn' ? turns : isComplete ? requests : undefined;
    counts?.set(connection, (counts.get(connection) ?? 0) + 1);
    if (type !== 'gone') return;
    turns.delete(connection);
    requests.delete(connection);
  }

  private takeOldest(): void {
    const block = this.blocks.shift();
    if (block === undefined) {
      this.oldest = this.newest.map(fromLine);
      this.newest = [];
    } else {
      this.oldest = fromBlock(block);
      this.spare = Buffer.from(block.buffer);
    }
  }
}

/** @returns the event with the beginning of each response that is long */
function bound(event: TraceEvent): Recorded {
  if (event.type !== 'write') return { event };
  const lengths = event.lengths ?? [event.text.length];
  if (lengths.every((length) => length <= RESPONSE_KEPT)) return { event };
  let start = 0;
  const texts = lengths.map((length) => {
    const text = event.text.slice(start, start + Math.min(length, RESPONSE_KEPT));
    start += length;
    return text;
  });
  const lines = new TraceFormatter(false).format(event);
  return {
    event: { ...event, text: texts.join(''), lengths: texts.map(({ length }) => length) },
    whole: { lengths, sentences: explain(event), lines },
  };
}

function shownBy({ event }: Recorded): number {
  if (event.type === 'read') return event.bytes.length;
  return event.type === 'write' ? event.text.length : 0;
}

/** Bytes become text, each of them one character. */
function toLine(recorded: Recorded): string {
  const { event } = recorded;
  if (event.type === 'read') {
    const bytes = event.bytes.toString('latin1');
    return JSON.stringify({ event: { ...event, bytes } });
  }
  if (event.type === 'reject') {
    const { bytes, offset } = event.excerpt;
    const excerpt = { bytes: bytes.toString('latin1'), offset };
    return JSON.stringify({ event: { ...event, excerpt } });
  }
  return JSON.stringify(recorded);
}

function fromLine(line: string): Recorded {
  const recorded = JSON.parse(line);
  const { event } = recorded;
  if (event.type === 'read') event.bytes = Buffer.from(event.bytes, 'latin1');
  if (event.type === 'reject') {
    event.excerpt.bytes = Buffer.from(event.excerpt.bytes, 'latin1');
    Object.setPrototypeOf(event.error, ProtocolError.prototype);
  }
  return recorded;
}

function fromBlock(block: Buffer): Recorded[] {
  return block.toString().split('\n').map(fromLine);
}
