/** How figures are taken and shown: tables on standard output, progress on standard
 * error. */
import { cpus, release } from 'node:os';
import { pinned } from './processes';

export interface Subject<F> {
  readonly name: string;
  readonly measure: () => F | Promise<F>;
}

export interface Column<F> {
  readonly head: string;
  readonly of: (figure: F) => number;
  readonly digits?: number;
  /** The head of a further column, of ratios. */
  readonly ratio?: string;
}

/** Measures the subjects in turn, round after round: what slows the machine down for a
 * while slows all of them. The first round warms up and is not counted. The table has the
 * median of each figure. Where a column says so, the first subject's figure is divided by
 * that of each other subject, round by round, and the table has the median, the smallest
 * and the largest ratio. */
export async function compare<F>(
  title: string,
  rounds: number,
  subjects: readonly Subject<F>[],
  columns: readonly Column<F>[],
): Promise<void> {
  const figures = subjects.map((): F[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    progress(`${title}: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`);
    for (const [at, { measure }] of subjects.entries()) {
      const figure = await measure();
      if (round > 0) figures[at]?.push(figure);
    }
  }
  const rows = subjects.map(({ name }, at) => {
    const cells = columns.flatMap(({ of, digits, ratio }) => {
      const [first = [], own = []] = [figures[0]?.map(of), figures[at]?.map(of)];
      const middle = number(median(own), digits);
      return ratio === undefined ? [middle] : [middle, at === 0 ? '' : ratios(first, own)];
    });
    return [name, ...cells];
  });
  const heads = columns.flatMap(({ head, ratio }) =>
    ratio === undefined ? [head] : [head, ratio],
  );
  table([title, ...heads], rows);
}

function ratios(dividends: readonly number[], divisors: readonly number[]): string {
  const all = dividends.map((dividend, round) => dividend / (divisors[round] ?? NaN));
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return `${number(median(all), 2)} (${number(least, 2)} to ${number(most, 2)})`;
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? NaN;
}

export function number(value: number, digits = 0): string {
  if (Number.isNaN(value)) return '?';
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString('en', options);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  const format = (row: readonly string[]): string => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `${cells.join('   ').trimEnd()}\n`;
  };
  progress('');
  process.stdout.write(`${all.map(format).join('')}\n`);
}

/** Overwrites one line on a terminal, and writes a line each time elsewhere. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '') process.stderr.write(`${text}\n`);
}

/** The nanoseconds of processor time of this process: what others do meanwhile does not
 * count. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

export function machine(): string {
  const models = [...new Set(cpus().map(({ model }) => model.trim()))].join(', ');
  const software = `Node ${process.version}, V8 ${process.versions.v8}`;
  const hardware = `${process.platform} ${release()} ${process.arch}, ${cpus().length} × ${models}`;
  const binding = pinned
    ? 'servers on processor 0, load generator on processor 1'
    : 'no process is bound to a processor';
  return `${software}, ${hardware}; ${binding}`;
}
