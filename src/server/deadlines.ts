/** How long something may take, for many entries, with one timer of Node. All entries get the same
 * time, so they expire in the order in which they started, which is the order of a Map. */
export class Deadlines<Entry> {
  private readonly expiryTimes = new Map<Entry, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(readonly seconds: number, private readonly onExpired: (entry: Entry) => void) {}

  /** Starts the time of an entry, or starts it again. */
  start(entry: Entry): void {
    this.expiryTimes.delete(entry);
    // A whole number: Node keeps it in place, where a fraction would be an object of its own.
    this.expiryTimes.set(entry, Math.ceil(performance.now() + 1000 * this.seconds));
    this.timer ??= setTimeout(() => this.expire(), 1000 * this.seconds);
  }

  clear(entry: Entry): void {
    if (!this.expiryTimes.delete(entry) || this.expiryTimes.size > 0) return;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private expire(): void {
    for (const [entry, time] of this.expiryTimes) {
      const left = Math.ceil(time - performance.now());
      if (left > 0) {
        // One that expired may have started again, and with it a timer.
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.expire(), left);
        return;
      }
      this.expiryTimes.delete(entry);
      this.onExpired(entry);
    }
    this.timer = undefined;
  }
}
