/** How figures are taken, and how they are told: tables on standard output, progress on standard error. */
import { cpus, release } from 'node:os';
import { pinned } from './processes';

export interface Subject<F> {
  readonly name: string;
  readonly measure: () => F | Promise<F>;
  readonly goal?: string | undefined;
}

export interface Column<F> {
  readonly head: string;
  readonly of: (figure: F) => number;
  readonly digits?: number;
  /** The head of a further column, which divides. */
  readonly ratio?: string;
}

/**
 * Measures one subject after the other, then all of them again, and so on: what slows the machine down for a while slows them all. The first
 * round warms up, and is not counted. The table has the median of each figure; and, where a column says so, the first subject's figure divided
 * by that of each other, round by round: the median, the smallest and the largest.
 */
export async function compare<F>(title: string, rounds: number, subjects: readonly Subject<F>[], columns: readonly Column<F>[]): Promise<void> {
  const figures = subjects.map((): F[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    progress(`${title}: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`);
    for (const [at, { measure }] of subjects.entries()) {
      const figure = await measure();
      if (round > 0) figures[at]?.push(figure);
    }
  }
  const rows = subjects.map(({ name, goal = '' }, at) => {
    const cells = columns.flatMap(({ of, digits, ratio }) => {
      const [first = [], own = []] = [figures[0]?.map(of), figures[at]?.map(of)];
      const middle = number(median(own), digits);
      return ratio === undefined ? [middle] : [middle, at === 0 ? '' : quotients(first, own)];
    });
    return [name, ...cells, goal];
  });
  table([title, ...columns.flatMap(({ head, ratio }) => (ratio === undefined ? [head] : [head, ratio])), subjects.some(({ goal }) => goal) ? 'goal' : ''], rows);
}

function quotients(dividends: readonly number[], divisors: readonly number[]): string {
  const all = dividends.map((dividend, round) => dividend / (divisors[round] ?? NaN));
  return `${number(median(all), 2)} (${number(Math.min(...all), 2)} to ${number(Math.max(...all), 2)})`;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? NaN;
}

export function number(value: number, digits = 0): string {
  return Number.isNaN(value) ? '?' : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('   ');
  progress('');
  process.stdout.write(`${[head, ...rows].map((row) => `${line(row).trimEnd()}\n`).join('')}\n`);
}

/** On a terminal one line that is written over, elsewhere a line each time. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}

/** Nanoseconds of processor time that this process has used: it does not count what others do meanwhile. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

export function machine(): string {
  const models = [...new Set(cpus().map(({ model }) => model.trim()))].join(', ');
  const where = pinned ? 'servers on processor 0, load generator on processor 1' : 'no process is bound to a processor';
  return `Node ${process.version}, V8 ${process.versions.v8}, ${process.platform} ${release()} ${process.arch}, ${cpus().length} × ${models}; ${where}`;
}
