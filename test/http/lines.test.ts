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
const chunked = (content: string): string =>
  raw`${post('Transfer-Encoding: chunked')}\r\n${content}`;
const many = (text: string, count: number): string => text.repeat(count);

/** When a line is wrong, and messages that are rejected at their last byte. */
// prettier-ignore
const MOMENTS = [
  ['the end of a line, because a line is judged when it is whole', [
    raw` / HTTP/1.1\r\n`, raw`G(T / HTTP/1.1\r\n`, raw`GET  / HTTP/1.1\r\n`,
    raw`GET /a b HTTP/1.1\r\n`, raw`GET /" HTTP/1.1\r\n`, raw`GET /\x80 HTTP/1.1\r\n`,
    raw`GET * HTTP/1.1\r\n`, raw`GET / http/1.1\r\n`, raw`PRI * HTTP/2.0\r\n`, raw`\r\n\r\n`,
    raw`${GET} Host: a\r\n`, raw`${GET}Host : a\r\n`, raw`${GET}Host a\r\n`, raw`${GET}: a\r\n`,
    chunked(raw`0x1\r\n`), chunked(raw`1;;\r\n`), chunked(raw`100001\r\n`),
    chunked(raw`0\r\n A: x\r\n`),
  ]],
  ['the end of the header section, if its fields decide', [
    raw`${GET}A: x\r\n\r\n`, raw`${GET}Host: a\r\nHost: b\r\n\r\n`,
    raw`${GET}Host: a/\r\nA: x\r\n\r\n`,
    raw`${post('Content-Length: x')}\r\n`, raw`${post('Transfer-Encoding: gzip, chunked')}\r\n`,
    raw`${post('Expect: x')}\r\n`,
  ]],
  ['the byte itself, if no line may hold it', [
    raw`\0`, raw`\x16`, raw`\n`, raw`\r\n\n`, raw`GE\0`, raw`GET /\x01`, raw`GET /\x7f`,
    raw`GET /\x0b`,
    raw`GET /\n`, raw`GET / HTTP/1.1\n`, raw`${GET}A\0`, raw`${GET}A:\0`, raw`${GET}A: x\x1f`,
    raw`${GET}A: x\n`, raw`${GET}\n`, chunked(raw`\0`), chunked(raw`1\n`), chunked(raw`1;a\x7f`),
    chunked(raw`0\r\nA: \0`),
  ]],
  ['the byte after a CR, if it is not LF', [
    raw`\rG`, raw`\r\r`, raw`GE\rT`, raw`GET /\r `, raw`GET / HTTP/1.1\rH`, raw`${GET}\rA`,
    raw`${GET}A\r:`,
    raw`${GET}A: x\ry`, chunked(raw`1\rx`), chunked(raw`0\r\n\rX`),
  ]],
  ['the first byte beyond a limit', [
    many('x', 8193), raw`GET /${many('x', 8188)}`, raw`${GET}A:${many('x', 16_383)}`,
    raw`${GET}A:${many('x', 16_370)}\r\nB:${many('x', 9)}`, raw`${GET}${many(raw`A:\r\n`, 100)}A`,
    chunked(`1;${many('x', 1023)}`), chunked(raw`0\r\nA:${many('x', 16_383)}`),
    chunked(raw`0\r\n${many(raw`A:\r\n`, 100)}A`),
  ]],
  ['the first wrong byte after the data of a chunk', [
    chunked(raw`1\r\nxy`), chunked(raw`1\r\nx\n`), chunked(raw`1\r\nx\ry`),
  ]],
] as const;

describe('the moment of a rejection (9112 §2.2)', () => {
  for (const [moment, messages] of MOMENTS) {
    for (const message of messages) {
      it(`${message.slice(0, 40)} ... ${message.slice(-20)} is rejected at ${moment}`, () =>
        expect(receivedWhenRejected(message)).to.equal(bytes(message).length));
    }
  }
});
