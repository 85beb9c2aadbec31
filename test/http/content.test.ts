import { expect } from 'chai';
import type { Request } from '../../src/http/message';
import { ProtocolError } from '../../src/http/protocol-error';
import { ByteBudget, RequestReader } from '../../src/http/request-reader';
import { bytes, cut, cuts, raw } from '../support/bytes';
import { Random } from '../support/random';
import { read, readInEveryCut } from '../support/reading';

const MEBI = 1_048_576;
const post = (line: string, content = ''): string =>
  raw`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n${content}`;
/** The content starts at byte 56. */
const chunked = (content: string): string => post('Transfer-Encoding: chunked', content);
const END = raw`0\r\n\r\n`;

describe('content (9110 §6.4)', () => {
  // prettier-ignore
  for (const [what, pieces, length] of [
    ['by Content-Length',
      [bytes(post(`Content-Length: ${MEBI}`)), Buffer.alloc(MEBI - 1, 'x'), bytes('x')], MEBI],
    ['in one chunk',
      [bytes(chunked(raw`100000\r\n`)), Buffer.alloc(MEBI, 'x'), bytes(raw`\r\n${END}`)], MEBI],
    ['in chunks of one byte',
      [bytes(chunked('')), Buffer.from('1\r\nx\r\n'.repeat(MEBI)), bytes(END)], MEBI],
  ] as const) {
    it(`1 MiB of content is accepted ${what}`, () => {
      const { requests, end } = read(pieces);
      expect(end).to.equal('wait');
      expect(requests[0]?.body === 'x'.repeat(length)).to.equal(true);
    });
  }
  it('a Content-Length over 1 MiB is rejected when the first byte of the content arrives', () => {
    const head = bytes(post(`Content-Length: ${MEBI + 1}`));
    expect(read([head]).end).to.equal('wait');
    const expected = { status: 413, section: '9110 15.5.14', offset: head.length };
    expect(readInEveryCut(Buffer.concat([head, bytes('x')])).end).to.include(expected);
    expect(read([Buffer.concat([head, Buffer.alloc(MEBI + 1)])]).end).to.include(expected);
  });

  describe('shares a budget with all connections: beyond it, 503 (9110 §15.6.4)', () => {
    const HEAD_OF_20000 = post('Content-Length: 20000');
    const x = (count: number): string => 'x'.repeat(count);
    const field = raw`A: ${x(150)}\r\n`;
    const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
    const inFours = (text: string): string[] => text.match(/[^]{1,4000}/g) ?? [];

    /** @returns the budget after the pieces, and the most that it held on the way */
    function hold(limit: number, pieces: readonly string[]) {
      const budget = new ByteBudget(limit);
      const reader = new RequestReader({ budget });
      let most = 0;
      let outcome = reader.next();
      for (const piece of pieces) {
        reader.push(bytes(piece));
        most = Math.max(most, budget.charged);
        if (outcome.kind !== 'request') outcome = reader.next();
        while (outcome.kind === 'pause') outcome = reader.next();
        most = Math.max(most, budget.charged);
        if (outcome.kind === 'rejected') break;
      }
      return { budget, most, outcome, reader };
    }

    const FIELDS = Array<string>(90).fill(field);
    // prettier-ignore
    for (const [what, pieces, held] of [
      ['content in one piece', [HEAD_OF_20000 + x(20_000)], 20_000],
      ['content in many pieces', [HEAD_OF_20000, ...inFours(x(16_000))], 16_000],
      ['content in one chunk', [chunked(raw`4000\r\n`), x(9000)], 9000],
      ['content in many chunks',
        [chunked(''), ...Array<string>(9).fill(raw`3e8\r\n${x(1000)}\r\n`)], 9000],
      ['a head in one piece', [raw`GET / HTTP/1.1\r\n${field.repeat(90)}`], 90 * 155],
      ['a head in many pieces', [raw`GET / HTTP/1.1\r\n`, ...FIELDS], 90 * 155],
      ['a trailer section', [chunked(raw`0\r\n`), ...FIELDS], 90 * 155],
      ['a request line', ['GET /', ...inFours(x(8000))], 8000],
      ['what follows a complete request',
        [GET, ...Array<string>(9).fill(GET.repeat(100))], 900 * 27],
    ] as const) {
      it(`the budget is charged for ${what}`, () => {
        const { most } = hold(Infinity, pieces);
        const received = bytes(pieces.join('')).length;
        expect(most, 'the first 4 KiB are free').to.equal(received - 4096);
        // What follows a complete request is charged when the reader goes on.
        const read = (limit: number) => {
          let { outcome, reader } = hold(limit, pieces);
          while (outcome.kind === 'request') outcome = reader.next();
          return outcome;
        };
        expect(read(most).kind).to.equal('wait');
        expect(read(held / 4)).to.have.nested.property('error.status', 503);
      });
    }
    it('a rejection beyond the budget points at the first byte that is not held', () => {
      for (const pieces of [
        [HEAD_OF_20000 + x(20_000)],
        [HEAD_OF_20000, x(20_000)],
        [HEAD_OF_20000, ...inFours(x(16_000))],
      ]) {
        const { outcome } = hold(9000, pieces);
        const expected = { status: 503, authority: 'our choice', section: '9110 15.6.4' };
        expect(outcome).to.have.property('error').that.includes(expected);
        expect(outcome).to.have.nested.property('error.offset', 9000 + 4096);
        expect(outcome).to.include({ method: 'POST' });
      }
    });
    it('what is read within the budget does not depend on how the bytes were cut', () => {
      const random = new Random(7);
      const fields = (count: number): string => raw`A:b\r\n`.repeat(count);
      const messages = [
        post('Content-Length: 5000', x(5000)),
        chunked(raw`bb8\r\n${x(3000)}\r\n3e8\r\n${x(1000)}\r\n${END}`),
        raw`GET /${x(6000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
        raw`GET / HTTP/1.1\r\nHost: a\r\n${fields(60)}\r\n`,
        chunked(raw`0\r\n${fields(60)}\r\n`),
      ];
      const seen = new Set<string>();
      for (const message of messages) {
        const whole = bytes(message);
        for (let limit = 0; limit < 8000; limit += 1000) {
          const readIn = (pieces: readonly Buffer[]): string => {
            const budget = new ByteBudget(limit);
            const { requests, end } = read(pieces, false, { budget });
            const isError = end instanceof ProtocolError;
            return `${requests.length}, ${isError ? `${end.status} at ${end.offset}` : end}`;
          };
          const result = readIn([whole]);
          seen.add(result.replace(/ at .*/, ''));
          for (const pieces of [cut(whole, 1), random.cut(whole), random.cut(whole)]) {
            const what = `${message.slice(0, 60)} within ${limit}`;
            expect(readIn(pieces), what).to.equal(result);
          }
        }
      }
      expect([...seen]).to.have.members(['1, wait', '0, 503']);
    });
    it('a request that is complete is read, and the excess after it is rejected', () => {
      const complete = raw`HEAD /${x(3000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
      const reader = new RequestReader({ budget: new ByteBudget(0) });
      reader.push(bytes(complete + post('Content-Length: 5000', x(5000))));
      expect(reader.next()).to.have.nested.property('request.method', 'HEAD');
      const outcome = reader.next();
      const offset = 4096 - bytes(complete).length;
      expect(outcome).to.have.nested.property('error.offset', offset);
      expect(outcome).to.include({ kind: 'rejected', method: 'POST' });
      const arrived = bytes(post('Content-Length: 5000', x(5000))).length;
      expect(outcome).to.include({ bytesAfter: arrived - offset - 1 });
    });
    it('the method of a request with a response is not that of the next one', () => {
      const head = raw`HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 4000\r\n\r\n`;
      const complete = head.replace('/', `/${x(96 - bytes(head).length)}`) + x(4000);
      const reader = new RequestReader({ budget: new ByteBudget(0) });
      reader.push(bytes(complete));
      expect(reader.next()).to.have.nested.property('request.method', 'HEAD');
      // The HEAD waits for its turn, and the connection holds all that it may.
      reader.push(bytes(post('Content-Length: 5000', x(5000))));
      expect(reader.next()).to.include({ kind: 'rejected', method: '' });
    });
    it('the reader does not ask for content that has arrived, but is over the budget', () => {
      const expecting = post(
        raw`A: ${x(3000)}\r\nExpect: 100-continue\r\nContent-Length: 9000`,
      );
      const before = GET.replace('/', `/${x(4096 - bytes(GET + expecting).length)}`);
      const reader = new RequestReader({ budget: new ByteBudget(0) });
      reader.push(bytes(before + expecting));
      expect(reader.next().kind).to.equal('request');
      reader.push(Buffer.alloc(9000)); // while the first request waits for its turn
      expect(reader.next()).to.have.nested.property('error.status', 503);
    });
    it('the budget gets back what a request held once it has its response', () => {
      const content = x(20_000);
      const budget = new ByteBudget(50_000);
      const reader = new RequestReader({ budget });
      for (const message of [
        HEAD_OF_20000 + content,
        chunked(raw`4e20\r\n${content}\r\n${END}`),
        HEAD_OF_20000 + content,
      ]) {
        reader.push(bytes(message));
        expect(reader.next().kind).to.equal('request');
        const held = bytes(message).length - 4096;
        expect(budget.charged, 'while the request waits for its turn').to.equal(held);
        expect(reader.next().kind).to.equal('wait');
        expect(budget.charged, 'after its response').to.equal(0);
      }
    });
    it('the budget gets back what a rejected request held when it is released', () => {
      const pieces = [chunked(raw`4e20\r\n`), x(20_000), 'X'];
      const { budget, outcome, reader } = hold(50_000, pieces);
      expect(outcome.kind).to.equal('rejected');
      expect(budget.charged).to.be.at.least(15_904);
      reader.release();
      expect(budget.charged).to.equal(0);
    });
  });

  it('content stays the same while the reader reads the next requests', () => {
    const byLength = (content: string): string =>
      post(`Content-Length: ${content.length}`, content);
    const inChunks = (content: string): string => chunked(raw`3\r\n${content}\r\n${END}`);
    const all = [byLength('abc'), inChunks('def'), byLength('ghi'), byLength('')];
    const whole = bytes(all.join(''));
    for (const pieces of cuts(whole)) {
      const reader = new RequestReader();
      const requests: Request[] = [];
      for (const piece of pieces) {
        reader.push(piece);
        for (let found = reader.next(); found.kind === 'request'; found = reader.next()) {
          requests.push(found.request);
        }
      }
      expect(requests.map(({ body }) => body)).to.deep.equal(['abc', 'def', 'ghi', '']);
    }
  });
});
