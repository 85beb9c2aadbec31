/** What the server had decided about a request at one step. Pure: it knows no page. */
import type { PageData, StepData } from '../page-data';
import { arrivedAt } from './rows';

export interface Fact {
  readonly term: string;
  /** A sentence of the trace, or one of ours. */
  readonly text: string;
}

/** The steps about each request, by its index. */
export function groupByRequest({ steps }: PageData): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const [index, { request }] of steps.entries()) {
    const group = groups.get(request);
    if (group === undefined) groups.set(request, [index]);
    else group.push(index);
  }
  return groups;
}

/** @param about the steps about the request
 * @param step what is told is what was known then */
export function describeFacts(
  data: PageData,
  request: number,
  about: readonly number[],
  step: number,
): Fact[] {
  const message = data.messages[request];
  if (message === undefined) return [];
  const find = (isFound: (step: StepData) => boolean): number | undefined =>
    about
      .filter((index) => {
        const found = data.steps[index];
        return index <= step && found !== undefined && isFound(found);
      })
      .at(-1);
  const happensLater = (verbs: readonly string[]): boolean =>
    about.some((index) => index > step && verbs.includes(data.steps[index]?.verb ?? ''));
  const isOver = find(({ verb }) => verb === 'gone') !== undefined;
  const isRejected = find(({ verb }) => verb === 'reject') !== undefined;
  const fact = (term: string, ...verbs: readonly string[]): Fact => {
    const found = find(({ verb }) => verbs.includes(verb));
    const lines = found === undefined ? undefined : data.steps[found]?.lines;
    if (lines !== undefined) return { term, text: lines.join('. ') };
    if (isRejected && !happensLater(verbs)) return { term, text: 'never: the request is rejected' };
    return { term, text: isOver ? 'never' : 'not yet' };
  };
  const arrived = arrivedAt(message, step);
  const total = arrivedAt(message, Infinity);
  const more = total > arrived ? `; ${total - arrived} more arrive later` : '';
  return [
    { term: 'Arrived', text: `${bytes(arrived)} of this request${more}` },
    waiting(data, find),
    fact('Content', 'frame'),
    fact('Connection', 'keep'),
    fact('Queue', 'queue', 'turn', 'block'),
    fact('Routed', 'route'),
    fact('End', 'close', 'linger', 'gone'),
  ];
}

/** What the server waits for, or waited for a moment earlier. */
function waiting(
  data: PageData,
  find: (is: (step: StepData) => boolean) => number | undefined,
): Fact {
  const wait = find(({ verb }) => verb === 'wait' || verb === 'idle');
  const read = find(({ verb }) => verb === 'read') ?? -1;
  const done = find(({ verb }) => verb === 'queue' || verb === 'reject');
  const step = wait === undefined ? undefined : data.steps[wait];
  if (wait === undefined || step === undefined) {
    return { term: 'Waiting', text: 'for nothing: all of it was here already' };
  }
  const [text = ''] = step.lines;
  if (done === undefined && read < wait) {
    return { term: 'Waiting', text: step.verb === 'idle' ? text : `the server waits ${text}` };
  }
  const waited = step.verb === 'idle' ? `the server was ${text}` : `the server waited ${text}`;
  return { term: 'Before', text: waited };
}

function bytes(count: number): string {
  return `${count} byte${count === 1 ? '' : 's'}`;
}
