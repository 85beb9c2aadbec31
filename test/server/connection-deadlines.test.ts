import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { TraceEvent } from '../../src/index';
import { bytes, raw } from '../support/bytes';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { collectGarbage } from '../support/garbage';
import { listenerOf } from '../support/listener';
import { pause, until } from '../support/notifier';
import { story, Trace } from '../support/recorded-trace';
import { LARGE, large } from '../support/server-end';
import { serve } from '../support/test-server';
import { traced } from '../support/traced-server';

const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('the deadlines of a connection, to the millisecond', () => {
  /** A server with a timeout that starts right after the `number`th event of a type. */
  async function timed(
    type: 'open' | 'read' | 'turn',
    number: number,
    options: { readonly requestTimeout: number } | { readonly idleTimeout: number },
  ) {
    const [seconds = NaN] = Object.values(options);
    const order: string[] = [];
    const trace = new Trace();
    const sink = (event: TraceEvent): void => {
      trace.sink(event);
      if (event.type === 'close') order.push('close');
      if (event.type !== type || trace.of(type).length !== number) return;
      // Timers of one event loop fire in order, however busy the machine is.
      setImmediate(
        () => void pause(1000 * seconds + 5).then(() => order.push('5 ms later')),
      );
    };
    const server = await serve({ ...options, trace: sink });
    const closes = async (): Promise<void> => {
      await until(() => order.includes('5 ms later'));
      expect(order).to.deep.equal(['close', '5 ms later']);
      const [start, close] = [await trace.next(type, number), await trace.next('close')];
      expect(close.at - start.at).to.be.at.least(1000 * seconds - 1);
    };
    return { client: await server.client(), server, trace, closes };
  }

  it('a deadline ends a connection that sends nothing', async () => {
    const { client, closes } = await timed('open', 1, { requestTimeout: 0.1 });
    await closes();
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
  });
  it('an empty line does not extend the deadline of a connection', async () => {
    const { client, closes } = await timed('open', 1, { requestTimeout: 0.1 });
    setTimeout(() => client.send(raw`\r\n`), 50);
    await closes();
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
  });
  it('a deadline ends a connection that is idle after a response', async () => {
    const { client, closes } = await timed('turn', 1, { idleTimeout: 0.1 });
    await client.ask('GET /');
    await closes();
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
  });
  it('single bytes of a request do not extend its deadline, and it gets 408', async () => {
    const { client, server, closes } = await timed('read', 1, { requestTimeout: 0.3 });
    const dribble = setInterval(() => client.send('x'), 10);
    await closes().finally(() => clearInterval(dribble));
    expect((await client.answer()).status).to.equal(408);
    expect((await client.closed()).how).to.equal('end');
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
  it('the deadline of a request starts with its first byte, not an empty line', async () => {
    const { client, trace, closes } = await timed('read', 3, { requestTimeout: 0.3 });
    await client.ask('GET /');
    client.send(raw`\r\n`);
    await trace.next('wait', 2);
    setTimeout(() => client.send('GET'), 50);
    await closes();
    expect((await client.answer()).status).to.equal(408);
  });
  it('the idle deadline starts again with each response', async () => {
    const { client, trace, closes } = await timed('turn', 2, { idleTimeout: 0.3 });
    await client.ask('GET /');
    setTimeout(() => client.send(GET), 50);
    await trace.next('idle', 2);
    await closes();
  });
});

describe('a deadline ends with what it is for', () => {
  it('the deadline of a request does not end a connection that is idle', async () => {
    const { trace, client } = await traced({ requestTimeout: 0.1, idleTimeout: 0.3 });
    await client.ask('GET /');
    const [turn, close] = [await trace.next('turn'), await trace.next('close')];
    expect(close.reason).to.equal('no request within 0.3 s of the last response');
    expect(close.at - turn.at).to.be.at.least(299);
  });
  it('the deadline of an idle connection does not end a request', async () => {
    const { trace, client } = await traced({ requestTimeout: 0.3, idleTimeout: 0.1 });
    await client.ask('GET /');
    client.send('GET /');
    const [read, reject] = [await trace.next('read', 2), await trace.next('reject')];
    expect(reject.error.status).to.equal(408);
    expect(reject.at - read.at).to.be.at.least(299);
  });
  it('a connection that is gone is not kept until its deadline', async () => {
    let gone = 0;
    const trace = ({ type }: TraceEvent): void => void (type === 'gone' && (gone += 1));
    const options = { requestTimeout: 600, idleTimeout: 600, trace };
    const [server, listener] = await listenerOf(() => serve(options));
    const sockets: WeakRef<Socket>[] = [];
    listener.on('connection', (socket: Socket) => sockets.push(new WeakRef(socket)));
    const silent = await server.client();
    const half = (await server.client()).send('GET');
    const idle = await server.client();
    await idle.ask('GET /');
    for (const client of [silent, half, idle]) client.reset();
    await until(() => gone === 3);
    const kept = (): number =>
      sockets.filter((socket) => socket.deref() !== undefined).length;
    for (let rounds = 0; rounds < 20 && kept() > 0; rounds += 1) {
      await pause(0);
      collectGarbage();
    }
    expect(sockets).to.have.lengthOf(3);
    expect(kept()).to.equal(0);
  });
});

describe('the trace of a deadline', () => {
  it('the trace tells each deadline once, where it begins', async () => {
    const { trace, client } = await traced({ requestTimeout: 7.5, idleTimeout: 1.25 });
    client.send(raw`\r\n`);
    await trace.next('wait', 2);
    for (const [at, piece] of ['G', 'ET ', '/'].entries()) {
      client.send(piece);
      await trace.next('wait', 3 + at);
    }
    client.send(raw` HTTP/1.1\r\nHost: a\r\n\r\n`);
    await trace.next('idle');
    client.send(raw`\r\n`);
    await trace.next('wait', 6);
    client.send('G');
    await trace.next('wait', 7);
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
    const { trace, client } = await traced({ requestTimeout: 7.5, idleTimeout: 1.25 });
    const head = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
    await client.ask('GET /');
    client.send(head + raw`1\r\nx\r\n`.repeat(300));
    await trace.next('wait', 2);
    expect(trace.lines('wait', 'idle')).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 7.5 s at most
      c1  idle   waiting for the next request, 1.25 s at most
      c1  wait   for the end of the chunk line (RFC 9112 section 7.1), 7.5 s at most
    `),
    );
  });
  it('the trace tells the whole story of a connection that sends nothing', async () => {
    const { trace, client } = await traced({ requestTimeout: 0.1 });
    await trace.next('linger');
    client.end();
    await trace.next('gone');
    expect(trace.lines().split('\n').slice(2, -1)).to.deep.equal([
      'c1  wait   for a request (RFC 9112 section 2.1), 0.1 s at most',
      'c1  close  no request within 0.1 s of connecting (RFC 9112 section 9.5)',
      'c1  linger our side is closed: still reading until the client closes, 2 s at most ' +
        '(RFC 9112 section 9.6)',
      'c1  end    the client closed its sending side',
      'c1  gone   the client closed',
    ]);
  });
});

/** Sends requests, and tells how many bytes it has read when the server closes. */
const READING_CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = connect(workerData.port, '127.0.0.1').on('error', () => {});
  socket.on('data', () => {}).on('close', () => parentPort.postMessage(socket.bytesRead));
  socket.end(workerData.requests);
`;

describe('after a standstill longer than the deadlines', () => {
  /** Nothing of this process runs for so long: a slow service, or a suspended laptop. */
  const standStill = (milliseconds: number): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  };

  it('requests that arrived meanwhile are handled: of new, idle and waiting clients', async () => {
    const { trace, server } = await traced({ requestTimeout: 0.2, idleTimeout: 0.2 });
    const clients: Client[] = [];
    while (clients.length < 24) clients.push(await server.client());
    for (const [at, client] of clients.entries()) {
      if (at % 3 === 1) await client.ask('GET /');
      if (at % 3 === 2) client.send('GET /ta');
    }
    await trace.next('read', 16);
    for (const [at, client] of clients.entries()) {
      client.send(at % 3 === 2 ? GET.slice('GET /ta'.length) : GET);
    }
    standStill(500);
    for (const client of clients) expect((await client.answer()).status).to.equal(200);
  });
  it('content that arrived meanwhile, in many reads, is read', async () => {
    const { trace, server } = await traced({ requestTimeout: 0.2 });
    const client = await server.client();
    client.send(raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`);
    await trace.next('wait', 3);
    client.send('x'.repeat(100_000));
    standStill(500);
    expect((await client.answer()).status).to.equal(200);
  });
  it('chunks that arrived meanwhile are parsed, though others go first', async () => {
    const { trace, server } = await traced({ requestTimeout: 0.2 });
    const client = await server.client();
    client.send(CHUNKED);
    await trace.next('wait', 3);
    client.send(raw`1\r\nx\r\n`.repeat(12_000) + raw`0\r\n\r\n`);
    standStill(500);
    expect((await client.answer()).status).to.equal(200);
    expect((await client.ask('GET /')).status).to.equal(200);
  });
  it('a client whose chunks arrived meanwhile, but not all, gets 408', async () => {
    const { trace, server } = await traced({ requestTimeout: 0.2 });
    const client = await server.client();
    client.send(CHUNKED);
    await trace.next('wait', 3);
    client.send(raw`1\r\nx\r\n`.repeat(12_000));
    standStill(500);
    expect((await client.answer()).status).to.equal(408);
  });
  it('the time for the first request to begin does not end one that has begun', async () => {
    const { trace, client } = await traced({ requestTimeout: 0.3 });
    await pause(150);
    client.send(CHUNKED + raw`1\r\nx\r\n`.repeat(12_000));
    standStill(250);
    // Its own time begins here.
    expect(await trace.next('wait', 2)).to.include({ seconds: 0.3 });
    await pause(0);
    client.send(raw`0\r\n\r\n`);
    expect((await client.answer()).status).to.equal(200);
  });
  it('a client that read its responses meanwhile is not disconnected', async () => {
    const { trace, server } = await traced({ requestTimeout: 0.2, service: large });
    // In a thread of its own, the client reads on while the server stands still.
    const client = new Worker(READING_CLIENT, {
      eval: true,
      workerData: { port: server.port, requests: bytes(GET + GET) },
    });
    await trace.next('write');
    standStill(500);
    const [length] = await once(client, 'message');
    expect(length).to.be.at.least(2 * LARGE.length);
  });
  it('a client whose request arrived too late gets 408, and silent ones are closed', async () => {
    const { server } = await traced({ requestTimeout: 0.2 });
    const [silent, half] = [await server.client(), (await server.client()).send('GET')];
    standStill(500);
    expect(await silent.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    expect((await half.answer()).status).to.equal(408);
  });
  it('a client that reset the connection meanwhile is not said to have stayed', async () => {
    const { trace, client } = await traced({ requestTimeout: 0.2, service: large });
    client.socket.pause();
    client.send(GET);
    await trace.next('block');
    client.reset();
    standStill(400);
    expect(await trace.next('gone')).to.include({
      reason: 'the client reset the connection',
    });
  });
  it('a client that closed before the end was over is not said to be cut off', async () => {
    const { trace, server, client } = await traced({ maxRequests: 1 });
    client.send(GET);
    expect((await client.closed()).how).to.equal('end');
    await pause(0); // by now the listener is closed, and the last time limit runs
    client.socket.destroy();
    standStill(400);
    await server.stopped;
    expect(trace.lines('gone', 'stop').split('\n').slice(1)).to.deep.equal([
      'c1  gone   the client closed',
      '--  stop   everything is closed',
      '',
    ]);
  });
});
