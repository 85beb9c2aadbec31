import { expect } from 'chai';
import { expand, readScript } from '../../../src/study/bytes';
import { REPLY_CASES } from '../../../src/study/reply/cases';
import { judgeResponse } from '../../../src/study/reply/judgement';

describe('the cases of responses', () => {
  it('have names of their own, and are at least forty', () => {
    const names = REPLY_CASES.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length).and.at.least(40);
  });
  for (const { asks, method = 'GET', name, script } of REPLY_CASES) {
    it(`${name}: a client ${asks}, and so does the reader of responses`, () => {
      const { bytes, ending } = readScript(expand(script));
      const judged = judgeResponse(bytes, { ending, methods: [method] });
      const { forbidden, kind, responses, wrong } = judged;
      const final = responses.find(({ isInterim }) => !isInterim);
      if (asks === 'MUST reject') {
        expect(kind).to.be.oneOf(['reject', 'wait']);
        expect(wrong?.authority).to.not.equal('allowed by');
      } else if (asks === 'either') {
        if (kind === 'reject') expect(wrong?.authority).to.not.equal('required by');
      } else {
        expect(kind).to.be.oneOf(['done', 'close']);
        expect(final?.mistakes).to.deep.equal([]);
        expect(wrong).to.equal(forbidden); // after the response, if at all
      }
    });
  }
});

describe('what a client makes of a response', () => {
  // prettier-ignore
  for (const [script, methods, says] of [
    ['HTTP/1.1 200 OK\nContent-Length: 8\n\nhello', ['GET'],
      'A client takes 5 bytes of content, and waits for 3 more bytes of the content ' +
      '(RFC 9112 section 6.2).'],
    ['HTTP/1.1 200 OK\nContent-Length: 5\n\nhello', ['HEAD'],
      'A client takes 200 OK with 0 bytes of content. What follows is no response: No request ' +
      'awaits what follows (required by RFC 9112 section 9.2), at byte 38. It should close ' +
      'the connection.'],
    ['HTTP/1.1 103 Early Hints\n\n', ['GET'],
      'A client takes 103 Early Hints, an interim response. A client waits for a response ' +
      '(RFC 9112 section 2.1).'],
    ['HTTP/1.1 204 OK\n\nHTTP/1.1 200 OK¬\nConnection: close\nContent-Length: 1\n\nabc',
      ['PUT', 'GET'],
      'A client takes 204 OK with 0 bytes of content. A client takes 200 OK with 1 byte of ' +
      'content. It may reject this, too: A line ends with LF, not CRLF (allowed by RFC 9112 ' +
      'section 2.2), at byte 34. It closes the connection, and drops the last 2 bytes.'],
    ['HTTP/1.1 204 OK\n\n\n‖close‖', ['GET'],
      'A client takes 204 OK with 0 bytes of content. It closes the connection.'],
    ['HTTP/1.1 200 OK\nContent-Length: x\n\n', ['GET'],
      'A client gives up: Content-Length is not a single decimal number (required by RFC 9112 ' +
      'section 6.3), at byte 33.'],
  ] as const) {
    it(`is said in a line: ${says}`, () => {
      const { bytes, ending } = readScript(script);
      expect(judgeResponse(bytes, { ending, methods }).says).to.equal(says);
    });
  }
});
