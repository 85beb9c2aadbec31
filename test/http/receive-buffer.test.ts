import { expect } from 'chai';
import { ReceiveBuffer } from '../../src/http/receive-buffer';
import { bytes, cuts, raw } from '../support/bytes';

/** Takes a line. @returns its text, its offset, and whether it ended with CRLF */
function take(buffer: ReceiveBuffer, limit = 100) {
  const line = buffer.takeLine(limit);
  if (line === undefined) return undefined;
  const { start, end, ending } = line;
  return {
    text: line.text(start, end),
    offset: line.offsetOf(start),
    isWhole: ending === 'CRLF',
  };
}

function bufferOf(...pieces: string[]): ReceiveBuffer {
  const buffer = new ReceiveBuffer();
  for (const piece of pieces) buffer.push(bytes(piece));
  return buffer;
}

describe('a receive buffer', () => {
  it('gives a line as soon as its CRLF is here, wherever the bytes were cut', () => {
    const whole = bytes(raw`Host: a\r\n`);
    for (const pieces of cuts(whole)) {
      const buffer = new ReceiveBuffer();
      for (const piece of pieces.slice(0, -1)) {
        buffer.push(piece);
        expect(take(buffer)).to.equal(undefined);
      }
      buffer.push(pieces.at(-1) ?? Buffer.alloc(0));
      expect(take(buffer)).to.deep.equal({ text: 'Host: a', offset: 0, isWhole: true });
      expect(take(buffer)).to.equal(undefined);
    }
  });
  it('gives lines one after another, each with its offset', () => {
    const buffer = bufferOf(raw`A\r\n\r\nBC\r\nD`);
    expect(take(buffer)).to.deep.equal({ text: 'A', offset: 0, isWhole: true });
    expect(take(buffer)).to.deep.equal({ text: '', offset: 3, isWhole: true });
    expect(take(buffer)).to.deep.equal({ text: 'BC', offset: 5, isWhole: true });
    expect(take(buffer)).to.equal(undefined);
    expect([buffer.offset, buffer.unread]).to.deep.equal([9, 1]);
  });
  it('gives a line of obs-text as ISO-8859-1, one character per byte', () => {
    expect(take(bufferOf(raw`\x80\xe4\xff\r\n`))).to.include({ text: '\x80\xe4\xff' });
  });
  for (const [what, sent, text] of [
    ['a bare LF', raw`ab\nc`, 'ab\n'],
    ['a bare CR', raw`ab\rc`, 'ab\r'],
    ['a control character', raw`ab\0c`, 'ab\0'],
    ['DEL', raw`ab\x7fc`, 'ab\x7f'],
  ] as const) {
    it(`ends a line at ${what}, which is its last character`, () => {
      expect(take(bufferOf(sent))).to.deep.equal({ text, offset: 0, isWhole: false });
    });
  }
  it('waits after a CR for the next byte', () => {
    const buffer = bufferOf(raw`ab\r`);
    expect(take(buffer)).to.equal(undefined);
    buffer.push(bytes(raw`\n`));
    expect(take(buffer)).to.include({ text: 'ab', isWhole: true });
  });
  it('gives a line that is as long as its limit', () => {
    expect(take(bufferOf(raw`abcd\r\n`), 4)).to.include({ text: 'abcd', isWhole: true });
    expect(take(bufferOf(raw`abcd`, raw`\r\n`), 4)).to.include({
      text: 'abcd',
      isWhole: true,
    });
  });
  it('ends a line that is longer than its limit, without waiting for its end', () => {
    expect(take(bufferOf('abcd'), 4)).to.equal(undefined);
    expect(take(bufferOf('abcde'), 4)).to.deep.equal({
      text: 'abcd',
      offset: 0,
      isWhole: false,
    });
  });
  it('counts offsets from the first byte of a request', () => {
    const buffer = bufferOf(raw`GET\r\n\r\nPUT\r\n`);
    take(buffer);
    take(buffer);
    buffer.startRequest();
    expect([buffer.offset, buffer.unread]).to.deep.equal([0, 5]);
    expect(take(buffer)).to.deep.equal({ text: 'PUT', offset: 0, isWhole: true });
  });
  it('shows the line around an offset, with its line end', () => {
    const buffer = bufferOf(raw`GET\r\nHost : a\r\nB`);
    take(buffer);
    take(buffer);
    const { bytes: line, offset } = buffer.excerpt(10);
    expect([line.toString('latin1'), offset]).to.deep.equal(['Host : a\r\n', 5]);
  });
  it('shows what has arrived of a line', () => {
    const { bytes: line, offset } = bufferOf(raw`GET\r\nHo`).excerpt(7);
    expect([line.toString('latin1'), offset]).to.deep.equal(['Ho', 5]);
  });
  it('shows nothing of what was in its memory before', () => {
    const { allocUnsafe } = Buffer;
    Buffer.allocUnsafe = (size) => Buffer.alloc(size, '\n');
    try {
      const { bytes: line } = bufferOf('a', 'b').excerpt(0);
      expect(line.toString('latin1')).to.equal('ab');
    } finally {
      Buffer.allocUnsafe = allocUnsafe;
    }
  });
});
