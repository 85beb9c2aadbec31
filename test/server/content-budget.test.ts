import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import type { Request } from '../../src/index';
import type { HttpServer } from '../../src/server/server';
import { withClient } from '../support/virtual-server';
import type { SimulatedClient } from '../simulation/client';
import type { World } from '../simulation/world';

/** The first 4 KiB of each connection are free. */
const BUDGET = 8000;
const LARGE = 'x'.repeat(300_000);
const ROOM = { outputRoom: 100_000 };
const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
const chunked = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const pieces = (text: string, size: number): string[] =>
  text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
const x = (count: number): string => 'x'.repeat(count);
/** Needs nearly all of the budget. */
const NEARLY_ALL = post(11_500) + x(11_500);
/** Part of a head of 5,000 bytes. */
const PART_OF_HEAD = raw`GET / HTTP/1.1\r\nHost: a\r\n` + raw`A: ${x(157)}\r\n`.repeat(30);

/** A server with a budget of BUDGET, and a client that has sent something: if nothing else,
 * 10,000 bytes of 12,000. */
async function withHolder(sent = post(12_000) + x(10_000)) {
  const scene = await withClient({ contentBudget: BUDGET });
  scene.client.send(sent);
  await scene.world.settle();
  return { ...scene, holder: scene.client };
}

/** Sends something on a connection of its own. */
async function sending(world: World, sent: string): Promise<SimulatedClient> {
  const client = world.connect().send(sent);
  await world.settle();
  return client;
}

async function expectFull(world: World): Promise<void> {
  const { statuses } = await sending(world, NEARLY_ALL);
  expect(statuses).to.deep.equal([503]);
}

/** Expects the whole budget to be free. */
async function expectFree(world: World, server: HttpServer): Promise<void> {
  expect(server.inspect().held).to.equal(0);
  const { statuses } = await sending(world, NEARLY_ALL);
  expect(statuses).to.deep.equal([200]);
}

describe('what all connections together hold', () => {
  it('a request beyond the budget of all connections gets 503 (our choice)', async () => {
    const { world, trace } = await withHolder();
    const client = await sending(world, post(9000));
    client.send(x(9000));
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([[503], 'end']);
    expect(client.received).to.contain('\r\nConnection: close\r\n');
    expect(client.received).to.match(
      /\(our choice: RFC 9110 section 15\.6\.4 [a-z ]+\), at byte \d+"}$/,
    );
    const [reject] = trace.of('reject');
    const offset = reject?.error.offset ?? NaN;
    const head = bytes(post(9000)).length;
    expect(offset).to.be.within(head, head + 8999);
    expect(trace.of('drop')[0]).to.include({ which: `after byte ${offset}` });
    expect(world.log).to.deep.equal([]);
  });
  for (const [what, held] of [
    ['heads', PART_OF_HEAD],
    ['content in chunks', raw`${chunked}2710\r\n${x(6000)}`],
    ['trailers', raw`${chunked}0\r\n` + raw`A: ${x(157)}\r\n`.repeat(30)],
  ] as const) {
    it(`the budget includes ${what}, and has room again when their client is gone`, async () => {
      const { world, server, holder } = await withHolder(held);
      expect(server.inspect().held).to.be.above(0);
      await expectFull(world);
      holder.reset();
      await world.settle();
      await expectFree(world, server);
    });
  }
  /** A client whose second request waits, because it does not read the first response. */
  async function withWaiting(contentBudget: number) {
    const service = ({ path }: Request) =>
      ({ status: 200, body: path === '/' ? '' : LARGE }) as const;
    const scene = await withClient({ contentBudget, service }, ROOM);
    scene.client.stopReading();
    scene.client.send(raw`GET /large HTTP/1.1\r\nHost: a\r\n\r\n${GET}`);
    await scene.world.settle();
    return scene;
  }
  it('the budget includes what is sent ahead while a request waits', async () => {
    const { world, server, client } = await withWaiting(BUDGET);
    client.send(GET.repeat(400));
    await world.settle();
    await expectFull(world);
    // Nothing else suffers, and what was sent ahead is handled.
    expect((await sending(world, GET)).statuses).to.deep.equal([200]);
    client.readOn();
    await world.settle();
    expect(client.statuses).to.deep.equal(Array(402).fill(200));
    await expectFree(world, server);
  });
  it('a client that sends too much ahead for the budget gets its responses, then 503', async () => {
    const { world, server, client, trace } = await withWaiting(5000);
    // The last one would fit, but something before it is missing.
    for (const sent of [GET.repeat(500), GET]) {
      client.send(sent);
      await world.settle();
    }
    client.readOn();
    await world.settle();
    const responses = client.statuses;
    expect(responses.slice(0, 2)).to.deep.equal([200, 200]);
    expect(responses.indexOf(503)).to.equal(responses.length - 1);
    expect(client.ending).to.equal('end');
    // Each byte that follows the handled requests is dropped, but for the one that it is
    // about.
    const dropped = trace.of('drop').reduce((sum, { bytes }) => sum + bytes, 0);
    expect(dropped + 1).to.be.within(27 * (503 - responses.length), 27 * 501);
    expect(server.inspect().held).to.equal(0);
  });
  for (const size of [1000, 33_000, 60_000]) {
    it(`bytes that arrive in pieces of ${size} count as they do in one`, async () => {
      const { world, client } = await withClient({ contentBudget: 100_000 });
      for (const piece of pieces(post(60_000) + x(50_000), size)) {
        client.send(piece);
        await world.settle();
      }
      const other = await sending(world, post(54_000) + x(54_000 - 1));
      expect(other.statuses, 'all of it is held').to.deep.equal([]);
      other.send('x');
      await world.settle();
      expect(other.statuses).to.deep.equal([200]);
    });
  }
  it('the budget is charged for what has arrived, not for what is announced', async () => {
    const { world } = await withHolder();
    const client = await sending(world, post(9000));
    expect((await sending(world, GET)).statuses).to.deep.equal([200]);
    client.send(x(9000));
    await world.settle();
    expect(client.statuses).to.deep.equal([503]);
  });
  it('a budget that is nearly full affects no request of up to 4 KiB', async () => {
    const { world, holder } = await withHolder();
    await expectFull(world);
    expect((await sending(world, GET)).statuses).to.deep.equal([200]);
    expect((await sending(world, post(3700) + x(3700))).statuses).to.deep.equal([200]);
    holder.send(x(2000));
    await world.settle();
    expect(holder.statuses).to.deep.equal([200]);
  });
});

describe('the budget has room again', () => {
  for (const [when, sent, act, statuses] of [
    ['a response', undefined, (holder) => holder.send(x(2000)), [200]],
    ['a reset', undefined, (holder) => holder.reset(), []],
    [
      'a reset while the request waits for its turn',
      undefined,
      (holder) => holder.send(x(2000)).reset(),
      [],
    ],
    [
      'a rejection in the middle of the content',
      raw`${chunked}1770\r\n${x(6000)}`,
      (holder) => holder.send('BAD'),
      [400],
    ],
    ['the client closes its sending side', undefined, (holder) => holder.end(), [400]],
    [
      'trailer fields',
      raw`${chunked}1770\r\n${x(6000)}`,
      (holder) => holder.send(raw`\r\n0\r\nA: b\r\n\r\n`),
      [200],
    ],
    [
      'a response that closes',
      raw`POST /tasks HTTP/1.0\r\nContent-Length: 9000\r\n\r\n${x(8000)}`,
      (holder) => holder.send(x(1000)),
      [200],
    ],
  ] as readonly [
    string,
    string | undefined,
    (holder: SimulatedClient) => void,
    number[],
  ][]) {
    it(`the budget has room again after ${when}`, async () => {
      const { world, server, holder } = await withHolder(sent);
      expect(server.inspect().held).to.be.above(0);
      act(holder);
      await world.settle();
      expect(holder.statuses).to.deep.equal(statuses);
      await expectFree(world, server);
    });
  }
  it('the budget has room again after a timeout', async () => {
    const { world, server, holder } = await withHolder();
    await world.advance(60_000);
    expect(holder.statuses).to.deep.equal([408]);
    await expectFree(world, server);
  });
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
  it('the 503 of the budget says nothing of a length that was wrong', async () => {
    const { world, client } = await withClient({ contentBudget: 0 });
    client.send(`${post(5)}hello${x(5000)}`);
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 503]);
    expect(client.received).to.not.contain('did it have');
  });
  it('a client that closes its side gets its 503, too', async () => {
    const { world, client } = await withClient({ contentBudget: 0 });
    const start = raw`GET / HTTP/1.1\r\nHost: a\r\nA: `;
    const filler = x(4096 - bytes(raw`${start}\r\n\r\n`).length);
    client.send(raw`${start}${filler}\r\n\r\n${GET}`).end();
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 503]);
  });
  it('the budget has room again after a 503', async () => {
    const { world, server, holder } = await withHolder();
    const client = await sending(world, post(8000) + x(2000));
    client.send(x(6000));
    await world.settle();
    expect(client.statuses).to.deep.equal([503]);
    holder.reset();
    await world.settle();
    await expectFree(world, server);
  });
});
