/** The system that a simulated server runs on: virtual time, and an event loop with the
 * phases of libuv. Nothing here waits for real time. */
import type { Server, ServerOpts, Socket } from 'node:net';
import type { System } from '../../src/server/system';
import { DATE } from '../support/test-server';
import { SimulatedListener } from './listener';

/** What the poll phase looks at: a socket or a listener. */
export interface Pollable {
  /** Whether the system would report something. */
  readonly isReady: boolean;
  poll(): Promise<void>;
}

/** In what a system is free, and a simulation may choose at random. */
export interface Freedom {
  /** How many milliseconds a round of the event loop takes. */
  roundMs(): number;
  /** The order in which the system reports what is ready. */
  order<Item>(items: Item[]): Item[];
  /** Whether a client that is reset loses what it has not read yet (9112 §9.6). */
  resetLosesData(): boolean;
}

/** Everything takes no time, and happens in its order; a reset does the worst. */
const NO_FREEDOM: Freedom = {
  roundMs: () => 0,
  order: (items) => items,
  resetLosesData: () => true,
};

/** When every world begins; it is the date of the other tests then. */
const START = 1000;

/** The end of a world in which nothing happens any more. */
export const FOREVER = Number.MAX_VALUE;

/** A loop that never comes to rest is a fault, unless its rounds take time. */
const MAX_ROUNDS = 100_000;

interface Appointment {
  readonly time: number;
  readonly callback: () => void;
}

/** Callbacks in the order of their times. */
class Agenda {
  private readonly appointments: Appointment[] = [];

  add(time: number, callback: () => void): void {
    const later = this.appointments.findIndex((one) => one.time > time);
    const at = later < 0 ? this.appointments.length : later;
    this.appointments.splice(at, 0, { time, callback });
  }

  /** The earliest time, or Infinity. */
  get next(): number {
    return this.appointments[0]?.time ?? Infinity;
  }

  /** @returns the next appointment, if it is not after this time */
  take(time: number): Appointment | undefined {
    return this.next <= time ? this.appointments.shift() : undefined;
  }
}

export class Kernel implements System {
  /** In milliseconds; it begins with a whole number. */
  time = START;
  private readonly timers = new Agenda();
  private readonly outside = new Agenda();
  private immediates: (() => void)[] = [];
  private closing: (() => Promise<void>)[] = [];
  private readonly polled = new Set<Pollable>();
  private lastPort = 1024;
  /** The listener of the server, once there is one. */
  listener: SimulatedListener | undefined;

  constructor(readonly freedom = NO_FREEDOM) {}

  now(): number {
    return this.time;
  }

  readonly date = (): number => Date.parse(DATE) + this.time - START;

  /** Like Node, in whole milliseconds, at least one. */
  after(ms: number, callback: () => void): void {
    this.timers.add(Math.floor(this.time) + Math.max(1, Math.trunc(ms)), callback);
  }

  /** The server calls it without its object, too. */
  soon = (callback: () => void): void => void this.immediates.push(callback);

  createListener = (_: ServerOpts, onConnection: (socket: Socket) => void): Server => {
    this.listener = new SimulatedListener(this, onConnection);
    // The server uses the part of the type that a simulated listener has.
    return this.listener as unknown as Server;
  };

  /** @returns the port of another client */
  nextPort(): number {
    this.lastPort += 1;
    return this.lastPort;
  }

  /** Something happens outside of the server. */
  at(time: number, callback: () => void): void {
    this.outside.add(Math.max(time, this.time), callback);
  }

  watch(pollable: Pollable): void {
    this.polled.add(pollable);
  }

  unwatch(pollable: Pollable): void {
    this.polled.delete(pollable);
  }

  /** Calls back at the end of this round of the loop. */
  atClose(callback: () => Promise<void>): void {
    this.closing.push(callback);
  }

  /** Calls the server as the system does. What it leaves to process.nextTick() comes before
   * anything else, even if that leaves more: Node runs all of it before it goes on with a
   * promise. */
  async call(callback: () => void): Promise<void> {
    callback();
    await new Promise<void>((resolve) => process.nextTick(resolve));
  }

  /** Time passes, and the server does nothing: its process is suspended, or its service
   * takes so long. Everybody else goes on. */
  standStill(ms: number): void {
    const end = this.time + ms;
    this.goOnOutside(end);
    this.time = end;
  }

  private goOnOutside(until: number): void {
    let appointment: Appointment | undefined;
    while ((appointment = this.outside.take(until)) !== undefined) {
      this.time = Math.max(this.time, appointment.time);
      appointment.callback();
    }
  }

  /** Plays until a time, and until nothing is left to do then. */
  async playUntil(end: number): Promise<void> {
    for (let rounds = 0; this.isBusy || this.nextTime <= Math.max(end, this.time);) {
      rounds += 1;
      if (rounds > MAX_ROUNDS) throw new Error('the event loop never comes to rest');
      if (this.isBusy) this.time += this.freedom.roundMs();
      else this.time = Math.max(this.time, this.nextTime);
      await this.round();
    }
    if (end < FOREVER) this.time = Math.max(this.time, end);
  }

  /** When something happens next, if nothing is left to do now; or Infinity. */
  private get nextTime(): number {
    return Math.min(this.timers.next, this.outside.next);
  }

  private get isBusy(): boolean {
    if (this.immediates.length > 0 || this.closing.length > 0) return true;
    return [...this.polled].some(({ isReady }) => isReady);
  }

  /** One round of the event loop: timers, poll, check, close. */
  private async round(): Promise<void> {
    this.goOnOutside(this.time);

    const due = Math.floor(this.time);
    let timer: Appointment | undefined;
    while ((timer = this.timers.take(due)) !== undefined) await this.call(timer.callback);

    const ready = [...this.polled].filter(({ isReady }) => isReady);
    for (const pollable of this.freedom.order(ready)) await pollable.poll();

    const { immediates } = this;
    this.immediates = [];
    for (const callback of immediates) await this.call(callback);

    const { closing } = this;
    this.closing = [];
    for (const callback of closing) await callback();
  }
}
