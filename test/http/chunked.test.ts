import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import { accept, read } from '../support/reading';

const HEAD = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** A request with this content, which starts at byte 56. */
const chunked = (content: string): string => HEAD + content;
const contentOf = (content: string): string => accept(chunked(content)).body;
const END = raw`0\r\n\r\n`;

describe('chunked content (9112 §7.1)', () => {
  it('chunked content is its chunks, put together', () => {
    expect(contentOf(raw`3\r\nabc\r\n2\r\nde\r\n${END}`)).to.equal('abcde');
  });
  it('chunked content may be empty', () => expect(contentOf(END)).to.equal(''));
  it('chunk data may hold CR, LF, NUL and what looks like a request', () => {
    const content = contentOf(raw`10\r\n\r\n\r\n0\r\n\r\nGET /\0\xff\r\n${END}`);
    expect(content).to.equal('\r\n\r\n0\r\n\r\nGET /\0\xff');
  });
  it('a chunk-size is hexadecimal in either case, perhaps with leading zeros', () => {
    const content = contentOf(raw`A\r\n0123456789\r\n00b\r\n0123456789x\r\n000\r\n\r\n`);
    expect(content).to.have.lengthOf(21);
  });
  it('a chunk-size may have 16 digits', () => {
    expect(contentOf(raw`0000000000000001\r\nx\r\n0000000000000000\r\n\r\n`)).to.equal('x');
  });

  describe('may have chunk extensions (§7.1.1), which are dropped', () => {
    for (const extension of [
      ';a',
      ';a=b',
      ';a="b"',
      ' ; a = b',
      raw`\t;\ta\t=\t"b"`,
      ';a;b=c;d',
      raw`;a="x;y=\\"z\\\\"`,
      raw`;a="\t\x80 "`,
      raw`;a="\\\x80\\\t"`,
      ';a=""',
    ]) {
      it(`the chunk extension "${extension}" is dropped`, () => {
        expect(contentOf(raw`1${extension}\r\nx\r\n0${extension}\r\n\r\n`)).to.equal('x');
      });
    }
    it('a chunk line may have 1,024 bytes', () => {
      expect(contentOf(raw`1;${'a'.repeat(1022)}\r\nx\r\n${END}`)).to.equal('x');
    });
    it('the chunk extensions of a message may have 16,384 bytes in all, and not one more', () => {
      const most = raw`1;${'a'.repeat(1022)}\r\nx\r\n`.repeat(16);
      const withLast = (length: number) =>
        bytes(chunked(raw`${most}1;${'a'.repeat(length - 1)}\r\nx\r\n${END}`));
      expect(read([withLast(16)]).requests[0]?.body).to.equal('x'.repeat(17));
      const offset = HEAD.replace(/\\./g, '.').length + 16 * 1029 + 1 + 16;
      const expected = {
        status: 400,
        authority: 'our choice',
        section: '9112 7.1.1',
        offset,
      };
      expect(read([withLast(17)]).end).to.include(expected);
    });
  });

  describe('is rejected where the data of a chunk is not followed by CRLF', () => {
    it('the rejection of chunk data that a bare LF follows says so', () => {
      const { end } = read([bytes(chunked(raw`3\r\nabc\n${END}`))]);
      expect(end).to.have.property('message').that.contains('A line ends with LF');
    });
    it('chunk data that is not followed by CRLF is rejected at the first wrong byte', () => {
      const message = chunked(raw`3\r\nabcX`);
      expect(read([bytes(message)]).end).to.include({ status: 400, offset: 62 });
    });
  });

  describe('ends with a trailer section (§7.1.2)', () => {
    it('trailer fields follow the rules for field lines, and are dropped', () => {
      const trailer = raw`Content-Length: 5\r\nHost: b\r\nA:\t1\r\n`;
      const { headers, body } = accept(chunked(raw`1\r\nx\r\n0\r\n${trailer}\r\n`));
      expect(headers.map(({ name }) => name)).to.deep.equal(['Host', 'Transfer-Encoding']);
      expect(body).to.equal('x');
    });
    const lines = (count: number): string => raw`A:\r\n`.repeat(count);
    const LIMIT = 16_384;
    it('a trailer section may have 100 lines', () =>
      expect(contentOf(raw`0\r\n${lines(100)}\r\n`)).to.equal(''));
    it('a trailer section may have 16,384 bytes', () => {
      expect(contentOf(raw`0\r\nA: ${'x'.repeat(LIMIT - 5)}\r\n\r\n`)).to.equal('');
    });
  });
});
