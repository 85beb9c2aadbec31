/** Who sent what to whom, and when: a lane for each client, for the proxy if there is one,
 * and for the server. Pure: it knows no page. */
import type { ExchangeData, PageData } from './page-data';
import { durationOf, isFinal, phasesOf, type PhaseKind } from './times';
import { count, milliseconds } from './words';

/** All that lanes show; times are in milliseconds. */
export interface LanesData {
  /** The names of the lanes, from the top. */
  readonly names: readonly string[];
  readonly spans: readonly Span[];
  readonly arrows: readonly Arrow[];
  readonly boxes: readonly Box[];
  /** Of every event. */
  readonly times: readonly number[];
}

/** An exchange on the lane of its client. */
export interface Span {
  readonly exchange: ExchangeData;
  readonly lane: string;
  readonly from: number;
  readonly to: number;
  /** For the ear. */
  readonly says: string;
}

/** Bytes that go from one lane to another at the same time. */
export interface Arrow {
  readonly exchange: ExchangeData | undefined;
  readonly step: number;
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly says: string;
  readonly kind: 'request' | 'response' | 'bad';
}

/** What went on for a while. */
export interface Box {
  readonly exchange: ExchangeData | undefined;
  readonly lane: string;
  readonly kind: PhaseKind | 'left-over';
  readonly from: number;
  readonly to: number;
  readonly says: string;
}

export const SERVER = 'the server';
export const PROXY = 'the proxy';

/** What a wait is for, or what the server does; the rest is said by its place. */
export const PHASES: { readonly [K in PhaseKind]: string } = {
  bytes: 'waits for bytes',
  behind: 'behind another request',
  queue: 'in the queue',
  batch: 'waits for its batch',
  block: 'the client does not read',
  read: 'read',
  turn: 'handled',
  reject: 'rejected',
};

/** What the server itself does; the rest happens to a client. */
const OWN: readonly PhaseKind[] = ['read', 'turn', 'reject'];

/** @param exchanges those that are shown
 * @param isHidden whether it is not told yet what became of an exchange */
export function lanesOf(
  data: PageData,
  exchanges: readonly ExchangeData[],
  isHidden: (exchange: ExchangeData) => boolean,
): LanesData {
  const { proxy, steps } = data;
  const timeOf = (step: number | undefined): number => steps[step ?? -1]?.at ?? 0;
  const addresses = new Set(
    proxy.flatMap((event) => (event.type === 'connect' ? event.address : [])),
  );
  const laneOf = ({ connection, remote = '' }: ExchangeData): string =>
    connection === 0 ? SERVER : addresses.has(remote) ? PROXY : `c${connection}`;
  const spans: Span[] = [];
  const boxes: Box[] = [];
  const reads = new Map<string, Arrow & { bytes: number; more: number }>();
  const writes = new Map<string, Arrow & { bytes: number; statuses: string[] }>();

  for (const exchange of exchanges) {
    const { arrivals } = exchange.request;
    const lane = laneOf(exchange);
    const isTold = !isHidden(exchange);
    const responses = isTold ? exchange.responses.filter(({ isSent }) => isSent) : [];
    const answered = responses.at(-1)?.arrivals[0]?.[0];
    const begin = arrivals[0]?.[0] ?? exchange.steps[0];
    const end = answered ?? (isTold ? exchange.steps.at(-1) : arrivals.at(-1)?.[0]);
    spans.push({
      ...{ exchange, lane, from: timeOf(begin), to: timeOf(end ?? begin) },
      says: describeExchange(data, exchange, isTold),
    });
    let before = 0;
    for (const [index, [step, to]] of arrivals.entries()) {
      const key = `${exchange.connection} ${step}`;
      const bytes = to - before;
      before = to;
      const known = reads.get(key);
      if (known !== undefined) {
        known.bytes += bytes;
        known.more += 1;
        continue;
      }
      const says = index === 0 ? exchange.title : '';
      const about = { from: lane, to: SERVER, kind: 'request' as const, says };
      reads.set(key, { ...about, exchange, step, at: timeOf(step), bytes, more: 0 });
    }
    for (const { arrivals: [[step] = [0]] = [], length, status } of responses) {
      const key = `${exchange.connection} ${step}`;
      const code = status.slice(0, 3);
      const known = writes.get(key);
      if (known !== undefined) {
        known.bytes += length;
        known.statuses.push(code);
        continue;
      }
      const about = { from: SERVER, to: lane, kind: 'response' as const, says: '' };
      const at = timeOf(step);
      writes.set(key, { ...about, exchange, step, at, bytes: length, statuses: [code] });
    }
    if (!isTold || exchange.connection === 0) continue;
    for (const { from, kind, to } of phasesOf(data, exchange)) {
      if (kind === 'bytes' && from < (arrivals[0]?.[0] ?? Infinity)) continue;
      const own = OWN.includes(kind);
      const says =
        kind === 'reject' && exchange.rejection
          ? `\u2716 ${exchange.rejection.status} at byte ${exchange.rejection.offset}`
          : `${PHASES[kind]}, ${milliseconds(timeOf(to) - timeOf(from))}`;
      boxes.push({
        ...{ exchange, kind, lane: own ? SERVER : lane, says },
        ...{ from: timeOf(from), to: timeOf(to) },
      });
    }
  }

  const arrows: Arrow[] = [
    ...Array.from(reads.values(), (one) => ({ ...one, says: describeRead(one) })),
    ...Array.from(writes.values(), (one) => ({ ...one, says: describeWrite(one) })),
    ...proxyArrows(data, boxes),
  ];
  const clients = [
    ...new Set(proxy.flatMap((one) => ('client' in one ? (one.client ?? []) : []))),
  ];
  const own = spans.map(({ lane }) => lane);
  const lanes = [...clients, ...own.filter((one) => one !== PROXY && one !== SERVER)];
  const names = [...new Set(lanes), ...(addresses.size > 0 ? [PROXY] : []), SERVER];
  // What the server does by itself before and after would be pauses.
  const served = exchanges.filter(({ connection }) => connection > 0);
  const times = [
    ...(served.length > 0 ? served : exchanges).flatMap((one) => one.steps.map(timeOf)),
    ...proxy.map(({ at }) => at),
  ];
  return { names, spans, arrows, boxes, times };
}

function describeRead({
  bytes,
  more,
  says,
}: Arrow & { readonly bytes: number; readonly more: number }): string {
  const what = `${says}${more > 0 ? ` and ${more} more` : ''}`;
  return `${what === '' ? '+ ' : `${what}, `}${count(bytes, 'byte')}`;
}

function describeWrite({
  bytes,
  statuses,
}: Arrow & { readonly bytes: number; readonly statuses: readonly string[] }): string {
  const shown = statuses.slice(0, 3).join(' + ');
  const more = statuses.length > 3 ? ` + ${statuses.length - 3} more` : '';
  return `${shown}${more}, ${count(bytes, 'byte')}`;
}

/** What the clients of the proxy send and receive; what it keeps meanwhile is a box. */
function proxyArrows(data: PageData, boxes: Box[]): Arrow[] {
  const { proxy } = data;
  const asked = new Map<number | undefined, string>();
  const written = new Map<number, ReturnType<typeof responsesTo>>();
  const kept = new Map<string, Box>();
  const end = data.steps.at(-1)?.at ?? 0;
  const arrows = proxy.flatMap((event): Arrow[] => {
    const about = { exchange: undefined, step: -1, at: event.at };
    switch (event.type) {
      case 'connect':
        written.set(event.connection, responsesTo(data, event.address));
        return [];
      case 'request': {
        asked.set(event.request, event.name);
        const { client, name } = event;
        return [{ ...about, from: client, to: PROXY, says: name, kind: 'request' }];
      }
      case 'response': {
        const { at, bytes, client, connection, request, response } = event;
        const key = `${connection} ${response}`;
        const own = written.get(connection)?.[response - 1];
        const { exchange, status = '?', step = -1 } = own ?? {};
        if (client === undefined) {
          const says = `left over: ${status}, ${count(bytes, 'byte')}`;
          const box = { exchange, lane: PROXY, from: at, to: Math.max(at, end), says };
          kept.set(key, { ...box, kind: 'left-over' });
          return [];
        }
        const before = kept.get(key);
        if (before !== undefined) kept.set(key, { ...before, to: at });
        const name = asked.get(request) ?? '';
        const isOther = exchange !== undefined && exchange.title !== name;
        const what = `${status}, ${count(bytes, 'byte')}`;
        const says = isOther
          ? `${what}, to ${exchange.title}: not what it asked for`
          : what;
        const kind = isOther ? 'bad' : 'response';
        return [{ ...about, exchange, step, from: PROXY, to: client, says, kind }];
      }
      case 'refuse': {
        const { client, text } = event;
        const says = `${text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)}, by the proxy`;
        return [{ ...about, from: PROXY, to: client, says, kind: 'response' }];
      }
      case 'forward':
      case 'say':
        return []; // the server tells what it reads
    }
  });
  boxes.push(...kept.values());
  return arrows;
}

/** @returns the responses on the connections of a proxy with an address, in their order */
function responsesTo({ exchanges }: PageData, address: string) {
  return exchanges
    .filter(({ remote }) => remote === address)
    .flatMap((exchange) =>
      exchange.responses.map(({ arrivals: [[step] = [0]] = [], status }) => {
        return { exchange, status: status.slice(0, 3), step };
      }),
    )
    .sort((one, other) => one.step - other.step);
}

/** @returns an exchange in words: who sent what, and what became of it */
function describeExchange(data: PageData, exchange: ExchangeData, isTold: boolean): string {
  const { connection, number, title } = exchange;
  const who = connection === 0 ? 'server' : `c${connection}`;
  const name = number > 1 ? `${who}, request ${number}` : who;
  const duration = isTold ? durationOf(data, exchange) : undefined;
  const time = duration === undefined ? '' : `, after ${milliseconds(duration)}`;
  return `${name}, ${title}, ${isTold ? statusOf(exchange)[0] : '?'}${time}`;
}

/** @returns what became of an exchange, and whether it was rejected */
export function statusOf({
  connection,
  outcome,
  rejection,
  responses,
}: ExchangeData): [string, boolean] {
  if (rejection !== undefined)
    return [`\u2716\u00a0${rejection.status} at byte ${rejection.offset}`, true];
  const response = responses.filter(isFinal).at(-1);
  if (outcome === '' && response !== undefined)
    return [`${response.status}${response.unsent > 0 ? ', cut short' : ''}`, false];
  if (connection === 0) return ['', false];
  return [outcome === '' ? '\u2026 in progress' : `\u2013 ${outcome}`, false];
}

/** @returns the exchanges in which the text of a filter occurs: "c1", "400", "DELETE" */
export function filterBy(
  exchanges: readonly ExchangeData[],
  filter: string,
): readonly ExchangeData[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === '') return exchanges;
  return exchanges.filter((one) => {
    if (/^c\d+$/.test(wanted)) return `c${one.connection}` === wanted;
    return `${one.title} ${statusOf(one)[0]}`.toLowerCase().includes(wanted);
  });
}
