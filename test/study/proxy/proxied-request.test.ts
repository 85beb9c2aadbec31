import { expect } from 'chai';
import {
  readRequest,
  REQUEST_LIMIT,
  TooLarge,
} from '../../../src/study/proxy/proxied-request';
import { bytes, raw } from '../../support/bytes';

const POST = raw`POST / HTTP/1.1\r\n`;

function read(text: string, mistake?: '64-bit') {
  return readRequest(bytes(text).toString('latin1'), mistake);
}

describe('requests that the naive proxy forwards', () => {
  it('a request is forwarded once all of it is there', () => {
    expect(read(raw`${POST}Content-Length: 2\r\n\r\nx`)).to.equal(undefined);
    const whole = read(raw`${POST}Content-Length: 2\r\n\r\nxx`);
    expect(whole).to.include({ isComplete: true, contentLength: 2 });
  });
  for (const [what, text] of [
    ['a line without an end', 'a'.repeat(REQUEST_LIMIT + 1)],
    ['a Content-Length', raw`${POST}Content-Length: 16384\r\n\r\n`],
    ['a chunk', raw`${POST}Transfer-Encoding: chunked\r\n\r\n4000\r\n`],
  ] as const) {
    it(`a request that would exceed ${REQUEST_LIMIT} bytes by ${what} is too large`, () => {
      expect(() => read(text)).to.throw(TooLarge, 'exceeds 16384 bytes');
    });
  }
  it('several requests of less than the limit each may be there at once', () => {
    const whole = raw`${POST}Content-Length: 2\r\n\r\nxx`;
    expect(read(whole.repeat(1000))).to.include({
      isComplete: true,
      end: bytes(whole).length,
    });
  });
  it('counting in 64 bits, a chunk is forwarded although it never ends', () => {
    const seen = read(
      raw`${POST}Transfer-Encoding: chunked\r\n\r\n100000000000000\r\n`,
      '64-bit',
    );
    expect(seen).to.include({
      isComplete: false,
      framing: 'a chunk of 72057594037927936 bytes',
    });
  });
});
