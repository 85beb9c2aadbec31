/** A server in virtual time and its first client, what it tells of some bytes, and its
 * end. */
import { expect } from 'chai';
import type { ServerOptions, TraceEvent } from '../../src/index';
import type { ClientOptions, SimulatedClient } from '../simulation/client';
import { World } from '../simulation/world';

/** A server with a trace, and its first client, which is told to be there. */
export async function withClient(
  options: Partial<ServerOptions> = {},
  clientOptions?: ClientOptions,
) {
  const world = new World();
  const server = await world.serve(options);
  const client = world.connect(clientOptions);
  await world.settle();
  return { world, server, client, trace: world.trace };
}

/** Sends something and closes. @returns the lines of some verbs */
export async function linesFor(
  sent: string,
  ...types: TraceEvent['type'][]
): Promise<string> {
  const { world, client, trace } = await withClient();
  client.send(sent).end();
  await world.settle();
  return trace.lines(...types);
}

/** Expects the server to close a connection in so many milliseconds, and not one
 * earlier. */
export async function expectEnd(
  world: World,
  client: SimulatedClient,
  ms: number,
): Promise<void> {
  await world.advance(ms - 1);
  expect(client.ending, `the end after ${ms - 1} ms`).to.equal(undefined);
  await world.advance(1);
  expect(client.ending, `the end after ${ms} ms`).to.equal('end');
}
