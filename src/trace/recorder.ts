/** Keeps the events of a trace within bounds, as lines of JSON. A page is made of these
 * lines, and a page that is open asks for the new ones. They are kept in buffers that are
 * used again: as objects, they would take twice as much memory. */
import type { TraceEvent } from './events';
import { explain } from './explain';
import { parseLine, type Line } from './line';
import type { ProxyLine } from './proxy-events';
import { TraceFormatter } from './terminal';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;
/** How much of one response is kept. */
const RESPONSE_KEPT = 65_536;
/** How many lines share a buffer. The size of a buffer is a multiple of the other. */
const BLOCK = 100;
const BUFFER_STEP = 8_192;
const NONE = Buffer.alloc(0);

export class TraceRecorder {
  /** The events that had to make room for later ones, and the bytes that they showed. */
  readonly leftOut = { events: 0, bytes: 0 };
  /** How many requests of a connection had their turn in events that are left out. */
  readonly turnsLeftOut = new Map<number, number>();
  /** The oldest lines; then blocks of them; then the newest. */
  private oldest: string[] = [];
  private readonly blocks: Buffer[] = [];
  private newest: string[] = [];
  /** The buffer of a block that is left out. */
  private spare: Buffer = NONE;
  private events = 0;
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    this.keep(toLine(event), shownBy(event, RESPONSE_KEPT));
  };

  /** Takes what a proxy in front of the server does, by the clock of the server. */
  recordProxy(proxy: ProxyLine): void {
    this.keep(JSON.stringify({ proxy }), 0);
  }

  private keep(line: string, bytes: number): void {
    this.events += 1;
    this.bytes += bytes;
    this.newest.push(line);
    if (this.newest.length === BLOCK) this.gather();
    while (this.events > EVENTS_KEPT || this.bytes > BYTES_KEPT) this.leaveOutFirst();
  }

  /** How many events there were, with those that are left out. */
  get recorded(): number {
    return this.leftOut.events + this.events;
  }

  /** @param known how many of the events somebody has, 0 for none
   * @returns the lines of the others. Where some of those are left out, and where nothing
   * is known, they are all that there is: then a first line says what is left out. */
  *linesAfter(known: number): Generator<string> {
    const { blocks, leftOut, newest, oldest, recorded } = this;
    const isAhead = known > 0 && known >= leftOut.events && known <= recorded;
    let skipped = isAhead ? known - leftOut.events : 0;
    if (!isAhead) {
      const turns = Object.fromEntries(this.turnsLeftOut);
      yield JSON.stringify({ leftOut, turns });
    }
    for (const block of [oldest, ...blocks, newest]) {
      const size = Array.isArray(block) ? block.length : BLOCK;
      if (skipped >= size) {
        skipped -= size;
        continue;
      }
      const lines = Array.isArray(block) ? block : linesOf(block);
      yield* skipped === 0 ? lines : lines.slice(skipped);
      skipped = 0;
    }
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
    const { event } = parseLine(this.oldest.shift() ?? '');
    const shown = event === undefined ? 0 : shownBy(event);
    this.events -= 1;
    this.bytes -= shown;
    this.leftOut.events += 1;
    this.leftOut.bytes += shown;
    if (event === undefined) return;
    const { connection, type } = event;
    const { turnsLeftOut: turns } = this;
    if (type === 'turn') turns.set(connection, (turns.get(connection) ?? 0) + 1);
    if (type === 'gone') turns.delete(connection);
  }

  private takeOldest(): void {
    const block = this.blocks.shift();
    this.oldest = block === undefined ? this.newest : linesOf(block);
    if (block === undefined) this.newest = [];
    else this.spare = Buffer.from(block.buffer);
  }
}

/** @param most of one response */
function shownBy(event: NonNullable<Line['event']> | TraceEvent, most = Infinity): number {
  if (event.type === 'read') return event.bytes.length;
  if (event.type !== 'write') return 0;
  const { lengths = [event.text.length] } = event;
  return lengths.reduce((sum, length) => sum + Math.min(length, most), 0);
}

/** Bytes become text, each of them one character. Of a long response only the beginning is
 * kept, with what is said of all of it. */
function toLine(event: TraceEvent): string {
  switch (event.type) {
    case 'read':
      return JSON.stringify({
        event: { ...event, bytes: event.bytes.toString('latin1') },
      });
    case 'reject': {
      const { bytes, offset } = event.excerpt;
      const excerpt = { bytes: bytes.toString('latin1'), offset };
      return JSON.stringify({ event: { ...event, excerpt } });
    }
    case 'write': {
      const { lengths = [event.text.length] } = event;
      if (lengths.every((length) => length <= RESPONSE_KEPT))
        return JSON.stringify({ event: { ...event, text: bytesOf(event.text) } });
      let start = 0;
      const texts = lengths.map((length) => {
        const text = event.text.slice(start, start + Math.min(length, RESPONSE_KEPT));
        start += length;
        return text;
      });
      const kept = texts.map(({ length }) => length);
      const lines = new TraceFormatter(false).format(event);
      const whole = { lengths, sentences: explain(event), lines };
      return JSON.stringify({
        event: { ...event, text: bytesOf(texts.join('')), lengths: kept },
        whole,
      });
    }
  }
  return JSON.stringify({ event });
}

/** A service without a defence may have written a character that is no byte: the socket
 * sends one of it. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function linesOf(block: Buffer): string[] {
  return block.toString().split('\n');
}
