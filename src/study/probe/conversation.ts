/** One conversation with a server: the bytes of a case, then a harmless request whose
 * response tells whether the server has found the end of the case where it is. */
import { connect } from 'node:net';
import { afterReal, type After } from '../timer';
import { ResponseReader, type ReceivedResponse } from '../response-reader';

export interface Peer {
  readonly host: string;
  readonly port: number;
}

export interface Conversation {
  /** The final responses that are complete, in order. */
  readonly responses: readonly Pick<ReceivedResponse, 'status' | 'persists' | 'fields'>[];
  /** How many interim responses (1xx) there were. */
  readonly interim: number;
  /** The bytes from where something begins that is not an HTTP/1.x response. */
  readonly garbage: string | undefined;
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
const SILENCE_MS = 1000;
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
  /** Listens for a whole conversation, rather than for a second after the last byte. */
  readonly isPatient: boolean;
  readonly after?: After;
}

/** @param request one character for each byte
 * @returns what the server did; it never rejects */
export function converse(
  peer: Peer,
  request: string,
  { next, ends = false, isPatient, after = afterReal }: Options,
): Promise<Conversation> {
  return new Promise((resolve) => {
    const received = new Received(request.startsWith('HEAD ') ? 'HEAD' : 'GET');
    const { responses } = received;
    let size = 0;
    let followedAfter: number | undefined;
    let hasEnded = false;

    const socket = connect({ ...peer, noDelay: true });
    const finish = (problem?: string): void => {
      stopSilence();
      stopLimit();
      socket.destroy();
      const { garbage, interim } = received;
      resolve({ responses, interim, garbage, followedAfter, hasEnded, problem });
    };
    const stopLimit = after(CONVERSATION_MS, () =>
      finish(socket.connecting ? 'it accepts no connection within 3 seconds' : undefined),
    );
    const sendNext = (): void => {
      if (next === undefined || followedAfter !== undefined || socket.connecting) return;
      if (responses.at(-1)?.persists === false) return;
      followedAfter = responses.length;
      socket.write(next, 'latin1');
    };
    const onSilence = (): void => {
      const isWaiting = followedAfter === undefined && next !== undefined;
      if (isWaiting && responses.length === 0) {
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
      size += bytes.length;
      received.push(bytes.toString('latin1'));
      stopSilence();
      stopSilence = after(SILENCE_MS, onSilence);
      if (size > READ_LIMIT) finish(`it sends more than ${READ_LIMIT} bytes`);
      else if (responses.length > RESPONSES_LIMIT) {
        finish(`it sends more than ${RESPONSES_LIMIT} responses`);
      } else if (received.garbage !== undefined) finish();
      else if (responses.length > 0) sendNext();
    });
    socket.on('end', () => (hasEnded = true));
    socket.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET' || code === 'EPIPE') hasEnded = true;
      else finish(PROBLEMS[code ?? ''] ?? message);
    });
    socket.on('close', () => {
      received.end();
      finish();
    });
  });
}

/** Reads all responses that a server sends, also what follows one after which it should have
 * closed. */
export class Received {
  readonly responses: ReceivedResponse[] = [];
  interim = 0;
  garbage: string | undefined;
  /** What has arrived since the last complete response. */
  private rest = '';
  private reader: ResponseReader;

  /** @param method of the first request */
  constructor(method: string) {
    this.reader = new ResponseReader({ methods: [method] });
  }

  push(text: string): void {
    this.rest += text;
    this.reader.push(text);
    if (this.isRejected()) this.garbage ??= this.rest;
  }

  /** A response may end too early, but not within its first line. */
  end(): void {
    this.reader.end();
    const isCut = this.rest.includes('\n');
    if (this.isRejected() && !isCut) this.garbage ??= this.rest;
  }

  /** @returns whether something is no response, having read all before it */
  private isRejected(): boolean {
    for (;;) {
      const outcome = this.reader.next();
      if (outcome.kind === 'response') {
        this.rest = this.rest.slice(outcome.bytes.length);
        if (outcome.isInterim) this.interim += 1;
        else this.responses.push(outcome);
        if (!outcome.isInterim) this.reader.await('GET');
      } else if (outcome.kind === 'finished' && outcome.unread !== '') {
        this.reader = new ResponseReader();
        this.reader.push(outcome.unread);
      } else return outcome.kind === 'rejected' && this.rest !== '';
    }
  }
}
