/** A true axis of time: a millisecond is as wide as any other, but for pauses without an
 * event, which are cut out and named. Pure: it knows no page. */
import { milliseconds } from './words';

/** A longer pause is cut out, in milliseconds. */
const PAUSE = 12;
/** The room that a cut takes, and the least that a millisecond does, in pixels. */
const CUT_WIDTH = 54;
const LEAST_SCALE = 24;
const MOST_SCALE = 600;
/** The room between two numbers. */
const TICK_WIDTH = 64;
const TICK_BESIDE = 18;

/** Between two times, and between two places on the axis. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly width: number;
  readonly isCut: boolean;
}

export interface Tick {
  readonly x: number;
  readonly says: string;
}

export class Axis {
  private readonly stretches: readonly Stretch[];
  private readonly scale: number;
  private readonly first: number;
  readonly width: number;

  /** @param times of all events, in milliseconds
   * @param room how many pixels there are
   * @param margin before the first event and after the last one */
  constructor(
    times: readonly number[],
    room: number,
    private readonly margin: readonly [number, number],
  ) {
    const sorted = [...new Set(times)].sort((one, other) => one - other);
    this.first = sorted[0] ?? 0;
    const pauses = sorted.slice(1).map((to, index) => to - (sorted[index] ?? 0));
    const kept = pauses.filter((pause) => pause <= PAUSE);
    const total = kept.reduce((sum, pause) => sum + pause, 0);
    const cuts = pauses.length - kept.length;
    const left = room - margin[0] - margin[1] - cuts * CUT_WIDTH;
    this.scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, left / Math.max(total, 0.01)));
    let x = margin[0];
    const stretches: Stretch[] = [];
    for (const [index, to] of sorted.slice(1).entries()) {
      const from = sorted[index] ?? 0;
      const isCut = to - from > PAUSE;
      const width = isCut ? CUT_WIDTH : (to - from) * this.scale;
      const before = stretches.at(-1);
      if (before !== undefined && !isCut && !before.isCut)
        stretches[stretches.length - 1] = { ...before, to, width: before.width + width };
      else stretches.push({ from, to, x, width, isCut });
      x += width;
    }
    this.stretches = stretches;
    this.width = x + margin[1];
  }

  /** @returns the place of a time, in pixels */
  at(time: number): number {
    let low = 0;
    let high = this.stretches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.stretches[middle]?.from ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    const stretch = this.stretches[low];
    if (stretch === undefined) return this.margin[0];
    const { from, to, width, x } = stretch;
    return x + Math.min(1, Math.max(0, (time - from) / (to - from))) * width;
  }

  /** The pauses that are cut out of a part of the axis. */
  cuts(left: number, right: number): readonly (Tick & { readonly width: number })[] {
    return this.stretches
      .filter(({ isCut, width, x }) => isCut && x + width > left && x < right)
      .map(({ from, to, width, x }) => ({ x, width, says: milliseconds(to - from) }));
  }

  /** The numbers below a part of the axis, in milliseconds from the first event. */
  ticks(left: number, right: number): readonly Tick[] {
    const step = niceStep(TICK_WIDTH / this.scale);
    const ticks: Tick[] = [];
    let end = -Infinity;
    for (const { from, isCut, to, width, x } of this.stretches) {
      if (isCut || x + width < left || x > right) continue;
      let number = Math.ceil((from - this.first) / step - 1e-6);
      for (; this.first + number * step <= to + 1e-6; number += 1) {
        const place = this.at(this.first + number * step);
        if (place < left || place > right || place < end + TICK_WIDTH - 1) continue;
        // Beside a pause stands how long it was.
        if (place < x + TICK_BESIDE || place > x + width - TICK_BESIDE) continue;
        ticks.push({
          x: place,
          says: Number((number * step).toFixed(3)).toLocaleString('en'),
        });
        end = place;
      }
    }
    return ticks;
  }
}

/** @returns 1, 2 or 5 times a power of ten, not below the least */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const times = [1, 2, 5, 10].find((one) => one * power >= least - 1e-9) ?? 10;
  return times * power;
}
