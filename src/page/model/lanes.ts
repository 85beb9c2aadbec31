/** Who sent what to whom, and when: a lane for each client, for the proxy if there is one,
 * and for the server. Pure: it knows no page. */
import type { ProxyLine } from '../../trace/proxy-events';
import type { ExchangeData, PageData, ResponseData } from './page-data';
import { durationOf, isFinal, phasesOf, type PhaseKind } from './times';
import { count, milliseconds } from '../../text/text';

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
  const addresses = addressesIn(data);
  const laneOf = ({ connection, remote = '' }: ExchangeData): string =>
    connection === 0 ? SERVER : addresses.has(remote) ? PROXY : `c${connection}`;
  const spans: Span[] = [];
  const boxes: Box[] = [];
  const moves = new Map<number, Move>();
  const move = (
    step: number,
    exchange: ExchangeData,
    bytes: number,
    name: string,
  ): Move => {
    const all = moves.get(step) ?? { exchange, bytes: 0, names: [], isPart: false };
    moves.set(step, all);
    all.bytes += bytes;
    all.names.push(name);
    return all;
  };

  for (const exchange of exchanges) {
    const { arrivals } = exchange.request;
    const lane = laneOf(exchange);
    const isTold = !isHidden(exchange);
    const responses = isTold ? exchange.responses.filter(({ isSent }) => isSent) : [];
    const answered = responses.at(-1)?.arrivals[0]?.[0];
    const begin = arrivals[0]?.[0] ?? exchange.steps[0];
    const end = answered ?? (isTold ? exchange.steps.at(-1) : arrivals.at(-1)?.[0]);
    const says = describeExchange(data, exchange, isTold);
    spans.push({ exchange, lane, from: timeOf(begin), to: timeOf(end ?? begin), says });
    for (const [index, [step, to]] of arrivals.entries()) {
      const bytes = to - (arrivals[index - 1]?.[1] ?? 0);
      const isUnread = isTold && moves.has(step) && exchange.request.parts.length === 0;
      const name = index === 0 && !isUnread ? exchange.title : '';
      const moved = move(step, exchange, bytes, name);
      moved.isPart = arrivals.length > 1;
    }
    for (const { arrivals: [[step] = [0]] = [], length, status } of responses)
      move(step, exchange, length, status.slice(0, 3));
    if (!isTold || exchange.connection === 0) continue;
    for (const { from, kind, to } of phasesOf(data, exchange)) {
      if (kind === 'bytes' && from < (arrivals[0]?.[0] ?? Infinity)) continue;
      const time = { from: timeOf(from), to: timeOf(to) };
      const spent = `${PHASES[kind]}, ${milliseconds(time.to - time.from)}`;
      const says = kind === 'reject' ? statusOf(exchange)[0] : spent;
      const where = OWN.includes(kind) ? SERVER : lane;
      boxes.push({ exchange, kind, lane: where, says, ...time });
    }
  }

  const arrows = Array.from(moves, ([step, moved]): Arrow => {
    const { bytes, exchange, names } = moved;
    const isRead = steps[step]?.verb === 'read';
    const told = isRead ? describeRead(moved) : describeWrite(names);
    const says = `${told}${count(bytes, 'byte')}`;
    const about = { exchange, step, at: timeOf(step), says };
    return isRead
      ? { ...about, from: laneOf(exchange), to: SERVER, kind: 'request' }
      : { ...about, from: SERVER, to: laneOf(exchange), kind: 'response' };
  });
  const own = proxyLane(data);
  const proxies = addresses.size > 0 ? [PROXY] : [];
  const names = [...clientsOf(data, exchanges), ...proxies, SERVER];
  // What the server does by itself before and after would be pauses.
  const served = exchanges.filter(({ connection }) => connection > 0);
  const times = [
    ...(served.length > 0 ? served : exchanges).flatMap((one) => one.steps.map(timeOf)),
    ...proxy.map(({ at }) => at),
  ];
  return {
    names,
    spans,
    arrows: [...arrows, ...own.arrows],
    boxes: [...boxes, ...own.boxes],
    times,
  };
}

/** What a client sent or received at one step: requests, or responses. */
interface Move {
  readonly exchange: ExchangeData;
  bytes: number;
  readonly names: string[];
  /** Whether more of the last request comes later. */
  isPart: boolean;
}

/** A label shows no more characters of a title. */
const TITLE_SHOWN = 60;

/** The first name is '' for more bytes of the same request, and the last one for bytes behind
 * a request that are not read as another. */
function describeRead({ isPart, names: [name = '', ...more] }: Move): string {
  if (more.length === 0 && name === '') return '+ ';
  const title = name.length > TITLE_SHOWN ? `${name.slice(0, TITLE_SHOWN)} \u2026` : name;
  if (more.length === 0) return `${title}, ${isPart ? 'the first ' : ''}`;
  const others = more.filter((one) => one !== '').length;
  return [
    title || 'the rest',
    others > 0 ? ` and ${others} more` : '',
    others < more.length ? ' and what follows' : '',
    ', ',
  ].join('');
}

function describeWrite(statuses: readonly string[]): string {
  const hidden = statuses.slice(3);
  const more = hidden.length > 0 ? ` + ${hidden.length} more` : '';
  return `${statuses.slice(0, 3).join(' + ')}${more}, `;
}

/** The addresses of the proxy, as the server sees them. */
function addressesIn({ proxy }: PageData): ReadonlySet<string> {
  return new Set(proxy.flatMap((one) => (one.type === 'connect' ? one.address : [])));
}

/** @returns the lanes of the clients: first those of the proxy, in the order in which they
 * came */
export function clientsOf(data: PageData, exchanges = data.exchanges): string[] {
  const addresses = addressesIn(data);
  const own = exchanges.filter(
    ({ connection, remote = '' }) => connection > 0 && !addresses.has(remote),
  );
  return [
    ...new Set([
      ...data.proxy.flatMap((one) => ('client' in one ? (one.client ?? []) : [])),
      ...own.map(({ connection }) => `c${connection}`),
    ]),
  ];
}

type Told = Extract<ProxyLine, { type: 'response' }>;

/** A response, and the exchange of the server that it is in. */
interface Origin {
  readonly exchange: ExchangeData;
  readonly response: ResponseData;
}

/** @returns what finds the response that the proxy tells of, the request that it is to, and
 * whether the client had asked for something else */
export function originsIn({ exchanges, proxy }: PageData) {
  const connections = new Map<number, Origin[]>();
  for (const event of proxy) {
    if (event.type !== 'connect') continue;
    const own = exchanges.filter(({ remote }) => remote === event.address);
    const all = own.flatMap((exchange): Origin[] =>
      exchange.responses.map((response) => ({ exchange, response })),
    );
    connections.set(event.connection, all);
  }
  return ({ asked, connection, response: number }: Told) => {
    const { exchange, response } = connections.get(connection)?.[number - 1] ?? {};
    const isOther = exchange !== undefined && exchange.title !== asked;
    return { exchange, response, isOther };
  };
}

/** What the clients of the proxy send and receive; what it keeps meanwhile is a box. */
function proxyLane(data: PageData): { arrows: Arrow[]; boxes: Box[] } {
  const origins = originsIn(data);
  const kept = new Map<string, Box>();
  const end = data.steps.at(-1)?.at ?? 0;
  const arrows = data.proxy.flatMap((event): Arrow[] => {
    const { at, type } = event;
    const about = { exchange: undefined, step: -1, at };
    if (type === 'request') {
      const { client, name } = event;
      return [{ ...about, from: client, to: PROXY, says: name, kind: 'request' }];
    }
    if (type === 'refuse') {
      const says = `${event.status.slice(0, 3)}, by the proxy`;
      return [{ ...about, from: PROXY, to: event.client, says, kind: 'response' }];
    }
    if (type !== 'response') return []; // the server tells what it reads
    const { bytes, client, connection, response: number } = event;
    const key = `${connection} ${number}`;
    const { exchange, isOther, response } = origins(event);
    const what = `${response?.status.slice(0, 3) ?? '?'}, ${count(bytes, 'byte')}`;
    if (client === undefined) {
      const box = { exchange, lane: PROXY, from: at, to: Math.max(at, end) };
      kept.set(key, { ...box, says: `left over: ${what}`, kind: 'left-over' });
      return [];
    }
    const before = kept.get(key);
    if (before !== undefined) kept.set(key, { ...before, to: at });
    const other = isOther ? `, to ${exchange?.title}: not what it asked for` : '';
    const step = response?.arrivals[0]?.[0] ?? -1;
    const says = what + other;
    const kind = isOther ? 'bad' : 'response';
    return [{ exchange, step, at, from: PROXY, to: client, says, kind }];
  });
  return { arrows, boxes: [...kept.values()] };
}

/** @returns an exchange in words: who sent what, and what became of it */
function describeExchange(data: PageData, exchange: ExchangeData, isTold: boolean): string {
  const { connection, number, title } = exchange;
  const who = connection === 0 ? 'server' : `c${connection}`;
  const name = number > 1 ? `${who}, request ${number}` : who;
  const duration = isTold ? durationOf(data, exchange) : undefined;
  const status = isTold ? statusOf(exchange)[0] : '?';
  const time = duration === undefined ? '' : `after ${milliseconds(duration)}`;
  return [name, title, status, time].filter((one) => one !== '').join(', ');
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

/** @param isHidden whether it is not told yet what became of an exchange
 * @returns the exchanges in which the text of a filter occurs: "c1", "400", "DELETE" */
export function filterBy(
  exchanges: readonly ExchangeData[],
  filter: string,
  isHidden: (exchange: ExchangeData) => boolean = () => false,
): readonly ExchangeData[] {
  const wanted = filter.trim().toLowerCase();
  if (wanted === '') return exchanges;
  return exchanges.filter((one) => {
    if (/^c\d+$/.test(wanted)) return `c${one.connection}` === wanted;
    const status = isHidden(one) ? '' : statusOf(one)[0];
    return `${one.title} ${status}`.toLowerCase().includes(wanted);
  });
}
