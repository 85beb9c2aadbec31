import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { World } from '../simulation/world';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { expectEnd, withClient } from '../support/virtual-server';

const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
/** More chunks than are parsed before others get their turn. */
const MANY_CHUNKS = raw`1\r\nx\r\n`.repeat(3000);

describe('the deadlines of a connection, to the millisecond', () => {
  it('a deadline ends a connection that sends nothing, in silence', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    await expectEnd(world, client, 7500);
    expect(client.received).to.equal('');
  });
  it('an empty line does not extend the deadline of a connection', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    await world.advance(7000);
    client.send(raw`\r\n`);
    await expectEnd(world, client, 500);
    expect(client.received).to.equal('');
  });
  it('the deadline of a request starts with its first byte, not an empty line', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    await world.advance(5000);
    client.send(raw`\r\n`);
    await world.advance(2000);
    client.send('GET');
    await expectEnd(world, client, 7500);
    expect(client.statuses).to.deep.equal([408]);
  });
  it('single bytes of a request do not extend its deadline, and it gets 408', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    for (let second = 0; second < 7; second += 1) {
      client.send('x');
      await world.advance(1000);
    }
    await expectEnd(world, client, 500);
    expect(client.statuses).to.deep.equal([408]);
  });
  it('content that arrives slowly does not extend the deadline of its request', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    client.send(raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`);
    await world.advance(7000);
    client.send('x'.repeat(99));
    await expectEnd(world, client, 500);
    expect(client.statuses).to.deep.equal([408]);
  });
  it('a request that is complete in its last millisecond is handled', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    client.send(GET.slice(0, 20));
    await world.advance(7499);
    client.send(GET.slice(20));
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[200], undefined]);
  });
  it('a deadline ends a connection that is idle after a response, in silence', async () => {
    const { world, client } = await withClient({ idleTimeout: 1.25 });
    await world.advance(60_000 - 1);
    client.send(GET);
    await expectEnd(world, client, 1250);
    expect(client.statuses).to.deep.equal([200]);
  });
  it('the idle deadline starts again with each response, and with nothing else', async () => {
    const { world, client } = await withClient({ idleTimeout: 1.25 });
    client.send(GET);
    await world.advance(1000);
    client.send(GET);
    await world.advance(1000);
    client.send(raw`\r\n`);
    await expectEnd(world, client, 250);
    expect(client.statuses).to.deep.equal([200, 200]);
  });
  it('the deadline of a request does not end a connection that is idle', async () => {
    const { world, client } = await withClient({ requestTimeout: 1, idleTimeout: 3 });
    client.send(GET);
    await expectEnd(world, client, 3000);
    expect(client.statuses).to.deep.equal([200]);
  });
  it('the deadline of an idle connection does not end a request', async () => {
    const { world, client } = await withClient({ requestTimeout: 3, idleTimeout: 1 });
    client.send(GET);
    await world.advance(999);
    client.send('GET /');
    await expectEnd(world, client, 3000);
    expect(client.statuses).to.deep.equal([200, 408]);
  });
  it('a client that is silent for 5 s after our side is closed is given up', async () => {
    const { world, client, trace } = await withClient({ requestTimeout: 0.5 });
    client.send(raw`BAD\r\n`);
    await world.advance(4999);
    client.send('x'); // it is not silent
    await world.advance(4999);
    expect(trace.lines('gone')).to.equal('');
    await world.advance(1);
    expect(trace.lines('gone')).to.equal(
      'c1  gone   given up: the client was silent for 5 s, and did not close\n',
    );
  });
  it('a client that goes on sending after our side is closed is given up after 30 s', async () => {
    const { world, client, trace } = await withClient({ requestTimeout: 0.5 });
    client.send(raw`BAD\r\n`);
    for (let seconds = 4; seconds < 30; seconds += 4) {
      await world.advance(4000);
      client.send('x');
    }
    await world.advance(1999);
    expect(trace.lines('gone')).to.equal('');
    await world.advance(1);
    expect(trace.lines('gone')).to.equal(
      'c1  gone   given up: the client did not close within 30 s\n',
    );
  });
  it('a server that runs no connection runs no deadline', async () => {
    const { world, server, client } = await withClient({ requestTimeout: 600 });
    const half = world.connect().send('GET');
    const idle = world.connect().send(GET);
    await world.settle();
    expect(server.inspect()).to.include({ connections: 3, deadlines: 3 });
    for (const one of [client, half, idle]) one.reset();
    await world.settle();
    expect(server.inspect()).to.include({ connections: 0, deadlines: 0 });
  });
});

describe('the trace of a deadline', () => {
  const options = { requestTimeout: 7.5, idleTimeout: 1.25 };

  it('the trace tells each deadline once, where it begins', async () => {
    const { world, client, trace } = await withClient(options);
    const pieces = ['G', 'ET ', '/', raw` HTTP/1.1\r\nHost: a\r\n\r\n`];
    for (const piece of [raw`\r\n`, ...pieces, raw`\r\n`, 'G']) {
      client.send(piece);
      await world.settle();
    }
    const line = 'for the end of the request line (RFC 9112 section 3)';
    const empty = 'for a request line after the empty line (RFC 9112 section 2.2)';
    expect(trace.lines('wait', 'idle')).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 7.5 s at most
      c1  wait   ${empty}
      c1  wait   ${line}, 7.5 s at most
      c1  wait   ${line}
      c1  wait   ${line}
      c1  idle   waiting for the next request, 1.25 s at most
      c1  wait   ${empty}
      c1  wait   ${line}, 7.5 s at most
    `),
    );
  });
  it('the time of a request that is parsed with pauses begins with it, and is told', async () => {
    const { world, client, trace } = await withClient(options);
    client.send(GET);
    await world.settle();
    client.send(CHUNKED + MANY_CHUNKS);
    await world.settle();
    expect(trace.lines('wait', 'idle')).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 7.5 s at most
      c1  idle   waiting for the next request, 1.25 s at most
      c1  wait   for a chunk line (RFC 9112 section 7.1), 7.5 s at most
    `),
    );
  });
  it('the trace tells the whole story of a connection that sends nothing', async () => {
    const { world, client, trace } = await withClient({ requestTimeout: 0.1 });
    await world.advance(100);
    client.end();
    await world.settle();
    expect(trace.lines().split('\n').slice(2, -1)).to.deep.equal([
      'c1  wait   for a request (RFC 9112 section 2.1), 0.1 s at most',
      'c1  close  no request within 0.1 s of connecting (RFC 9112 section 9.5)',
      'c1  linger our side is closed: reading on until the client closes, or is silent ' +
        'for 5 s; 30 s at most ' +
        '(RFC 9112 section 9.6)',
      'c1  end    the client closed its sending side, or the connection',
      'c1  gone   the client closed',
    ]);
  });
});

describe('the deadline of a request that is parsed in parts', () => {
  const HEAD = raw`GET /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const LAST = raw`0\r\n\r\n`;

  it('a request that has arrived in time is handled, though it is not parsed yet', async () => {
    const { world, client } = await withClient({ requestTimeout: 1 });
    client.send(HEAD);
    await world.advance(900);
    world.in(50, () => client.send(MANY_CHUNKS + LAST));
    world.standStill(150);
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
  });

  for (const chunks of [2900, 3000]) {
    /** Each chunk takes a tenth of a millisecond to parse. Meanwhile Node holds what
     * follows, and reads no further, because that is longer than the high-water mark. */
    const withSlowServer = async () => {
      const world = new World();
      const trace = (event: TraceEvent): void => {
        if (event.type === 'parse' && event.part === 'chunk') world.standStill(0.1);
      };
      await world.serve({ requestTimeout: 1, trace });
      const client = world.connect().send(HEAD);
      await world.advance(950);
      client.send(raw`1\r\nx\r\n`.repeat(chunks));
      world.in(10, () => client.send(raw`8000\r\n` + 'x'.repeat(0x7000)));
      return { world, client };
    };
    it(`a request whose end arrives while ${chunks} chunks are parsed is handled`, async () => {
      const { world, client } = await withSlowServer();
      world.in(30, () => client.send('x'.repeat(0x1000) + raw`\r\n` + LAST));
      await world.advance(1000);
      expect(client.statuses).to.deep.equal([200]);
    });
    it(`a request without an end gets 408 when its ${chunks} chunks are parsed`, async () => {
      const { world, client } = await withSlowServer();
      const begin = world.time;
      await world.advance(1000);
      expect(client.statuses).to.deep.equal([408]);
      const [{ time = NaN } = {}] = client.reads;
      expect(time - begin).to.be.closeTo(chunks / 10, 3);
    });
  }
});

/** Nothing of the server runs for so long: a slow service, or a suspended laptop. */
describe('after a standstill longer than the deadlines', () => {
  const options = { requestTimeout: 0.2, idleTimeout: 0.2 };

  it('requests that arrived meanwhile are handled: of new, idle and waiting clients', async () => {
    const { world, client: fresh } = await withClient(options);
    const idle = world.connect().send(GET);
    const half = world.connect().send('GET /ta');
    await world.settle();
    world.in(100, () => {
      fresh.send(GET);
      idle.send(GET);
      half.send(GET.slice('GET /ta'.length));
    });
    world.standStill(500);
    await world.settle();
    expect(fresh.statuses).to.deep.equal([200]);
    expect(idle.statuses).to.deep.equal([200, 200]);
    expect(half.statuses).to.deep.equal([200]);
  });
  it('content that arrived meanwhile, in many reads, is read', async () => {
    const { world, client } = await withClient(options);
    client.send(raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n`);
    await world.settle();
    client.send('x'.repeat(200_000));
    world.standStill(500);
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
  });
  it('chunks that arrived meanwhile are parsed, though others go first', async () => {
    const { world, client } = await withClient(options);
    client.send(CHUNKED);
    await world.settle();
    client.send(MANY_CHUNKS + raw`0\r\n\r\n`);
    world.standStill(500);
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[200], undefined]);
  });
  it('a client whose chunks arrived meanwhile, but not all, gets 408', async () => {
    const { world, client } = await withClient(options);
    client.send(CHUNKED);
    await world.settle();
    client.send(MANY_CHUNKS);
    world.standStill(500);
    await world.advance(500);
    expect(client.statuses).to.deep.equal([408]);
  });
  it('a client with a wrong chunk among those that arrived meanwhile reads why', async () => {
    const { world, client, trace } = await withClient(options);
    client.send(CHUNKED);
    await world.settle();
    client.send(MANY_CHUNKS + raw`x\r\n`);
    world.standStill(500);
    await world.advance(1999);
    expect([client.statuses, client.ending]).to.deep.equal([[400], 'end']);
    expect(trace.lines('gone')).to.equal('');
  });
  it('the time for the first request to begin does not end one that has begun', async () => {
    const { world, client } = await withClient({ requestTimeout: 0.3 });
    await world.advance(150);
    client.send(CHUNKED + MANY_CHUNKS);
    world.standStill(250);
    await world.advance(299); // its own time begins with the standstill over
    client.send(raw`0\r\n\r\n`);
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
  });
  it('a client that read its responses meanwhile is not disconnected', async () => {
    const body = 'x'.repeat(300_000);
    const service = () => ({ status: 200, body }) as const;
    const room = { outputRoom: 100_000 };
    const { world, client } = await withClient({ ...options, service }, room);
    client.stopReading();
    client.send(GET + GET);
    await world.settle();
    world.in(100, () => client.readOn());
    world.standStill(500);
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 200]);
    expect(client.received.length).to.be.above(2 * body.length);
  });
  it('clients that sent nothing meanwhile are closed, or get 408', async () => {
    const { world, client: silent } = await withClient(options);
    const half = world.connect().send('GET');
    await world.settle();
    world.standStill(500);
    await world.advance(500);
    expect([silent.received, silent.ending]).to.deep.equal(['', 'end']);
    expect([half.statuses, half.ending]).to.deep.equal([[408], 'end']);
  });
  it('a client that reset the connection meanwhile is not said to have stayed', async () => {
    const service = () => ({ status: 200, body: 'x'.repeat(300_000) }) as const;
    const { world, client, trace } = await withClient(
      { ...options, service },
      { outputRoom: 10_000 },
    );
    client.stopReading();
    client.send(GET);
    await world.settle();
    world.in(100, () => client.reset());
    world.standStill(500);
    await world.settle();
    expect(trace.of('gone')).to.have.lengthOf(1);
    expect(trace.of('gone')[0]).to.include({ reason: 'the client reset the connection' });
  });
  it('a client that closed before the end was over is not said to be cut off', async () => {
    const { world, client, server, trace } = await withClient({ maxRequests: 1 });
    client.send(GET);
    await world.settle();
    expect(client.ending).to.equal('end');
    world.in(50, () => client.close());
    world.standStill(400);
    await world.settle();
    await server.stopped;
    expect(trace.lines('gone', 'stop').split('\n').slice(1)).to.deep.equal([
      'c1  gone   the client closed',
      '--  stop   everything is closed',
      '',
    ]);
  });
});
