import { expect } from 'chai';
import type { Request } from '../../src/http/message';
import type { Outcome } from '../../src/http/outcome';
import { ProtocolError } from '../../src/http/protocol-error';
import { ReaderTrace } from '../../src/trace/reader-trace';
import { ByteBudget, RequestReader } from '../../src/http/request-reader';
import { bytes, cut, raw } from '../support/bytes';
import { fuzz } from '../support/random-streams';
import { heldInAll } from '../support/garbage';
import { held } from '../support/held';
import { expectSame, read, requestEnds, type Result } from '../support/reading';
import { stream } from '../support/requests';

const MEBI = 1_048_576;
/** What the limits allow a reader to hold: the request line and the fields twice, while
 * they arrive, and the content twice, because its buffer doubles. */
const LIMITS = 2 * (8192 + 16_384) + 2 * MEBI;
/** What the budget always allows. */
const FREE = 4096;
/** What a reader holds when it has received nothing, and the text that it decodes ahead. */
const SMALL = 8192;
/** So many that what each holds counts more than what the heap gains meanwhile. */
const READERS = 100;
/** After these, the reader reads on without another piece. */
const GOES_ON: readonly Outcome['kind'][] = ['request', 'continue', 'pause'];

/** Pushes pieces as a socket would, and checks what the reader holds: little compared with
 * the longest request and the longest piece so far. */
function expectToHoldLittle(pieces: readonly Buffer[], shouldCheck: () => boolean): void {
  const reader = new RequestReader();
  let [received, request, longest] = [0, 0, 0];
  for (const piece of pieces) {
    // A buffer of its own: a slice would hold its neighbours, too.
    reader.push(Buffer.from(Uint8Array.from(piece).buffer));
    received += piece.length;
    longest = Math.max(longest, piece.length);
    request = Math.max(request, received);
    let { kind } = reader.next();
    for (; GOES_ON.includes(kind); { kind } = reader.next()) {
      if (kind === 'request') received = piece.length;
    }
    if (kind === 'rejected') return;
    if (!shouldCheck()) continue;
    const most = SMALL + Math.min(4 * request, LIMITS) + 4 * longest;
    const what = `held of ${request} bytes in pieces of ${longest}`;
    expect(held(reader), what).to.be.at.most(most);
  }
}

function expectWellFormed({ method, path, headers, body }: Request): void {
  const token = /^[!#$%&'*+.^_`|~\w-]+$/;
  expect(method).to.match(token);
  expect(path).to.match(/^[\w\-.~:/@!$&'()*+,;=%[\]^|]+$/);
  expect(headers.length).to.be.at.most(100);
  for (const { name, value } of headers) {
    expect(name).to.match(token);
    expect(value).to.match(/^(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?$/);
  }
  expect(body.length).to.be.at.most(MEBI);
}

function expectWellExplained(error: ProtocolError, received: number): void {
  expect(error.status).to.be.oneOf([400, 413, 414, 417, 421, 431, 501, 505]);
  expect(error.authority).to.be.oneOf(['required by', 'allowed by', 'our choice']);
  expect(error.section).to.match(/^(?:9110|9112|3986|6585) \d+(?:\.\d+)*$/);
  expect(error.reason).to.match(/^[A-Z"].*[^.]$/);
  expect(error.hint).to.match(/^[ -~]*$/);
  expect(error.offset).to.be.within(0, received);
}

/** A hint may be about the request before. */
function withoutHint({ requests, end }: Result): Result {
  if (!(end instanceof ProtocolError)) return { requests, end };
  const { authority, section, offset, reason, status } = end;
  return {
    requests,
    end: new ProtocolError(authority, section, offset, reason, { status }),
  };
}

// Small buffers get storage of their own, so that what is held can be measured; by default
// they share a pool.
const { poolSize } = Buffer;
function withoutPool(): void {
  before(() => void (Buffer.poolSize = 0));
  after(() => void (Buffer.poolSize = poolSize));
}

describe('random bytes', () => {
  withoutPool();
  const title =
    'random bytes are read alike in every cut, request after request, within the limits';
  fuzz(title, 100, stream, (whole, random) => {
    const result = read([whole]);
    const { requests, end } = result;
    const starts = [0, ...requestEnds(whole)];
    const last = starts.at(-1) ?? 0;
    expect(starts).to.have.lengthOf(requests.length + 1);
    for (const request of requests) expectWellFormed(request);
    if (end instanceof ProtocolError) expectWellExplained(end, whole.length - last);
    else expect(end).to.equal('wait');

    const single = Array.from(whole, (byte) => Buffer.of(byte));
    const ended = read([whole], true);
    const expected = end instanceof ProtocolError ? result : { requests, end: ended.end };
    expectSame(ended, expected, 'with the end of the connection');
    if (ended.end instanceof ProtocolError)
      expectWellExplained(ended.end, whole.length - last);
    expectSame(read(single), result, 'byte by byte');
    expectSame(read(single, true), ended, 'byte by byte, with the end of the connection');
    for (let count = 0; count < 3; count += 1) {
      const pieces = random.cut(whole);
      const how = `cut into ${pieces.map(({ length }) => length).join(' + ')}`;
      expectSame(read(pieces), result, how);
    }
    for (const [index, start] of starts.entries()) {
      const rest = { requests: requests.slice(index), end };
      const alone = read([whole.subarray(start)]);
      expectSame(withoutHint(alone), withoutHint(rest), `only from byte ${start}`);
    }
    expectToHoldLittle(random.cut(whole), () => random.onceIn(8));
  });

  fuzz(
    'random bytes are read alike with and without a trace',
    500,
    stream,
    (whole, random) => {
      let traced = 0;
      const trace = new ReaderTrace(() => void (traced += 1));
      const pieces = random.cut(whole);
      const result = read(pieces, true);
      expectSame(read(pieces, true, { trace }), result, 'with a trace');
      // A request line, a header section, its framing and its persistence.
      expect(traced).to.be.at.least(4 * result.requests.length);
    },
  );

  fuzz(
    'random bytes leave nothing charged once the reader is released',
    100,
    stream,
    (whole, random) => {
      const budget = new ByteBudget(random.oneOf([1, 100, 1000, 10_000]));
      const reader = new RequestReader({ budget });
      for (const piece of random.cut(whole)) {
        reader.push(piece);
        while (GOES_ON.includes(reader.next().kind));
        expect(budget.charged).to.be.within(0, budget.limit);
      }
      reader.release();
      expect(budget.charged).to.equal(0);
    },
  );
});

/** @returns how many bytes each of many readers holds that have read the same, and wait
 * for the rest of a request */
function heldByEach(pieces: readonly Buffer[], budget = new ByteBudget(Infinity)): number {
  const fill = (length: number): RequestReader[] =>
    Array.from({ length }, () => {
      const reader = new RequestReader({ budget });
      for (const piece of pieces) {
        reader.push(Buffer.from(Uint8Array.from(piece).buffer));
        while (GOES_ON.includes(reader.next().kind));
      }
      return reader;
    });
  for (const reader of fill(20)) reader.release(); // to warm up
  const before = heldInAll();
  const readers = fill(READERS);
  expect(readers.every(({ inRequest }) => inRequest)).to.equal(true);
  return (heldInAll() - before) / readers.length;
}

describe('a reader holds no more than the limits allow', () => {
  withoutPool();
  const post = (line: string): string => raw`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`;
  const chunked = post('Transfer-Encoding: chunked');
  for (const [what, start, endless] of [
    ['empty lines', '', raw`\r\n`],
    ['a method', '', 'x'],
    ['a request-target', 'GET /', 'x'],
    ['percent-encoding', 'GET /', '%41'],
    ['a field name', raw`GET / HTTP/1.1\r\n`, 'x'],
    ['a field value', raw`GET / HTTP/1.1\r\nA:`, 'x'],
    ['white space', raw`GET / HTTP/1.1\r\nA:`, ' '],
    ['field lines', raw`GET / HTTP/1.1\r\n`, raw`A:\r\n`],
    ['content of 1 MiB', post(`Content-Length: ${MEBI}`), 'x'],
    ['content of more', post(`Content-Length: ${10 * MEBI}`), 'x'],
    ['a chunk of 1 MiB', raw`${chunked}100000\r\n`, 'x'],
    ['small chunks', chunked, raw`1\r\nx\r\n`],
    ['a chunk-size', chunked, '0'],
    ['a chunk extension', raw`${chunked}1;`, 'x'],
    ['chunk extensions', chunked, raw`1;a="${'x'.repeat(900)}"\r\nx\r\n`],
    ['trailer fields', raw`${chunked}0\r\n`, raw`A: ${'x'.repeat(150)}\r\n`],
    ['whole requests', '', raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['whole requests with content', '', raw`${post('Content-Length: 9')}GET / HTT`],
  ] as const) {
    it(`a reader of ${what} without end holds no more than the limits allow`, () => {
      const flood = Buffer.alloc(1.25 * MEBI, bytes(endless));
      for (const length of [1000, 65_536]) {
        const pieces = cut(Buffer.concat([bytes(start), flood]), length);
        expectToHoldLittle(pieces, () => true);
      }
    });
  }

  // prettier-ignore
  for (const [what, pieces, content] of [
    ['the bytes of a header section while it waits for content',
      [bytes(post(raw`${raw`A: ${'x'.repeat(150)}\r\n`.repeat(98)}Content-Length: 9`))], 98 * 151],
    ['the chunk lines of the chunks that it has read',
      [bytes(chunked), ...Array<Buffer>(100).fill(bytes(raw`1;${'x'.repeat(150)}\r\nx\r\n`))], 100],
    ['the pieces that the content of a chunk arrived in',
      [bytes(raw`${chunked}100000\r\n`), ...cut(Buffer.alloc(500_000), 1000)], 500_000],
    ['the pieces that content of a known length arrived in',
      [bytes(post(`Content-Length: ${MEBI}`)), ...cut(Buffer.alloc(500_000), 1000)], 500_000],
  ] as const) {
    it(`a reader lets go of ${what}`, () => {
      const reader = new RequestReader();
      for (const piece of pieces) {
        reader.push(Buffer.from(Uint8Array.from(piece).buffer));
        expect(reader.next().kind).to.equal('wait');
      }
      // The buffer of the content grows by steps, so more than what has arrived may be
      // held.
      expect(held(reader)).to.be.below(1.5 * content + SMALL);
    });
  }

  // prettier-ignore
  for (const [what, ...pieces] of [
    ['content that arrived in one piece', post('Content-Length: 200000') + 'x'.repeat(65_000)],
    ['a chunk that arrived in one piece', raw`${chunked}20000\r\n${'x'.repeat(65_000)}`],
    ['chunk extensions',
      chunked, ...Array<string>(14).fill(raw`1;${'x'.repeat(1000)}\r\nx\r\n`)],
    ['a header section of 24 KB',
      raw`GET /${'x'.repeat(8000)} HTTP/1.1\r\n` + raw`A: ${'x'.repeat(165)}\r\n`.repeat(90)],
    ['a header section of 24 KB, and waits for content',
      raw`GET /${'x'.repeat(8000)} HTTP/1.1\r\nHost: a\r\n` +
        raw`${raw`A: ${'x'.repeat(1100)}\r\n`.repeat(13)}Content-Length: 9\r\n\r\n`],
    ['a trailer section', raw`${chunked}0\r\n` + raw`A: ${'x'.repeat(165)}\r\n`.repeat(90)],
    ['short field lines', raw`GET / HTTP/1.1\r\n` + raw`A:\r\n`.repeat(99)],
    ['content that is the end of a large piece',
      raw`GET /${'x'.repeat(250)} HTTP/1.1\r\nHost: ab\r\n\r\n`.repeat(50) +
        post('Content-Length: 9') + '12345678'],
    ['a byte that is the end of a large piece',
      raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2400) + 'G'],
  ] as const) {
    it(`a reader of ${what} holds at most twice what the budget counts, and 16 KiB`, () => {
      const budget = new ByteBudget(Infinity);
      const each = heldByEach(pieces.map(bytes), budget);
      // The first 4 KiB are not counted, nor are the objects of up to 100 field lines.
      const counted = FREE + budget.charged / READERS;
      expect(each).to.be.below(2 * counted + 16_384);
    });
  }

  it('(self-check) finds memory that is held on purpose', () => {
    const reader = new RequestReader();
    const head = bytes(post(`Content-Length: ${MEBI}`));
    for (const piece of [head, Buffer.alloc(100_000), Buffer.alloc(100_000)]) {
      reader.push(piece);
      reader.next();
    }
    expect(held(reader)).to.be.at.least(200_000);
  });

  // Text that is cut from a longer text keeps all of it, and only the heap shows that.
  const get = raw`GET /${'x'.repeat(250)} HTTP/1.1\r\nHost: ab\r\n\r\n`;
  const fields = raw`Field-Name: ${'x'.repeat(142)}\r\n`.repeat(98);
  // prettier-ignore
  for (const [what, sent, piece, most] of [
    ['almost nothing of earlier requests',
      get.repeat(100) + post('Content-Length: 9'), 65_536, SMALL],
    ['almost nothing of earlier content',
      (post('Content-Length: 1000') + 'x'.repeat(1000)).repeat(20) + 'GET', 4000, SMALL],
    ['at most twice the field lines of a request',
      post(raw`${fields}Content-Length: 9`), 4000, 2 * 16_384 + SMALL],
  ] as const) {
    it(`a reader keeps ${what} on the heap`, () => {
      expect(heldByEach(cut(bytes(sent), piece))).to.be.below(most);
    });
  }
});
