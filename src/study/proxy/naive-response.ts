/** How the naive proxy finds the end of a response (9112 §6.3). */
import { Unreadable } from '../../naive/naive-request';

/** The most bytes of a response. */
export const RESPONSE_LIMIT = 1_048_576;

export interface NaiveResponse {
  readonly text: string;
  /** Its status code and its reason phrase, such as "200 OK". */
  readonly status: string;
  /** Whether the final response is still to come (9110 §15.2). */
  readonly isInterim: boolean;
  /** Whether the server closes the connection after it. */
  readonly closes: boolean;
}

/** Reads the first response of some bytes, each of them one character.
 * @param method of the request: a response to HEAD has no content
 * @returns undefined where more bytes are needed
 * @throws Unreadable */
export function readResponse(text: string, method: string): NaiveResponse | undefined {
  if (text === '') return undefined;
  const start = 'HTTP/1.';
  const isResponse = text.startsWith(start) || start.startsWith(text);
  if (!isResponse) throw new Unreadable('The server sent something other than a response');
  const head = text.slice(0, text.indexOf('\r\n\r\n') + 4);
  const end = head.length < 4 ? undefined : findEnd(text, head, method);
  if (end === undefined || end > text.length) {
    const isTooLong = Math.max(end ?? 0, text.length) > RESPONSE_LIMIT;
    if (isTooLong) throw new Unreadable(`A response exceeds ${RESPONSE_LIMIT} bytes`);
    return undefined;
  }
  const [, status = '', code = ''] = /^HTTP\/1\.\d ((\d{3})[^\r\n]*)\r\n/.exec(head) ?? [];
  if (code === '') throw new Unreadable('The status line of a response is malformed');
  const closes = /^connection:.*\bclose\b/im.test(head) || /^HTTP\/1\.0/.test(head);
  return { text: text.slice(0, end), status, isInterim: code.startsWith('1'), closes };
}

function findEnd(text: string, head: string, method: string): number | undefined {
  if (method === 'HEAD' || /^HTTP\/1\.\d (?:1\d\d|204|304)/.test(head)) return head.length;
  if (/^transfer-encoding:/im.test(head)) return findLastChunk(text, head.length);
  const [, length] = /^content-length:[ \t]*(\d{1,15})[ \t]*\r$/im.exec(head) ?? [];
  if (length === undefined) throw new Unreadable('A response does not say how long it is');
  return head.length + Number(length);
}

/** @returns where the content ends, or undefined where more bytes are needed */
function findLastChunk(text: string, from: number): number | undefined {
  let at = from;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const [, digits] = /^([\da-f]{1,8})(?:;.*)?$/i.exec(text.slice(at, lineEnd)) ?? [];
    if (digits === undefined)
      throw new Unreadable('A chunk line of a response is malformed');
    const size = Number.parseInt(digits, 16);
    if (size === 0) {
      const trailerEnd = text.indexOf('\r\n\r\n', lineEnd);
      return trailerEnd < 0 ? undefined : trailerEnd + 4;
    }
    at = lineEnd + 2 + size + 2;
  }
}
