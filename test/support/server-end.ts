/** What tests of real sockets share: a response that does not fit between server and
 * client, and a port that nobody listens on any more. */
import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';

/** It does not fit into the buffers between server and client. */
export const LARGE = 'x'.repeat(16_000_000);

export async function expectNoListener(port: number): Promise<void> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error');
  expect(error).to.have.property('code', 'ECONNREFUSED');
}
