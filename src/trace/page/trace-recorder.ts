/** Keeps the events of a trace within bounds, to make a page of them. A process that handled
 * 10,000 requests may take 150 to 260 MB: V8 reserves much of it, because the events live for a
 * while. */
import type { TraceEvent } from '../events';
import { explain } from '../explain';
import { TraceFormatter } from '../terminal';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;
/** How much of one response is kept. */
const RESPONSE_KEPT = 65_536;

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
  private kept: Recorded[] = [];
  /** The index of the first that is not left out. */
  private first = 0;
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    const recorded = bound(event);
    this.kept.push(recorded);
    this.bytes += shownBy(recorded);
    while (this.kept.length - this.first > EVENTS_KEPT || this.bytes > BYTES_KEPT)
      this.leaveOutFirst();
    if (this.first < EVENTS_KEPT / 10) return;
    this.kept = this.kept.slice(this.first);
    this.first = 0;
  };

  [Symbol.iterator](): Iterator<Recorded> {
    return this.kept.slice(this.first).values();
  }

  private leaveOutFirst(): void {
    const recorded = this.kept[this.first];
    if (recorded === undefined) return;
    const { connection, type } = recorded.event;
    const shown = shownBy(recorded);
    this.first += 1;
    this.bytes -= shown;
    this.leftOut.events += 1;
    this.leftOut.bytes += shown;
    const turns = this.turnsLeftOut;
    if (type === 'turn') turns.set(connection, (turns.get(connection) ?? 0) + 1);
    if (type === 'gone') turns.delete(connection);
  }
}

/** @returns the event without the buffers of the server, and with the beginning of each
 * response that is long */
function bound(event: TraceEvent): Recorded {
  if (event.type === 'read')
    return { event: { ...event, bytes: Buffer.from(event.bytes) } };
  if (event.type === 'reject')
    return {
      event: {
        ...event,
        excerpt: { ...event.excerpt, bytes: Buffer.from(event.excerpt.bytes) },
      },
    };
  if (event.type !== 'write') return { event };
  const lengths = event.lengths ?? [event.text.length];
  if (lengths.every((length) => length <= RESPONSE_KEPT)) return { event };
  let start = 0;
  const texts = lengths.map((length) => {
    const text = event.text.slice(start, start + Math.min(length, RESPONSE_KEPT));
    start += length;
    return text;
  });
  // As a copy: a slice would keep the whole text in memory.
  const text = Buffer.from(texts.join(''), 'latin1').toString('latin1');
  const lines = new TraceFormatter(false).format(event);
  return {
    event: { ...event, text, lengths: texts.map((one) => one.length) },
    whole: { lengths, sentences: explain(event), lines },
  };
}

function shownBy({ event }: Recorded): number {
  if (event.type === 'read') return event.bytes.length;
  return event.type === 'write' ? event.text.length : 0;
}
