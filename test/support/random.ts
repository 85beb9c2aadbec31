/** Random choices that can be repeated: the same seed makes the same choices
 * (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** @returns a whole number from 0 to `limit` - 1 */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  onceIn(count: number): boolean {
    return this.below(count) === 0;
  }

  oneOf<T>(all: readonly T[]): T {
    for (const one of all.slice(this.below(all.length))) return one;
    throw new Error('nothing to choose from');
  }

  /** Cuts bytes into pieces, none of them empty. */
  cut(whole: Buffer): Buffer[] {
    const longest = this.oneOf([2, 8, 100, 2000]);
    const pieces: Buffer[] = [];
    for (let at = 0, end = 0; at < whole.length; at = end) {
      end = at + 1 + this.below(longest);
      pieces.push(whole.subarray(at, end));
    }
    return pieces;
  }
}
