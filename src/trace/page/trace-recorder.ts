/** Keeps the events of a trace within bounds, to make a page of them when the server
 * stops. */
import type { TraceEvent } from '../events';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;
/** The bytes of a block, unless one event needs more. */
const BLOCK_SIZE = 262_144;
/** Two numbers stand before a packed event: the bytes of its JSON, and those that it
 * shows. */
const PREFIX_SIZE = 8;

/** Packed events, from the index `start` to the index `end`. */
interface Block {
  readonly buffer: Buffer;
  start: number;
  end: number;
}

/** Packs each event at once. As objects, events would survive collections of V8's young
 * generation, which grows by up to 30 MB with what survives. */
export class TraceRecorder implements Iterable<TraceEvent> {
  /** The events that had to make room for later ones, and the bytes that they showed. */
  readonly leftOut = { events: 0, bytes: 0 };
  private readonly blocks: Block[] = [];
  /** The buffers of blocks that were left out: used again, they are no garbage. */
  private readonly spare: Buffer[] = [];
  private count = 0;
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    const { json, shown } = pack(event);
    const length = Buffer.byteLength(json);
    const block = this.blockWithRoom(PREFIX_SIZE + length + shown.length);
    const { buffer } = block;
    let at = buffer.writeUInt32LE(length, block.end);
    at = buffer.writeUInt32LE(shown.length, at);
    at += buffer.write(json, at);
    if (typeof shown === 'string') buffer.write(shown, at, 'latin1');
    else shown.copy(buffer, at);
    block.end = at + shown.length;
    this.count += 1;
    this.bytes += shown.length;
    while (this.count > EVENTS_KEPT || this.bytes > BYTES_KEPT) this.leaveOutFirst();
  };

  /** The events that are kept, each unpacked when it is asked for. What they show is valid
   * until another event is recorded. */
  *[Symbol.iterator](): Generator<TraceEvent> {
    for (const { buffer, start, end } of this.blocks) {
      let at = start;
      while (at < end) {
        const from = at + PREFIX_SIZE;
        const to = from + buffer.readUInt32LE(at);
        at = to + buffer.readUInt32LE(at + 4);
        yield unpack(buffer.toString('utf8', from, to), buffer.subarray(to, at));
      }
    }
  }

  private blockWithRoom(size: number): Block {
    const last = this.blocks.at(-1);
    if (last && size <= last.buffer.length - last.end) return last;
    const spare = size <= BLOCK_SIZE ? this.spare.pop() : undefined;
    const buffer = spare ?? Buffer.allocUnsafeSlow(Math.max(size, BLOCK_SIZE));
    const block = { buffer, start: 0, end: 0 };
    this.blocks.push(block);
    return block;
  }

  private leaveOutFirst(): void {
    const [block] = this.blocks;
    if (block === undefined) return;
    const length = block.buffer.readUInt32LE(block.start);
    const shown = block.buffer.readUInt32LE(block.start + 4);
    block.start += PREFIX_SIZE + length + shown;
    this.count -= 1;
    this.bytes -= shown;
    this.leftOut.events += 1;
    this.leftOut.bytes += shown;
    if (block.start < block.end) return;
    this.blocks.shift();
    if (block.buffer.length === BLOCK_SIZE) this.spare.push(block.buffer);
  }
}

/** @returns the event as JSON, and the bytes that it shows, which JSON would make longer.
 * The page does not ask for the excerpt of a rejection. */
function pack(event: TraceEvent): { json: string; shown: Buffer | string } {
  switch (event.type) {
    case 'read':
      return { json: JSON.stringify({ ...event, bytes: undefined }), shown: event.bytes };
    case 'write':
      return { json: JSON.stringify({ ...event, text: undefined }), shown: event.text };
    case 'reject': {
      const { error } = event;
      const plain = { ...error, ruling: error.ruling, message: error.message };
      return {
        json: JSON.stringify({ ...event, excerpt: undefined, error: plain }),
        shown: '',
      };
    }
    default:
      return { json: JSON.stringify(event), shown: '' };
  }
}

/** What pack() packed. */
function unpack(json: string, shown: Buffer): TraceEvent {
  const event: TraceEvent = JSON.parse(json);
  if (event.type === 'read') return { ...event, bytes: shown };
  return event.type === 'write' ? { ...event, text: shown.toString('latin1') } : event;
}
