/** Handles requests one after another: counts each, logs it, has the service respond, and
 * makes the bytes of the response. */
import type { Explain, Request, Response, Service } from '../http/message';
import type { ReceivedRequest } from '../http/outcome';
import {
  LAST_REQUEST,
  SERVER_FAILED,
  STOPPED,
  type Persistence,
} from '../http/persistence';
import { INTERNAL_ERROR, UnsendableResponse, writeResponse } from '../http/response';
import type { ConnectionEvent } from '../trace/events';
import { onRejection, warn } from './warnings';

interface HandlerOptions {
  readonly service: Service;
  /** Gives the value of the Date field. */
  readonly date: () => string;
  /** How many requests are handled; 0 for no limit. */
  readonly maxRequests: number;
  /** Takes the log in whole lines: "GET /tasks\n". */
  readonly log: (lines: string) => void;
}

interface Handled {
  /** The whole response, each character one byte. */
  readonly message: string;
  /** What becomes of the connection after it. */
  readonly persistence: Persistence;
}

export class RequestHandler {
  private requests = 0;
  private logLines = '';
  private isAskedToStop = false;

  constructor(private readonly options: HandlerOptions) {}

  get maxRequests(): number {
    return this.options.maxRequests;
  }

  /** Whether the last request that may be handled has had its turn, or has it now. */
  get hasReachedLimit(): boolean {
    const { maxRequests } = this.options;
    return maxRequests > 0 && this.requests >= maxRequests;
  }

  /** Whether no more requests are handled, because the server stops. */
  get isStopping(): boolean {
    return this.isAskedToStop || this.hasReachedLimit;
  }

  /** @param wanted what becomes of the connection, unless the server has a reason of its
   * own to close it */
  handle(
    request: ReceivedRequest,
    wanted: Persistence,
    trace?: (event: ConnectionEvent) => void,
  ): Handled {
    const { maxRequests } = this.options;
    const { method, path } = request;
    this.requests += 1;
    trace?.({ type: 'turn', request: this.requests, limit: maxRequests, method, path });
    this.logLines += `${method} ${path}\n`;
    // State, condition, state, ..., result. There are none without a trace, or if the
    // service does not explain itself.
    const steps: string[] | undefined = trace && [];
    let mistake = 'The service failed';
    try {
      const response = this.callService(request, steps && explainInto(steps));
      mistake = 'The service returned a response that cannot be sent';
      if (steps !== undefined && steps.length > 0) {
        // A copy, because the service may keep what adds to the list.
        trace?.({ type: 'route', steps: [...steps], status: response.status });
      }
      return this.write(response, request, wanted);
    } catch (error) {
      warn(`${mistake}, so the client gets 500`, error);
      return this.write(INTERNAL_ERROR, request, SERVER_FAILED);
    }
  }

  private callService(request: Request, explain: Explain | undefined): Response {
    const { service } = this.options;
    const response = service(request, explain);
    if (response instanceof Promise) {
      onRejection(response, () => {});
      throw new UnsendableResponse(
        'the service returned a promise: it must respond at once',
      );
    }
    if (typeof response !== 'object' || response === null) {
      throw new UnsendableResponse(`the response is ${String(response)}`);
    }
    return response;
  }

  private write(
    response: Response,
    request: ReceivedRequest,
    wanted: Persistence,
  ): Handled {
    // Decided only now: the service and the sink of the trace may have stopped the server.
    const persistence = this.persistenceAfter(wanted);
    const { connectionOption } = persistence;
    const message = writeResponse(response, request, connectionOption, this.options.date());
    return { message, persistence };
  }

  private persistenceAfter(wanted: Persistence): Persistence {
    if (this.hasReachedLimit) return LAST_REQUEST;
    return this.isAskedToStop ? STOPPED : wanted;
  }

  /** The server stops. If the service itself has stopped it, in a turn, the response of
   * that turn says that the connection closes. */
  stop(): void {
    this.isAskedToStop = true;
  }

  flushLog(): void {
    if (this.logLines !== '') this.options.log(this.logLines);
    this.logLines = '';
  }

  logLimit(): void {
    this.options.log(
      `Maximum of ${this.maxRequests} requests reached: no more are handled\n`,
    );
  }
}

/** @returns a function that adds each step of a service to `steps` */
function explainInto(steps: string[]): Explain {
  return (state, condition, next) => {
    if (steps.length === 0) steps.push(state);
    steps.push(condition, next);
  };
}
