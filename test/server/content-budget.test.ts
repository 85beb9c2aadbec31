import { expect } from 'chai';
import type { HttpServer } from '../../src/server/server';
import type { SimulatedClient } from '../simulation/client';
import type { World } from '../simulation/world';
import { bytes, raw } from '../support/bytes';
import { CHUNKED, get, GET, post, sending, withDeaf } from '../support/virtual-server';

/** The first 4 KiB of each connection are free. */
const BUDGET = 8000;
const x = (count: number): string => 'x'.repeat(count);
/** Needs nearly all of the budget. */
const NEARLY_ALL = post(11_500) + x(11_500);
const LINES = raw`A: ${x(157)}\r\n`.repeat(30);
/** 10,000 bytes of 12,000. */
const HALF = post(12_000) + x(10_000);

/** A server with a budget of BUDGET, and a client that has sent something. */
async function withHolder(sent = HALF) {
  const scene = await sending(sent, { contentBudget: BUDGET });
  expect(scene.server.inspect().held).to.be.above(0);
  return { ...scene, holder: scene.client };
}

/** Sends something on a connection of its own. */
async function another(world: World, sent: string): Promise<SimulatedClient> {
  const client = world.connect().send(sent);
  await world.settle();
  return client;
}

async function expectFull(world: World): Promise<void> {
  expect((await another(world, NEARLY_ALL)).statuses).to.deep.equal([503]);
}

/** Expects the whole budget to be free. */
async function expectFree(world: World, server: HttpServer): Promise<void> {
  expect(server.inspect().held).to.equal(0);
  expect((await another(world, NEARLY_ALL)).statuses).to.deep.equal([200]);
}

describe('what all connections together hold', () => {
  it('a request beyond the budget of all connections gets 503 (our choice)', async () => {
    const { world, trace } = await withHolder();
    // What is announced is not charged, but what has arrived.
    const client = await another(world, post(9000));
    expect((await another(world, GET)).statuses).to.deep.equal([200]);
    client.send(x(9000));
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[503], 'end']);
    expect(client.received).to.match(
      /\(our choice: RFC 9110 section 15\.6\.4 defines the status\), at byte \d+"}$/,
    );
    const { offset = NaN } = trace.of('reject')[0]?.error ?? {};
    const head = bytes(post(9000)).length;
    expect(offset).to.be.within(head, head + 8999);
    expect(trace.of('drop')[0]).to.include({ which: `after byte ${offset}` });
    expect(world.log).to.deep.equal(['GET /']);
  });
  it('a budget that is nearly full affects no request of up to 4 KiB', async () => {
    const { world, holder } = await withHolder();
    await expectFull(world);
    expect((await another(world, GET)).statuses).to.deep.equal([200]);
    expect((await another(world, post(3700) + x(3700))).statuses).to.deep.equal([200]);
    holder.send(x(2000));
    await world.settle();
    expect(holder.statuses).to.deep.equal([200]);
  });
  it('the budget includes what is sent ahead while a request waits', async () => {
    const sent = get('/large') + GET;
    const { world, server, client } = await withDeaf(sent, { contentBudget: BUDGET });
    client.send(GET.repeat(400));
    await world.settle();
    await expectFull(world);
    // Nothing else suffers, and what was sent ahead is handled.
    expect((await another(world, GET)).statuses).to.deep.equal([200]);
    client.readOn();
    await world.settle();
    expect(client.statuses).to.deep.equal(Array(402).fill(200));
    await expectFree(world, server);
  });
  it('a client that sends too much ahead for the budget gets its responses, then 503', async () => {
    const sent = get('/large') + GET;
    const { world, server, client, trace } = await withDeaf(sent, { contentBudget: 5000 });
    const holder = await another(world, post(7000) + x(6000));
    client.send(GET.repeat(500));
    await world.settle();
    holder.reset();
    await world.settle();
    // Now there is room for one more, but something before it is missing.
    client.send(GET);
    await world.settle();
    client.readOn();
    await world.settle();
    const responses = client.statuses;
    expect(responses.slice(0, 2)).to.deep.equal([200, 200]);
    expect(responses.indexOf(503)).to.equal(responses.length - 1);
    expect(client.ending).to.equal('end');
    // Each byte that follows the handled requests is dropped, but for the one that it is
    // about.
    const drops = trace.of('drop').filter(({ connection }) => connection === 1);
    const dropped = drops.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(dropped + 1).to.be.within(27 * (503 - responses.length), 27 * 501);
    expect(server.inspect().held).to.equal(0);
  });
  it('the 503 of the budget says nothing of a length that was wrong', async () => {
    const { client } = await sending(`${post(5)}hello${x(5000)}`, { contentBudget: 0 });
    expect(client.statuses).to.deep.equal([200, 503]);
    expect(client.received).to.not.contain('did it have');
  });
  it('a client that closes its side gets its 503, too', async () => {
    const { world, client } = await sending('', { contentBudget: 0 });
    const start = raw`GET / HTTP/1.1\r\nHost: a\r\nA: `;
    const filler = x(4096 - bytes(raw`${start}\r\n\r\n`).length);
    client.send(raw`${start}${filler}\r\n\r\n${GET}`).end();
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 503]);
  });
});

describe('the budget has room again', () => {
  const CHUNK = raw`${CHUNKED}1770\r\n${x(6000)}`;
  const HEAD = GET.slice(0, -4) + LINES;
  const TRAILERS = raw`${CHUNKED}0\r\n${LINES}`;
  const TO_CLOSE = raw`POST /tasks HTTP/1.0\r\nContent-Length: 9000\r\n\r\n${x(8000)}`;
  /** What ends the request of which the budget holds a part. */
  type End = (holder: SimulatedClient, world: World) => unknown;
  // prettier-ignore
  const ENDS: readonly (readonly [what: string, sent: string, end: End, statuses: number[]])[] = [
    ['a response',             HALF,     (holder) => holder.send(x(2000)),      [200]],
    ['a response that closes', TO_CLOSE, (holder) => holder.send(x(1000)),      [200]],
    ['trailer fields',         CHUNK, (holder) => holder.send(raw`\r\n0\r\nA: b\r\n\r\n`), [200]],
    ['a rejection in content', CHUNK,    (holder) => holder.send('BAD'),        [400]],
    ['the end of a client',    HALF,     (holder) => holder.end(),              [400]],
    ['a timeout',              HALF,     (_, world) => world.advance(60_000),   [408]],
    ['a reset in content',     HALF,     (holder) => holder.reset(),            []],
    ['a reset in a head',      HEAD,     (holder) => holder.reset(),            []],
    ['a reset in trailers',    TRAILERS, (holder) => holder.reset(),            []],
    ['a reset before a turn',  HALF,     (holder) => holder.send(x(2000)).reset(), []],
    ['a 503',                  HALF, (holder) => holder.send(x(2000) + NEARLY_ALL), [200, 503]],
  ];
  for (const [after, sent, end, statuses] of ENDS) {
    it(`the budget has room again after ${after}`, async () => {
      const { world, server, holder } = await withHolder(sent);
      await end(holder, world);
      await world.settle();
      expect(holder.statuses).to.deep.equal(statuses);
      await expectFree(world, server);
    });
  }
  it('the budget has room again after each of many requests on one connection', async () => {
    const { world, server, holder } = await withHolder();
    holder.send(x(2000));
    for (let count = 0; count < 20; count += 1) {
      await world.settle();
      holder.send(NEARLY_ALL);
    }
    await world.settle();
    expect(holder.statuses).to.deep.equal(Array(21).fill(200));
    await expectFree(world, server);
  });
});
