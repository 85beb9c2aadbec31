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

// That a connection moves along every arrow, and along no other, is seen in the worlds.
describe('the states of a connection', () => {
  it('a connection that closes handles nothing more, and reads nothing more', () => {
    expect(reachable('closing')).to.deep.equal(['closing', 'lingering']);
    for (const name of reachable('closing'))
      expect(STATES[name].resumedBy).to.equal('nothing');
  });
  it('a state waits for something or somebody only for a limited time', () => {
    const endless = NAMES.filter((name) => STATES[name].clock === 'none');
    // The queue never waits for a client.
    expect(endless).to.deep.equal(['queued', 'closed']);
  });
  // What the diagram of the tour leaves out, because the page says it.
  it('new, idle and responding have the arrows of receiving; responding is never late', () => {
    const arrows = arrowsOf('receiving');
    const left = (name: StateName) => arrows.filter((one) => !arrowsOf(name).includes(one));
    expect([left('new'), left('idle')]).to.deep.equal([[], []]);
    expect(left('responding')).to.deep.equal(['closing: late']);
  });
  it('the server may be stopped in every state before "closing"', () => {
    const names = NAMES.filter((name) => arrowsOf(name).includes('closing: stopped'));
    expect([...names, ...reachable('closing'), 'closed']).to.have.members(NAMES);
  });
});
