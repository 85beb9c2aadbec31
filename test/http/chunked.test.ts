import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import { accept, messages, read, rejections } from '../support/reading';

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

  describe('is rejected with a wrong chunk line', () => {
    const size = (why: string, line: string, offset: number) =>
      [why, chunked(raw`${line}\r\nx`), 400, 'allowed by', '9112 7.1', offset] as const;
    const limit = (why: string, line: string, section: string, offset: number) =>
      [why, chunked(raw`${line}\r\nx`), 400, 'our choice', section, offset] as const;
    const extension = (why: string, line: string, offset: number) =>
      [why, chunked(raw`${line}\r\nx`), 400, 'allowed by', '9112 7.1.1', offset] as const;
    rejections('rejects a chunk line with …', [
      size('no size', '', 56),
      size('no size before an extension', ';a', 56),
      size('SP before the size', ' 1', 56),
      size('a plus', '+1', 56),
      size('a minus', '-1', 56),
      size('0x1', '0x1', 57),
      size('an underscore', '1_0', 57),
      size('a letter that is not a digit', '1g', 57),
      size('a letter instead of a digit', 'g', 56),
      limit('17 digits', '00000000000000001', '9112 7.1', 72),
      limit('2^53', '20000000000000', '9112 7.1', 69),
      limit('2^53 after two zeros', '0020000000000000', '9112 7.1', 71),
      limit('2^57 - 1 after a zero', '01ffffffffffffff', '9112 7.1', 71),
      limit('16 times F', 'FFFFFFFFFFFFFFFF', '9112 7.1', 69),
      limit('more than 1,024 bytes', `1;${'a'.repeat(1023)}`, '9112 7.1.1', 56 + 1024),
      limit(
        'an extension that never ends',
        `1;${'a'.repeat(5000)}`,
        '9112 7.1.1',
        56 + 1024,
      ),
      limit('a size that never ends', '0'.repeat(5000), '9112 7.1', 72),
      extension('SP before CRLF', '1 ', 58),
      extension('HTAB before CRLF', raw`1\t`, 58),
      extension('a second word', '1 2', 58),
      extension('an empty extension', '1;', 58),
      extension('two semicolons', '1;;a', 58),
      extension('"=" and no value', '1;a=', 60),
      extension('a value without a name', '1;=a', 58),
      extension('SP after an extension name', '1;a ', 60),
      extension('SP after an extension', '1;a=b ', 62),
      extension('two words in an extension', '1;a b', 60),
      extension('an open quotation', '1;a="b', 62),
      extension('a backslash at the end of a quotation', raw`1;a="\\`, 62),
      extension('text after a quotation', '1;a="b"c', 63),
      extension('obs-text in a name', raw`1;\x80`, 58),
    ]);
  });

  describe('is rejected at a control character in a chunk line, before the line ends', () => {
    const control = (why: string, line: string, section: string, offset: number) =>
      [why, chunked(line), 400, 'allowed by', section, offset] as const;
    rejections('rejects a chunk line with …', [
      control('NUL for a size', raw`\0`, '9112 7.1', 56),
      control('NUL after the size', raw`1\0`, '9112 7.1', 57),
      control('NUL in an extension', raw`1;a\0`, '9112 7.1.1', 59),
      control('NUL in a quotation', raw`1;a="\0`, '9112 7.1.1', 61),
      control('DEL in a quotation', raw`1;a="\x7f`, '9112 7.1.1', 61),
      control('a control character after a backslash', raw`1;a="\\\x01`, '9112 7.1.1', 62),
      control('a bare CR after the size', raw`1\rx`, '9112 2.2', 57),
      control('a bare CR in an extension', raw`1;a\rx`, '9112 2.2', 59),
      control('a bare LF after the size', raw`1\n`, '9112 7.1', 57),
      control('a bare LF in an extension', raw`1;a\n`, '9112 7.1', 59),
      control('a bare LF in a quotation', raw`1;a="\n`, '9112 7.1', 61),
      control('a bare LF after a backslash', raw`1;a="\\\n`, '9112 7.1', 62),
      control('only a bare LF', raw`\n`, '9112 7.1', 56),
    ]);
  });

  describe('is rejected where the data of a chunk is not followed by CRLF', () => {
    const data = (why: string, content: string, offset: number) =>
      [why, chunked(content), 400, 'allowed by', '9112 7.1', offset] as const;
    rejections('rejects chunk data that is followed by …', [
      data('one byte too many', raw`3\r\nabcd\r\n${END}`, 62),
      data('two bytes of anything', raw`3\r\nabcXY0\r\n\r\n`, 62),
      data('CRLF one byte too early', raw`3\r\nab\r\n${END}`, 62),
      data('a bare LF', raw`3\r\nabc\n${END}`, 62),
      data('a bare CR', raw`3\r\nabc\r0\r\n\r\n`, 63),
      data('the next chunk', raw`3\r\nabc${END}`, 62),
    ]);
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
    const trailer = (
      why: string,
      text: string,
      authority: 'required by' | 'allowed by',
      section: string,
      offset: number,
    ) => [why, chunked(raw`0\r\n${text}`), 400, authority, section, offset] as const;
    rejections('rejects a trailer section with …', [
      trailer('SP before the colon', raw`A : x\r\n\r\n`, 'allowed by', '9112 5.1', 60),
      trailer(
        'white space before the first field line',
        raw` A: x\r\n\r\n`,
        'allowed by',
        '9112 7.1.2',
        59,
      ),
      trailer('obs-fold', raw`A: x\r\n y\r\n\r\n`, 'allowed by', '9112 5.2', 65),
      trailer('no colon', raw`A x\r\n`, 'allowed by', '9112 5', 60),
      trailer(
        'a request in its place',
        raw`GET / HTTP/1.1\r\n`,
        'allowed by',
        '9112 5',
        62,
      ),
      trailer('an empty name', raw`: x\r\n`, 'allowed by', '9110 5.1', 59),
      trailer('NUL', raw`A: \0\r\n\r\n`, 'allowed by', '9110 5.5', 62),
      trailer('a bare LF', raw`A: x\n`, 'allowed by', '9112 2.2', 63),
      trailer('a bare LF for the empty line', raw`\n`, 'allowed by', '9112 2.2', 59),
      trailer('a bare CR for the empty line', raw`\rX`, 'allowed by', '9112 2.2', 59),
      ['101 lines', chunked(raw`0\r\n${lines(101)}\r\n`), 431, 'our choice', '6585 5', 459],
      [
        '16,385 bytes',
        chunked(raw`0\r\nA: ${'x'.repeat(LIMIT - 4)}\r\n\r\n`),
        431,
        'our choice',
        '6585 5',
        59 + LIMIT,
      ],
      [
        'a field that never ends',
        chunked(raw`0\r\nA: ${'x'.repeat(17_000)}`),
        431,
        'our choice',
        '6585 5',
        59 + LIMIT,
      ],
    ]);
  });

  describe('when rejected, says what a chunk line is', () => {
    messages([
      [
        chunked(raw`1\n`),
        'A line ends with LF, not CRLF (allowed by RFC 9112 section 7.1), at byte 57; ' +
          'a terminal sends only LF (nc -C sends CRLF)',
      ],
      [
        chunked(raw`0x1\r\n`),
        'A chunk line is not a size in hex and perhaps extensions ' +
          '(allowed by RFC 9112 section 7.1), at byte 57',
      ],
      [
        chunked(raw`g\r\n`),
        'A chunk does not start with its size in hex ' +
          '(allowed by RFC 9112 section 7.1), at byte 56',
      ],
      [
        chunked(raw`3\r\nabcd`),
        'The data of a chunk is not followed by CRLF ' +
          '(allowed by RFC 9112 section 7.1), at byte 62; ' +
          'the size of this chunk said 3 bytes: did it have more?',
      ],
    ]);
  });
});
