import { expect } from 'chai';
import type { ReaderEvent } from '../../src/http/reader-trace';
import { bytes, escapeByte, raw } from '../support/bytes';
import { accept, messages, read, rejections } from '../support/reading';

/** A request with these field lines after its Host. The first of them starts at byte 25. */
const request = (lines: string): string =>
  raw`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n`;
const fields = (lines: string): [string, string][] =>
  accept(request(lines))
    .headers.slice(1)
    .map(({ name, value }) => [name, value]);
const long = (count: number): string => 'x'.repeat(count);

describe('field lines (9112 §5)', () => {
  it('field lines are names and values, in the order received', () => {
    expect(fields(raw`A: 1\r\nb:2\r\nA: 3`)).to.deep.equal([
      ['A', '1'],
      ['b', '2'],
      ['A', '3'],
    ]);
  });
  it('a field named __proto__ is kept like any other', () => {
    expect(fields('__proto__: x')).to.deep.equal([['__proto__', 'x']]);
  });
  it('a field name may be any token', () => {
    const everyPunctuation = "!#$%&'*+-.^_`|~09azAZ";
    expect(fields(`${everyPunctuation}: x`)).to.deep.equal([[everyPunctuation, 'x']]);
  });
  it('SP and HTAB around a field value are dropped, and kept inside', () => {
    expect(fields(raw`A: \t x \t y\t \r\nB:\r\nC: \t`)).to.deep.equal([
      ['A', 'x \t y'],
      ['B', ''],
      ['C', ''],
    ]);
  });
  it('NBSP around a field value is kept, because it is obs-text and not white space', () => {
    expect(fields(raw`A: \xa0x\xa0`)).to.deep.equal([['A', '\xa0x\xa0']]);
  });
  it('obs-text is kept as it was sent, one character per byte', () => {
    expect(fields(raw`A: \x80\xff\xc3\xa9`)).to.deep.equal([['A', '\x80\xff\xc3\xa9']]);
  });
  it('a field line tells the offset of its value', () => {
    const offsets: number[] = [];
    const trace = (event: ReaderEvent): void => {
      const isLine = event.type === 'parse' && event.part === 'field line';
      if (isLine) offsets.push(event.line.offset);
    };
    read([bytes(request(raw`A:  x\r\nB:\r\nC: \t`))], false, { trace });
    expect(offsets).to.deep.equal([22, 29, 34, 40]);
  });
  it('a field name is a token, and a field value has no control character but HTAB', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const char = String.fromCharCode(byte);
      const name = read([bytes(request(`A${escapeByte(byte)}B: x`))]);
      if (/[!#$%&'*+.^_`|~\w:-]/.test(char))
        expect(name.requests, char).to.have.lengthOf(1);
      else expect(name.end, char).to.include({ status: 400, offset: 26 });
      const value = read([bytes(request(`A: x${escapeByte(byte)}y`))]);
      if (/[\t -~\x80-\xff]/.test(char)) expect(value.requests, char).to.have.lengthOf(1);
      else expect(value.end, char).to.include({ status: 400, offset: 29 });
    }
  });

  describe('are rejected', () => {
    rejections('rejects a header section with …', [
      [
        'white space before the first field line',
        raw`GET / HTTP/1.1\r\n Host: a\r\n`,
        400,
        'allowed by',
        '9112 2.2',
        16,
      ],
      [
        'HTAB before the first field line',
        raw`GET / HTTP/1.1\r\n\tHost: a\r\n`,
        400,
        'allowed by',
        '9112 2.2',
        16,
      ],
      [
        'only white space in the first field line',
        raw`GET / HTTP/1.1\r\n \r\n`,
        400,
        'allowed by',
        '9112 2.2',
        16,
      ],
      [
        'SP before the colon',
        raw`GET / HTTP/1.1\r\nHost : a\r\n`,
        400,
        'required by',
        '9112 5.1',
        20,
      ],
      ['HTAB before the colon', request(raw`A\t: x`), 400, 'required by', '9112 5.1', 26],
      [
        'SP and HTAB before the colon',
        request(raw`A \t : x`),
        400,
        'required by',
        '9112 5.1',
        26,
      ],
      ['obs-fold with SP', request(raw`A: x\r\n y`), 400, 'allowed by', '9112 5.2', 31],
      ['obs-fold with HTAB', request(raw`A: x\r\n\ty`), 400, 'allowed by', '9112 5.2', 31],
      ['no colon', request('A'), 400, 'allowed by', '9112 5', 26],
      [
        'no colon between two words',
        request('Name value'),
        400,
        'allowed by',
        '9112 5',
        29,
      ],
      [
        'a colon only in the second word',
        request('Name value:80'),
        400,
        'allowed by',
        '9112 5',
        29,
      ],
      ['no colon before white space', request('Name  '), 400, 'allowed by', '9112 5', 29],
      ['an empty name', request(': x'), 400, 'allowed by', '9110 5.1', 25],
      [
        'a name that starts with a delimiter',
        request('(A: x'),
        400,
        'allowed by',
        '9110 5.1',
        25,
      ],
      ['a name with a delimiter', request('A[]: x'), 400, 'allowed by', '9110 5.1', 26],
      ['a name with obs-text', request(raw`A\xe9: x`), 400, 'allowed by', '9110 5.1', 26],
      ['a name with NUL', request(raw`A\0: x`), 400, 'allowed by', '9110 5.1', 26],
      [
        'a bare LF at the end of a field line',
        request(raw`A: x\nB: y`),
        400,
        'allowed by',
        '9112 2.2',
        29,
      ],
      ['a bare LF in a name', request(raw`A\nB: y`), 400, 'allowed by', '9112 2.2', 26],
      [
        'a bare LF after the colon',
        request(raw`A:\nB: y`),
        400,
        'allowed by',
        '9112 2.2',
        27,
      ],
      [
        'a bare LF for the empty line',
        raw`GET / HTTP/1.1\r\nHost: a\r\n\n`,
        400,
        'allowed by',
        '9112 2.2',
        25,
      ],
      ['a bare CR in a name', request(raw`A\rB: y`), 400, 'allowed by', '9112 2.2', 26],
      ['a bare CR in a value', request(raw`A: x\ry`), 400, 'allowed by', '9112 2.2', 29],
      [
        'a bare CR at the end of a value',
        request(raw`A: x\r\r\n`),
        400,
        'allowed by',
        '9112 2.2',
        29,
      ],
      [
        'a bare CR for the empty line',
        raw`GET / HTTP/1.1\r\nHost: a\r\n\rA: x\r\n\r\n`,
        400,
        'allowed by',
        '9112 2.2',
        25,
      ],
      ['NUL in a value', request(raw`A: x\0y`), 400, 'allowed by', '9110 5.5', 29],
      ['DEL in a value', request(raw`A: \x7f`), 400, 'allowed by', '9110 5.5', 28],
      ['VT before a value', request(raw`A:\x0bx`), 400, 'allowed by', '9110 5.5', 27],
      ['BEL in a value', request(raw`A: \x07`), 400, 'allowed by', '9110 5.5', 28],
      ['US in a value', request(raw`A: \x1f`), 400, 'allowed by', '9110 5.5', 28],
    ]);
  });

  describe('when rejected, tell a forgotten colon from white space before one', () => {
    const start = raw`GET / HTTP/1.1\r\n`;
    const noColon =
      'No colon after the field name (allowed by RFC 9112 section 5), at byte 20; ' +
      'a field line is a name, a colon and a value, such as "Host: localhost"';
    messages([
      [raw`${start}Host localhost\r\n`, noColon],
      [raw`${start}Host localhost:80\r\n`, noColon],
      [raw`${start}Host\r\n`, noColon],
      [raw`${start}Host localhost:\r\n`, noColon],
      [
        raw`${start}X Y: z\r\n`,
        'White space inside a field name (allowed by RFC 9110 section 5.1), at byte 17',
      ],
      [
        raw`${start}Host : localhost\r\n`,
        'White space between a field name and the colon ' +
          '(required by RFC 9112 section 5.1), at byte 20',
      ],
    ]);
  });

  describe('have at most 16,384 bytes in all, with their line ends, without the empty line', () => {
    const rest = 16_384 - 'Host: a\r\n'.length - 'A: \r\n'.length;
    it('a header section may have 16,384 bytes', () => {
      expect(fields(`A: ${long(rest)}`)[0]?.[1]).to.have.lengthOf(rest);
    });
    const tooLarge = (why: string, message: string) =>
      [why, message, 431, 'our choice', '6585 5', 16 + 16_384] as const;
    rejections('rejects a header section with …', [
      tooLarge('16,385 bytes', request(`A: ${long(rest + 1)}`)),
      tooLarge('16,386 bytes', request(`A: ${long(rest + 2)}`)),
      tooLarge('a value that never ends', raw`GET / HTTP/1.1\r\nA: ${long(30_000)}`),
      tooLarge('a name that never ends', raw`GET / HTTP/1.1\r\n${long(30_000)}`),
      tooLarge('one line beyond 16,384 bytes', request(raw`A: ${long(rest)}\r\nB: x`)),
      tooLarge('a wrong byte beyond 16,384 bytes', request(raw`A: ${long(rest + 2)}\0`)),
      tooLarge(
        'a CR beyond 16,384 bytes',
        request(raw`A: ${long(rest + 2)}\r`).slice(0, -8),
      ),
      tooLarge('a bare CR beyond 16,384 bytes', request(raw`A: ${long(rest + 2)}\rx`)),
    ]);
  });

  describe('are at most 100', () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, at) => `A${at}:`).join(raw`\r\n`);
    it('a header section may have 100 field lines', () =>
      expect(fields(lines(99))).to.have.lengthOf(99));
    rejections('rejects a header section with …', [
      ['101 field lines', request(lines(100)), 431, 'our choice', '6585 5', 609],
      ['10,000 field lines', request(lines(10_000)), 431, 'our choice', '6585 5', 609],
      [
        '100 field lines, then a bare LF for the empty line',
        `${request(lines(99)).slice(0, -4)}${raw`\n`}`,
        400,
        'allowed by',
        '9112 2.2',
        609,
      ],
    ]);
  });
});
