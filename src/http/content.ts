/** The content of a request while it comes (9110 §6.4): octets gathered up to a limit, whatever the framing. */
import type { Input } from './input';

/** Octets of content that one request may have. */
export const CONTENT_LIMIT = 1_048_576;

const NOTHING = Buffer.alloc(0);

export class Content {
  length = 0;
  private octets = NOTHING;

  /** Moves up to `wanted` octets from the input. The room grows with what has come, never with what was announced. @returns how many were moved */
  take(input: Input, wanted: number): number {
    const count = Math.min(wanted, input.unread);
    const length = this.length + count;
    if (length > this.octets.length) {
      const roomier = Buffer.allocUnsafe(Math.min(2 * length, CONTENT_LIMIT));
      this.octets.copy(roomier, 0, 0, this.length);
      this.octets = roomier;
    }
    input.take(count, this.octets, this.length);
    this.length = length;
    return count;
  }

  /** One character per octet (ISO-8859-1). */
  text(): string {
    return this.octets.toString('latin1', 0, this.length);
  }
}
