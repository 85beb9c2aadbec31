/** One connection of a client that is tried: what it asks, what it gets, and what it does
 * next. */
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterReal } from '../timer';
import { cite } from '../../http/protocol-error';
import { ReaderTrace } from '../../trace/reader-trace';
import type { Complete } from '../../http/outcome';
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
  readonly report: (report: Omit<ConnectionReport, 'connection'>) => void;
  /** Counts the requests of all connections. */
  readonly nextNumber: () => number;
  /** Seconds that the connection may last. */
  readonly timeout: number;
}

/** Pieces that are to leave apart need a moment between them. */
const APART_MS = 2;
/** What is repeated without end is sent in blocks, and ends after so many bytes. */
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
  /** What the request that is being read gets once it is complete. */
  private reply: { readonly asked: Asked; readonly script: string } | undefined;
  private sending = Promise.resolve();
  private waiting = 0;
  private readonly requests: string[] = [];
  private sent = 0;
  private end: ConnectionReport['end'] | undefined;
  private misuse: string | undefined;
  /** Why the client should not use the connection any more. */
  private isUnusable: string | undefined;
  private readonly gone = new AbortController();

  constructor(
    private readonly socket: Socket,
    private readonly options: ConnectionOptions,
  ) {
    const { emit, report, timeout } = options;
    let asked: Asked = { method: '', path: '' };
    this.reader = new RequestReader({
      trace: new ReaderTrace((event) => {
        emit(event);
        if (event.type === 'parse' && event.part === 'request line') {
          asked = { method: event.method, path: event.target.path };
        } else if (event.type === 'frame') this.choose(asked);
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
      emit({ type: 'gone', reason: 'the connection has ended', unsent: 0 });
      const { end = 'waited', misuse, requests, sent } = this;
      report({ end, misuse, requests, sent });
    });
  }

  /** Notes what the client did at last. */
  private note(end: ConnectionReport['end'], line: string): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.options.log(line);
  }

  private receive(bytes: Buffer): void {
    const { emit } = this.options;
    emit({ type: 'read', bytes: bytes.toString('latin1'), offset: this.reader.received });
    this.reader.push(bytes);
    for (;;) {
      const outcome = this.reader.next();
      if (outcome.kind === 'request') this.answer(outcome);
      else if (outcome.kind === 'rejected') {
        const { error, excerpt } = outcome;
        const { offset } = excerpt;
        const shown = { bytes: excerpt.bytes.toString('latin1'), offset };
        emit({ type: 'reject', error, excerpt: shown });
        this.options.log(`sends  no request: ${error.message}`);
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
  private choose(asked: Asked): void {
    try {
      const chosen = this.options.choose(asked);
      const { script, when } = typeof chosen === 'string' ? { script: chosen } : chosen;
      this.reply = { asked, script };
      if (when === 'head') this.respond(false);
    } catch (error) {
      this.options.log(`       gets nothing, because the program fails: ${String(error)}`);
      this.socket.destroy();
    }
  }

  private answer({ bytes, request }: Complete): void {
    const { log } = this.options;
    const name = printable(`${request.method} ${request.path}`);
    const isAgain = this.requests.length > 0;
    if (this.requests.length < REQUESTS_LIMIT) this.requests.push(name);
    log(`asks   ${name}, ${count(bytes)}${isAgain ? ', on the same connection' : ''}`);
    if (isAgain && this.isUnusable !== undefined) {
      this.misuse ??= this.isUnusable;
      log(`       although it should not: ${this.isUnusable}`);
    }
    this.respond(true);
  }

  /** Sends the reply after those that are being sent, unless it is among them.
   * @param isDue whether the request is complete */
  private respond(isDue: boolean): void {
    const { reply } = this;
    if (reply === undefined) return;
    const { asked, script } = reply;
    this.reply = undefined;
    this.client.await(asked.method);
    this.waiting += 1;
    if (this.waiting > REQUESTS_LIMIT) this.socket.destroy();
    this.sending = this.sending.then(() => {
      const { emit, nextNumber } = this.options;
      if (isDue) emit({ type: 'turn', request: nextNumber(), limit: 0, ...asked });
      return this.send(script);
    });
  }

  private async send(text: string): Promise<void> {
    const { options, socket } = this;
    const script = readScript(expand(text));
    const { ending } = script;
    const { signal } = this.gone;
    let part = 0;
    let last = '';
    for (const piece of piecesOf(script)) {
      if (typeof piece === 'number') {
        await setTimeout(Math.max(piece, APART_MS), undefined, { signal }).catch(() => {});
      } else if (piece !== '') {
        last = piece;
        part += 1;
        await this.write(piece, part);
      }
    }
    if (socket.writable) {
      options.log(`gets   ${count(script.bytes.length)}, ${ENDINGS[ending]}`);
    }
    const isEndless = ending === 'never' && last !== '';
    const block = isEndless ? last.repeat(Math.ceil(BLOCK_BYTES / last.length)) : '';
    while (isEndless && socket.writable && this.sent < ENDLESS_BYTES) {
      part += 1;
      await this.write(block, part);
    }
    this.waiting -= 1;
    if (ending === 'reset' || ending === 'close') {
      const how = ending === 'reset' ? 'a reset' : 'the connection';
      const reason = `the reply ends with ${how}`;
      options.emit({ type: 'close', reason, section: '9112 9.6' });
    }
    if (ending === 'reset') {
      this.note('reset', 'is reset by us');
      socket.resetAndDestroy();
    } else if (ending === 'close' || (this.end === 'closed' && this.waiting === 0)) {
      socket.end();
      this.client.end();
      this.follow();
    }
  }

  /** @param part counts the parts of a reply from 1 */
  private async write(text: string, part: number): Promise<void> {
    const { options, socket } = this;
    if (!socket.writable) return;
    const responses = [{ text, length: text.length }];
    options.emit({ type: 'write', responses, isSent: true, part });
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
