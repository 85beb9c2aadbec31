/** The section of the conformance page that says what clients do, as Markdown. */
import { expand, readScript } from '../../src/study/bytes';
import type { ReplyCase } from '../../src/study/reply/cases';
import { judgeResponse } from '../../src/study/reply/judgement';
import { escape } from '../../src/text/text';

/** A client, and what it did with the cases. */
export interface Tried {
  readonly name: string;
  readonly version: string;
  /** As resultOf() says it. */
  readonly results: ReadonlyMap<ReplyCase, string>;
}

const RIGHT_CONTENT = 'takes it';
const REJECTS = 'rejects';
const WAITS = 'waits';

/** What a client that takes a case should get. */
function contentOf(one: ReplyCase): string | undefined {
  const { bytes, ending } = readScript(expand(one.script));
  const final = judgeResponse(bytes, { ending }).responses.find(
    ({ isInterim }) => !isInterim,
  );
  return final?.content;
}

/** @param printed by a client: for each of two requests a line with the content, the status
 * and what went wrong; of the second, the response is "hello"
 * @returns what it did, in a few words */
export function resultOf(one: ReplyCase, printed: string): string {
  const [, content = '', , problem, rest = ''] =
    /^([^|]*)\|([^|]*)\|([^\n]*)\n([^]*)$/.exec(printed) ?? [];
  if (problem === undefined) return WAITS;
  if (problem !== '') return REJECTS;
  const expected = contentOf(one);
  const taken = content === expected ? RIGHT_CONTENT : `takes "${escape(content)}"`;
  const isHello = /^(?:hello\||\|.*\|.+\n)/.test(rest) || rest === '';
  const [next = ''] = rest.split('|', 1);
  return isHello ? taken : `${taken}, then "${escape(next)}"`;
}

/** @returns what is wrong by the RFC with a result, or '' */
function findFault({ asks }: ReplyCase, result: string): string {
  if (result === WAITS) return '';
  if (result.includes(', then ')) return result;
  if (asks === 'MUST reject') return result === REJECTS ? '' : result;
  if (asks === 'MUST take' || asks === 'valid')
    return result === RIGHT_CONTENT ? '' : result;
  return '';
}

export function formatClients(
  cases: readonly ReplyCase[],
  clients: readonly Tried[],
  date: Date,
): string {
  const ofClient = ({ results }: Tried, some: readonly ReplyCase[]): number =>
    some.filter((one) => findFault(one, results.get(one) ?? '') !== '').length;
  const musts = cases.filter(({ asks }) => asks === 'MUST reject' || asks === 'MUST take');
  const valid = cases.filter(({ asks }) => asks === 'valid');
  const when = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  const rows = cases.flatMap((one) => {
    const faults = new Map<string, string[]>();
    for (const { name, results } of clients) {
      const fault = findFault(one, results.get(one) ?? '');
      if (fault !== '') faults.set(fault, [...(faults.get(fault) ?? []), name]);
    }
    if (faults.size === 0) return [];
    const instead = Array.from(faults, ([fault, names]) => {
      const isAll = names.length === clients.length;
      return `**${fault}**: ${isAll ? 'all' : names.join(', ')}`;
    });
    return [row(`\`${one.name}\``, one.asks, rule(one), instead.join('; '))];
  });
  return [
    `Tried on ${when}, ${clients.length} clients, ${cases.length} cases.`,
    '',
    row(
      'Client',
      `MUSTs broken, of ${musts.length}`,
      `Valid responses misread, of ${valid.length}`,
      'Waits for more than 8 s',
    ),
    '|---|---|---|---|',
    ...clients.map((client) =>
      row(
        `${client.name} ${client.version}`,
        String(ofClient(client, musts)),
        String(ofClient(client, valid)),
        String(cases.filter((one) => client.results.get(one) === WAITS).length),
      ),
    ),
    '',
    row('Case', 'A client', 'By', 'Instead'),
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function rule({ section }: ReplyCase): string {
  return section.replace(' ', ' §');
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
