/** Adds to a trace what careless recipients would read differently: after each rejection,
 * and after each request with content. It reads the bytes of the events again, with the
 * mistakes of src/naive. */
import { findRisk, type Risk } from '../naive/risk';
import type { TraceEvent } from './events';

/** How many bytes of a request are kept, with what has arrived after it. Where there are
 * more, nothing is said. */
const BYTES_KEPT = 32_768;
const NONE = Buffer.alloc(0);

type Sink = (event: TraceEvent) => unknown;

/** @returns a sink that passes on every event, and each risk: before the event that ends its
 * request, but behind a rejection */
export function withRisk(sink: Sink): Sink {
  const watch = new RiskWatch();
  return (event) => {
    const { at, connection } = event;
    const risk = watch.see(event); // first, because the sink may change the event
    if (risk === undefined) return sink(event);
    const both = [{ at, connection, type: 'risk', ...risk } as const, event];
    if (event.type === 'reject') both.reverse();
    return Promise.all(both.map(sink));
  };
}

/** Follows the bytes of each connection. */
class RiskWatch {
  private readonly inputs = new Map<number, Input>();

  see(event: TraceEvent): Risk | undefined {
    const { connection, type } = event;
    const input = this.inputs.get(connection) ?? new Input();
    switch (type) {
      case 'read':
        input.add(event.bytes, event.offset);
        this.inputs.set(connection, input);
        return undefined;
      case 'frame':
        input.hasContent = event.framing.kind !== 'none';
        return undefined;
      case 'parse': {
        if (event.part !== 'request') return undefined;
        const { length, unread } = event;
        const risk = input.hasContent ? input.find(length) : undefined;
        input.startRequest(length, unread);
        if (unread === 0) this.inputs.delete(connection);
        return risk;
      }
      case 'reject':
        this.inputs.delete(connection);
        return input.find(undefined);
      case 'gone':
        this.inputs.delete(connection);
        return undefined;
      default:
        return undefined;
    }
  }
}

/** What has arrived on a connection since the request began that is being read. */
class Input {
  /** Without content, all readers agree on the end of what this server accepts. */
  hasContent = false;
  /** The bytes, with room for more. */
  private bytes = NONE;
  private length = 0;
  private isTooLong = false;

  add(bytes: Buffer, offset: number): void {
    const length = this.length + bytes.length;
    this.isTooLong ||= length > BYTES_KEPT || offset !== this.length;
    if (this.isTooLong) return this.drop();
    // It grows by half, so that many short reads cost no more than a long one.
    if (length > this.bytes.length) this.move(Math.ceil(1.5 * length));
    bytes.copy(this.bytes, this.length);
    this.length = length;
  }

  find(end: number | undefined): Risk | undefined {
    if (this.isTooLong) return undefined;
    return findRisk(this.bytes.toString('latin1', 0, this.length), end);
  }

  startRequest(length: number, unread: number): void {
    this.hasContent = false;
    if (unread === 0) {
      this.isTooLong = false;
      return this.drop();
    }
    this.isTooLong ||= this.length !== length + unread;
    if (this.isTooLong) return this.drop();
    this.bytes.copyWithin(0, length, this.length);
    this.length = unread;
    this.move(unread);
  }

  private drop(): void {
    this.bytes = NONE;
    this.length = 0;
  }

  /** Moves the bytes to a buffer of their own: part of another would keep all of that. */
  private move(room: number): void {
    const moved = Buffer.allocUnsafeSlow(room);
    this.bytes.copy(moved, 0, 0, this.length);
    this.bytes = moved;
  }
}
