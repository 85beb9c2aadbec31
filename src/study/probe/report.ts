/** What the probe prints: a line for each case and a summary. */
import { count } from '../../text/text';
import { isValid, type Case } from '../cases';
import { isGap, judge, type Reading } from './reading';
import { RESPONSE_RULES } from './response-rules';
import type { Comparison, Row } from './target';

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
export function formatReport(compared: Comparison, columns: number): string {
  const lines = [
    `That server is ${compared.target.name}.\n`,
    formatCells('case', 'RFC', 'section', 'this server', 'that server'),
  ];
  for (const { title, rows } of compared.groups) {
    lines.push('', title, ...rows.map((row) => formatRow(row, columns)));
  }
  return `${lines.join('\n')}\n\n${LEGEND}\n${formatSummary(compared)}\n`;
}

function formatRow(row: Row, columns: number): string {
  const { one, ours, theirs } = row;
  return formatCells(
    `  ${one.name}`,
    ruleOf(row),
    one.section,
    formatReading(one, ours),
    formatReading(one, theirs),
    hasGap(row) ? 'GAP' : '',
    columns >= WIDE ? one.what : '',
  );
}

const WIDTHS = [28, 5, 12, 12, 14, 3, 0];
const formatCells = (...cells: string[]): string =>
  cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();

const ruleOf = ({ one }: Row): string => (isValid(one) ? 'valid' : RULES[one.authority]);

/** @returns the statuses and what became of the connection, such as "400 closed" */
function formatReading(one: Case, reading: Reading | undefined): string {
  if (reading === undefined) return 'not sent';
  const { result, statuses, end, note } = reading;
  const unclear = result === 'unclear' ? ' ?' : '';
  const mark = judge(one, reading) === '' ? unclear : ' !';
  if (result === 'unreadable') return note.length > 14 ? result : note;
  return result === 'silent' ? result : [...statuses, end].join(' ') + mark;
}

const hasGap = ({ ours, theirs }: Row): boolean =>
  ours !== undefined && theirs !== undefined && isGap(ours, theirs);

/** What is wrong by the RFC with how the other server has read a case. */
const faultOf = ({ one, theirs }: Row): string => (theirs ? judge(one, theirs) : '');

/** @returns what is wrong with that server, and where the two disagree */
function formatSummary({ groups, target }: Comparison): string {
  const all = groups.flatMap(({ rows }) => rows);
  const sent = all.filter(({ theirs }) => theirs !== undefined);
  const special = all.filter(({ one }) => one.needs !== undefined);
  const broken = sent.filter((row) => faultOf(row) === 'broken');
  const rejected = sent.filter((row) => faultOf(row) === 'rejected');
  // For a case that is our choice, silence may be right: the server waits for content of
  // many terabytes.
  const unclear = sent.filter(
    (row) => ruleOf(row) !== 'ours' && /silent|unreadable/.test(row.theirs?.result ?? ''),
  );
  const hidden = sent.filter(({ theirs }) => theirs?.result === 'unclear');
  const optional = sent.filter((row) => ruleOf(row) === 'may' && !hidden.includes(row));
  const accepted = optional.filter(({ theirs }) => theirs?.result === 'accepted');
  const gaps = sent.filter(hasGap);
  const [example] = [...sent.filter((row) => faultOf(row) !== ''), ...gaps];
  const ofServer = [
    `${target.name}: ${count(sent.length, 'case')} sent`,
    special.length > 0 && `${NOT_SENT}: ${count(special.length, 'case')}.`,
    target.note,
    list(`It breaks ${count(broken.length, 'MUST')}:`, broken) ||
      'It accepts nothing that a MUST rejects.',
    list(`It rejects ${count(rejected.length, 'valid request')}:`, rejected) ||
      'It rejects no valid request.',
    list('It is silent, or does not send HTTP/1.x, after:', unclear),
    hidden.length > 0 &&
      'It responds to POST before it has read the content, and closes: how it reads\n' +
        `${count(hidden.length, 'case')} cannot be seen.`,
    ...findBroken(sent).map(
      ({ section, name, what }) => `Its responses: RFC ${section} ${name}: ${what}`,
    ),
    optional.length > 0 &&
      `It accepts ${accepted.length} of the ${count(optional.length, 'request')} ` +
        'that a server may reject.',
  ];
  const between = `${count(gaps.length, 'gap')} between this server and that server:`;
  const command = `npm run probe -- ${target.address} --show ${example?.one.name}`;
  const parts = [
    ofServer.filter(Boolean).join('\n'),
    gaps.length === 0 ? NO_GAP : `${list(between, gaps)}\n${GAP}`,
    example && `To send one by hand: ${command}`,
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** @returns '' for no rows */
function list(heading: string, rows: readonly Row[]): string {
  const lines = rows.map(
    ({ one: { name, section, what } }) => `\n  RFC ${section.padEnd(12)} ${name}: ${what}`,
  );
  return rows.length === 0 ? '' : heading + lines.join('');
}

/** @returns the rules for responses that the other server has broken */
function findBroken(rows: readonly Row[]) {
  return RESPONSE_RULES.filter(({ name }) =>
    rows.some(({ theirs }) => theirs?.faults.includes(name)),
  );
}

/** @returns whether the other server breaks a MUST */
export function breaksMust({ groups }: Comparison): boolean {
  const rows = groups.flatMap((group) => group.rows);
  return (
    rows.some((row) => faultOf(row) === 'broken') ||
    // Only a server with a clock has to send Date, and nobody sees whether it has one.
    findBroken(rows).some(({ name }) => name !== 'date')
  );
}
