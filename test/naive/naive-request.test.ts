import { expect } from 'chai';
import { MISTAKES, readNaively, Unreadable } from '../../src/naive/naive-request';
import type { Mistake, NaiveRequest } from '../../src/naive/naive-request';
import { ProtocolError } from '../../src/http/protocol-error';
import { bytes, raw } from '../support/bytes';
import { fuzz } from '../support/random-streams';
import { read as readByServer } from '../support/reading';
import { stream } from '../support/requests';

/** Reads what is written as bytes() reads it. */
function read(text: string, mistake?: Mistake): NaiveRequest | string | undefined {
  return readOrReject(bytes(text).toString('latin1'), mistake);
}

/** @returns why a request is rejected, if it is */
function readOrReject(text: string, mistake?: Mistake): NaiveRequest | string | undefined {
  const found = readNaively(text, mistake);
  return found instanceof Unreadable ? found.message : found;
}

/** @returns a request of which all bytes are there */
function readWhole(text: string, mistake?: Mistake): NaiveRequest | undefined {
  const request = readOrReject(text, mistake);
  if (typeof request !== 'object' || !request.isEndKnown) return undefined;
  return request.end <= text.length ? request : undefined;
}

const HEAD = raw`POST / HTTP/1.1\r\nHost: a\r\n`;
const CHUNKED = raw`${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

/** For each mistake: a request, why the strict reader rejects it (but for one), and what is
 * read instead. */
// prettier-ignore
const MISREAD: readonly (readonly [Mistake, string, string, string])[] = [
  ['transfer-encoding',
    raw`${HEAD}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'There are both Transfer-Encoding and Content-Length', '0 bytes of content in chunks'],
  ['unknown-coding', raw`${HEAD}Content-Length: 2\r\nTransfer-Encoding: xchunked\r\n\r\n0\r`,
    'Transfer-Encoding is not "chunked"', '2 bytes of content by Content-Length'],
  ['first-length', raw`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`,
    'There is more than one Content-Length', '1 byte of content by Content-Length'],
  ['last-length', raw`${HEAD}Content-Length: 1, 2\r\n\r\nxx`,
    'There is more than one Content-Length', '2 bytes of content by Content-Length'],
  ['no-content', raw`GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\n`,
    '2 bytes of content by Content-Length', 'no content'],
  ['space-in-name', raw`${HEAD}Content-Length : 1\r\n\r\n`,
    'There is white space before a colon', 'no content'],
  ['parse-int', raw`${HEAD}Content-Length: 3e1\r\n\r\nxxx`,
    'Content-Length is not a number', '3 bytes of content by Content-Length'],
  ['32-bit', raw`${CHUNKED}100000003\r\nxxx\r\n0\r\n\r\n`,
    'A chunk-size has more than 8 digits', '3 bytes of content in chunks'],
  ['content-length',
    raw`${HEAD}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGE`,
    'There are both Transfer-Encoding and Content-Length', '7 bytes of content by Content-Length'],
  ['chunked-word', raw`${HEAD}Transfer-Encoding: xchunked, identity\r\n\r\n0\r\n\r\n`,
    'Transfer-Encoding is not "chunked"', '0 bytes of content in chunks'],
  ['space-before-colon', raw`${HEAD}Content-Length \t: 1\r\n\r\nx`,
    'There is white space before a colon', '1 byte of content by Content-Length'],
  ['join-folds', raw`${HEAD}Content-Length:\r\n\t2\r\n\r\nxx`,
    'A line starts with white space', '2 bytes of content by Content-Length'],
  ['skip-indent', raw`${HEAD} Content-Length: 2\r\n\r\nxx`,
    'A line starts with white space', '2 bytes of content by Content-Length'],
  ['bare-lf', raw`GET / HTTP/1.1\nHost: a\n\n`, 'A line ends with a bare LF', 'no content'],
  ['crlf-only', raw`GET / HTTP/1.1\r\nHost: a\n\nGET / HTTP/1.1\r\n\r\n`,
    'A line ends with a bare LF', 'no content'],
  ['skip-two', raw`${CHUNKED}1\r\nxyy0\r\n\r\n`,
    'The data of a chunk is not followed by CRLF', '1 byte of content in chunks'],
  ['number', raw`${HEAD}Content-Length: 0x3\r\n\r\nxxx`,
    'Content-Length is not a number', '3 bytes of content by Content-Length'],
  ['64-bit', raw`${CHUNKED}10000000000000003\r\nxxx\r\n0\r\n\r\n`,
    'A chunk-size has more than 8 digits', '3 bytes of content in chunks'],
];

describe('requests, as a naive recipient reads them', () => {
  it('a chunk line of 32,000 zeros takes linear time', () => {
    const before = process.cpuUsage();
    readNaively(`${bytes(CHUNKED).toString('latin1')}${'0'.repeat(32_000)}g\r\n`);
    // Processor time, whatever else the machine does; more than linear took 1.2 s.
    expect(process.cpuUsage(before).user).to.be.lessThan(500_000);
  });
  it('the table has an example of each mistake', () => {
    expect(MISREAD.map(([mistake]) => mistake)).to.have.members(Object.keys(MISTAKES));
  });

  for (const [mistake, request, reason, framing] of MISREAD) {
    const { length } = bytes(request);

    it(`with the mistake "${mistake}", a request is read to its last byte, and no less`, () => {
      const strict = read(request);
      const says = typeof strict === 'object' ? strict.framing : strict;
      expect(says, 'the strict reader').to.equal(reason);
      const seen = read(request, mistake);
      expect(seen).to.include({ framing, end: length, isEndKnown: true, isMistaken: true });
      const text = bytes(request).toString('latin1');
      for (let at = 0; at < length; at += 1) {
        const part = readWhole(text.slice(0, at), mistake);
        expect(part, `after ${at} bytes`).to.equal(undefined);
      }
    });
  }

  /** Mistakes, requests, and why they are rejected, or how their content is found. */
  // prettier-ignore
  for (const [mistake, request, says] of [
    [undefined, raw`GET  / HTTP/1.1\r\n\r\n`, 'The request line is malformed'],
    [undefined, raw`GET / HTTP/2.0\r\n\r\n`, 'The request line is malformed'],
    [undefined, raw`GET /\x1b[31m HTTP/1.1\r\n\r\n`, 'A line has a control character'],
    [undefined, raw`GET / HTTP/1.1\r\nX: a\rb\r\n\r\n`, 'A line has a control character'],
    [undefined, raw`GET / HTTP/1.1\r\nHost\r\n\r\n`, 'A field line is malformed'],
    [undefined, raw`${HEAD}Content-Length: 1\r\nContent-Length: 1\r\n\r\n`,
      'There is more than one Content-Length'],
    [undefined, raw`${HEAD}Transfer-Encoding: \r\n\r\n`, 'Transfer-Encoding is not "chunked"'],
    [undefined, raw`POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n`,
      'There is a Transfer-Encoding in HTTP/1.0'],
    [undefined, raw`${CHUNKED}x\r\n`, 'A chunk line is malformed'],
    ['number', raw`${HEAD}Content-Length: Infinity\r\n\r\n`, 'Content-Length is not a number'],
    ['no-content', raw`HEAD / HTTP/1.1\r\nContent-Length: 5\r\n\r\n`, 'no content'],
    ['bare-lf', raw`${HEAD}\n`, 'no content'],
    ['join-folds', raw`${HEAD}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
      '0 bytes of content in chunks'],
    [undefined, raw`${HEAD}content-length:\t5 \r\n\r\nhello`,
      '5 bytes of content by Content-Length'],
    [undefined, raw`${CHUNKED}A;x=1\r\n0123456789\r\n00\r\nX: y\r\n\r\n`,
      '10 bytes of content in chunks'],
    [undefined, raw`${HEAD}Content-Length: 0\r\n\r\n`, '0 bytes of content by Content-Length'],
    [undefined, raw`${CHUNKED}10000000\r\n`, 'a chunk of 268435456 bytes'],
    [undefined, raw`${CHUNKED}1\r\nx\r`, 'a chunk of 1 bytes'],
    ['64-bit', raw`${CHUNKED}100000000000000\r\n0\r\n\r\n`,
      'a chunk of 72057594037927936 bytes'],
    ['number', raw`${HEAD}Content-Length: 8e1\r\n\r\n${'x'.repeat(80)}`,
      '80 bytes of content by Content-Length'],
  ] as const) {
    it(`${mistake ?? 'the strict reader'}: ${says}: ${request.slice(0, 60)}`, () => {
      const found = read(request, mistake);
      if (typeof found !== 'object') expect(found).to.equal(says);
      else expect(found).to.include({ framing: says, isMistaken: mistake !== undefined });
    });
  }

  const names = Object.keys(MISTAKES) as Mistake[];

  fuzz(
    'what the strict reader reads as one request is one request to the server',
    2000,
    stream,
    (whole) => {
      const text = whole.toString('latin1');
      for (let at = 0, end = 0; at < text.length; at = end) {
        const seen = readWhole(text.slice(at));
        if (seen === undefined) return;
        end = at + seen.end;
        const { end: ending, requests } = readByServer([whole.subarray(at, end)], true);
        if (ending instanceof ProtocolError) {
          expect(ending.message, 'why it is rejected').to.not.include('still missing');
          expect(requests).to.deep.equal([]);
        } else {
          expect(ending).to.equal('finished');
          expect(requests.map(({ method }) => method)).to.deep.equal([seen.method]);
        }
      }
    },
  );

  fuzz(
    'with any mistake, a recipient reads or rejects whatever it gets',
    2000,
    stream,
    (whole, random) => {
      const text = whole.toString('latin1');
      const mistake = random.oneOf(names);
      const seen = readWhole(text, mistake);
      if (seen !== undefined) expect(seen.end).to.be.within(1, text.length);
    },
  );
});
