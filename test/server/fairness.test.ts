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
    const received = trace
      .of('read')
      .reduce((sum, { bytes: { length } }) => sum + length, 0);
    // The blocked request, what is read ahead, and one read that exceeds it.
    expect(received).to.be.lessThan((handled + 1) * REQUEST.length + 3 * 65_536);
    deaf.socket.resume();
    expect(await deaf.statuses(COUNT)).to.deep.equal(Array(COUNT).fill(200));
  });
  it('a client that does not read is not idle, however little waits for it', async () => {
    const trace = new Trace();
    const small = () => ({ status: 200 as const, body: 'y'.repeat(4000) });
    const server = await serve({ service: small, trace: trace.sink });
    const client = await server.client();
    client.socket.pause();
    let count = 0;
    while (trace.of('block').length === 0) {
      client.send(GET);
      await trace.next('write', (count += 1));
    }
    // Less than the mark above which the socket tells that it is full.
    expect(trace.events.slice(-3).map(({ type }) => type)).to.deep.equal([
      'turn',
      'write',
      'block',
    ]);
    const idle = trace.of('idle').length;
    client.socket.resume();
    expect(await client.statuses(count)).to.deep.equal(Array(count).fill(200));
    await trace.next('idle', idle + 1);
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
    // It may be blocked once more, after the system has taken a part.
    const [block, ...more] = trace.lines('block', 'gone').trimEnd().split('\n');
    expect(block).to.equal(
      'c1  block  waiting for the client to read earlier responses, 0.2 s at most',
    );
    expect(more.at(-1)).to.equal(
      'c1  gone   gave up: nothing more could be sent to the client within 0.2 s',
    );
  });
});

describe('a large response', () => {
  const SIZE = 16_000_000;
  const service = () => ({ status: 200 as const, body: 'y'.repeat(SIZE) });

  it('a client that reads steadily gets all of it, in longer than the deadlines', async () => {
    const limits = { requestTimeout: 0.25, idleTimeout: 0.25 };
    const trace = new Trace();
    const server = await serve({ service, trace: trace.sink, ...limits });
    const client = (await server.client()).send(GET);
    const { socket } = client;
    const start = performance.now();
    let taken = 0;
    // A twentieth every 40 ms.
    socket.on('data', ({ length }) => {
      taken += length;
      if (taken < SIZE / 20) return;
      taken = 0;
      socket.pause();
      setTimeout(() => socket.resume(), 40);
    });
    expect((await client.answer()).content).to.have.lengthOf(SIZE);
    expect(performance.now() - start).to.be.above(2 * 250);
    await trace.next('idle');
    expect(trace.lines('block', 'idle')).to.match(/block.*\n.*idle/);
  });
  for (const [what, request] of [
    ['a connection that stays open', GET],
    ['a connection that closes', GET.replace('1.1', '1.0')],
  ] as const) {
    it(`the trace tells once that a client has to read a large response: ${what}`, async () => {
      const trace = new Trace();
      const server = await serve({ service, trace: trace.sink });
      const client = await server.client();
      client.socket.pause();
      client.send(request);
      await trace.next('block');
      client.socket.resume();
      expect((await client.answer()).content).to.have.lengthOf(SIZE);
      client.end();
      await trace.next('gone');
      expect(trace.of('block')).to.have.lengthOf(1);
    });
  }
  for (const [what, request] of [
    ['an idle client', GET],
    ['the last response', GET.replace('1.1', '1.0')],
  ] as const) {
    it(`a client that takes nothing is disconnected: ${what}`, async () => {
      const trace = new Trace();
      const limits = { requestTimeout: 0.3, idleTimeout: 0.1 };
      const server = await serve({ service, trace: trace.sink, ...limits });
      const client = await server.client();
      client.socket.pause();
      client.send(request);
      const block = await trace.next('block');
      const gone = await trace.next('gone');
      expect(gone.reason).to.equal(
        'gave up: nothing more could be sent to the client within 0.3 s',
      );
      // A busy system may let some time pass between the deadline and its line.
      expect(gone.at - block.at).to.be.at.least(250);
    });
  }
  it('a request that is not complete is not idle once the response before it is read', async () => {
    const limits = { requestTimeout: 0.5, idleTimeout: 0.1 };
    const trace = new Trace();
    const server = await serve({ service, trace: trace.sink, ...limits });
    const client = await server.client();
    client.socket.pause();
    client.send(`${GET}GET`);
    await trace.next('wait', 2);
    client.socket.resume();
    expect(await client.statuses(2)).to.deep.equal([200, 408]);
  });
  it('a log line leaves before its response, though others in the batch follow', async () => {
    const order: string[] = [];
    const server = await serve({
      service,
      log: () => order.push('log'),
      trace: ({ type }) => void (type === 'write' && order.push('write')),
    });
    const client = await server.client();
    client.send(GET.repeat(2));
    expect(await client.statuses(2)).to.deep.equal([200, 200]);
    expect(order.slice(0, 2)).to.deep.equal(['log', 'write']);
  });
  it('a large response of one client keeps no small one of another waiting', async () => {
    const server = await serve({
      service: ({ path }) => ({ status: 200, body: path === '/' ? '' : 'y'.repeat(SIZE) }),
    });
    const slow = await server.client();
    slow.socket.pause();
    slow.send(GET);
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    slow.socket.resume();
    expect((await slow.answer()).content).to.have.lengthOf(SIZE);
  });
});

describe('a slow service', () => {
  it('responses leave every 100 ms or so, and what arrives is read between them', async () => {
    const trace = new Trace();
    const service = () => {
      const end = performance.now() + 5;
      while (performance.now() < end);
      return { status: 200 as const, body: '' };
    };
    const server = await serve({ service, trace: trace.sink });
    const clients: Client[] = [];
    while (clients.length < 60) clients.push(await server.client());
    for (const client of clients) client.send(GET);
    await trace.next('write', 60);
    // What a client may wait for its response once it is made.
    const turns = trace.of('turn');
    for (const { connection, at } of trace.of('write')) {
      const turn = turns.find((event) => event.connection === connection);
      expect(at - (turn?.at ?? 0)).to.be.below(250);
    }
    const order =
      trace
        .lines('turn', 'write')
        .match(/turn|write/g)
        ?.join(' ') ?? '';
    const batches = order.match(/turn( turn)*/g) ?? [];
    expect(batches.length, '300 ms of turns').to.be.at.least(3);
  });
  it('responses of a fast service leave after 1,024 turns', async () => {
    const trace = new Trace();
    const server = await serve({ trace: trace.sink });
    const clients = await Promise.all(Array.from({ length: 4 }, () => server.client()));
    await trace.next('wait', clients.length);
    for (const client of clients) client.send(GET.repeat(1000));
    await Promise.all(clients.map((client) => client.statuses(1000)));
    const types = trace.events.map(({ type }) => type);
    const before = types.slice(0, types.indexOf('write')).filter((type) => type === 'turn');
    expect(before.length).to.be.within(1, 1024);
  });
  it('the responses to ten requests of a fast service leave together', async () => {
    const trace = new Trace();
    const server = await serve({ trace: trace.sink });
    const client = await server.client();
    client.send(GET.repeat(10));
    await client.statuses(10);
    expect(trace.of('write')).to.have.lengthOf(1);
  });
});

describe('what is read while a request waits', () => {
  it('at most 16 KiB and one read more are kept', async () => {
    const trace = new Trace();
    const server = await serve({
      trace: trace.sink,
      service: ({ path }) => ({
        status: 200,
        body: path === '/' ? '' : 'y'.repeat(16_000_000),
      }),
    });
    const deaf = await server.client();
    deaf.socket.pause();
    deaf.send(GET + GET);
    await trace.next('block');
    const before = trace.of('read').length;
    const small = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
    deaf.send(small.repeat(40_000));
    // Others are served meanwhile, in many rounds of the event loop.
    const other = await server.client();
    for (let count = 0; count < 20; count += 1) await other.ask('GET /');
    const reads = trace.of('read').slice(before);
    const kept = reads
      .filter(({ connection }) => connection === 1)
      .reduce((sum, { bytes: { length } }) => sum + length, 0);
    expect(kept).to.be.at.most(16_384 + 65_536);
    deaf.socket.resume();
    expect(await deaf.statuses(40_002)).to.have.lengthOf(40_002);
  });
});

describe('a client that floods the server', () => {
  it('many clients with one-byte chunks do not keep a newcomer waiting', async () => {
    const trace = new Trace();
    let chunks = 0;
    const server = await serve({
      trace: (event) => {
        if (event.type === 'parse' && event.part === 'chunk') chunks += 1;
        if (event.type === 'read' || event.type === 'write') trace.sink(event);
      },
    });
    const head = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const flooders: Client[] = [];
    while (flooders.length < 60) flooders.push((await server.client()).send(head));
    await trace.next('read', 60);
    for (const { socket } of flooders) socket.write(bytes(raw`1\r\nx\r\n`.repeat(11_000)));
    const newcomer = (await server.client()).send(GET);
    await trace.next('write');
    // Of 660,000. Even 16 KiB of each client, each time before the newcomer is looked at, would be
    // 160,000 and more.
    expect(chunks, 'that are parsed before the response').to.be.below(100_000);
    expect((await newcomer.answer()).status).to.equal(200);
  });

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
      expect(reads(waited, number), `reads of c${number} before c9 is read`).to.be.at.most(
        1,
      );
      expect(
        reads(answered, number),
        `reads of c${number} before its answer`,
      ).to.be.at.most(2);
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
