/** The same bytes, as other readers cut them: what belongs to which request, row by row.
 * Pure: it knows no page. */
import type { OtherReadings } from './page-data';
import { count, escape } from '../../text/text';

export type Reading = OtherReadings['readings'][number];

/** What a reader takes as one: a head, content, or an empty line that belongs to
 * neither. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  /** Of which request, from 1. */
  readonly request: number;
  readonly kind: 'head' | 'content' | 'skipped';
  readonly says: string;
}

/** @param end the offset after the last byte of all that is read
 * @param text the bytes of the message, a character for each */
export function cutsOf({ requests }: Reading, end: number, text: string): Cut[] {
  let before = 0;
  const cuts = requests.flatMap((seen, index): Cut[] => {
    const { contentStart = end, isRejected, name, start } = seen;
    const request = index + 1;
    const to = seen.end ?? end;
    const skipped = skip(before, start, request);
    const last = Math.min(to, end);
    before = to;
    const line = isRejected ? 'no request line' : 'no whole request line';
    const title = name === undefined ? line : escape(name);
    const isWaiting = seen.end === undefined && !isRejected;
    const more = to > end ? count(to - end, 'more byte') : isWaiting ? 'more' : '';
    const missing = more && `, waits for ${more}`;
    const says = `request ${request}: ${title}${isRejected ? ', rejected' : ''}`;
    const head = contentStart >= end ? says + missing : says;
    const content = `its content: ${describeContent(seen)}${missing}`;
    return [
      skipped,
      { request, from: start, to: contentStart, kind: 'head', says: head },
      { request, from: contentStart, to: last, kind: 'content', says: content },
    ];
  });
  if (text.slice(before) === '\r\n')
    cuts.push(skip(before, before + 2, requests.length + 1));
  return cuts.filter(({ from, to }) => from < to);
}

/** An empty line may come before a request line (9112 2.2). */
function skip(from: number, to: number, request: number): Cut {
  return { from, to, request, kind: 'skipped', says: 'an empty line, skipped' };
}

/** @param end the offset after the last byte
 * @returns where a reader ends the first request */
export function endOf({ requests: [first] }: Reading, end: number): string {
  if (first.end === undefined) return 'waits for more';
  return first.end > end
    ? `waits for ${count(first.end - end, 'more byte')}`
    : `ends the request after byte ${first.end - 1}`;
}

/** Content is in chunks if it is not as long as its bytes, or if its end is not known. */
function describeContent({
  contentLength = 0,
  contentStart = 0,
  end,
}: Reading['requests'][number]): string {
  const isExact = Number.isSafeInteger(contentLength);
  const size = isExact ? count(contentLength, 'byte') : '2^53 bytes or more';
  if (end === undefined)
    return contentLength === 0 ? 'in chunks' : `${size} announced in chunks`;
  return end - contentStart === contentLength
    ? size
    : `${size} in chunks, up to the one of size 0`;
}

export function cutAt(cuts: readonly Cut[], offset: number): Cut | undefined {
  return cuts.find(({ from, to }) => from <= offset && offset < to);
}

/** @param name what the reader is called
 * @returns a reading in one sentence */
export function tell(reading: Reading, end: number, text: string, name: string): string {
  const cuts = cutsOf(reading, end, text).map(({ from, says, to }) =>
    to - from === 1 ? `byte ${from} is ${says}` : `bytes ${from} to ${to - 1} are ${says}`,
  );
  return `${name} ${reading.reads}: ${cuts.join('; ')}`;
}
