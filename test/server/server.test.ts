import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Service, TraceEvent } from '../../src/index';
import { raw } from '../support/bytes';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { pause, until } from '../support/notifier';
import { serve, type TestServer } from '../support/test-server';
import { Trace } from '../support/recorded-trace';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;
const MAXIMUM = 'Maximum of 10 requests reached: no more are handled';
const TEN = [...Array<string>(10).fill('GET /tasks'), MAXIMUM];

/** An answer that does not fit into the buffers between server and client. */
const LARGE = 'x'.repeat(16_000_000);
const large: Service = ({ path }) => ({ status: 200, body: path === '/' ? 'x' : LARGE });

async function expectNoListener(port: number): Promise<void> {
  const [error] = await once(connect(port, '127.0.0.1'), 'error');
  expect(error).to.have.property('code', 'ECONNREFUSED');
}

/** Expects something before a timer of the event loop that the server runs in. */
async function expectWithin(limit: number, promise: Promise<void>, why?: string): Promise<void> {
  const late = pause(limit).then(() => 'too late');
  expect(await Promise.race([promise, late]), why).to.equal(undefined);
}

/** A client whose answer is on its way, and which does not read it. */
async function deafClient(server: TestServer): Promise<Client> {
  const handled = server.log.length;
  const client = await server.client();
  client.socket.pause();
  client.send(GET);
  await until(() => server.log.length > handled);
  return client;
}

describe('a server with a limit of ten requests', () => {
  it('stops after ten requests of one connection; the tenth answer says "close"', async () => {
    const server = await serve({ maxRequests: 10 });
    const client = await server.client();
    for (let count = 1; count <= 9; count += 1) {
      expect((await client.ask('GET /tasks')).fields).to.not.have.property('connection');
    }
    expect((await client.ask('GET /tasks')).fields).to.have.property('connection', 'close');
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    client.end();
    await server.stopped;
    expect(server.log).to.deep.equal(TEN);
    await expectNoListener(server.port);
  });
  it('stops after ten requests of ten connections', async () => {
    const server = await serve({ maxRequests: 10 });
    const options: (string | undefined)[] = [];
    for (let count = 1; count <= 10; count += 1) {
      const client = await server.client();
      options.push((await client.ask('GET /tasks')).fields['connection']);
      client.end();
    }
    expect(options).to.deep.equal([...Array(9).fill(undefined), 'close']);
    await server.stopped;
    expect(server.log).to.deep.equal(TEN);
  });
  it('answers ten of twelve requests that are pipelined', async () => {
    const server = await serve({ maxRequests: 10 });
    const client = (await server.client()).send(GET.repeat(12));
    expect(await client.statuses(10)).to.deep.equal(Array(10).fill(200));
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    client.end();
    await server.stopped;
    expect(server.log).to.deep.equal(TEN);
  });
  it('answers ten of twenty clients, and closes the others unanswered', async () => {
    const server = await serve({ maxRequests: 10 });
    const clients = await Promise.all(Array.from({ length: 20 }, () => server.client()));
    for (const client of clients) client.send(GET);
    const ends = await Promise.all(clients.map((client) => client.closed()));
    for (const client of clients) client.end();
    expect(ends.map(({ how }) => how)).to.deep.equal(Array(20).fill('end'));
    expect(ends.filter(({ rest }) => rest.startsWith('HTTP/1.1 200'))).to.have.lengthOf(10);
    expect(ends.filter(({ rest }) => rest === '')).to.have.lengthOf(10);
    expect(ends.filter(({ rest }) => rest.includes('Connection: close'))).to.have.lengthOf(1);
    await server.stopped;
    expect(server.log).to.deep.equal(TEN);
  });
  it('makes a client with twelve requests wait for others between two of them', async () => {
    const server = await serve({ maxRequests: 10 });
    const [greedy, modest] = [await server.client(), await server.client()];
    greedy.send(GET.repeat(12));
    modest.send(GET);
    expect((await modest.answer()).status).to.equal(200);
    expect((await greedy.closed()).rest.match(/HTTP\/1.1 200/g)).to.have.lengthOf(9);
  });
  it('delivers the tenth answer although megabytes follow the tenth request', async () => {
    const server = await serve({ maxRequests: 10 });
    const client = (await server.client()).send(GET.repeat(10));
    client.socket.write(Buffer.alloc(5_000_000, 'x'));
    expect(await client.statuses(10)).to.deep.equal(Array(10).fill(200));
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    client.end();
    await server.stopped;
  });
  it('resets no client that is connected but not yet accepted', async () => {
    // Accepting all of them takes longer than a client may take to close.
    const slow = ({ type }: TraceEvent): void => {
      const end = performance.now() + 6;
      while (type === 'open' && performance.now() < end);
    };
    const server = await serve({ maxRequests: 10, trace: slow });
    const last = await server.client();
    // The requests are here before the server has accepted any of the others.
    const others = Array.from({ length: 40 }, () => server.client());
    last.send(GET.repeat(10));
    const ends = (await Promise.all(others)).map((client) => client.closed());
    for (const end of await Promise.all(ends)) expect(end).to.deep.equal(CLOSED_IN_SILENCE);
    expect(await last.statuses(10)).to.deep.equal(Array(10).fill(200));
  });
  it('closes idle connections and incomplete requests without an answer', async () => {
    const server = await serve({ maxRequests: 1 });
    const idle = await server.client();
    const half = (await server.client()).send('GET');
    const last = await server.client();
    await last.ask('GET /');
    last.end();
    for (const client of [idle, half]) {
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      client.end();
    }
    await server.stopped;
  });
  it('waits at most 200 ms for a last client that does not close its side', async () => {
    const server = await serve({ maxRequests: 1 });
    const client = await server.client();
    await client.ask('GET /');
    await expectWithin(200, server.stopped);
    expect((await client.closed()).how).to.equal('end');
  });
  it('counts neither rejected requests nor silent connections', async () => {
    const server = await serve({ maxRequests: 2 });
    await (await server.client()).send(raw`BAD\r\n`).answer();
    await (await server.client()).end().closed();
    const client = await server.client();
    expect((await client.ask('GET /')).fields).to.not.have.property('connection');
    expect((await client.ask('GET /')).fields).to.have.property('connection', 'close');
  });

  it('lets answers to other clients finish before it stops', async () => {
    const server = await serve({ maxRequests: 3, service: large });
    const slow = [await deafClient(server), await deafClient(server)];
    const last = await server.client();
    await last.ask('GET /');
    last.end();
    // Longer than the server waits for clients that have everything.
    await Promise.race([server.stopped, setTimeout(200)]);
    for (const client of slow) client.socket.resume();
    for (const client of slow) {
      expect((await client.answer()).content).to.have.lengthOf(LARGE.length);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      client.end();
    }
    await server.stopped;
  });
});

describe('stop()', () => {
  it('closes everything, can be called twice, and frees the port', async () => {
    const server = await serve();
    const [idle, half] = [await server.client(), await server.client()];
    await idle.ask('GET /');
    half.send('GET');
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    await server.stopped;
    expect(await idle.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    expect(await half.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    await expectNoListener(server.port);
  });

  /** What is handled by then is answered; nothing is handled after it. */
  for (const [moment, answers] of [
    ['service', 1],
    ['frame', 0],
    ['queue', 0],
    ['turn', 1],
    ['route', 1],
    ['write', 2],
  ] as const) {
    it(`called at "${moment}", lets ${answers} of 2 answers go out`, async () => {
      const stop = (where: string): void => {
        if (where === moment) void server.stop();
      };
      const server = await serve({
        service: (_, explain) => {
          explain?.('start', 'always', 'end');
          stop('service');
          return { status: 200, body: 'x' };
        },
        trace: ({ type }) => stop(type),
      });
      const client = (await server.client()).send(GET.repeat(2));
      const { rest, how } = await client.closed();
      client.end();
      expect(how).to.equal('end');
      expect(rest.match(/HTTP\/1.1 200/g) ?? []).to.have.lengthOf(answers);
      await server.stopped;
      expect(server.log).to.deep.equal(Array(answers).fill('GET /tasks'));
    });
  }

  it('lets a slow client finish a large answer', async () => {
    const server = await serve({ service: large });
    const client = await deafClient(server);
    const stopped = server.stop();
    // Longer than the server waits for clients that have everything.
    await Promise.race([stopped, setTimeout(200)]);
    client.socket.resume();
    expect((await client.answer()).content).to.have.lengthOf(LARGE.length);
    expect((await client.closed()).how).to.equal('end');
    client.end();
    await stopped;
  });
  it('gives no place in the queue after it', async () => {
    const trace = new Trace();
    const server = await serve({
      trace: trace.sink,
      service: () => {
        void server.stop();
        return { status: 200, body: '' };
      },
    });
    const client = await server.client();
    client.send(GET.repeat(3));
    await server.stopped;
    expect(trace.of('queue').map(({ place }) => place)).to.deep.equal([1]);
    expect(trace.of('drop')).to.have.lengthOf(1);
  });
  it('does not wait for clients that are already gone', async () => {
    const trace = new Trace();
    const server = await serve({ trace: trace.sink });
    const [reset, done] = [await server.client(), await server.client()];
    await Promise.all([reset.ask('GET /'), done.ask('GET /')]);
    reset.reset();
    done.end();
    await trace.next('gone', 2);
    const idle = await server.client();
    await idle.ask('GET /');
    // The time that it gives its only client to close.
    await expectWithin(200, server.stop());
    expect((await idle.closed()).how).to.equal('end');
  });
  it('waits for nothing if nobody is connected', async () => {
    await expectWithin(100, (await serve()).stop());
  });
  it('leaves no timer that keeps the process alive', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const server = await serve({ requestTimeout: 600, idleTimeout: 600 });
    const before = timers();
    const client = await server.client();
    await client.ask('GET /tasks');
    client.end();
    await client.closed();
    await server.stop();
    // Fewer, where one of an earlier test has ended meanwhile.
    expect(timers()).to.be.at.most(before);
  });
});

describe('a server that stops', () => {
  it('waits less than a second for clients that do not read their answers', async () => {
    const ends = async (
      why: string,
      maxRequests: number,
      act: (server: TestServer) => Promise<unknown>,
    ): Promise<void> => {
      const server = await serve({ maxRequests, service: large });
      await deafClient(server);
      await act(server);
      await expectWithin(900, server.stopped, why);
    };
    await Promise.all([
      ends('at the limit, for the last client', 1, async () => {}),
      ends('at the limit, for another client', 2, async (server) => {
        const last = await server.client();
        await last.ask('GET /');
        last.end();
      }),
      ends('at the limit, when stop() is called as well', 2, async (server) => {
        await deafClient(server);
        void server.stop();
      }),
      ends('after stop()', 0, async (server) => void server.stop()),
    ]);
  });
});

describe('startServer() in a program', () => {
  it('stops at the end of a block: await using', async () => {
    const stopped = await (async () => {
      await using server = await serve();
      const client = await server.client();
      expect((await client.ask('GET /')).status).to.equal(200);
      client.end();
      return { port: server.port };
    })();
    await expectNoListener(stopped.port);
  });
  it('runs two servers side by side', async () => {
    const [one, two] = [await serve({ maxRequests: 1 }), await serve()];
    const last = await one.client();
    await last.ask('GET /');
    last.end();
    await one.stopped;
    expect((await (await two.client()).ask('GET /tasks/1')).status).to.equal(200);
    expect(one.log).to.deep.equal(['GET /', 'Maximum of 1 requests reached: no more are handled']);
    expect(two.log).to.deep.equal(['GET /tasks/1']);
  });
  it('takes a clock: each answer has the time at which it was made', async () => {
    let now = Date.UTC(2026, 0, 1);
    const client = await (await serve({ clock: () => now })).client();
    const dates: (string | undefined)[] = [];
    for (const start of ['GET /', 'GET /', 'HEAD /', 'BAD']) {
      dates.push((await client.ask(start)).fields['date']);
      now += 1000;
    }
    expect(dates).to.deep.equal(
      [0, 1, 2, 3].map((second) => `Thu, 01 Jan 2026 00:00:0${second} GMT`),
    );
  });
  it('limits the connections: one too many is closed, the others are served', async () => {
    const trace = new Trace();
    const server = await serve({ maxConnections: 2, trace: trace.sink });
    const [one, two] = [await server.client(), await server.client()];
    expect((await (await server.client()).closed()).rest).to.equal('');
    expect(await trace.next('refuse')).to.include({ connection: 0, limit: 2 });
    expect((await one.ask('GET /')).status).to.equal(200);
    expect((await two.ask('GET /')).status).to.equal(200);
    one.end();
    await trace.next('gone');
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
});
