/** Keeps the events of a trace within bounds, to make a page of them when the server
 * stops. */
import type { TraceEvent } from '../server/trace-events';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;
/** How many events are packed at a time. As objects, 10,000 of them would let the heap
 * grow by 60 MB, because V8 collects those that make room for others late. */
const GROUP = 100;

/** Packed events, the first `length` bytes of a buffer; and how many bytes each of them
 * shows. */
interface Group {
  readonly buffer: Buffer;
  readonly length: number;
  readonly sizes: readonly number[];
}

export class TraceRecorder implements Iterable<TraceEvent> {
  /** The events that had to make room for later ones, and the bytes that they showed. */
  readonly leftOut = { events: 0, bytes: 0 };
  private readonly groups: Group[] = [];
  /** The buffer of a group that was left out: used again, it is no garbage. */
  private spare: Buffer | undefined;
  /** The latest events, which are not packed yet. */
  private latest: TraceEvent[] = [];
  /** How many events of the first group are left out. */
  private skipped = 0;
  private count = 0;
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    this.latest.push(detach(event));
    this.count += 1;
    this.bytes += sizeOf(event);
    if (this.latest.length === GROUP) this.pack();
    while (this.count > EVENTS_KEPT || this.bytes > BYTES_KEPT) this.leaveOutFirst();
  };

  /** The events that are kept, unpacked as they are asked for. */
  *[Symbol.iterator](): Generator<TraceEvent> {
    for (const [index, { buffer, length }] of this.groups.entries()) {
      yield* unpack(buffer.toString('utf8', 0, length)).slice(index === 0 ? this.skipped : 0);
    }
    yield* this.latest;
  }

  private pack(): void {
    const text = pack(this.latest);
    const size = Buffer.byteLength(text);
    const isEnough = this.spare !== undefined && this.spare.length >= size;
    const buffer = isEnough && this.spare ? this.spare : Buffer.allocUnsafeSlow(roundUp(size));
    if (isEnough) this.spare = undefined;
    const length = buffer.write(text);
    this.groups.push({ buffer, length, sizes: this.latest.map(sizeOf) });
    this.latest = [];
  }

  private leaveOutFirst(): void {
    if (this.groups.length === 0) this.pack();
    const sizes = this.groups[0]?.sizes ?? [];
    const size = sizes[this.skipped] ?? 0;
    this.count -= 1;
    this.bytes -= size;
    this.leftOut.events += 1;
    this.leftOut.bytes += size;
    this.skipped += 1;
    if (this.skipped < sizes.length) return;
    this.spare = this.groups.shift()?.buffer;
    this.skipped = 0;
  }
}

/** A little room makes it likely that a buffer is large enough for the next group. */
const roundUp = (size: number): number => Math.ceil(size / 16_384) * 16_384;

/** The bytes that an event shows. */
function sizeOf(event: TraceEvent): number {
  if (event.type === 'read') return event.bytes.length;
  return event.type === 'write' ? event.text.length : 0;
}

/** @returns the event without what it holds on to: an event may show a few bytes of a
 * large buffer. An error becomes a plain object, which can be packed. */
function detach(event: TraceEvent): TraceEvent {
  if (event.type === 'read') return { ...event, bytes: Buffer.from(event.bytes) };
  if (event.type !== 'reject') return event;
  const { error } = event;
  const { bytes, offset } = event.excerpt;
  const excerpt = { bytes: Buffer.from(bytes), offset };
  return { ...event, excerpt, error: { ...error, ruling: error.ruling, message: error.message } };
}

/** As JSON, with the bytes of a buffer in base64. */
function pack(events: readonly TraceEvent[]): string {
  const plain = events.map((event) =>
    event.type === 'read' ? { ...event, bytes: event.bytes.toString('base64') } : event,
  );
  return JSON.stringify(plain);
}

/** What pack() packed. The page does not ask for the excerpt of a rejection. */
function unpack(packed: string): TraceEvent[] {
  const events: TraceEvent[] = JSON.parse(packed);
  return events.map((event) =>
    event.type === 'read' ? { ...event, bytes: Buffer.from(String(event.bytes), 'base64') } : event,
  );
}
