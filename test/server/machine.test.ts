import { expect } from 'chai';
import { CONNECTION } from '../../src/server/connection';
import { IllegalTransition, next } from '../../src/server/machine';
import { SERVER } from '../../src/server/server';

describe('the machines', () => {
  it('go where the table says', () => {
    expect(next(CONNECTION, 'reading', 'complete')).to.equal('queued');
    expect(next(SERVER, 'listening', 'maximum')).to.equal('stopping');
  });
  it('throw where it has no cell: that is our own mistake', () => {
    expect(() => next(CONNECTION, 'closed', 'complete')).to.throw(IllegalTransition, '"complete" cannot happen in "closed"');
  });
  for (const [name, table, first, last] of [
    ['connection', CONNECTION, 'reading', 'closed'],
    ['server', SERVER, 'starting', 'stopped'],
  ] as const) {
    const rows = new Map<string, string[]>(Object.entries(table).map(([state, row]) => [state, Object.values(row)]));
    const reachable = (from: string): Set<string> => {
      const seen = new Set([from]);
      for (const state of seen) for (const to of rows.get(state) ?? []) seen.add(to);
      return seen;
    };
    it(`${name}: every state is reached, and the end from every state`, () => {
      expect([...reachable(first)]).to.have.members([...rows.keys()]);
      for (const state of rows.keys()) expect(reachable(state), state).to.include(last);
    });
  }
});
