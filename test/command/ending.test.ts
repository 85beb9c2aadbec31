import { expect } from 'chai';
import { Ending } from '../../src/command/ending';

/** The longest that a server takes to stop. */
const STOP_MS = 800;

describe('how a program ends', () => {
  let now = 0;
  let ending = new Ending();
  beforeEach(() => {
    now = 5000;
    ending = new Ending(() => now);
  });

  it('without a signal, it has two seconds', () => {
    expect([ending.timeLeft, ending.isSignalled]).to.deep.equal([2000, false]);
  });
  it('after a signal, it has less than a second, and more than the server takes to stop', () => {
    expect(ending.signal()).to.equal('stop');
    const { timeLeft } = ending;
    expect(timeLeft).to.be.above(STOP_MS).and.below(1000);
    now += STOP_MS;
    expect([ending.timeLeft, ending.isSignalled]).to.deep.equal([timeLeft - STOP_MS, true]);
    now += 1000;
    expect(ending.timeLeft).to.equal(0);
  });
  it('a second signal within half a second is the first, and a later one ends it', () => {
    ending.signal();
    for (const [late, wish] of [
      [0, undefined],
      [100, undefined],
      [499, undefined],
      [500, 'end'],
    ]) {
      now = 5000 + Number(late);
      expect(ending.signal()).to.equal(wish);
    }
  });
});
