/** A server that traces, on real sockets, and its end. */
import type { ServerOptions } from '../../src/index';
import { Trace } from './recorded-trace';
import { serve } from './test-server';
/** A server with a trace, and its first client, which is told to be there. */
export async function traced(options: Partial<ServerOptions> = {}) {
  const trace = new Trace();
  const server = await serve({ trace: trace.sink, ...options });
  const client = await server.client();
  await trace.next('wait');
  return { trace, server, client };
}
