/**
 * What a client has sent and nobody has read yet, as octets. Knows offsets and nothing of messages.
 *
 * Two coordinates: `at` and `end` are indices of the storage, which moves; an offset counts octets of the request from 0 and stays
 * true wherever the octets are laid. Every octet is copied a bounded number of times, however small the pieces are in which it comes.
 */
import { Octet } from './octets';

const NOTHING = Buffer.alloc(0);
/** How many octets are made text at once where fewer are asked for: several small requests, and little to hold for one that waits. */
const AHEAD = 4096;

/** The line around a wrong octet, as far as it is still held. */
export interface Excerpt {
  readonly octets: Buffer;
  /** Where it stands in the request. */
  readonly offset: number;
}

export class Input {
  /** The octets held, from `kept` to `end`; `at` is the next one to read. */
  octets: Buffer = NOTHING;
  at = 0;
  end = 0;
  private kept = 0;
  /** What to add to an index to get an offset. */
  private base = 0;
  /** Whether the storage is ours to write on, or a buffer that a socket gave. */
  private own = false;
  /** What stands in the storage from an index on, as text: made once for what came together. */
  private decoded = '';
  private decodedFrom = 0;

  /** The offset of the next octet. */
  get offset(): number {
    return this.at + this.base;
  }

  /** How many octets have come that are not read yet. */
  get unread(): number {
    return this.end - this.at;
  }

  /** The next octet is the first of a request: its offset is 0. */
  begin(): void {
    // Not -at, for -0 is no integer to the engine, and all offsets would be floating-point numbers.
    this.base = 0 - this.at;
    this.release();
  }

  /** What was read so far is needed no longer. */
  release(): void {
    this.kept = this.at;
    if (this.at < this.end) return;
    this.base += this.at;
    this.octets = NOTHING;
    this.own = false;
    this.decoded = '';
    this.at = this.kept = this.end = 0;
  }

  /** Takes octets in. They must not be changed afterwards. */
  push(octets: Buffer): void {
    const held = this.end - this.kept;
    if (held === 0) {
      // Then all was released, and the indices are 0.
      this.octets = octets;
      this.end = octets.length;
      return;
    }
    if (!this.own || this.octets.length - this.end < octets.length) this.move(held, octets.length);
    octets.copy(this.octets, this.end);
    this.end += octets.length;
  }

  /** Moves what is held to where there is room for more: for twice what is needed, so the octets moved so far are never more than those received. */
  private move(held: number, more: number): void {
    const roomier = Buffer.allocUnsafe(2 * (held + more));
    this.octets.copy(roomier, 0, this.kept, this.end);
    this.base += this.kept;
    this.at -= this.kept;
    this.end = held;
    this.kept = 0;
    this.octets = roomier;
    this.own = true;
    this.decoded = '';
  }

  /** @returns the octet that stands `ahead` octets after the next one, or NONE */
  peek(ahead = 0): number {
    const index = this.at + ahead;
    return index < this.end ? this.octets[index] ?? Octet.NONE : Octet.NONE;
  }

  /** @returns where in `octets` an offset stands that is not released */
  index(offset: number): number {
    return offset - this.base;
  }

  /** @returns what stands from one offset up to another, both not released yet, as ISO-8859-1 (9112 §2.2) */
  text(from: number, to: number): string {
    const start = from - this.base;
    const end = to - this.base;
    if (start < this.decodedFrom || end > this.decodedFrom + this.decoded.length) {
      this.decoded = this.octets.toString('latin1', start, Math.min(this.end, Math.max(end, start + AHEAD)));
      this.decodedFrom = start;
    }
    return this.decoded.slice(start - this.decodedFrom, end - this.decodedFrom);
  }

  /** Copies octets from the next one on, and moves over them. */
  take(count: number, target: Buffer, index: number): void {
    this.octets.copy(target, index, this.at, this.at + count);
    this.at += count;
  }

  /** @returns the line around an offset, with its line end, as far as it is here and not released */
  line(offset: number): Excerpt {
    const index = offset - this.base;
    if (index < this.kept) return { octets: NOTHING, offset };
    const from = this.kept + this.octets.subarray(this.kept, index).lastIndexOf(Octet.LF) + 1;
    const lineFeed = this.octets.indexOf(Octet.LF, index);
    const to = lineFeed < 0 ? this.end : Math.min(lineFeed + 1, this.end);
    return { octets: this.octets.subarray(from, to), offset: from + this.base };
  }
}
