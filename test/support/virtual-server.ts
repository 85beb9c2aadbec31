/** A server in virtual time and its first client, and what tests send to it. */
import type { Service, ServerOptions, TraceEvent } from '../../src/index';
import type { ClientOptions } from '../simulation/client';
import { World } from '../simulation/world';
import { raw } from './bytes';

type Options = Partial<ServerOptions>;

export const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
export const get = (path: string): string => GET.replace('/', path);
export const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
export const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** More than a client takes that has ROOM. */
export const LARGE = 'x'.repeat(300_000);
export const ROOM = { outputRoom: 100_000 };
export const large: Service = ({ path }) => ({
  status: 200,
  body: path === '/large' ? LARGE : 'x',
});

/** A server with a trace, and its first client, which is told to be there. */
export async function withClient(options: Options = {}, clientOptions?: ClientOptions) {
  const world = new World();
  const server = await world.serve(options);
  const client = world.connect(clientOptions);
  await world.settle();
  return { world, server, client, trace: world.trace };
}

/** The same, and the client has sent something. */
export async function sending(sent: string, options: Options = {}) {
  const scene = await withClient(options);
  scene.client.send(sent);
  await scene.world.settle();
  return scene;
}

/** The same with a client that does not read: of a large response, its system takes a
 * part. */
export async function withDeaf(sent = get('/large'), options: Options = {}, room = ROOM) {
  const scene = await withClient({ service: large, ...options }, room);
  scene.client.stopReading();
  scene.client.send(sent);
  await scene.world.settle();
  return scene;
}

/** Sends something and closes. @returns the lines of some verbs */
export async function linesFor(sent: string, ...types: TraceEvent['type'][]) {
  const { world, client, trace } = await withClient();
  client.send(sent).end();
  await world.settle();
  return trace.lines(...types);
}
