/** What the probe prints: a line for each case and a summary. */
import { count } from '../../text/text';
import { isValid, type Case } from '../cases';
import { isGap, judge, type Reading } from './reading';
import { RESPONSE_RULES } from './response-rules';
import type { Comparison, Readings } from './target';

const LEGEND = `RFC: MUST (it has a server reject this), may (it lets a server reject this),
ours (valid, but this server has a limit or is stricter), valid. After the
status of each response: open (the next request on the connection got its own
response), closed (the server closed before that), lost (the next request got
no response). silent: there was no response at all. ?: it responds to every
POST before it has read the content, and closes, so nobody sees how it reads.
!: wrong by the RFC.
this server: the protocol layer of this package, with a service that responds
with 200 to every request. (npm start serves tasks with the same layer.)
`;
const NOT_SENT = 'Not sent, because it takes an option that only this server has';
const NO_GAP = 'No gap: where this server and that server both accept, they count alike.';
const GAP = `Both accept these bytes, and disagree on where a request or its response ends. If one
of these servers stands before the other, this is how requests are smuggled.`;
/** If the terminal is at least this wide, a line also says what the case is about. */
const WIDE = 120;
const RULES = { 'required by': 'MUST', 'allowed by': 'may', 'our choice': 'ours' } as const;

/** @param columns how wide the terminal is */
export const formatReport = (compared: Comparison, columns: number): string =>
  `${formatTable(compared, columns)}\n${formatSummary(compared)}`;

function formatTable(
  { groups, ours, target, theirs }: Comparison,
  columns: number,
): string {
  const lines = [
    `That server is ${target.name}.\n`,
    formatRow('case', 'RFC', 'section', 'this server', 'that server'),
  ];
  for (const { title, cases } of groups) {
    lines.push('', title);
    for (const one of cases) {
      const cells = [ours, theirs].map((side) => describeReading(one, side.get(one)));
      const gap = hasGap(ours, theirs, one) ? 'GAP' : '';
      const what = columns >= WIDE ? one.what : '';
      lines.push(formatRow(`  ${one.name}`, ruleOf(one), one.section, ...cells, gap, what));
    }
  }
  return `${lines.join('\n')}\n\n${LEGEND}`;
}

const WIDTHS = [28, 5, 12, 12, 14, 3, 0];
const formatRow = (...row: string[]): string =>
  row
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();

const ruleOf = (one: Case): string => (isValid(one) ? 'valid' : RULES[one.authority]);

/** @returns the statuses and what became of the connection, such as "400 closed" */
function describeReading(one: Case, reading: Reading | undefined): string {
  if (reading === undefined) return 'not sent';
  const { result, statuses, end, note } = reading;
  const unclear = result === 'unclear' ? ' ?' : '';
  const mark = judge(one, reading) === '' ? unclear : ' !';
  if (result === 'unreadable') return note.length > 14 ? result : note;
  return result === 'silent' ? result : [...statuses, end].join(' ') + mark;
}

function hasGap(ours: Readings, theirs: Readings, one: Case): boolean {
  const [own, other] = [ours.get(one), theirs.get(one)];
  return own !== undefined && other !== undefined && isGap(own, other);
}

/** @returns what is wrong with that server, and where the two disagree */
function formatSummary(compared: Comparison): string {
  const { groups, ours, target, theirs } = compared;
  const cases = groups.flatMap((group) => group.cases);
  const gaps = cases.filter((one) => hasGap(ours, theirs, one));
  const between = `${count(gaps.length, 'gap')} between this server and that server:`;
  const [example] = [...findMistakes(compared, 'broken', 'rejected'), ...gaps];
  const command = `npm run probe -- ${target.address} --show ${example?.name}`;
  const parts = [
    summarizeServer(compared),
    gaps.length === 0 ? NO_GAP : `${list(between, gaps)}\n${GAP}`,
    ...(example === undefined ? [] : [`To send one by hand: ${command}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function summarizeServer(compared: Comparison): string {
  const { groups, target, theirs } = compared;
  const cases = groups.flatMap((group) => group.cases);
  const resultOf = (one: Case): Reading['result'] | undefined => theirs.get(one)?.result;
  const sent = cases.filter((one) => theirs.has(one));
  const special = cases.filter((one) => !isValid(one) && one.needs !== undefined);
  const broken = findMistakes(compared, 'broken');
  const rejected = findMistakes(compared, 'rejected');
  // For a case that is our choice, silence may be right: the server waits for content of
  // many terabytes.
  const unclear = sent.filter(
    (one) => ruleOf(one) !== 'ours' && /silent|unreadable/.test(resultOf(one) ?? ''),
  );
  const hidden = sent.filter((one) => resultOf(one) === 'unclear');
  const optional = sent.filter((one) => ruleOf(one) === 'may' && !hidden.includes(one));
  const accepted = optional.filter((one) => resultOf(one) === 'accepted');
  const when = (isSo: boolean, text: string): string => (isSo ? text : '');
  const lines = [
    `${target.name}: ${count(sent.length, 'case')} sent`,
    when(special.length > 0, `${NOT_SENT}: ${count(special.length, 'case')}.`),
    target.note,
    broken.length === 0
      ? 'It accepts nothing that a MUST rejects.'
      : list(`It breaks ${count(broken.length, 'MUST')}:`, broken),
    rejected.length === 0
      ? 'It rejects no valid request.'
      : list(`It rejects ${count(rejected.length, 'valid request')}:`, rejected),
    when(
      unclear.length > 0,
      list('It is silent, or does not send HTTP/1.x, after:', unclear),
    ),
    when(
      hidden.length > 0,
      'It responds to POST before it has read the content, and closes: how it reads\n' +
        `${count(hidden.length, 'case')} cannot be seen.`,
    ),
    ...findBroken(compared).map(
      ({ section, name, what }) => `Its responses: RFC ${section} ${name}: ${what}`,
    ),
    when(
      optional.length > 0,
      `It accepts ${accepted.length} of the ${count(optional.length, 'request')} ` +
        'that a server may reject.',
    ),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const list = (heading: string, cases: readonly Case[]): string => {
  const lines = cases.map(({ name, section, what }) => {
    return `\n  RFC ${section.padEnd(12)} ${name}: ${what}`;
  });
  return heading + lines.join('');
};

/** @returns the cases that the other server has read wrongly, by the RFC */
function findMistakes(
  { groups, theirs }: Comparison,
  ...kinds: ('broken' | 'rejected')[]
): readonly Case[] {
  return groups
    .flatMap((group) => group.cases)
    .filter((one) => {
      const reading = theirs.get(one);
      return reading !== undefined && kinds.some((kind) => kind === judge(one, reading));
    });
}

/** @returns the rules for responses that the other server has broken */
function findBroken({ theirs }: Comparison) {
  const faults = Array.from(theirs.values(), (reading) => reading.faults).flat();
  return RESPONSE_RULES.filter(({ name }) => faults.includes(name));
}

/** @returns whether the other server breaks a MUST */
export function breaksMust(compared: Comparison): boolean {
  return (
    findMistakes(compared, 'broken').length > 0 ||
    findBroken(compared).some(({ isCertain }) => isCertain)
  );
}
