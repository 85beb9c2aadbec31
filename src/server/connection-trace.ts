/** Tells a trace what happens on one connection. Some of it is known too early, and is kept
 * here until it can be told: what the server waits for, for how long, and what it drops. */
import { WAIT_FOR_REQUEST, type Rejected, type Waiting } from '../http/outcome';
import type { Persistence } from '../http/persistence';
import type { ConnectionEvent } from '../trace/events';
import { STATES, type StateName } from './connection-states';

/** What the server has received but does not parse, or does not handle. */
export interface Dropped {
  /** A complete request that gets no turn: method and path, or ''. */
  readonly request: string;
  readonly bytes: number;
  readonly which: string;
}

/** How a connection ended. */
export interface End {
  readonly reason: string;
  /** How many bytes of the responses were never sent, at most. */
  readonly unsent: number;
}

export class ConnectionTrace {
  private untoldWait: Waiting | undefined = WAIT_FOR_REQUEST;
  /** The limit of the clock that runs. */
  private untoldSeconds: number | undefined = undefined;
  private untoldDropped: Dropped | undefined = undefined;

  /** @param emit also takes what the reader and the handler find */
  constructor(readonly emit: (event: ConnectionEvent) => void) {}

  read(bytes: Buffer, offset: number): void {
    // A copy, because the sink of the trace may keep it, or write into it.
    this.emit({ type: 'read', bytes: Buffer.from(bytes), offset });
  }

  end(): void {
    this.emit({ type: 'end' });
  }

  wait(waiting: Waiting): void {
    this.untoldWait = waiting;
  }

  /** @param seconds the limit of the clock that starts, if it has one */
  clock(seconds: number | undefined): void {
    this.untoldSeconds = seconds;
  }

  /** Tells what the connection waits for, and for how long at most, each once.
   * @param isTaken whether the system has taken everything, or the client is gone
   * @param stopSeconds the limit that a stopping server has, if it stops */
  settled(state: StateName, isTaken: boolean, stopSeconds = Infinity): void {
    const { untoldSeconds: seconds, untoldWait } = this;
    const { clock, input } = STATES[state];
    const isOutput = clock === 'output' || clock === 'last output';
    this.untoldWait = undefined;
    if (seconds !== undefined && clock === 'idle') {
      // idle: waiting for the next request, 5 s at most
      this.emit({ type: 'idle', seconds });
    } else if (seconds !== undefined && isOutput) {
      // block: waiting for the client to read some of its responses, 60 s at most
      const isStopping = stopSeconds < seconds;
      const limit = isStopping ? stopSeconds : seconds;
      if (!isTaken) this.emit({ type: 'block', seconds: limit, isStopping });
    } else if (untoldWait !== undefined && input === 'read') {
      // wait: for the end of the request line, 60 s at most
      const { missing, section } = untoldWait;
      this.emit({ type: 'wait', missing, section, seconds });
    } else {
      // Nothing to tell. Of a request that is parsed in parts, the next wait tells the time.
      return;
    }
    this.untoldSeconds = undefined;
  }

  /** @param bytes of the whole request
   * @param behind the connection before it, if there is one */
  queue(bytes: number, place: number, behind: number | undefined): void {
    if (place > 0) this.emit({ type: 'queue', bytes, place, behind });
  }

  /** @param isSent false if the client is gone
   * @param lengths of the messages in the text */
  write(text: string, isSent: boolean, lengths: readonly number[]): void {
    this.emit({ type: 'write', text, isSent, lengths });
  }

  reject({ error, excerpt }: Rejected): void {
    this.emit({ type: 'reject', error, excerpt });
  }

  /** Nothing more is handled. What is dropped is told when our side closes. */
  closing(dropped: Dropped): void {
    this.untoldDropped = dropped;
  }

  close({ reason, section }: Persistence): void {
    this.emit({ type: 'close', reason, section });
    this.tellDropped();
  }

  /** @param bytes how many have arrived since nothing more is handled */
  drop(bytes: number): void {
    const which = 'that arrived later: never parsed';
    this.emit({ type: 'drop', request: '', bytes, which });
  }

  linger(seconds: number, isStopping: boolean): void {
    this.emit({ type: 'linger', seconds, isStopping });
  }

  gone(end: End): void {
    this.tellDropped();
    this.emit({ type: 'gone', ...end });
  }

  private tellDropped(): void {
    const { untoldDropped: dropped } = this;
    this.untoldDropped = undefined;
    if (dropped === undefined) return;
    const isAnything = dropped.bytes > 0 || dropped.request !== '';
    if (isAnything) this.emit({ type: 'drop', ...dropped });
  }
}
