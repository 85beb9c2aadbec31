/**
 * One connection: what it has received becomes requests, each request waits for its turn, and the answers go out in their order.
 * Knows the socket, and nothing of what a request or an answer looks like in octets.
 */
import type { Socket } from 'node:net';
import type { Failure } from '../http/failure';
import type { Request, Service } from '../http/message';
import { CLIENT_DONE, LAST_ANSWER, type Persistence } from '../http/persistence';
import { RequestReader } from '../http/request-reader';
import { CONTINUE, refusal, type ResponseWriter } from '../http/response-writer';
import { next, type Table } from './machine';
import type { Queue, Waiting } from './queue';
import type { ConnectionEvent } from './trace';

/**
 * reading    no complete request is here: octets go to the reader
 * queued     holds a complete request and waits for its turn
 * blocked    has a request, but does not take the answers to those before: it gets no turn until it does
 * lingering  nothing more is answered: what comes is dropped until the client closes too (9112 §9.6)
 */
type State = 'reading' | 'queued' | 'blocked' | 'lingering' | 'closed';
/** What a client does: it sends, sends no more, takes what was written, is gone. */
type Peer = 'octets' | 'end' | 'drained' | 'gone';
/** What comes of it: a request is complete, or refused; its turn finds the way out full, or is answered; the time is over. */
type Own = 'complete' | 'refused' | 'full' | 'answered' | 'answeredLast' | 'silent' | 'expired' | 'stopped';

export const CONNECTION = {
  reading: { octets: 'reading', end: 'reading', drained: 'reading', gone: 'closed', complete: 'queued', refused: 'lingering', silent: 'lingering', stopped: 'lingering' },
  queued: { octets: 'queued', end: 'queued', drained: 'queued', gone: 'closed', full: 'blocked', answered: 'reading', answeredLast: 'lingering', stopped: 'lingering' },
  blocked: { octets: 'blocked', end: 'blocked', drained: 'queued', gone: 'closed', expired: 'closed', stopped: 'lingering' },
  lingering: { octets: 'lingering', end: 'lingering', drained: 'lingering', gone: 'closed', expired: 'closed', stopped: 'lingering' },
  closed: { octets: 'closed', end: 'closed', drained: 'closed', gone: 'closed', expired: 'closed' },
} as const satisfies Table<State, Peer, Own>;

/** Octets read ahead while a request waits. A client that sends more is not read from until its turn has come. */
const READ_AHEAD = 65_536;
/** Octets of answers gathered before they are written. */
const WRITE_AHEAD = 65_536;
/** A closing connection is read from for so long and so far, that the answer be read before a reset can overtake it (9112 §9.6): with a sweep more, at most 2 s. */
const LINGER_SECONDS = 1.5;
const LINGER_OCTETS = 1_048_576;

/** Why our side is closed, and where that is written. */
type Reason = Pick<Persistence, 'why' | 'section'>;
const REFUSED: Reason = { why: 'nothing is read behind a refusal', section: '9112 9.6' };
const NOTHING_MORE: Reason = { why: 'the client sends no more, and everything is answered', section: '9112 9.6' };
const IDLE: Reason = { why: 'no request came in time', section: '9112 9.5' };
const STOPPED: Reason = { why: 'the server stops', section: '9112 9.6' };

/** What a connection needs of the server that it belongs to. */
export interface Surroundings {
  readonly service: Service;
  readonly writer: ResponseWriter;
  readonly queue: Queue<Connection>;
  /** Seconds. */
  readonly requestTimeout: number;
  readonly idleTimeout: number;
  /** @returns how many sweeps it takes until so many seconds are over for certain */
  sweeps(seconds: number): number;
  /** Counts a request and logs it. @returns whether it is the last one to be handled */
  handled(connection: Connection, request: Request): boolean;
  /** Nothing of a connection is left to send: its last answer has left the process, or nobody is there to take it. Once for each connection. */
  flushed(connection: Connection): void;
  /** Where somebody follows. */
  readonly tell: ((connection: Connection, event: ConnectionEvent) => void) | undefined;
}

export class Connection implements Waiting {
  private state: State = 'reading';
  /** Made at the first octet of a request, for most connections that are open are idle. */
  private reader: RequestReader | undefined;
  /** The request that waits for its turn, and what its answer does to the connection. */
  private held: { readonly request: Request; readonly persistence: Persistence } | undefined;
  /** What is written when the turns are over. */
  private out = '';
  /** Whether our side is closed, and why it is or will be. */
  private ended = false;
  private reason = STOPPED;
  private dropped = 0;
  /** How many sweeps what is waited for may still take. */
  private patience: number;

  constructor(
    readonly number: number,
    private readonly socket: Socket,
    private readonly around: Surroundings,
  ) {
    this.patience = around.sweeps(around.requestTimeout);
    around.tell?.(this, { type: 'open', remote: `${socket.remoteAddress?.replace('::ffff:', '')}:${socket.remotePort}` });
  }

  /** Octets have come. They must not be changed afterwards. */
  octets(octets: Buffer): void {
    this.move('octets');
    if (this.state === 'lingering') return this.drop(octets.length);
    if (this.state === 'closed') return;
    const reader = (this.reader ??= this.newReader());
    this.around.tell?.(this, { type: 'read', octets, offset: reader.received });
    const wasInRequest = reader.inRequest;
    reader.push(octets);
    if (this.state === 'reading') this.read(reader, wasInRequest);
    else if (reader.unread > READ_AHEAD) this.socket.pause();
    this.flush();
  }

  /** The client sends no more. */
  end(): void {
    this.move('end');
    this.around.tell?.(this, { type: 'end' });
    this.reader?.end();
    if (this.state !== 'reading') return;
    if (this.reader === undefined) this.linger('silent', NOTHING_MORE);
    else this.read(this.reader, this.reader.inRequest);
    this.flush();
  }

  /** The client has taken what was written. */
  drained(): void {
    const wasBlocked = this.state === 'blocked';
    this.move('drained');
    if (wasBlocked) this.queue();
  }

  /** Nobody is there any more. A place in the queue stays, and its turn passes on. */
  gone(): void {
    this.move('gone');
    this.reader = this.held = undefined;
    this.around.tell?.(this, { type: 'gone' });
    if (!this.ended) this.around.flushed(this);
  }

  turn(): void {
    if (this.state !== 'queued' || this.held === undefined) return;
    const { around, reader } = this;
    if (this.socket.writableNeedDrain) {
      around.tell?.(this, { type: 'full' });
      this.patience = around.sweeps(around.requestTimeout);
      return this.move('full');
    }
    const { request } = this.held;
    const last = around.handled(this, request);
    const persistence = last ? LAST_ANSWER : reader?.isFinished === true ? CLIENT_DONE : this.held.persistence;
    const way: string[] | undefined = around.tell && [];
    const response = around.service(request, way && ((state, answer, to) => void way.push(...(way.length === 0 ? [state] : []), answer, to)));
    if (way !== undefined) around.tell?.(this, { type: 'route', way, status: response.status });
    this.held = undefined;
    this.out += around.writer.write(response, request.method, persistence.says);
    if (!persistence.persists) return this.linger('answeredLast', persistence);
    this.move('answered');
    this.patience = around.sweeps(around.idleTimeout);
    if (reader !== undefined) this.read(reader, false);
    if (this.out.length > WRITE_AHEAD) this.flush();
  }

  flush(): void {
    const { around, out } = this;
    if (this.ended || (out === '' && this.state !== 'lingering')) return;
    this.out = '';
    if (out !== '') around.tell?.(this, { type: 'write', text: out });
    if (this.state !== 'lingering') {
      this.socket.write(out, 'latin1');
      if (this.state === 'reading' && this.reader?.inRequest !== true) around.tell?.(this, { type: 'idle', seconds: around.idleTimeout });
      return;
    }
    this.ended = true;
    around.tell?.(this, { type: 'close', ...this.reason });
    this.socket.end(out, 'latin1', () => {
      this.patience = around.sweeps(LINGER_SECONDS);
      around.flushed(this);
    });
  }

  /** No request is handled any more: what is written already goes out, and no more. */
  stop(): void {
    if (this.state === 'closed') return;
    this.linger('stopped', STOPPED);
    this.flush();
  }

  /** Called at every sweep: one less is left to wait. */
  swept(): void {
    this.patience -= 1;
    if (this.patience > 0) return;
    if (this.state === 'reading') {
      if (this.reader?.inRequest === true) this.refuse(this.reader.abandon(408, '9110 15.5.9', `The request is not complete ${this.around.requestTimeout} s after its first octet`));
      else this.linger('silent', IDLE);
      this.flush();
    } else if (this.state !== 'queued') this.giveUp();
  }

  /** Reads on, until a request is complete or octets are lacking. @param wasInRequest whether the time of this request is running already */
  private read(reader: RequestReader, wasInRequest: boolean): void {
    const { around } = this;
    for (;;) {
      const reading = reader.next();
      switch (reading.kind) {
        case 'needMore':
          if (reader.inRequest && !wasInRequest) this.patience = around.sweeps(around.requestTimeout);
          else if (reader.isFresh) this.reader = undefined;
          if (this.socket.isPaused()) this.socket.resume();
          return;
        case 'continue':
          this.out += CONTINUE;
          break;
        case 'request':
          this.held = reading;
          this.move('complete');
          this.queue();
          return;
        case 'refused':
          return this.refuse(reading.failure);
        case 'finished':
          return this.linger('silent', NOTHING_MORE);
      }
    }
  }

  private queue(): void {
    const { queue, tell } = this.around;
    tell?.(this, { type: 'queue', place: queue.length + 1, behind: queue.last?.number });
    queue.add(this);
  }

  private refuse(failure: Failure): void {
    const { around, reader } = this;
    if (reader !== undefined) around.tell?.(this, { type: 'refuse', failure, excerpt: reader.excerpt(failure.offset) });
    this.out += around.writer.write(refusal(failure), reader?.method ?? '', 'close');
    this.linger('refused', REFUSED);
  }

  /** What is written goes out, then our side is closed. What still comes is dropped. */
  private linger(event: 'answeredLast' | 'refused' | 'silent' | 'stopped', reason: Reason): void {
    this.move(event);
    this.reason = reason;
    this.reader = this.held = undefined;
    this.patience = this.around.sweeps(this.around.requestTimeout);
    if (this.socket.isPaused()) this.socket.resume();
  }

  private drop(count: number): void {
    this.around.tell?.(this, { type: 'drop', count });
    this.dropped += count;
    if (this.dropped > LINGER_OCTETS) this.giveUp();
  }

  private giveUp(): void {
    this.move('expired');
    this.socket.destroy();
  }

  private move(event: Peer | Own): void {
    this.state = next<State>(CONNECTION, this.state, event);
  }

  private newReader(): RequestReader {
    const { tell } = this.around;
    return new RequestReader(tell && ((event) => tell(this, event)));
  }
}
