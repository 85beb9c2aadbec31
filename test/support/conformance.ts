/** The parts of the conformance page that are written by a program: each stands between a
 * mark with its name and a mark for its end. The tables of the cases come from
 * src/study/cases.ts, and README=write npm test writes them; `npm run probe:servers`
 * writes what other servers do. */
import { riskIn } from '../../src/trace/risk';
import type { Case, Group, RejectedCase } from '../../src/study/cases';
import { readCase, requestOf, VALID_GROUPS } from '../../src/study/cases';
import { EXPERIMENTS } from '../../src/study/experiments';
import { escape } from '../../src/text/text';
import { Page, toAnchor } from './page';

const PAGE = new Page('test/CONFORMANCE.md');

/** @returns a part of the page, without its marks */
export function readPart(name: string): string {
  const part = new RegExp(`<!-- ${name} -->\n([^]*?)\n<!-- end -->`).exec(PAGE.text)?.[1];
  if (part === undefined) throw new Error(`CONFORMANCE.md has no part "${name}"`);
  return part;
}

export function writePart(name: string, text: string): void {
  PAGE.replace(readPart(name), text);
}

/** The table of what this server rejects in a group. Cases that get the same sentence from
 * the same authority share a row. */
export function formatRejected({ cases }: Group<RejectedCase>): string {
  const rows = new Map<string, RejectedCase[]>();
  for (const one of cases) {
    const row = `${one.what} ${one.status} ${one.authority}`;
    rows.set(row, [...(rows.get(row) ?? []), one]);
  }
  const head = formatRow('What is wrong', 'Authority', 'Cases');
  return [head, '|---|---|---|', ...Array.from(rows.values(), formatRejectedRow)].join(
    '\n',
  );
}

/** @param cases with the same sentence, status and authority */
function formatRejectedRow(cases: readonly RejectedCase[]): string {
  const joined = (format: (one: RejectedCase) => string, by: string): string =>
    [...new Set(cases.map(format))].join(by);
  const what = joined((one) => one.what, '') + wrongLine(cases[0]);
  const status = joined((one) => (one.status === 400 ? '' : `${one.status}: `), '');
  const authority = joined((one) => one.authority.replace(/choice$/, 'choice,'), '');
  const ruling = `${status}${authority} ${joined(cite, ' and ')}${joined(labLink, '')}`;
  const names = joined(({ name }) => `\`${name}\``, ', ');
  return formatRow(what, ruling, names);
}

/** What is wrong only beside something else, so its line would not show it. */
const WRONG_BESIDE = /^More than one (?!space)|^The data of a chunk| HTTP\/1\.0| together /;

/** The line with the wrong byte, such as ": `Host : a`"; of a request line only the target,
 * if the rest is right. A line that is too long for a table is not shown. */
function wrongLine(one: RejectedCase | undefined): string {
  if (one === undefined || one.bytes.includes(' × ') || WRONG_BESIDE.test(one.what))
    return '';
  const { ending, wrong } = readCase(one);
  if (wrong === undefined || ending === 'close' || one.needs !== undefined) return '';
  const request = requestOf(one);
  let start = request.lastIndexOf('\n', wrong - 1) + 1;
  // White space at the start of a line is wrong because of the line before it.
  if (request[start] === ' ' && start > 1) start = request.lastIndexOf('\n', start - 2) + 1;
  const [, line = '', end = ''] = /^(.*?)(\r?\n(?! )|$)/s.exec(request.slice(start)) ?? [];
  const [, target = line] = /^\S+ (\S|\S.*\S) HTTP\/1\.1$/.exec(line) ?? [];
  const shown = end === '\r\n' && !line.endsWith(' ') ? target : line + end;
  return shown && `: \`${escape(shown)}\``;
}

/** The valid requests: a line for each, in groups. */
export function formatValid(): string {
  return VALID_GROUPS.map(({ title, cases }) => {
    const width = Math.max(...cases.map(({ name }) => name.length));
    const lines = cases.map(({ alsoRight, name, what }) => {
      const others = alsoRight === undefined ? '' : ` (or ${alsoRight.join(', ')})`;
      return `${name.padEnd(width)}  ${what}${others}`;
    });
    const name = title.replace(/^Valid (.)/, (_, first: string) => first.toUpperCase());
    return [`**${name}:**`, '', '```text', ...lines, '```'].join('\n');
  }).join('\n\n');
}

const formatRow = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
const cite = ({ section }: Pick<Case, 'section'>): string => section.replace(' ', ' §');

/** A link to the experiment that shows how the request is read elsewhere, if it is. */
function labLink(one: Case): string {
  const risk = riskIn(requestOf(one), undefined);
  if (risk?.experiment === undefined) return '';
  const { number, title } = EXPERIMENTS[risk.experiment - 1] ?? {};
  const anchor = toAnchor(`${number}. ${title}`);
  return ` ([lab ${risk.experiment}](../src/LAB.md#${anchor}))`;
}
