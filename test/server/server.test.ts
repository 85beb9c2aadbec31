import { expect } from 'chai';
import { connect } from 'node:net';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { start } from '../../src/server/server';
import type { Client } from '../support/client';
import { serve } from '../support/server';

const GET = String.raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;
const MAXIMUM = 'Maximum of 10 requests reached: no more are handled';
const TEN = [...Array<string>(10).fill('GET /tasks'), MAXIMUM];

async function refusesConnections(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const [error] = await once(socket, 'error');
  expect(error).to.have.property('code', 'ECONNREFUSED');
}

describe('the life of a server', () => {
  describe('after ten requests it stops', () => {
    it('ten over one connection: the tenth answer says close', async () => {
      const server = await serve({ maxRequests: 10 });
      const client = await server.client();
      for (let count = 1; count <= 9; count += 1) expect((await client.ask('GET /tasks')).fields).to.not.have.property('connection');
      expect((await client.ask('GET /tasks')).fields).to.have.property('connection', 'close');
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      client.end();
      await server.stopped;
      expect(server.log).to.deep.equal(TEN);
      await refusesConnections(server.port);
    });
    it('ten connections', async () => {
      const server = await serve({ maxRequests: 10 });
      const answers = [];
      for (let count = 1; count <= 10; count += 1) answers.push(await (await server.client()).ask('GET /tasks'));
      expect(answers.map(({ fields }) => fields['connection'])).to.deep.equal([...Array(9).fill(undefined), 'close']);
      await server.stopped;
      expect(server.log).to.deep.equal(TEN);
    });
    it('twelve pipelined: ten are answered', async () => {
      const server = await serve({ maxRequests: 10 });
      const client = (await server.client()).send(GET.repeat(12));
      for (let count = 1; count <= 10; count += 1) expect((await client.answer()).status).to.equal(200);
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      client.end();
      await server.stopped;
      expect(server.log).to.deep.equal(TEN);
    });
    it('twenty at once: ten are answered, ten are closed unanswered and unreset', async () => {
      const server = await serve({ maxRequests: 10 });
      const clients = await Promise.all(Array.from({ length: 20 }, () => server.client()));
      for (const client of clients) client.send(GET);
      const ends = await Promise.all(clients.map((client) => client.closed()));
      expect(ends.map(({ how }) => how)).to.deep.equal(Array(20).fill('end'));
      expect(ends.filter(({ rest }) => rest.startsWith('HTTP/1.1 200'))).to.have.lengthOf(10);
      expect(ends.filter(({ rest }) => rest === '')).to.have.lengthOf(10);
      expect(ends.filter(({ rest }) => rest.includes('Connection: close'))).to.have.lengthOf(1);
      await server.stopped;
      expect(server.log).to.deep.equal(TEN);
    });
    it('who pipelines twelve takes no turn from who asks once', async () => {
      const server = await serve({ maxRequests: 10 });
      const [greedy, modest] = [await server.client(), await server.client()];
      greedy.send(GET.repeat(12));
      modest.send(GET);
      expect((await modest.answer()).status).to.equal(200);
      expect((await greedy.closed()).rest.match(/HTTP\/1.1 200/g)).to.have.lengthOf(9);
    });
    it('a client that goes on sending reads its tenth answer all the same', async () => {
      const server = await serve({ maxRequests: 10 });
      const client = (await server.client()).send(GET.repeat(10));
      client.socket.write(Buffer.alloc(900_000, 'x'));
      for (let count = 1; count <= 10; count += 1) expect((await client.answer()).status).to.equal(200);
      expect((await client.closed()).how).to.equal('end');
      client.end();
      await server.stopped;
    });
    it('a connection that only waits is closed, and delays nothing', async () => {
      const server = await serve({ maxRequests: 1 });
      const [idle, half, last] = [await server.client(), (await server.client()).send('GET'), await server.client()];
      await last.ask('GET /');
      last.end();
      expect(await Promise.all([idle.closed(), half.closed()])).to.deep.equal([{ how: 'end', rest: '' }, { how: 'end', rest: '' }]);
      await server.stopped;
    });
    it('a last client that does not close its side delays it for a moment only', async () => {
      const server = await serve({ maxRequests: 1 });
      const client = await server.client();
      await client.ask('GET /');
      // A timer of the loop that the server lives in: both are as late as each other where the machine is busy.
      expect(await Promise.race([server.stopped, setTimeout(200, 'too late')])).to.equal(undefined);
      expect((await client.closed()).how).to.equal('end');
    });
    it('another client that does not take its answer delays it no longer', async () => {
      const server = await serve({ maxRequests: 2, service: ({ path }) => ({ status: 200, content: path === '/' ? 'x' : 'x'.repeat(32_000_000) }) });
      const [deaf, last] = [await server.client(), await server.client()];
      deaf.socket.pause();
      deaf.send(GET);
      while (server.log.length < 1) await new Promise(setImmediate);
      await last.ask('GET /');
      expect(await Promise.race([server.stopped, setTimeout(200, 'too late')])).to.equal(undefined);
    });
    it('refusals and silent connections do not count', async () => {
      const server = await serve({ maxRequests: 2 });
      await (await server.client()).send(String.raw`BAD\r\n`).answer();
      await (await server.client()).end().closed();
      const client = await server.client();
      expect((await client.ask('GET /')).fields).to.not.have.property('connection');
      expect((await client.ask('GET /')).fields).to.have.property('connection', 'close');
    });
  });

  it('stop() lets the answer in hand go out, closes the rest, and can be called again', async () => {
    const server = await serve();
    const [idle, busy] = [await server.client(), await server.client()];
    await idle.ask('GET /');
    const answer = await busy.ask('GET /');
    expect(answer.status).to.equal(200);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect((await idle.closed()).how).to.equal('end');
    await refusesConnections(server.port);
  });

  for (const moment of ['service', 'turn', 'route', 'framing', 'write'] as const) {
    it(`stop() may be called while a request is handled (${moment}), and its answer goes out`, async () => {
      const stop = (where: string): void => void (where === moment && server.stop());
      const server = await serve({
        service: () => {
          stop('service');
          return { status: 200, content: 'x' };
        },
        trace: ({ type }) => stop(type),
      });
      const client = (await server.client()).send(GET.repeat(2));
      const { rest, how } = await client.closed();
      expect(how).to.equal('end');
      // What was decided before the turn came is not handled any more.
      expect(rest.match(/HTTP\/1.1 200/g) ?? []).to.have.lengthOf(moment === 'framing' ? 0 : moment === 'write' ? 2 : 1);
      await server.stopped;
    });
  }

  describe('stop() waits for answers that do not leave at once', () => {
    const content = 'x'.repeat(32_000_000);
    const stopping = async (): Promise<{ readonly client: Client; readonly stopped: Promise<void> }> => {
      let gone = false;
      const server = await serve({ service: ({ path }) => ({ status: 200, content: path === '/' ? 'x' : content }), trace: ({ type }) => void (gone ||= type === 'gone') });
      const before = await server.client();
      await before.ask('GET /');
      before.end();
      while (!gone) await new Promise(setImmediate);
      const client = await server.client();
      client.socket.pause();
      client.send(GET);
      while (server.log.length < 2) await new Promise(setImmediate);
      return { client, stopped: server.stop() };
    };
    it('of a client that takes them later', async () => {
      const { client, stopped } = await stopping();
      await Promise.race([stopped, setTimeout(300)]);
      client.socket.resume();
      expect((await client.answer()).content).to.have.lengthOf(content.length);
      expect((await client.closed()).how).to.equal('end');
      client.end();
      await stopped;
    });
    it('and for nobody who was gone long before', async () => {
      let gone = 0;
      const server = await serve({ trace: ({ type }) => void (type === 'gone' && (gone += 1)) });
      const [reset, done] = [await server.client(), await server.client()];
      await Promise.all([reset, done].map((client) => client.ask('GET /')));
      reset.reset();
      done.end();
      while (gone < 2) await new Promise(setImmediate);
      await setTimeout(200);
      const idle = await server.client();
      await idle.ask('GET /');
      expect(await Promise.race([server.stop(), setTimeout(400, 'too late')])).to.equal(undefined);
      expect((await idle.closed()).how).to.equal('end');
    });
    it('and for nothing where nobody is connected', async () => {
      const server = await serve();
      expect(await Promise.race([server.stop(), setTimeout(100, 'too late')])).to.equal(undefined);
    });
    it('and for less than a second where a client does not take them', async () => {
      const { stopped } = await stopping();
      expect(await Promise.race([stopped, setTimeout(900, 'too late')])).to.equal(undefined);
    });
  });

  it('stop() after the maximum does not wait for a client that does not take its answer', async () => {
    const server = await serve({ maxRequests: 2, service: () => ({ status: 200, content: 'x'.repeat(20_000_000) }) });
    const client = await server.client();
    client.socket.pause();
    client.send(GET);
    const other = (await server.client()).send(GET);
    other.socket.pause();
    while (server.log.length < 3) await new Promise(setImmediate);
    await server.stop();
  });

  it('two run side by side in one process', async () => {
    const [one, two] = [await serve({ maxRequests: 1 }), await serve()];
    await (await one.client()).ask('GET /');
    await one.stopped;
    expect((await (await two.client()).ask('GET /tasks/1')).status).to.equal(200);
    expect([one.log[0], two.log]).to.deep.equal(['GET /', ['GET /tasks/1']]);
  });

  it('a port that is taken is an error of start', async () => {
    const { port } = await serve();
    const error: unknown = await start({ service: () => ({ status: 200, content: '' }), port, host: '127.0.0.1' }).catch((error: unknown) => error);
    expect(error).to.have.property('code', 'EADDRINUSE');
  });

  it('connections beyond the limit are closed', async () => {
    const server = await serve({ maxConnections: 2 });
    const [one, two] = [await server.client(), await server.client()];
    expect((await (await server.client()).closed()).rest).to.equal('');
    expect((await one.ask('GET /')).status).to.equal(200);
    expect((await two.ask('GET /')).status).to.equal(200);
  });
});
