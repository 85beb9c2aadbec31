import { expect } from 'chai';
import type { ContentBudget } from '../../src/http/content';
import type { Request } from '../../src/http/message';
import { RequestReader } from '../../src/http/request-reader';
import { bytes, cuts, raw } from '../support/bytes';
import { messages, read, readInEveryCut, rejections } from '../support/reading';

const MEBI = 1_048_576;
const post = (line: string, content = ''): string =>
  raw`POST / HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n${content}`;
/** The content starts at byte 56. */
const chunked = (content: string): string => post('Transfer-Encoding: chunked', content);
const END = raw`0\r\n\r\n`;

describe('content (9110 §6.4)', () => {
  describe('has at most 1 MiB, and more is rejected with 413 (9110 §15.5.14)', () => {
    it('1 MiB of content by Content-Length is accepted', () => {
      const head = bytes(post(`Content-Length: ${MEBI}`));
      const { requests, end } = read([head, Buffer.alloc(MEBI - 1, 'x'), bytes('y')]);
      expect(end).to.equal('wait');
      expect(requests[0]?.body).to.equal(`${'x'.repeat(MEBI - 1)}y`);
    });
    it('1 MiB of content in one chunk is accepted', () => {
      const head = bytes(chunked(raw`100000\r\n`));
      const { requests } = read([head, Buffer.alloc(MEBI, 'x'), bytes(raw`\r\n${END}`)]);
      expect(requests[0]?.body).to.have.lengthOf(MEBI);
    });
    it('1 MiB of content in chunks of one byte is accepted', () => {
      const pieces = [bytes(chunked('')), Buffer.from('1\r\nx\r\n'.repeat(MEBI)), bytes(END)];
      const { requests, end } = read(pieces);
      expect(end).to.equal('wait');
      expect(requests[0]?.body).to.have.lengthOf(MEBI);
    });
    it('a Content-Length over 1 MiB is rejected when the first byte of the content arrives', () => {
      const head = bytes(post(`Content-Length: ${MEBI + 1}`));
      expect(read([head]).end).to.equal('wait');
      const { end } = readInEveryCut(Buffer.concat([head, bytes('x')]));
      const expected = { status: 413, authority: 'our choice', section: '9110 15.5.14' };
      expect(end).to.include({ ...expected, offset: head.length });
    });
    it('a Content-Length over 1 MiB is rejected at once if the client waits for 100', () => {
      const head = bytes(post(raw`Expect: 100-continue\r\nContent-Length: ${MEBI + 1}`));
      expect(read([head]).end).to.include({ status: 413, offset: head.length });
    });
    rejections('rejects more than 1 MiB of content in …', [
      [
        'one chunk, when its chunk line is whole',
        chunked(raw`100001\r\n`),
        413,
        'our choice',
        '9110 15.5.14',
        56,
      ],
      [
        'one chunk with an extension',
        chunked(raw`100001;a\r\n`),
        413,
        'our choice',
        '9110 15.5.14',
        56,
      ],
      [
        'the largest chunk there is',
        chunked(raw`1FFFFFFFFFFFFF\r\n`),
        413,
        'our choice',
        '9110 15.5.14',
        56,
      ],
      ['a later chunk', chunked(raw`1\r\nx\r\n100000\r\n`), 413, 'our choice', '9110 15.5.14', 62],
      [
        'a chunk whose line is malformed, which is judged first',
        chunked(raw`100001x\r\n`),
        400,
        'allowed by',
        '9112 7.1',
        62,
      ],
      [
        'a chunk whose extension is malformed, which is judged first',
        chunked(raw`100001;\r\n`),
        400,
        'allowed by',
        '9112 7.1.1',
        63,
      ],
    ]);
    messages([
      [
        chunked(raw`100001\r\n`),
        'The content exceeds 1048576 bytes ' +
          '(our choice: RFC 9110 section 15.5.14 defines the status), at byte 56',
      ],
    ]);
  });

  describe('has a budget for all connections, and more is rejected with 503 (9110 §15.6.4)', () => {
    const readWithBudget = (budget: ContentBudget, ...pieces: string[]) =>
      read(pieces.map(bytes), false, { budget });
    const tooMuch = { status: 503, authority: 'our choice', section: '9110 15.6.4' };
    const head = post('Content-Length: 4');
    const { length } = bytes(head);

    for (const [how, pieces, offset] of [
      ['by Content-Length, in one piece', [post('Content-Length: 4', 'abcd')], length],
      ['by Content-Length, in two pieces', [head, 'ab', 'cd'], length + 2],
      ['in one chunk', [chunked(raw`4\r\nabcd\r\n${END}`)], 59],
      ['in two chunks', [chunked(raw`3\r\nabc\r\n1\r\nd\r\n${END}`)], 67],
    ] as const) {
      it(`the budget is checked before content is read: ${how}`, () => {
        const { end } = readWithBudget({ left: 3 }, ...pieces);
        expect(end).to.include({ ...tooMuch, offset });
        expect(readWithBudget({ left: 4 }, ...pieces).requests).to.have.lengthOf(1);
      });
    }
    it('the budget counts what has arrived, and not what was announced', () => {
      const budget = { left: 4 };
      expect(readWithBudget(budget, post('Content-Length: 1000', 'abc')).end).to.equal('wait');
      expect(readWithBudget(budget, post('Content-Length: 1', 'd')).requests).to.have.lengthOf(1);
    });
    it('all readers of a server share one budget', () => {
      const budget = { left: 4 };
      expect(readWithBudget(budget, head, 'abc').end).to.equal('wait');
      expect(readWithBudget(budget, head, 'ab').end).to.include(tooMuch);
      expect(readWithBudget(budget, head, 'a').end).to.equal('wait');
    });
    it('the budget gets back the content of a request when it is released', () => {
      const budget = { left: 4 };
      const byLength = post('Content-Length: 4', 'abcd');
      const inChunks = chunked(raw`4\r\nabcd\r\n${END}`);
      for (const message of [byLength, inChunks]) {
        const reader = new RequestReader({ budget });
        reader.push(bytes(message));
        expect(reader.next().kind).to.equal('request');
        expect(budget.left, 'while the request waits for its turn').to.equal(0);
        reader.releaseContent();
        reader.releaseContent();
        expect(budget.left, 'after its response').to.equal(4);
      }
    });
    it('the budget gets back the content of a rejected request when it is released', () => {
      const budget = { left: 4 };
      const reader = new RequestReader({ budget });
      reader.push(bytes(chunked(raw`4\r\nabcdX`)));
      expect(reader.next()).to.have.property('kind', 'rejected');
      reader.releaseContent();
      expect(budget.left).to.equal(4);
    });
  });

  it('content that arrives whole is not copied: a request holds the bytes that were pushed', () => {
    const whole = bytes(post('Content-Length: 3', 'abc'));
    const reader = new RequestReader();
    reader.push(whole);
    const outcome = reader.next();
    // Pushed bytes must not be changed; this test breaks the rule to see who holds them.
    whole.write('xyz', whole.length - 3);
    expect(outcome).to.have.property('kind', 'request');
    if (outcome.kind === 'request') expect(outcome.request.body).to.equal('xyz');
  });

  it('content stays the same while the reader reads the next requests', () => {
    const byLength = (content: string): string =>
      post(`Content-Length: ${content.length}`, content);
    const inChunks = (content: string): string => chunked(raw`3\r\n${content}\r\n${END}`);
    const whole = bytes([byLength('abc'), inChunks('def'), byLength('ghi'), byLength('')].join(''));
    for (const pieces of cuts(whole)) {
      const reader = new RequestReader();
      const requests: Request[] = [];
      for (const piece of pieces) {
        reader.push(piece);
        for (let found = reader.next(); found.kind === 'request'; found = reader.next()) {
          requests.push(found.request);
          reader.releaseContent();
        }
      }
      expect(requests.map(({ body }) => body)).to.deep.equal(['abc', 'def', 'ghi', '']);
    }
  });
});
