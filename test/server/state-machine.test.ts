import { expect } from 'chai';
import { CONNECTION } from '../../src/server/connection-states';
import { transition } from '../../src/server/state-machine';

/** Each state, with the states to which its row leads. */
const ROWS = new Map<string, readonly string[]>(
  Object.entries(CONNECTION).map(([state, row]) => [state, Object.values(row)]),
);

function reachable(from: string): Set<string> {
  const seen = new Set([from]);
  for (const state of seen) for (const next of ROWS.get(state) ?? []) seen.add(next);
  return seen;
}

describe('a state machine', () => {
  const LAMP = { off: { press: 'on' }, on: { press: 'off', burn: 'broken' }, broken: {} } as const;

  it('goes where its table says', () => {
    expect(transition<keyof typeof LAMP>(LAMP, 'off', 'press')).to.equal('on');
    expect(transition<keyof typeof LAMP>(LAMP, 'on', 'burn')).to.equal('broken');
  });
  for (const [state, event] of [['off', 'burn'], ['broken', 'press']] as const) {
    it(`throws where its table has no cell: "${event}" in "${state}"`, () => {
      const act = () => transition<keyof typeof LAMP>(LAMP, state, event);
      expect(act).to.throw(Error, `"${event}" cannot happen in "${state}"`);
    });
  }
});

describe('the table of a connection', () => {
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
