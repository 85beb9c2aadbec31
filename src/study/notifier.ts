/** Lets others wait for what happens. */
export class Notifier {
  private waiting: (() => void)[] = [];

  /** Something has happened. */
  notify(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }

  /** Waits until something happens. */
  next(): Promise<void> {
    return new Promise((resume) => void this.waiting.push(resume));
  }

  /** Waits until something is true: that is asked again whenever something has happened. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.next();
  }
}
