import { expect } from 'chai';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { TraceEvent } from '../../src/index';
import { raw } from '../support/bytes';
import { CLOSED_IN_SILENCE } from '../support/client';
import {
  deafClient,
  expectNoListener,
  expectWithin,
  LARGE,
  large,
} from '../support/server-end';
import { serve } from '../support/test-server';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;
/** A thread with clients. It says when all are connected, and how the server closed each. */
const CONNECT = `
  const { once } = require('node:events');
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const { connected, count, port } = workerData;
  const options = { port, host: '127.0.0.1', allowHalfOpen: true };
  const sockets = Array.from({ length: count }, () => connect(options));
  const ends = sockets.map((socket) => new Promise((resolve) => {
    socket.resume().on('end', () => resolve('end')).on('error', ({ code }) => resolve(code));
  }));
  void Promise.all(sockets.map((socket) => once(socket, 'connect'))).then(async () => {
    Atomics.store(connected, 0, 1);
    Atomics.notify(connected, 0);
    parentPort.postMessage(await Promise.all(ends));
    for (const socket of sockets) socket.destroy();
  });
`;
const MAXIMUM = 'Maximum of 10 requests reached: no more are handled';
const TEN = [...Array<string>(10).fill('GET /tasks'), MAXIMUM];

describe('a server with a limit of ten requests', () => {
  it('the server stops after ten requests of one connection, and says "close"', async () => {
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
  it('the server stops after ten requests of ten connections', async () => {
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
  it('ten of twelve pipelined requests get their responses', async () => {
    const server = await serve({ maxRequests: 10 });
    const client = (await server.client()).send(GET.repeat(12));
    expect(await client.statuses(10)).to.deep.equal(Array(10).fill(200));
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    client.end();
    await server.stopped;
    expect(server.log).to.deep.equal(TEN);
  });
  it('ten of twenty clients get their responses, and the others get none', async () => {
    const server = await serve({ maxRequests: 10 });
    const clients = await Promise.all(Array.from({ length: 20 }, () => server.client()));
    for (const client of clients) client.send(GET);
    const ends = await Promise.all(clients.map((client) => client.closed()));
    for (const client of clients) client.end();
    expect(ends.map(({ how }) => how)).to.deep.equal(Array(20).fill('end'));
    expect(ends.filter(({ rest }) => rest.startsWith('HTTP/1.1 200'))).to.have.lengthOf(10);
    expect(ends.filter(({ rest }) => rest === '')).to.have.lengthOf(10);
    expect(ends.filter(({ rest }) => rest.includes('Connection: close'))).to.have.lengthOf(
      1,
    );
    await server.stopped;
    expect(server.log).to.deep.equal(TEN);
  });
  it('the tenth response arrives although megabytes follow the tenth request', async () => {
    const server = await serve({ maxRequests: 10 });
    const client = (await server.client()).send(GET.repeat(10));
    client.socket.write(Buffer.alloc(5_000_000, 'x'));
    expect(await client.statuses(10)).to.deep.equal(Array(10).fill(200));
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    client.end();
    await server.stopped;
  });
  it('no client is reset that is connected but not yet accepted at the limit', async () => {
    // Accepting all of them takes longer than a client may take to close.
    const slow = ({ type }: TraceEvent): void => {
      const end = performance.now() + 4;
      while (type === 'open' && performance.now() < end);
    };
    const server = await serve({ maxRequests: 10, trace: slow });
    const last = await server.client();
    // The server must not run before all of them are connected, so they are another thread's. In
    // this one, a busy system could finish some handshakes after the listener has closed: those
    // clients are reset, which no server can help (see closeListener()).
    const connected = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { connected, port: server.port, count: 40 };
    const others = new Worker(CONNECT, { eval: true, workerData });
    const ends = once(others, 'message');
    Atomics.wait(connected, 0, 0);
    last.send(GET.repeat(10));
    expect(await ends).to.deep.equal([Array(40).fill('end')]);
    expect(await last.statuses(10)).to.deep.equal(Array(10).fill(200));
    await others.terminate();
  });
  it('at the limit, idle clients and incomplete requests get no response', async () => {
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
  it('at the limit, a last client that does not close is left after 200 ms', async () => {
    const server = await serve({ maxRequests: 1 });
    const client = await server.client();
    await client.ask('GET /');
    await expectWithin(200, server.stopped);
    expect((await client.closed()).how).to.equal('end');
  });
  it('neither rejected requests nor silent connections count toward the limit', async () => {
    const server = await serve({ maxRequests: 2 });
    await (await server.client()).send(raw`BAD\r\n`).answer();
    await (await server.client()).end().closed();
    const client = await server.client();
    expect((await client.ask('GET /')).fields).to.not.have.property('connection');
    expect((await client.ask('GET /')).fields).to.have.property('connection', 'close');
  });

  it('at the limit, responses to other clients finish before the server stops', async () => {
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
