import { expect } from 'chai';
import { findFaults, RESPONSE_RULES } from '../../../src/study/probe/response-rules';
import { readResponses } from '../../../src/study/probe/responses';

const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
const OK = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\n`;
const GET = 'GET / HTTP/1.1\r\n\r\n';
const HEAD = 'HEAD / HTTP/1.1\r\n\r\n';
const OLD = 'POST / HTTP/1.0\r\n\r\n';

function faultsOf(request: string, sent: string): string[] {
  const received = readResponses(sent, request.startsWith('HEAD '), true);
  const rest = { followedAfter: undefined, hasEnded: true, problem: undefined };
  return findFaults(request, { ...received, ...rest });
}

describe('the rules for responses', () => {
  // prettier-ignore
  for (const [name, request, wrong, right] of [
    ['allow', GET, `HTTP/1.1 405 x\r\n${DATE}Content-Length: 0\r\n\r\n`,
      `HTTP/1.1 405 x\r\n${DATE}Allow:\r\nContent-Length: 0\r\n\r\n`],
    ['head-content', HEAD, `${OK}ok`, `${OK}HTTP/1.1 200 OK\r\n${DATE}\r\n`],
    ['204-content', GET, `HTTP/1.1 204 x\r\n${DATE}\r\nok`, `HTTP/1.1 204 x\r\n${DATE}\r\n`],
    ['204-length', GET, `HTTP/1.1 204 x\r\n${DATE}Content-Length: 0\r\n\r\n`, `${OK}ok`],
    ['204-coding', GET, `HTTP/1.1 204 x\r\n${DATE}Transfer-Encoding: a\r\n\r\n`, `${OK}ok`],
    ['interim-1-0', OLD, `HTTP/1.1 100 x\r\n\r\n${OK}ok`, `${OK}ok`],
    ['interim-1-0', OLD, `HTTP/1.1 100 x\r\n\r\n${OK}ok`, ''],
    ['date', GET, 'HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 500 x\r\n\r\n'],
  ] as const) {
    const rule = RESPONSE_RULES.find((one) => one.name === name);
    it(`${rule?.what} breaks the rule "${name}": ${JSON.stringify(wrong.slice(0, 40))}`, () => {
      expect(faultsOf(request, wrong)).to.deep.equal([name]);
      expect(faultsOf(request, right)).to.deep.equal([]);
    });
  }

  it('an interim response to HTTP/1.1 breaks no rule', () => {
    expect(faultsOf(GET, `HTTP/1.1 100 x\r\n\r\n${OK}ok`)).to.deep.equal([]);
  });
});
