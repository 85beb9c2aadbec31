import { expect } from 'chai';
import { judge } from './oracle';
import { play } from './play';
import { makeScript } from './script';
import { report } from './shrink';

const FIXED = 1000;
const FRESH = 100;

/** Plays the worlds of some seeds, one after another. */
async function playAll(first: number, count: number): Promise<void> {
  for (let seed = first; seed < first + count; seed += 1) {
    const script = makeScript(seed);
    if (judge(await play(script)).length > 0) throw new Error(await report(script));
  }
}

describe('simulated worlds', () => {
  it(`what clients, limits and standstills do in ${FIXED} worlds is in order`, async () => {
    await playAll(1, FIXED);
  }).timeout(600_000);
  it(`it is in order in ${FRESH} worlds that nobody has seen before, too`, async () => {
    await playAll(Math.floor(Math.random() * 2 ** 31), FRESH);
  }).timeout(600_000);
  it('the same seed makes the same world', async () => {
    const [first, second] = [await play(makeScript(7)), await play(makeScript(7))];
    expect(first.events.length).to.be.above(100);
    expect(first.log).to.equal(second.log);
    expect(JSON.stringify(first.events)).to.equal(JSON.stringify(second.events));
  });
  it('in the worlds, everything happens that ends a request or a connection', async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= 200; seed += 1) {
      for (const event of (await play(makeScript(seed))).events) {
        if (event.type === 'reject') seen.add(`${event.error.status}`);
        if (event.type === 'close' || event.type === 'gone') {
          seen.add(event.reason.replace(/[\d.]+ s/, 'N s'));
        }
      }
    }
    expect([...seen]).to.include.members([
      ...['400', '408', '413', '417', '431', '501', '503', '505'],
      'no request within N s of connecting',
      'no request within N s of the last response',
      'the client sends nothing more',
      'the client closed',
      'the client reset the connection',
      'the server stops',
      'the limit of requests is reached',
      'the service failed',
      'gave up: nothing more could be sent to the client within N s',
      'gave up: the client did not close its side within N s',
    ]);
  });
});
