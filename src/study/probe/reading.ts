/** What its responses tell of how a server has read the bytes of a case. */
import { isValid, type Case } from '../cases';
import type { Conversation } from './conversation';
import { findFaults } from './response-rules';

/** What a server does with a request that is well-formed and harmless. */
export interface Baseline {
  /** The status of its response to such a GET and such a POST, which is no rejection. */
  readonly get: number;
  readonly post: number;
  /** It closes where the request asks it to. */
  readonly closes: boolean;
  /** It responds to a POST before it has read the content. So the status says nothing of
   * mistakes in the content, but a connection that stays open says that there are none. */
  readonly isEarly: boolean;
  /** The connection stays open after such a response, if the content is well-formed. */
  readonly persists: boolean;
}

export interface Reading {
  /** - accepted: the first response is not a rejection
   *  - rejected: it is one, or the server closes without a response, or after a response
   *    that came before the content
   *  - silent: the server is still waiting for more when the time is up
   *  - unclear: it responds to every POST before it has read the content, and closes
   *  - unreadable: it sends something other than HTTP/1.x, or there was no conversation */
  readonly result: 'accepted' | 'rejected' | 'silent' | 'unclear' | 'unreadable';
  /** The statuses of the responses to the case, without that to the next request. */
  readonly statuses: readonly number[];
  /** What became of the connection and of the next request on it:
   *  - open: the next request got a response of its own, so both ends agree where the case
   *    ends
   *  - closed: the server closed before that
   *  - lost: the next request got no response, or had to complete the case
   *  - unclosed: the server said that it would close, and did not */
  readonly end: 'open' | 'closed' | 'lost' | 'unclosed';
  /** How many requests the server has found in the case and accepted. */
  readonly requests: number;
  /** What is unreadable, or why there was no conversation. */
  readonly note: string;
  /** The names of the rules for responses that it has broken. */
  readonly faults: readonly string[];
}

/** The statuses by which a server rejects a message, rather than what it asks for. */
const REJECTIONS: ReadonlySet<number> = new Set([
  400, 403, 406, 408, 409, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431,
  494,
]);

export function interpret(
  conversation: Conversation,
  baseline: Baseline,
  request: string,
): Reading {
  const { responses, followedAfter, hasEnded, garbage, problem } = conversation;
  const [method = ''] = request.split(' ', 1);
  const faults = findFaults(request, conversation);
  const plain = method === 'POST' ? [baseline.get, baseline.post] : [baseline.get];
  const isRejection = (status: number): boolean =>
    !plain.includes(status) && (REJECTIONS.has(status) || status >= 500);
  // Only a 2xx response accepts CONNECT, and every server has to know GET (9110 §9.1).
  const rejects = (status: number): boolean =>
    isRejection(status) ||
    (method === 'CONNECT' && status >= 300) ||
    (method === 'GET' && status === 405 && !plain.includes(status));
  const statuses = responses.map(({ status }) => status);
  const note = problem ?? (garbage === undefined ? '' : nameGarbage(garbage));

  const [first] = responses;
  const last = responses.at(-1);
  if (first === undefined || last === undefined || problem !== undefined) {
    const end = hasEnded ? 'closed' : 'lost';
    const unheard = hasEnded ? 'rejected' : 'silent';
    const result = note === '' ? unheard : 'unreadable';
    return { result, statuses: [], end, requests: 0, note, faults };
  }
  const result = rejects(first.status) ? 'rejected' : 'accepted';
  // The last response is that to the next request, which asked to close, if it says that it
  // closes.
  const isNextAnswered =
    followedAfter !== undefined &&
    responses.length > Math.max(followedAfter, 1) &&
    !isRejection(last.status) &&
    (!baseline.closes || (hasEnded && !last.persists));
  if (isNextAnswered) statuses.pop();
  const requests = statuses.filter((status) => !rejects(status)).length;
  const hasCompletedTheCase = followedAfter === 0 && result === 'accepted';
  let end: Reading['end'] = 'lost';
  if (isNextAnswered) end = 'open';
  else if (!hasCompletedTheCase && hasEnded) end = 'closed';
  else if (!hasCompletedTheCase && !last.persists) end = 'unclosed';
  const reading = { result, statuses, end, requests, note, faults } as const;
  const isHidden = baseline.isEarly && method === 'POST' && result === 'accepted';
  if (!isHidden || end === 'open' || end === 'lost') return reading;
  const tells = baseline.persists && !mustClose(request);
  return { ...reading, result: tells ? 'rejected' : 'unclear', requests: 0 };
}

/** Whether a server that accepts the request closes the connection: after HTTP/1.0 (9112
 * §9.3), and after two lengths (9112 §6.1). */
function mustClose(request: string): boolean {
  const [head = ''] = request.split('\r\n\r\n', 1);
  const hasBoth = /^transfer-encoding:/im.test(head) && /^content-length:/im.test(head);
  return hasBoth || /^\S+ \S+ HTTP\/1\.0(?!\d)/.test(head);
}

/** What a server sends that is no HTTP/1.x response: perhaps a frame of HTTP/2, of type
 * SETTINGS or GOAWAY (RFC 9113 section 6). A response of HTTP/0.9 has no status line. */
const nameGarbage = (text: string): string =>
  /^\0\0[^][\x04\x07]/.test(text) ? 'HTTP/2' : 'no status line';

/** What is wrong with how a server has read a case, by the RFC:
 *  - broken: it accepts what it MUST reject, or reads on where it MUST close
 *  - rejected: it rejects what is valid */
export function judge(
  one: Case,
  { result, statuses, end }: Reading,
): 'broken' | 'rejected' | '' {
  const [status] = statuses;
  if (isValid(one)) {
    const isRight = status !== undefined && one.alsoRight?.includes(status) === true;
    return result === 'rejected' && !isRight ? 'rejected' : '';
  }
  if (one.authority !== 'required by') return '';
  // With an invalid length, nobody knows where the next request would begin.
  const isEndUnknown = one.section === '9112 6.3';
  const readsOn = result === 'rejected' && (end === 'open' || statuses.length > 1);
  return result === 'accepted' || (isEndUnknown && readsOn) ? 'broken' : '';
}

/** Whether two servers that both accept the first request of a case count differently from
 * there: one of them has found another number of requests, or no longer knows where the
 * next one begins. Where one rejects, nothing gets past it; and where one has closed, it
 * has found no more. */
export function isGap(one: Reading, other: Reading): boolean {
  if (one.result !== 'accepted' || other.result !== 'accepted') return false;
  const [fewer, more] = one.requests < other.requests ? [one, other] : [other, one];
  if (fewer.requests !== more.requests) return !isClosedInStep(fewer);
  return (
    !isClosedInStep(one) && !isClosedInStep(other) && isInStep(one) !== isInStep(other)
  );
}

/** A server that closes after what it has accepted tells nothing of what follows. */
const isClosedInStep = ({ end, statuses, requests }: Reading): boolean =>
  (end === 'closed' || end === 'unclosed') && statuses.length === requests;
const isInStep = ({ end, statuses, requests }: Reading): boolean =>
  end === 'open' && statuses.length === requests;
