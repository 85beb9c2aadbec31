import { expect } from 'chai';
import {
  EVENTS,
  REACTIONS,
  checkTransition,
  mayHappen,
  type StateName,
  type Transition,
} from '../../src/server/connection-states';

const STATES = Object.keys(REACTIONS) as StateName[];
const ALL_EVENTS: readonly Transition[] = Object.values(EVENTS);

function reachable(from: StateName): Set<StateName> {
  const seen = new Set([from]);
  for (const state of seen) {
    for (const event of ALL_EVENTS) if (mayHappen(event, state)) seen.add(event.to);
  }
  return seen;
}

describe('the states of a connection', () => {
  it('an event may happen where it says, and leads where it says', () => {
    checkTransition('reading', EVENTS.complete, 'queued');
  });
  for (const [state, event, next] of [
    ['reading', 'drained', 'queued'],
    ['closed', 'complete', 'queued'],
    ['closed', 'closed', 'closed'],
    ['reading', 'complete', 'reading'],
  ] as const) {
    it(`"${event}" cannot lead from "${state}" to "${next}"`, () => {
      const act = () => checkTransition(state, EVENTS[event], next);
      expect(act).to.throw(Error, `cannot lead from "${state}" to "${next}"`);
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
    expect(EVENTS.closed.from).to.have.members(
      STATES.filter((state) => state !== 'closed'),
    );
  });
  it('a connection that has sent everything never sends again', () => {
    expect([...reachable('lingering')]).to.have.members(['lingering', 'closed']);
  });
  it('nothing is handled after the server has stopped handling', () => {
    expect([...reachable('closing')]).to.have.members([
      'closing',
      'draining',
      'ending',
      'lingering',
      'closed',
    ]);
  });
});
