/** Where each step stands on the axis of time, and how an exchange spent its time. Pure: it
 * knows no page. */
import type { ExchangeData, PageData, ResponseData, StepData } from './page-data';
import { count, milliseconds } from './words';

/** A pause takes as much room as a step for each time that it is twice as long as this many
 * milliseconds: between steps of microseconds, a second would be the whole picture. */
const SHORT_PAUSE = 0.4;
/** A pause that is worth words, in milliseconds. */
const LONG_WAIT = 20;
const LONG_QUEUE = 0.8;

/** @returns the place of each step, from 0 to 1 */
export function placesOf(steps: readonly StepData[]): number[] {
  let sum = 0;
  const places = steps.map(({ at }, index) => {
    const pause = at - (steps[index - 1]?.at ?? at);
    if (index > 0) sum += 1 + 1.1 * Math.log2(1 + Math.max(0, pause) / SHORT_PAUSE);
    return sum;
  });
  return places.map((place) => place / Math.max(1, sum));
}

export type PhaseKind = 'wait' | 'read' | 'queue' | 'block' | 'turn' | 'reject';

/** What goes on from one step to another. */
export interface Phase {
  readonly kind: PhaseKind;
  readonly from: number;
  readonly to: number;
}

/** What goes on after a step: else it goes on as before. */
const KINDS: { readonly [verb: string]: PhaseKind | undefined } = {
  open: 'wait',
  wait: 'wait',
  idle: 'wait',
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
  let kind: PhaseKind = 'wait';
  for (const [index, from] of steps.entries()) {
    const to = steps[index + 1] ?? from;
    const verb = all[from]?.verb ?? '';
    kind = KINDS[verb] ?? kind;
    if (from >= last || verb === 'close' || verb === 'gone') break;
    // A request that arrived with the one before waits until that is handled, and a
    // response waits for the others of its batch: the next step is about another exchange.
    const isOver = to > from + 1 && ['read', 'turn', 'route'].includes(verb);
    if (!isOver) add(kind, from, to);
    else if (verb === 'read') add('wait', from, to);
    else {
      add(kind, from, from + 1);
      add('wait', from + 1, to);
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

/** @returns the one thing about the time of an exchange that is worth words, or '' */
export function remarkOn(data: PageData, exchange: ExchangeData): string {
  const first = exchange.request.arrivals[0]?.[0] ?? Infinity;
  const phases = phasesOf(data, exchange).filter(({ from }) => from >= first);
  const timeOf = (wanted: PhaseKind): number =>
    phases
      .filter(({ kind }) => kind === wanted)
      .reduce((time, { from, to }) => time + timeBetween(data, from, to), 0);
  if (exchange.rejection) return '\u2716 rejected';
  const [blocked, queued, waited] = [timeOf('block'), timeOf('queue'), timeOf('wait')];
  if (blocked > 0) return `${milliseconds(blocked)} not read by the client`;
  if (waited > LONG_WAIT && waited > queued) return `${milliseconds(waited)} waiting`;
  return queued > LONG_QUEUE ? `${milliseconds(queued)} in the queue` : '';
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
  const isPart = (at: number): boolean =>
    verb === 'linger' && data.steps[at]?.verb === 'drop';
  const next = exchange.steps.find((at) => at > step && !isPart(at));
  if (next !== undefined) {
    const isOver = timeBetween(data, limit.from, next) > 1000 * seconds;
    const limited =
      verb === 'block'
        ? `The limit of ${seconds} s begins again whenever the client reads.`
        : limit.from < step
          ? `The limit of ${seconds} s began at an earlier step${isOver ? ', and was over' : ''}.`
          : `The limit ${isOver ? `of ${seconds} s was over` : `is ${seconds} s`}.`;
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
