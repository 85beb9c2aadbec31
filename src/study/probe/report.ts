/** What the probe prints: a line for each case and a summary. */
import { count } from '../../text/text';
import { isValid, type Case, type Group } from '../cases';
import { isGap, judge, type Reading } from './reading';
import { RESPONSE_RULES } from './response-rules';
import type { Target } from './target';

/** One of the two servers that are compared. */
interface Side extends Omit<Target, 'read' | 'close'> {
  /** How it has read the cases; one that was not sent is missing. */
  readonly readings: ReadonlyMap<Case, Reading>;
}

export interface Report {
  readonly sides: readonly [ours: Side, theirs: Side];
  readonly groups: readonly Group[];
}

const LEGEND = `RFC: MUST (it has a server reject this), may (it lets a server reject this),
ours (valid, but this server has a limit or is stricter), valid. After the
status of each response: open (the next request on the connection got its own
response), closed (the server closed before that), lost (the next request got
no response). silent: there was no response at all. ?: it responds to every
POST before it has read the content, and closes, so nobody sees how it reads.
!: wrong by the RFC.
`;
const OURS = `this server: the protocol layer of this package, with a service that responds
with 200 to every request. (npm start serves tasks with the same layer.)
`;
/** If the terminal is at least this wide, a line also says what the case is about. */
const WIDE = 120;
const RULES = { 'required by': 'MUST', 'allowed by': 'may', 'our choice': 'ours' } as const;

/** @param columns how wide the terminal is */
export const formatText = (report: Report, columns: number): string =>
  `${formatTable(report, columns)}\n${formatSummary(report)}`;

function formatTable({ sides, groups }: Report, columns: number): string {
  const widths = [28, 5, 12, 12, 14, 3, 0];
  const formatRow = (...row: string[]): string =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(' ')
      .trimEnd();

  const lines = [
    `That server is ${sides[1].name}.`,
    '',
    formatRow('case', 'RFC', 'section', 'this server', 'that server'),
  ];
  for (const { title, cases } of groups) {
    lines.push('', title);
    for (const one of cases) {
      const cells = sides.map((side) => describeReading(one, side.readings.get(one)));
      const gap = hasGap(sides, one) ? 'GAP' : '';
      const what = columns >= WIDE ? one.what : '';
      lines.push(formatRow(`  ${one.name}`, ruleOf(one), one.section, ...cells, gap, what));
    }
  }
  return `${lines.join('\n')}\n\n${LEGEND}${OURS}`;
}

export const ruleOf = (one: Case): string =>
  isValid(one) ? 'valid' : RULES[one.authority];

/** @returns the statuses and what became of the connection, such as "400 closed" */
function describeReading(one: Case, reading: Reading | undefined): string {
  if (reading === undefined) return 'not sent';
  const { result, statuses, end, note } = reading;
  const unclear = result === 'unclear' ? ' ?' : '';
  const mark = judge(one, reading) === '' ? unclear : ' !';
  if (result === 'unreadable') return note.length > 14 ? result : note;
  return result === 'silent' ? result : [...statuses, end].join(' ') + mark;
}

function hasGap([left, right]: Report['sides'], one: Case): boolean {
  const [ours, theirs] = [left.readings.get(one), right.readings.get(one)];
  return ours !== undefined && theirs !== undefined && isGap(ours, theirs);
}

/** @returns what is wrong with that server, and where the two disagree */
function formatSummary({ sides, groups }: Report): string {
  const [, theirs] = sides;
  const cases = groups.flatMap((group) => group.cases);
  const gaps = cases.filter((one) => hasGap(sides, one));
  const between = `${count(gaps.length, 'gap')} between this server and that server:`;
  const parts = [
    summarizeSide(theirs, cases),
    gaps.length === 0
      ? 'No gap: where this server and that server both accept, they count alike.'
      : `${list(between, gaps)}
Both accept these bytes, and disagree on where a request or its response ends. If one
of these servers stands before the other, this is how requests are smuggled.`,
  ];
  const [example] = [...findMistakes(theirs, cases), ...gaps];
  if (example !== undefined)
    parts.push(
      `To send one by hand: npm run probe -- ${theirs.address} --show ${example.name}`,
    );
  return `${parts.join('\n\n')}\n`;
}

const NOT_SENT = 'Not sent, because it takes an option that only this server has';

function summarizeSide(side: Side, cases: readonly Case[]): string {
  const { name, note, readings } = side;
  const sent = cases.filter((one) => readings.has(one));
  const special = cases.filter((one) => !isValid(one) && one.needs !== undefined);
  const resultOf = (one: Case): Reading['result'] | undefined => readings.get(one)?.result;
  const broken = findMistakes(side, cases, 'broken');
  const rejected = findMistakes(side, cases, 'rejected');
  // For a case that is our choice, silence may be right: the server waits for content of
  // many terabytes.
  const unclear = sent.filter(
    (one) => ruleOf(one) !== 'ours' && /silent|unreadable/.test(resultOf(one) ?? ''),
  );
  const hidden = sent.filter((one) => resultOf(one) === 'unclear');
  const faulty = RESPONSE_RULES.filter((rule) => breaks(side, rule.name));
  const isSeen = (one: Case): boolean => resultOf(one) !== 'unclear';
  const optional = sent.filter((one) => ruleOf(one) === 'may' && isSeen(one));
  const accepted = optional.filter((one) => resultOf(one) === 'accepted');
  const lines = [
    `${name}: ${count(sent.length, 'case')} sent`,
    special.length === 0 ? '' : `${NOT_SENT}: ${count(special.length, 'case')}.`,
    note,
    broken.length === 0
      ? 'It accepts nothing that a MUST rejects.'
      : list(`It breaks ${count(broken.length, 'MUST')}:`, broken),
    rejected.length === 0
      ? 'It rejects no valid request.'
      : list(`It rejects ${count(rejected.length, 'valid request')}:`, rejected),
    unclear.length === 0
      ? ''
      : list('It is silent, or does not send HTTP/1.x, after:', unclear),
    hidden.length === 0
      ? ''
      : `It responds to POST before it has read the content, and closes: how it reads\n` +
        `${count(hidden.length, 'case')} cannot be seen.`,
    ...faulty.map(
      ({ section, name: rule, what }) => `Its responses: RFC ${section} ${rule}: ${what}`,
    ),
    optional.length === 0
      ? ''
      : `It accepts ${accepted.length} of the ${count(optional.length, 'request')} ` +
        'that a server may reject.',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** @returns those of the cases that a server has read wrongly, by the RFC */
function findMistakes(
  { readings }: Side,
  cases: readonly Case[],
  kind?: 'broken' | 'rejected',
): Case[] {
  return cases.filter((one) => {
    const reading = readings.get(one);
    const mistake = reading === undefined ? '' : judge(one, reading);
    return mistake !== '' && (kind === undefined || kind === mistake);
  });
}

/** Whether a server has broken a rule for responses. */
function breaks({ readings }: Side, rule: string): boolean {
  return [...readings.values()].some(({ faults }) => faults.includes(rule));
}

const list = (heading: string, cases: readonly Case[]): string =>
  [
    heading,
    ...cases.map(
      ({ name, section, what }) => `  RFC ${section.padEnd(12)} ${name}: ${what}`,
    ),
  ].join('\n');

/** @returns whether that server breaks a MUST */
export function breaksMust({ sides: [, theirs], groups }: Report): boolean {
  const cases = groups.flatMap((group) => group.cases);
  return (
    findMistakes(theirs, cases, 'broken').length > 0 ||
    RESPONSE_RULES.some(({ isCertain, name }) => isCertain && breaks(theirs, name))
  );
}
