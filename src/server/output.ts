/** What a connection sends. Responses are gathered, and leave together. A byte on its way
 * to the client passes these places:
 *
 *     gathered --flush()--> unsent --write()--> the socket --> the system --> the client
 *     `gatheredBytes`       `isUnsent`                         `isTaken`
 *                           |------- `isBlocked` -------|
 *
 * While the client does not read, first the system's buffer fills, then the socket's, and
 * the rest waits in `unsent`. */
import type { Socket } from 'node:net';

/** A long text is sent in slices of this size, or up to twice that. Each one that the system
 * takes counts as progress by the client. */
const SLICE = 65_536;

export class Output {
  private gathered = '';
  /** What the socket has not taken yet. The texts are not joined, because together they
   * could exceed the longest string. */
  private unsent: string[] | undefined = undefined;
  /** How many bytes the socket held when that was last known: once a write has failed or
   * the socket is destroyed, it no longer counts what is lost. */
  private inSocket = 0;

  constructor(
    private readonly socket: Socket,
    private readonly onTaken: () => void,
  ) {}

  /** @param message each character is one byte */
  add(message: string): void {
    this.gathered += message;
  }

  get gatheredBytes(): number {
    return this.gathered.length;
  }

  /** Begins to send what is gathered. */
  flush(): void {
    const { gathered, unsent } = this;
    this.gathered = '';
    if (unsent === undefined) this.unsent = [gathered];
    else unsent.push(gathered);
    this.sendMore();
  }

  /** Sends as much as the socket takes. */
  sendMore(): void {
    const { socket, unsent } = this;
    if (unsent === undefined) {
      this.noteInSocket(0);
      return;
    }
    while (unsent.length > 0 && !socket.writableNeedDrain && !socket.destroyed) {
      const text = unsent.shift() ?? '';
      // A remainder of at most one more slice is sent with the slice before it. Cut off, it
      // would keep the whole text in memory until the client has read it.
      const isLong = text.length > 2 * SLICE;
      if (isLong) unsent.unshift(text.slice(SLICE));
      const slice = isLong ? text.slice(0, SLICE) : text;
      socket.write(slice, 'latin1');
      this.noteInSocket(slice.length);
    }
    if (unsent.length > 0) return;
    this.unsent = undefined; // an empty array would still take memory, and most are idle
    // The socket emits "drain" once the system has taken all that it holds, but only if that
    // is its high-water mark or more. If it is less, an empty write after it tells us.
    const isHeld = socket.writableLength > 0;
    if (isHeld && !socket.writableNeedDrain) socket.write('', this.onTaken);
  }

  /** Keeps, for the trace alone, how many bytes the socket holds.
   * @param given how many bytes the socket has just been given. If that write has failed,
   * the socket holds nothing, and they are lost with what it held before. */
  private noteInSocket(given: number): void {
    const { errored, writableLength } = this.socket;
    this.inSocket = errored === null ? writableLength : this.inSocket + given;
  }

  /** Whether the socket has not taken everything that was flushed. */
  get isUnsent(): boolean {
    return this.unsent !== undefined;
  }

  /** Whether the socket takes no more for now. */
  get isBlocked(): boolean {
    return this.isUnsent || this.socket.writableNeedDrain;
  }

  /** Closes both sides of the socket at once. */
  destroy(): void {
    this.noteInSocket(0);
    this.socket.destroy();
  }

  /** How many of the flushed bytes were never sent, at most, once the socket is closed. The
   * system may have taken part of what the socket held. */
  get lost(): number {
    const lengths = (this.unsent ?? []).map((text) => text.length);
    return lengths.reduce((sum, length) => sum + length, this.inSocket);
  }

  /** Whether the system has taken everything that was flushed. */
  get isTaken(): boolean {
    return !this.isUnsent && this.socket.writableLength === 0;
  }
}
