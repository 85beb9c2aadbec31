/** The time in which the server is awake: the system's, without its standstills. While the
 * process is suspended, or a service holds the event loop, the server reads from no client,
 * so this time does not count against any. Even what a client sent in that time may not be
 * here yet: once the system's buffer is full, the rest stays with the client until the
 * server reads. */
import type { System } from './system';

/** If a timer is this many milliseconds late, the server has stood still. */
const STANDSTILL_MS = 250;

export class AwakeTime {
  /** When the timers that run are due, in order. */
  private readonly due: number[] = [];
  private lastAsked: number;
  /** All standstills together, in milliseconds. */
  private stoodStill = 0;

  constructor(private readonly system: System) {
    this.lastAsked = system.now();
  }

  /** While a timer is late, the time since the last call does not count. The standstill
   * began at some moment after that call, and nothing tells when. For example, a timer is
   * due at 1000. The calls at 900 and 6000 return 900, and so does the one at 6010, when
   * the timer fires. A call at 6100 returns 990.
   * @returns milliseconds since a beginning that does not change; they never go back */
  now(): number {
    const now = this.system.now();
    const [due = Infinity] = this.due;
    if (now > due + STANDSTILL_MS) this.stoodStill += now - this.lastAsked;
    this.lastAsked = now;
    return now - this.stoodStill;
  }

  /** Calls back after `ms` milliseconds of the system's time, once the sockets have been
   * read.
   * @param callback takes the time when the timer fired: what had arrived by then has been
   * read */
  after(ms: number, callback: (firedAt: number) => void): void {
    const { due, system } = this;
    due.push(system.now() + ms);
    due.sort((a, b) => a - b);
    system.after(ms, () => {
      const firedAt = this.now();
      due.shift(); // timers fire in this order, give or take two milliseconds
      system.soon(() => callback(firedAt));
    });
  }
}
