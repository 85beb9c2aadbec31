import { expect } from 'chai';
import { AwakeTime } from '../../src/server/awake-time';
import { Deadlines } from '../../src/server/deadlines';
import { Kernel } from '../simulation/kernel';

/** Deadlines of a fifth of a second in virtual time, and what has expired. */
function deadlinesOf(kernel: Kernel) {
  const expired: string[] = [];
  const deadlines = new Deadlines<string>(new AwakeTime(kernel), 0.2, (entry) => {
    expired.push(entry);
    if (!entry.startsWith('late')) deadlines.clear(entry);
  });
  const advance = (ms: number): Promise<void> => kernel.playUntil(kernel.time + ms);
  return { deadlines, expired, advance };
}

describe('the deadlines of a server', () => {
  it('a deadline expires at its millisecond, and is over', async () => {
    const { deadlines, expired, advance } = deadlinesOf(new Kernel());
    deadlines.start('a');
    await advance(199);
    expect([expired, deadlines.size]).to.deep.equal([[], 1]);
    await advance(1);
    expect([expired, deadlines.size]).to.deep.equal([['a'], 0]);
    await advance(1000);
    expect(expired).to.deep.equal(['a']);
  });
  it('deadlines expire in the order in which they last started', async () => {
    const { deadlines, expired, advance } = deadlinesOf(new Kernel());
    for (const entry of ['a', 'b', 'c']) deadlines.start(entry);
    deadlines.clear('c');
    await advance(1);
    deadlines.restart('a');
    await advance(199);
    expect(expired).to.deep.equal(['b']);
    await advance(1);
    expect(expired).to.deep.equal(['b', 'a']);
  });
  it('a deadline expires though all before it have, or were cleared', async () => {
    const { deadlines, expired, advance } = deadlinesOf(new Kernel());
    deadlines.start('a');
    await advance(200);
    deadlines.start('b');
    deadlines.clear('b');
    await advance(250);
    deadlines.start('c');
    await advance(199);
    expect(expired).to.deep.equal(['a']);
    await advance(1);
    expect(expired).to.deep.equal(['a', 'c']);
  });
  it('an entry that is spared keeps no other from expiring', async () => {
    const kernel = new Kernel();
    // Between the timer and what it does.
    kernel.after(200, () => kernel.soon(() => deadlines.spare('late')));
    const { deadlines, expired, advance } = deadlinesOf(kernel);
    for (const entry of ['late', 'b']) deadlines.start(entry);
    await advance(200);
    expect(expired).to.deep.equal(['b']);
    await advance(1);
    expect(expired).to.deep.equal(['b', 'late']);
  });
  it('an entry that is over is told again every millisecond, until it is cleared', async () => {
    const { deadlines, expired, advance } = deadlinesOf(new Kernel());
    deadlines.start('late');
    await advance(100);
    deadlines.start('in time');
    await advance(102);
    expect(expired).to.deep.equal(['late', 'late', 'late']);
    deadlines.clear('late');
    await advance(98);
    expect([...expired.slice(3), deadlines.size]).to.deep.equal(['in time', 0]);
  });
  it('deadlines need one timer, though each entry starts again when it has expired', async () => {
    let [waiting, most, starts] = [0, 0, 0];
    /** Counts the timers that are waiting. */
    class CountingKernel extends Kernel {
      override after(ms: number, callback: () => void): void {
        waiting += 1;
        most = Math.max(most, waiting);
        super.after(ms, () => {
          waiting -= 1;
          callback();
        });
      }
    }
    const kernel = new CountingKernel();
    const deadlines: Deadlines<number> = new Deadlines(
      new AwakeTime(kernel),
      0.2,
      (entry) => {
        starts += 1;
        if (starts < 200) deadlines.start(entry);
        else deadlines.clear(entry);
      },
    );
    for (let entry = 0; entry < 20; entry += 1) {
      deadlines.start(entry);
      await kernel.playUntil(kernel.time + 7);
    }
    await kernel.playUntil(kernel.time + 60_000);
    expect(starts).to.equal(219);
    expect(most).to.equal(1);
  });
});
