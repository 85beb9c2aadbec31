import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import { accept, read } from '../support/reading';

/** A POST with these field lines, and what follows them. The first line starts at byte
 * 26. */
const post = (lines: string, rest = '', version = 'HTTP/1.1'): string =>
  raw`POST / ${version}\r\nHost: a\r\n${lines}\r\n\r\n${rest}`;

describe('the length of the content (9112 §6.3)', () => {
  it('without Content-Length and Transfer-Encoding, a request has no content', () => {
    expect(accept(post('A: x')).body).to.equal('');
  });

  describe('is Content-Length (9112 §6.2)', () => {
    it('Content-Length counts bytes of any kind', () => {
      const content = raw`a\r\n\r\n\0\xff\x80`;
      expect(accept(post('Content-Length: 8', content)).body).to.equal(
        'a\r\n\r\n\0\xff\x80',
      );
    });
    it('Content-Length may be 0', () =>
      expect(accept(post('Content-Length: 0')).body).to.equal(''));
    it('Content-Length counts for GET, too', () => {
      const message = raw`GET / HTTP/1.1\r\nHost: a\r\ncontent-length:  3 \r\n\r\nabc`;
      expect(accept(message).body).to.equal('abc');
    });

    it('Content-Length may have 15 digits', () => {
      const message = post('Content-Length: 999999999999999', 'x');
      expect(read([bytes(message)]).end).to.include({ status: 413 });
    });
  });

  describe('is the sum of the chunks, with Transfer-Encoding (9112 §6.1)', () => {
    for (const value of [
      'chunked',
      'CHUNKED',
      'chunked,',
      ', ,chunked',
      raw`\tchunked\t`,
      raw`,\r\nTransfer-Encoding: chunked`,
    ]) {
      it(`the content is in chunks with Transfer-Encoding: ${value}`, () => {
        const message = post(`Transfer-Encoding: ${value}`, raw`1\r\nx\r\n0\r\n\r\n`);
        expect(accept(message).body).to.equal('x');
      });
    }
  });

  describe('is judged after Host and before Expect', () => {
    it('a wrong header section is rejected without waiting for content', () => {
      const message = raw`POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n`;
      expect(read([bytes(message)]).end).to.include({ status: 400, section: '9112 3.2' });
    });
  });
});
