/** Lets others wait until something is true: they ask again whenever something happens. */
export class Notifier {
  private readonly waiting = new Set<() => void>();

  /** Something has happened. */
  notify(): void {
    for (const check of this.waiting) check();
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.waiting.delete(check);
        resolve();
      };
      this.waiting.add(check);
      check();
    });
  }
}
