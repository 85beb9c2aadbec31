/** What tests of the end of a server share: clients that do not read, and time limits. */
import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Service } from '../../src/index';
import { raw } from './bytes';
import type { Client } from './client';
import { pause, until } from './notifier';
import type { TestServer } from './test-server';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;
/** An answer that does not fit into the buffers between server and client. */
export const LARGE = 'x'.repeat(16_000_000);
export const large: Service = ({ path }) => ({
  status: 200,
  body: path === '/' ? 'x' : LARGE,
});

export async function expectNoListener(port: number): Promise<void> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error');
  expect(error).to.have.property('code', 'ECONNREFUSED');
}

/** Expects something before a timer of the event loop that the server runs in. */
export async function expectWithin(
  limit: number,
  promise: Promise<void>,
  why?: string,
): Promise<void> {
  const late = pause(limit).then(() => 'too late');
  expect(await Promise.race([promise, late]), why).to.equal(undefined);
}

/** A client whose answer is on its way, and which does not read it. */
export async function deafClient(server: TestServer): Promise<Client> {
  const handled = server.log.length;
  const client = await server.client();
  client.socket.pause();
  client.send(GET);
  await until(() => server.log.length > handled);
  return client;
}
