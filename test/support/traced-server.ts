/** A server that traces, on real sockets, and its end. */
import type { ServerOptions } from '../../src/index';
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

/** Closes a server whose clients have closed. */
export async function finish(server: TestServer, ...clients: Client[]): Promise<void> {
  for (const client of clients) {
    await client.closed();
    client.end();
  }
  await server.stopped;
}
