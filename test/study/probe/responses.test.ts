import { expect } from 'chai';
import { readResponses } from '../../../src/study/probe/responses';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\n\r\nok';
const CUT = OK.slice(0, -1);
const LAST = OK.replace('\r\n', '\r\nConnection: close\r\n');

describe('the responses of a probed server', () => {
  // prettier-ignore
  for (const [what, text, isHead, hasEnded, statuses, garbage] of [
    ['two in a row', OK + OK, false, false, [200, 200], undefined],
    ['no interim one', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, false, false, [200], undefined],
    ['one to HEAD', OK.slice(0, -2) + OK, true, false, [200, 200], undefined],
    ['content after one to HEAD', OK, true, false, [200], 'ok'],
    ['one that follows "close"', LAST + OK, false, true, [200, 200], undefined],
    ['none that may go on', UNTIL_CLOSE, false, false, [], undefined],
    ['one that the end ends', UNTIL_CLOSE, false, true, [200], undefined],
    ['none that is cut', CUT, false, true, [], undefined],
    ['none that is cut in its first line', 'HTTP/1.1 20', false, true, [], 'HTTP/1.1 20'],
    ['TLS', '\x15\x03\x03', false, true, [], '\x15\x03\x03'],
    ['HTTP/2', `${OK}HTTP/2 200\r\n\r\n`, false, false, [200], 'HTTP/2 200\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 x\r\n', false, true, [], 'HTTP/1.1 2000 x\r\n'],
  ] as const) {
    it(`are read as ${what}`, () => {
      const { responses, ...rest } = readResponses(text, isHead, hasEnded);
      expect(responses.map(({ status }) => status)).to.deep.equal(statuses);
      expect(rest.garbage).to.equal(garbage);
    });
  }
});
