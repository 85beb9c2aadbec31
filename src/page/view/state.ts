/** What is chosen on the page, and how that changes. Pure: it knows no page. */
import { filterBy } from '../model/lanes';
import type { Message } from '../model/message';
import type { ExchangeData, PageData } from '../model/page-data';
import { compareRuns, type OtherRun, type RunsData } from '../model/runs';
import { judgeGuess } from '../model/sections';
import { isFinal } from '../model/times';

/** A byte of the request, or of the response with an index. */
export interface Place {
  readonly side: Message['side'];
  readonly offset: number;
}

export interface State {
  readonly data: PageData | undefined;
  readonly other: OtherRun | undefined;
  /** What each client received in either run, if there are two. */
  readonly comparison: RunsData | undefined;
  /** Which run the exchange is of: 0 for the first. */
  readonly run: number;
  readonly exchange: ExchangeData | undefined;
  readonly step: number;
  readonly byte: Place | undefined;
  /** The byte that the last change brings into sight. */
  readonly look: Place | undefined;
  /** Which exchanges the lanes show: "c1", "400", "DELETE". */
  readonly filter: string;
  readonly isPredicting: boolean;
  /** The exchanges whose outcome is shown already, while one predicts first. */
  readonly revealed: ReadonlySet<string>;
  /** What is said of a prediction. */
  readonly remark: string;
}

export const NOTHING: State = {
  data: undefined,
  other: undefined,
  comparison: undefined,
  run: 0,
  exchange: undefined,
  step: 0,
  byte: undefined,
  look: undefined,
  filter: '',
  isPredicting: false,
  revealed: new Set(),
  remark: '',
};

/** What names an exchange in the address: "4.1". A connection that has sent nothing yet has
 * the name of its first request. */
export function keyOf(exchange: ExchangeData | undefined): string {
  if (exchange === undefined) return '';
  return `${exchange.connection}.${Math.max(1, exchange.number)}`;
}

/** @returns the data of a run: of that of the exchange, if no other one is named */
export function dataOf(state: State, run = state.run): PageData | undefined {
  return run === 0 ? state.data : state.other?.data;
}

function find(data: PageData | undefined, key: string | null | undefined) {
  return data?.exchanges.find((one) => keyOf(one) === key);
}

/** Whether the outcome of an exchange is still hidden. */
export function isHidden(state: State, exchange: ExchangeData, run = state.run): boolean {
  const { isPredicting, revealed } = state;
  return isPredicting && exchange.number > 0 && !revealed.has(`${run} ${keyOf(exchange)}`);
}

/** @returns the steps that are shown: until the request is here, if one predicts the rest */
export function stepsOf(state: State): readonly number[] {
  const { exchange } = state;
  if (exchange === undefined || !isHidden(state, exchange)) return exchange?.steps ?? [];
  const arrived = exchange.request.arrivals.at(-1)?.[0] ?? 0;
  return exchange.steps.filter((step) => step <= arrived);
}

/** Goes to an exchange: to where it is rejected, at its wrong byte; or else to where its
 * response is written, or to its last step.
 * @param step if it is to be opened elsewhere */
export function open(state: State, exchange: ExchangeData, step?: number): State {
  const opened = { ...state, exchange, byte: undefined, look: undefined, remark: '' };
  const steps = stepsOf(opened);
  if (step !== undefined && steps.includes(step)) return go(opened, step);
  const last = steps.at(-1) ?? 0;
  const rejection = isHidden(state, exchange) ? undefined : exchange.rejection;
  if (rejection !== undefined)
    return choose(
      { ...opened, step: rejection.step },
      { side: 'request', offset: rejection.offset },
    );
  const written = exchange.responses.at(-1)?.arrivals[0]?.[0] ?? last;
  return { ...opened, step: Math.min(written, last) };
}

/** Goes to another step, and looks at what it changes. */
export function go(state: State, step: number): State {
  return { ...state, step, look: changeAt(state.exchange, step) };
}

/** @param way how many steps further, or back */
export function move(state: State, way: number): State {
  const steps = stepsOf(state);
  const to = beside(steps, steps.indexOf(state.step), way);
  return to === undefined ? state : go(state, to);
}

/** @returns what is so much further in a list, or its first or last */
function beside<T>(all: readonly T[], at: number, way: number): T | undefined {
  return all[Math.max(0, Math.min(all.length - 1, at + way))];
}

export function choose(state: State, byte: Place): State {
  return { ...state, byte, look: byte };
}

/** Goes to an exchange of a run, by its name. @param step if it is to be opened there */
export function openBy(state: State, run: number, key: string, step?: number): State {
  const exchange = find(dataOf(state, run), key);
  return exchange === undefined ? state : open({ ...state, run }, exchange, step);
}

/** @returns the exchanges of a run that the filter leaves */
export function shownOf(state: State, run: number): readonly ExchangeData[] {
  const { exchanges = [] } = dataOf(state, run) ?? {};
  return filterBy(exchanges, state.filter, (one) => isHidden(state, one, run));
}

/** @returns how many exchanges of clients the filter leaves, in all runs */
export function countShown(state: State): number {
  const all = [0, 1].flatMap((run) => shownOf(state, run));
  return all.filter(({ connection }) => connection > 0).length;
}

/** Goes to the exchange that is above or below in the lanes of a run. */
export function moveInLanes(state: State, run: number, way: number): State {
  const shown = shownOf(state, run);
  const chosen = run === state.run ? keyOf(state.exchange) : '';
  const at = shown.findIndex((one) => keyOf(one) === chosen);
  const to = beside(shown, at, way);
  return to === undefined ? state : open({ ...state, run }, to);
}

export function predict(state: State, isPredicting: boolean): State {
  const next = { ...state, isPredicting, revealed: new Set<string>() };
  return next.exchange === undefined ? next : open(next, next.exchange);
}

/** Shows what became of the exchange. @param guess what was predicted, or '' */
export function reveal(state: State, guess: string): State {
  const { exchange, run } = state;
  const data = dataOf(state);
  if (data === undefined || exchange === undefined) return state;
  const revealed = new Set([...state.revealed, `${run} ${keyOf(exchange)}`]);
  const remark = guess === '' ? '' : judgeGuess(data, exchange, guess);
  return { ...open({ ...state, revealed }, exchange), remark };
}

/** Takes data that has grown. What is chosen stays chosen; at the last step of an exchange,
 * the page follows what happens, up to a rejection.
 * @param newest where it goes: to the last step of this exchange, unless it is chosen already
 * @param address where the page goes while nothing is chosen */
export function grow(
  state: State,
  data: PageData,
  newest: ExchangeData | undefined,
  address: string,
): State {
  const grown = withRuns(state, data, state.other);
  const { exchange: before, run, step } = state;
  const same = run > 0 ? before : find(data, before && keyOf(before));
  if (same === undefined) {
    const there = arrive(grown, address);
    if (newest === undefined || there.exchange === newest) return there;
  }
  const next = newest ?? same;
  if (next === undefined || next === before) return grown;
  const isFollowing = step === stepsOf(state).at(-1);
  const isRejected = next.rejection !== undefined && before?.rejection === undefined;
  if (next !== same || (isFollowing && isRejected)) return open({ ...grown, run: 0 }, next);
  const known = { ...grown, exchange: next };
  return isFollowing ? { ...known, step: stepsOf(known).at(-1) ?? step } : known;
}

/** Lays another run beside the first, or takes it away.
 * @param address where the page goes, if it says so */
export function compare(state: State, other: OtherRun | undefined, address: string): State {
  return arrive(withRuns(state, state.data, other), address);
}

/** Goes where an address says; or else to where two runs differ first, or to the first
 * rejection. */
function arrive(state: State, address: string): State {
  const { comparison, data } = state;
  const differing = comparison?.first?.map((one) => one?.exchange) ?? [];
  const run = Math.max(
    0,
    differing.findIndex((one) => one !== undefined),
  );
  const { exchanges = [] } = data ?? {};
  const rejected = exchanges.find(({ rejection }) => rejection);
  const exchange = differing[run] ?? rejected ?? exchanges[0];
  const begun = { ...state, run, exchange };
  const there = exchange === undefined ? begun : open(begun, exchange);
  const addressed = follow(state, address) ?? there;
  if (comparison === undefined || addressOf(addressed, '') !== addressOf(there, ''))
    return addressed;
  // What two runs have in common is said above their bytes.
  return { ...there, look: undefined };
}

function withRuns(
  state: State,
  data: PageData | undefined,
  other: OtherRun | undefined,
): State {
  const comparison = data && other && compareRuns(data, other);
  return { ...state, data, other, comparison };
}

/** Goes where an address says: "#x=4.1&step=9&byte=78".
 * @returns undefined where it says nothing */
export function follow(state: State, address: string): State | undefined {
  const wanted = new URLSearchParams(address.slice(1));
  const run = Number(wanted.get('run') ?? 1) - 1;
  const exchange = find(dataOf(state, run), wanted.get('x'));
  if (exchange === undefined) return undefined;
  const opened = open({ ...state, run }, exchange);
  const step = stepsOf(opened)[Number(wanted.get('step') ?? NaN) - 1];
  const there = step === undefined ? opened : go(opened, step);
  const [, side, offset] = /^(?:(\d+):)?(\d+)$/.exec(wanted.get('byte') ?? '') ?? [];
  if (offset === undefined) return there;
  return choose(there, {
    side: side === undefined ? 'request' : Number(side),
    offset: Number(offset),
  });
}

/** @param address what else is in it stays
 * @returns the address of what is chosen */
export function addressOf(state: State, address: string): string {
  const { byte, exchange, run, step } = state;
  const parameters = new URLSearchParams(address.slice(1));
  if (exchange === undefined) return address;
  if (run === 0) parameters.delete('run');
  else parameters.set('run', String(run + 1));
  parameters.set('x', keyOf(exchange));
  parameters.set('step', String(stepsOf(state).indexOf(step) + 1));
  const side = byte === undefined || byte.side === 'request' ? '' : `${byte.side}:`;
  if (byte === undefined) parameters.delete('byte');
  else parameters.set('byte', `${side}${byte.offset}`);
  return `#${parameters}`;
}

/** @returns where the bytes begin that arrived, were parsed or were written at a step */
function changeAt(exchange: ExchangeData | undefined, step: number): Place | undefined {
  if (exchange === undefined) return undefined;
  const { rejection, request, responses } = exchange;
  const written = responses.findIndex(({ arrivals }) => arrivals[0]?.[0] === step);
  if (written >= 0) return { side: written, offset: 0 };
  const read = request.arrivals.findIndex(([at]) => at === step);
  const arrived =
    read < 0 ? undefined : Math.max(request.from, request.arrivals[read - 1]?.[1] ?? 0);
  const parsed = request.parts.find((part) => part.step === step)?.offset;
  const wrong = rejection?.step === step ? rejection.offset : undefined;
  const offset = wrong ?? parsed ?? arrived;
  return offset === undefined ? undefined : { side: 'request', offset };
}

/** Whether the response that one waits for is written. */
export function isAnswered({ responses }: ExchangeData, step: number): boolean {
  const written = responses.map(({ arrivals: [[at] = [0]] = [] }) => at);
  return responses.some(isFinal) && written.every((at) => at <= step);
}
