import { expect } from 'chai';
import { Deadlines } from '../../src/server/deadlines';
import { SYSTEM } from '../../src/server/system';
import { pause, until } from '../support/notifier';

/** Counts the timers that are waiting while something runs. It replaces setTimeout(), because
 * nothing else shows timers that only wait. */
async function countTimers(run: (waiting: () => number) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  let waiting = 0;
  globalThis.setTimeout = ((act: () => void, ms: number) => {
    waiting += 1;
    return setTimeout(() => {
      waiting -= 1;
      act();
    }, ms);
  }) as typeof setTimeout;
  try {
    await run(() => waiting);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

describe('the deadlines of a server', () => {
  it('deadlines expire in the order in which they last started', async () => {
    const expired: string[] = [];
    const deadlines = new Deadlines<string>(SYSTEM, 0.02, (entry) => expired.push(entry));
    for (const entry of ['a', 'b', 'c', 'a']) deadlines.start(entry);
    deadlines.clear('c');
    await until(() => expired.length === 2);
    expect(expired).to.deep.equal(['b', 'a']);
  });
  it('a deadline expires though all before it have, or were cleared', async () => {
    const expired: string[] = [];
    const deadlines = new Deadlines<string>(SYSTEM, 0.005, (entry) => expired.push(entry));
    deadlines.start('a');
    await until(() => expired.length === 1);
    deadlines.start('b');
    deadlines.clear('b');
    await pause(10);
    deadlines.start('c');
    await until(() => expired.length === 2);
    expect(expired).to.deep.equal(['a', 'c']);
  });
  it('deadlines need one timer, though each entry starts again when it has expired', () =>
    countTimers(async (waiting) => {
      let starts = 0;
      let most = 0;
      const deadlines: Deadlines<number> = new Deadlines(SYSTEM, 0.005, (entry) => {
        if (starts < 200) deadlines.start(entry);
        starts += 1;
        most = Math.max(most, waiting());
      });
      for (let entry = 0; entry < 20; entry += 1) {
        deadlines.start(entry);
        most = Math.max(most, waiting());
        const now = performance.now();
        await until(() => performance.now() > now + 0.5);
      }
      await until(() => starts === 220);
      expect(most).to.equal(1);
    }));
});
