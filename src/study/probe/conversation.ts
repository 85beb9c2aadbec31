/** One conversation with a server: the bytes of a case, then a harmless request whose
 * response tells whether the server has found the end of the case where it is. */
import { connect } from 'node:net';
import { afterReal, type After } from '../../command/timer';
import { readResponses, type Received } from './responses';

export interface Peer {
  readonly host: string;
  readonly port: number;
}

/** How long a conversation may take, how long the server may be silent before the next
 * request is sent anyway, and how much of what it sends is read. */
const CONVERSATION_MS = 3000;
const SILENCE_MS = 1000;
const READ_LIMIT = 1_048_576;
/** The most responses that are read. No case has as many requests. */
const RESPONSES_LIMIT = 10;

export interface Conversation extends Received {
  /** How many final responses had arrived when the next request was sent, if it was
   * sent. */
  readonly followedAfter: number | undefined;
  /** The server closed its side, or reset the connection. */
  readonly hasEnded: boolean;
  /** Why there was no conversation, or why it was given up. */
  readonly problem: string | undefined;
}

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
  /** Listens for a whole conversation, rather than for a second after the last byte. */
  readonly isPatient: boolean;
  readonly after?: After;
}

/** @param request one character for each byte
 * @returns what the server did; it never rejects */
export function converse(
  peer: Peer,
  request: string,
  options: Options,
): Promise<Conversation> {
  const { next, ends = false, isPatient, after = afterReal } = options;
  const isHead = request.startsWith('HEAD ');
  return new Promise((resolve) => {
    let text = '';
    let received = readResponses('', isHead, false);
    let followedAfter: number | undefined;
    let hasEnded = false;

    const socket = connect({ ...peer, noDelay: true });
    const finish = (problem?: string): void => {
      stopSilence();
      stopLimit();
      socket.destroy();
      resolve({ ...received, followedAfter, hasEnded, problem });
    };
    const stopLimit = after(CONVERSATION_MS, () =>
      finish(socket.connecting ? 'it accepts no connection within 3 seconds' : undefined),
    );
    const sendNext = (): void => {
      const mayFollow = next !== undefined && followedAfter === undefined;
      if (!mayFollow || socket.connecting || received.responses.at(-1)?.persists === false)
        return;
      followedAfter = received.responses.length;
      socket.write(next, 'latin1');
    };
    const onSilence = (): void => {
      const isWaiting = followedAfter === undefined && next !== undefined;
      if (isWaiting && received.responses.length === 0) {
        sendNext();
        stopSilence = after(SILENCE_MS, onSilence);
      } else if (!isPatient) finish();
    };
    let stopSilence = after(SILENCE_MS, onSilence);

    socket.on('connect', () => {
      socket.write(request, 'latin1');
      if (ends) socket.end();
    });
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      received = readResponses(text, isHead, false);
      stopSilence();
      stopSilence = after(SILENCE_MS, onSilence);
      if (text.length > READ_LIMIT) finish(`it sends more than ${READ_LIMIT} bytes`);
      else if (received.responses.length > RESPONSES_LIMIT) {
        finish(`it sends more than ${RESPONSES_LIMIT} responses`);
      } else if (received.garbage !== undefined) finish();
      else if (received.responses.length > 0) sendNext();
    });
    socket.on('end', () => (hasEnded = true));
    socket.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET' || code === 'EPIPE') hasEnded = true;
      else finish(PROBLEMS[code ?? ''] ?? message);
    });
    socket.on('close', () => {
      received = readResponses(text, isHead, true);
      finish();
    });
  });
}
