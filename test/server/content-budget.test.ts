import { expect } from 'chai';
import { raw } from '../support/bytes';
import type { Request } from '../../src/index';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { LARGE } from '../support/server-end';
import { serve, type TestServer } from '../support/test-server';
import { Trace } from '../support/recorded-trace';

/** The first 4 KiB of each connection are free. */
const BUDGET = 20_000;
const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
const chunked = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const x = (count: number): string => 'x'.repeat(count);
/** Part of a head: 5,000 bytes, which are held as text, too, and the objects of 30 lines. */
const PART_OF_HEAD = raw`GET / HTTP/1.1\r\nHost: a\r\n` + raw`A: ${x(157)}\r\n`.repeat(30);

interface Scene {
  readonly server: TestServer;
  readonly trace: Trace;
  /** Sent 10,000 bytes of 12,000: the server holds them, with room for more. */
  readonly holder: Client;
}

async function scene(
  request = post(12_000) + x(10_000),
  requestTimeout = 60,
): Promise<Scene> {
  const trace = new Trace();
  const server = await serve({ contentBudget: BUDGET, requestTimeout, trace: trace.sink });
  const holder = (await server.client()).send(request);
  await trace.next('wait', 2);
  return { server, trace, holder };
}

/** Whether the whole budget is free: a request that needs nearly all of it is handled. */
async function expectFree(server: TestServer): Promise<void> {
  const client = await server.client();
  expect((await client.send(post(23_000) + x(23_000)).answer()).status).to.equal(200);
}

async function expectFull(server: TestServer): Promise<void> {
  const client = (await server.client()).send(post(20_000) + x(20_000));
  expect((await client.answer()).status).to.equal(503);
}

describe('what all connections together hold', () => {
  it('a request beyond the budget of all connections gets 503 (our choice)', async () => {
    const { server, trace } = await scene();
    const client = (await server.client()).send(post(9000));
    await trace.next('wait', 4);
    const { status, content, fields } = await client.send(x(9000)).answer();
    expect({ status, connection: fields['connection'] }).to.deep.equal({
      status: 503,
      connection: 'close',
    });
    expect(content).to.match(
      /\(our choice: RFC 9110 section 15\.6\.4 [a-z ]+\), at byte 55"}$/,
    );
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    expect(await trace.next('reject')).to.have.nested.property('error.status', 503);
    expect(await trace.next('drop')).to.include({ bytes: 8999, which: 'after byte 55' });
    expect(server.log).to.deep.equal([]);
  });
  for (const [what, held] of [
    ['heads', PART_OF_HEAD],
    ['content in chunks', raw`${chunked}2710\r\n${x(6000)}`],
    ['trailers', raw`${chunked}0\r\n` + raw`A: ${x(157)}\r\n`.repeat(30)],
    ['many short field lines', raw`GET / HTTP/1.1\r\nHost: a\r\n` + raw`A:\r\n`.repeat(99)],
  ] as const) {
    it(`the budget includes ${what}, and has room again when their client is gone`, async () => {
      const { server, trace, holder } = await scene(held);
      await expectFull(server);
      holder.reset();
      await trace.next('gone');
      await expectFree(server);
    });
  }
  it('the budget includes what is sent ahead while a request waits', async () => {
    const trace = new Trace();
    const service = ({ path }: Request) =>
      ({ status: 200, body: path === '/' ? '' : LARGE }) as const;
    const server = await serve({ contentBudget: BUDGET, service, trace: trace.sink });
    const deaf = await server.client();
    deaf.socket.pause();
    deaf.send(raw`GET /large HTTP/1.1\r\nHost: a\r\n\r\n${GET}`);
    await trace.next('block');
    const read = trace.of('read').length;
    deaf.send(GET.repeat(550));
    await trace.next('read', read + 1);
    await expectFull(server);
    // Nothing else suffers, and what was sent ahead is handled.
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    deaf.socket.resume();
    expect(await deaf.statuses(552)).to.deep.equal(Array(552).fill(200));
    await expectFree(server);
  });
  it('a client that sends too much ahead for the budget gets its responses, then 503', async () => {
    const trace = new Trace();
    const service = ({ path }: Request) =>
      ({ status: 200, body: path === '/' ? '' : LARGE }) as const;
    const server = await serve({ contentBudget: 5000, service, trace: trace.sink });
    const deaf = await server.client();
    deaf.socket.pause();
    deaf.send(raw`GET /large HTTP/1.1\r\nHost: a\r\n\r\n${GET.repeat(2)}`);
    await trace.next('block');
    const read = trace.of('read').length;
    deaf.send(GET.repeat(500));
    await trace.next('read', read + 1);
    // These would fit, but something before them is missing.
    deaf.send(GET);
    await trace.next('read', read + 2);
    deaf.socket.resume();
    expect(await deaf.statuses(4)).to.deep.equal([200, 200, 200, 503]);
    expect(await deaf.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    const dropped = trace.of('drop').reduce((sum, { bytes }) => sum + bytes, 0);
    expect(dropped + 1, 'and the byte that the rejection points at').to.equal(501 * 27);
  });
  it('the budget is charged for what has arrived, not for what is announced', async () => {
    const { server, trace } = await scene();
    const client = (await server.client()).send(post(9000));
    await trace.next('wait', 4);
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    expect((await client.send(x(9000)).answer()).status).to.equal(503);
  });
  it('a budget that is nearly full affects no request of up to 4 KiB', async () => {
    const { server, holder } = await scene();
    await expectFull(server);
    const client = await server.client();
    expect((await client.ask('GET /')).status).to.equal(200);
    expect((await client.send(post(3700) + x(3700)).answer()).status).to.equal(200);
    expect((await holder.send(x(2000)).answer()).status).to.equal(200);
  });

  describe('has room again', () => {
    it('the budget has room again after a response', async () => {
      const { server, holder } = await scene();
      expect((await holder.send(x(2000)).answer()).status).to.equal(200);
      await expectFree(server);
      expect((await holder.send(post(23_000) + x(23_000)).answer()).status).to.equal(200);
    });
    it('the budget has room again after each of many requests on one connection', async () => {
      const { server, holder } = await scene();
      holder.send(x(2000));
      for (let count = 0; count < 20; count += 1) {
        expect(await holder.statuses(1)).to.deep.equal([200]);
        holder.send(post(20_000) + x(20_000));
      }
      expect(await holder.statuses(1)).to.deep.equal([200]);
      await expectFree(server);
    });
    it('the budget has room again after a reset', async () => {
      const { server, trace, holder } = await scene();
      holder.reset();
      await trace.next('gone');
      await expectFree(server);
    });
    it('the budget has room again after a reset while the request waits for its turn', async () => {
      const { server, trace, holder } = await scene();
      holder.send(x(2000)).reset();
      await trace.next('gone');
      await expectFree(server);
    });
    it('the budget has room again after a rejection in the middle of the content', async () => {
      const { server, holder } = await scene(raw`${chunked}1770\r\n${x(6000)}`);
      expect((await holder.send('BAD').answer()).status).to.equal(400);
      await expectFree(server);
    });
    it('the budget has room again after a timeout', async () => {
      const { server, holder } = await scene(undefined, 0.2);
      expect((await holder.answer()).status).to.equal(408);
      await expectFree(server);
    });
    it('the budget has room again after a 503', async () => {
      const { server, trace, holder } = await scene();
      const client = (await server.client()).send(post(8000) + x(2000));
      await trace.next('wait', 4);
      expect((await client.send(x(6000)).answer()).status).to.equal(503);
      holder.reset();
      await trace.next('gone');
      await expectFree(server);
    });
    it('the budget has room again after the client closes its sending side', async () => {
      const { server, holder } = await scene();
      expect((await holder.end().answer()).status).to.equal(400);
      await expectFree(server);
    });
    it('the budget has room again after trailer fields, and after "close"', async () => {
      const { server, holder } = await scene(raw`${chunked}1770\r\n${x(6000)}`);
      expect((await holder.send(raw`\r\n0\r\nA: b\r\n\r\n`).answer()).status).to.equal(200);
      await expectFree(server);
      const last = await server.client();
      const lines = raw`Connection: close\r\nContent-Length: 9\r\n`;
      const answer = await last.ask('POST /tasks', lines, x(9));
      expect(answer.fields).to.have.property('connection', 'close');
      await expectFree(server);
    });
  });
});
