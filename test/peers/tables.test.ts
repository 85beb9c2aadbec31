import { expect } from 'chai';
import { REPLY_CASES, type ReplyCase } from '../../src/study/reply/cases';
import { formatClients, resultOf } from './tables';

const find = (name: string): ReplyCase => {
  const found = REPLY_CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe('the tables of clients', () => {
  // prettier-ignore
  for (const [name, printed, result] of [
    ['plain', 'hello|200|\nhello|200|\n', 'takes it'],
    ['plain', 'hel|200|\n', 'takes "hel"'],
    ['plain', '||Broken\nhello|200|\n', 'rejects'],
    ['plain', '', 'waits'],
    ['head-content', '|200|\nhello|200|\n', 'takes it'],
    ['two-responses', 'hello|200|\nleft over|200|\n', 'takes it, then "left over"'],
    ['two-responses', 'hello|200|\n||Reset\n', 'takes it'],
  ] as const) {
    it(`read ${JSON.stringify(printed)} as: ${result}`, () =>
      expect(resultOf(find(name), printed)).to.equal(result));
  }

  it('count where a client breaks a MUST or takes no valid response, and say how', () => {
    const cases = ['plain', 'content-short', 'silence'].map(find);
    const tried = (name: string, ...results: string[]) => ({
      ...{ name, version: '1.0' },
      results: new Map(cases.map((one, index) => [one, results[index] ?? ''])),
    });
    const clients = [
      tried('A', 'takes it', 'takes "hello"', 'waits'),
      tried('B', 'rejects', 'rejects', 'rejects'),
    ];
    expect(formatClients(cases, clients, new Date(0))).to.equal(
      `Tried on 1 January 1970, 2 clients, 3 cases.

| Client | MUSTs broken, of 1 | Valid responses misread, of 1 | Waits for more than 8 s |
|---|---|---|---|
| A 1.0 | 1 | 0 | 1 |
| B 1.0 | 0 | 1 | 0 |

| Case | A client | By | Instead |
|---|---|---|---|
| \`plain\` | valid | 9112 §6.3 | **rejects**: B |
| \`content-short\` | MUST reject | 9112 §6.3 | **takes "hello"**: A |`,
    );
  });
});
