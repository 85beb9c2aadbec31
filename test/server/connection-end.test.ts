import { expect } from 'chai';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import { linesFor, withClient } from '../support/virtual-server';
import type { SimulatedClient } from '../simulation/client';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const get = (path: string): string => GET.replace('/', path);
const CLOSE = raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
/** More than a client takes that has room for ROOM. */
const LARGE = 'x'.repeat(300_000);
const ROOM = { outputRoom: 100_000 };
/** More requests than a batch has turns, and more bytes than are read ahead. */
const MANY = 1500;

describe('a client that closes its sending side', () => {
  it('a client that half-closes after its requests gets all responses (9112 §9.6)', async () => {
    const { world, client } = await withClient();
    client.send(GET.repeat(3)).end();
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[200, 200, 200], 'end']);
    expect(client.received.match(/Connection: close/g)).to.have.lengthOf(1);
  });
  for (const [what, behind] of [
    ['nothing', ''],
    ['an empty line', raw`\r\n`],
    ['half an empty line', raw`\r`],
  ] as const) {
    it(`after many requests, ${what} and the end, the last response says "close"`, async () => {
      const { world, client } = await withClient();
      client.send(GET.repeat(MANY) + behind).end();
      await world.settle();
      expect(client.statuses).to.deep.equal(Array(MANY).fill(200));
      expect(client.received.match(/Connection: close/g)).to.have.lengthOf(1);
      expect(client.received.slice(-250)).to.contain('Connection: close');
      expect(client.ending).to.equal('end');
    });
  }
  for (const wrong of [raw`\n`, raw`\rx`, raw`\r\nGET`]) {
    it(`after many requests, ${wrong} and the end, the last response is 400`, async () => {
      const { world, client } = await withClient();
      client.send(GET.repeat(MANY) + wrong).end();
      await world.settle();
      expect(client.statuses).to.deep.equal([...Array(MANY).fill(200), 400]);
      expect(client.ending).to.equal('end');
    });
  }
  it('a client that half-closes mid-request reads what is missing (9112 §8)', async () => {
    const { world, client } = await withClient();
    client.send(raw`GET / HTTP/1.1\r\nHo`).end();
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[400], 'end']);
    expect(client.received).to.contain('still missing: the end of header field line 1');
    expect(client.received).to.contain('at byte 18');
  });
  for (const [what, sent] of [
    ['nothing', ''],
    ['an empty line', raw`\r\n`],
  ] as const) {
    it(`a client that half-closes after ${what} gets no response`, async () => {
      const { world, client } = await withClient();
      client.send(sent).end();
      await world.settle();
      expect([client.received, client.ending]).to.deep.equal(['', 'end']);
    });
  }
});

describe('lingering (9112 §9.6)', () => {
  it('a new client gets the place of the one that has lingered longest', async () => {
    const { world, client: first, trace } = await withClient({ maxConnections: 2 });
    const second = world.connect();
    for (const one of [first, second]) {
      one.send(raw`BAD\r\n`);
      await world.advance(1000);
    }
    const third = world.connect().send(GET);
    await world.settle();
    expect(third.statuses).to.deep.equal([200]);
    expect(trace.lines('gone', 'refuse')).to.equal(
      'c1  gone   let go: a new client needed the place, and none had lingered longer\n',
    );
    world.connect();
    world.connect();
    await world.settle();
    expect(trace.of('refuse'), 'nobody else lingers').to.have.length(1);
  });
  it('a client that is still sending reads its response', async () => {
    const { world, client, trace } = await withClient();
    const size = 2_000_000;
    client.send(raw`BAD\r\n`).write(Buffer.alloc(size, 'x'));
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[400], 'end']);
    client.end();
    await world.settle();
    expect(trace.lines('gone')).to.equal('c1  gone   the client closed\n');
    const dropped = trace.of('drop').reduce((sum, { bytes: count }) => sum + count, 0);
    // The rest of the rejected line is dropped, too.
    expect(dropped - size).to.be.within(0, 5);
  });
  it('the server sees that a client closes after it sent more than is read ahead', async () => {
    const { world, client, trace } = await withClient();
    client.send(raw`GET / HTTP/1.0\r\n\r\n${GET.repeat(10_000)}`).end();
    await world.settle();
    expect(trace.lines('gone')).to.equal('c1  gone   the client closed\n');
  });
  it('a client with a large upload reads its 413', async () => {
    // On real sockets, because it is the system that would destroy the response.
    const client = await (await serve()).client();
    client.send(raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n`);
    client.socket.write(Buffer.alloc(9_000_000, 'x'));
    expect((await client.answer()).status).to.equal(413);
    expect((await client.closed()).how).to.equal('end');
    client.end();
    await client.gone;
  });
});

describe('our side of a connection', () => {
  it('the trace says why our side closes', async () => {
    const { world, client, server, trace } = await withClient({
      idleTimeout: 0.1,
      requestTimeout: 0.3,
    });
    client.send(GET);
    world.connect();
    await world.advance(300);
    world.connect().send(GET).end();
    await world.settle();
    world.connect();
    await world.settle();
    void server.stop();
    await world.settle();
    expect(trace.lines('close')).to.equal(
      story(raw`
      c1  close  no request within 0.1 s of the last response (RFC 9112 section 9.5)
      c2  close  no request within 0.3 s of connecting (RFC 9112 section 9.5)
      c3  close  the client sends nothing more (RFC 9112 section 9.5)
      c4  close  the server stops (RFC 9112 section 9.6)
    `),
    );
  });
  it('the trace tells the end of our side, and that the server lingers', async () => {
    const { world, client, trace } = await withClient();
    client.send(raw`GET / HTTP/1.0\r\n\r\n`);
    await world.settle();
    client.end();
    await world.settle();
    expect(trace.lines('close', 'linger', 'end', 'gone')).to.equal(
      story(raw`
      c1  close  HTTP/1.0 without "keep-alive" (RFC 9112 section 9.3)
      c1  linger our side is closed: reading on until the client closes, or is \
      silent for 5 s; 30 s at most \
                 (RFC 9112 section 9.6)
      c1  end    the client closed its sending side, or the connection
      c1  gone   the client closed
    `),
    );
  });
  it('the trace tells that a server that ends lingers for less than 2 s', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 1 });
    world.connect();
    await world.settle();
    client.send(GET);
    await world.settle();
    const line =
      'linger our side is closed: reading on until the client closes, ' +
      '0.15 s at most after everything is sent (RFC 9112 section 9.6)\n';
    expect(trace.lines('linger')).to.equal(`c1  ${line}c2  ${line}`);
  });
  it('the trace tells that also of a client that had asked to close', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 2 });
    const other = world.connect();
    await world.settle();
    client.send(raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    other.send(GET);
    await world.settle();
    expect(trace.of('linger').map(({ seconds }) => seconds)).to.deep.equal([0.15, 0.15]);
  });
  it('the server does not linger where the client has closed already', async () => {
    expect(await linesFor(GET, 'linger', 'gone')).to.equal(
      'c1  gone   the client closed\n',
    );
  });
});

describe('the trace of how a connection ended', () => {
  for (const [when, sent] of [
    ['before the first byte', ''],
    ['mid-request', 'GET'],
    ['after a response', GET],
    ['in the content', raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx`],
    ['while the server lingers', raw`BAD\r\n`],
  ] as const) {
    it(`the trace says that the client reset the connection, ${when}`, async () => {
      const { world, client, server, trace } = await withClient();
      client.send(sent);
      await world.settle();
      client.reset();
      await world.settle();
      expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
      expect(server.inspect()).to.include({ connections: 0, sending: 0, deadlines: 0 });
    });
  }
  it('the trace says that the client reset the connection, after it had half-closed', async () => {
    const service = () => ({ status: 200, body: LARGE }) as const;
    const { world, client, trace } = await withClient({ service }, ROOM);
    client.stopReading();
    client.send(GET).end();
    await world.settle();
    expect(trace.of('end')).to.have.lengthOf(1);
    client.reset();
    await world.settle();
    // The system has taken the first 65,536 of 300,131 bytes.
    const lost = 'up to 234595 bytes never sent';
    expect(trace.lines('gone')).to.equal(
      `c1  gone   the client reset the connection; ${lost}\n`,
    );
  });
  it('the trace says what a reset lost, while the next request arrives', async () => {
    const service = () => ({ status: 200, body: LARGE }) as const;
    const { world, client, trace } = await withClient({ service }, ROOM);
    client.stopReading();
    client.send(`${GET}GET /x`);
    await world.settle();
    client.reset();
    await world.settle();
    const lost = 'up to 234576 bytes never sent';
    expect(trace.lines('gone')).to.equal(
      `c1  gone   the client reset the connection; ${lost}\n`,
    );
  });
  it('the trace says of no loss, when all has left while the next request arrives', async () => {
    const service = () => ({ status: 200, body: 'x'.repeat(8000) }) as const;
    const { world, client, trace } = await withClient({ service }, { outputRoom: 6000 });
    client.stopReading();
    client.send(`${GET}GET /x`);
    await world.settle();
    client.readOn();
    await world.settle();
    expect(client.received).to.have.lengthOf(8110);
    client.reset();
    await world.settle();
    expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
  });
  it('the trace counts a rejection, too, that is written after a reset', async () => {
    const service = () => ({ status: 200, body: 'x'.repeat(400) }) as const;
    const { world, client, trace } = await withClient({ service }, { outputRoom: 300 });
    client.stopReading();
    client.send(GET);
    await world.settle();
    // It is long enough to be parsed in parts, and the reset is heard between them.
    const head = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
    client.send(head + raw`1\r\nx\r\n`.repeat(200) + raw`BAD\r\n`);
    client.reset();
    await world.settle();
    const [response = '', rejection = ''] = trace.of('write').map(({ text }) => text);
    expect(trace.of('gone')[0]?.unsent).to.equal(response.length + rejection.length);
  });
  it('the trace says what a reset lost, when the last bytes had left for the system', async () => {
    const service = () => ({ status: 200, body: 'x'.repeat(100_000) }) as const;
    const { world, client, trace } = await withClient({ service }, ROOM);
    client.stopReading();
    client.send(GET).end();
    await world.settle();
    client.reset();
    await world.settle();
    // The system has taken 65,536 bytes at most, and the socket holds the others.
    expect(trace.lines('gone')).to.match(/; up to \d{5,6} bytes never sent\n$/);
  });
  it('the trace says that we gave up on a client that did not take its response', async () => {
    const service = () => ({ status: 200, body: LARGE }) as const;
    const { world, client, trace } = await withClient(
      { requestTimeout: 0.2, service },
      ROOM,
    );
    client.stopReading();
    client.send(CLOSE);
    await world.advance(199);
    expect(trace.lines('gone')).to.equal('');
    await world.advance(1);
    // The system has taken the first 65,536 of 300,131 bytes, and part of the next ones.
    // Our side never closed: the rest of the response was still to be sent.
    const lost = 'up to 234595 bytes never sent';
    expect(trace.lines('block', 'close', 'linger', 'gone')).to.equal(
      story(raw`
      c1  block  waiting for the client to read some of its responses, 0.2 s at most
      c1  gone   given up: nothing more could be sent to the client within 0.2 s; ${lost}
    `),
    );
  });
  it('a client that we gave up on gets no further place in the queue', async () => {
    const service = () => ({ status: 200, body: 'x'.repeat(8000) }) as const;
    const options = { requestTimeout: 0.2, service };
    const { world, client, trace } = await withClient(options, { outputRoom: 3000 });
    client.stopReading();
    for (let requests = 0; requests < 6; requests += 1) {
      client.send(GET);
      await world.settle();
    }
    const before = trace.of('queue').length;
    await world.advance(200);
    expect(trace.lines('gone')).to.contain('given up');
    expect(trace.of('queue')).to.have.lengthOf(before);
  });
  it('the trace says how long a stopping server waits for a client to read', async () => {
    const service = () => ({ status: 200, body: LARGE }) as const;
    const { world, client, server, trace } = await withClient({ service }, ROOM);
    client.stopReading();
    client.send(GET);
    await world.settle();
    void server.stop();
    await world.settle();
    const after = 'after the server began to stop';
    expect(trace.lines('block')).to.equal(
      story(raw`
      c1  block  waiting for the client to read some of its responses, 60 s at most
      c1  block  waiting for the client to read some of its responses, 0.8 s at most ${after}
    `),
    );
  });
  it('the trace tells of no time limit that ends in the batch of the last request', async () => {
    const service = () => ({ status: 200, body: LARGE }) as const;
    const { world, client, trace } = await withClient({ maxRequests: 3, service }, ROOM);
    const [quick, last] = [world.connect(), world.connect()];
    await world.settle();
    client.stopReading();
    for (const each of [client, quick, last]) each.send(GET);
    await world.settle();
    const after = 'after the server began to stop';
    expect(trace.lines('idle', 'block')).to.equal(
      `c1  block  waiting for the client to read some of its responses, 0.8 s at most ${after}\n`,
    );
  });
  it('the trace says that the server cut clients off, before its own last line', async () => {
    const { world, server, trace } = await withClient();
    world.connect();
    await world.settle();
    void server.stop();
    await world.advance(150);
    const when = 'cut off 0.15 s after the stopping server had nothing left to send';
    expect(trace.lines('gone', 'stop').split('\n').slice(1)).to.deep.equal([
      `c1  gone   ${when}: the client did not close its side`,
      `c2  gone   ${when}: the client did not close its side`,
      `--  stop   ${when.replace('off', 'off 2 connections')}`,
      '',
    ]);
  });
  it('the trace says that everything is closed where nobody was cut off', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 1 });
    client.send(GET);
    await world.settle();
    client.end();
    await world.settle();
    expect(trace.lines('stop').split('\n')[1]).to.equal('--  stop   everything is closed');
  });
});

describe('a client that is gone', () => {
  it('a client that resets gets no further turns: none is logged, counted or traced', async () => {
    const { world, client, trace } = await withClient({
      maxRequests: 10,
      service: ({ path }) => {
        if (path === '/reset') client.reset();
        return { status: 200, body: 'x'.repeat(100_000) };
      },
    });
    client.send(get('/reset') + GET.repeat(5));
    await world.settle();
    expect(trace.of('turn')).to.have.lengthOf(1);
    expect(world.log).to.deep.equal(['GET /reset']);
    expect(trace.lines('write')).to.match(
      /^c1 {2}write {2}\d+ bytes could not be sent: the client is gone\n/,
    );
    expect(trace.lines('drop', 'close')).to.equal(
      'c1  drop   GET /, complete but never handled; 108 bytes after it: never parsed\n',
    );
    expect(trace.of('gone')[0]?.unsent).to.equal(100_112); // all of the only response
    // Nine requests are left of ten.
    const other = world.connect().send(GET.repeat(12));
    await world.settle();
    expect([other.statuses, other.ending]).to.deep.equal([Array(9).fill(200), 'end']);
  });
  it('a client that resets at the limit does not cut the response of another off', async () => {
    let resetting: SimulatedClient | undefined;
    const { world, client, trace } = await withClient(
      {
        maxRequests: 3,
        service: ({ path }) => {
          if (path === '/reset') resetting?.reset();
          return { status: 200, body: path === '/large' ? LARGE : 'x' };
        },
      },
      ROOM,
    );
    client.stopReading();
    client.send(get('/large'));
    resetting = world.connect();
    const last = world.connect();
    await world.settle();
    // In one batch: the server writes to a client that is gone, and then it stops. If that
    // client were counted twice, all would seem to be sent, though a response is still
    // leaving.
    resetting.send(get('/reset'));
    last.send(GET);
    await world.settle();
    last.end();
    await world.advance(799);
    expect(world.log.slice(1, 3)).to.deep.equal(['GET /reset', 'GET /']);
    expect(trace.lines('close')).to.not.contain('c2');
    expect(trace.lines('gone')).to.not.contain('c1');
    await world.advance(1);
    expect(trace.lines('gone')).to.contain(
      'c1  gone   cut off 0.8 s after the server began to stop: ' +
        'the client did not read all its responses; up to 234576 bytes never sent\n',
    );
  });
});

describe('the trace of what is dropped', () => {
  const drop = (bytes: string): string =>
    `c1  drop   ${bytes} after the last handled request: never parsed\n`;
  for (const [what, sent, dropped] of [
    ['bytes after a response that closes', raw`GET / HTTP/1.0\r\n\r\nabc`, '3 bytes'],
    ['one byte', raw`GET / HTTP/1.0\r\n\r\na`, '1 byte'],
    ['what follows CONNECT', raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\ntunnel`, '6 bytes'],
  ] as const) {
    it(`the trace tells that the server drops ${what}`, async () => {
      expect(await linesFor(sent, 'drop')).to.equal(drop(dropped));
    });
  }
  it('the trace tells that an eleventh request is dropped that came with the tenth', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 10 });
    client.send(GET.repeat(11));
    await world.settle();
    expect(trace.lines('drop')).to.equal(drop('27 bytes'));
  });
  it('the trace tells that an eleventh request is dropped that waits in the queue', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 10 });
    const other = world.connect();
    await world.settle();
    client.send(GET.repeat(6));
    other.send(GET.repeat(5));
    await world.settle();
    expect(trace.lines('drop')).to.equal('c1  drop   GET /, complete but never handled\n');
  });
  it('the trace tells of nothing dropped where nothing was received', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 1 });
    client.send(GET);
    await world.settle();
    expect(trace.of('drop')).to.deep.equal([]);
  });
});
