/** Time limits. When one is over, the sockets are read first, and then the limit acts. After
 * a standstill (a suspended process, a slow service), Node runs its timers before it reads
 * its sockets, and a client that was in time would be judged late. What a standstill costs:
 * bytes that found no room in the system's buffer meanwhile stayed with their client, and a
 * client whose limit ends in that time is late. So is a request that is still paused a second
 * after its limit (connection.ts). */
import type { System } from './system';

/** Calls back after `ms` milliseconds, once the sockets have been read.
 * @param callback takes the time when the timer fired: what had arrived by then has been
 * read */
export function afterDelay(
  system: System,
  ms: number,
  callback: (firedAt: number) => void,
): void {
  system.after(ms, () => {
    const firedAt = system.now();
    system.soon(() => callback(firedAt));
  });
}

/** One time limit for many entries, with a single timer. All entries get the same
 * time, so they expire in the order in which they started, which is the order of a Map. */
export class Deadlines<Entry> {
  private readonly expiryTimes = new Map<Entry, number>();
  /** Clearing an entry does not stop the timer. When it fires, it finds the next entry. */
  private hasTimer = false;

  /** @param onExpired takes an entry whose time is over, and for how many milliseconds; and
   * again after a millisecond or more, until the entry is cleared or starts again */
  constructor(
    private readonly system: System,
    readonly seconds: number,
    private readonly onExpired: (entry: Entry, late: number) => void,
  ) {}

  /** How many entries have their time running. */
  get size(): number {
    return this.expiryTimes.size;
  }

  /** The entry whose time has run longest, if there is one. */
  get first(): Entry | undefined {
    const [first] = this.expiryTimes.keys();
    return first;
  }

  /** Starts the time of an entry, which must not be running. */
  start(entry: Entry): void {
    this.expiryTimes.set(entry, Math.ceil(this.system.now() + 1000 * this.seconds));
    if (!this.hasTimer) this.wait(1000 * this.seconds);
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
    afterDelay(this.system, ms, (firedAt) => this.expire(firedAt));
  }

  private expire(firedAt: number): void {
    for (const [entry, time] of this.expiryTimes) {
      if (time > firedAt) break;
      this.onExpired(entry, firedAt - time);
    }
    this.hasTimer = false;
    const [next] = this.expiryTimes.values();
    if (next !== undefined) this.wait(Math.max(1, Math.ceil(next - this.system.now())));
  }
}
