import { expect } from 'chai';
import { Ending } from '../../src/command/run';

/** The longest that a server takes to stop. */
const STOP_MS = 800;

describe('how a program ends', () => {
  it('without a signal, it has two seconds; after one, more than a server takes to stop', () => {
    let now = 5000;
    const ending = new Ending(() => now);
    expect([ending.timeLeft, ending.isSignalled]).to.deep.equal([2000, false]);
    expect(ending.signal()).to.equal('stop');
    const { timeLeft } = ending;
    expect(timeLeft).to.be.above(STOP_MS).and.below(1000);
    now += STOP_MS;
    expect([ending.timeLeft, ending.isSignalled]).to.deep.equal([timeLeft - STOP_MS, true]);
    now += 1000;
    expect(ending.timeLeft).to.equal(0);
  });
  it('a second signal within half a second is the first, and a later one ends it', () => {
    let now = 5000;
    const ending = new Ending(() => now);
    const wishes = [5000, 5000, 5499, 5500].map((time) => {
      now = time;
      return ending.signal();
    });
    expect(wishes).to.deep.equal(['stop', undefined, undefined, 'end']);
  });
});
