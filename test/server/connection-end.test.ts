import { expect } from 'chai';
import { raw } from '../support/bytes';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { pause, until } from '../support/notifier';
import { story, Trace } from '../support/recorded-trace';
import { LARGE } from '../support/server-end';
import { serve } from '../support/test-server';
import { finish, linesFor, traced } from '../support/traced-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;

/** A client of a new server. */
async function newClient(...options: Parameters<typeof serve>): Promise<Client> {
  return (await serve(...options)).client();
}

describe('a client that closes its sending side', () => {
  it('a client that half-closes after its requests gets all responses (9112 §9.6)', async () => {
    const client = (await newClient()).send(GET.repeat(3)).end();
    expect(await client.statuses(3)).to.deep.equal([200, 200, 200]);
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    await client.gone;
  });
  it('a client that half-closes after 60,000 bytes of content gets its response', async () => {
    const head = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n`;
    const client = (await newClient()).send(head + 'a'.repeat(60_000)).end();
    expect((await client.answer()).status).to.equal(200);
  });
  for (const [what, behind] of [
    ['nothing', ''],
    ['an empty line', raw`\r\n`],
    ['half an empty line', raw`\r`],
  ] as const) {
    it(`after 5,000 requests, ${what} and the end, the last response says "close"`, async () => {
      const client = (await newClient()).send(GET.repeat(5000) + behind).end();
      expect(await client.statuses(4999)).to.have.lengthOf(4999);
      expect((await client.answer()).fields).to.have.property('connection', 'close');
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
  }
  for (const wrong of [raw`\n`, raw`\rx`, raw`\r\nGET`]) {
    it(`after 5,000 requests, ${wrong} and the end, the last response is 400`, async () => {
      const client = (await newClient()).send(GET.repeat(5000) + wrong).end();
      expect(await client.statuses(5001)).to.deep.equal([...Array(5000).fill(200), 400]);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
  }
  it('a client that half-closes mid-request reads what is missing (9112 §8)', async () => {
    const client = (await newClient()).send(raw`GET / HTTP/1.1\r\nHo`).end();
    const { status, content } = await client.answer();
    expect(status).to.equal(400);
    expect(content).to.contain('still missing: the end of header field line 1');
    expect(content).to.contain('at byte 18');
    expect((await client.closed()).how).to.equal('end');
  });
  for (const [what, sent] of [
    ['nothing', ''],
    ['an empty line', raw`\r\n`],
  ] as const) {
    it(`a client that half-closes after ${what} gets no response`, async () => {
      const client = (await newClient()).send(sent).end();
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
  }
});

describe('lingering (9112 §9.6)', () => {
  it('a client that is still sending reads its response', async () => {
    const trace = new Trace();
    const client = (await newClient({ trace: trace.sink })).send(raw`BAD\r\n`);
    const size = 10_000_000;
    client.socket.write(Buffer.alloc(size, 'x'));
    expect((await client.answer()).status).to.equal(400);
    expect((await client.closed()).how).to.equal('end');
    client.end();
    expect((await trace.next('gone')).reason).to.equal('the client closed');
    const dropped = trace.of('drop').reduce((sum, { bytes: count }) => sum + count, 0);
    // The rest of the rejected line is dropped, too.
    expect(dropped - size).to.be.within(0, 5);
  });
  it('the server sees that a client closes after it sent more than is read ahead', async () => {
    const { trace, client } = await traced();
    client.send(raw`GET / HTTP/1.0\r\n\r\n${GET.repeat(10_000)}`);
    await client.closed();
    client.end();
    expect((await trace.next('gone')).reason).to.equal('the client closed');
  });
  it('a client with a large upload reads its 413', async () => {
    const client = (await newClient()).send(
      raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n`,
    );
    client.socket.write(Buffer.alloc(9_000_000, 'x'));
    expect((await client.answer()).status).to.equal(413);
    expect((await client.closed()).how).to.equal('end');
    client.end();
    await client.gone;
  });
});

describe('our side of a connection', () => {
  it('the trace says why our side closes', async () => {
    const { trace, client, server } = await traced({
      idleTimeout: 0.1,
      requestTimeout: 0.3,
    });
    client.send(GET);
    const half = await server.client();
    await trace.next('close', 2);
    const ended = (await server.client()).send(GET).end();
    await trace.next('close', 3);
    const stopped = await server.client();
    await trace.next('open', 4);
    void server.stop();
    await finish(server, client, half, ended, stopped);
    expect(trace.lines('close').split('\n').sort().slice(1)).to.deep.equal([
      'c1  close  no request within 0.1 s of the last response (RFC 9112 section 9.5)',
      'c2  close  no request within 0.3 s of connecting (RFC 9112 section 9.5)',
      'c3  close  the client sends nothing more (RFC 9112 section 9.5)',
      'c4  close  the server stops (RFC 9112 section 9.6)',
    ]);
  });
  it('the trace tells the end of our side, and that the server lingers', async () => {
    const { trace, client } = await traced();
    client.send(raw`GET / HTTP/1.0\r\n\r\n`);
    await trace.next('linger');
    client.end();
    await trace.next('gone');
    expect(trace.lines('close', 'linger', 'end', 'gone')).to.equal(
      story(raw`
      c1  close  HTTP/1.0 without "keep-alive" (RFC 9112 section 9.3)
      c1  linger our side is closed: still reading until the client closes, 2 s at most \
                 (RFC 9112 section 9.6)
      c1  end    the client closed its sending side
      c1  gone   the client closed
    `),
    );
  });
  it('the trace tells that a server that ends lingers for less than 2 s', async () => {
    const { trace, server, client } = await traced({ maxRequests: 1 });
    const other = await server.client();
    await trace.next('wait', 2);
    client.send(GET);
    await server.stopped;
    const line =
      'linger our side is closed: still reading until the client closes, ' +
      '0.15 s at most after everything is sent (RFC 9112 section 9.6)\n';
    expect(trace.lines('linger')).to.contain(`c1  ${line}`).and.to.contain(`c2  ${line}`);
    other.end();
  });
  it('the server does not linger where the client has closed already', async () => {
    expect(await linesFor(GET, 'linger')).to.equal('');
  });
});

describe('the trace of how a connection ended', () => {
  it('the trace says that the client closed', async () => {
    expect(await linesFor(GET, 'gone')).to.equal('c1  gone   the client closed\n');
  });
  for (const [when, sent] of [
    ['idle', ''],
    ['mid-request', 'GET'],
    ['after an answer', GET],
  ]) {
    it(`the trace says that the client reset the connection, ${when}`, async () => {
      const { trace, client } = await traced();
      client.send(sent ?? '');
      if (sent === 'GET') await trace.next('wait', 2);
      if (sent === GET) await trace.next('idle');
      client.reset();
      await trace.next('gone');
      expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
    });
  }
  it('the trace says that the client reset the connection while the server lingered', async () => {
    const { trace, client } = await traced();
    client.send(raw`BAD\r\n`);
    await trace.next('linger');
    client.reset();
    await trace.next('gone');
    expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
  });
  it('the trace says that we gave up on a client that did not close within 2 s', async () => {
    const order: string[] = [];
    const trace = new Trace();
    const server = await serve({
      requestTimeout: 0.5,
      trace: (event) => {
        trace.sink(event);
        if (event.type === 'gone') order.push('gone');
        if (event.type === 'linger') void pause(2010).then(() => order.push('10 ms later'));
      },
    });
    const client = (await server.client()).send(raw`BAD\r\n`);
    // Bytes that arrive meanwhile gain no time.
    const dribble = setInterval(() => client.socket.write('x'), 500);
    await trace.next('gone').finally(() => clearInterval(dribble));
    await until(() => order.includes('10 ms later'));
    expect(order).to.deep.equal(['gone', '10 ms later']);
    const [close, gone] = [await trace.next('close'), await trace.next('gone')];
    expect(gone.at - close.at).to.be.at.least(1999);
    expect(trace.lines('gone')).to.equal(
      'c1  gone   gave up: the client did not close its side within 2 s\n',
    );
  });
  it('the trace says that the client reset the connection, after it had half-closed', async () => {
    const { trace, client } = await traced({
      service: () => ({ status: 200, body: LARGE }),
    });
    client.socket.pause();
    client.send(GET).end();
    await trace.next('end');
    client.reset();
    await trace.next('gone');
    expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
  });
  it('the trace says that we gave up on a client that did not take its response', async () => {
    const { trace, client } = await traced({
      requestTimeout: 0.2,
      service: ({ path }) => ({ status: 200, body: path === '/' ? LARGE : '' }),
    });
    // From here on, only a deadline that begins with the close can end the connection so early.
    await client.ask('GET /small');
    client.socket.pause();
    client.send(GET.replace(raw`\r\n\r\n`, raw`\r\nConnection: close\r\n\r\n`));
    await trace.next('gone');
    // Our side never closed: the rest of the response was still to be sent.
    expect(trace.lines('block', 'close', 'linger', 'gone')).to.equal(
      story(raw`
      c1  block  waiting for the client to read earlier responses, 0.2 s at most
      c1  gone   gave up: nothing more could be sent to the client within 0.2 s
    `),
    );
  });
  it('the trace says that the server cut clients off, before its own last line', async () => {
    const { trace, server } = await traced();
    await server.client();
    await trace.next('open', 2);
    await server.stop();
    // Now: what is told after the last line is lost where the process ends with it.
    const told = trace.lines('gone', 'stop').split('\n').slice(0, -1);
    const when = 'cut off 0.15 s after everything was sent';
    expect(told.slice(1, -1).map((line) => line.slice(2))).to.deep.equal(
      Array(2).fill(`  gone   ${when}: the client did not close its side`),
    );
    expect(told.at(-1)).to.equal(`--  stop   ${when.replace('off', 'off 2 connections')}`);
  });
  it('the trace says that everything is closed where nobody was cut off', async () => {
    const { trace, server, client } = await traced({ maxRequests: 1 });
    client.send(GET);
    await finish(server, client);
    expect(trace.lines('stop').split('\n')[1]).to.equal('--  stop   everything is closed');
  });
});

describe('a client that is gone', () => {
  it('a client that resets gets no further turns: none is logged, counted or traced', async () => {
    const trace = new Trace();
    const clients: Client[] = [];
    const server = await serve({
      maxRequests: 10,
      trace: trace.sink,
      service: ({ path }) => {
        if (path === '/reset') clients[0]?.reset();
        return { status: 200, body: 'x'.repeat(100_000) };
      },
    });
    clients.push(await server.client());
    clients[0]?.send(GET.replace('/', '/reset') + GET.repeat(5));
    await trace.next('gone');
    expect(trace.of('turn')).to.have.lengthOf(1);
    expect(server.log).to.deep.equal(['GET /reset']);
    expect(trace.lines('write')).to.match(
      /^c1 {2}write {2}\d+ bytes could not be sent: the client is gone\n/,
    );
    expect(trace.lines('drop', 'close')).to.equal(
      'c1  drop   GET /, complete but never handled; 108 bytes after it: never parsed\n',
    );
    // Nine requests are left of ten.
    const other = await server.client();
    other.send(GET.repeat(12));
    expect(await other.statuses(9)).to.deep.equal(Array(9).fill(200));
    expect((await other.closed()).rest).to.equal('');
  });
  it('a client that resets at the limit does not cut the response of another off', async () => {
    const trace = new Trace();
    const resetting: Client[] = [];
    const server = await serve({
      maxRequests: 3,
      trace: trace.sink,
      service: ({ path }) => {
        if (path === '/reset') for (const client of resetting) client.reset();
        return { status: 200, body: path === '/large' ? LARGE : 'x' };
      },
    });
    const slow = await server.client();
    slow.socket.pause();
    slow.send(GET.replace('/', '/large'));
    await trace.next('block');
    resetting.push(await server.client());
    const last = await server.client();
    // In one batch: the server writes to a client that is gone, and then it stops. If that client
    // were counted twice, all would seem to be sent, though a response is still leaving.
    for (const client of resetting) client.send(GET.replace('/', '/reset'));
    last.send(GET);
    await last.closed();
    last.end();
    await server.stopped;
    expect(server.log.slice(1, 3)).to.deep.equal(['GET /reset', 'GET /']);
    expect(trace.lines('close')).to.not.contain('c2');
    expect(trace.lines('gone')).to.contain(
      'c1  gone   cut off 0.8 s after the server began to stop: ' +
        'the client did not read all its responses\n',
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
    const { trace, server, client } = await traced({ maxRequests: 10 });
    client.send(GET.repeat(11));
    await finish(server, client);
    expect(trace.lines('drop')).to.equal(drop('27 bytes'));
  });
  it('the trace tells that an eleventh request is dropped that waits in the queue', async () => {
    const { trace, server, client } = await traced({ maxRequests: 10 });
    const other = await server.client();
    await trace.next('open', 2);
    client.send(GET.repeat(6));
    other.send(GET.repeat(5));
    await finish(server, client, other);
    expect(trace.lines('drop')).to.equal('c1  drop   GET /, complete but never handled\n');
  });
  it('the trace tells of nothing dropped where nothing was received', async () => {
    const { trace, server, client } = await traced({ maxRequests: 1 });
    client.send(GET);
    await finish(server, client);
    expect(trace.of('drop')).to.deep.equal([]);
  });
});
