/** The responses in the bytes that a server sent. */
import { ResponseReader, type ReceivedResponse } from '../response-reader';

export interface Received {
  /** The final responses that are complete, in order. */
  readonly responses: readonly Pick<ReceivedResponse, 'status' | 'persists' | 'fields'>[];
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
  const responses: ReceivedResponse[] = [];
  let interim = 0;
  let at = 0;
  // What follows a response that closes is read, too: the server did send it.
  while (at < text.length) {
    const methods = [isHead && responses.length === 0 ? 'HEAD' : 'GET'];
    const reader = new ResponseReader({ methods });
    reader.push(text.slice(at));
    if (hasEnded) reader.end();
    const from = at;
    for (;;) {
      const outcome = reader.next();
      if (outcome.kind === 'finished') break;
      if (outcome.kind === 'wait') return { responses, interim, garbage: undefined };
      if (outcome.kind === 'rejected') {
        // A response may end too early, but not within its first line.
        const isEnd = from + outcome.error.offset === text.length;
        const isPart = at === text.length || (isEnd && text.includes('\n', at));
        return { responses, interim, garbage: isPart ? undefined : text.slice(at) };
      }
      if (outcome.isInterim) interim += 1;
      else {
        responses.push(outcome);
        reader.await('GET');
      }
      at = from + outcome.offset + outcome.bytes.length;
    }
  }
  return { responses, interim, garbage: undefined };
}
