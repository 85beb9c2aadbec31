import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { Connection } from '../../src/server/connection';
import { STATES } from '../../src/server/connection-states';
import type { Inspection } from '../../src/server/server';
import { judge } from './oracle';
import { play, type Played } from './play';
import { CALM, CALM_CLIENT, makeScript, type Script, type Step } from './script';
import { report } from './shrink';

const FIXED = 500;
/** How many others there are, and the seed of the first: another one each time, unless the
 * environment says which. */
const { WORLDS = '100', SEED = `${Math.floor(Math.random() * 2 ** 31)}` } = process.env;

/** What somebody could have broken, and a part of what the oracle says then. */
// prettier-ignore
const FAULTS: readonly (readonly [
  what: string, change: (played: Played) => Partial<Played>, found: string,
])[] = [
  ['a line too many in the log', ({ log }) => ({ log: `${log}GET /\n` }), 'the log is not'],
  ['that something is left', ({ left }) => ({ left: left.map(leak) }), 'left at the end: held'],
  ['that it never stops', () => ({ stopped: undefined }), 'it never stopped'],
  ['a byte that nobody accounts for', without('turn'), 'bytes are missing'],
  ['a connection without an end', without('gone'), 'its last event is not gone'],
  ['a response that nobody wrote', without('write'), 'what was never written'],
  ['a turn without a place', without('queue'), 'no place in the queue'],
];

/** What was found in worlds, and mended: a client that has read everything during a slow
 * service was given up. */
const REQUESTS = ['T /slow', 'S /', 'G /large/40000'].map(
  (start) => `${start} HTTP/1.1\r\nHost:a\r\n\r\n`,
);
const sends = (text: string): Step[] => [{ do: 'send', text }];
const [SLOW = ''] = REQUESTS;
const MENDED: Script = {
  ...CALM,
  requestTimeout: 0.05,
  slowMs: 120,
  clients: [
    { ...CALM_CLIENT, outputRoom: 20_000, steps: sends(`${REQUESTS.join('')}\n`) },
    { ...CALM_CLIENT, at: 100.821, steps: sends(SLOW) },
  ],
};

/** A connection as its table sees it. */
interface Movable {
  readonly state: { readonly name: string };
  move(next: { readonly name: string }): void;
}

function leak(inspection: Inspection): Inspection {
  return { ...inspection, held: 1 };
}

function without(type: TraceEvent['type']) {
  return ({ events }: Played) => ({
    events: events.filter((event) => event.type !== type),
  });
}

/** What is seen in many worlds, and the first script whose world is not in order. */
interface Seen {
  readonly arrows: Set<string>;
  readonly ends: Set<string>;
  failed: Script | undefined;
}

/** Plays the worlds of some seeds, one after another, up to the first that is not in
 * order. */
async function playAll(first: number, count: number): Promise<Seen> {
  const seen: Seen = { arrows: new Set(), ends: new Set(), failed: undefined };
  const prototype = Connection.prototype as unknown as Movable;
  const { move } = prototype;
  prototype.move = function (next) {
    if (next.name !== this.state.name) {
      seen.arrows.add(`${this.state.name} -> ${next.name}`);
    }
    move.call(this, next);
  };
  try {
    for (let seed = first; seed < first + count; seed += 1) {
      const script = makeScript(seed);
      const played = await play(script);
      for (const event of played.events) {
        if (event.type === 'reject') seen.ends.add(`${event.error.status}`);
        if (event.type === 'close' || event.type === 'gone') {
          seen.ends.add(event.reason.replace(/[\d.]+ s/, 'N s'));
        }
      }
      if (judge(played).length === 0) continue;
      seen.failed = script;
      break;
    }
  } finally {
    prototype.move = move;
  }
  return seen;
}

describe('simulated worlds', () => {
  /** What is seen in the worlds of the first seeds. */
  let fixed: Seen;

  it(`what clients, limits and standstills do in ${FIXED} worlds is in order`, async () => {
    fixed = await playAll(1, FIXED);
    if (fixed.failed !== undefined) throw new Error(await report(fixed.failed));
  }).timeout(600_000);
  it(`it is in order in ${WORLDS} worlds that nobody has seen before, too`, async () => {
    const { failed } = await playAll(Number(SEED), Number(WORLDS));
    if (failed !== undefined) throw new Error(await report(failed));
  }).timeout(0);
  it('a connection moves along every arrow of its table, and along no other', () => {
    const arrows = Object.entries(STATES).flatMap(([from, { next }]) => {
      const to = from === 'closed' ? [] : [...Object.keys(next), 'closed'];
      return to.map((name) => `${from} -> ${name}`);
    });
    expect([...fixed.arrows].sort()).to.deep.equal(arrows.sort());
  });
  for (const [what, change, found] of FAULTS) {
    it(`the oracle notices ${what}`, async () => {
      const played = await play(makeScript(7));
      expect(judge(played)).to.deep.equal([]);
      expect(judge({ ...played, ...change(played) }).join('; ')).to.include(found);
    });
  }
  it('a world that fails is printed as a shorter one, which fails in the same way', async () => {
    const steps = [...'GET /1'].flatMap(sends);
    const clients = [
      { ...CALM_CLIENT, steps },
      { ...CALM_CLIENT, steps: [] },
    ];
    const judgeLog = ({ events }: Played): string[] =>
      events.some(({ type }) => type === 'reject') ? ['something is rejected'] : [];
    const printed = await report({ ...CALM, clients, requestTimeout: 1 }, judgeLog);
    expect(printed).to.match(/^seed 0: something is rejected\n/);
    const shortest: Script = JSON.parse(
      /play\((\{.*\})\)\)\)\.to/.exec(printed)?.[1] ?? '',
    );
    expect(shortest.clients).to.deep.equal([
      { ...CALM_CLIENT, steps: [{ do: 'send', text: 'G' }] },
    ]);
    expect(judgeLog(await play(shortest))).to.deep.equal(['something is rejected']);
  });
  it('the same seed makes the same world', async () => {
    const [first, second] = [await play(makeScript(7)), await play(makeScript(7))];
    expect(JSON.stringify(first.events)).to.equal(JSON.stringify(second.events));
  });
  it('a world that was not in order once is in order', async () => {
    expect(judge(await play(MENDED))).to.deep.equal([]);
  });
  it('in the worlds, everything happens that ends a request or a connection', () => {
    expect([...fixed.ends]).to.include.members([
      ...['400', '408', '413', '417', '431', '501', '503', '505'],
      'no request within N s of connecting',
      'no request within N s of the last response',
      'the client sends nothing more',
      'the client closed',
      'the client reset the connection',
      'the server stops',
      'the limit of requests is reached',
      'the service failed',
      'given up: nothing more could be sent to the client within N s',
      'given up: the client was silent for N s, and did not close',
    ]);
  });
});
