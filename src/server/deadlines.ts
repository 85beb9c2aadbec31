/** How long something may take, for many entries, with one Node timer. All entries get the same
 * time, so they expire in the order in which they started, which is the order of a Map. */
export class Deadlines<Entry> {
  private readonly expiryTimes = new Map<Entry, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly seconds: number,
    private readonly onExpired: (entry: Entry) => void,
  ) {}

  /** Starts the time of an entry, or starts it again. */
  start(entry: Entry): this {
    this.expiryTimes.delete(entry);
    // A whole number: V8 stores it in place, where a fraction would be an object of its own.
    this.expiryTimes.set(entry, Math.ceil(performance.now() + 1000 * this.seconds));
    if (this.timer === undefined) this.wait(1000 * this.seconds);
    return this;
  }

  clear(entry: Entry): void {
    this.expiryTimes.delete(entry);
  }
  /** Nothing stops it when its entry is cleared, so it must not keep the process alive. */
  private wait(ms: number): void {
    this.timer = setTimeout(() => this.expire(), ms).unref();
  }

  private expire(): void {
    for (const [entry, time] of this.expiryTimes) {
      const left = Math.ceil(time - performance.now());
      if (left > 0) return this.wait(left);
      this.expiryTimes.delete(entry);
      this.onExpired(entry);
    }
    this.timer = undefined;
  }
}
