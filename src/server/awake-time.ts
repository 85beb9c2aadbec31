/** The time in which the server is awake: the system's, without its standstills. While the
 * process is suspended, or a service holds the event loop, the server can read nobody. So
 * this is no time that a client has had. Even what it sent meanwhile may be on its way: once
 * the system's buffer is full, the rest stays with the client until the server reads. */
import type { System } from './system';

/** A timer that fires so many milliseconds late tells that the server stood still. */
const STANDSTILL_MS = 250;

export class AwakeTime {
  private readonly system: System;
  /** When the timers that run are due, in order. */
  private readonly due: number[] = [];
  private lastAsked: number;
  /** All standstills together, in milliseconds. */
  private stoodStill = 0;

  constructor(system: System) {
    this.system = system;
    this.lastAsked = system.now();
  }

  /** A standstill began after the last call of now(), which is all that is known about its
   * beginning. So nothing since then counts, until the timer fires that is late.
   * @returns milliseconds since a beginning that does not change; they never go back */
  now(): number {
    const now = this.system.now();
    const [due = Infinity] = this.due;
    if (now > due + STANDSTILL_MS) this.stoodStill += now - this.lastAsked;
    this.lastAsked = now;
    return now - this.stoodStill;
  }

  /** Calls back after `ms` milliseconds of the system's time, once the sockets have been read.
   * @param callback takes the time when the timer fired: what had arrived by then is read */
  after(ms: number, callback: (now: number) => void): void {
    const { due, system } = this;
    due.push(system.now() + ms);
    due.sort((a, b) => a - b);
    system.after(ms, () => {
      const now = this.now();
      due.shift(); // timers fire in the order in which they are due
      system.soon(() => callback(now));
    });
  }
}
