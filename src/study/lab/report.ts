/** Both outcomes of an experiment, side by side, on 80 columns. */
import { printable } from '../../text/text';
import type { Experiment } from '../experiments';
import type { Outcome } from './play';

const LABEL_WIDTH = 10;
const SIDE_WIDTH = 32;
const TABLE_WIDTH = 80;
/** The most characters of a line that are shown. */
const WIDEST = 200;
/** The most lines of a cell. */
const LINES_LIMIT = 12;

/** @returns a table: what each client prints, what was handled, and what the proxy did; and
 * below it what is different without the defence */
export function compareOutcomes(
  { clients, outcome }: Pick<Experiment, 'clients' | 'outcome'>,
  kept: Outcome,
  removed: Outcome,
): string {
  const rows = [row('', ['with the defence'], ['without it'])];
  for (const [at, output] of kept.outputs.entries()) {
    const name = clients[at]?.who ?? 'program';
    rows.push(row(name, shorten(output), shorten(removed.outputs[at] ?? '')));
  }
  rows.push(row('handled', handled(kept), handled(removed)));
  if (kept.proxy !== '') rows.push(row('proxy', proxied(kept), proxied(removed)));
  const line = [LABEL_WIDTH, SIDE_WIDTH + 2, SIDE_WIDTH + 1]
    .map((width) => '-'.repeat(width))
    .join('+');
  const sentence = `Without the defence, ${outcome}.`;
  return `${rows.join(`${line}\n`)}\n${wrap(sentence, TABLE_WIDTH).join('\n')}`;
}

/** The status line and the content of each response. */
function shorten(output: string): string[] {
  const text = output
    .replace(/(?<=HTTP\/1\.1 .*\n)(?:[\w-]+: .*(?:\n|$))+\n?/g, '')
    .replace(/(?<=.)(?=HTTP\/1\.1 \d)/g, '\n'); // content has no line end
  return text === '' ? ['nothing'] : text.split('\n');
}

function handled({ log, turns }: Outcome): string[] {
  const lines = log.trimEnd().split('\n');
  if (turns > LINES_LIMIT) return [`${turns} requests`];
  return turns === 0 ? ['nothing'] : lines;
}

/** The requests and responses of the proxy, without the places where it cuts the bytes. */
function proxied({ proxy }: Outcome): string[] {
  return proxy.split('\n').filter((line) => /^(?:p\d|--)/.test(line));
}

/** A row of the table, as many lines as its longer cell has. */
function row(label: string, left: readonly string[], right: readonly string[]): string {
  const cells = [left, right].map((lines) => {
    const wrapped = lines.flatMap((text) => wrap(text));
    const more = wrapped.length - LINES_LIMIT;
    return more > 0 ? [...wrapped.slice(0, LINES_LIMIT), `(${more} more lines)`] : wrapped;
  });
  const count = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => {
    const name = (at === 0 ? label : '').padEnd(LABEL_WIDTH);
    const [one = '', other = ''] = cells.map((lines) => lines[at] ?? '');
    return `${name}| ${one.padEnd(SIDE_WIDTH)} | ${other}`.trimEnd() + '\n';
  }).join('');
}

/** Breaks a line at its spaces, where it has some. */
function wrap(line: string, width = SIDE_WIDTH): string[] {
  const escaped = /[^ -~]/.test(line) ? printable(line, WIDEST) : line;
  const piece = new RegExp(`.{1,${width}}(?: |$)|.{1,${width}}`, 'g');
  return escaped.match(piece)?.map((text) => text.trimEnd()) ?? [''];
}
