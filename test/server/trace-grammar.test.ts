import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TraceEvent } from '../../src/index';
import { bytes, raw } from '../support/bytes';
import { Random } from '../support/random';
import { Trace } from '../support/recorded-trace';
import { serve, type TestServer } from '../support/test-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const LARGE = raw`GET /large HTTP/1.1\r\nHost: a\r\n\r\n`;
const CLOSE = raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
const CHUNKED = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const content = (count: number): string =>
  raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${count}\r\n\r\n${'x'.repeat(count)}`;
const BODY = 'x'.repeat(6_000_000);

/** What a client sends, one after another. */
const PARTS = [
  GET,
  GET.repeat(3),
  GET.repeat(1000),
  raw`\r\n${GET}`,
  CLOSE + GET,
  content(10),
  content(50_000),
  raw`${CHUNKED}3;a=b\r\nabc\r\n0\r\nA: b\r\n\r\n`,
  CHUNKED + raw`1\r\nx\r\n`.repeat(2000) + raw`0\r\n\r\n`,
  LARGE + GET,
  'GET /ta',
  raw`GET / HTTP/1.1\r\nHo`,
  CHUNKED + raw`5\r\nab`,
  raw`BAD\r\n${GET}`,
  raw`${CHUNKED}x\r\n${GET}`,
  content(30_000).slice(0, 20_000),
  raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`,
  raw`\r\n\r\n`,
];

/** A client that does something of everything that clients do, and perhaps nothing any more. */
async function behave(random: Random, { port }: TestServer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: !random.onceIn(3) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (random.onceIn(6)) socket.pause();
  else socket.resume();
  for (let count = random.below(4); count > 0 && !socket.destroyed; count -= 1) {
    const part = bytes(random.oneOf(PARTS));
    for (const piece of random.onceIn(2) ? [part] : random.cut(part)) socket.write(piece);
    for (let rounds = random.below(4); rounds > 0; rounds -= 1)
      await new Promise(setImmediate);
  }
  const end = random.below(5);
  if (end === 0) socket.resetAndDestroy();
  if (end === 1) socket.destroy();
  if (end === 2) socket.end();
  return socket;
}

/** Sends one thing, and waits for the server to close: it does so after each of its deadlines. */
async function wait({ port }: TestServer, sent: string, reads: boolean): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (reads) socket.resume();
  socket.write(bytes(sent));
  return socket;
}

/** Checks the events of one connection. */
function check(events: readonly TraceEvent[]): void {
  const types = events.map(({ type }) => type);
  expect(types[0]).to.equal('open');
  expect(types.indexOf('open', 1)).to.equal(-1);
  expect(types.indexOf('gone')).to.equal(types.length - 1);
  expect(types.filter((type) => type === 'close').length).to.be.at.most(1);
  expect(types.filter((type) => type === 'linger').length).to.be.at.most(1);

  let [received, queued, waiting, rejected, dropped] = [0, 0, 0, NaN, 0];
  let isUnqueued = false; // a complete request that was too late for a place
  /** The deadlines that have been told since the last turn. */
  const told = new Set<string>();
  for (const event of events) {
    switch (event.type) {
      case 'read':
        received += event.bytes.length;
        break;
      case 'wait':
      case 'idle':
        if (event.seconds !== undefined) told.add(event.type);
        break;
      case 'block':
      case 'linger':
        told.add(event.type);
        break;
      case 'queue':
        waiting = event.bytes; // again, when a blocked client has read its responses
        break;
      case 'turn':
        expect(waiting, 'a turn without a place in the queue').to.be.above(0);
        queued += waiting;
        waiting = 0;
        break;
      case 'reject':
        rejected = event.error.offset;
        if (event.error.status === 408) expect(told).to.include('wait');
        break;
      case 'close':
        if (event.reason.includes('of connecting')) expect(told).to.include('wait');
        if (event.reason.includes('last response')) expect(told).to.include('idle');
        break;
      case 'drop':
        if (event.which.startsWith('that arrived later')) break;
        isUnqueued = event.request !== '' && waiting === 0;
        dropped += event.bytes;
        break;
      case 'gone':
        if (event.reason.includes('more could be sent')) expect(told).to.include('block');
        if (event.reason.startsWith('gave up: the client did not close')) {
          expect(told).to.include('linger');
        }
    }
  }
  if (isUnqueued) return;
  const rest = received - queued - waiting - dropped;
  // The wrong byte may be one that has not arrived.
  const expected = Number.isNaN(rejected) ? [0] : [rejected, rejected + 1];
  expect(rest, `of ${received} bytes`).to.be.oneOf(expected);
}

describe('the events of every connection', () => {
  it('the events of a thousand connections make sense, and no byte is missing', async () => {
    const random = new Random(Number(process.env['FUZZ_SEED'] ?? 1));
    const trace = new Trace();
    const server = await serve({
      trace: trace.sink,
      requestTimeout: 0.15,
      idleTimeout: 0.1,
      contentBudget: 1_000_000,
      service: ({ path }) => ({ status: 200, body: path === '/large' ? BODY : 'x' }),
    });
    const sockets: Socket[] = [];
    for (let round = 0; round < 20; round += 1) {
      const clients = Array.from({ length: 46 }, () => behave(random, server));
      clients.push(
        wait(server, GET, true),
        wait(server, 'GET', true),
        wait(server, LARGE + GET, false),
        wait(server, raw`GET /large HTTP/1.0\r\n\r\n`, false),
      );
      sockets.push(...(await Promise.all(clients)));
    }
    await server.stop();
    for (const socket of sockets) socket.destroy();

    const connections = new Map<number, TraceEvent[]>();
    for (const event of trace.events) {
      const events = connections.get(event.connection) ?? [];
      events.push(event);
      connections.set(event.connection, events);
    }
    connections.delete(0);
    expect(connections.size).to.equal(1000);
    for (const [number, events] of connections) {
      try {
        check(events);
      } catch (error) {
        const lines = events.map((event) =>
          trace.format(event).split('\n')[0]?.slice(0, 150),
        );
        throw new Error(`c${number}: ${error}\n${lines.slice(-40).join('\n')}`, {
          cause: error,
        });
      }
    }
    // All of it happened.
    for (const type of [
      'idle',
      'block',
      'reject',
      'drop',
      'linger',
      'close',
      'end',
    ] as const) {
      expect(trace.of(type).length, type).to.be.above(5);
    }
    const ends = new Set(
      trace.of('gone').map(({ reason }) => reason.replace(/[\d.]+/g, 'N')),
    );
    expect([...ends]).to.include.members([
      'the client closed',
      'the client reset the connection',
      'gave up: nothing more could be sent to the client within N s',
    ]);
    expect(new Set(trace.of('reject').map(({ error }) => error.status)))
      .to.include(400)
      .and.include(408);
  }).timeout(60_000);
});
