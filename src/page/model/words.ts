/** Numbers in words. Pure: it knows no page. */

/** @returns "1 byte", "1,000 bytes" */
export function count(number: number, what: string): string {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

/** @returns a time with three digits or so, and its unit */
export function milliseconds(time: number): string {
  if (time >= 10_000) return `${(time / 1000).toFixed(1)} s`;
  if (time >= 100) return `${Math.round(time).toLocaleString('en')} ms`;
  return `${time.toFixed(time >= 10 ? 1 : 2)} ms`;
}
