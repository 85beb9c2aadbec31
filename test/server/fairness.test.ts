import { expect } from 'chai';
import type { Service } from '../../src/index';
import { raw } from '../support/bytes';
import { story, Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import { withClient } from '../support/virtual-server';
import { World } from '../simulation/world';

const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const SMALL = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** More than a client takes that has room for ROOM. */
const LARGE = 'y'.repeat(300_000);
const ROOM = { outputRoom: 100_000 };
const large: Service = ({ path }) => ({ status: 200, body: path === '/' ? '' : LARGE });

describe('a client that does not read its responses', () => {
  it('a client that does not read is paused, delays nobody, and loses no response', async () => {
    const content = 'x'.repeat(50_000);
    const request = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n${content}`;
    const { world, client, trace } = await withClient({ service: large }, ROOM);
    client.stopReading();
    client.send(request.repeat(30));
    await world.settle();
    const other = world.connect().send(SMALL.repeat(5));
    await world.settle();
    expect(other.statuses).to.deep.equal(Array(5).fill(200));
    expect(world.log).to.deep.equal(['POST /tasks', ...Array(5).fill('GET /')]);
    const reads = trace.of('read').filter(({ connection }) => connection === 1);
    const received = reads.reduce((sum, { bytes: { length } }) => sum + length, 0);
    // The first request, the blocked one, what is read ahead, and the read that exceeds it.
    expect(received).to.be.below(2 * request.length + 16_384 + 65_536);
    client.readOn();
    await world.settle();
    expect(client.statuses).to.deep.equal(Array(30).fill(200));
  });
  it('a client that does not read is not idle, however little waits for it', async () => {
    const service = () => ({ status: 200, body: 'y'.repeat(4000) }) as const;
    const { world, client, trace } = await withClient({ service }, { outputRoom: 10_000 });
    client.stopReading();
    for (let count = 0; count < 3; count += 1) {
      client.send(SMALL);
      await world.settle();
    }
    // Less than the mark above which the socket tells that it is full.
    expect(trace.lines('block', 'idle')).to.equal(
      story(raw`
      c1  idle   waiting for the next request, 5 s at most
      c1  idle   waiting for the next request, 5 s at most
      c1  block  waiting for the client to read some of its responses, 60 s at most
    `),
    );
    client.readOn();
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 200, 200]);
    expect(trace.of('idle')).to.have.lengthOf(3);
  });
  // The response to HTTP/1.0 has "Connection: close" in it.
  for (const [what, request, bytes] of [
    ['whose next request waits', GET + GET, '234576 bytes'],
    ['that sends nothing more', GET, '234576 bytes'],
    ['after the last response', GET.replace('1.1', '1.0'), '234595 bytes'],
  ] as const) {
    it(`a client that takes nothing is disconnected, ${what}`, async () => {
      const limits = { requestTimeout: 3, idleTimeout: 1 };
      const { world, client, trace } = await withClient(
        { ...limits, service: large },
        ROOM,
      );
      client.stopReading();
      client.send(request);
      await world.advance(2999);
      expect(trace.lines('block', 'gone')).to.equal(
        'c1  block  waiting for the client to read some of its responses, 3 s at most\n',
      );
      await world.advance(1);
      expect(trace.lines('gone')).to.equal(
        'c1  gone   given up: nothing more could be sent to the client within 3 s; ' +
          `up to ${bytes} never sent\n`,
      );
    });
  }
});

describe('a large response', () => {
  it('a client that reads steadily gets all of it, in longer than the deadlines', async () => {
    const limits = { requestTimeout: 1, idleTimeout: 1 };
    const { world, client, trace } = await withClient({ ...limits, service: large }, ROOM);
    const start = world.time;
    client.stopReading();
    client.send(GET);
    for (let read = 0; read < 4; read += 1) {
      await world.advance(990);
      client.read(70_000);
    }
    client.readOn();
    await world.settle();
    expect(world.time - start).to.be.above(3000);
    expect([client.statuses, client.ending]).to.deep.equal([[200], undefined]);
    expect(client.received.length).to.be.above(LARGE.length);
    expect(trace.lines('block', 'idle', 'gone')).to.equal(
      story(raw`
      c1  block  waiting for the client to read some of its responses, 1 s at most
      c1  idle   waiting for the next request, 1 s at most
    `),
    );
  });
  for (const [what, request] of [
    ['a connection that stays open', GET],
    ['a connection that closes', GET.replace('1.1', '1.0')],
  ] as const) {
    it(`the trace tells once that a client has to read a large response: ${what}`, async () => {
      const { world, client, trace } = await withClient({ service: large }, ROOM);
      client.stopReading();
      client.send(request);
      for (let read = 0; read < 6; read += 1) {
        await world.settle();
        client.read(70_000);
      }
      await world.settle();
      expect(client.received.length).to.be.above(LARGE.length);
      expect(trace.of('block')).to.have.lengthOf(1);
    });
  }
  it('a request that is not complete is not idle once the response before it is read', async () => {
    const limits = { requestTimeout: 5, idleTimeout: 1 };
    const { world, client } = await withClient({ ...limits, service: large }, ROOM);
    client.stopReading();
    client.send(`${GET}GET`);
    await world.settle();
    client.readOn();
    await world.advance(4999);
    expect(client.ending).to.equal(undefined);
    await world.advance(1);
    expect([client.statuses, client.ending]).to.deep.equal([[200, 408], 'end']);
  });
  it('a log line leaves before its response, though others in the batch follow', async () => {
    const order: string[] = [];
    const { world, client } = await withClient({
      service: large,
      log: () => order.push('log'),
      trace: ({ type }) => void (type === 'write' && order.push('write')),
    });
    client.send(GET.repeat(2));
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 200]);
    expect(order.slice(0, 2)).to.deep.equal(['log', 'write']);
  });
  it('a large response of one client keeps no small one of another waiting', async () => {
    const { world, client } = await withClient({ service: large }, ROOM);
    client.stopReading();
    client.send(GET);
    const other = world.connect().send(SMALL);
    await world.settle();
    expect(other.statuses).to.deep.equal([200]);
    client.readOn();
    await world.settle();
    expect(client.received.length).to.be.above(LARGE.length);
  });
});

describe('a slow service', () => {
  it('responses leave every 100 ms, and what arrives is read between them', async () => {
    const world = new World();
    await world.serve({
      service: () => {
        world.standStill(5);
        return { status: 200, body: '' };
      },
    });
    for (let count = 0; count < 60; count += 1) world.connect().send(GET);
    world.in(10, () => world.connect().send(GET));
    await world.settle();
    const types = world.trace.lines('turn', 'write', 'open').match(/turn|write|open/g);
    // A batch is over after 100 ms; a turn that has begun is the last one.
    const runs = types?.join(' ').match(/(\w+)(?: \1)*/g) ?? [];
    expect(
      runs.map((run) => `${run.split(' ').length} ${run.split(' ')[0]}`),
    ).to.deep.equal([
      '60 open',
      '21 turn',
      '21 write',
      '1 open',
      '21 turn',
      '21 write',
      '19 turn',
      '19 write',
    ]);
  });
  it('responses of a fast service leave after 1,024 turns', async () => {
    const { world, client, trace } = await withClient();
    const clients = [client, world.connect(), world.connect()];
    await world.settle();
    for (const one of clients) one.send(GET.repeat(500));
    await world.settle();
    for (const one of clients) expect(one.statuses).to.deep.equal(Array(500).fill(200));
    const types = trace.events.map(({ type }) => type);
    const before = types.slice(0, types.indexOf('write')).filter((type) => type === 'turn');
    expect(before).to.have.lengthOf(1024);
  });
  it('the responses to ten requests of a fast service leave together', async () => {
    const { world, client, trace } = await withClient();
    client.send(GET.repeat(10));
    await world.settle();
    expect(client.statuses).to.deep.equal(Array(10).fill(200));
    expect(trace.of('write')).to.have.lengthOf(1);
  });
});

describe('what is read while a request waits', () => {
  it('at most 16 KiB and one read more are kept', async () => {
    // On a real socket, because it is the system that decides how much a read brings.
    const trace = new Trace();
    const body = 'y'.repeat(16_000_000);
    const server = await serve({
      trace: trace.sink,
      service: ({ path }) => ({ status: 200, body: path === '/' ? '' : body }),
    });
    const deaf = await server.client();
    deaf.socket.pause();
    deaf.send(GET + SMALL);
    await trace.next('block');
    const before = trace.of('read').length;
    const request = raw`GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(190)}\r\n\r\n`;
    deaf.send(request.repeat(1000));
    // Others are served meanwhile, in many rounds of the event loop.
    const other = await server.client();
    for (let count = 0; count < 20; count += 1) await other.ask('GET /');
    const reads = trace.of('read').slice(before);
    const kept = reads
      .filter(({ connection }) => connection === 1)
      .reduce((sum, { bytes: { length } }) => sum + length, 0);
    expect(kept).to.be.at.most(16_384 + 65_536);
    deaf.socket.resume();
    expect(await deaf.statuses(1002)).to.have.lengthOf(1002);
  });
});

describe('a client that floods the server', () => {
  it('many clients with one-byte chunks do not keep a newcomer waiting', async () => {
    let [chunks, parsed] = [0, Infinity];
    const world: World = new World();
    await world.serve({
      trace: (event) => {
        if (event.type !== 'parse' || event.part !== 'chunk') return;
        chunks += 1;
        world.standStill(0.01); // so long does it take to parse one
      },
    });
    const flood = Buffer.alloc(6 * 2000, '1\r\nx\r\n');
    for (let count = 0; count < 20; count += 1) world.connect().send(CHUNKED).write(flood);
    // All of them have begun by then, and the flood lasts for 0.4 s.
    world.in(150, () => {
      const before = chunks;
      const newcomer = world.connect().send(GET);
      newcomer.onRead = () => {
        if (newcomer.received !== '') parsed = Math.min(parsed, chunks - before);
      };
    });
    await world.settle();
    expect(chunks).to.equal(40_000);
    expect(parsed, 'chunks that are parsed before the response').to.be.within(1, 3000);
  });
  it('a client that floods is read at most twice before another gets its response', async () => {
    const order: string[] = [];
    const world = new World();
    await world.serve({
      trace: ({ connection, type }) => {
        if (type === 'read' || type === 'write') order.push(`c${connection} ${type}`);
      },
    });
    const flood = Buffer.alloc(6 * 23_000, '1\r\nx\r\n');
    for (let count = 0; count < 4; count += 1) world.connect().send(CHUNKED).write(flood);
    world.connect().send(GET);
    await world.settle();
    const before = order.slice(0, order.indexOf('c5 write'));
    for (let number = 1; number <= 4; number += 1) {
      const reads = before.filter((entry) => entry === `c${number} read`);
      expect(reads.length, `reads of c${number} before the response`).to.be.within(1, 2);
    }
    expect(order.filter((entry) => entry === 'c1 read').length).to.be.above(2);
  });
});
