import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import type { Client } from '../support/client';
import { Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';

const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (content: string): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

describe('a client that does not read its responses', () => {
  const COUNT = 30;
  const REQUEST = bytes(post('x'.repeat(500_000)));
  const service = () => ({ status: 200 as const, body: 'y'.repeat(1_000_000) });
  /** Sends requests, and reads nothing any more. */
  const stall = ({ socket }: Client, request: Buffer): void => {
    socket.pause();
    socket.write(Buffer.concat(Array<Buffer>(COUNT).fill(request)));
  };

  it('a client that does not read is paused, delays nobody, and loses no response', async () => {
    const trace = new Trace();
    const server = await serve({ service, trace: trace.sink });
    const deaf = await server.client();
    stall(deaf, REQUEST);
    await trace.next('block');
    const handled = server.log.length;
    const other = await server.client();
    for (let count = 0; count < 5; count += 1) await other.ask('GET /');
    expect(server.log.filter((line) => line.startsWith('POST'))).to.have.lengthOf(handled);
    const received = trace.of('read').reduce((sum, { bytes: { length } }) => sum + length, 0);
    // The blocked request, what is read ahead, and one read that exceeds it.
    expect(received).to.be.lessThan((handled + 1) * REQUEST.length + 3 * 65_536);
    deaf.socket.resume();
    expect(await deaf.statuses(COUNT)).to.deep.equal(Array(COUNT).fill(200));
  });
  it('a client that does not read is disconnected after the request timeout', async () => {
    const trace = new Trace();
    const server = await serve({ service, requestTimeout: 0.2, trace: trace.sink });
    const client = await server.client();
    // From here on, only a deadline that begins with the block can end the connection so early.
    await client.ask('GET /small');
    stall(client, bytes(GET));
    expect(await trace.next('block')).to.include({ seconds: 0.2 });
    await trace.next('gone');
    const [block, gone] = trace.lines('block', 'gone').split('\n');
    expect(block).to.equal(
      'c1  block  waiting for the client to read earlier responses, 0.2 s at most',
    );
    expect(gone).to.equal('c1  gone   gave up: the client did not read its responses within 0.2 s');
  });
});

describe('a client that floods the server', () => {
  it('a client that floods is read at most twice before another gets its response', async () => {
    const story: string[] = [];
    const trace = new Trace();
    const server = await serve({
      trace: (event) => {
        if (event.type === 'wait' || event.type === 'write') trace.sink(event);
        if (event.type === 'read') story.push(`c${event.connection} read`);
        if (event.type === 'write') story.push(`c${event.connection} write`);
      },
    });
    const head = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunks = bytes(raw`1\r\nx\r\n`)
      .toString('latin1')
      .repeat(100_000);
    const flooders: Client[] = [];
    while (flooders.length < 8) flooders.push((await server.client()).send(head));
    const other = await server.client();
    await trace.next('wait', 2 * flooders.length + 1);
    story.length = 0;
    // Everything is sent before the server reads any of it.
    for (const { socket } of flooders) socket.write(chunks);
    other.send(GET);
    await trace.next('write');

    const answered = story.slice(0, story.indexOf('c9 write'));
    const reads = (from: readonly string[], number: number): number =>
      from.filter((entry) => entry === `c${number} read`).length;
    const waited = answered.slice(0, answered.indexOf('c9 read'));
    for (let number = 1; number <= flooders.length; number += 1) {
      expect(reads(waited, number), `reads of c${number} before c9 is read`).to.be.at.most(1);
      expect(reads(answered, number), `reads of c${number} before its answer`).to.be.at.most(2);
    }
  });
});

describe('a client that resets the connection does not delay the others', () => {
  for (const [stage, sent] of [
    ['before the first byte', ''],
    ['mid-request', 'GET /'],
    ['with a request in the queue', GET],
    ['with many requests in the queue', GET.repeat(100)],
    ['after a rejection', raw`BAD\r\n`],
    ['in the content', raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx`],
  ] as const) {
    it(`a client that resets ${stage} does not delay the others`, async () => {
      const server = await serve();
      const [victim, other] = [await server.client(), await server.client()];
      victim.send(sent);
      other.send(GET);
      victim.reset();
      expect((await other.answer()).status).to.equal(200);
      expect((await other.ask('GET /')).status).to.equal(200);
    });
  }
});
