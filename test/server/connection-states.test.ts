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
  it('says where each event leads', () => {
    expect(transition('reading', 'complete')).to.equal('queued');
  });
  for (const [state, event] of [
    ['reading', 'drained'],
    ['closed', 'complete'],
  ] as const) {
    it(`has no cell for "${event}" in "${state}": that is our own mistake`, () => {
      const act = () => transition(state, event);
      expect(act).to.throw(Error, `"${event}" cannot happen in "${state}"`);
    });
  }
  it('reaches every state', () => {
    expect([...reachable('reading')]).to.have.members([...ROWS.keys()]);
  });
  for (const state of ROWS.keys()) {
    it(`leads from "${state}" to the end`, () => {
      expect([...reachable(state)]).to.include('closed');
    });
  }
  it('lets the client close in every state', () => {
    const targets = Object.values(CONNECTION).map((row) => row.closed);
    expect(new Set(targets)).to.deep.equal(new Set(['closed']));
  });
  it('has only transitions that change something', () => {
    const idle = Object.entries(CONNECTION).flatMap(([state, row]) =>
      Object.entries(row).filter(([event, next]) => next === state && event !== 'closed'),
    );
    expect(idle).to.deep.equal([]);
  });
});
