import { expect } from 'chai';
import type { SimulatedClient } from '../simulation/client';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import {
  get,
  GET,
  large,
  linesFor,
  ROOM,
  sending,
  withClient,
  withDeaf,
} from '../support/virtual-server';

const CLOSE = raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
/** The system has taken the first 65,536 of 300,112 bytes. */
const LOST = 'up to 234576 bytes never sent';
const GONE = 'c1  gone   the client closed\n';
const RESET = 'c1  gone   the client reset the connection';

describe('a client that closes its sending side', () => {
  /** More requests than a batch has turns, and more bytes than are read ahead. */
  const MANY = 1500;
  // prettier-ignore
  const HALF_CLOSED: readonly (readonly [
    after: string, sent: string, handled: number, last: number | undefined,
  ])[] = [
    ['nothing',                              '',                           0,    undefined],
    ['an empty line',                        raw`\r\n`,                    0,    undefined],
    ['three requests',                       GET.repeat(3),                3,    200],
    ['half a request (9112 §8)',             raw`GET / HTTP/1.1\r\nHo`,    0,    400],
    ['many requests and half an empty line', GET.repeat(MANY) + raw`\r`,   MANY, 200],
    ['many requests and a bare CR',          GET.repeat(MANY) + raw`\rx`,  MANY, 400],
  ];
  for (const [after, sent, handled, last] of HALF_CLOSED) {
    const what = last === undefined ? 'no response' : `"close" with the last, ${last}`;
    it(`a client that half-closes after ${after} gets ${what}`, async () => {
      const { world, client } = await withClient();
      client.send(sent).end();
      await world.settle();
      const rejected = last === 400 ? [400] : [];
      expect(client.statuses).to.deep.equal([...Array(handled).fill(200), ...rejected]);
      const [, ...closing] = client.received.split('Connection: close');
      expect(closing).to.have.lengthOf(last === undefined ? 0 : 1);
      expect(closing.join('')).to.not.contain('HTTP/1.1');
      expect(client.ending).to.equal('end');
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
  it('a stopping server makes no room for a client that it would not serve', async () => {
    const { world, server, client, trace } = await withClient({ maxConnections: 1 });
    client.send(raw`BAD\r\n`);
    await world.settle();
    void server.stop();
    world.connect();
    await world.settle();
    expect(trace.of('refuse')).to.have.length(1);
    expect(trace.lines('gone')).to.equal('');
  });
  it('the server sees that a client closes after it sent more than is read ahead', async () => {
    const lines = await linesFor(raw`GET / HTTP/1.0\r\n\r\n${GET.repeat(10_000)}`, 'gone');
    expect(lines).to.equal(GONE);
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

describe('the trace of the end of our side', () => {
  it('the trace says why our side closes', async () => {
    const times = { idleTimeout: 0.1, requestTimeout: 0.3 };
    const { world, server, trace } = await sending(GET, times);
    world.connect();
    await world.advance(300);
    for (const text of [GET, CLOSE]) world.connect().send(text).end();
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
      c4  close  the client says "close" (RFC 9112 section 9.6)
      c5  close  the server stops (RFC 9112 section 9.6)
    `),
    );
  });
  it('the trace tells for how long a server lingers that ends', async () => {
    const { world, client, trace } = await withClient({ maxRequests: 2 });
    const other = world.connect();
    await world.settle();
    client.send(CLOSE);
    other.send(GET);
    await world.settle();
    const line =
      'linger our side is closed: reading on until the client closes, ' +
      '0.15 s at most after everything is sent (RFC 9112 section 9.6)\n';
    expect(trace.lines('linger')).to.equal(`c1  ${line}c2  ${line}`);
  });
  it('the server does not linger where the client has closed already', async () => {
    expect(await linesFor(GET, 'linger', 'gone')).to.equal(GONE);
  });
});

describe('the trace of how a connection ended', () => {
  for (const [when, sent, dropped] of [
    ['before the first byte', '', ''],
    ['mid-request', 'GET', '3 bytes of a request that is not complete'],
    ['after a response', raw`${GET}\r\n`, '2 bytes outside of any request'],
    ['while the server lingers', raw`BAD\r\n`, '1 byte after byte 3'],
  ] as const) {
    it(`the trace says that the client reset the connection, ${when}`, async () => {
      const { world, client, server, trace } = await sending(sent);
      client.reset();
      await world.settle();
      expect(trace.lines('drop')).to.equal(dropped && `c1  drop   ${dropped}\n`);
      expect(trace.lines('gone')).to.equal(`${RESET}\n`);
      expect(server.inspect()).to.include({ connections: 0, sending: 0, deadlines: 0 });
    });
  }
  for (const [when, next] of [
    ['after a half-close', ''],
    ['mid-request', 'GET /x'],
  ] as const) {
    it(`the trace says what a reset lost, ${when}`, async () => {
      const { world, client, trace } = await withDeaf(get('/large') + next);
      if (next === '') client.end();
      await world.settle();
      client.reset();
      await world.settle();
      expect(trace.lines('gone')).to.equal(`${RESET}; ${LOST}\n`);
    });
  }
  it('the trace counts a rejection, too, that is written after a reset', async () => {
    const service = () => ({ status: 200, body: 'x'.repeat(400) }) as const;
    const { world, client, trace } = await withDeaf(GET, { service }, { outputRoom: 300 });
    // It is long enough to be parsed in parts, and the reset is heard between them.
    const head = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
    client.send(head + raw`1\r\nx\r\n`.repeat(200) + raw`BAD\r\n`);
    client.reset();
    await world.settle();
    const [response = '', rejection = ''] = trace
      .of('write')
      .map(({ responses }) => responses[0]?.text);
    expect(trace.of('gone')[0]?.unsent).to.equal(response.length + rejection.length);
  });
  it('the trace says that we gave up on a client that did not take its response', async () => {
    const { world, trace } = await withDeaf(get('/large'), { requestTimeout: 0.2 });
    await world.advance(199);
    expect(trace.lines('gone')).to.equal('');
    await world.advance(1);
    expect(trace.lines('block', 'close', 'linger', 'gone')).to.equal(
      story(raw`
      c1  block  waiting for the client to read some of its responses, 0.2 s at most
      c1  gone   given up: nothing more could be sent to the client within 0.2 s; ${LOST}
    `),
    );
  });
  it('the trace says how long a stopping server waits for a client to read', async () => {
    const { world, server, trace } = await withDeaf();
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
    const { world, client, trace } = await withDeaf('', { maxRequests: 3 });
    const [quick, last] = [world.connect(), world.connect()];
    await world.settle();
    for (const each of [client, quick, last]) each.send(get('/large'));
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
});

describe('a client that is gone', () => {
  it('the trace tells of no wait for a client that resets before its response', async () => {
    const { world, client, trace } = await withClient({
      service: () => {
        client.reset();
        return { status: 200, body: '' };
      },
    });
    client.send(GET);
    await world.settle();
    expect(trace.lines('idle', 'block', 'gone')).to.equal(
      `${RESET}; up to 107 bytes never sent\n`,
    );
  });
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
        service: (request) => {
          if (request.path === '/reset') resetting?.reset();
          return large(request);
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
    last.send(GET).end();
    await world.advance(799);
    expect(trace.lines('gone')).to.not.contain('c1');
    await world.advance(1);
    expect(trace.lines('gone')).to.contain(
      'c1  gone   cut off 0.8 s after the server began to stop: ' +
        `the client did not read all its responses; ${LOST}\n`,
    );
  });
});

describe('the trace of what is dropped', () => {
  const LATE = 'after the last handled request: never parsed';
  // prettier-ignore
  const DROPPED: readonly (readonly [what: string, sent: string[], dropped: string])[] = [
    ['what follows a last response', [raw`GET / HTTP/1.0\r\n\r\nabc`], `3 bytes ${LATE}`],
    ['one byte', [raw`GET / HTTP/1.0\r\n\r\na`], `1 byte ${LATE}`],
    ['what follows CONNECT', [raw`CONNECT a:1 HTTP/1.1\r\nHost:a\r\n\r\nTLS`], `3 bytes ${LATE}`],
    ['an eleventh request that came with the tenth', [GET.repeat(11)], `27 bytes ${LATE}`],
    ['an eleventh request in the queue', [GET.repeat(6), GET.repeat(5)],
      'GET /, complete but never handled'],
    ['nothing where nothing was received', [GET.repeat(10)], ''],
  ];
  for (const [what, sent, dropped] of DROPPED) {
    it(`the trace tells that the server drops ${what}`, async () => {
      const { world, client, trace } = await withClient({ maxRequests: 10 });
      const clients = [client, world.connect()];
      await world.settle();
      for (const [at, text] of sent.entries()) clients[at]?.send(text);
      await world.settle();
      expect(trace.lines('drop')).to.equal(dropped && `c1  drop   ${dropped}\n`);
    });
  }
});
