/** What a reader makes of bytes before anything is sent: of requests that of the server
 * itself, of a response that of a client. It needs no socket. */
import { cite } from '../../http/protocol-error';
import type { LineParts } from '../../http/parts';
import { ReaderTrace, type ReaderEvent } from '../../trace/reader-trace';
import { RequestReader } from '../../http/request-reader';
import { kindOf } from '../../page/model/glossary';
import { count } from '../../text/text';
import type { Ending } from '../bytes';
import { judgeResponse } from '../reply/judgement';

export interface Judgement {
  /** The kinds of parts that there are. */
  readonly kinds: readonly string[];
  /** For each byte, the index of its kind as a digit in base 36, or a space where it is in
   * no part. A list of parts could be ten times as long as the bytes. */
  readonly digits: string;
  /** - `wait`: more bytes are needed
   *  - `respond`: the last message is complete, and nothing follows it
   *  - `close`: the connection closes after the last message, and the rest is dropped
   *  - `reject`: the byte at `wrong` is not accepted */
  readonly kind: 'wait' | 'respond' | 'close' | 'reject';
  readonly wrong: number | undefined;
  /** The same in one line. */
  readonly says: string;
}

/** How bytes reach the server. */
interface Way {
  /** What happens to the connection after the last byte. */
  readonly ending?: Ending;
  readonly isProxied?: boolean;
}

/** The kind of each byte, as a judgement has it. */
class Kinds {
  private readonly kinds: string[] = [];
  private readonly digits: Buffer;

  constructor(private readonly size: number) {
    this.digits = Buffer.alloc(size, ' ');
  }

  /** @param start where the message starts. A part may begin in the bytes before, and end
   * in those that are still missing. */
  add(parts: LineParts['parts'], start: number): void {
    const { digits, kinds, size } = this;
    for (const { length, name, offset } of parts) {
      const kind = kindOf(name);
      if (!kinds.includes(kind)) kinds.push(kind);
      const [from, to] = [start + offset, start + offset + length].map((at) =>
        Math.min(Math.max(0, at), size),
      );
      digits.fill(kinds.indexOf(kind).toString(36), from, to);
    }
  }

  found(): Pick<Judgement, 'digits' | 'kinds'> {
    return { kinds: this.kinds, digits: this.digits.toString('latin1') };
  }
}

/** @param bytes everything that the user sends as the server on one connection */
export function judgeReply(bytes: Buffer, ending: Ending): Judgement {
  const kinds = new Kinds(bytes.length);
  const describe = ({ parts }: LineParts): void => kinds.add(parts, 0);
  const { forbidden, kind, says, wrong } = judgeResponse(bytes, { ending, describe });
  // What a client may forgive is not marked: it reads on.
  const fatal = kind === 'reject' ? (forbidden ?? wrong) : forbidden;
  const more = ending === 'never' ? ' Then your last part comes again and again.' : '';
  return {
    ...kinds.found(),
    kind: kind === 'done' ? 'respond' : kind,
    wrong: fatal?.offset,
    says: says + more,
  };
}

/** @param before what comes before on the connection, since its last complete request
 * @param bytes offsets count from the first of these, so that those of `before` are
 * negative
 * @returns what the server makes of them, and what is left of all after the last complete
 * request: a copy, because the rest need not be kept; undefined where the server closes
 * after them */
export function judge(
  before: Buffer,
  bytes: Buffer,
  { ending = 'stay', isProxied = false }: Way = {},
): Judgement & { readonly pending: Buffer | undefined } {
  const kinds = new Kinds(bytes.length);
  /** Where the last complete request ends, and how many there are. */
  let start = -before.length;
  let complete = 0;
  const trace = (event: ReaderEvent): void => {
    if (event.type === 'parse' && 'parts' in event) kinds.add(event.parts ?? [], start);
  };
  const server = isProxied ? 'If this is forwarded, the server' : 'The server';
  const judged = (kind: Judgement['kind'], does: string, wrong?: number) => {
    const sentences = [
      before.length > 0 ? `It would follow the ${count(before.length)} before it.` : '',
      complete === 1 ? 'One request is complete.' : '',
      complete > 1 ? `${complete} requests are complete.` : '',
      `${server} ${does}`.replace(/[^.?]$/, '$&.'),
      ending === 'reset' ? 'Then comes your reset: you receive nothing more.' : '',
    ];
    const says = sentences.filter((one) => one !== '').join(' ');
    const isOver = kind === 'close' || kind === 'reject';
    const all = isOver ? undefined : Buffer.concat([before, bytes]);
    const pending = all && Buffer.from(all.subarray(before.length + start));
    return { ...kinds.found(), kind, wrong, says, pending };
  };
  const reader = new RequestReader({ trace: new ReaderTrace(trace) });
  if (before.length > 0) reader.push(before);
  if (bytes.length > 0) reader.push(bytes);
  if (ending === 'close') reader.end();
  for (;;) {
    const outcome = reader.next();
    switch (outcome.kind) {
      case 'request': {
        start += outcome.bytes;
        complete += 1;
        const { persists, reason } = outcome.persistence;
        if (persists) break;
        const rest = bytes.length - start;
        const drops = rest > 0 ? ` It drops the last ${count(rest)}.` : '';
        return judged('close', `responds and closes: ${reason}.${drops}`);
      }
      case 'wait': {
        const { inRequest, missing, section } = outcome;
        return !inRequest && complete > 0 && start === bytes.length
          ? judged('respond', 'responds, and waits for the next request.')
          : judged('wait', `waits for ${missing} (${cite(section)}).`);
      }
      case 'rejected': {
        const { message, offset, status } = outcome.error;
        return judged('reject', `rejects it with ${status}: ${message}`, start + offset);
      }
      case 'continue':
      case 'pause':
        break;
      case 'finished':
        return judged(
          'close',
          complete === 0 ? 'closes, too.' : 'responds and closes, as you do.',
        );
    }
  }
}
