import { expect } from 'chai';
import {
  EVENTS,
  REACTIONS,
  transition,
  type StateEvent,
  type StateName,
} from '../../src/server/connection-states';

const STATES = Object.keys(REACTIONS) as StateName[];
const ALL_EVENTS = Object.keys(EVENTS) as StateEvent[];

function mayHappen(state: StateName, event: StateEvent): boolean {
  return (EVENTS[event].from as readonly StateName[]).includes(state);
}

function reachable(from: StateName): Set<StateName> {
  const seen = new Set([from]);
  for (const state of seen) {
    for (const event of ALL_EVENTS) if (mayHappen(state, event)) seen.add(EVENTS[event].to);
  }
  return seen;
}

describe('the states of a connection', () => {
  it('an event says where it leads', () => {
    expect(transition('reading', 'complete')).to.equal('queued');
  });
  for (const [state, event] of [
    ['reading', 'drained'],
    ['closed', 'complete'],
    ['closed', 'closed'],
  ] as const) {
    it(`"${event}" cannot happen in "${state}"`, () => {
      const act = () => transition(state, event);
      expect(act).to.throw(Error, `"${event}" cannot happen in "${state}"`);
    });
  }
  it('every state of a connection is reached', () => {
    expect([...reachable('reading')]).to.have.members(STATES);
  });
  for (const state of STATES) {
    it(`a connection can reach closed from "${state}"`, () => {
      expect([...reachable(state)]).to.include('closed');
    });
  }
  it('a socket can close in every state but closed', () => {
    expect(EVENTS.closed.from).to.have.members(STATES.filter((state) => state !== 'closed'));
  });
  it('a connection that has sent everything never sends again', () => {
    expect([...reachable('lingering')]).to.have.members(['lingering', 'closed']);
  });
  it('nothing is handled after the server has stopped handling', () => {
    expect([...reachable('closing')]).to.have.members(['closing', 'lingering', 'closed']);
  });
});
