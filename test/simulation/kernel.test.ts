import { expect } from 'chai';
import { raw } from '../support/bytes';
import { Kernel } from './kernel';
import { World } from './world';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;
const CLOSE = raw`GET /tasks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
const BODY = 'x'.repeat(300_000);

describe('a simulated world', () => {
  it('a deadline acts at its millisecond, and not before', async () => {
    const world = new World();
    const server = await world.serve({ idleTimeout: 0.3 });
    const client = world.connect().send(GET);
    await world.advance(299);
    expect(client.statuses).to.deep.equal([200]);
    expect(client.ending).to.equal(undefined);
    const before = world.time;
    await world.advance(1);
    expect([client.ending, client.endedAt - before]).to.deep.equal(['end', 1]);
    client.end();
    await world.settle();
    expect(server.inspect().connections).to.equal(0);
  });
  it('a server stops as fast as it does elsewhere', async () => {
    const world = new World();
    const server = await world.serve();
    const client = world.connect().send('GET');
    await world.settle();
    let stopped = NaN;
    void server.stop().then(() => (stopped = world.time));
    const before = world.time;
    await world.advance(1000);
    expect(client.ending).to.equal('end');
    expect(stopped - before).to.equal(150); // what a client has to close its side
  });
  it('hours pass in no time', async () => {
    const world = new World();
    await world.serve({ requestTimeout: 36_000 });
    const client = world.connect().send('GET');
    await world.advance(35_999_999);
    expect(client.statuses).to.deep.equal([]);
    await world.advance(1);
    expect(client.statuses).to.deep.equal([408]);
  });
  it('timers come first, then what has arrived, then what is to happen soon', async () => {
    const world = new World();
    const { kernel } = world;
    const order: string[] = [];
    await world.serve({ trace: ({ type }) => order.push(type) });
    world.connect();
    kernel.after(1, () => {
      order.push('timer');
      process.nextTick(() => order.push('tick'));
    });
    kernel.soon(() => order.push('soon'));
    world.standStill(1);
    await world.settle();
    expect(order).to.deep.equal(['listen', 'timer', 'tick', 'open', 'wait', 'soon']);
  });
  it('what is to happen soon happens once in a round', async () => {
    const kernel = new Kernel();
    const order: string[] = [];
    kernel.soon(() => {
      order.push('a');
      kernel.soon(() => order.push('c'));
    });
    kernel.soon(() => order.push('b'));
    await kernel.playUntil(kernel.time);
    expect(order).to.deep.equal(['a', 'b', 'c']);
  });
  it('a server that never comes to rest is a fault', async () => {
    const kernel = new Kernel();
    const again = (): void => kernel.soon(again);
    again();
    let message = '';
    await kernel.playUntil(kernel.time).catch((error) => (message = error.message));
    expect(message).to.equal('the event loop never comes to rest');
  });
  it('a standstill is time in which clients act, and the server does not', async () => {
    const world = new World();
    await world.serve();
    const client = world.connect();
    await world.settle();
    world.in(10, () => client.send('GET '));
    world.in(20, () => client.send('/'));
    world.standStill(30);
    await world.settle();
    expect(world.trace.of('read').map(({ at, bytes }) => [at, `${bytes}`])).to.deep.equal([
      [30, 'GET /'],
    ]);
  });
});

describe('a simulated connection', () => {
  it('a client that does not read blocks the server once the buffers are full', async () => {
    const world = new World();
    const service = () => ({ status: 200, body: BODY }) as const;
    const server = await world.serve({ requestTimeout: 60, service });
    const client = world.connect({ outputRoom: 10_000 });
    client.stopReading();
    client.send(GET + GET);
    await world.advance(59_999);
    expect(world.log).to.have.lengthOf(1);
    expect(client.connection.output.length).to.equal(10_000);
    client.readOn();
    await world.settle();
    expect(client.received.length).to.be.above(2 * BODY.length);
    expect(client.statuses).to.deep.equal([200, 200]);
    expect(server.inspect().held).to.equal(0);
  });
  it('a client that reads some bytes after others is waited for', async () => {
    const world = new World();
    await world.serve({
      requestTimeout: 1,
      service: () => ({ status: 200, body: BODY }),
    });
    const client = world.connect({ outputRoom: 100_000 }).send(CLOSE);
    client.stopReading();
    for (let seconds = 0; client.ending === undefined && seconds < 10; seconds += 1) {
      await world.advance(900);
      client.read(70_000);
    }
    expect(client.received.length).to.be.above(BODY.length);
    expect(client.ending).to.equal('end');
  });
  it('more than the buffer holds reaches the server as it reads', async () => {
    const world = new World();
    await world.serve();
    const client = world.connect({ inputRoom: 1000 });
    client.send(raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n`);
    client.send('x'.repeat(5000));
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
    expect(world.trace.of('read').map(({ bytes }) => bytes.length)).to.deep.equal([
      1000, 1000, 1000, 1000, 1000, 55,
    ]);
  });
  it('a client that has closed its sending side still gets its response', async () => {
    const world = new World();
    await world.serve();
    const client = world.connect().send(GET);
    client.end();
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[200], 'end']);
    expect(world.trace.of('end')).to.have.lengthOf(1);
    expect(world.trace.of('gone').map(({ reason }) => reason)).to.deep.equal([
      'the client closed',
    ]);
  });
  for (const [when, sent] of [
    ['between requests', ''],
    ['in a request', 'GET '],
  ] as const) {
    it(`the server sees a reset ${when}`, async () => {
      const world = new World();
      const server = await world.serve();
      const client = world.connect().send(sent);
      await world.settle();
      client.reset();
      await world.settle();
      expect(world.trace.of('gone')).to.have.lengthOf(1);
      expect(world.trace.of('gone')[0]).to.include({
        reason: 'the client reset the connection',
      });
      expect(server.inspect().connections).to.equal(0);
    });
  }
  it('a server that closes with unread bytes resets, and the response is lost', async () => {
    const world = new World();
    await world.serve({ maxConnections: 1 });
    const [first, second] = [world.connect(), world.connect().send(GET)];
    await world.settle();
    expect(first.ending).to.equal(undefined);
    expect([second.received, second.ending]).to.deep.equal(['', 'reset']);
    expect(world.trace.of('refuse')).to.have.lengthOf(1);
  });
  it('a client that goes on sending to a closed socket is reset', async () => {
    const world = new World();
    await world.serve({ idleTimeout: 1 });
    const client = world.connect();
    await world.advance(60_000 + 1999); // no request, then 2 s for the client to close
    client.send('x');
    await world.settle();
    expect(client.ending).to.equal('end');
    expect(world.trace.of('gone')).to.deep.equal([]);
    await world.advance(1);
    expect(world.trace.of('gone')).to.have.lengthOf(1);
    expect(client.connection.isResetByServer).to.equal(false);
    client.send('x');
    expect(client.connection.isResetByServer).to.equal(true);
  });
  it('a listener that closes resets who is not accepted yet', async () => {
    const world = new World();
    await world.serve();
    const { listener } = world.kernel;
    const client = world.connect();
    listener?.close();
    await world.settle();
    expect(client.ending).to.equal('reset');
    expect(world.connect().connection.isResetByServer).to.equal(true);
  });
});
