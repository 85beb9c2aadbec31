import { expect } from 'chai';
import { REPLY_CASES, type ReplyCase } from '../../src/study/reply/cases';
import { resultOf } from './tables';

const find = (name: string): ReplyCase => {
  const found = REPLY_CASES.find((one) => one.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

describe('the tables of clients', () => {
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
});
