/** Time limits. What has arrived is read before a time limit acts: after a standstill (a
 * suspended process, a slow service) the timers of Node run before its sockets are read,
 * so a client that was in time would be too late. */
import type { System } from './system';

/** Calls back after `ms` milliseconds, once the sockets have been read. It does not keep
 * the process alive until then. */
export function afterDelay(system: System, ms: number, callback: () => void): void {
  system.after(ms, () => system.soon(callback));
}

/** One time limit for many entries, with a single timer. All entries get the same
 * time, so they expire in the order in which they started, which is the order of a Map. */
export class Deadlines<Entry> {
  readonly seconds: number;
  private readonly system: System;
  private readonly onExpired: (entry: Entry) => void;
  private readonly expiryTimes = new Map<Entry, number>();
  /** Clearing an entry does not stop the timer. When it fires, it finds the next entry. */
  private hasTimer = false;

  constructor(system: System, seconds: number, onExpired: (entry: Entry) => void) {
    this.system = system;
    this.seconds = seconds;
    this.onExpired = onExpired;
  }

  /** How many entries have their time running. */
  get size(): number {
    return this.expiryTimes.size;
  }

  /** Starts the time of an entry, or starts it again. */
  start(entry: Entry): void {
    this.expiryTimes.delete(entry);
    // An integer, which V8 stores inline; a fraction would be a heap object.
    this.expiryTimes.set(entry, Math.ceil(this.system.now() + 1000 * this.seconds));
    if (!this.hasTimer) this.wait(1000 * this.seconds);
  }

  clear(entry: Entry): void {
    this.expiryTimes.delete(entry);
  }

  private wait(ms: number): void {
    this.hasTimer = true;
    afterDelay(this.system, ms, () => this.expire());
  }

  private expire(): void {
    for (const [entry, time] of this.expiryTimes) {
      const left = Math.ceil(time - this.system.now());
      if (left > 0) {
        this.wait(left);
        return;
      }
      this.expiryTimes.delete(entry);
      this.onExpired(entry);
    }
    this.hasTimer = false;
  }
}
