import { expect } from 'chai';
import type { Case } from '../../../src/study/cases';
import type { Conversation } from '../../../src/study/probe/conversation';
import { interpret, isGap, judge, type Reading } from '../../../src/study/probe/reading';

const BASELINE = { statuses: [200], closes: true, isEarly: false, persists: true };

/** A conversation in which the server sends these statuses, the last one with "close" if it
 * is negative. @param followedAfter how many had arrived when the next request was sent */
function talk(
  statuses: readonly number[],
  followedAfter: number | undefined,
  hasEnded: boolean,
): Conversation {
  const responses = statuses.map((status) => ({
    status: Math.abs(status),
    persists: status > 0,
    fields: [],
  }));
  return {
    responses,
    interim: 0,
    garbage: undefined,
    followedAfter,
    hasEnded,
    problem: undefined,
  };
}

const read = (...args: Parameters<typeof talk>): Reading =>
  interpret(talk(...args), BASELINE, 'POST');

/** Says a reading in a few words. */
const say = ({ result, statuses, end, requests }: Reading): string =>
  `${result} ${requests}: ${[...statuses, end].join(' ')}`;

describe('the reading of a case', () => {
  // prettier-ignore
  for (const [why, conversation, expected] of [
    ['the next request gets its own response', talk([200, -200], 1, true),
      'accepted 1: 200 open'],
    ['there are two requests in it', talk([200, 200, -200], 1, true),
      'accepted 2: 200 200 open'],
    ['the server closes by itself', talk([-200], undefined, true), 'accepted 1: 200 closed'],
    ['the next request gets no response', talk([200], 1, false), 'accepted 1: 200 lost'],
    ['the next request completes it', talk([-200], 0, true), 'accepted 1: 200 lost'],
    ['a second request in it takes the next one', talk([200, 200], 1, false),
      'accepted 2: 200 200 lost'],
    ['the rest of it is rejected', talk([200, -400], 1, true), 'accepted 1: 200 400 closed'],
    ['it is rejected', talk([-400], undefined, true), 'rejected 0: 400 closed'],
    ['it is rejected, and the server reads on', talk([400, -200], 1, true),
      'rejected 0: 400 open'],
    ['it is rejected, but not what is in it', talk([400, 200, -200], 1, true),
      'rejected 1: 400 200 open'],
    ['the server closes without a response', talk([], 0, true), 'rejected 0: closed'],
    ['there is no response', talk([], 0, false), 'silent 0: lost'],
    ['the server says "close" and does not', talk([-200], undefined, false),
      'accepted 1: 200 unclosed'],
    ['the service has no such page', talk([404, -200], 1, true), 'accepted 1: 404 open'],
  ] as const) {
    it(`where ${why}, the reading is "${expected}"`, () => {
      expect(say(interpret(conversation, BASELINE, 'POST'))).to.equal(expected);
    });
  }

  it('a status is no rejection if a plain request gets it, too', () => {
    const forbidden = talk([403, -403], 1, true);
    expect(interpret(forbidden, BASELINE, 'POST').result).to.equal('rejected');
    const reading = interpret(forbidden, { ...BASELINE, statuses: [403] }, 'POST');
    expect(say(reading)).to.equal('accepted 1: 403 open');
  });

  describe('of a server that responds to POST before it has read the content', () => {
    const early = { ...BASELINE, isEarly: true };
    const open = talk([200, -200], 1, true);
    const closed = talk([200], 1, true);
    const both =
      'POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n';
    // prettier-ignore
    for (const [title, conversation, baseline, request, expected] of [
      ['a connection that stays open is an acceptance', open, early, 'POST',
        'accepted 1: 200 open'],
      ['a connection that closes is a rejection', closed, early, 'POST',
        'rejected 0: 200 closed'],
      ['a GET is not concerned', closed, early, 'GET', 'accepted 1: 200 closed'],
      ['nothing is clear if it closes after every POST', closed, { ...early, persists: false },
        'POST', 'unclear 0: 200 closed'],
      ['nothing is clear in HTTP/1.0', closed, early, 'POST / HTTP/1.0\r\n\r\n',
        'unclear 0: 200 closed'],
      ['nothing is clear after two lengths', closed, early, both, 'unclear 0: 200 closed'],
    ] as const) {
      it(title, () => {
        expect(say(interpret(conversation, baseline, request))).to.equal(expected);
      });
    }
  });

  it('a server that sends more than the probe reads is unreadable', () => {
    const problem = 'it sends more than 10 responses';
    const conversation = { ...talk(Array<number>(11).fill(200), 1, false), problem };
    expect(interpret(conversation, BASELINE, 'GET')).to.include({
      result: 'unreadable',
      note: problem,
    });
  });

  it('any status but 2xx is a rejection of CONNECT', () => {
    expect(interpret(talk([405, -200], 1, true), BASELINE, 'CONNECT').result).to.equal(
      'rejected',
    );
  });

  it('405 is a rejection of GET, unless a plain GET gets it', () => {
    const conversation = talk([405, -405], 1, true);
    const resultFor = (method: string, statuses: number[]): string =>
      interpret(conversation, { ...BASELINE, statuses }, method).result;
    expect(resultFor('GET', [200])).to.equal('rejected');
    expect(resultFor('GET', [405])).to.equal('accepted');
    expect(resultFor('POST', [200])).to.equal('accepted');
  });

  for (const [note, bytes] of [
    ['HTTP/2', '\0\0\x12\x04\0'],
    ['no status line', 'ok\n'],
  ] as const) {
    it(`the reading of ${JSON.stringify(bytes)} says "${note}"`, () => {
      const conversation = { ...talk([], undefined, true), garbage: bytes };
      expect(interpret(conversation, BASELINE, 'POST')).to.include({
        result: 'unreadable',
        note,
      });
    });
  }
});

const base = { name: 'a', section: '9112 6.3', what: 'b', bytes: 'c' };
const must: Case = { ...base, status: 400, authority: 'required by' };
const mustRejectOnly: Case = { ...must, section: '9112 5.1' };
const may: Case = { ...base, status: 400, authority: 'allowed by' };

describe('the verdict on a reading', () => {
  const accepted = read([200, -200], 1, true);
  const rejected = read([-400], undefined, true);
  const readOn = read([400, -200], 1, true);
  const unclear: Reading = { ...accepted, result: 'unclear', end: 'closed' };
  // prettier-ignore
  for (const [title, one, reading, expected] of [
    ['a server that accepts what it MUST reject breaks the MUST', must, accepted, 'broken'],
    ['a server that rejects it is right', must, rejected, ''],
    ['a server that reads on where it MUST close breaks the MUST', must, readOn, 'broken'],
    ['a server that reads on where it MUST only reject is right', mustRejectOnly, readOn, ''],
    ['a server that accepts what it may reject is right', may, accepted, ''],
    ['a server that rejects what is valid is wrong', base, rejected, 'rejected'],
    ['a server that accepts what is valid is right', base, accepted, ''],
    ['a server of which nothing is seen is not wrong', must, unclear, ''],
    ['a server that rejects what is valid with a status that the RFC suggests is right',
      { ...base, alsoRight: [400] }, rejected, ''],
  ] as const) {
    it(title, () => expect(judge(one, reading)).to.equal(expected));
  }
});

describe('a gap', () => {
  const one = read([200, -200], 1, true);
  const two = read([200, 200, -200], 1, true);
  const closed = read([-200], undefined, true);
  // prettier-ignore
  for (const [title, left, right, expected] of [
    ['there is a gap where two servers count differently', one, two, true],
    ['there is a gap where one of two servers loses the next request', one,
      read([200], 1, false), true],
    ['there is a gap where one of two servers rejects the rest', one,
      read([200, -400], 1, true), true],
    ['there is no gap where two servers count alike', two, two, false],
    ['there is no gap where one of two servers rejects the first request', one,
      read([-400], undefined, true), false],
    ['there is no gap where one of two servers closes, and tells nothing of the rest', one,
      closed, false],
    ['there is no gap where one server closes after the first of two requests', two, closed,
      false],
  ] as const) {
    it(title, () => {
      expect(isGap(left, right)).to.equal(expected);
      expect(isGap(right, left)).to.equal(expected);
    });
  }
});
