/** How an exchange spent its time, and what the server waited for. Pure: it knows no
 * page. */
import type { ExchangeData, PageData, ResponseData, StepData } from './page-data';
import { count, milliseconds } from '../../text/text';

/** What the server does with a request, or what the request waits for: more bytes, the one
 * before it on its connection, its turn, the responses that leave together with its own, or
 * a client that does not read. */
export type PhaseKind =
  'bytes' | 'behind' | 'queue' | 'batch' | 'block' | 'read' | 'turn' | 'reject';

/** What goes on from one step to another. */
export interface Phase {
  readonly kind: PhaseKind;
  readonly from: number;
  readonly to: number;
}

/** What goes on after a step. After any other, the same goes on as before it. */
const KINDS: { readonly [verb: string]: PhaseKind | undefined } = {
  open: 'bytes',
  wait: 'bytes',
  idle: 'bytes',
  read: 'read',
  parse: 'read',
  queue: 'queue',
  block: 'block',
  turn: 'turn',
  reject: 'reject',
};

/** 100 (Continue) is a response, but not the one that the request gets in the end. */
export function isFinal({ status }: ResponseData): boolean {
  return !status.startsWith('1');
}

/** @returns what went on until the response was written, or as long as there are steps */
export function phasesOf({ steps: all }: PageData, exchange: ExchangeData): Phase[] {
  const { responses, steps } = exchange;
  const last = responses.filter(isFinal).at(-1)?.arrivals[0]?.[0] ?? steps.at(-1) ?? 0;
  const phases: (Phase & { to: number })[] = [];
  const add = (kind: PhaseKind, from: number, to: number): void => {
    const before = phases.at(-1);
    if (before?.kind === kind) before.to = to;
    else phases.push({ kind, from, to });
  };
  let kind: PhaseKind = 'bytes';
  for (const [index, from] of steps.entries()) {
    const to = steps[index + 1] ?? from;
    const verb = all[from]?.verb ?? '';
    kind = KINDS[verb] ?? kind;
    if (from >= last || verb === 'close' || verb === 'gone') break;
    // A request that arrived with the one before waits until that is handled, and a
    // response waits for the others of its batch: the next step is about another exchange.
    const isOver = to > from + 1 && ['read', 'turn', 'route'].includes(verb);
    if (!isOver) add(kind, from, to);
    else if (verb === 'read') add('behind', from, to);
    else {
      add(kind, from, from + 1);
      add('batch', from + 1, to);
    }
  }
  return phases;
}

/** @returns the milliseconds from the first byte of the request to the last response */
export function durationOf(
  { steps }: PageData,
  exchange: ExchangeData,
): number | undefined {
  const from = steps[exchange.request.arrivals[0]?.[0] ?? -1]?.at;
  const last = exchange.responses.filter((one) => one.isSent && isFinal(one)).at(-1);
  const to = steps[last?.arrivals[0]?.[0] ?? -1]?.at;
  return from === undefined || to === undefined ? undefined : to - from;
}

export function timeBetween({ steps }: PageData, from: number, to: number): number {
  return (steps[to]?.at ?? 0) - (steps[from]?.at ?? 0);
}

/** @returns how long a wait took, or takes by now, and its limit */
export function describeWait(
  data: PageData,
  exchange: ExchangeData,
  step: number,
): { readonly text: string; readonly left?: number; readonly limit: number } | undefined {
  const { limit, verb } = data.steps[step] ?? {};
  if (limit === undefined) return undefined;
  const { seconds } = limit;
  // What is dropped while a connection lingers does not end that.
  const next = data.steps.findIndex(
    (one, at) =>
      at > step &&
      one.connection === exchange.connection &&
      !(verb === 'linger' && one.verb === 'drop'),
  );
  if (next >= 0) {
    const isOver = timeBetween(data, limit.from, next) > 1000 * seconds;
    const about = `The limit of ${seconds} s`;
    const usual = isOver ? `${about} was over.` : `The limit is ${seconds} s.`;
    const earlier = `${about} began at an earlier step${isOver ? ', and was over' : ''}.`;
    const again = `${about} begins again whenever the client reads.`;
    const limited = verb === 'block' ? again : limit.from < step ? earlier : usual;
    const spent = milliseconds(timeBetween(data, step, next));
    return { text: `This lasted ${spent}. ${limited}`, limit: seconds };
  }
  if (data.now === undefined) return undefined;
  const left = Math.max(0, seconds - (data.now - (data.steps[limit.from]?.at ?? 0)) / 1000);
  // Before the first byte of a request, there is nothing to respond to.
  const hasBegun = verb === 'wait' && exchange.request.arrivals.length > 0;
  const then = hasBegun ? 'then 408 and close' : 'then close';
  return {
    text: `${left.toFixed(1)} s left of ${count(seconds, 'second')}, ${then}`,
    left,
    limit: seconds,
  };
}

/** What the server waits for, in one line. */
interface Now {
  readonly when: string;
  readonly says: string;
  readonly more: string;
  readonly left?: number | undefined;
  readonly limit?: number | undefined;
}

/** @param chosen the step that is chosen
 * @param isHidden whether what came after it is not to be told
 * @returns what the server waits for: now, or at that step */
export function describeNow(
  data: PageData,
  exchange: ExchangeData,
  chosen: number,
  isHidden = false,
): Now {
  const { connection, steps } = exchange;
  const isLive = data.now !== undefined && !isHidden;
  // What is dropped while a connection lingers does not end that.
  const isState = (step: StepData | undefined): boolean =>
    step?.connection === connection && step.verb !== 'drop';
  let at = isLive ? data.steps.length - 1 : chosen;
  while (at >= 0 && !isState(data.steps[at])) at -= 1;
  const { lines: [line = ''] = [], verb = '' } = data.steps[at] ?? {};
  const who = connection === 0 ? 'The server' : `c${connection}`;
  const now = connection === 0 ? 'Now:' : `Now ${who}:`;
  const when = isLive ? now : `${who}, step ${steps.indexOf(chosen) + 1}:`;
  const what = line.replace(/ \(RFC.*|, \d+ s at most.*$/, '').replace(/^waiting /, '');
  switch (verb) {
    case 'wait':
    case 'idle':
    case 'block':
    case 'linger': {
      const { left, limit, text = '' } = describeWait(data, exchange, at) ?? {};
      const says = verb === 'linger' ? what : `the server waits ${what}`;
      return { when, says, more: text, left, limit };
    }
    case 'listen':
      return { when, says: 'the server waits for a client', more: '' };
    case 'queue':
      return { when, says: 'the request waits for its turn', more: what };
    case 'gone':
      return { when, says: 'the connection is over', more: whoClosed(data, at, what) };
    default: {
      const says = isHidden ? '?' : 'the server is not waiting for anything';
      return { when, says, more: '' };
    }
  }
}

/** @param what the event says: that the client closed, also where it followed our own close
 * @returns the same, after why the server closed first, if it did */
function whoClosed({ steps }: PageData, gone: number, what: string): string {
  const own = steps
    .slice(0, gone)
    .filter(({ connection }) => connection === steps[gone]?.connection);
  const first = own.find(({ verb }) => verb === 'close' || verb === 'end');
  if (first?.verb !== 'close') return what;
  const reason = first.lines[0]?.replace(/ \(RFC.*/, '') ?? '';
  return `the server closed its side first (${reason}), and then ${what}`;
}
