import { expect } from 'chai';
import type { Case } from '../../src/study/cases';
import type { Reading } from '../../src/study/probe/reading';
import { formatServers } from './table';

const must: Case = {
  name: 'a',
  section: '9112 5.1',
  what: 'A',
  bytes: '',
  status: 400,
  authority: 'required by',
};
const may: Case = { ...must, name: 'b', authority: 'allowed by' };
const valid: Case = { name: 'c', section: '9112 3', what: 'C', bytes: '' };
const read = (result: Reading['result'], ...statuses: number[]): Reading => {
  const end = result === 'accepted' ? 'open' : 'closed';
  return {
    result,
    statuses,
    end,
    requests: result === 'accepted' ? statuses.length : 0,
    note: '',
    faults: [],
  };
};

describe('the tables of other servers', () => {
  it('the tables count where servers differ, and show what is wrong by the RFC', () => {
    const ours = new Map<Case, Reading>([
      [must, read('rejected', 400)],
      [may, read('rejected', 400)],
      [valid, read('accepted', 200)],
    ]);
    const one = new Map<Case, Reading>([
      [must, read('accepted', 200)],
      [may, read('rejected', 501)],
      [valid, read('accepted', 404)],
    ]);
    const other = new Map<Case, Reading>([
      [must, read('rejected')],
      [may, read('rejected', 400)],
      [valid, read('accepted', 200, 200)],
    ]);
    const text = formatServers(
      [{ title: 'Cases', cases: [must, may, valid] }],
      ours,
      [
        { name: 'X', version: '1.2', readings: one },
        { name: 'Y', version: '3', readings: other },
      ],
      new Date('2026-11-22T12:00:00Z'),
    );
    expect(text).to.match(/^Probed on 22 November 2026, 2 servers, 3 cases\. /);
    expect(text).to.include(
      ' For example, X accepts 1 of the 1 cases that it MUST reject, and rejects 0 of the 1 ' +
        'valid ones.\n\n',
    );
    expect(text).to.include('\n| X 1.2 | 1 | 0 | 0 | none |\n| Y 3 | 0 | 0 | 0 | `c` |\n');
    expect(text).to.include('In 1 of the 3 cases all of them do what this server does.');
    expect(text).to.include(
      'In 1 some do something else, which the RFC allows. ' +
        'In 0 some reject a valid request. In 1 some accept what MUST be rejected:\n',
    );
    expect(text.slice(text.indexOf('| MUST be'))).to.equal(`| MUST be rejected | Instead |
|---|---|
| \`a\` | **200**: X |`);
  });
});
