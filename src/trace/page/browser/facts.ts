/** What the server had decided about a request at one step. Pure: it knows no page. */
import type { MessageData, PageData, StepData } from '../page-data';
import { arrivedAt } from './rows';

/** What the server waited for, as a term. */
export const BEFORE = 'Before';

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
    if (isRejected && !happensLater(verbs))
      return { term, text: 'never: the request is rejected' };
    return { term, text: isOver ? 'never' : 'not yet' };
  };
  const arrived = arrivedAt(message, step);
  const total = arrivedAt(message, Infinity);
  const more = total > arrived ? `; ${total - arrived} more arrive later` : '';
  return [
    { term: 'Arrived', text: `${bytes(arrived)} of this request${more}` },
    waiting(data, message, about, step),
    fact('Content', 'frame'),
    isRejected ? closes(fact('Connection', 'keep')) : fact('Connection', 'keep'),
    fact('Queue', 'queue', 'turn', 'block'),
    fact('Routed', 'route'),
    fact('End', 'close', 'linger', 'gone'),
  ];
}

/** @param said what the request says of the connection */
function closes({ term, text }: Fact): Fact {
  const why = 'the server closes it, because the request is rejected';
  const isSaid = !text.startsWith('never');
  return { term, text: isSaid ? `${why}. The request itself says: ${text}` : why };
}

/** What the server waits for, or waited for a moment earlier. */
function waiting(
  data: PageData,
  message: MessageData,
  about: readonly number[],
  step: number,
): Fact {
  const wait = findWait(data, message, about, step);
  if (wait === undefined) {
    const isHere = arrivedAt(message, step) > 0;
    const text = isHere ? 'for nothing: all of it was here already' : 'for its first byte';
    return { term: 'Waiting', text };
  }
  if (wait.until === undefined)
    return { term: 'Waiting', text: `the server waits ${wait.text}` };
  return { term: BEFORE, text: `the server waited ${wait.text}` };
}

/** A wait of the server for more of a request. */
export interface Wait {
  readonly step: number;
  /** What it was for: "for the end of the request line (RFC 9112 section 3)". */
  readonly text: string;
  /** In milliseconds, as the steps have them. It is not over yet if `until` is undefined. */
  readonly from: number;
  readonly until: number | undefined;
  /** The bytes that had arrived, but were no whole line yet, and where they begin. */
  readonly begun: number;
  readonly next: number;
}

/** @returns the last wait for the request until a step, if there was one */
export function findWait(
  data: PageData,
  message: MessageData,
  about: readonly number[],
  step: number,
): Wait | undefined {
  const find = (from: number, verbs: readonly string[]): number | undefined =>
    about.find(
      (at) => at > from && at <= step && verbs.includes(data.steps[at]?.verb ?? ''),
    );
  const waits = about.filter(
    (at) => at <= step && ['wait', 'idle'].includes(data.steps[at]?.verb ?? ''),
  );
  const at = waits.at(-1);
  const found = data.steps[at ?? -1];
  if (at === undefined || found === undefined) return undefined;
  const over = find(at, ['read', 'queue', 'reject']);
  const next = arrivedAt(message, at);
  const read = message.parts.reduce(
    (end, [, offset, length, when]) => (when <= at ? Math.max(end, offset + length) : end),
    message.from,
  );
  return {
    step: at,
    text: (found.lines[0] ?? '').replace(/^waiting /, ''),
    from: found.at,
    until: data.steps[over ?? -1]?.at,
    begun: Math.max(0, next - read),
    next,
  };
}

function bytes(count: number): string {
  return `${count} byte${count === 1 ? '' : 's'}`;
}
