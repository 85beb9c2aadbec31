import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { GROUPS, type Case } from '../../../src/study/cases';
import { converse } from '../../../src/study/probe/conversation';
import type { Reading } from '../../../src/study/probe/reading';
import { readAll } from '../../../src/study/probe/target';
import { afterRounds } from '../../support/probed-servers';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const LAST = OK.replace('\r\n', '\r\nConnection: close\r\n');

describe('a conversation of the probe', () => {
  let server: Server;
  let received = '';

  /** A server that sends all its responses at once, and lets the client close. */
  async function respond(responses: string) {
    received = '';
    server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('data', (data) => {
          if (received === '') socket.write(responses);
          received += data.toString('latin1');
          if (received.endsWith('next')) socket.end();
        });
      if (responses.includes('close')) socket.once('data', () => socket.end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = { next: 'next', isPatient: true, after: afterRounds };
    return converse({ host: '127.0.0.1', port }, 'two requests', options);
  }
  afterEach(() => void server.close());

  it('the next request follows the responses, and how many there were is known', async () => {
    expect(await respond(OK + OK)).to.include({ followedAfter: 2, hasEnded: true });
    expect(received).to.equal('two requestsnext');
  });
  it('the next request follows silence, too', async () => {
    expect(await respond('')).to.include({ followedAfter: 0, hasEnded: true });
    expect(received).to.equal('two requestsnext');
  });
  it('nothing follows a response that says "close", though one before it did not', async () => {
    expect(await respond(OK + LAST)).to.include({
      followedAfter: undefined,
      hasEnded: true,
    });
    expect(received).to.equal('two requests');
  });
});

describe('the readings of all cases', () => {
  it('a case is sent once more, alone, only where a response or a close is missing', async () => {
    const cases = GROUPS.flatMap((group): readonly Case[] => group.cases).slice(0, 4);
    const [one, silent, lost, unclosed] = cases;
    const results = new Map<Case | undefined, Partial<Reading>>([
      [one, { result: 'accepted', end: 'open' }],
      [silent, { result: 'silent', end: 'open' }],
      [lost, { result: 'accepted', end: 'lost' }],
      [unclosed, { result: 'accepted', end: 'unclosed' }],
    ]);
    const sent: string[] = [];
    const names = new Map(cases.map((each, at) => [each, `${at}`]));
    await readAll(
      {
        read: async (each, isPatient) => {
          sent.push(`${names.get(each)}${isPatient ? ' alone' : ''}`);
          return results.get(each) as Reading;
        },
      },
      cases,
      () => {},
    );
    expect(sent).to.deep.equal(['0', '1', '2', '3', '1 alone', '2 alone', '3 alone']);
  });
});
