/** Challenges: each asks for something, and the trace says whether it happened, or the byte
 * that is chosen whether that is the one. Pure: it knows no page. */
import type { PartName } from '../../http/parts';
import { isContent } from './glossary';
import type { ExchangeData, PageData } from './page-data';
import { receiptsIn } from './runs';

/** What the page shows, and which byte of a request is chosen in it. */
export interface Shown {
  readonly data: PageData;
  readonly chosen?:
    { readonly exchange: ExchangeData; readonly offset: number } | undefined;
}

export interface Challenge {
  /** What names it in an address. */
  readonly name: string;
  readonly asks: string;
  /** Whether it asks for a byte. */
  readonly isOfByte: boolean;
  readonly isSolved: (shown: Shown) => boolean;
}

type Condition = Challenge['isSolved'];

/** The twelve questions of the README, and more. */
// prettier-ignore
const ENTRIES: readonly (readonly [name: string, asks: string, isSolved: Condition])[] = [
  ['host-line', 'Which byte ends the Host line? Choose it.',
    chose((one, offset) => offset === lineEnd(one, 'Host'))],
  ['last-byte', 'Which byte is the last of a request that has content? Choose it.',
    chose((one, offset) => contentOf(one) !== '' && offset === (one.length ?? 0) - 1)],
  ['two-pieces', 'Send one request in two pieces, and let the server wait in between.',
    some(({ request, turn }) => turn !== undefined && request.arrivals.length > 1)],
  ['length-and-chunks', 'Send the same content with a length, and in chunks.',
    ({ data }) =>
      sentIn(data, 'content').some((one) => sentIn(data, 'chunk-data').includes(one))],
  ['waits-for-fields', 'Let the server wait for the end of the header section.',
    some((one, data) => has(one, 'field-name') && verbsOf(one, data).at(-1) === 'wait' &&
      !isIn(one, 'end of the header section'))],
  ['three-authorities', 'Let it reject three requests: one because an RFC requires it, ' +
    'one because an RFC allows it, and one by its own choice.',
    ({ data: { exchanges } }) =>
      new Set(exchanges.flatMap((one) => one.rejection?.authority ?? [])).size === 3],
  ['byte-0', 'Let it reject a request at byte 0.',
    some(({ rejection }) => rejection?.offset === 0)],
  ['no-close', 'Let it close a connection that nobody asked it to close.',
    some((one, data) => verbsOf(one, data).join().includes('idle,close'))],
  ['two-clients', 'Let a request wait while that of another client is handled: ' +
    'play both runs of Lab 13.',
    some(waitedForAnother)],
  ['route', 'Let the routing table lead to 404 (Not Found), and to 405.',
    (shown) => got('404')(shown) && got('405')(shown)],
  ['other-reader', 'Send a request that another reader would take for two.',
    some(({ other }) => !!other?.readings.some(({ requests }) => requests.length > 1))],
  ['smuggled', 'Let a client of a proxy get the response to another request than its own.',
    ({ data }) => receiptsIn(data).some(({ isOther }) => isOther)],
  ['no-response', 'Send half a request, and end so that it gets no response at all.',
    some((one, data) => one.request.text !== '' && one.length === undefined &&
      one.responses.length === 0 && verbsOf(one, data).at(-1) === 'gone' &&
      !isNeverParsed(one))],
  ['never-parsed', 'Send two requests at once, of which the second is never parsed.',
    some(isNeverParsed)],
  ['100', 'Make it send 100 (Continue).', got('100')],
  ['413', 'Make it respond with 413 (Content Too Large), without a megabyte of content.',
    got('413')],
  ['431', 'Make it respond with 431 (Request Header Fields Too Large).', got('431')],
  ['501', 'Make it respond with 501 (Not Implemented), to a transfer coding.', got('501')],
];

const OF_BYTES = ['host-line', 'last-byte'];

export const CHALLENGES: readonly Challenge[] = ENTRIES.map(([name, asks, isSolved]) => {
  return { name, asks, isOfByte: OF_BYTES.includes(name), isSolved };
});

function chose(is: (one: ExchangeData, offset: number) => boolean): Condition {
  return ({ chosen }) => chosen !== undefined && is(chosen.exchange, chosen.offset);
}

function some(is: (one: ExchangeData, data: PageData) => boolean): Condition {
  return ({ data }) => data.exchanges.some((one) => one.connection > 0 && is(one, data));
}

function got(status: string): Condition {
  return some(({ responses }) => responses.some((one) => one.status.startsWith(status)));
}

function has({ request }: ExchangeData, name: PartName): boolean {
  return request.parts.some((part) => part.name === name);
}

function isIn({ request }: ExchangeData, line: string): boolean {
  return request.parts.some((part) => part.line === line);
}

function contentOf({ request: { from, parts, text } }: ExchangeData): string {
  return parts
    .filter(({ name }) => isContent(name))
    .map(({ length, offset }) => text.slice(offset - from, offset - from + length))
    .join('');
}

function isNeverParsed({ outcome }: ExchangeData): boolean {
  return outcome.startsWith('never parsed');
}

/** @returns the contents of the requests that were handled, in parts with a name */
function sentIn({ exchanges }: PageData, name: PartName): string[] {
  return exchanges.filter((one) => one.turn !== undefined && has(one, name)).map(contentOf);
}

/** @returns the offset of the last byte of the line that has a part, or -1 */
function lineEnd({ request: { from, parts, text } }: ExchangeData, name: PartName): number {
  const { offset = Infinity } = parts.find((part) => part.name === name) ?? {};
  const end = text.indexOf('\n', offset - from);
  return end < 0 ? end : end + from;
}

function verbsOf({ steps }: ExchangeData, data: PageData): string[] {
  return steps.map((step) => data.steps[step]?.verb ?? '');
}

/** Whether a request of another connection had its turn while one was in the queue. */
function waitedForAnother({ connection, steps }: ExchangeData, data: PageData): boolean {
  const [queue, turn] = ['queue', 'turn'].map(
    (verb) => steps.find((step) => data.steps[step]?.verb === verb) ?? Infinity,
  );
  return data.steps
    .slice(queue, turn)
    .some((step) => step.verb === 'turn' && step.connection !== connection);
}
