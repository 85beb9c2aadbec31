import { expect } from 'chai';
import { ReaderTrace, type ReaderEvent } from '../../src/http/reader-trace';
import { bytes, escapeByte, raw } from '../support/bytes';
import { accept, read } from '../support/reading';

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
    read([bytes(request(raw`A:  x\r\nB:\r\nC: \t`))], false, {
      trace: new ReaderTrace(trace),
    });
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

  describe('have at most 16,384 bytes in all, with their line ends, without the empty line', () => {
    const rest = 16_384 - 'Host: a\r\n'.length - 'A: \r\n'.length;
    it('a header section may have 16,384 bytes', () => {
      expect(fields(`A: ${long(rest)}`)[0]?.[1]).to.have.lengthOf(rest);
    });
  });

  describe('are at most 100', () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, at) => `A${at}:`).join(raw`\r\n`);
    it('a header section may have 100 field lines', () =>
      expect(fields(lines(99))).to.have.lengthOf(99));
  });
});
