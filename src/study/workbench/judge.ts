/** What the request reader decides about bytes, before anything is sent. It is the reader
 * of the server itself: it needs no socket. */
import { cite } from '../../http/protocol-error';
import { ReaderTrace, type ReaderEvent } from '../../http/reader-trace';
import { RequestReader } from '../../http/request-reader';
import { kindOf } from '../../page/model/glossary';
import { count } from '../../text/text';

export interface Judgement {
  /** The kinds of parts that there are. */
  readonly kinds: readonly string[];
  /** For each byte, the index of its kind as a digit in base 36, or a space where it is in
   * no part. A list of parts could be ten times as long as the bytes. */
  readonly digits: string;
  /** Where each complete request ends. */
  readonly ends: readonly number[];
  /** - `wait`: more bytes are needed
   *  - `respond`: the last request is complete, and nothing follows it
   *  - `close`: the connection closes after the last response, and the rest is dropped
   *  - `reject`: the byte at `wrong` is not accepted
   *  - `unknown`: the server that would read them does not run yet */
  readonly kind: 'wait' | 'respond' | 'close' | 'reject' | 'unknown';
  readonly wrong: number | undefined;
  /** The same in one line. */
  readonly says: string;
}

/** What happens to a connection after the last byte: it stays open, our side closes, or a
 * TCP reset ends it. */
export type Then = 'keep' | 'close' | 'reset';

/** How bytes reach the server. */
interface Way {
  readonly then?: Then;
  /** How many of the bytes before are still to be sent. */
  readonly unsent?: number | undefined;
  readonly isProxied?: boolean;
}

/** @param before what comes before on the connection, since its last complete request
 * @param bytes offsets count from the first of these, so that those of `before` are
 * negative */
export function judge(
  before: Buffer,
  bytes: Buffer,
  { isProxied = false, then = 'keep', unsent = 0 }: Way = {},
): Judgement {
  const kinds: string[] = [];
  const digits = Buffer.alloc(bytes.length, ' ');
  const ends: number[] = [];
  let start = -before.length;
  const after = follows(before.length, Math.min(before.length, unsent));
  const server = isProxied ? 'If this is forwarded, the server' : 'The server';
  const ending =
    then === 'reset' ? ' Then comes your reset: you receive nothing more.' : '';
  const tell = (says: string): string =>
    `${after}${complete(ends)}${says}`.replace(/[^.?]$/, '$&.') + ending;
  const trace = (event: ReaderEvent): void => {
    if (event.type !== 'parse' || !('parts' in event)) return;
    for (const { name, offset, length } of event.parts ?? []) {
      const kind = kindOf(name);
      if (!kinds.includes(kind)) kinds.push(kind);
      // It may begin in the bytes before, and end in those that are still missing.
      const [from, to] = [start + offset, start + offset + length].map((at) =>
        Math.min(Math.max(0, at), bytes.length),
      );
      digits.fill(kinds.indexOf(kind).toString(36), from, to);
    }
  };
  const found = (): Pick<Judgement, 'kinds' | 'digits' | 'ends' | 'wrong'> => ({
    kinds,
    digits: digits.toString('latin1'),
    ends,
    wrong: undefined,
  });
  const reader = new RequestReader({ trace: new ReaderTrace(trace) });
  if (before.length > 0) reader.push(before);
  if (bytes.length > 0) reader.push(bytes);
  if (then === 'close') reader.end();
  for (;;) {
    const outcome = reader.next();
    switch (outcome.kind) {
      case 'request': {
        start += outcome.bytes;
        ends.push(start);
        const { persists, reason } = outcome.persistence;
        if (persists) break;
        const rest = bytes.length - start;
        const drops = rest > 0 ? ` It drops the last ${count(rest)}.` : '';
        const says = tell(`${server} responds and closes: ${reason}.${drops}`);
        return { ...found(), kind: 'close', says };
      }
      case 'wait': {
        if (!outcome.inRequest && ends.length > 0 && start === bytes.length) {
          const says = tell(`${server} responds, and waits for the next request.`);
          return { ...found(), kind: 'respond', says };
        }
        const { missing, section } = outcome;
        const says = tell(`${server} waits for ${missing} (${cite(section)}).`);
        return { ...found(), kind: 'wait', says };
      }
      case 'rejected': {
        const { message, offset, status } = outcome.error;
        const wrong = start + offset;
        const says = tell(`${server} rejects it with ${status}: ${message}`);
        return { ...found(), kind: 'reject', wrong, says };
      }
      case 'continue':
      case 'pause':
        break;
      case 'finished': {
        const does = ends.length === 0 ? 'closes, too' : 'responds and closes, as you do';
        return { ...found(), kind: 'close', says: tell(`${server} ${does}.`) };
      }
    }
  }
}

function follows(before: number, unsent: number): string {
  if (before === 0) return '';
  const are = `${unsent === 1 ? 'is' : 'are'} still to be sent`;
  const what =
    unsent === 0
      ? `the ${count(before)} sent before`
      : unsent === before
        ? `the ${count(before)} that ${are}`
        : `${count(before)}, of which ${unsent} ${are}`;
  return `It would follow ${what}. `;
}

function complete(ends: readonly number[]): string {
  if (ends.length === 0) return '';
  return ends.length === 1
    ? 'One request is complete. '
    : `${ends.length} requests are complete. `;
}

/** @returns the bytes after the last complete request: a copy, because the rest need not be
 * kept; undefined where the server closes after them */
export function pendingOf(before: Buffer, bytes: Buffer): Buffer | undefined {
  const { ends, kind } = judge(before, bytes);
  if (kind === 'close' || kind === 'reject') return undefined;
  const all = Buffer.concat([before, bytes]);
  return Buffer.from(all.subarray(before.length + (ends.at(-1) ?? -before.length)));
}
