import { expect } from 'chai';
import { accept, refusals } from '../support/reading';

/** A request with these field lines behind its Host. The first of them starts at byte 25. */
const request = (lines: string): string => String.raw`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n`;
const fields = (lines: string): (readonly [string, string])[] => accept(request(lines)).headers.slice(1).map(({ name, value }) => [name, value] as const);
const long = (count: number): string => 'x'.repeat(count);

describe('9112 §5 field lines', () => {
  it('are name and value, in the order received', () => {
    expect(fields(String.raw`A: 1\r\nb:2\r\nA: 3`)).to.deep.equal([['A', '1'], ['b', '2'], ['A', '3']]);
  });
  it('keep a field named __proto__ as any other', () => expect(fields('__proto__: x')).to.deep.equal([['__proto__', 'x']]));
  it('take any token for a name', () => expect(fields("!#$%&'*+-.^_`|~09azAZ: x")).to.deep.equal([["!#$%&'*+-.^_`|~09azAZ", 'x']]));
  it('drop SP and HTAB around the value, and keep them inside', () => {
    expect(fields(String.raw`A: \t x \t y\t \r\nB:\r\nC: \t`)).to.deep.equal([['A', 'x \t y'], ['B', ''], ['C', '']]);
  });
  it('keep NBSP at the ends of a value: it is obs-text, no white space', () => expect(fields(String.raw`A: \xa0x\xa0`)).to.deep.equal([['A', '\xa0x\xa0']]));
  it('keep obs-text as it was sent, octet by octet', () => expect(fields(String.raw`A: \x80\xff\xc3\xa9`)).to.deep.equal([['A', '\x80\xff\xc3\xa9']]));
  it('say where each value stands', () => expect(accept(request('A:  x')).headers.map(({ offset }) => offset)).to.deep.equal([22, 29]));

  describe('are refused', () => {
    refusals([
      ['white space before the first one (§2.2)', String.raw`GET / HTTP/1.1\r\n Host: a\r\n`, 400, '9112 2.2', 16],
      ['HTAB before the first one', String.raw`GET / HTTP/1.1\r\n\tHost: a\r\n`, 400, '9112 2.2', 16],
      ['SP before the colon (§5.1)', String.raw`GET / HTTP/1.1\r\nHost : a\r\n`, 400, '9112 5.1', 20],
      ['HTAB before the colon', request(String.raw`A\t: x`), 400, '9112 5.1', 26],
      ['obs-fold with SP (§5.2)', request(String.raw`A: x\r\n y`), 400, '9112 5.2', 31],
      ['obs-fold with HTAB', request(String.raw`A: x\r\n\ty`), 400, '9112 5.2', 31],
      ['no colon', request('A'), 400, '9112 5', 26],
      ['an empty name', request(': x'), 400, '9110 5.1', 25],
      ['a name that starts with an octet of no token', request('(A: x'), 400, '9110 5.1', 25],
      ['a name with an octet of no token', request('A[]: x'), 400, '9110 5.1', 26],
      ['a name with obs-text', request(String.raw`A\xe9: x`), 400, '9110 5.1', 26],
      ['a name with NUL', request(String.raw`A\0: x`), 400, '9110 5.1', 26],
      ['an LF alone at the end', request(String.raw`A: x\nB: y`), 400, '9112 2.2', 29],
      ['an LF alone in a name', request(String.raw`A\nB: y`), 400, '9112 2.2', 26],
      ['an LF alone for the empty line', String.raw`GET / HTTP/1.1\r\nHost: a\r\n\n`, 400, '9112 2.2', 25],
      ['a CR alone in a value', request(String.raw`A: x\ry`), 400, '9112 2.2', 29],
      ['a CR alone at the end of a value', request(String.raw`A: x\r\r\n`), 400, '9112 2.2', 29],
      ['a CR alone for the empty line', String.raw`GET / HTTP/1.1\r\nHost: a\r\n\rA: x\r\n\r\n`, 400, '9112 2.2', 25],
      ['NUL in a value (9110 §5.5)', request(String.raw`A: x\0y`), 400, '9110 5.5', 29],
      ['DEL in a value', request(String.raw`A: \x7f`), 400, '9110 5.5', 28],
      ['VT before a value', request(String.raw`A:\x0bx`), 400, '9110 5.5', 27],
      ['BEL in a value', request(String.raw`A: \x07`), 400, '9110 5.5', 28],
      ['US in a value', request(String.raw`A: \x1f`), 400, '9110 5.5', 28],
    ]);
  });

  describe('take at most 16,384 octets together, line ends counted and the empty line not (6585 §5)', () => {
    const rest = 16_384 - 'Host: a\r\n'.length - 'A: \r\n'.length;
    it('16,384 pass', () => expect(fields(`A: ${long(rest)}`)[0]?.[1]).to.have.lengthOf(rest));
    refusals([
      ['16,385', request(`A: ${long(rest + 1)}`), 431, '6585 5', 16_400],
      ['16,386', request(`A: ${long(rest + 2)}`), 431, '6585 5', 16_400],
      ['a value that never ends', String.raw`GET / HTTP/1.1\r\nA: ${long(30_000)}`, 431, '6585 5', 16_400],
      ['a name that never ends', String.raw`GET / HTTP/1.1\r\n${long(30_000)}`, 431, '6585 5', 16_400],
      ['one line more', request(String.raw`A: ${long(rest)}\r\nB: x`), 431, '6585 5', 16_400],
      ['a wrong octet behind the limit comes too late', request(String.raw`A: ${long(rest + 2)}\0`), 431, '6585 5', 16_400],
    ]);
  });

  describe('are at most 100 (6585 §5)', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, at) => `A${at}:`).join(String.raw`\r\n`);
    it('100 pass', () => expect(fields(lines(99))).to.have.lengthOf(99));
    refusals([
      ['101', request(lines(100)), 431, '6585 5', 609],
      ['10,000', request(lines(10_000)), 431, '6585 5', 609],
      ['100, then LF alone for the empty line', request(lines(99)).replace(/(?:\\r\\n){2}$/, String.raw`\r\n\n`), 400, '9112 2.2', 609],
    ]);
  });
});
