import { expect } from 'chai';
import { STATES, type StateName } from '../../src/server/connection-states';
import { arrowsOf } from '../support/diagrams';

const NAMES = Object.keys(STATES) as StateName[];

/** @returns the states that may come after a state, and itself */
function reachable(from: StateName): StateName[] {
  const seen = new Set([from]);
  for (const state of seen) {
    for (const next of Object.keys(STATES[state].next)) seen.add(next as StateName);
  }
  return [...seen];
}

describe('the states of a connection', () => {
  it('every state is reached from "new", but for "closed", which follows any', () => {
    expect([...reachable('new'), 'closed']).to.have.members(NAMES);
  });
  it('a connection that closes handles nothing more', () => {
    expect(reachable('closing')).to.deep.equal(['closing', 'lingering']);
  });
  it('a state in which bytes are dropped leads to no state in which they are read', () => {
    for (const state of NAMES.filter((name) => STATES[name].resumedBy.length === 0)) {
      const after = reachable(state).flatMap((name) => STATES[name].resumedBy);
      expect(after, state).to.deep.equal([]);
    }
  });
  it('a state waits for something or somebody only for a limited time', () => {
    const endless = NAMES.filter((name) => STATES[name].clock === 'none');
    // The queue never waits for a client.
    expect(endless).to.deep.equal(['queued', 'closed']);
  });
  it('a state has a reaction to the end of its time exactly if it has a clock', () => {
    for (const name of NAMES) {
      const { clock, timeout } = STATES[name];
      expect(timeout === 'never', name).to.equal(clock === 'none');
    }
  });
  // What the diagram of the tour leaves out, because the page says it.
  it('new, idle and responding have the arrows of receiving; responding is never late', () => {
    const arrows = arrowsOf('receiving');
    const left = (name: StateName) => arrows.filter((one) => !arrowsOf(name).includes(one));
    expect(left('new')).to.deep.equal([]);
    expect(left('idle')).to.deep.equal([]);
    expect(left('responding')).to.deep.equal(['closing: late']);
  });
  it('the server may be stopped in every state before "closing"', () => {
    const names = NAMES.filter((name) => arrowsOf(name).includes('closing: stopped'));
    const late = reachable('closing');
    expect([...names, ...late, 'closed']).to.have.members(NAMES);
  });
});
