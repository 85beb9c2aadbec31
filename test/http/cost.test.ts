import { expect } from 'chai';
import { RequestReader } from '../../src/http/request-reader';
import { bytes, cut, raw } from '../support/bytes';
import { Counter } from '../support/counting';

/** How often each byte may be examined on average, whatever arrives and however it is
 * cut. */
const MOST = 11;
const MEBI = 1_048_576;

interface Cost {
  readonly requests: number;
  readonly rejected: boolean;
  readonly examined: number;
  readonly received: number;
}

function costOf(pieces: readonly Buffer[]): Cost {
  const counter = new Counter();
  const reader = new RequestReader();
  let [requests, received, rejected] = [0, 0, false];
  counter.run(() => {
    for (const piece of pieces) {
      received += piece.length;
      reader.push(counter.count(piece));
      let outcome = reader.next();
      for (; ['request', 'pause'].includes(outcome.kind); outcome = reader.next()) {
        if (outcome.kind === 'request') requests += 1;
      }
      if (outcome.kind === 'rejected') rejected = true;
    }
  });
  return { requests, rejected, examined: counter.examined, received };
}

const single = (...parts: readonly Buffer[]): Buffer[] => cut(Buffer.concat(parts), 1);
const long = (count: number, text = 'x'): string => text.repeat(count);
const head = (lines: string): Buffer =>
  bytes(raw`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
const line = (text: string): Buffer => bytes(raw`${text} HTTP/1.1\r\nHost: a\r\n\r\n`);
const length = (count: number): Buffer => head(raw`Content-Length: ${count}\r\n`);
const CHUNKED = head(raw`Transfer-Encoding: chunked\r\n`);
const withHost = (host: string): Buffer =>
  bytes(raw`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
const END = bytes(raw`0\r\n\r\n`);
const gets = (count: number, host = 'a'): Buffer =>
  Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(count));
/** Field lines of 16 KiB in all. */
const FIELDS = long(99, raw`Name: ${long(150)}\r\n`);

type Row = readonly [what: string, pieces: readonly Buffer[], requests?: number];
// prettier-ignore
const ACCEPTED: readonly Row[] = [
  ['a method of 8 KiB, byte by byte', single(line(`${long(8176)} /`))],
  ['a request line of 8 KiB, byte by byte', single(line(`GET /${long(8178)}`))],
  ['8 KiB of percent-encoding, byte by byte', single(line(`GET /${long(2726, '%41')}`))],
  ['8 KiB of brackets in a path', [line(`GET /${long(8178, '[')}`)]],
  ['8 KiB of brackets in the query of a URI', [line(`GET http://a?${long(8170, '[')}`)]],
  ['a field value of 16 KiB, byte by byte', single(head(raw`A: ${long(16_370)}\r\n`))],
  ['16 KiB of white space, byte by byte', single(head(raw`A:${long(16_371, ' ')}\r\n`))],
  ['16 KiB of white space after a value, byte by byte',
    single(head(raw`A: x${long(16_369, ' ')}\r\n`))],
  ['a field name of 16 KiB, byte by byte', single(head(raw`${long(16_371)}:\r\n`))],
  ['a field name of 16 KiB, in pieces of 100 bytes', cut(head(raw`${long(16_371)}:\r\n`), 100)],
  ['100 field lines, byte by byte', single(head(long(99, raw`A:\r\n`)))],
  ['16 KiB in 100 field lines, in one piece', [head(FIELDS)]],
  ['16 KiB in 100 field lines, byte by byte', single(head(FIELDS))],
  ['16 KiB of content, byte by byte', single(length(16_384), Buffer.alloc(16_384))],
  ['1 MiB of content, in pieces of 1 KiB', [length(MEBI), ...cut(Buffer.alloc(MEBI), 1024)]],
  ['1 MiB of content, all but its last byte in one piece',
    [Buffer.concat([length(MEBI), Buffer.alloc(MEBI - 1)]), Buffer.alloc(1)]],
  ['8 KiB in chunks of one byte, in one piece',
    [Buffer.concat([CHUNKED, Buffer.alloc(6 * 8192, '1\r\nx\r\n'), END])]],
  ['2 KiB in chunks of one byte, byte by byte',
    single(CHUNKED, Buffer.alloc(6 * 2048, '1\r\nx\r\n'), END)],
  ['1 MiB in chunks of 1 KiB, in one piece',
    [Buffer.concat([CHUNKED, bytes(long(1024, raw`400\r\n${long(1024)}\r\n`)), END])]],
  ['a chunk of 16 KiB, byte by byte',
    single(CHUNKED, bytes(raw`4000\r\n`), Buffer.alloc(16_384), bytes(raw`\r\n`), END)],
  ['16 KiB of chunk extensions, byte by byte',
    single(CHUNKED, bytes(long(16, raw`1;${long(1000)}\r\nx\r\n`)), END)],
  ['a trailer section of 100 lines, byte by byte',
    single(CHUNKED, bytes(raw`0\r\n${long(100, raw`A:\r\n`)}\r\n`))],
  ['2,000 requests in one piece', [gets(2000)], 2000],
  ['2,000 requests with an IPv6 host in one piece', [gets(2000, '[::]')], 2000],
  ['1,000 requests, byte by byte', single(gets(1000)), 1000],
  ['1,000 requests, with an end and a start in each piece',
    cut(gets(1000), gets(1).length - 1), 1000],
];
// prettier-ignore
const REJECTED = [
  ['a method that never ends, byte by byte', single(bytes(long(8193)))],
  ['a request line that never ends, byte by byte', single(bytes(`GET /${long(8188)}`))],
  ['a field name that never ends, byte by byte',
    single(bytes(raw`GET / HTTP/1.1\r\n${long(16_385)}`))],
  ['a field value that never ends, byte by byte',
    single(bytes(raw`GET / HTTP/1.1\r\nA:${long(16_383)}`))],
  ['a chunk extension that never ends, byte by byte', single(CHUNKED, bytes(raw`1;${long(1023)}`))],
  ['8,000 SP in a request line, in one piece', [bytes(raw`GET /${long(8000, ' ')} HTTP/1.1\r\n`)]],
  ['8 KiB of brackets where a URI has its host', [line(`GET http://${long(8160, '[')}`)]],
  ['a Host of 900 bytes that begins like IPv6', [withHost(`[${long(450, '1:')}z]`)]],
] as const;

describe('the cost of reading', () => {
  for (const [what, pieces, requests = 1] of ACCEPTED) {
    it(`${what}: each byte is examined at most ${MOST} times on average`, () => {
      const cost = costOf(pieces);
      expect(cost.requests, 'requests').to.equal(requests);
      // Less than once would mean that bytes are examined without being counted.
      expect(cost.examined / cost.received).to.be.within(1, MOST);
    });
  }
  for (const [what, pieces] of REJECTED) {
    it(`${what}, is rejected: each byte is examined at most ${MOST} times`, () => {
      const cost = costOf(pieces);
      expect(cost.rejected).to.equal(true);
      expect(cost.examined / cost.received).to.be.within(1, MOST);
    });
  }
});
