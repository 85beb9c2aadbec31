import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { respondTo } from '../simulation/service';
import { World } from '../simulation/world';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { CHUNKED, get, GET, post, withClient } from '../support/virtual-server';

/** More chunks than are parsed before others get their turn. */
const MANY_CHUNKS = raw`1\r\nx\r\n`.repeat(3000);
const LAST_CHUNK = raw`0\r\n\r\n`;

/** When a client sends what, in milliseconds after what it sent before. */
type Sent = readonly (readonly [after: number, text: string])[];

describe('the deadlines of a connection, to the millisecond', () => {
  // prettier-ignore
  const ENDS: readonly (readonly [
    what: string, request: number, idle: number, sent: Sent, end: number, statuses: number[],
  ])[] = [
    ['ends a connection that sends nothing, in silence', 7.5, 5, [], 7500, []],
    ['is not extended by an empty line', 7.5, 5, [[7000, raw`\r\n`]], 500, []],
    ['of a request starts with its first byte', 7.5, 5,
      [[5000, raw`\r\n`], [2000, 'GET']], 7500, [408]],
    ['is not extended by a further byte', 7.5, 5, [[0, 'x'], [7000, 'x']], 500, [408]],
    ['is not extended by content', 7.5, 5, [[0, post(9)], [7000, '12345678']], 500, [408]],
    ['ends an idle connection, in silence', 60, 1.25, [[59_999, GET]], 1250, [200]],
    ['of an idle one starts with a response alone', 60, 1.25,
      [[0, GET], [1000, GET], [1000, raw`\r\n`]], 250, [200, 200]],
    ['of a request does not end an idle connection', 1, 3, [[0, GET]], 3000, [200]],
    ['of an idle one does not end a request', 3, 1, [[0, GET], [999, 'G']], 3000, [200, 408]],
    ['is not extended by a turn of others before an earlier request', 3, 5,
      [[0, CHUNKED + MANY_CHUNKS + LAST_CHUNK], [1000, 'G']], 3000, [200, 408]],
  ];
  for (const [what, requestTimeout, idleTimeout, sent, end, statuses] of ENDS) {
    it(`a deadline ${what}`, async () => {
      const { world, client } = await withClient({ requestTimeout, idleTimeout });
      for (const [after, text] of sent) {
        await world.advance(after);
        client.send(text);
      }
      await world.advance(end - 1);
      expect(client.ending, 'a millisecond before').to.equal(undefined);
      await world.advance(1);
      expect([client.statuses, client.ending]).to.deep.equal([statuses, 'end']);
    });
  }
  it('a request that is complete in its last millisecond is handled', async () => {
    const { world, client } = await withClient({ requestTimeout: 7.5 });
    client.send(GET.slice(0, 20));
    await world.advance(7499);
    client.send(GET.slice(20));
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[200], undefined]);
  });
  for (const [gap, times, limit, reason] of [
    [4999, 1, 4999, 'given up: the client was silent for 5 s, and did not close'],
    [4000, 7, 1999, 'given up: the client did not close within 30 s'],
  ] as const) {
    it(`a client that lingers is ${reason}`, async () => {
      const { world, client, trace } = await withClient({ requestTimeout: 0.5 });
      client.send(raw`BAD\r\n`);
      for (let time = 0; time < times; time += 1) {
        await world.advance(gap);
        client.send('x'); // it is not silent
      }
      await world.advance(limit);
      expect(trace.lines('gone')).to.equal('');
      await world.advance(1);
      expect(trace.lines('gone')).to.equal(`c1  gone   ${reason}\n`);
    });
  }
  it('the trace tells each deadline once, where it begins', async () => {
    const { world, client, trace } = await withClient({ requestTimeout: 7.5 });
    const pieces = ['G', 'ET ', '/', raw` HTTP/1.1\r\nHost: a\r\n\r\n`];
    for (const piece of [raw`\r\n`, ...pieces, raw`\r\n`, CHUNKED + MANY_CHUNKS]) {
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
      c1  idle   waiting for the next request, 5 s at most
      c1  wait   ${empty}
      c1  wait   for a chunk line (RFC 9112 section 7.1), 7.5 s at most
    `),
    );
  });
});

describe('the deadline of a request that is parsed in parts', () => {
  const CHUNKS = 2900;
  /** Each chunk takes so many milliseconds to parse. Meanwhile Node holds what follows, and
   * reads no further, because that is longer than the high-water mark. */
  const withSlowServer = async (ms = 0.1, chunks = CHUNKS, others = 2, next = 10) => {
    const world = new World();
    const trace = (event: TraceEvent): void => {
      if (event.type === 'parse' && event.part === 'chunk line') world.standStill(ms);
    };
    await world.serve({ requestTimeout: 1, trace });
    // The last of them waits for the others, again and again, while its time is over.
    const before = Array.from({ length: others }, () => world.connect());
    const client = world.connect();
    for (const each of [...before, client]) each.send(CHUNKED);
    await world.advance(950);
    for (const each of [...before, client]) each.send(raw`1\r\nx\r\n`.repeat(chunks));
    world.in(next, () => client.send(raw`8000\r\n` + 'x'.repeat(0x7000)));
    return { world, client };
  };
  for (const [when, ms, chunks, others, next, last] of [
    ['while its chunks are parsed', 0.1, CHUNKS, 2, 10, 30],
    ['as the last of its chunks is parsed', 0.03, 1000, 1, 30, 31],
  ] as const) {
    it(`a request whose end arrives ${when} is handled`, async () => {
      const { world, client } = await withSlowServer(ms, chunks, others, next);
      world.in(last, () => client.send('x'.repeat(0x1000) + raw`\r\n` + LAST_CHUNK));
      await world.advance(1000);
      expect(client.statuses).to.deep.equal([200]);
    });
  }
  it('a request without an end gets 408 when its chunks are parsed', async () => {
    const { world, client } = await withSlowServer();
    const begin = world.time;
    await world.advance(1000);
    expect(client.statuses).to.deep.equal([408]);
    const [{ time = NaN } = {}] = client.reads;
    expect(time - begin).to.be.closeTo((3 * CHUNKS) / 10, 3);
  });
});

describe('a request whose chunks never let its connection wait', () => {
  it('gets 408 a second after its time, at the latest', async () => {
    const { world, client } = await withClient({ requestTimeout: 0.5, trace: undefined });
    client.send(CHUNKED);
    await world.advance(490);
    for (let ms = 0; ms < 1020 && client.statuses.length === 0; ms += 1) {
      client.send(raw`1\r\nx\r\n`.repeat(130));
      await world.advance(1);
    }
    expect(client.statuses).to.deep.equal([408]);
  });
});

/** Nothing of the server runs for so long: a slow service, or a suspended laptop. */
describe('after a standstill longer than the deadlines', () => {
  const options = { requestTimeout: 0.2, idleTimeout: 0.2 };

  it('what arrived meanwhile is read, and what did not is closed or gets 408', async () => {
    const { world, client: fresh } = await withClient(options);
    const idle = world.connect().send(GET);
    const begun = world.connect().send('GET ');
    const content = world.connect().send(post(200_000));
    const chunks = world.connect().send(CHUNKED);
    const silent = world.connect();
    const half = world.connect().send('GET');
    await world.settle();
    world.in(100, () => {
      for (const one of [fresh, idle]) one.send(GET);
      begun.send(GET.slice('GET '.length));
      content.send('x'.repeat(200_000));
      chunks.send(MANY_CHUNKS + LAST_CHUNK);
    });
    world.standStill(500);
    await world.settle();
    for (const one of [fresh, begun, content, chunks])
      expect(one.statuses).to.deep.equal([200]);
    expect(idle.statuses).to.deep.equal([200, 200]);
    await world.advance(500);
    expect([silent.received, silent.ending]).to.deep.equal(['', 'end']);
    expect([half.statuses, half.ending]).to.deep.equal([[408], 'end']);
  });
  it('the time for the first request to begin does not end one that has begun', async () => {
    const { world, client } = await withClient({ requestTimeout: 0.3 });
    await world.advance(150);
    client.send(CHUNKED + MANY_CHUNKS);
    world.standStill(250);
    await world.advance(299); // its own time begins with the standstill over
    client.send(LAST_CHUNK);
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
  });
});

describe('a slow service, or a slow log', () => {
  it('the time of an idle connection begins with its response, after a slow log', async () => {
    const world = new World();
    const log = (lines: string): void => {
      if (lines.includes('/slow')) world.standStill(300);
    };
    await world.serve({ idleTimeout: 0.2, log });
    world.connect().send(GET); // a time that runs: the timer is set for it
    await world.advance(100);
    const client = world.connect().send(get('/slow'));
    await world.advance(400);
    client.send(GET);
    await world.settle();
    expect(client.statuses).to.have.length(2);
  });
  it('a limit of 1 s acts within 3 s, though each request of others takes 900 ms', async () => {
    const world = new World();
    await world.serve({
      requestTimeout: 1,
      service: ({ path }) => {
        if (path === '/slow') world.standStill(900);
        return respondTo(path);
      },
    });
    const client = world.connect().send('GET');
    const begin = world.time;
    const busy = world.connect();
    for (let count = 0; count < 6; count += 1)
      world.in(10 + 890 * count, () => busy.send(get('/slow')));
    await world.advance(8000);
    expect(client.statuses).to.deep.equal([408]);
    const [{ time = NaN } = {}] = client.reads;
    expect(time - begin).to.be.within(1000, 3000);
  });
});
