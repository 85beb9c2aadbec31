import { expect } from 'chai';
import type { Case } from '../../../src/study/cases';
import { readResponses, type Conversation } from '../../../src/study/probe/conversation';
import { interpret, isGap, judge, type Reading } from '../../../src/study/probe/reading';
import { findFaults } from '../../../src/study/probe/response-rules';

const BASELINE = { get: 200, post: 200, closes: true, isEarly: false, persists: true };
const NOTHING = {
  responses: [],
  interim: 0,
  garbage: undefined,
  problem: undefined,
  followedAfter: undefined,
  hasEnded: true,
};

/** A conversation in which the server sends these statuses, the last one with "close" if it
 * is negative. @param followedAfter how many had arrived when the next request was sent */
function talk(
  statuses: readonly number[],
  followedAfter: number | undefined,
  hasEnded: boolean,
): Conversation {
  const responses = statuses.map((one) => {
    return { status: Math.abs(one), persists: one > 0, fields: [] };
  });
  return { ...NOTHING, responses, followedAfter, hasEnded };
}

const read = (...args: Parameters<typeof talk>): Reading =>
  interpret(talk(...args), BASELINE, 'POST');

/** Says a reading in a few words. */
const say = ({ result, statuses, end, requests }: Reading): string =>
  `${result} ${requests}: ${[...statuses, end].join(' ')}`;

const EARLY = { ...BASELINE, isEarly: true };
const OPEN = talk([200, -200], 1, true);
const CLOSED = talk([200], 1, true);
const BOTH = 'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('the reading of a case', () => {
  // prettier-ignore
  for (const [why, conversation, expected, baseline = BASELINE, request = 'POST'] of [
    ['the next request gets its own response', OPEN, 'accepted 1: 200 open'],
    ['there are two requests in it', talk([200, 200, -200], 1, true), 'accepted 2: 200 200 open'],
    ['the server closes by itself', talk([-200], undefined, true), 'accepted 1: 200 closed'],
    ['the next request gets no response', talk([200], 1, false), 'accepted 1: 200 lost'],
    ['the next request completes it', talk([-200], 0, true), 'accepted 1: 200 lost'],
    ['a second one takes the next', talk([200, 200], 1, false), 'accepted 2: 200 200 lost'],
    ['the rest of it is rejected', talk([200, -400], 1, true), 'accepted 1: 200 400 closed'],
    ['it is rejected', talk([-400], undefined, true), 'rejected 0: 400 closed'],
    ['the server reads on', talk([400, -200], 1, true), 'rejected 0: 400 open'],
    ['what is in it is not rejected', talk([400, 200, -200], 1, true), 'rejected 1: 400 200 open'],
    ['the server closes without a response', talk([], 0, true), 'rejected 0: closed'],
    ['there is no response', talk([], 0, false), 'silent 0: lost'],
    ['"close" is said, not done', talk([-200], undefined, false), 'accepted 1: 200 unclosed'],
    ['the service has no such page', talk([404, -200], 1, true), 'accepted 1: 404 open'],
    ['a plain request gets it, too', talk([403, -403], 1, true), 'accepted 1: 403 open',
      { ...BASELINE, post: 403 }],
    ['CONNECT gets no 2xx', talk([405, -200], 1, true), 'rejected 0: 405 open', BASELINE,
      'CONNECT'],
    ['GET gets 405', talk([405, -200], 1, true), 'rejected 0: 405 open', BASELINE, 'GET'],
    // A server that responds to POST before it has read the content.
    ['it is early, and stays open', OPEN, 'accepted 1: 200 open', EARLY],
    ['it is early, and closes', CLOSED, 'rejected 0: 200 closed', EARLY],
    ['it is a GET', CLOSED, 'accepted 1: 200 closed', EARLY, 'GET'],
    ['it always closes', CLOSED, 'unclear 0: 200 closed', { ...EARLY, persists: false }],
    ['it is HTTP/1.0', CLOSED, 'unclear 0: 200 closed', EARLY, 'POST / HTTP/1.0\r\n\r\n'],
    ['it has two lengths', CLOSED, 'unclear 0: 200 closed', EARLY, BOTH],
    ['HTTP/2 comes', { ...NOTHING, garbage: '\0\0\x12\x04\0' }, 'unreadable 0: closed'],
    ['there was a problem', { ...OPEN, problem: 'why' }, 'unreadable 0: closed'],
  ] as const) {
    it(`where ${why}, the reading is "${expected}"`, () => {
      expect(say(interpret(conversation, baseline, request))).to.equal(expected);
    });
  }
});

const base = { name: 'a', section: '9112 6.3', what: 'b', bytes: 'c' };
const must: Case = { ...base, status: 400, authority: 'required by' };
const may: Case = { ...base, status: 400, authority: 'allowed by' };
const accepted = read([200, -200], 1, true);
const rejected = read([-400], undefined, true);
const readOn = read([400, -200], 1, true);

describe('the verdict on a reading', () => {
  // prettier-ignore
  for (const [title, one, reading, expected] of [
    ['accepts what it MUST reject breaks the MUST', must, accepted, 'broken'],
    ['rejects it is right', must, rejected, ''],
    ['reads on where it MUST close breaks the MUST', must, readOn, 'broken'],
    ['reads on where it MUST only reject is right', { ...must, section: '9112 5.1' }, readOn, ''],
    ['accepts what it may reject is right', may, accepted, ''],
    ['rejects what is valid is wrong', base, rejected, 'rejected'],
    ['accepts what is valid is right', base, accepted, ''],
    ['rejects it as the RFC suggests is right', { ...base, alsoRight: [400] }, rejected, ''],
    ['shows nothing is not wrong', must, { ...accepted, result: 'unclear', end: 'closed' }, ''],
  ] as const) {
    it(`a server that ${title}`, () => expect(judge(one, reading)).to.equal(expected));
  }
});

describe('a gap', () => {
  const two = read([200, 200, -200], 1, true);
  const closed = read([-200], undefined, true);
  // prettier-ignore
  for (const [title, left, right, expected] of [
    ['there is one where two servers count differently', accepted, two, true],
    ['there is one where one loses the next request', accepted, read([200], 1, false), true],
    ['there is one where one rejects the rest', accepted, read([200, -400], 1, true), true],
    ['there is none where two count alike', two, two, false],
    ['there is none where one rejects the first request', accepted, rejected, false],
    ['there is none where one closes, and tells nothing of the rest', accepted, closed, false],
    ['there is none where one closes after the first of two', two, closed, false],
  ] as const) {
    it(title, () => {
      expect(isGap(left, right)).to.equal(expected);
      expect(isGap(right, left)).to.equal(expected);
    });
  }
});

const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
const OK = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\n`;
const NO_CONTENT = `HTTP/1.1 204 x\r\n${DATE}`;
const UNTIL_CLOSE = `HTTP/1.1 200 OK\r\n${DATE}\r\nok`;
const LAST = OK.replace('\r\n', '\r\nConnection: close\r\n');

describe('the responses of a probed server', () => {
  for (const [what, text, statuses, garbage, method = 'GET', hasEnded = true] of [
    ['no interim one', `HTTP/1.1 100 Continue\r\n\r\n${OK}ok`, [200], undefined],
    ['content after one to HEAD', `${OK}ok`, [200], 'ok', 'HEAD'],
    ['one that follows "close"', `${LAST}ok${OK}ok`, [200, 200], undefined],
    ['none that may go on', UNTIL_CLOSE, [], undefined, 'GET', false],
    ['none that is cut in its first line', 'HTTP/1.1 20', [], 'HTTP/1.1 20'],
    ['none that is cut after it', 'HTTP/1.1 200 OK\r\n', [], undefined],
    ['HTTP/2', `${OK}okHTTP/2 200\r\n\r\n`, [200], 'HTTP/2 200\r\n\r\n', 'GET', false],
  ] as const) {
    it(`are read as ${what}`, () => {
      const found = readResponses(text, `${method} / HTTP/1.1`, hasEnded);
      expect(found.responses.map(({ status }) => status)).to.deep.equal(statuses);
      expect(found.garbage).to.equal(garbage);
    });
  }

  // prettier-ignore
  for (const [name, wrong, right, request = 'GET / HTTP/1.1\r\n\r\n'] of [
    ['allow', `HTTP/1.1 405 x\r\n${DATE}\r\n`, `HTTP/1.1 405 x\r\n${DATE}Allow:\r\n\r\n`],
    ['head-content', `${OK}ok`, `${OK}${OK}`, 'HEAD / HTTP/1.1\r\n\r\n'],
    ['204-content', `${NO_CONTENT}\r\nok`, `${NO_CONTENT}\r\n`],
    ['204-length', `${NO_CONTENT}Content-Length: 0\r\n\r\n`, `${OK}ok`],
    ['204-coding', `${NO_CONTENT}Transfer-Encoding: a\r\n\r\n`, `${OK}ok`],
    ['interim-1-0', `HTTP/1.1 100 x\r\n\r\n${OK}ok`, `${OK}ok`, 'POST / HTTP/1.0\r\n\r\n'],
    ['date', 'HTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 500 x\r\n\r\n'],
    ['', `HTTP/1.1 100 x\r\n\r\n${OK}ok`, ''],
  ] as const) {
    it(`break ${name ? `the rule "${name}"` : 'no rule'}: ${JSON.stringify(wrong)}`, () => {
      for (const [sent, faults] of [[wrong, name ? [name] : []], [right, []]] as const) {
        const conversation = { ...NOTHING, ...readResponses(sent, request, true) };
        expect(findFaults(request, conversation)).to.deep.equal(faults);
      }
    });
  }
});
