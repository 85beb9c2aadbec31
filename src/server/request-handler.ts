/** Handles requests one after another: counts each, logs it, has the service respond, and
 * makes the bytes of the response. */
import type { Explain, Service } from '../http/message';
import type { ReceivedRequest } from '../http/outcome';
import { closingBecause, type Closing, type Persistence } from '../http/persistence';
import { INTERNAL_ERROR, UnsendableResponse, type ResponseWriter } from '../http/response';
import type { ConnectionEvent } from '../trace/events';
import { onRejection, warn } from './warnings';

/** Why a server stops, or a request is the last of its connection. */
export const LAST_REQUEST = closingBecause('the limit of requests is reached');
export const STOPPED = closingBecause('the server stops');
const SERVICE_FAILED = closingBecause('the service failed');

interface HandlerOptions {
  readonly service: Service;
  readonly writer: ResponseWriter;
  /** How many requests are handled; 0 for no limit. */
  readonly maxRequests: number;
  /** Takes the log in whole lines: "GET /tasks\n". */
  readonly log: (lines: string) => void;
  /** Called as the last of them is handled. */
  readonly onLastRequest: () => void;
  /** A server that stops says why. */
  readonly server: { readonly stopping: Closing | undefined };
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

  constructor(private readonly options: HandlerOptions) {}

  /** @param wanted what becomes of the connection, unless the server has a reason of its
   * own to close it */
  handle(
    request: ReceivedRequest,
    wanted: Persistence,
    trace?: (event: ConnectionEvent) => void,
  ): Handled {
    const { maxRequests, onLastRequest, server, service, writer } = this.options;
    // Taken now: the service may change its request.
    const { method, minorVersion, path } = request;
    const asked = { method, minorVersion };
    this.requests += 1;
    if (this.requests === maxRequests) onLastRequest();
    trace?.({ type: 'turn', request: this.requests, limit: maxRequests, method, path });
    this.logLines += `${method} ${path}\n`;
    // State, condition, state, ..., result. There are none without a trace, or if the
    // service does not explain itself.
    const steps: string[] | undefined = trace && [];
    let mistake = 'The service failed';
    try {
      const response = service(request, steps && explainInto(steps));
      mistake = 'The service returned a response that cannot be sent';
      checkIsResponse(response);
      if (steps !== undefined && steps.length > 0) {
        // A copy, because the service may keep what adds to the list.
        trace?.({ type: 'route', steps: [...steps], status: response.status });
      }
      // Decided only now: the service and the sink of the trace may have stopped the server.
      const persistence = server.stopping ?? wanted;
      const message = writer.write(response, asked, persistence.connectionOption);
      return { message, persistence };
    } catch (error) {
      warn(`${mistake}, so the client gets 500`, error);
      const message = writer.write(INTERNAL_ERROR, asked, 'close');
      return { message, persistence: server.stopping ?? SERVICE_FAILED };
    }
  }

  flushLog(): void {
    if (this.logLines !== '') this.options.log(this.logLines);
    this.logLines = '';
  }

  logLimit(): void {
    const { log, maxRequests } = this.options;
    log(`Maximum of ${maxRequests} requests reached: no more are handled\n`);
  }
}

/** @throws UnsendableResponse if it is a promise, or not an object */
function checkIsResponse(response: unknown): void {
  if (response instanceof Promise) {
    onRejection(response, () => {});
    throw new UnsendableResponse('the service returned a promise: it must respond at once');
  }
  if (typeof response !== 'object' || response === null) {
    throw new UnsendableResponse(`the response is ${String(response)}`);
  }
}

/** @returns a function that adds each step of a service to `steps` */
function explainInto(steps: string[]): Explain {
  return (state, condition, next) => {
    if (steps.length === 0) steps.push(state);
    steps.push(condition, next);
  };
}
