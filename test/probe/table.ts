/** The section of the conformance page that says what other servers do, as Markdown. */
import type { Authority } from '../../src/http/protocol-error';
import { isValid, type Case, type Group } from '../../src/study/cases';
import { isGap, judge, type Reading } from '../../src/study/probe/reading';

/** A server, and how it has read the cases. */
export interface Probed {
  readonly name: string;
  readonly version: string;
  readonly readings: ReadonlyMap<Case, Reading>;
}

/** @param groups the cases, with the headings of the page
 * @param ours how this server has read them
 * @returns the tables, without the text around them */
export function formatServers(
  groups: readonly Group[],
  ours: ReadonlyMap<Case, Reading>,
  servers: readonly Probed[],
  date: Date,
): string {
  const cases = groups.flatMap((group) => group.cases);
  const sent = cases.filter((one) => servers.some(({ readings }) => readings.has(one)));
  const differing = sent.filter((one) =>
    servers.some(({ readings }) => !isAlike(ours.get(one), readings.get(one))),
  );
  const wrong = differing.filter((one) =>
    servers.some(({ readings }) => judgeOf(one, readings.get(one)) !== ''),
  );
  const rejected = wrong.filter(isValid);
  const accepted = wrong.filter((one) => !isValid(one));
  const when = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  return [
    [
      `Probed on ${when}, ${servers.length} servers, ${sent.length} cases.`,
      ...servers.slice(0, 1).map((server) => readAloud(sent, server)),
    ].join(' '),
    '',
    ...formatOverview(sent, ours, servers),
    '',
    `In ${sent.length - differing.length} of the ${sent.length} cases all of them do what this ` +
      `server does. In ${differing.length - wrong.length} some do something else, which the RFC ` +
      `allows. In ${rejected.length} some reject a valid request. In ${accepted.length} some ` +
      'accept what MUST be rejected:',
    '',
    formatRow(['MUST be rejected', 'Instead']),
    '|---|---|',
    ...accepted.map((one) =>
      formatRow([`\`${one.name}\``, formatOutcomes(one, ours.get(one), servers)]),
    ),
  ].join('\n');
}

/** The first row of the first table, in words. */
function readAloud(cases: readonly Case[], { name, readings }: Probed): string {
  const musts = cases.filter(isMust);
  const valid = cases.filter(isValid);
  const accepted = musts.filter((one) => readings.get(one)?.result === 'accepted');
  const rejected = valid.filter((one) => judgeOf(one, readings.get(one)) === 'rejected');
  return (
    `For example, ${name} accepts ${accepted.length} of the ${musts.length} cases that it MUST ` +
    `reject, and rejects ${rejected.length} of the ${valid.length} valid ones.`
  );
}

/** A line for each server. */
function formatOverview(
  cases: readonly Case[],
  ours: ReadonlyMap<Case, Reading>,
  servers: readonly Probed[],
): string[] {
  const count = (test: (one: Case) => boolean): number => cases.filter(test).length;
  const musts = count(isMust);
  const optional = count(isOptional);
  const valid = count(isValid);
  const headings = [
    'Server',
    `MUSTs broken, of ${musts}`,
    `Valid requests rejected, of ${valid}`,
    `Accepts what it may reject, of ${optional}`,
    'Gaps to this server',
  ];
  return [
    formatRow(headings),
    '|---|---|---|---|---|',
    ...servers.map(({ name, version, readings }) => {
      const judged = (verdict: string) =>
        count((one) => verdict === judgeOf(one, readings.get(one)));
      const accepts = count(
        (one) => isOptional(one) && readings.get(one)?.result === 'accepted',
      );
      const gaps = cases
        .filter((one) => isGapBetween(ours.get(one), readings.get(one)))
        .map((one) => `\`${one.name}\``);
      const cells = [
        judged('broken'),
        judged('rejected'),
        accepts,
        gaps.join(', ') || 'none',
      ];
      return formatRow([`${name} ${version}`, ...cells]);
    }),
  ];
}

/** @returns what servers do differently from this one, each with the names of those that do
 * it */
function formatOutcomes(
  one: Case,
  own: Reading | undefined,
  servers: readonly Probed[],
): string {
  const namesOf = new Map<string, string[]>();
  for (const { name, readings } of servers) {
    const reading = readings.get(one);
    if (isAlike(own, reading)) continue;
    const outcome = formatCell(one, reading);
    namesOf.set(outcome, [...(namesOf.get(outcome) ?? []), name]);
  }
  return [...namesOf]
    .sort(([, some], [, others]) => others.length - some.length)
    .map(([outcome, names]) => `${outcome}: ${formatNames(names, servers)}`)
    .join('; ');
}

function formatNames(names: readonly string[], servers: readonly Probed[]): string {
  const others = servers.map(({ name }) => name).filter((name) => !names.includes(name));
  if (others.length === 0) return 'all';
  return others.length < names.length / 3
    ? `all but ${others.join(', ')}`
    : names.join(', ');
}

const formatRow = (cells: readonly (string | number)[]): string =>
  `| ${cells.join(' | ')} |`;

/** The statuses; × for a connection that is closed without one; ... where the next request
 * got no response of its own. What is wrong by the RFC is bold. */
function formatCell(one: Case, reading: Reading | undefined): string {
  if (reading === undefined) return 'not sent';
  const { result, statuses, end, note } = reading;
  if (result === 'unreadable') return note;
  if (result === 'silent') return result;
  const text = [...statuses, ...(end === 'lost' ? ['...'] : [])].join(' ') || '×';
  return judge(one, reading) === '' ? text : `**${text}**`;
}

/** Whether two servers have made the same of a case, whatever status they have for it. */
function isAlike(one: Reading | undefined, other: Reading | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.result === 'unclear' || other.result === 'unclear') return true;
  return (
    one.result === other.result &&
    one.requests === other.requests &&
    (one.end === 'lost') === (other.end === 'lost') &&
    !isGap(one, other)
  );
}

const rejectedAs =
  (authority: Authority) =>
  (one: Case): boolean =>
    !isValid(one) && one.authority === authority;
const isMust = rejectedAs('required by');
const isOptional = rejectedAs('allowed by');
const judgeOf = (one: Case, reading: Reading | undefined): string =>
  reading === undefined ? '' : judge(one, reading);
const isGapBetween = (one: Reading | undefined, other: Reading | undefined): boolean =>
  one !== undefined && other !== undefined && isGap(one, other);
