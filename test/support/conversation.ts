/** Conversations with a server in virtual time, for the page that shows them. */
import type { ServerOptions, TraceEvent } from '../../src/index';
import { World } from '../simulation/world';

/** Holds one conversation after the other, each on a connection of its own, and stops the
 * server.
 * @param conversations the pieces that a client sends, as bytes() reads them: each once the
 * server has made what it can of the one before
 * @param pause how many milliseconds pass before each piece */
export async function converse(
  conversations: readonly (readonly string[])[],
  options?: Partial<ServerOptions>,
  pause = 0,
): Promise<readonly TraceEvent[]> {
  const world = new World();
  const server = await world.serve(options);
  for (const pieces of conversations) {
    const client = world.connect();
    await world.settle();
    for (const piece of pieces) {
      await world.advance(pause);
      client.send(piece);
      await world.settle();
    }
    client.end();
    await world.settle();
  }
  const stopped = server.stop();
  await world.settle();
  await stopped;
  return world.trace.events;
}
