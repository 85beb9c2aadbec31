import { expect } from 'chai';
import { Failure } from '../../src/http/failure';
import { octets } from '../support/octets';
import { accept, read, readInEveryCut, refusals } from '../support/reading';

/** A POST with these field lines and what follows them. The first of them starts at byte 26. */
const post = (lines: string, rest = '', version = 'HTTP/1.1'): string => String.raw`POST / ${version}\r\nHost: a\r\n${lines}\r\n\r\n${rest}`;
const MEBI = 1_048_576;

describe('9112 §6.3 the length of the content', () => {
  it('is nought without Content-Length and Transfer-Encoding, whatever the method', () => expect(accept(post('A: x')).body).to.equal(''));

  describe('§6.2 Content-Length', () => {
    it('counts octets, of any kind', () => {
      expect(accept(post('Content-Length: 8', String.raw`a\r\n\r\n\0\xff\x80`)).body).to.equal('a\r\n\r\n\0\xff\x80');
    });
    it('may be 0', () => expect(accept(post('Content-Length: 0')).body).to.equal(''));
    it('is read for GET, too', () => {
      expect(accept(String.raw`GET / HTTP/1.1\r\nHost: a\r\ncontent-length:  3 \r\n\r\nabc`).body).to.equal('abc');
    });
    it('may be 1 MiB', () => {
      const { requests, end } = read([octets(post(`Content-Length: ${MEBI}`)), Buffer.alloc(MEBI - 1, 'x'), octets('y')]);
      expect(end).to.equal('needMore');
      expect(requests[0]?.body).to.equal(`${'x'.repeat(MEBI - 1)}y`);
    });
    refusals([
      ['empty', post('Content-Length:'), 400, '9110 8.6', 41],
      ['a sign', post('Content-Length: +5'), 400, '9110 8.6', 42],
      ['a minus', post('Content-Length: -5'), 400, '9110 8.6', 42],
      ['hexadecimal', post('Content-Length: 0x5'), 400, '9110 8.6', 43],
      ['an exponent', post('Content-Length: 1e3'), 400, '9110 8.6', 43],
      ['a fraction', post('Content-Length: 5.0'), 400, '9110 8.6', 43],
      ['an underscore', post('Content-Length: 1_0'), 400, '9110 8.6', 43],
      ['white space inside', post('Content-Length: 1 0'), 400, '9110 8.6', 43],
      ['NBSP', post(String.raw`Content-Length: 5\xa0`), 400, '9110 8.6', 43],
      ['superscript two', post(String.raw`Content-Length: \xb2`), 400, '9110 8.6', 42],
      ['a list', post('Content-Length: 5, 5'), 400, '9110 8.6', 43],
      ['a second one', post(String.raw`Content-Length: 5\r\nContent-Length: 6`), 400, '9110 8.6', 61],
      ['a second one, equal', post(String.raw`Content-Length: 5\r\nContent-Length: 5`), 400, '9110 8.6', 61],
      ['a zero in front', post('Content-Length: 05'), 400, '9110 8.6', 42],
      ['two zeros', post('Content-Length: 00'), 400, '9110 8.6', 42],
      ['16 digits', post('Content-Length: 1000000000000000'), 400, '9110 8.6', 57],
      ['10,000 digits', post(`Content-Length: ${'9'.repeat(10_000)}`), 400, '9110 8.6', 57],
    ]);
  });

  describe('9110 §15.5.14 more than 1 MiB', () => {
    it('is refused when the first octet of it comes, and not before', () => {
      const head = octets(post(`Content-Length: ${MEBI + 1}`));
      expect(read([head]).end).to.equal('needMore');
      const { end } = readInEveryCut(Buffer.concat([head, octets('x')]));
      expect(end).to.include({ status: 413, section: '9110 15.5.14', offset: head.length });
    });
    it('15 digits are still a number', () => {
      expect(read([octets(post('Content-Length: 999999999999999', 'x'))]).end).to.include({ status: 413 });
    });
  });

  describe('§6.1 Transfer-Encoding', () => {
    for (const value of ['chunked', 'CHUNKED', 'chunked,', ', ,chunked', String.raw`\tchunked\t`, String.raw`,\r\nTransfer-Encoding: chunked`]) {
      it(`takes "${value}"`, () => expect(accept(post(`Transfer-Encoding: ${value}`, String.raw`1\r\nx\r\n0\r\n\r\n`)).body).to.equal('x'));
    }
    refusals([
      ['with Content-Length behind it', post(String.raw`Transfer-Encoding: chunked\r\nContent-Length: 5`), 400, '9112 6.1', 70],
      ['with Content-Length before it', post(String.raw`Content-Length: 5\r\nTransfer-Encoding: chunked`), 400, '9112 6.1', 64],
      ['with a Content-Length that is none', post(String.raw`Content-Length: x\r\nTransfer-Encoding: gzip`), 400, '9112 6.1', 64],
      ['in HTTP/1.0', post('Transfer-Encoding: chunked', '', 'HTTP/1.0'), 400, '9112 6.1', 45],
      ['in HTTP/1.0, whatever its value', post('Transfer-Encoding: gzip, chunked', '', 'HTTP/1.0'), 400, '9112 6.1', 45],
      ['empty', post('Transfer-Encoding:'), 400, '9112 6.1', 44],
      ['commas alone', post('Transfer-Encoding: , ,'), 400, '9112 6.1', 45],
      ['identity', post('Transfer-Encoding: identity'), 400, '9112 6.3', 45],
      ['gzip', post('Transfer-Encoding: gzip'), 400, '9112 6.3', 45],
      ['chunked before another', post('Transfer-Encoding: chunked, gzip'), 400, '9112 6.3', 54],
      ['chunked twice', post('Transfer-Encoding: chunked, chunked'), 400, '9112 7.1', 54],
      ['chunked twice, in two lines', post(String.raw`Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked`), 400, '9112 7.1', 73],
      ['chunked twice with another between', post('Transfer-Encoding: chunked, gzip, chunked'), 400, '9112 7.1', 60],
      ['a parameter', post('Transfer-Encoding: chunked;a=b'), 400, '9112 7', 52],
      ['a quoted string', post('Transfer-Encoding: "chunked"'), 400, '9112 7', 45],
      ['two words', post('Transfer-Encoding: chunked chunked'), 400, '9112 7', 52],
      ['NBSP', post(String.raw`Transfer-Encoding: \xa0chunked`), 400, '9112 7', 45],
      ['xchunked', post('Transfer-Encoding: xchunked'), 400, '9112 6.3', 45],
      ['VT before it', post(String.raw`Transfer-Encoding: \x0bchunked`), 400, '9110 5.5', 45],
      ['another coding before chunked', post('Transfer-Encoding: gzip, chunked'), 501, '9112 6.1', 45],
      ['another coding before chunked, in two lines', post(String.raw`Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked`), 501, '9112 6.1', 45],
    ]);
  });

  describe('order of judgement', () => {
    refusals([
      ['Host before framing', String.raw`POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n`, 400, '9112 3.2', 36],
      ['framing before Expect', post(String.raw`Expect: x\r\nContent-Length: x`), 400, '9110 8.6', 53],
      ['Expect before content', post(String.raw`Expect: x\r\nTransfer-Encoding: chunked`, 'z'), 417, '9110 10.1.1', 34],
    ]);
    it('nothing waits for content once the header section is broken', () => {
      expect(read([octets(String.raw`POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n`)]).end).to.be.instanceOf(Failure);
    });
  });
});
