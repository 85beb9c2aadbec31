/** Time limits. A time limit acts only after what has arrived is read. Otherwise, a client
 * that was in time could be too late: after a standstill (a suspended process, a slow
 * service), Node runs its timers before it reads its sockets. */
import type { AwakeTime } from './awake-time';
import type { System } from './system';

/** Calls back after `ms` milliseconds, once the sockets have been read. */
export function afterDelay(system: System, ms: number, callback: () => void): void {
  system.after(ms, () => system.soon(callback));
}

/** The longest that a timer runs, in milliseconds. Only a timer that is late shows a
 * standstill, so one must always be due soon. */
const WATCH_MS = 1000;

/** One time limit for many entries, with a single timer. All entries get the same
 * time, so they expire in the order in which they started, which is the order of a Map. Only an
 * entry that is extended may expire later than those behind it. */
export class Deadlines<Entry> {
  private readonly expiryTimes = new Map<Entry, number>();
  /** Clearing an entry does not stop the timer. When it fires, it finds the next entry. */
  private hasTimer = false;

  /** @param onExpired takes an entry whose time is over, and again after a millisecond or more,
   * until the entry is cleared or starts again */
  constructor(
    private readonly time: AwakeTime,
    readonly seconds: number,
    private readonly onExpired: (entry: Entry) => void,
  ) {}

  /** How many entries have their time running. */
  get size(): number {
    return this.expiryTimes.size;
  }

  /** Starts the time of an entry, or starts it again. */
  start(entry: Entry): void {
    this.expiryTimes.delete(entry);
    // V8 stores a small integer inline; a fraction would be a heap object.
    this.expiryTimes.set(entry, Math.ceil(this.time.now() + 1000 * this.seconds));
    if (!this.hasTimer) this.wait(1000 * this.seconds);
  }

  /** Gives an entry whose time is over one more millisecond. Its socket was paused until now (for
   * example, while thousands of its chunks were parsed), so what it sent in time may not have been
   * read. A timer that has already fired, and acts later in this round, then finds the entry still
   * in time, and the socket is read before the next timer fires. */
  extendToNow(entry: Entry): void {
    const now = Math.floor(this.time.now());
    const time = this.expiryTimes.get(entry) ?? Infinity;
    if (time <= now) this.expiryTimes.set(entry, now + 1); // in its old place in the order
  }

  clear(entry: Entry): void {
    this.expiryTimes.delete(entry);
  }

  private wait(ms: number): void {
    this.hasTimer = true;
    this.time.after(Math.min(ms, WATCH_MS), (firedAt) => this.expire(firedAt));
  }

  /** @param firedAt everything that had arrived by this time has been read. It may be in the
   * past if a service has been slow since. */
  private expire(firedAt: number): void {
    // An extended entry keeps its place, and is due within a millisecond from now: entries behind
    // it may be due already.
    const latestExtension = this.time.now() + 1;
    for (const [entry, time] of this.expiryTimes) {
      if (time > latestExtension) break;
      if (time <= firedAt) this.onExpired(entry);
    }
    this.hasTimer = false;
    const [next] = this.expiryTimes.values();
    if (next !== undefined) this.wait(Math.max(1, Math.ceil(next - this.time.now())));
  }
}
