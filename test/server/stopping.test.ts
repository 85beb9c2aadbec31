import { expect } from 'chai';
import { TurnQueue } from '../../src/server/turn-queue';
import type { SimulatedClient } from '../simulation/client';
import { World } from '../simulation/world';
import { story } from '../support/recorded-trace';
import { get, GET, LARGE, withClient, withDeaf } from '../support/virtual-server';

describe('stop()', () => {
  it('stop() closes everything, can be called twice, and accepts nobody after it', async () => {
    const { world, server, client: idle, trace } = await withClient();
    const half = world.connect().send('GET');
    idle.send(GET);
    await world.settle();
    const stopped = Promise.all([server.stop(), server.stop()]);
    await world.settle();
    expect([idle.statuses, half.received]).to.deep.equal([[200], '']);
    for (const client of [idle, half]) {
      expect(client.ending).to.equal('end');
      client.end();
    }
    await world.settle();
    await stopped;
    await server.stop();
    const late = world.connect();
    await world.settle();
    expect(late.ending).to.equal('reset');
    // The listener closes once, and then everything is closed once.
    expect(trace.of('stop')).to.have.lengthOf(2);
    expect(new Set(Object.values(server.inspect()))).to.deep.equal(new Set([0]));
  });
  it('a queue that closes keeps nobody who waited in it', async () => {
    const world = new World();
    let isClosed = false;
    const queue = new TurnQueue(world.kernel, { turns: 1, ms: 1 }, () => isClosed);
    queue.enqueue({ takeTurn() {}, settle() {} });
    isClosed = true;
    await world.settle();
    isClosed = false;
    expect(queue.size).to.equal(0);
  });

  /** What is handled by then gets its response; nothing is handled after it. */
  for (const [moment, responses] of [
    ['service', 1],
    ['frame', 0],
    ['queue', 0],
    ['turn', 1],
    ['route', 1],
    ['write', 2],
  ] as const) {
    it(`stop() called at "${moment}" lets ${responses} of 2 responses go out`, async () => {
      const stop = (where: string): void => {
        if (where === moment) void server.stop();
      };
      const places: number[] = [];
      const { world, server, client } = await withClient({
        service: (_, explain) => {
          explain?.('start', 'always', 'end');
          stop('service');
          return { status: 200, body: 'x' };
        },
        trace: (event) => {
          if (event.type === 'queue') places.push(event.place);
          stop(event.type);
        },
      });
      client.send(GET.repeat(2));
      await world.settle();
      expect(client.statuses).to.deep.equal(Array(responses).fill(200));
      expect(client.ending).to.equal('end');
      if (responses === 1) expect(client.received).to.contain('\r\nConnection: close\r\n');
      client.end();
      await world.settle();
      await server.stopped;
      expect(world.log).to.deep.equal(Array(responses).fill('GET /'));
      expect(places, 'nobody has place 0').to.not.include(0);
    });
  }

  it('a client that is accepted after stop() is closed like the others', async () => {
    const world = new World();
    const server = await world.serve();
    void server.stop();
    const late = await new Promise<SimulatedClient>((resolve) => {
      world.kernel.soon(() => resolve(world.connect().send(GET)));
      void world.settle();
    });
    await world.settle();
    expect([late.received, late.ending]).to.deep.equal(['', 'end']);
    late.end();
    await world.settle();
    await server.stopped;
    expect(world.trace.lines('wait', 'close', 'stop')).to.equal(
      story(`
      --  stop   asked to stop: the listener closes, 0.8 s at most
      c1  close  the server stops (RFC 9112 section 9.6)
      --  stop   everything is closed
    `),
    );
  });
  it('stop() does not wait for clients that are already gone', async () => {
    const { world, server, client: reset } = await withClient();
    const done = world.connect().send(GET);
    reset.send(GET);
    await world.settle();
    reset.reset();
    done.end();
    await world.settle();
    const before = world.time;
    void server.stop();
    await world.settle();
    await server.stopped;
    expect(world.time).to.equal(before);
  });
});

describe('a server that stops', () => {
  const STOPS = '--  stop   asked to stop: the listener closes, 0.8 s at most\n';
  const when = '0.15 s after the stopping server had nothing left to send';

  it('a server that stops lets a slow client finish, and leaves it 0.15 s later', async () => {
    const { world, server, client, trace } = await withDeaf();
    void server.stop();
    await world.advance(500);
    client.readOn();
    await world.advance(149);
    expect([client.statuses, client.ending]).to.deep.equal([[200], 'end']);
    expect(client.received.length).to.be.above(LARGE.length);
    expect(trace.lines('stop')).to.equal(STOPS);
    await world.advance(1);
    expect(trace.lines('stop')).to.equal(
      `${STOPS}--  stop   cut off 1 connection ${when}\n`,
    );
  });
  it('a server that stops ends after 0.8 s though new clients keep arriving', async () => {
    // Each round of the event loop takes a millisecond, and brings a client.
    const freedom = { roundMs: () => 1, resetLosesData: () => true };
    const world = new World({ ...freedom, order: (items) => items });
    const server = await world.serve();
    let isArriving = true;
    const arrive = (): void => {
      if (!isArriving) return;
      world.connect();
      world.in(1, arrive);
    };
    arrive();
    await world.advance(100);
    void server.stop();
    await world.advance(1000);
    isArriving = false;
    const [began = NaN, ended = NaN] = world.trace.of('stop').map(({ at }) => at);
    expect(ended - began).to.equal(800);
    expect(world.trace.of('open').length).to.be.above(800);
    await server.stopped;
  });
  for (const [moment, maxRequests] of [
    ['at the limit, for the last client', 1],
    ['at the limit, for another client', 2],
    ['after stop()', 0],
  ] as const) {
    it(`a server that stops waits 0.8 s for a client that does not read, ${moment}`, async () => {
      const { world, server, trace } = await withDeaf(get('/large'), { maxRequests });
      if (maxRequests === 0) void server.stop();
      if (maxRequests === 2) world.connect().send(GET).end();
      await world.settle();
      await world.advance(500);
      void server.stop(); // gives nobody more time
      await world.advance(299);
      expect(trace.of('stop')).to.have.lengthOf(1);
      await world.advance(1);
      expect(trace.lines('stop')).to.contain(
        '--  stop   cut off 1 connection 0.8 s after the server began to stop\n',
      );
      await server.stopped;
    });
  }
  it('a server that stops does not count a client that it has given up as cut off', async () => {
    const { world, server, trace } = await withDeaf(get('/large'), { requestTimeout: 0.8 });
    const stopped = server.stop();
    await world.advance(800);
    await stopped;
    expect(trace.lines('gone')).to.match(
      /^c1 {2}gone {3}given up: nothing more could be sent/,
    );
    expect(trace.lines('stop')).to.match(/\n-- {2}stop {3}everything is closed\n$/);
  });
});
