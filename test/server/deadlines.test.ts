import { expect } from 'chai';
import { Deadlines } from '../../src/server/deadlines';
import { until } from '../support/notifier';

function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}

describe('the deadlines of a server', () => {
  it('expire in the order in which they started, those that started again later', async () => {
    const expired: string[] = [];
    const deadlines = new Deadlines<string>(0.02, (entry) => expired.push(entry));
    for (const entry of ['a', 'b', 'c', 'a']) deadlines.start(entry);
    deadlines.clear('c');
    await until(() => expired.length === 2);
    expect(expired).to.deep.equal(['b', 'a']);
  });
  it('need one timer, though each entry starts again when it has expired', async () => {
    const before = timers();
    let starts = 0;
    let most = 0;
    const deadlines: Deadlines<number> = new Deadlines(0.005, (entry) => {
      most = Math.max(most, timers() - before);
      if (starts < 200) deadlines.start(entry);
      starts += 1;
    });
    for (let entry = 0; entry < 20; entry += 1) {
      deadlines.start(entry);
      const now = performance.now();
      await until(() => performance.now() > now + 0.5);
    }
    await until(() => starts === 220);
    // The one that has just expired, and perhaps the next.
    expect(most).to.be.at.most(2);
  });
});
