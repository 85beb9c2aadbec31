import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Failure } from '../../src/http/failure';
import type { Request } from '../../src/http/message';
import { RequestReader } from '../../src/http/request-reader';
import { ends } from '../support/boundaries';
import { fuzz } from '../support/fuzz';
import { held } from '../support/held';
import { octets } from '../support/octets';
import { Random } from '../support/random';
import { read, type Outcome } from '../support/reading';
import { stream } from '../support/requests';

const MEBI = 1_048_576;
/** The room that the limits leave: of the line and the fields, twice, while they come; of the content, its octets and its text. */
const ROOM = 2 * (8192 + 16_384) + 2 * MEBI;
/** For what is there even with nothing received, and for the places of 100 field lines, some of which take less room than their numbers. */
const SMALL = 8192;

/** Gives a reader octets as a socket would, and looks at what it holds: little, by the longest request and the longest piece so far. */
function holdsLittle(pieces: readonly Buffer[], worthALook: () => boolean): void {
  const reader = new RequestReader();
  let [received, request, piece] = [0, 0, 0];
  for (const slice of pieces) {
    // A slice would hold what stands beside it, too.
    reader.push(Buffer.from(Uint8Array.from(slice).buffer));
    received += slice.length;
    piece = Math.max(piece, slice.length);
    request = Math.max(request, received);
    let { kind } = reader.next();
    for (; kind === 'request' || kind === 'continue'; { kind } = reader.next()) if (kind === 'request') received = slice.length;
    if (kind === 'refused') return;
    if (worthALook()) expect(held(reader), `octets held of ${request} in pieces of ${piece}`).to.be.at.most(SMALL + Math.min(4 * request, ROOM) + 4 * piece);
  }
}

function same(found: Outcome, expected: Outcome, how: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, how).to.deep.equal(expected);
}

function wellFormed({ method, path, headers, body }: Request): void {
  const token = /^[!#$%&'*+.^_`|~\w-]+$/;
  expect(method).to.match(token);
  expect(path).to.match(/^(?:[\w\-.~:/[\]@!$&'()*+,;=]|%[\da-f]{2})+$/i);
  expect(headers.length).to.be.at.most(100);
  for (const { name, value } of headers) {
    expect(name).to.match(token);
    expect(value).to.match(/^(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?$/);
  }
  expect(body.length).to.be.at.most(MEBI);
}

function wellRefused({ status, section, sentence, offset }: Failure, received: number): void {
  expect(status).to.be.oneOf([400, 413, 414, 417, 421, 431, 501, 505]);
  expect(section).to.match(/^(?:9110|9112|3986|6585) \d+(?:\.\d+)*$/);
  expect(sentence).to.match(/^[A-Z"]/);
  expect(offset).to.be.within(0, received);
}

// Small buffers of their own storage, that what is held can be measured: by default they share a pool.
const { poolSize } = Buffer;
const apart = (): void => {
  before(() => void (Buffer.poolSize = 0));
  after(() => void (Buffer.poolSize = poolSize));
};

describe('any octets at all', () => {
  apart();
  fuzz('are read to one outcome in every cut, request after request, within limits', 1.5, stream, (whole, random) => {
    const outcome = read([whole]);
    const { requests, end } = outcome;
    const starts = [0, ...ends(whole)];
    const last = starts.at(-1) ?? 0;
    expect(starts).to.have.lengthOf(requests.length + 1);
    for (const request of requests) wellFormed(request);
    if (end instanceof Failure) wellRefused(end, whole.length - last);
    else expect(end).to.equal('needMore');

    const single = Array.from(whole, (octet) => Buffer.of(octet));
    const ended = read([whole], true);
    same(ended, end instanceof Failure ? outcome : { requests, end: ended.end }, 'with the end of the connection behind');
    if (ended.end instanceof Failure) wellRefused(ended.end, whole.length - last);
    same(read(single), outcome, 'octet by octet');
    same(read(single, true), ended, 'octet by octet, with the end of the connection behind');
    for (let count = 0; count < 3; count += 1) {
      const pieces = random.cut(whole);
      same(read(pieces), outcome, `cut into ${pieces.map(({ length }) => length).join(' + ')}`);
    }
    for (const [index, start] of starts.entries()) {
      same(read([whole.subarray(start)]), { requests: requests.slice(index), end }, `from octet ${start} on, alone`);
    }
    holdsLittle(random.cut(whole), () => random.onceIn(8));
  });

  it('are made so that many are taken, and every rule is broken by some', () => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= 10_000; seed += 1) {
      const { requests, end } = read([stream(new Random(seed))]);
      const how = end instanceof Failure ? `${end.status} ${end.section}` : end;
      seen.set(how, (seen.get(how) ?? 0) + 1);
      seen.set('request', (seen.get('request') ?? 0) + requests.length);
    }
    expect(seen.get('request')).to.be.above(5000);
    expect([...seen.keys()]).to.include.members([
      'request', 'needMore',
      '400 3986 2', '400 9110 4.2.1', '400 9110 4.2.4', '400 9110 5.1', '400 9110 5.5', '400 9110 8.6',
      '400 9112 2.2', '400 9112 2.3', '400 9112 3', '400 9112 3.2', '400 9112 3.2.3', '400 9112 3.2.4', '400 9112 5', '400 9112 5.1', '400 9112 5.2',
      '400 9112 6.1', '400 9112 6.3', '400 9112 7', '400 9112 7.1',
      '413 9110 15.5.14', '414 9112 3', '417 9110 10.1.1', '421 9110 7.4', '431 6585 5', '501 9112 6.1', '505 9110 15.6.6',
    ]);
  }).timeout(20_000);
});

describe('a reader holds no more than the limits', () => {
  apart();
  const post = (line: string): string => String.raw`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`;
  for (const [what, start, endless] of [
    ['empty lines', '', String.raw`\r\n`],
    ['a method', '', 'x'],
    ['a request-target', 'GET /', 'x'],
    ['percent-encoding', 'GET /', '%41'],
    ['a field name', String.raw`GET / HTTP/1.1\r\n`, 'x'],
    ['a field value', String.raw`GET / HTTP/1.1\r\nA:`, 'x'],
    ['white space', String.raw`GET / HTTP/1.1\r\nA:`, ' '],
    ['field lines', String.raw`GET / HTTP/1.1\r\n`, String.raw`A:\r\n`],
    ['content of 1 MiB', post(`Content-Length: ${MEBI}`), 'x'],
    ['content of more', post(`Content-Length: ${10 * MEBI}`), 'x'],
    ['a chunk of 1 MiB', String.raw`${post('Transfer-Encoding: chunked')}100000\r\n`, 'x'],
    ['small chunks', post('Transfer-Encoding: chunked'), String.raw`1\r\nx\r\n`],
    ['a chunk-size', post('Transfer-Encoding: chunked'), '0'],
    ['a chunk extension', String.raw`${post('Transfer-Encoding: chunked')}1;`, 'x'],
    ['chunk extensions', post('Transfer-Encoding: chunked'), String.raw`1;a="${'x'.repeat(900)}"\r\nx\r\n`],
    ['trailer fields', String.raw`${post('Transfer-Encoding: chunked')}0\r\n`, String.raw`A: ${'x'.repeat(150)}\r\n`],
    ['whole requests', '', String.raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`],
  ] as const) {
    it(`of ${what} without end`, () => {
      const flood = Buffer.concat([octets(start), Buffer.alloc(2 * MEBI, octets(endless))]);
      for (const length of [1000, 65_536]) {
        holdsLittle(Array.from({ length: Math.ceil(flood.length / length) }, (_, at) => flood.subarray(at * length, (at + 1) * length)), () => true);
      }
    });
  }
  it('and next to nothing once it has read everything', () => {
    const reader = new RequestReader();
    reader.push(Buffer.alloc(28 * 2000, 'GET / HTTP/1.1\r\nHost: ab\r\n\r\n'));
    while (reader.next().kind === 'request');
    expect(held(reader)).to.be.below(SMALL);
  });
  it('and little of what came before, while it waits for content: what is cut from a text keeps the whole of it', () => {
    const sent = octets(String.raw`GET / HTTP/1.1\r\nHost: ab\r\n\r\n`.repeat(2000) + post('Content-Length: 9'));
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('no way to collect');
    const used = (): number => (collect(), getHeapStatistics().used_heap_size);
    const before = used();
    const readers = Array.from({ length: 200 }, () => new RequestReader());
    for (const reader of readers) {
      reader.push(sent);
      while (reader.next().kind === 'request');
    }
    expect((used() - before) / readers.length).to.be.below(SMALL);
  });
  it('and what it holds is found', () => {
    const reader = new RequestReader();
    for (const piece of [octets(post(`Content-Length: ${MEBI}`)), Buffer.alloc(100_000), Buffer.alloc(100_000)]) {
      reader.push(piece);
      reader.next();
    }
    expect(held(reader)).to.be.at.least(200_000);
  });
});
