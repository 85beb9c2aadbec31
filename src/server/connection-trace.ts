/** Tells a trace what happens on one connection. Some of it is known too early, and is kept
 * here until it can be told: what the server waits for, for how long, and what it drops. */
import {
  WAIT_FOR_REQUEST,
  type Complete,
  type Rejected,
  type Waiting,
} from '../http/outcome';
import type { Closing } from '../http/persistence';
import { ReaderTrace } from '../trace/reader-trace';
import type { RequestReader } from '../http/request-reader';
import type { ConnectionEvent } from '../trace/events';
import type { Clock } from './connection-states';

/** What the server has received but does not parse, or does not handle. */
type Drop = Omit<Extract<ConnectionEvent, { type: 'drop' }>, 'type'>;

export class ConnectionTrace {
  private pendingWait: Waiting | undefined = WAIT_FOR_REQUEST;
  /** How long the missing bytes may take. */
  private pendingSeconds: number | undefined = undefined;
  private pendingDrop: Drop | undefined = undefined;
  private pendingClose: Closing | undefined = undefined;
  /** The messages that are gathered. */
  private gathered: string[] = [];
  /** The complete request that waits for its turn. */
  private queued: Complete | undefined = undefined;

  /** Takes what each reader of the connection finds. */
  readonly reader: ReaderTrace;

  /** @param emit also takes what the handler finds */
  constructor(readonly emit: (event: ConnectionEvent) => void) {
    this.reader = new ReaderTrace(emit);
  }

  read(bytes: Buffer, offset: number): void {
    this.emit({ type: 'read', bytes: bytes.toString('latin1'), offset });
  }

  wait(waiting: Waiting): void {
    this.pendingWait = waiting;
  }

  /** A clock starts: tells what the server waits for, and for how long at most.
   * @param seconds the limit of the clock
   * @param isTaken whether the system has taken everything, or the client is gone
   * @param stopSeconds the limit that a stopping server has, if it stops */
  clock(clock: Clock, seconds: number, isTaken: boolean, stopSeconds = Infinity): void {
    // Told with the bytes that are missing.
    const isForBytes = clock === 'first request' || clock === 'request';
    this.pendingSeconds = isForBytes ? seconds : undefined;
    if (!isForBytes) this.pendingWait = undefined;
    // A server that stops waits for no request, and closes each connection next.
    const isStopping = stopSeconds < Infinity;
    switch (clock) {
      case 'idle':
        if (!isStopping) this.emit({ type: 'idle', seconds });
        break;
      case 'output':
        if (!isStopping && !isTaken) this.block(seconds, false);
        break;
      case 'last output':
        if (!isTaken) this.block(Math.min(seconds, stopSeconds), stopSeconds < seconds);
        break;
      case 'silence': // told when our side closes
      case 'first request':
      case 'request':
      case 'none':
    }
  }

  private block(seconds: number, isStopping: boolean): void {
    this.emit({ type: 'block', seconds, isStopping });
  }

  /** Tells, once, which bytes are missing, and how long they may take. */
  settled(): void {
    const { pendingSeconds: seconds, pendingWait } = this;
    if (pendingWait === undefined) return; // a request that is parsed in parts, for example
    const { missing, section } = pendingWait;
    this.emit({ type: 'wait', missing, section, seconds });
    this.pendingWait = undefined;
    this.pendingSeconds = undefined;
  }

  /** @param place 0 if no more turns are given
   * @param behind the connection before it, if there is one */
  queue(complete: Complete, place: number, behind: number | undefined): void {
    this.queued = complete;
    const { bytes } = complete;
    if (place > 0) this.emit({ type: 'queue', bytes, place, behind });
  }

  beginTurn(): void {
    this.queued = undefined;
  }

  gather(message: string): void {
    this.gathered.push(message);
  }

  /** @param isSent false if the client is gone */
  write(isSent: boolean): void {
    const responses = this.gathered.map((text) => ({ text, length: text.length }));
    this.gathered = [];
    this.emit({ type: 'write', responses, isSent });
  }

  reject({ bytesAfter: bytes, error, excerpt }: Rejected): void {
    // The response is made of the error, so a sink must not change it.
    Object.freeze(error);
    const shown = { bytes: excerpt.bytes.toString('latin1'), offset: excerpt.offset };
    this.emit({ type: 'reject', error, excerpt: shown });
    this.pendingDrop = { request: '', bytes, which: `after byte ${error.offset}` };
  }

  /** The last request has been handled.
   * @param bytes how many have arrived after it */
  lastHandled(bytes: number): void {
    const which = 'after the last handled request: never parsed';
    this.pendingDrop = { request: '', bytes, which };
  }

  /** Nothing more is handled. Why, and what is dropped, is told when our side closes. */
  closing(why: Closing, reader: RequestReader | undefined): void {
    this.pendingClose = why;
    this.forgetInput(reader);
  }

  private forgetInput(reader: RequestReader | undefined): void {
    this.pendingWait = undefined;
    this.pendingDrop ??= unhandledInput(reader, this.queued);
    this.queued = undefined;
  }

  /** Our side closes. */
  close(): void {
    if (this.pendingClose === undefined) return;
    const { reason, section } = this.pendingClose;
    this.emit({ type: 'close', reason, section });
    this.tellDropped();
  }

  /** @param bytes how many have just arrived, although nothing more is handled */
  drop(bytes: number): void {
    const which = 'that arrived later: never parsed';
    this.emit({ type: 'drop', request: '', bytes, which });
  }

  /** @param unsent how many bytes of the responses were never sent, at most */
  gone(reason: string, unsent: number, reader: RequestReader | undefined): void {
    this.forgetInput(reader);
    this.tellDropped();
    this.emit({ type: 'gone', reason, unsent });
  }

  private tellDropped(): void {
    const { pendingDrop: dropped } = this;
    this.pendingDrop = undefined;
    if (dropped === undefined) return;
    const isAnything = dropped.bytes > 0 || dropped.request !== '';
    if (isAnything) this.emit({ type: 'drop', ...dropped });
  }
}

/** What has arrived and belongs to no handled request. */
function unhandledInput(
  reader: RequestReader | undefined,
  unhandled: Complete | undefined,
): Drop {
  const bytes = reader?.received ?? 0;
  if (unhandled !== undefined) {
    const { method, path } = unhandled.request;
    return { request: `${method} ${path}`, bytes, which: 'after it: never parsed' };
  }
  const isCut = reader?.inRequest === true;
  const which = isCut ? 'of a request that is not complete' : 'outside of any request';
  return { request: '', bytes, which };
}
