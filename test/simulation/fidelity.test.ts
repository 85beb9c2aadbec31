import { expect } from 'chai';
import type { ServerOptions, TraceEvent } from '../../src/index';
import { raw } from '../support/bytes';
import { Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import { CHUNKED, GET } from '../support/virtual-server';
import { World } from './world';

const EXPECT = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;
const CLOSING = raw`GET /tasks HTTP/1.0\r\n\r\n`;
const CHUNKS = raw`1\r\nx\r\n`.repeat(300) + raw`0\r\n\r\n`;
const SHORT = { requestTimeout: 0.1, idleTimeout: 0.1 };
const LARGE: Partial<ServerOptions> = {
  service: () => ({ status: 200, body: 'x'.repeat(20_000_000) }),
};

/** What the client does, or the server: sends a text behind "> ", waits until an event has
 * happened so often, such as "read 2", or what the word says. It waits for events, so that
 * both stages have the same order. */
type Act = string;
type Scene = readonly [name: string, options: Partial<ServerOptions>, ...acts: Act[]];

// prettier-ignore
const SCENES: readonly Scene[] = [
  ['sends nothing',                           SHORT],
  ['sends a request and waits',               SHORT, `> ${GET}`],
  ['sends half a request and waits',          SHORT, '> GET / HT'],
  ['pipelines requests',                      SHORT, `> ${GET.repeat(5)}`],
  ['sends many chunks',                       SHORT, `> ${CHUNKED}${CHUNKS}`],
  ['sends in pieces, then half-closes',       {}, '> GET /ta', 'read 1',
    raw`> sks HTTP/1.1\r\nHo`, 'read 2', raw`> st: a\r`, 'read 3', raw`> \n\r\n`, 'idle 1', 'end'],
  ['sends what is rejected, and more',        {}, raw`> GET /x\r\n\r\n${GET}`, 'linger 1',
    '> more', 'drop 2'],
  ['asks for 100 (Continue)',                 {}, raw`> ${EXPECT}Content-Length: 3\r\n\r\n`,
    'wait 2', '> abc', 'idle 1', 'end'],
  ['closes its sending side in a request',    {}, '> GET / HT', 'wait 2', 'end'],
  ['resets the connection in a request',      {}, '> GET / HT', 'wait 2', 'reset'],
  ['resets an idle connection',               {}, `> ${GET}`, 'idle 1', 'reset'],
  ['closes both sides after its response',    {}, `> ${GET}`, 'read all', 'close'],
  ['does not read a large response',          { ...LARGE, requestTimeout: 0.3 },
    'deaf', `> ${GET}`, 'block 1'],
  ['resets while a response is under way',    LARGE, 'deaf', `> ${GET}`, 'block 1', 'reset'],
  ['closes after a response that says so',    {}, `> ${CLOSING}`],
  ['is idle when the server stops',           {}, `> ${GET}`, 'idle 1', 'stop'],
];

/** A client, and the trace of the server that it is connected to. */
interface Stage {
  readonly trace: Trace;
  readonly acts: { readonly [word: string]: () => unknown };
  send(text: string): unknown;
  until(type: TraceEvent['type'], times: number): Promise<unknown>;
}

/** A client closes its side when the server has. @returns the trace */
async function play({ acts, send, trace, until }: Stage, scene: Scene): Promise<string> {
  const [, , ...words] = scene;
  await until('wait', 1);
  for (const act of words) {
    const [, type, times] = /^(\w+) (\d)$/.exec(act) ?? [];
    if (act.startsWith('> ')) send(act.slice(2));
    else if (type !== undefined) await until(type as TraceEvent['type'], Number(times));
    else await acts[act]?.();
  }
  if (!/end|reset|close|deaf/.test(words.join())) {
    await until('linger', 1);
    await acts['end']?.();
  }
  await until('gone', 1);
  acts['stop']?.();
  await until('stop', 2);
  return trace.lines();
}

async function onSockets(scene: Scene): Promise<string> {
  const trace = new Trace();
  const server = await serve({ trace: trace.sink, ...scene[1] });
  const client = await server.client();
  const acts = {
    end: () => client.end(),
    reset: () => client.reset(),
    close: () => client.socket.destroy(),
    deaf: () => client.socket.pause(),
    stop: () => void server.stop(),
    'read all': () => client.answer(),
  };
  const send = (text: string) => client.send(text);
  return play({ trace, acts, send, until: (...event) => trace.next(...event) }, scene);
}

async function inWorld(scene: Scene): Promise<string> {
  const world = new World();
  const { trace } = world;
  const server = await world.serve(scene[1]);
  const client = world.connect();
  const acts = {
    end: () => client.end(),
    reset: () => client.reset(),
    close: () => client.close(),
    deaf: () => client.stopReading(),
    stop: () => void server.stop(),
    'read all': () => world.settle(),
  };
  const until: Stage['until'] = async (type, times) => {
    await world.settle();
    while (trace.of(type).length < times) await world.advance(1);
  };
  return play({ trace, acts, send: (text) => client.send(text), until }, scene);
}

/** How much it takes of what a client does not read is up to the system. */
function withoutUnsent(trace: string): string {
  return trace.replace(/up to \d+ bytes/, 'up to N bytes');
}

describe('a simulated world is like a real one', () => {
  for (const scene of SCENES) {
    it(`the server tells the same of a client that ${scene[0]}`, async () => {
      const real = withoutUnsent(await onSockets(scene));
      expect(withoutUnsent(await inWorld(scene))).to.equal(real);
    });
  }
});
