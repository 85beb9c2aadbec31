/** Time limits. A time limit acts only after what has arrived is read. Otherwise, a client
 * that was in time could be judged late: after a standstill (a suspended process, a slow
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
 * time, so they expire in the order in which they started, which is the order of a Map. */
export class Deadlines<Entry> {
  private readonly expiryTimes = new Map<Entry, number>();
  /** The entries that do not expire the next time that expire() runs. */
  private readonly spared = new Set<Entry>();
  /** Clearing an entry does not stop the timer. When it fires, it finds the next entry. */
  private hasTimer = false;

  /** @param onExpired takes an entry whose time is over, and again after a millisecond or
   * more, until the entry is cleared or starts again */
  constructor(
    private readonly time: AwakeTime,
    readonly seconds: number,
    private readonly onExpired: (entry: Entry) => void,
  ) {}

  /** How many entries have their time running. */
  get size(): number {
    return this.expiryTimes.size;
  }

  /** Starts the time of an entry, which must not be running. */
  start(entry: Entry): void {
    // Whole milliseconds, because V8 would store a fraction as an object of its own.
    this.expiryTimes.set(entry, Math.ceil(this.time.now() + 1000 * this.seconds));
    if (!this.hasTimer) this.wait(1000 * this.seconds);
  }

  /** Lets an entry live through the next expire(), even if its time is over. Its socket was
   * paused until now (for example, while thousands of its chunks were parsed), so what its
   * client sent in time may still be unread. By the expire() after that, it has been
   * read. */
  spare(entry: Entry): void {
    this.spared.add(entry);
  }

  clear(entry: Entry): void {
    this.expiryTimes.delete(entry);
  }

  restart(entry: Entry): void {
    this.clear(entry);
    this.start(entry);
  }

  private wait(ms: number): void {
    this.hasTimer = true;
    this.time.after(Math.min(ms, WATCH_MS), (firedAt) => this.expire(firedAt));
  }

  /** @param firedAt everything that had arrived by this time has been read. It may be in
   * the past if a service has been slow since. */
  private expire(firedAt: number): void {
    for (const [entry, time] of this.expiryTimes) {
      if (time > firedAt) break;
      if (!this.spared.has(entry)) this.onExpired(entry);
    }
    this.spared.clear();
    this.hasTimer = false;
    const [next] = this.expiryTimes.values();
    if (next !== undefined) this.wait(Math.max(1, Math.ceil(next - this.time.now())));
  }
}
