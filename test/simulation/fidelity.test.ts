import { expect } from 'chai';
import type { ServerOptions, TraceEvent } from '../../src/index';
import { raw } from '../support/bytes';
import { Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import { World } from './world';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;
const EXPECT = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** A client, and the trace of the server that it is connected to. */
interface Stage {
  send(text: string): unknown;
  end(): unknown;
  reset(): unknown;
  close(): unknown;
  stopReading(): unknown;
  stop(): unknown;
  /** Reads up to a text. */
  reads(text: string): Promise<unknown>;
  /** Waits for the first event of a type, or a later one. */
  until(type: TraceEvent['type'], number?: number): Promise<unknown>;
}

/** What a client does. It waits for events, so that both stages have the same order. */
type Scene = readonly [
  name: string,
  act: (stage: Stage) => Promise<unknown> | unknown,
  options?: Partial<ServerOptions>,
];

const SHORT = { requestTimeout: 0.1, idleTimeout: 0.1 };
const LARGE: Partial<ServerOptions> = {
  requestTimeout: 0.3,
  service: () => ({ status: 200, body: 'x'.repeat(20_000_000) }),
};

const SCENES: readonly Scene[] = [
  ['sends nothing', () => {}, SHORT],
  ['sends a request and waits', (stage) => stage.send(GET), SHORT],
  ['sends half a request and waits', (stage) => stage.send('GET / HT'), SHORT],
  [
    'sends a request in pieces, then closes its sending side',
    async (stage) => {
      for (const [at, piece] of [
        'GET /ta',
        raw`sks HTTP/1.1\r\nHo`,
        raw`st: a\r`,
      ].entries()) {
        stage.send(piece);
        await stage.until('read', at + 1);
      }
      stage.send(raw`\n\r\n`);
      await stage.until('idle');
      stage.end();
    },
  ],
  ['pipelines requests', (stage) => stage.send(GET.repeat(5)), SHORT],
  [
    'sends what is rejected',
    async (stage) => {
      stage.send(raw`GET /x\r\n\r\n${GET}`);
      await stage.until('linger');
      stage.send('more');
      await stage.until('drop', 2);
      stage.end();
    },
  ],
  [
    'asks for 100 (Continue)',
    async (stage) => {
      stage.send(EXPECT + raw`Content-Length: 3\r\n\r\n`);
      await stage.until('wait', 2);
      stage.send('abc');
      await stage.until('idle');
      stage.end();
    },
  ],
  [
    'sends many chunks',
    (stage) => stage.send(CHUNKED + raw`1\r\nx\r\n`.repeat(300) + raw`0\r\n\r\n`),
    SHORT,
  ],
  [
    'closes its sending side in a request',
    async (stage) => {
      stage.send('GET / HT');
      await stage.until('wait', 2);
      stage.end();
    },
  ],
  [
    'resets the connection in a request',
    async (stage) => {
      stage.send('GET / HT');
      await stage.until('wait', 2);
      stage.reset();
    },
  ],
  [
    'resets an idle connection',
    async (stage) => {
      stage.send(GET);
      await stage.until('idle');
      stage.reset();
    },
  ],
  [
    'closes both sides, once it has read its response',
    async (stage) => {
      stage.send(GET);
      await stage.reads(']');
      stage.close();
    },
  ],
  [
    'does not read a large response',
    async (stage) => {
      stage.stopReading();
      stage.send(GET);
      await stage.until('block');
    },
    LARGE,
  ],
  [
    'resets the connection while the response is under way',
    async (stage) => {
      stage.stopReading();
      stage.send(GET);
      await stage.until('block');
      stage.reset();
    },
    { ...LARGE, requestTimeout: 60 },
  ],
  [
    'closes after a response that says so',
    async (stage) => {
      stage.send(raw`GET /tasks HTTP/1.0\r\n\r\n`);
      await stage.until('linger');
      stage.end();
    },
  ],
  [
    'does not close after a response that says so',
    (stage) => stage.send(raw`GET /tasks HTTP/1.0\r\n\r\n`),
  ],
  [
    'is idle when the server stops',
    async (stage) => {
      stage.send(GET);
      await stage.until('idle');
      stage.stop();
      await stage.until('linger');
      stage.end();
    },
  ],
];

/** @returns the trace of a scene on real sockets */
async function onSockets([, act, options]: Scene): Promise<string> {
  const trace = new Trace();
  const server = await serve({ trace: trace.sink, ...options });
  const client = await server.client();
  await trace.next('wait');
  await act({
    send: (text) => client.send(text),
    end: () => client.end(),
    reset: () => client.reset(),
    close: () => client.socket.destroy(),
    stopReading: () => client.socket.pause(),
    stop: () => void server.stop(),
    reads: (text) => client.until(text),
    until: (type, number) => trace.next(type, number),
  });
  await trace.next('gone');
  await server.stop();
  return trace.lines();
}

/** @returns the trace of a scene in a world */
async function inWorld([, act, options]: Scene): Promise<string> {
  const world = new World();
  const { trace } = world;
  const server = await world.serve({ ...options });
  const client = world.connect();
  const until = async (type: TraceEvent['type'], number = 1): Promise<void> => {
    await world.settle();
    while (trace.of(type).length < number) await world.advance(1);
  };
  await until('wait');
  await act({
    send: (text) => client.send(text),
    end: () => client.end(),
    reset: () => client.reset(),
    close: () => client.close(),
    stopReading: () => client.stopReading(),
    stop: () => void server.stop(),
    reads: async (text) => {
      await world.settle();
      expect(client.take()).to.include(text);
    },
    until,
  });
  await until('gone');
  void server.stop();
  await until('stop', 2);
  return trace.lines();
}

/** How much it takes of what a client does not read is up to the system. */
function withoutUnsent(trace: string): string {
  return trace.replace(/up to \d+ bytes/, 'up to N bytes');
}

describe('a simulated world is like a real one', () => {
  /** The traces on real sockets. They are made at once, because most of them wait 2 s for a
   * client to close. */
  let real: readonly string[];

  before(async () => {
    real = await Promise.all(SCENES.map(onSockets));
  });

  for (const [index, scene] of SCENES.entries()) {
    it(`the server tells the same of a client that ${scene[0]}`, async () => {
      expect(withoutUnsent(await inWorld(scene))).to.equal(
        withoutUnsent(real[index] ?? ''),
      );
    });
  }
});
