/** One conversation with a server: the bytes of a case, then a harmless request whose
 * response tells whether the server has found the end of the case where it is. */
import { connect } from 'node:net';
import { afterReal, type After } from '../timer';
import { ResponseReader, type ReceivedResponse } from '../response-reader';

export interface Peer {
  readonly host: string;
  readonly port: number;
}

/** What a server has sent. */
export interface Received {
  /** The final responses that are complete, in order. */
  readonly responses: readonly Pick<ReceivedResponse, 'status' | 'persists' | 'fields'>[];
  /** How many interim responses (1xx) there were. */
  readonly interim: number;
  /** The bytes from where something begins that is not an HTTP/1.x response. */
  readonly garbage: string | undefined;
}

export interface Conversation extends Received {
  /** How many final responses had arrived when the next request was sent, if it was
   * sent. */
  readonly followedAfter: number | undefined;
  /** The server closed its side, or reset the connection. */
  readonly hasEnded: boolean;
  /** Why there was no conversation, or why it was given up. */
  readonly problem: string | undefined;
}

/** How long a conversation may take, how long the server may be silent before the next
 * request is sent anyway, and how much of what it sends is read. */
const CONVERSATION_MS = 3000;
export const SILENCE_MS = 1000;
const READ_LIMIT = 1_048_576;
/** The most responses that are read. No case has as many requests. */
const RESPONSES_LIMIT = 10;

export const NOBODY = 'nobody listens there';
const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: NOBODY,
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved',
};

interface Options {
  /** The request to send next, which asks the server to close. */
  readonly next?: string | undefined;
  /** The client closes its sending side. */
  readonly ends?: boolean;
  /** How long it may take, in milliseconds. */
  readonly limit?: number | undefined;
  readonly after?: After;
}

/** @param request one character for each byte
 * @returns what the server did; it never rejects */
export function converse(
  peer: Peer,
  request: string,
  { next, ends = false, limit = CONVERSATION_MS, after = afterReal }: Options,
): Promise<Conversation> {
  return new Promise((resolve) => {
    let text = '';
    let followedAfter: number | undefined;
    let hasEnded = false;
    const socket = connect({ ...peer, noDelay: true });
    const received = (): Received => readResponses(text, request, hasEnded);
    const finish = (problem?: string): void => {
      for (const stop of timers) stop();
      socket.destroy();
      resolve({ ...received(), followedAfter, hasEnded, problem });
    };
    const sendNext = (responses: number): void => {
      if (next === undefined || followedAfter !== undefined) return;
      followedAfter = responses;
      socket.write(next, 'latin1');
    };
    const timers = [
      after(limit, () =>
        finish(socket.connecting ? 'it accepts no connection within 3 seconds' : undefined),
      ),
    ];

    socket.on('connect', () => {
      socket.write(request, 'latin1');
      if (ends) socket.end();
      const onSilence = (): void => {
        if (received().responses.length === 0) sendNext(0);
      };
      timers.push(after(SILENCE_MS, onSilence));
    });
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const { garbage, interim, responses } = received();
      if (text.length > READ_LIMIT) finish(`it sends more than ${READ_LIMIT} bytes`);
      else if (responses.length + interim > RESPONSES_LIMIT) {
        finish(`it sends more than ${RESPONSES_LIMIT} responses`);
      } else if (garbage !== undefined) finish();
      else if (responses.at(-1)?.persists === true) sendNext(responses.length);
    });
    socket.on('end', () => (hasEnded = true));
    socket.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET' || code === 'EPIPE') hasEnded = true;
      else finish(PROBLEMS[code ?? ''] ?? message);
    });
    socket.on('close', () => finish());
  });
}

/** Reads all responses that a server has sent, also what follows one after which it should
 * have closed. */
export function readResponses(text: string, request: string, hasEnded: boolean): Received {
  const responses: ReceivedResponse[] = [];
  let interim = 0;
  let rest = text;
  const readerOf = (method: string): ResponseReader => {
    const reader = new ResponseReader({ methods: [method] });
    reader.push(rest);
    if (hasEnded) reader.end();
    return reader;
  };
  let reader = readerOf(request.startsWith('HEAD ') ? 'HEAD' : 'GET');
  for (;;) {
    const outcome = reader.next();
    if (outcome.kind === 'response') {
      rest = rest.slice(outcome.bytes.length);
      if (outcome.isInterim) interim += 1;
      else responses.push(outcome);
      if (!outcome.isInterim) reader.await('GET');
    } else if (outcome.kind === 'finished' && rest !== '') reader = readerOf('GET');
    else {
      // A response may end too early, but not within its first line.
      const isCut = hasEnded && rest.includes('\n');
      const isGarbage = outcome.kind === 'rejected' && rest !== '' && !isCut;
      return { responses, interim, garbage: isGarbage ? rest : undefined };
    }
  }
}
