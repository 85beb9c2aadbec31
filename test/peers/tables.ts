/** The parts of the conformance page that say what other servers and what clients do, as
 * Markdown. */
import { escape } from '../../src/text/text';
import { expand, readScript } from '../../src/study/bytes';
import { isValid, type Case, type Group } from '../../src/study/cases';
import { isGap, judge, type Reading } from '../../src/study/probe/reading';
import type { ReplyCase } from '../../src/study/reply/cases';
import { judgeResponse } from '../../src/study/reply/judgement';

/** A server or a client, and what came of each case. */
export interface Tried<One, Result> {
  readonly name: string;
  readonly version: string;
  readonly results: ReadonlyMap<One, Result>;
}

export type TriedServer = Tried<Case, Reading>;
/** Its results are as resultOf() words them. */
export type TriedClient = Tried<ReplyCase, string>;

const inWords = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

function row(...cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
}

function head(...cells: readonly string[]): string[] {
  return [row(...cells), `|${cells.map(() => '---|').join('')}`];
}

/** @param groups the cases, with the headings of the page
 * @param ours how this server has read them */
export function formatServers(
  groups: readonly Group[],
  ours: ReadonlyMap<Case, Reading>,
  servers: readonly TriedServer[],
  date: Date,
): string {
  const sent = groups
    .flatMap(({ cases }): readonly Case[] => cases)
    .filter((one) => servers.some(({ results }) => results.has(one)));
  const judged = (one: Case, { results }: TriedServer): string => {
    const reading = results.get(one);
    return reading === undefined ? '' : judge(one, reading);
  };
  const differing = sent.filter((one) =>
    servers.some(({ results }) => !isAlike(ours.get(one), results.get(one))),
  );
  const wrong = differing.filter((one) =>
    servers.some((server) => judged(one, server) !== ''),
  );
  const accepted = wrong.filter((one) => !isValid(one));
  const must = sent.filter((one) => !isValid(one) && one.authority === 'required by');
  const may = sent.filter((one) => !isValid(one) && one.authority === 'allowed by');
  const rows = servers.map((server) => {
    const { name, results, version } = server;
    const count = (verdict: string): number =>
      sent.filter((one) => judged(one, server) === verdict).length;
    const lenient = may.filter((one) => results.get(one)?.result === 'accepted');
    const gaps = sent.filter((one) => {
      const [own, other] = [ours.get(one), results.get(one)];
      return own !== undefined && other !== undefined && isGap(own, other);
    });
    const names = gaps.map((one) => `\`${one.name}\``).join(', ') || 'none';
    const counts = [count('broken'), count('rejected'), lenient.length];
    return row(`${name} ${version}`, ...counts, names);
  });
  return [
    `Probed on ${inWords(date)}, ${servers.length} servers, ${sent.length} cases.\n`,
    ...head(
      'Server',
      `MUSTs broken, of ${must.length}`,
      `Valid requests rejected, of ${sent.filter(isValid).length}`,
      `Accepts what it may reject, of ${may.length}`,
      'Gaps to this server',
    ),
    ...rows,
    `\nIn ${sent.length - differing.length} of the ${sent.length} cases all of them do what ` +
      `this server does. In ${differing.length - wrong.length} some do something else, which ` +
      `the RFC allows. In ${wrong.length - accepted.length} some reject a valid request. In ` +
      `${accepted.length} some accept what MUST be rejected:\n`,
    ...head('MUST be rejected', 'Instead'),
    ...accepted.map((one) => {
      const others = servers.filter(
        ({ results }) => !isAlike(ours.get(one), results.get(one)),
      );
      const outcomes = groupNames(others, ({ results }) =>
        formatReading(one, results.get(one)),
      );
      return row(`\`${one.name}\``, formatOutcomes(outcomes, servers));
    }),
  ].join('\n');
}

/** @returns for each outcome the names of the peers that have it */
function groupNames<Any extends { readonly name: string }>(
  peers: readonly Any[],
  outcomeOf: (peer: Any) => string,
): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const peer of peers) {
    const outcome = outcomeOf(peer);
    if (outcome !== '') names.set(outcome, [...(names.get(outcome) ?? []), peer.name]);
  }
  return names;
}

function formatOutcomes(
  outcomes: ReadonlyMap<string, readonly string[]>,
  all: readonly { readonly name: string }[],
): string {
  return Array.from(outcomes)
    .sort(([, some], [, others]) => others.length - some.length)
    .map(([outcome, names]) => {
      const others = all.flatMap(({ name }) => (names.includes(name) ? [] : [name]));
      const most = others.length < names.length / 3 && `all but ${others.join(', ')}`;
      return `${outcome}: ${others.length === 0 ? 'all' : most || names.join(', ')}`;
    })
    .join('; ');
}

/** The statuses; × for a connection that is closed without one; ... where the next request
 * got no response of its own. What is wrong by the RFC is bold. */
function formatReading(one: Case, reading: Reading | undefined): string {
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

const RIGHT_CONTENT = 'takes it';
const REJECTS = 'rejects';
const WAITS = 'waits';

/** @param printed by a client: for each of two requests a line with the content, the status
 * and what went wrong; of the second, the response is "hello"
 * @returns what it did, in a few words */
export function resultOf(one: ReplyCase, printed: string): string {
  const [, content = '', , problem, rest = ''] =
    /^([^|]*)\|([^|]*)\|([^\n]*)\n([^]*)$/.exec(printed) ?? [];
  if (problem === undefined) return WAITS;
  if (problem !== '') return REJECTS;
  const { bytes, ending } = readScript(expand(one.script));
  const { responses } = judgeResponse(bytes, { ending, methods: [one.method ?? 'GET'] });
  const expected = responses.find(({ isInterim }) => !isInterim)?.content;
  const taken = content === expected ? RIGHT_CONTENT : `takes "${escape(content)}"`;
  const isHello = /^(?:hello\||\|.*\|.+\n)/.test(rest) || rest === '';
  const [next = ''] = rest.split('|', 1);
  return isHello ? taken : `${taken}, then "${escape(next)}"`;
}

/** @returns what is wrong by the RFC with a result, or '' */
function findFault({ asks }: ReplyCase, result = ''): string {
  if (result === WAITS) return '';
  if (result.includes(', then ')) return result;
  if (asks === 'MUST reject') return result === REJECTS ? '' : result;
  const mustTake = asks === 'MUST take' || asks === 'valid';
  return mustTake && result !== RIGHT_CONTENT ? result : '';
}

export function formatClients(
  cases: readonly ReplyCase[],
  clients: readonly TriedClient[],
  date: Date,
): string {
  const must = cases.filter(({ asks }) => asks === 'MUST reject' || asks === 'MUST take');
  const valid = cases.filter(({ asks }) => asks === 'valid');
  return [
    `Tried on ${inWords(date)}, ${clients.length} clients, ${cases.length} cases.\n`,
    ...head(
      'Client',
      `MUSTs broken, of ${must.length}`,
      `Valid responses misread, of ${valid.length}`,
      'Waits for more than 8 s',
    ),
    ...clients.map(({ name, results, version }) => {
      const count = (some: readonly ReplyCase[]): number =>
        some.filter((one) => findFault(one, results.get(one)) !== '').length;
      const waits = cases.filter((one) => results.get(one) === WAITS).length;
      return row(`${name} ${version}`, count(must), count(valid), waits);
    }),
    '',
    ...head('Case', 'A client', 'By', 'Instead'),
    ...cases.flatMap((one) => {
      const outcomes = groupNames(clients, ({ results }) => {
        const fault = findFault(one, results.get(one));
        return fault && `**${fault}**`;
      });
      if (outcomes.size === 0) return [];
      const by = one.section.replace(' ', ' §');
      return [row(`\`${one.name}\``, one.asks, by, formatOutcomes(outcomes, clients))];
    }),
  ].join('\n');
}
