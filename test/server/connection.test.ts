import { expect } from 'chai';
import type { ServerOpts } from 'node:net';
import { taskService } from '../../src/index';
import { startServer } from '../../src/server/server';
import { Kernel } from '../simulation/kernel';
import { World } from '../simulation/world';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { GET, post, sending } from '../support/virtual-server';

describe('what the server asks of the system', () => {
  it('half-open connections, and that no small write waits for an acknowledgement', async () => {
    const kernel = new Kernel();
    let asked: ServerOpts = {};
    const { createListener } = kernel;
    kernel.createListener = (options, onConnection) => {
      asked = options;
      return createListener(options, onConnection);
    };
    await startServer({ service: taskService }, kernel);
    expect(asked).to.deep.equal({
      allowHalfOpen: true,
      noDelay: true,
      highWaterMark: 16_384, // the default of Node 20, in every version
    });
  });
});

describe('the order of the trace', () => {
  it('"wait" and "idle" come after "write" in the trace', async () => {
    const { world, trace, client } = await sending(GET + GET + raw`GET / HTTP/1.1\r\nHo`);
    client.send(raw`st: a\r\n\r\n`);
    await world.settle();
    const told = trace.lines('turn', 'write', 'wait', 'idle').replace(/^ .*\n/gm, '');
    expect(told).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  turn   request 1: GET /
      c1  turn   request 2: GET /
      c1  write  2 responses (200, 200), 314 bytes
      c1  wait   for the end of header field line 1 (RFC 9112 section 5), 60 s at most
      c1  turn   request 3: GET /
      c1  write  157 bytes
      c1  idle   waiting for the next request, 5 s at most
    `),
    );
  });
  it('the server does not wait if enough bytes have arrived', async () => {
    const { trace, client } = await sending(post(200_000) + 'x'.repeat(200_000));
    expect(client.statuses).to.deep.equal([200]);
    // The first one was told when the connection was opened, and the last read completed
    // it.
    expect(trace.of('wait').length).to.equal(trace.of('read').length);
  });
});

describe('100 (Continue) (9110 §10.1.1)', () => {
  const head = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n
Content-Length: 2\r\n\r\n`;

  it('100 is sent to a client that waits for it, between two final responses', async () => {
    const { world, client } = await sending(GET + head);
    expect(client.statuses).to.deep.equal([200, 100]);
    client.send('{}');
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 100, 200]);
  });
});

describe('turns', () => {
  it('a connection takes a new place for each request, behind those that wait', async () => {
    const world = new World();
    await world.serve();
    const clients = [5, 1, 7].map((requests) => ({ requests, client: world.connect() }));
    await world.settle();
    for (const { client, requests } of clients) client.send(GET.repeat(requests));
    await world.settle();
    const waiting: number[] = [];
    for (const event of world.trace.events) {
      if (event.type === 'turn') {
        expect(waiting.shift(), 'the first that waits').to.equal(event.connection);
      }
      if (event.type !== 'queue') continue;
      expect(waiting, 'one place for a connection').to.not.include(event.connection);
      expect(event).to.include({ behind: waiting.at(-1), place: waiting.length + 1 });
      waiting.push(event.connection);
    }
    expect(world.trace.of('turn')).to.have.lengthOf(13);
  });
});

describe('a rejection', () => {
  it('a rejection says why, closes, and is not logged', async () => {
    const { world, client } = await sending(raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
    const why =
      'White space between a field name and the colon (required by RFC 9112 section 5.1)';
    expect(client.received).to.equal(
      'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 105\r\n' +
        'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: close\r\n\r\n' +
        `{"error":"${why}, at byte 20"}`,
    );
    expect([client.ending, world.log]).to.deep.equal(['end', []]);
  });
  it('the 408 of a request that stalls says what is missing, and at which byte', async () => {
    const { world, client } = await sending('GET', { requestTimeout: 1 });
    await world.advance(1000);
    expect(client.received).to.contain(
      'The request is not complete 1 s after it began; still missing: the end of the ' +
        'request line (our choice: RFC 9110 section 15.5.9 defines the status), at byte 3',
    );
  });
});
