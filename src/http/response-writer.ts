/** Responses in, octets out, one character per octet (9112 §4, §6; 9110 §6.6.1, §8.6). */
import type { Failure } from './failure';
import { REASON, type Response } from './message';

/** The interim response that asks for the content (9110 §15.2.1). */
export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

export class ResponseWriter {
  private second = NaN;
  private date = '';
  /** What was written of each response in this second: one that is given again is the same octets again. */
  private written = new WeakMap<Response, string>();

  /** @param clock milliseconds since 1970, as Date.now gives them */
  constructor(private readonly clock: () => number) {
    this.tick();
  }

  /** Looks at the clock. Whoever calls this twice a second keeps Date right. */
  tick(): void {
    const second = Math.floor(this.clock() / 1000);
    if (second === this.second) return;
    this.second = second;
    this.date = `Date: ${new Date(second * 1000).toUTCString()}`;
    this.written = new WeakMap();
  }

  /**
   * @param method of the request: an answer to HEAD ends with its empty line, and bears no Content-Length, which would have to be GET's (9110 §9.3.2)
   * @param connection the value of the Connection field, if there is to be one
   * @returns the whole message, to be written at once
   */
  write(response: Response, method: string, connection?: string): string {
    if (method === 'HEAD' || connection !== undefined) return this.message(response, method, connection);
    const known = this.written.get(response);
    if (known !== undefined) return known;
    const message = this.message(response, method);
    this.written.set(response, message);
    return message;
  }

  private message({ status, content, type = 'application/json', fields = [] }: Response, method: string, connection?: string): string {
    const empty = status === 204 || method === 'HEAD';
    const lines = [`HTTP/1.1 ${status} ${REASON[status]}`];
    if (status !== 204) lines.push(`Content-Type: ${type}`);
    if (!empty) lines.push(`Content-Length: ${content.length}`);
    lines.push(this.date);
    if (connection !== undefined) lines.push(`Connection: ${connection}`);
    lines.push(...fields, '', empty ? '' : content);
    return lines.join('\r\n');
  }
}

/** The answer that explains a refusal. */
export function refusal({ status, text }: Failure): Response {
  return { status, content: JSON.stringify({ error: text }) };
}
