/** Responses in, octets out, one character per octet (9112 §4, §6; 9110 §6.6.1, §8.6). */
import { REASON, type Response } from './message';
import type { Failure } from './failure';

/** The interim response that asks for the content (9110 §15.2.1). */
export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

export class ResponseWriter {
  private second = NaN;
  private date = '';

  /** @param clock milliseconds since 1970, as Date.now gives them */
  constructor(private readonly clock: () => number) {}

  /**
   * @param method of the request: an answer to HEAD ends with its empty line, and bears no Content-Length, which would have to be GET's (9110 §9.3.2)
   * @param connection the value of the Connection field, if there is to be one
   * @returns the whole message, to be written at once
   */
  write(response: Response, method: string, connection?: string): string {
    const { status, content, type = 'application/json', fields = [] } = response;
    const empty = status === 204 || method === 'HEAD';
    let head = `HTTP/1.1 ${status} ${REASON[status]}\r\n`;
    if (status !== 204) head += `Content-Type: ${type}\r\n`;
    if (!empty) head += `Content-Length: ${content.length}\r\n`;
    head += this.dateLine();
    if (connection !== undefined) head += `Connection: ${connection}\r\n`;
    for (const field of fields) head += `${field}\r\n`;
    return empty ? `${head}\r\n` : `${head}\r\n${content}`;
  }

  /** The text of one second serves every answer of that second. */
  private dateLine(): string {
    const second = Math.floor(this.clock() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    }
    return this.date;
  }
}

/** The answer that explains a refusal. */
export function refusal({ status, text }: Failure): Response {
  return { status, content: JSON.stringify({ error: text }) };
}
