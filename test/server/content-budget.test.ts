import { expect } from 'chai';
import { raw } from '../support/bytes';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { serve, type TestServer } from '../support/test-server';
import { Trace } from '../support/recorded-trace';

const BUDGET = 1000;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
const chunked = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const x = (count: number): string => 'x'.repeat(count);

interface Scene {
  readonly server: TestServer;
  readonly trace: Trace;
  /** Sent 800 bytes of 900: the server holds them. */
  readonly holder: Client;
}

async function scene(request = post(900) + x(800), requestTimeout = 60): Promise<Scene> {
  const trace = new Trace();
  const server = await serve({ maxContent: BUDGET, requestTimeout, trace: trace.sink });
  const holder = (await server.client()).send(request);
  await trace.next('wait', 2);
  return { server, trace, holder };
}

/** Whether the whole budget is free. */
async function expectFree(server: TestServer): Promise<void> {
  const client = await server.client();
  expect((await client.send(post(BUDGET) + x(BUDGET)).answer()).status).to.equal(200);
}

describe('the content of all connections together', () => {
  it('content beyond the budget of all connections is rejected with 503 (our choice)', async () => {
    const { server, trace } = await scene();
    const client = (await server.client()).send(post(201) + x(201));
    const { status, content, fields } = await client.answer();
    expect({ status, connection: fields['connection'] }).to.deep.equal({
      status: 503,
      connection: 'close',
    });
    expect(content).to.contain('(our choice: RFC 9110 section 15.6.4 defines the status)');
    expect(content).to.contain(', at byte 54');
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    expect(await trace.next('reject')).to.have.nested.property('error.status', 503);
    expect(server.log).to.deep.equal([]);
  });
  it('the budget includes chunks', async () => {
    const { server } = await scene();
    const client = (await server.client()).send(raw`${chunked}64\r\n${x(100)}\r\n65\r\n`);
    expect((await client.send(x(101)).answer()).status).to.equal(503);
  });
  it('the budget is charged for what has arrived, not for what is announced', async () => {
    const { server } = await scene();
    const client = (await server.client()).send(post(201));
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    expect((await client.send('x'.repeat(201)).answer()).status).to.equal(503);
  });
  it('a budget that is nearly full affects no request whose content fits', async () => {
    const { server, holder } = await scene();
    const client = await server.client();
    expect((await client.ask('GET /')).status).to.equal(200);
    expect((await client.send(post(200) + x(200)).answer()).status).to.equal(200);
    expect((await holder.send(x(100)).answer()).status).to.equal(200);
  });

  describe('has room again', () => {
    it('the budget has room again after a response', async () => {
      const { server, holder } = await scene();
      expect((await holder.send(x(100)).answer()).status).to.equal(200);
      await expectFree(server);
      expect((await holder.send(post(BUDGET) + x(BUDGET)).answer()).status).to.equal(200);
    });
    it('the budget has room again after each of many requests on one connection', async () => {
      const { server, holder } = await scene();
      holder.send(x(100) + `${post(900)}${x(900)}`.repeat(20));
      expect(await holder.statuses(21)).to.deep.equal(Array(21).fill(200));
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
      holder.send(x(100)).reset();
      await trace.next('gone');
      await expectFree(server);
    });
    it('the budget has room again after a rejection in the middle of the content', async () => {
      const { server, holder } = await scene(raw`${chunked}320\r\n${x(800)}`);
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
      const client = (await server.client()).send(post(300) + x(150));
      await trace.next('wait', 4);
      expect((await client.send(x(150)).answer()).status).to.equal(503);
      holder.reset();
      await expectFree(server);
    });
    it('the budget has room again after the client closes its sending side', async () => {
      const { server, holder } = await scene();
      expect((await holder.end().answer()).status).to.equal(400);
      await expectFree(server);
    });
    it('the budget has room again after trailer fields, and after "close"', async () => {
      const { server, holder } = await scene(raw`${chunked}320\r\n${x(800)}`);
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
