import { expect } from 'chai';
import { CHUNKED } from '../../src/http/chunked';
import { octets } from '../support/octets';
import { accept, read, refusals } from '../support/reading';

const HEAD = String.raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
/** The octets of the chunked body start at byte 56. */
const chunked = (body: string): string => HEAD + body;
const body = (text: string): string => accept(chunked(text)).body;
const END = String.raw`0\r\n\r\n`;
const MEBI = 1_048_576;

describe('9112 §7.1 chunked content', () => {
  it('is its chunks put together', () => expect(body(String.raw`3\r\nabc\r\n2\r\nde\r\n${END}`)).to.equal('abcde'));
  it('may be empty', () => expect(body(END)).to.equal(''));
  it('may hold CR, LF, NUL and what looks like a request', () => {
    expect(body(String.raw`10\r\n\r\n\r\n0\r\n\r\nGET /\0\xff\r\n${END}`)).to.equal('\r\n\r\n0\r\n\r\nGET /\0\xff');
  });
  it('has hexadecimal sizes in either case, with zeros in front', () => expect(body(String.raw`A\r\n0123456789\r\n00b\r\n0123456789x\r\n000\r\n\r\n`)).to.have.lengthOf(21));
  it('has sizes of 16 digits', () => expect(body(String.raw`0000000000000001\r\nx\r\n0000000000000000\r\n\r\n`)).to.equal('x'));

  describe('the chunk line', () => {
    for (const extension of [';a', ';a=b', ';a="b"', ' ; a = b', String.raw`\t;\ta\t=\t"b"`, ';a;b=c;d', ';a="x;y=\\\\"z\\\\\\\\"', String.raw`;a="\t\x80 "`, ';a=""']) {
      it(`may have the extension ${extension}`, () => {
        expect(body(String.raw`1${extension}\r\nx\r\n0${extension}\r\n\r\n`)).to.equal('x');
      });
    }
    refusals([
      ['no size', chunked(String.raw`\r\nx`), 400, '9112 7.1', 56],
      ['no size before an extension', chunked(String.raw`;a\r\n`), 400, '9112 7.1', 56],
      ['SP before the size', chunked(String.raw` 1\r\nx`), 400, '9112 7.1', 56],
      ['a sign', chunked(String.raw`+1\r\nx`), 400, '9112 7.1', 56],
      ['a minus', chunked(String.raw`-1\r\nx`), 400, '9112 7.1', 56],
      ['0x1', chunked(String.raw`0x1\r\nx`), 400, '9112 7.1', 57],
      ['an underscore', chunked(String.raw`1_0\r\nx`), 400, '9112 7.1', 57],
      ['a digit that is none', chunked(String.raw`1g\r\nx`), 400, '9112 7.1', 57],
      ['SP before CRLF', chunked(String.raw`1 \r\nx`), 400, '9112 7.1', 58],
      ['HTAB before CRLF', chunked(String.raw`1\t\r\nx`), 400, '9112 7.1', 58],
      ['17 digits', chunked(String.raw`00000000000000001\r\nx`), 400, '9112 7.1', 72],
      ['2^53', chunked(String.raw`20000000000000\r\nx`), 400, '9112 7.1', 69],
      ['16 times F', chunked(String.raw`FFFFFFFFFFFFFFFF\r\nx`), 400, '9112 7.1', 69],
      ['an empty extension', chunked(String.raw`1;\r\nx`), 400, '9112 7.1', 58],
      ['two semicolons', chunked(String.raw`1;;a\r\nx`), 400, '9112 7.1', 58],
      ['an extension without a value', chunked(String.raw`1;a=\r\nx`), 400, '9112 7.1', 60],
      ['a value without a name', chunked(String.raw`1;=a\r\nx`), 400, '9112 7.1', 58],
      ['SP after an extension name', chunked(String.raw`1;a \r\nx`), 400, '9112 7.1', 60],
      ['SP after an extension', chunked(String.raw`1;a=b \r\nx`), 400, '9112 7.1', 62],
      ['two words', chunked(String.raw`1;a b\r\nx`), 400, '9112 7.1', 60],
      ['an open quotation', chunked(String.raw`1;a="b\r\nx`), 400, '9112 7.1', 62],
      ['something behind a quotation', chunked(String.raw`1;a="b"c\r\nx`), 400, '9112 7.1', 63],
      ['NUL in an extension', chunked(String.raw`1;a\0\r\nx`), 400, '9112 7.1', 59],
      ['NUL in a quotation', chunked(String.raw`1;a="\0"\r\nx`), 400, '9112 7.1', 61],
      ['DEL in a quotation', chunked(String.raw`1;a="\x7f"\r\nx`), 400, '9112 7.1', 61],
      ['a control octet behind a backslash', chunked(String.raw`1;a="\\\x01"\r\nx`), 400, '9112 7.1', 62],
      ['obs-text in a name', chunked(String.raw`1;\x80\r\nx`), 400, '9112 7.1', 58],
      ['a bare CR', chunked(String.raw`1\rx`), 400, '9112 2.2', 57],
      ['a bare CR in an extension', chunked(String.raw`1;a\rx`), 400, '9112 2.2', 59],
      ['a bare LF', chunked(String.raw`1\nx\r\n`), 400, '9112 2.2', 57],
      ['a bare LF in an extension', chunked(String.raw`1;a\nx`), 400, '9112 2.2', 59],
      ['a bare LF for a line', chunked(String.raw`\n`), 400, '9112 2.2', 56],
      ['more than 1,024 octets', chunked(`1;${'a'.repeat(1023)}\\r\\nx`), 400, '9112 7.1', 1080],
    ]);
    it('has at most 1,024 octets', () => expect(body(`1;${'a'.repeat(1022)}\\r\\nx\\r\\n${END}`)).to.equal('x'));
    it('has at most 16,384 octets of extensions in one message', () => {
      const chunk = `1;${'a'.repeat(1022)}\\r\\nx\\r\\n`;
      const all = chunk.repeat(16);
      expect(read([octets(chunked(all + String.raw`1;aaaaaaaaaaaaaaa\r\nx\r\n${END}`))]).requests[0]?.body).to.equal('x'.repeat(17));
      expect(read([octets(chunked(all + String.raw`1;aaaaaaaaaaaaaaaa\r\nx\r\n${END}`))]).end).to.include({ status: 400, section: '9112 7.1' });
    });
  });

  describe('the data of a chunk is followed by exactly CRLF', () => {
    refusals([
      ['one octet too many', chunked(String.raw`3\r\nabcd\r\n${END}`), 400, '9112 7.1', 62],
      ['two octets of anything', chunked(String.raw`3\r\nabcXY0\r\n\r\n`), 400, '9112 7.1', 62],
      ['one octet too few', chunked(String.raw`3\r\nab\r\n${END}`), 400, '9112 7.1', 62],
      ['LF alone', chunked(String.raw`3\r\nabc\n${END}`), 400, '9112 7.1', 62],
      ['CR alone', chunked(String.raw`3\r\nabc\r0\r\n\r\n`), 400, '9112 7.1', 63],
      ['nothing', chunked(String.raw`3\r\nabc${END}`), 400, '9112 7.1', 62],
    ]);
    it('is refused at the first wrong octet, before a second one comes', () => {
      expect(read([octets(chunked(String.raw`3\r\nabcX`))]).end).to.include({ status: 400, offset: 62 });
    });
  });

  describe('the trailer section', () => {
    it('is read by the rules for field lines and dropped', () => {
      const { headers, body } = accept(chunked(String.raw`1\r\nx\r\n0\r\nContent-Length: 5\r\nHost: b\r\nA:\t1\r\n\r\n`));
      expect(headers.map(({ name }) => name)).to.deep.equal(['Host', 'Transfer-Encoding']);
      expect(body).to.equal('x');
    });
    const lines = (count: number): string => String.raw`A:\r\n`.repeat(count);
    it('has at most 100 lines', () => expect(body(String.raw`0\r\n${lines(100)}\r\n`)).to.equal(''));
    refusals([
      ['SP before the colon', chunked(String.raw`0\r\nA : x\r\n\r\n`), 400, '9112 5.1', 60],
      ['white space first', chunked(String.raw`0\r\n A: x\r\n\r\n`), 400, '9112 2.2', 59],
      ['obs-fold', chunked(String.raw`0\r\nA: x\r\n y\r\n\r\n`), 400, '9112 5.2', 65],
      ['NUL', chunked(String.raw`0\r\nA: \0\r\n\r\n`), 400, '9110 5.5', 62],
      ['a request in its place', chunked(String.raw`0\r\nGET / HTTP/1.1\r\n`), 400, '9112 5.1', 62],
      ['LF for the empty line', chunked(String.raw`0\r\n\n`), 400, '9112 2.2', 59],
      ['a bare CR for the empty line', chunked(String.raw`0\r\n\rX`), 400, '9112 2.2', 59],
      ['101 lines', chunked(String.raw`0\r\n${lines(101)}\r\n`), 431, '6585 5', 459],
      ['over 16,384 octets', chunked(String.raw`0\r\nA: ${'x'.repeat(17_000)}`), 431, '6585 5', 59 + 16_384],
    ]);
  });

  describe('9110 §15.5.14 more than 1 MiB', () => {
    refusals([
      ['in one chunk, as soon as its size is known', chunked(String.raw`100001\r`), 413, '9110 15.5.14', 56],
      ['with an extension', chunked('100001;'), 413, '9110 15.5.14', 56],
      ['in a later chunk', chunked(String.raw`1\r\nx\r\n100000\r`), 413, '9110 15.5.14', 62],
      ['a size that is none is that first', chunked(String.raw`100001x`), 400, '9112 7.1', 62],
    ]);
    it('1 MiB passes', () => {
      const { requests } = read([octets(chunked(String.raw`100000\r\n`)), Buffer.alloc(MEBI, 'x'), octets(String.raw`\r\n${END}`)]);
      expect(requests[0]?.body).to.have.lengthOf(MEBI);
    });
    it('1 MiB passes in chunks of one octet', () => {
      const { requests, end } = read([octets(chunked('')), Buffer.from('1\r\nx\r\n'.repeat(MEBI)), Buffer.from('0\r\n\r\n')]);
      expect(end).to.equal('needMore');
      expect(requests[0]?.body).to.have.lengthOf(MEBI);
    });
  });

  it('has a machine in which every state is reached, and its end from every state', () => {
    const reachable = (from: keyof typeof CHUNKED): Set<string> => {
      const seen = new Set<keyof typeof CHUNKED>([from]);
      for (const state of seen) for (const to of CHUNKED[state]) seen.add(to);
      return seen;
    };
    expect([...reachable('size')]).to.have.members(Object.keys(CHUNKED));
    for (const state of ['size', 'extension', 'data', 'dataEnd', 'trailer'] as const) expect(reachable(state)).to.include('end');
  });
});
