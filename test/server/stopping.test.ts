import { expect } from 'chai';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { raw } from '../support/bytes';
import { CLOSED_IN_SILENCE } from '../support/client';
import { pause } from '../support/notifier';
import { runProgram } from '../support/program';
import { Trace } from '../support/recorded-trace';
import {
  deafClient,
  expectNoListener,
  expectWithin,
  LARGE,
  large,
} from '../support/server-end';
import { serve, type TestServer } from '../support/test-server';
import { traced } from '../support/traced-server';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('stop()', () => {
  it('stop() closes everything, can be called twice, and frees the port', async () => {
    const trace = new Trace();
    const server = await serve({ trace: trace.sink });
    const [idle, half] = [await server.client(), await server.client()];
    await idle.ask('GET /');
    half.send('GET');
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    await server.stopped;
    expect(await idle.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    expect(await half.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    await expectNoListener(server.port);
    // The listener closes once, and then everything is closed once.
    expect(trace.of('stop')).to.have.lengthOf(2);
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
    it(`stop() called at "${moment}" lets ${answers} of 2 responses go out`, async () => {
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

  it('the response of a service that stops the server says "close"', async () => {
    const server = await serve({
      service: () => {
        void server.stop();
        return { status: 200, body: 'x' };
      },
    });
    const client = (await server.client()).send(GET);
    const { fields, status } = await client.answer();
    expect({ status, connection: fields.connection }).to.deep.equal({
      status: 200,
      connection: 'close',
    });
    client.end();
    await server.stopped;
  });
  it('stop() lets a slow client finish a large response', async () => {
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
  it('stop() leaves a client that has read a large response, but does not close', async () => {
    const { trace, server, client } = await traced({ service: large });
    client.socket.pause();
    client.send(GET);
    await trace.next('block');
    const stopped = server.stop();
    await trace.next('stop');
    client.socket.resume();
    await stopped;
    expect(trace.lines('stop').split('\n')[1]).to.equal(
      '--  stop   cut off 1 connection 0.15 s after everything was sent',
    );
  });
  it('the server accepts no turns after stop()', async () => {
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
  it('a client that is accepted after stop() is closed like the others', async () => {
    const trace = new Trace();
    const server = await serve({ trace: trace.sink });
    const stopped = server.stop();
    // The server stops in this round of the event loop, and accepts the client in the next one.
    await new Promise(setImmediate);
    const late = await server.client();
    expect(await late.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    late.end();
    await stopped;
    expect(await trace.next('close')).to.include({ reason: 'the server stops' });
    expect(trace.lines('stop')).to.contain('everything is closed');
  });
  it('stop() does not wait for clients that are already gone', async () => {
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
  it('stop() waits for nothing if nobody is connected', async () => {
    await expectWithin(100, (await serve()).stop());
  });
  it('a stopped server does not keep its process alive', async () => {
    const { output, problems } = await runProgram(
      `import { once } from 'node:events';
      import { connect } from 'node:net';
      import { startServer, taskService } from './dist/index.js';
      const server = await startServer({ service: taskService, requestTimeout: 600 });
      const socket = connect(server.port);
      await once(socket, 'connect');
      socket.destroy();
      await server.stop();
      console.log('stopped');`,
      'js',
    );
    // With a timer left, it would be killed after some seconds.
    expect({ output, problems }).to.deep.equal({ output: 'stopped\n', problems: '' });
  });
});

describe('a server that stops', () => {
  it('a server that stops does so within a second though new clients keep arriving', async () => {
    const sockets: Socket[] = [];
    let isArriving = true;
    let stops = 0;
    const server = await serve({
      trace: ({ type }) => {
        if (type === 'stop') stops += 1;
        if (type !== 'open' || !isArriving) return;
        // One after another: in each round of the event loop, one more is there.
        for (const _ of [1, 2]) {
          sockets.push(connect(server.port, '127.0.0.1').on('error', () => {}));
        }
      },
    });
    await server.client();
    await expectWithin(950, server.stop()).finally(() => (isArriving = false));
    for (const socket of sockets) socket.destroy();
    expect(sockets.length).to.be.above(20);
    await pause(0);
    expect(stops, 'one when it begins, and one at its end').to.equal(2);
  });
  it('a server that stops waits less than a second for clients that do not read', async () => {
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
