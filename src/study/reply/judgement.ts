/** What a client makes of a response, before anything is sent. Pure: it also runs in a
 * browser. */
import { cite } from '../../http/protocol-error';
import { count } from '../../text/text';
import { textOf, type Ending } from '../bytes';
import type { ReplyCase } from './cases';
import {
  ResponseReader,
  type Mistake,
  type ReceivedResponse,
  type ResponseReaderOptions,
} from '../response-reader';

export interface ResponseJudgement {
  /** The responses that are complete, interim ones included. */
  readonly responses: readonly ReceivedResponse[];
  /** - `wait`: the client waits for more
   *  - `done`: its requests have their responses, and it may send another
   *  - `close`: they have them, and it must close the connection
   *  - `reject`: it gives up, because of the mistake at `wrong` or what is missing */
  readonly kind: 'wait' | 'done' | 'close' | 'reject';
  /** The first mistake, even if a client may forgive it. */
  readonly wrong: Mistake | undefined;
  /** The mistake that forbids a client to take the response unchanged (a MUST NOT). */
  readonly forbidden: Mistake | undefined;
  /** The same in sentences, in one line. */
  readonly says: string;
}

/** @param bytes all that a server sends on a connection
 * @param ending what becomes of the connection then
 * @returns what a client makes of them, which forgives what it may forgive */
export function judgeResponse(
  bytes: Uint8Array,
  options: ResponseReaderOptions & { readonly ending?: Ending } = {},
): ResponseJudgement {
  const { ending = 'stay', methods = ['GET'] } = options;
  const reader = new ResponseReader(options);
  const responses: ReceivedResponse[] = [];
  reader.push(textOf(bytes));
  if (ending === 'close' || ending === 'reset') reader.end(ending);
  let outcome = reader.next();
  for (; outcome.kind === 'response'; outcome = reader.next()) responses.push(outcome);

  const mistakes = [...responses, reader].flatMap(({ mistakes: some }) => some);
  const forbidden = mistakes.find(({ authority }) => authority === 'required by');
  const taken = responses.filter(({ method }) => method !== undefined);
  const isAnswered = taken.filter(({ isInterim }) => !isInterim).length >= methods.length;
  const error = outcome.kind === 'rejected' ? outcome.error : undefined;
  const forgiven = mistakes.find((one) => one !== error && one !== forbidden);
  const judged = (kind: ResponseJudgement['kind'], last: string): ResponseJudgement => {
    const mayReject = forgiven && `It may reject this, too: ${forgiven.message}`;
    const sentences = [...taken.map(describe), ...(mayReject ? [mayReject] : []), last];
    const says = sentences.map((sentence) => `${sentence}.`).join(' ');
    return { responses, kind, wrong: mistakes[0], forbidden, says };
  };

  if (isAnswered) {
    if (outcome.kind === 'finished') {
      const { length } = outcome.unread;
      const unread = length > 0 ? `, and drops the last ${count(length)}` : '';
      return judged('close', `It closes the connection${unread}`);
    }
    if (forbidden === undefined) return judged('done', 'It may send another request');
    const message = `${forbidden.message}. It should close the connection`;
    return judged('close', `What follows is no response: ${message}`);
  }
  if (outcome.kind === 'wait') {
    const size = reader.content.length;
    const so = size > 0 ? `takes ${count(size)} of content, and ` : '';
    const { missing, section } = outcome;
    return judged('wait', `A client ${so}waits for ${missing} (${cite(section)})`);
  }
  const why = error?.message ?? 'nothing more can follow';
  return judged('reject', `A client gives up: ${why}`);
}

function describe({ content, isInterim, statusText, trailer }: ReceivedResponse): string {
  if (isInterim) return `A client takes ${statusText}, an interim response`;
  const fields = trailer.length > 0 ? ` and ${count(trailer.length, 'trailer field')}` : '';
  return `A client takes ${statusText} with ${count(content.length)} of content${fields}`;
}

/** @returns what a response asks of a client, as far as it shows, and the section */
export function asksOf(judged: ResponseJudgement): Pick<ReplyCase, 'asks' | 'section'> {
  const { kind, responses, wrong } = judged;
  const final = responses.find(({ isInterim }) => !isInterim);
  const isRegular = final?.method !== undefined && final.mistakes.length === 0;
  const section = wrong?.section ?? '9112 6.3';
  if (isRegular) return { asks: 'valid', section };
  const isForbidden = kind === 'reject' && wrong?.authority === 'required by';
  return { asks: isForbidden ? 'MUST reject' : 'either', section };
}
