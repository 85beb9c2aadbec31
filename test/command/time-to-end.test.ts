import { expect } from 'chai';
import { timeToEnd } from '../../src/command/time-to-end';

/** The longest that a server takes to stop. */
const STOP_MS = 800;

describe('the time that a process has to end', () => {
  it('is two seconds after the last request, whenever that was', () => {
    expect(timeToEnd(undefined, 0)).to.equal(2000);
    expect(timeToEnd(undefined, 60_000)).to.equal(2000);
  });
  it('is less than a second after a signal, and more than the server takes to stop', () => {
    const all = timeToEnd(5000, 5000);
    expect(all).to.be.above(STOP_MS).and.below(1000);
    expect(timeToEnd(5000, 5000 + STOP_MS)).to.equal(all - STOP_MS);
    expect(timeToEnd(5000, 6000)).to.equal(0);
  });
});
