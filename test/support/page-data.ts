/** Requests, and events as the page of a trace has them. */
import type { TraceEvent } from '../../src/index';
import { Conversation } from '../../src/page/model/conversation';
import type { Mistake } from '../../src/naive/naive-request';
import type { PageData } from '../../src/page/model/page-data';
import type { ProxyLine } from '../../src/trace/proxy-events';
import { TraceRecorder } from '../../src/trace/recorder';
import { raw } from './bytes';
import { converse } from './conversation';

export const HEAD = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** A request that is rejected in its second chunk, and arrives in three pieces. */
export const REJECTED = [HEAD, raw`5;a=b\r\nhello\r\n`, raw`3\r\nyouX\n0\r\n\r\n`];
export const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const LENGTHS = raw`Host: a\r\nContent-Length: 42\r\nTransfer-Encoding: chunked\r\n`;
/** A request with two lengths, and another one in its content. */
export const DELETE = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
export const SMUGGLED = raw`POST /tasks HTTP/1.1\r\n${LENGTHS}\r\n0\r\n\r\n${DELETE}`;

/** @returns the lines of their file */
export function linesOf(events: Iterable<TraceEvent>): string[] {
  const recorder = new TraceRecorder();
  for (const event of events) recorder.record(event);
  return [...recorder.linesAfter(0)];
}

/** @param now the time of the server, on a live page */
export function dataOf(events: Iterable<TraceEvent>, now?: number): PageData {
  return Conversation.of(linesOf(events)).describe(now);
}

/** @param responses for each client, which response of the server it gets, if any
 * @returns what a proxy with these clients does, which all ask for /tasks/1: later responses
 * are left over at first, and the first client is refused in the end */
export async function proxied(
  requests: string,
  responses: readonly (number | undefined)[],
  mistake?: Mistake,
): Promise<PageData> {
  const recorder = new TraceRecorder();
  const events = await converse([[requests]]);
  for (const event of events) recorder.record(event);
  const [address = ''] = events.flatMap((one) =>
    one.type === 'open' ? [one.remoteAddress ?? ''] : [],
  );
  const tell = (line: ProxyLine): void => recorder.recordProxy(line);
  tell({ at: 1, type: 'connect', connection: 1, address, mistake });
  for (const [index, response] of responses.entries()) {
    const at = 2 + index;
    const client = `p${index + 1}`;
    const asked = 'GET /tasks/1';
    const given = { type: 'response', connection: 1, bytes: 9 } as const;
    tell({ at, type: 'request', client, name: asked });
    if (response !== undefined) tell({ at, ...given, client, asked, response });
    const { [index + 1]: next } = responses;
    const nobody = { client: undefined, asked: undefined };
    if (next !== undefined) tell({ at, ...given, ...nobody, response: next });
  }
  tell({ at: 9, type: 'refuse', client: 'p1', status: '403 Forbidden' });
  return Conversation.of(recorder.linesAfter(0)).describe();
}
