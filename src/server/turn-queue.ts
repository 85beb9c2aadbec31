/** Turns: requests are handled one at a time across all connections, first complete, first served;
 * and the server stops after a given number. A turn handles one request: a connection with another
 * one goes to the back of the queue. Turns are taken in a batch, once the bytes that have arrived
 * are read. So the answers of a connection, and the log lines of all, leave together. */
import type { Request, Response, Service } from '../http/message';
import { LAST_REQUEST, SERVER_FAILED, type Persistence } from '../http/persistence';
import { INTERNAL_ERROR, type ResponseSerializer } from '../http/response';
import type { ConnectionEvent } from './trace-events';

/** A connection in the queue. */
export interface Queued {
  takeTurn(): void; // handles one request
  flush(): void; // sends what its turns left to send
}

const BATCH = 1024; // the most turns in a batch: then what arrived meanwhile is read

export class TurnQueue<Entry extends Queued> {
  private entries: Entry[] = [];
  private served = 0; // how many of `entries` have had their turn
  private isClosed = false;
  private requests = 0;
  private logBuffer = '';

  constructor(
    private readonly service: Service,
    private readonly serializer: ResponseSerializer,
    private readonly maxRequests: number, // 0 for no limit
    private readonly log: (lines: string) => void, // takes whole lines: "GET /tasks\n"
    private readonly onLimit: () => void, // called when the last answer is written
  ) {}

  get size(): number {
    return this.entries.length - this.served;
  }
  /** The last entry: a new one waits behind it. */
  get last(): Entry | undefined {
    return this.size > 0 ? this.entries.at(-1) : undefined;
  }

  enqueue(entry: Entry): void {
    if (this.isClosed) return;
    this.entries.push(entry);
    // Behind another entry, a batch is scheduled or under way.
    if (this.entries.length === 1) setImmediate(() => this.run());
  }

  private run(): void {
    this.serializer.updateDate();
    for (const entry of this.entries) {
      if (this.served === BATCH) break;
      this.served += 1;
      entry.takeTurn();
    }
    const done = this.entries.splice(0, this.served);
    this.served = 0;
    if (this.entries.length > 0) setImmediate(() => this.run());
    this.flush(done);
    if (this.maxRequests === 0 || this.requests < this.maxRequests) return;
    this.log(`Maximum of ${this.maxRequests} requests reached: no more are handled\n`);
    this.onLimit();
  }

  /** Counts a request, logs it, and has the service answer it. Called within a turn.
   * @param asked whether the connection may stay open, as far as the client is concerned
   * @returns the message to write, and what becomes of the connection after it */
  handle(request: Request, asked: Persistence, trace?: (event: ConnectionEvent) => void) {
    const { method, path } = request;
    this.requests += 1;
    trace?.({ type: 'turn', request: this.requests, limit: this.maxRequests });
    this.logBuffer += `${method} ${path}\n`;
    const isLast = this.requests === this.maxRequests;
    if (isLast) this.close();
    const response = this.callService(request, trace);
    const unlessLast = response === INTERNAL_ERROR ? SERVER_FAILED : asked;
    const persistence = isLast ? LAST_REQUEST : unlessLast;
    const message = this.serializer.serialize(response, method, persistence.connectionOption);
    return { message, persistence };
  }

  private callService(request: Request, trace?: (event: ConnectionEvent) => void): Response {
    const { serializer, service } = this;
    const steps: string[] = []; // state, condition, state, condition, ..., result
    try {
      const response = service(
        request,
        trace &&
          ((state, condition, next) => {
            steps.push(...(steps.length > 0 ? [condition, next] : [state, condition, next]));
          }),
      );
      const problem = serializer.findProblem(response);
      if (problem === undefined) {
        if (steps.length > 0) trace?.({ type: 'route', steps, status: response.status });
        return response;
      }
      warn('A response cannot be sent as it is, so 500 is sent', problem);
    } catch (error) {
      warn('The service failed, so 500 is sent', error);
    }
    return INTERNAL_ERROR;
  }

  /** Log lines leave before the answers: a client that has its answer finds its line. */
  flush(entries: readonly Entry[]): void {
    if (this.logBuffer !== '') this.log(this.logBuffer);
    this.logBuffer = '';
    for (const entry of entries) entry.flush();
  }

  /** Gives no more turns. */
  close(): void {
    this.isClosed = true;
    this.entries.length = this.served;
  }
}

/** Reports a mistake of the program as one warning, whatever was thrown. */
export function warn(what: string, thrown: unknown): void {
  let text = 'a value that has no text';
  try {
    text = String(thrown).replace(/\s+/g, ' ');
  } catch {
    /* The placeholder stays. */
  }
  process.emitWarning(`${what}: ${text}`);
}
