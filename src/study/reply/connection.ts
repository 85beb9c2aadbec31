/** One connection of a client that is tried: what it asks, what it gets, and what it does
 * next. */
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterReal } from '../timer';
import { cite } from '../../http/protocol-error';
import { ReaderTrace } from '../../http/reader-trace';
import { RequestReader } from '../../http/request-reader';
import { count, printable } from '../../text/text';
import type { ConnectionEvent } from '../../trace/events';
import { expand, piecesOf, readScript, type Ending } from '../bytes';
import { ResponseReader } from '../response-reader';
import type { ReplyCase } from './cases';

/** A response in the notation of study/bytes.ts, and when it is sent. */
export type Reply = string | Pick<ReplyCase, 'script' | 'when'>;

/** What is known of a request once its request line is. */
export interface Asked {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
}

/** What a client did on a connection. */
export interface ConnectionReport {
  /** Connections count from 1. */
  readonly connection: number;
  /** The first of its requests: "GET /tasks". */
  readonly requests: readonly string[];
  /** How many bytes it was sent. */
  readonly sent: number;
  /** What it did at last: it closed its side, or the connection was reset, or it did neither
   * in time. */
  readonly end: 'closed' | 'reset' | 'waited';
  /** Why it should not have sent a further request on the connection, if it did. */
  readonly misuse: string | undefined;
}

export interface ConnectionOptions {
  readonly choose: (request: Asked) => Reply;
  readonly log: (line: string) => void;
  readonly emit: (event: ConnectionEvent) => void;
  readonly report: (report: ConnectionReport) => void;
  /** Counts the requests of all connections. */
  readonly nextNumber: () => number;
  /** Seconds that the connection may last. */
  readonly timeout: number;
}

/** Pieces that are to leave apart need a moment between them. */
const APART_MS = 2;
/** What is repeated without end is sent in blocks, and ends after all. */
const BLOCK_BYTES = 4096;
const ENDLESS_BYTES = 67_108_864;
/** The most requests that may wait for their response, and that a report names. */
const REQUESTS_LIMIT = 100;

const ENDINGS: Readonly<Record<Ending, string>> = {
  stay: 'and the connection stays open',
  close: 'then the end',
  reset: 'then a reset',
  never: 'then the last part again and again',
};

export class ReplyConnection {
  private readonly reader: RequestReader;
  /** Reads what is sent, as the client should. */
  private readonly client = new ResponseReader({ methods: [] });
  private readonly requests: string[] = [];
  /** Of the request that is being read. */
  private asked: Asked = { method: '', path: '' };
  /** What it gets once it is complete. */
  private reply: Exclude<Reply, string> | undefined;
  private sending = Promise.resolve();
  private waiting = 0;
  /** How many parts of its reply the last request has got. */
  private parts = 0;
  private sent = 0;
  private end: ConnectionReport['end'] | undefined;
  /** Why the client should not use the connection any more. */
  private isUnusable: string | undefined;
  private misuse: string | undefined;
  private readonly gone = new AbortController();

  constructor(
    private readonly socket: Socket,
    private readonly number: number,
    private readonly options: ConnectionOptions,
  ) {
    const { emit, timeout } = options;
    this.reader = new RequestReader({
      trace: new ReaderTrace((event) => {
        emit(event);
        if (event.type === 'parse' && event.part === 'request line') {
          this.asked = { method: event.method, path: event.target.path };
        } else if (event.type === 'frame') this.answerHead();
      }),
    });
    emit({ type: 'open', remoteAddress: socket.remoteAddress });
    const stopTimer = afterReal(timeout * 1000, () => {
      this.note('waited', `waits  still, after ${timeout} s`);
      socket.destroy();
    });
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.receive(bytes));
    socket.on('end', () => {
      emit({ type: 'end' });
      this.note('closed', `closes after ${count(this.sent)}`);
      if (this.waiting === 0) socket.end();
    });
    socket.on('error', () => this.note('reset', `resets after ${count(this.sent)}`));
    socket.on('close', () => {
      stopTimer();
      this.gone.abort();
      const { end = 'waited', misuse, number: connection, requests, sent } = this;
      emit({ type: 'gone', reason: 'the connection has ended', unsent: 0 });
      options.report({ connection, requests, sent, end, misuse });
    });
  }

  private log(line: string): void {
    this.options.log(`c${this.number} ${line}`);
  }

  /** Notes what the client did at last. */
  private note(end: ConnectionReport['end'], line: string): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.log(line);
  }

  private receive(bytes: Buffer): void {
    const { emit } = this.options;
    emit({ type: 'read', bytes: bytes.toString('latin1'), offset: this.reader.received });
    this.reader.push(bytes);
    for (;;) {
      const outcome = this.reader.next();
      if (outcome.kind === 'request') this.answer(outcome.bytes);
      else if (outcome.kind === 'rejected') {
        const { error, excerpt } = outcome;
        const { offset } = excerpt;
        const shown = { bytes: excerpt.bytes.toString('latin1'), offset };
        emit({ type: 'reject', error, excerpt: shown });
        this.log(`sends  no request: ${error.message}`);
        this.socket.end();
        return;
      } else if (outcome.kind === 'wait') {
        const { inRequest, missing, section } = outcome;
        if (inRequest) emit({ type: 'wait', missing, section, seconds: undefined });
        return;
      } else if (outcome.kind === 'finished') return;
    }
  }

  /** The header section is complete: responds at once if the reply is to come then. */
  private answerHead(): void {
    try {
      const reply = this.options.choose(this.asked);
      this.reply = typeof reply === 'string' ? { script: reply } : reply;
      if (this.reply.when === 'head') this.sendReply(false);
    } catch (error) {
      this.log(`       gets nothing, because the program fails: ${String(error)}`);
      this.socket.destroy();
    }
  }

  /** @param size of the whole request */
  private answer(size: number): void {
    const name = printable(`${this.asked.method} ${this.asked.path}`);
    const isAgain = this.requests.length > 0;
    if (this.requests.length < REQUESTS_LIMIT) this.requests.push(name);
    this.log(`asks   ${name}, ${count(size)}${isAgain ? ', on the same connection' : ''}`);
    if (isAgain && this.isUnusable !== undefined) {
      this.misuse ??= this.isUnusable;
      this.log(`       although it should not: ${this.isUnusable}`);
    }
    this.sendReply(true);
  }

  /** Sends the reply after those that are being sent, unless it is among them.
   * @param isDue whether the request is complete */
  private sendReply(isDue: boolean): void {
    const { asked, reply } = this;
    if (reply === undefined) return;
    this.reply = undefined;
    this.client.await(asked.method);
    this.waiting += 1;
    if (this.waiting > REQUESTS_LIMIT) this.socket.destroy();
    this.sending = this.sending.then(() => {
      this.parts = 0;
      const { emit, nextNumber } = this.options;
      if (isDue) emit({ type: 'turn', request: nextNumber(), limit: 0, ...asked });
      return this.send(reply.script);
    });
  }

  private async send(text: string): Promise<void> {
    const script = readScript(expand(text));
    const pieces = piecesOf(script);
    const { ending } = script;
    const { signal } = this.gone;
    for (const piece of pieces) {
      if (typeof piece === 'string') await this.write(piece);
      else {
        await setTimeout(Math.max(piece, APART_MS), undefined, { signal }).catch(() => {});
      }
    }
    if (this.socket.writable) {
      this.log(`gets   ${count(script.bytes.length)}, ${ENDINGS[ending]}`);
    }
    const last = String(pieces.filter((piece) => piece !== '').at(-1) ?? '');
    const block = last.repeat(Math.ceil(BLOCK_BYTES / Math.max(1, last.length)));
    while (ending === 'never' && this.socket.writable && this.sent < ENDLESS_BYTES) {
      await this.write(block);
    }
    this.waiting -= 1;
    const reason = `the reply ends with ${ending === 'reset' ? 'a reset' : 'the connection'}`;
    if (ending === 'reset' || ending === 'close')
      this.options.emit({ type: 'close', reason, section: '9112 9.6' });
    if (ending === 'reset') {
      this.note('reset', 'is reset by us');
      this.socket.resetAndDestroy();
    } else if (ending === 'close' || (this.end === 'closed' && this.waiting === 0)) {
      this.socket.end();
      this.client.end();
      this.follow();
    }
  }

  private async write(text: string): Promise<void> {
    const { options, socket } = this;
    if (text === '' || !socket.writable) return;
    this.parts += 1;
    const lengths = [text.length];
    options.emit({ type: 'write', text, isSent: true, lengths, part: this.parts });
    const error = await new Promise((done) => socket.write(text, 'latin1', done));
    if (error) return;
    this.sent += text.length;
    if (this.isUnusable === undefined) this.client.push(text);
    this.follow();
  }

  /** Reads what was sent, as far as it decides whether the client may ask again. */
  private follow(): void {
    while (this.isUnusable === undefined) {
      const outcome = this.client.next();
      const isResponse = outcome.kind === 'response';
      const { mistakes } = isResponse ? outcome : this.client;
      const forbidden = mistakes.find(({ authority }) => authority === 'required by');
      if (forbidden !== undefined) this.isUnusable = forbidden.message;
      else if (outcome.kind === 'rejected') this.isUnusable = outcome.error.message;
      else if (isResponse && !outcome.persists) {
        this.isUnusable = `the response before it was the last (${cite('9112 9.6')})`;
      }
      if (!isResponse) return;
    }
  }
}
