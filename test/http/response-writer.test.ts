import { expect } from 'chai';
import { Failure } from '../../src/http/failure';
import { refusal, ResponseWriter } from '../../src/http/response-writer';

const writer = new ResponseWriter(() => Date.UTC(1994, 10, 6, 8, 49, 37, 999));

describe('9112 §4 the response', () => {
  it('is status line, field lines and content', () => {
    expect(writer.write({ status: 200, content: '{"a":1}' }, 'GET')).to.equal(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n{"a":1}',
    );
  });
  it('says what becomes of the connection, and bears the fields of the service', () => {
    expect(writer.write({ status: 405, content: 'x', type: 'text/plain', fields: ['Allow: GET'] }, 'GET', 'close')).to.equal(
      'HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\nContent-Length: 1\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: close\r\nAllow: GET\r\n\r\nx',
    );
  });
  it('ends with the empty line for HEAD, without a Content-Length, which would be that of GET (9110 §9.3.2)', () => {
    expect(writer.write({ status: 405, content: 'xyz' }, 'HEAD')).to.equal(
      'HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n',
    );
  });
  it('has neither content nor Content-Length with 204 (9110 §8.6)', () => {
    expect(writer.write({ status: 204, content: '' }, 'OPTIONS')).to.equal('HTTP/1.1 204 No Content\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n');
  });
  it('bears a Date that moves with the clock', () => {
    let now = 0;
    const moving = new ResponseWriter(() => now);
    const same = { status: 200, content: '' } as const;
    const date = (time: number): string | undefined => {
      now = time;
      moving.tick();
      return /Date: (.*)\r\n/.exec(moving.write(same, 'GET'))?.[1];
    };
    expect([date(0), date(999), date(1000)]).to.deep.equal([
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Thu, 01 Jan 1970 00:00:00 GMT',
      'Thu, 01 Jan 1970 00:00:01 GMT',
    ]);
  });
  it('explains a refusal: the rule, where it is written, where it was broken', () => {
    const failure = new Failure(400, '9112 5.1', 'White space between a field name and the colon', 25);
    expect(refusal(failure)).to.deep.equal({
      status: 400,
      content: '{"error":"White space between a field name and the colon (RFC 9112 section 5.1), at byte 25"}',
    });
  });
});
