import { expect } from 'chai';
import { RequestReader } from '../../src/http/request-reader';
import { Counter } from '../support/counting';
import { octets } from '../support/octets';

/** How often an octet may be looked at on the average, whatever comes and however it is cut. */
const MOST = 8;
const MEBI = 1_048_576;

/** @returns how many requests were read, and how often the octets were looked at */
function looks(pieces: readonly Buffer[]): { readonly requests: number; readonly perOctet: number } {
  const counter = new Counter();
  const reader = new RequestReader();
  let [requests, received] = [0, 0];
  counter.run(() => {
    for (const piece of pieces) {
      received += piece.length;
      reader.push(counter.count(piece));
      for (let { kind } = reader.next(); kind === 'request'; { kind } = reader.next()) requests += 1;
    }
  });
  return { requests, perOctet: counter.looks / received };
}

const cut = (whole: Buffer, length: number): Buffer[] => Array.from({ length: Math.ceil(whole.length / length) }, (_, at) => whole.subarray(at * length, (at + 1) * length));
const single = (...parts: readonly Buffer[]): Buffer[] => cut(Buffer.concat(parts), 1);
const long = (count: number, text = 'x'): string => text.repeat(count);
const head = (lines: string): Buffer => octets(String.raw`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
const line = (target: string): Buffer => octets(String.raw`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
const length = (count: number): Buffer => head(String.raw`Content-Length: ${count}\r\n`);
const CHUNKED = head(String.raw`Transfer-Encoding: chunked\r\n`);
const END = octets(String.raw`0\r\n\r\n`);
const gets = (count: number, host = 'a'): Buffer => Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(count));

describe(`an octet is looked at ${MOST} times at most, on the average of`, () => {
  for (const [what, requests, pieces] of [
    ['a method of 8 KiB, octet by octet', 1, single(octets(String.raw`${long(8176)} / HTTP/1.1\r\nHost: a\r\n\r\n`))],
    ['a request line of 8 KiB, octet by octet', 1, single(line(`/${long(8178)}`))],
    ['8 KiB of percent-encoding, octet by octet', 1, single(line(`/${long(2726, '%41')}`))],
    ['a field value of 16 KiB, octet by octet', 1, single(head(String.raw`A: ${long(16_370)}\r\n`))],
    ['a field value of 16 KiB of white space, octet by octet', 1, single(head(String.raw`A:${long(16_371, ' ')}\r\n`))],
    ['a field value with 16 KiB of white space behind it, octet by octet', 1, single(head(String.raw`A: x${long(16_369, ' ')}\r\n`))],
    ['a field name of 16 KiB, octet by octet', 1, single(head(String.raw`${long(16_371)}:\r\n`))],
    ['100 field lines, octet by octet', 1, single(head(long(99, String.raw`A:\r\n`)))],
    ['16 KiB in 100 field lines, in one piece', 1, [head(long(99, String.raw`Name: ${long(150)}\r\n`))]],
    ['16 KiB in 100 field lines, octet by octet', 1, single(head(long(99, String.raw`Name: ${long(150)}\r\n`)))],
    ['64 KiB of content, octet by octet', 1, single(length(65_536), Buffer.alloc(65_536))],
    ['1 MiB of content, in pieces of 1 KiB', 1, [length(MEBI), ...cut(Buffer.alloc(MEBI), 1024)]],
    ['1 MiB of content, all but its last octet in one piece', 1, [Buffer.concat([length(MEBI), Buffer.alloc(MEBI - 1)]), Buffer.alloc(1)]],
    ['1 MiB in chunks of one octet, in one piece', 1, [Buffer.concat([CHUNKED, Buffer.alloc(6 * MEBI, '1\r\nx\r\n'), END])]],
    ['16 KiB in chunks of one octet, octet by octet', 1, single(CHUNKED, Buffer.alloc(6 * 16_384, '1\r\nx\r\n'), END)],
    ['a chunk of 64 KiB, octet by octet', 1, single(CHUNKED, octets(String.raw`10000\r\n`), Buffer.alloc(65_536), octets(String.raw`\r\n`), END)],
    ['16 KiB of chunk extensions, octet by octet', 1, single(CHUNKED, octets(long(16, String.raw`1;${long(1000)}\r\nx\r\n`)), END)],
    ['a trailer section of 16 KiB, octet by octet', 1, single(CHUNKED, octets(String.raw`0\r\nA: ${long(16_370)}\r\n\r\n`))],
    ['a trailer section of 100 lines, octet by octet', 1, single(CHUNKED, octets(String.raw`0\r\n${long(100, String.raw`A:\r\n`)}\r\n`))],
    ['20,000 requests in one piece', 20_000, [gets(20_000)]],
    ['20,000 requests with an IPv6 host in one piece', 20_000, [gets(20_000, '[::]')]],
    ['1,000 requests, octet by octet', 1000, single(gets(1000))],
    ['1,000 requests, an end and a start in each piece', 1000, cut(gets(1000), gets(1).length - 1)],
  ] as const) {
    it(what, () => {
      const found = looks(pieces);
      expect(found.requests, 'requests').to.equal(requests);
      // Less than once would mean that somebody looks unseen.
      expect(found.perOctet).to.be.within(1, MOST);
    }).timeout(30_000);
  }
});
