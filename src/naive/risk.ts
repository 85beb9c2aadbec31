/** The other reading: where careless recipients end the same request, and what they take
 * for the next one. Every reading is computed by reading the bytes with one mistake. */
import { count, printable } from '../text/text';
import { MISTAKES, nameOf, readNaively, Unreadable, type Mistake } from './naive-request';

/** A request as a reader sees it. Offsets count from the first byte of the first
 * request. */
interface SeenRequest {
  readonly start: number;
  /** Its method and target, "DELETE /tasks/1", if its first line is a request line. Each
   * character is one byte: escape it before you print it. */
  readonly name: string | undefined;
  /** Where its header section ends. Undefined where the reader never gets there: the bytes
   * end first, or it rejects them. */
  readonly contentStart: number | undefined;
  /** How many bytes of content are announced, without the sizes and CRLFs of chunks. */
  readonly contentLength: number | undefined;
  /** Where it ends. Undefined where the bytes do not tell. If it lies behind the last byte,
   * the reader waits for more. */
  readonly end: number | undefined;
  readonly isRejected: boolean;
}

/** How one kind of careless recipient reads the bytes. */
export interface Reading {
  /** All mistakes that lead to this reading. It is described by the first of them. */
  readonly mistakes: readonly Mistake[];
  /** How: it "goes by Content-Length and ignores Transfer-Encoding"; '' for this server. */
  readonly reads: string;
  /** What it takes for requests, the first one and at most three more. */
  readonly requests: readonly [SeenRequest, ...SeenRequest[]];
}

/** What a proxy, or the server behind it, would do that reads so. */
export interface Deed {
  readonly role: 'proxy' | 'server';
  readonly mistakes: Reading['mistakes'];
  /** "A proxy that goes by Content-Length ...", which "forwards one request ...". */
  readonly who: string;
  readonly does: string;
}

export interface Risk {
  /** The readings that end the request elsewhere than this server does, or that accept what
   * it rejects. Those that end it first come first. No two of them cut the bytes alike. */
  readonly readings: readonly [Reading, ...Reading[]];
  /** One sentence without a full stop, for the terminal: who reads these bytes
   * differently. */
  readonly summary: string;
  /** What would follow from that. */
  readonly consequences: readonly Deed[];
  /** The mistakes of the readers that this is about. */
  readonly mistakes: readonly Mistake[];
}

/** The most bytes of a request, with what has arrived after it. Where there are more, nothing
 * is said. */
export const BYTES_LIMIT = 32_768;
const REQUESTS_LIMIT = 4;

const NAMES = Object.keys(MISTAKES).filter((name): name is Mistake => name in MISTAKES);

/** @param bytes of a request from its first byte, and what followed it on the connection:
 * a character for each
 * @param end where this server ends the request, or undefined if it rejects it
 * @returns undefined where no known mistake leads to another reading */
export function findRisk(bytes: string, end: number | undefined): Risk | undefined {
  if (bytes.length > BYTES_LIMIT) return undefined;
  const strict = see(bytes, 0)?.request;
  if (strict === undefined) return undefined;
  // Without content, all readers agree on the end of what a strict one accepts.
  if (end !== undefined && strict.end === end && strict.contentStart === end)
    return undefined;
  const ours = ownReading(bytes, end, strict);
  const found = NAMES.flatMap((mistake) => readWith(bytes, mistake) ?? []);
  const others = found.filter((one) => ours === undefined || compareEnds(one, ours) !== 0);
  const [first, ...rest] = unite(others).sort(compareEnds);
  if (first === undefined) return undefined;

  const readings = [first, ...rest] as const;
  const cuts = [...readings, ...(ours === undefined ? [] : [ours])].sort(compareEnds);
  const [short = first] = cuts;
  const long = cuts.at(-1) ?? first;
  // A reader that only waits for more has misread nothing yet: where a limit of this server
  // is exceeded, a right one waits, too.
  if (endOf(short) === endOf(long) && endOf(short) > bytes.length) return undefined;
  if (end !== undefined && areAlike(short, long, bytes.length)) return undefined;
  return {
    readings,
    summary: summarize(short, long, bytes.length),
    consequences: foresee(short, long, bytes),
    mistakes: [short, long].flatMap(({ mistakes }) => mistakes.slice(0, 1)),
  };
}

/** The reading of this server, or that of the RFC where this server rejects the request for
 * a reason that has nothing to do with its end.
 * @param strict how a strict reader sees the request */
function ownReading(
  bytes: string,
  end: number | undefined,
  strict: SeenRequest,
): Reading | undefined {
  if (end === undefined) {
    if (strict.contentStart === undefined) return undefined;
    const requests = withFollowing(bytes, strict);
    return { mistakes: [], reads: 'reads the content', requests };
  }
  // A server of the lab makes a mistake of its own, and goes on with it.
  const mistake = strict.isRejected
    ? NAMES.find((one) => see(bytes, 0, one)?.request.end === end)
    : undefined;
  const { request } = (mistake && see(bytes, 0, mistake)) ?? { request: strict };
  const requests = withFollowing(bytes, { ...request, end }, mistake);
  return { mistakes: mistake ? [mistake] : [], reads: '', requests };
}

/** @returns undefined where the mistake changes nothing, or the reader rejects the
 * request */
function readWith(bytes: string, mistake: Mistake): Reading | undefined {
  const first = see(bytes, 0, mistake);
  if (first === undefined || !first.isMistaken) return undefined;
  const requests = withFollowing(bytes, first.request, mistake);
  return { mistakes: [mistake], reads: MISTAKES[mistake], requests };
}

/** @returns what a reader takes for a request that starts there, and whether it has made its
 * mistake; undefined after the last byte */
function see(
  bytes: string,
  at: number,
  mistake?: Mistake,
): { request: SeenRequest; isMistaken: boolean } | undefined {
  // An empty line may come before a request line (9112 §2.2).
  const start = bytes.startsWith('\r\n', at) ? at + 2 : at;
  if (start >= bytes.length) return undefined;
  const text = bytes.slice(start);
  const [line = ''] = text.split(/\r?\n/, 1);
  const found = readNaively(text, mistake);
  const isRejected = found instanceof Unreadable;
  const read = isRejected ? undefined : found;
  return {
    request: {
      start,
      name: nameOf(line),
      contentStart: read && start + read.contentStart,
      contentLength: read?.contentLength,
      end: read?.isEndKnown ? start + read.end : undefined,
      isRejected,
    },
    isMistaken: read?.isMistaken ?? false,
  };
}

/** @returns the request and what the reader takes for requests after it */
function withFollowing(
  bytes: string,
  first: SeenRequest,
  mistake?: Mistake,
): Reading['requests'] {
  const requests: [SeenRequest, ...SeenRequest[]] = [first];
  let { end } = first;
  while (end !== undefined && requests.length < REQUESTS_LIMIT) {
    const next: SeenRequest | undefined = see(bytes, end, mistake)?.request;
    if (next !== undefined) requests.push(next);
    end = next?.end;
  }
  return requests;
}

/** Puts those together that cut the bytes at the same places. */
function unite(readings: readonly Reading[]): Reading[] {
  const united = new Map<string, Reading>();
  for (const reading of readings) {
    const key = JSON.stringify(reading.requests, ['start', 'contentStart', 'end']);
    const { mistakes, ...known } = united.get(key) ?? { ...reading, mistakes: [] };
    united.set(key, { ...known, mistakes: [...mistakes, ...reading.mistakes] });
  }
  return [...united.values()];
}

/** A reader that waits for more ends the request last. */
function endOf({ requests: [first] }: Reading): number {
  return first.end ?? Infinity;
}

function compareEnds(one: Reading, other: Reading): number {
  return endOf(one) === endOf(other) ? 0 : endOf(one) - endOf(other);
}

/** Whether at most an empty line lies between the ends, which the one that ends first
 * skips.
 * @param length of all bytes */
function areAlike({ requests: [, next] }: Reading, long: Reading, length: number): boolean {
  return endOf(long) <= (next?.start ?? length);
}

/** @param length of all bytes */
function summarize(short: Reading, long: Reading, length: number): string {
  const end = endOf(short);
  const last = endOf(long);
  if (areAlike(short, long, length))
    return `${readerOf(short)} accepts this request, and ends it after byte ${end - 1}`;
  const [, next] = short.requests;
  if (next === undefined) {
    const isKnown = Number.isSafeInteger(last);
    const more = isKnown ? count(last - length, 'more byte') : 'more bytes';
    const other = readerOf(long, short);
    return `${readerOf(short)} ends this request after byte ${end - 1}; ${other} waits for ${more}`;
  }
  const rest = count(Math.min(last, length) - next.start);
  const name = next.name === undefined ? '' : `: ${printable(next.name)}`;
  return (
    `${readerOf(long)} takes the ${rest} from byte ${next.start} as part of this request; ` +
    `for ${readerOf(short, long)}, the next request starts there${name}`
  );
}

/** "this server", or "a reader that ..."; after such a reader, "one that ...". */
function readerOf({ reads }: Reading, before?: Reading): string {
  if (reads === '') return 'this server';
  return `${before?.reads ? 'one' : 'a reader'} that ${reads}`;
}

/** What follows where a proxy and a server cut the bytes differently. */
function foresee(short: Reading, long: Reading, bytes: string): Deed[] {
  const [first, next] = short.requests;
  if (areAlike(short, long, bytes.length))
    return [as('proxy', short, 'lets this request through')];
  if (next === undefined) {
    const waits = 'waits for more, and takes what the next client sends for the rest of it';
    const ends = `ends this request after byte ${endOf(short) - 1}`;
    return [as('proxy', short, ends), as('server', long, waits)];
  }
  // The server gets only what the proxy takes for the one request.
  const forwarded = bytes.slice(0, endOf(long));
  const seen = see(forwarded, next.start, short.mistakes[0])?.request ?? next;
  const more = endOf(long) - bytes.length;
  const missing = Number.isSafeInteger(more) ? count(more, 'more byte') : 'more of it';
  const to =
    more > 0
      ? `, or what is here of it, and waits for ${missing}`
      : more < 0
        ? `, up to byte ${endOf(long) - 1}`
        : '';
  return [
    as('proxy', long, `forwards one request, ${printable(first.name ?? '')}${to}`),
    as('server', short, foreseeNext(seen, forwarded.length)),
  ];
}

function as(role: Deed['role'], { mistakes, reads }: Reading, does: string): Deed {
  const own = role === 'server' ? 'This server' : 'A proxy that reads like this server';
  return { role, mistakes, who: reads === '' ? own : `A ${role} that ${reads}`, does };
}

/** What a server does with a request that no proxy has seen.
 * @param length of the bytes that the server gets */
function foreseeNext({ end, isRejected, name }: SeenRequest, length: number): string {
  const next = name === undefined ? 'the rest' : printable(name);
  if (isRejected) {
    const takes = `takes ${next} for another request, rejects it`;
    return `${takes}, and closes the connection for all clients`;
  }
  if (end !== undefined && end <= length) {
    return (
      `handles ${next}, too: it has been smuggled past the proxy, and the next client gets ` +
      'the response to it'
    );
  }
  return (
    `takes ${next} for the beginning of another, and takes what the next client sends for ` +
    'the rest of it'
  );
}
