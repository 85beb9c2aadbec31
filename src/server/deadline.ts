/** How long something may take: one timer of Node, started again for each purpose. */
export class Deadline {
  seconds = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly onExpired: () => void) {}

  start(seconds: number): void {
    if (this.timer !== undefined && this.seconds === seconds) {
      this.timer.refresh();
      return;
    }
    clearTimeout(this.timer);
    this.seconds = seconds;
    this.timer = setTimeout(this.onExpired, 1000 * seconds);
  }

  clear(): void {
    clearTimeout(this.timer);
  }
}
