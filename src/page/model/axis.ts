/** A true axis of time: a millisecond is as wide as any other, but for pauses without an
 * event, which are cut out and named. Pure: it knows no page. */
import { milliseconds } from '../../text/text';

/** A longer pause is cut out, in milliseconds. */
const PAUSE = 12;
/** The room that a cut takes, and the least and the most that a millisecond does, in
 * pixels. */
const CUT_WIDTH = 54;
const LEAST_SCALE = 24;
const MOST_SCALE = 600;
/** The room between two numbers, and beside a pause, where it stands how long that was. */
const TICK_WIDTH = 64;
const TICK_BESIDE = 18;

/** Events without a pause between them, and where the first of them is. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly x: number;
}

export interface Tick {
  readonly x: number;
  readonly says: string;
}

export class Axis {
  private readonly runs: readonly Run[];
  private readonly scale: number;
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
    const runs: { from: number; to: number }[] = [];
    for (const time of sorted) {
      const run = runs.at(-1);
      if (run !== undefined && time - run.to <= PAUSE) run.to = time;
      else runs.push({ from: time, to: time });
    }
    const total = runs.reduce((sum, { from, to }) => sum + to - from, 0);
    const cuts = CUT_WIDTH * Math.max(0, runs.length - 1);
    const fair = (room - margin[0] - margin[1] - cuts) / Math.max(total, 0.01);
    this.scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, fair));
    let [next] = margin;
    this.runs = runs.map((run) => {
      const x = next;
      next += (run.to - run.from) * this.scale + CUT_WIDTH;
      return { ...run, x };
    });
    this.width = this.endOf(this.runs.at(-1)) + margin[1];
  }

  private endOf(run: Run | undefined): number {
    return run === undefined ? this.margin[0] : run.x + (run.to - run.from) * this.scale;
  }

  /** @returns the place of a time, in pixels */
  at(time: number): number {
    let low = 0;
    let high = this.runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.runs[middle]?.from ?? 0) <= time) low = middle;
      else high = middle - 1;
    }
    const run = this.runs[low];
    if (run === undefined) return this.margin[0];
    const since = Math.max(0, Math.min(time, run.to) - run.from);
    return run.x + since * this.scale;
  }

  /** The pauses that are cut out of a part of the axis. */
  cuts(left: number, right: number): readonly (Tick & { readonly width: number })[] {
    return this.runs
      .slice(1)
      .map(({ from, x }, index) => {
        const says = milliseconds(from - (this.runs[index]?.to ?? 0));
        return { x: x - CUT_WIDTH, width: CUT_WIDTH, says };
      })
      .filter(({ x }) => x + CUT_WIDTH > left && x < right);
  }

  /** The numbers below a part of the axis, in milliseconds from the first event. */
  ticks(left: number, right: number): readonly Tick[] {
    const first = this.runs[0]?.from ?? 0;
    const step = niceStep(TICK_WIDTH / this.scale);
    const ticks: Tick[] = [];
    for (const run of this.runs) {
      const end = this.endOf(run);
      if (end < left || run.x > right) continue;
      const last = (run.to - first) / step + 1e-6;
      for (let at = Math.ceil((run.from - first) / step - 1e-6); at <= last; at += 1) {
        const x = this.at(first + at * step);
        const isFree = x >= (ticks.at(-1)?.x ?? -Infinity) + TICK_WIDTH - 1;
        const isBeside = x < run.x + TICK_BESIDE || x > end - TICK_BESIDE;
        if (x < left || x > right || !isFree || isBeside) continue;
        ticks.push({ x, says: String(Number((at * step).toFixed(3))) });
      }
    }
    return ticks;
  }
}

/** @returns 1, 2 or 5 times a power of ten, not below the least */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((one) => one * power >= least - 1e-9) ?? 10);
}
