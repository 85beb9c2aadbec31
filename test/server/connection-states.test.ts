import { expect } from 'chai';
import { CONNECTION, transition } from '../../src/server/connection-states';

/** Each state, with the states to which its row leads. */
const ROWS = new Map<string, readonly string[]>(
  Object.entries(CONNECTION).map(([state, row]) => [state, Object.values(row)]),
);

function reachable(from: string): Set<string> {
  const seen = new Set([from]);
  for (const state of seen) for (const next of ROWS.get(state) ?? []) seen.add(next);
  return seen;
}

describe('the table of a connection', () => {
  it('the table of a connection says where an event leads', () => {
    expect(transition('reading', 'complete')).to.equal('queued');
  });
  for (const [state, event] of [
    ['reading', 'drained'],
    ['closed', 'complete'],
  ] as const) {
    it(`the table of a connection throws on "${event}" in "${state}"`, () => {
      const act = () => transition(state, event);
      expect(act).to.throw(Error, `"${event}" cannot happen in "${state}"`);
    });
  }
  it('every state of a connection is reached', () => {
    expect([...reachable('reading')]).to.have.members([...ROWS.keys()]);
  });
  for (const state of ROWS.keys()) {
    it(`a connection can reach closed from "${state}"`, () => {
      expect([...reachable(state)]).to.include('closed');
    });
  }
  it('a client can close in every state', () => {
    const targets = Object.values(CONNECTION).map((row) => row.closed);
    expect(new Set(targets)).to.deep.equal(new Set(['closed']));
  });
  it('every transition of a connection changes something', () => {
    const idle = Object.entries(CONNECTION).flatMap(([state, row]) =>
      Object.entries(row).filter(([event, next]) => next === state && event !== 'closed'),
    );
    expect(idle).to.deep.equal([]);
  });
});
