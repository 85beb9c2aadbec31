/** Conversations with a server, for the page that shows them. */
import type { ServerOptions, TraceEvent } from '../../src/index';
import { serve } from './test-server';
import { Trace } from './recorded-trace';

/** Holds one conversation after the other, each on a connection of its own, and stops the server.
 * @param conversations the pieces that a client sends, as bytes() reads them: each once the server
 * has told what it made of the one before
 * @param options of the server, and what else hears the trace
 * @param pause is called before each piece, and waited for */
export async function converse(
  conversations: readonly (readonly string[])[],
  { trace: sink, ...options }: Partial<ServerOptions> = {},
  pause: () => Promise<unknown> = async () => {},
): Promise<readonly TraceEvent[]> {
  const trace = new Trace();
  const server = await serve({
    ...options,
    trace: (event) => {
      trace.sink(event);
      sink?.(event);
    },
  });
  for (const pieces of conversations) {
    const client = await server.client();
    const count = (type: TraceEvent['type']): number => trace.of(type).length;
    const paused = (): number => count('wait') + count('idle') + count('close');
    await trace.until(() => trace.events.at(-1)?.type === 'wait');
    for (const piece of pieces) {
      await pause();
      const before = paused();
      client.send(piece);
      await trace.until(() => paused() > before);
    }
    client.end();
    await client.closed();
    client.socket.destroy();
    await client.gone;
  }
  await trace.until(() => trace.of('gone').length === conversations.length);
  await server.stop();
  return trace.events;
}
