/** The responses in the bytes that a server sent. */
import { readResponse, type NaiveResponse } from '../../naive/naive-response';

export interface Received {
  /** The final responses that are complete, in order. */
  readonly responses: readonly NaiveResponse[];
  /** How many interim responses (1xx) there were. */
  readonly interim: number;
  /** The bytes from where something begins that is not an HTTP/1.x response. */
  readonly garbage: string | undefined;
}

/** @param text one character for each byte
 * @param isHead whether the first request has the method HEAD, so its response has no
 * content
 * @param hasEnded whether the server has closed its side */
export function readResponses(text: string, isHead: boolean, hasEnded: boolean): Received {
  const responses: NaiveResponse[] = [];
  let interim = 0;
  for (let at = 0; at < text.length;) {
    const found = readResponse(text, at, isHead && responses.length === 0);
    const isCut = found.kind === 'part' && hasEnded && !text.includes('\n', at);
    if (found.kind === 'garbage' || isCut) {
      return { responses, interim, garbage: text.slice(at) };
    }
    // Content without a length is complete when the connection has ended.
    if (found.kind === 'part' || (found.end === Infinity && !hasEnded)) break;
    if (found.isInterim) interim += 1;
    else responses.push(found);
    at = found.end;
  }
  return { responses, interim, garbage: undefined };
}
