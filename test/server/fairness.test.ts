import { expect } from 'chai';
import { World } from '../simulation/world';
import { raw } from '../support/bytes';
import { story, Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import { CHUNKED, get, GET, LARGE, withClient, withDeaf } from '../support/virtual-server';

describe('a client that does not read its responses', () => {
  it('a client that does not read is paused, delays nobody, and loses no response', async () => {
    const content = 'x'.repeat(50_000);
    const request = raw`POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n${content}`;
    const { world, client, trace } = await withDeaf(request.repeat(30));
    const other = world.connect().send(GET.repeat(5));
    await world.settle();
    expect(other.statuses).to.deep.equal(Array(5).fill(200));
    expect(world.log).to.deep.equal(['POST /large', ...Array(5).fill('GET /')]);
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
    const room = { outputRoom: 10_000 };
    const { world, client, trace } = await withDeaf(GET, { service }, room);
    for (let count = 0; count < 2; count += 1) {
      client.send(GET);
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
  for (const [what, request] of [
    ['whose next request waits', get('/large').repeat(2)],
    ['that sends nothing more', get('/large')],
    ['after the last response', get('/large').replace('1.1', '1.0')],
  ] as const) {
    it(`a client that takes nothing is disconnected, ${what}`, async () => {
      const limits = { requestTimeout: 3, idleTimeout: 1 };
      const { world, trace } = await withDeaf(request, limits);
      await world.advance(2999);
      expect(trace.lines('block', 'gone')).to.equal(
        'c1  block  waiting for the client to read some of its responses, 3 s at most\n',
      );
      await world.advance(1);
      expect(trace.lines('gone')).to.contain(
        'given up: nothing more could be sent to the client within 3 s; up to 2345',
      );
    });
  }
});

describe('a large response', () => {
  // prettier-ignore
  for (const [what, request, last] of [
    ['that stays open', get('/large'), 'c1  idle   waiting for the next request, 1 s at most\n'],
    ['that closes', get('/large').replace('1.1', '1.0'), ''],
  ] as const) {
    it(`all of it arrives in longer than the deadlines: on a connection ${what}`, async () => {
      const limits = { requestTimeout: 1, idleTimeout: 1 };
      const { world, client, trace } = await withDeaf(request, limits);
      const start = world.time;
      for (let read = 0; read < 4; read += 1) {
        await world.advance(990);
        client.read(70_000);
      }
      client.readOn();
      await world.settle();
      expect(world.time - start).to.be.above(3000);
      expect(client.received.length).to.be.above(LARGE.length);
      const block = 'waiting for the client to read some of its responses, 1 s at most';
      expect(trace.lines('block', 'idle', 'gone')).to.equal(`c1  block  ${block}\n${last}`);
    });
  }
  it('a request that is not complete is not idle once the response before it is read', async () => {
    const limits = { requestTimeout: 5, idleTimeout: 1 };
    const { world, client } = await withDeaf(`${get('/large')}GET`, limits);
    client.readOn();
    await world.advance(4999);
    expect(client.ending).to.equal(undefined);
    await world.advance(1);
    expect([client.statuses, client.ending]).to.deep.equal([[200, 408], 'end']);
  });
});

describe('a batch of turns', () => {
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
      runs.map((run) => `${run.split(' ').length} ${run.split(' ')[0]}`).join(),
    ).to.equal('60 open,21 turn,21 write,1 open,21 turn,21 write,19 turn,19 write');
  });
  it('responses of a fast service leave together, after 1,024 turns', async () => {
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
});

describe('a client that sends as fast as it can', () => {
  it('at most 16 KiB and one read more are kept while its request waits', async () => {
    // On a real socket, because it is the system that decides how much a read brings.
    const trace = new Trace();
    const body = 'y'.repeat(16_000_000);
    const server = await serve({
      trace: trace.sink,
      service: ({ path }) => ({ status: 200, body: path === '/' ? '' : body }),
    });
    const deaf = await server.client();
    deaf.socket.pause();
    deaf.send(get('/large') + GET);
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
  it('many clients with one-byte chunks do not keep a newcomer waiting', async () => {
    let [chunks, parsed] = [0, Infinity];
    const order: string[] = [];
    const world: World = new World();
    await world.serve({
      trace: (event) => {
        if (event.type === 'read') order.push(`c${event.connection}`);
        if (event.type !== 'parse' || event.part !== 'chunk line') return;
        chunks += 1;
        world.standStill(0.03); // so long does it take to parse one
      },
    });
    const flood = Buffer.alloc(6 * 8000, '1\r\nx\r\n');
    for (let count = 0; count < 3; count += 1) world.connect().send(CHUNKED).write(flood);
    // All of them have begun by then, and the flood lasts for a second.
    world.in(150, () => {
      const [before, reads] = [chunks, order.length];
      const newcomer = world.connect().send(GET);
      newcomer.onRead = () => {
        if (newcomer.received === '' || parsed < Infinity) return;
        parsed = chunks - before;
        for (const client of ['c1', 'c2', 'c3'])
          expect(order.slice(reads).filter((one) => one === client).length).to.be.below(2);
      };
    });
    await world.settle();
    expect(chunks).to.equal(24_000);
    expect(parsed, 'chunks that are parsed before the response').to.be.within(1, 3000);
  });
});
