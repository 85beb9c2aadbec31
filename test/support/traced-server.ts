/** A server that traces, what it tells of some bytes, and its end. */
import type { ServerOptions, TraceEvent } from '../../src/index';
import type { Client } from './client';
import { Trace } from './recorded-trace';
import { serve, type TestServer } from './test-server';
/** A server with a trace, and its first client, which is told to be there. */
export async function traced(options: Partial<ServerOptions> = {}) {
  const trace = new Trace();
  const server = await serve({ trace: trace.sink, ...options });
  const client = await server.client();
  await trace.next('wait');
  return { trace, server, client };
}

/** Sends something and closes. @returns the lines of some verbs */
export async function linesFor(
  sent: string,
  ...types: TraceEvent['type'][]
): Promise<string> {
  const { trace, client } = await traced();
  client.send(sent).end();
  await trace.next('gone');
  return trace.lines(...types);
}

/** Closes a server whose clients have closed. */
export async function finish(server: TestServer, ...clients: Client[]): Promise<void> {
  for (const client of clients) {
    await client.closed();
    client.end();
  }
  await server.stopped;
}
