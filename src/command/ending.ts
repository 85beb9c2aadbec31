/** How long a program may take to end, and what the signals mean that ask it to. Times are
 * in milliseconds. */

/** A terminal and npm both deliver one Control-C: what comes within this time is the same
 * wish. */
const ONE_WISH_MS = 500;
/** After a signal, whatever is not written. Stopping the server takes at most 0.8 s of
 * that. */
const SIGNAL_MS = 900;
/** Without a signal, for the reader of the output, and to write the page. */
const EXIT_MS = 2000;

export class Ending {
  private signalledAt: number | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get isSignalled(): boolean {
    return this.signalledAt !== undefined;
  }

  /** How long the program may still take. */
  get timeLeft(): number {
    const { signalledAt } = this;
    if (signalledAt === undefined) return EXIT_MS;
    return Math.max(0, signalledAt + SIGNAL_MS - this.now());
  }

  /** Notes a signal.
   * @returns whether to stop, to end at once, or to go on as before */
  signal(): 'stop' | 'end' | undefined {
    const { signalledAt } = this;
    this.signalledAt ??= this.now();
    if (signalledAt === undefined) return 'stop';
    return this.now() - signalledAt < ONE_WISH_MS ? undefined : 'end';
  }
}
