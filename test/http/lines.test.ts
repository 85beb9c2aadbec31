import { expect } from 'chai';
import { RequestReader } from '../../src/http/request-reader';
import { bytes, raw } from '../support/bytes';

/** @returns how many bytes had been received, one at a time, when the reader rejected
 * them */
function receivedWhenRejected(message: string): number | undefined {
  const whole = bytes(message);
  const reader = new RequestReader();
  for (let at = 0; at < whole.length; at += 1) {
    reader.push(whole.subarray(at, at + 1));
    if (reader.next().kind === 'rejected') return at + 1;
  }
  return undefined;
}

const GET = raw`GET / HTTP/1.1\r\n`;
const post = (line: string): string => raw`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\n`;
const CHUNKED = raw`${post('Transfer-Encoding: chunked')}\r\n`;
const chunked = (content: string): string => CHUNKED + content;

describe('the moment of a rejection (9112 §2.2)', () => {
  describe('is the end of a line, because a line is judged when it is whole', () => {
    for (const message of [
      raw` / HTTP/1.1\r\n`,
      raw`G(T / HTTP/1.1\r\n`,
      raw`GET  / HTTP/1.1\r\n`,
      raw`GET /a b HTTP/1.1\r\n`,
      raw`GET /" HTTP/1.1\r\n`,
      raw`GET /\x80 HTTP/1.1\r\n`,
      raw`GET * HTTP/1.1\r\n`,
      raw`GET / http/1.1\r\n`,
      raw`PRI * HTTP/2.0\r\n`,
      raw`\r\n\r\n`,
      raw`${GET} Host: a\r\n`,
      raw`${GET}Host : a\r\n`,
      raw`${GET}Host a\r\n`,
      raw`${GET}: a\r\n`,
      chunked(raw`0x1\r\n`),
      chunked(raw`1;;\r\n`),
      chunked(raw`100001\r\n`),
      chunked(raw`0\r\n A: x\r\n`),
    ]) {
      it(`${message} is rejected at its end`, () =>
        expect(receivedWhenRejected(message)).to.equal(bytes(message).length));
    }
  });

  describe('is the end of the header section if its fields decide', () => {
    for (const message of [
      raw`${GET}A: x\r\n\r\n`,
      raw`${GET}Host: a\r\nHost: b\r\n\r\n`,
      raw`${GET}Host: a/\r\nA: x\r\n\r\n`,
      raw`${post('Content-Length: x')}\r\n`,
      raw`${post('Transfer-Encoding: gzip, chunked')}\r\n`,
      raw`${post('Expect: x')}\r\n`,
    ]) {
      it(`${message} is rejected at its end`, () =>
        expect(receivedWhenRejected(message)).to.equal(bytes(message).length));
    }
  });

  describe('is the byte itself if it is not allowed in any line', () => {
    for (const message of [
      raw`\0`,
      raw`\x16`,
      raw`\n`,
      raw`\r\n\n`,
      raw`GE\0`,
      raw`GET /\x01`,
      raw`GET /\x7f`,
      raw`GET /\x0b`,
      raw`GET /\n`,
      raw`GET / HTTP/1.1\n`,
      raw`${GET}A\0`,
      raw`${GET}A:\0`,
      raw`${GET}A: x\x1f`,
      raw`${GET}A: x\n`,
      raw`${GET}\n`,
      chunked(raw`\0`),
      chunked(raw`1\n`),
      chunked(raw`1;a\x7f`),
      chunked(raw`0\r\nA: \0`),
    ]) {
      it(`${message} is rejected at its last byte, which no line may hold`, () =>
        expect(receivedWhenRejected(message)).to.equal(bytes(message).length));
    }
  });

  describe('is the byte after a CR if it is not LF', () => {
    for (const message of [
      raw`\rG`,
      raw`\r\r`,
      raw`GE\rT`,
      raw`GET /\r `,
      raw`GET / HTTP/1.1\rH`,
      raw`${GET}\rA`,
      raw`${GET}A\r:`,
      raw`${GET}A: x\ry`,
      chunked(raw`1\rx`),
      chunked(raw`0\r\n\rX`),
    ]) {
      it(`${message} is rejected at the byte after the CR`, () =>
        expect(receivedWhenRejected(message)).to.equal(bytes(message).length));
    }
  });

  describe('is the first byte beyond a limit', () => {
    const many = (text: string, count: number): string => text.repeat(count);
    for (const [what, start, rest] of [
      ['8,192 bytes of a method', many('x', 8192), 'x'],
      ['8,192 bytes of a request line', raw`GET /${many('x', 8187)}`, 'x'],
      ['16,384 bytes of a header section', raw`${GET}A:${many('x', 16_382)}`, 'x'],
      [
        '16,384 bytes of two lines',
        raw`${GET}A:${many('x', 16_370)}\r\nB:${many('x', 8)}`,
        'x',
      ],
      ['100 field lines', raw`${GET}${many(raw`A:\r\n`, 100)}`, 'A'],
      ['1,024 bytes of a chunk line', chunked(`1;${many('x', 1022)}`), 'x'],
      ['16,384 bytes of a trailer section', chunked(raw`0\r\nA:${many('x', 16_382)}`), 'x'],
      ['100 trailer fields', chunked(raw`0\r\n${many(raw`A:\r\n`, 100)}`), 'A'],
    ] as const) {
      it(`the byte after ${what} is rejected as soon as it is here`, () => {
        const allowed = bytes(start).length;
        expect(receivedWhenRejected(start + many(rest, 10))).to.equal(allowed + 1);
      });
    }
  });

  describe('is the first wrong byte after the data of a chunk', () => {
    for (const content of [raw`1\r\nxy`, raw`1\r\nx\n`, raw`1\r\nx\ry`]) {
      const message = chunked(content);
      it(`${message} is rejected at its last byte`, () =>
        expect(receivedWhenRejected(message)).to.equal(bytes(message).length));
    }
  });
});
