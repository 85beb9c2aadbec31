import { expect } from 'chai';
import { ReaderTrace, type ReaderEvent } from '../../src/trace/reader-trace';
import { ProtocolError } from '../../src/http/protocol-error';
import { ByteBudget, RequestReader } from '../../src/http/request-reader';
import { bytes, raw } from '../support/bytes';
import { pathsOf, read, readInEveryCut } from '../support/reading';

const GET = raw`GET /1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const POST = raw`POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
const CHUNKED_HEAD = raw`PUT /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const CHUNKED = raw`${CHUNKED_HEAD}2\r\nxy\r\n0\r\nT: 1\r\n\r\n`;
const BAD = raw`GET /4 HTTP/1.1\r\nHost : a\r\n\r\n`;
const post = (lines: string, version = 'HTTP/1.1'): string =>
  raw`POST / ${version}\r\nHost: a\r\n${lines}\r\n\r\n`;
const pathsRead = (message: string): string[] => pathsOf(readInEveryCut(bytes(message)));

/** A reader that has read all that it can of these pieces. */
function readerOf(...pieces: string[]): RequestReader {
  const reader = new RequestReader();
  for (const piece of pieces) {
    reader.push(bytes(piece));
    while (['continue', 'request'].includes(reader.next().kind));
  }
  return reader;
}

/** The method that the reader knows when it rejects the pieces, or waits for more of
 * them. */
function methodOf(...pieces: string[]): string {
  const reader = new RequestReader();
  for (const piece of pieces) {
    reader.push(bytes(piece));
    let outcome = reader.next();
    while (outcome.kind === 'request') outcome = reader.next();
    if (outcome.kind === 'rejected') return outcome.method;
  }
  return reader.giveUp('too slow').method;
}

describe('the reader of a connection', () => {
  it('pipelined requests are read one after another (9112 §9.3.2)', () => {
    expect(pathsRead(GET + POST + CHUNKED + GET)).to.deep.equal(['/1', '/2', '/3', '/1']);
  });
  it('an empty line before a request is ignored (9112 §2.2)', () => {
    expect(pathsRead(raw`\r\n${POST}\r\n${GET}\r\n`)).to.deep.equal(['/2', '/1']);
  });
  it('the requests before a wrong one are read, and then the wrong one is rejected', () => {
    const result = readInEveryCut(bytes(GET + BAD + GET));
    expect(pathsOf(result)).to.deep.equal(['/1']);
    expect(result.end).to.include({ status: 400, section: '9112 5.1', offset: 21 });
  });
  it('nothing is read after a wrong request', () => {
    expect(pathsRead(BAD + GET + GET)).to.deep.equal([]);
    const reader = readerOf(BAD + GET);
    reader.push(bytes(GET));
    expect(reader.next().kind).to.equal('finished');
  });
  it('what follows the last chunk is a trailer section, never a request', () => {
    const smuggled = CHUNKED.replace(raw`T: 1\r\n\r\n`, GET);
    expect(pathsRead(smuggled)).to.deep.equal([]);
  });
  it('20,000 requests are read from one piece', () => {
    const whole = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000));
    expect(read([whole]).requests).to.have.lengthOf(20_000);
  });

  // A response to HEAD has no content.
  // prettier-ignore
  for (const [method, ...messages] of [
    ['HEAD', raw`HEAD /" HTTP/1.1\r\n`, raw`HEAD / HTTP/2.0\r\n`, raw`HEAD  / HTTP/1.1\r\n`,
      raw`HEAD /\r\n`, raw`HEAD /\0`, `HEAD /${'x'.repeat(8192)}`, raw`HEAD / HTTP/1.1\r\n\r\n`,
      raw`HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n`,
      raw`${GET}HEAD /" HTTP/1.1\r\n`],
    ['PUT', raw`${CHUNKED_HEAD}x\r\n`],
    ['', raw`HEAD\t/ HTTP/1.1\r\n`, raw`GET\t/ HTTP/1.1\r\nHEAD / HTTP/1.1\r\n`,
      raw`\r\n\r\nHEAD / HTTP/1.1\r\n`, raw`${GET}(\r\n`],
    // These are given up, because they are not complete.
    ['HEAD', raw`HEAD / HTTP/1.1\r\nHo`, 'HEAD '], ['', 'HEAD'],
  ] as const) {
    for (const message of messages) {
      it(`the rejection of ${message.slice(0, 60)} knows the method "${method}"`, () => {
        expect(methodOf(message)).to.equal(method);
        expect(methodOf(...(message.match(/\\x..|\\.|./g) ?? []))).to.equal(method);
      });
    }
  }
  it('the reader knows the method of a request line that the budget cuts off', () => {
    const reader = new RequestReader({ budget: new ByteBudget(0) });
    reader.push(Buffer.from(`HEAD /${'x'.repeat(8000)}`));
    expect(reader.next()).to.include({ kind: 'rejected', method: 'HEAD' });
  });

  // An empty line does not begin a request.
  // prettier-ignore
  for (const [inRequest, isBetween, ...messages] of [
    [false, true, '', GET, POST],
    [false, false, raw`\r`, raw`\r\n`, raw`${GET}\r\n`],
    [true, false, 'G', raw`\r\nG`, `${GET}G`, POST.slice(0, -1),
      `${CHUNKED_HEAD}${raw`1\r\nx\r\n`.repeat(300)}`], // a pause
  ] as const) {
    for (const message of messages) {
      it(`after "${message.slice(0, 60)}" a request has ${inRequest ? '' : 'not '}begun`, () => {
        const reader = message === '' ? new RequestReader() : readerOf(message);
        expect(reader.inRequest).to.equal(inRequest);
        expect(reader.received === 0, 'nothing has begun').to.equal(isBetween);
      });
    }
  }

  it('the reader counts the bytes since the request began, and those that it has not read', () => {
    const reader = new RequestReader();
    reader.push(bytes(`${GET}${POST}`));
    expect(reader.next().kind).to.equal('request');
    const second = bytes(POST).length;
    expect([reader.received, reader.unread]).to.deep.equal([second, second]);
    expect(reader.next().kind).to.equal('request');
    expect([reader.received, reader.unread]).to.deep.equal([0, 0]);
  });

  // prettier-ignore
  for (const [message, line, offset] of [
    [BAD, 'Host : a\r\n', 17],
    [raw`GET /\0 more`, 'GET /\0 more', 0],
    [raw`${CHUNKED_HEAD}1\r\nx\r\n2\r\nabX\r\n`, 'abX\r\n', 65],
    [raw`${POST}(\r\n`, '(\r\n', 0], // nothing of the content before, which has no line end
  ] as const) {
    it(`the rejection of ${message} holds ${JSON.stringify(line)}`, () => {
      const reader = new RequestReader();
      reader.push(bytes(message));
      let outcome = reader.next();
      if (outcome.kind === 'request') outcome = reader.next();
      if (outcome.kind !== 'rejected') throw new Error(`not rejected: ${outcome.kind}`);
      const { excerpt } = outcome;
      expect([excerpt.bytes.toString('latin1'), excerpt.offset]).to.deep.equal([line, offset]);
    });
  }
  it('a rejection shows nothing of what was in its memory before', () => {
    const { allocUnsafe } = Buffer;
    Buffer.allocUnsafe = (size) => Buffer.alloc(size, '\n');
    try {
      const reader = readerOf('G', 'E');
      const { excerpt } = reader.giveUp('too slow');
      expect(excerpt.bytes.toString('latin1')).to.equal('GE');
    } finally {
      Buffer.allocUnsafe = allocUnsafe;
    }
  });

  it('a paused request that is given up is told what is missing, and not a wrong byte', () => {
    const reader = new RequestReader();
    const chunks = raw`1\r\nx\r\n`.repeat(1000);
    reader.push(bytes(`${CHUNKED_HEAD}${chunks}0\r\n\r\n`));
    expect(reader.next().kind).to.equal('pause');
    const { message } = reader.giveUp('too slow').error;
    expect(message).to.contain(
      'too slow; still missing: the end of the content, or a turn to read it (',
    );
  });
  it('a paused request of which not all was kept is told so (our choice)', () => {
    const reader = new RequestReader({ budget: new ByteBudget(0) });
    reader.push(bytes(`${CHUNKED_HEAD}${raw`1\r\nx\r\n`.repeat(1000)}`));
    expect(reader.next().kind).to.equal('pause');
    const { status, offset } = reader.giveUp('too slow').error;
    expect([status, offset]).to.deep.equal([503, 4096]); // those that are free
  });

  describe('asks for content if the client waits for 100 (9110 §10.1.1)', () => {
    const kinds = (...pieces: string[]): string[] => {
      const reader = new RequestReader();
      return pieces.map((piece) => {
        reader.push(bytes(piece));
        return reader.next().kind;
      });
    };
    const expecting = raw`Expect: 100-continue\r\nContent-Length: 3`;
    it('the reader asks once for content that the client holds back', () => {
      const inLength = kinds(post(expecting), 'a', 'bc');
      expect(inLength).to.deep.equal(['continue', 'wait', 'request']);
      const head = post(raw`Expect: 100-CONTINUE, ,\r\nTransfer-Encoding: chunked`);
      expect(kinds(head, raw`0\r\n\r\n`)).to.deep.equal(['continue', 'request']);
    });
    /** What the reader traces about Expect: why it ignores it, or that it asks for the
     * content. */
    const tracedFor = (message: string, ended = false): string[] => {
      const traced: string[] = [];
      const trace = (event: ReaderEvent): void => {
        if (event.type === 'expect') traced.push(event.ignoredBecause ?? 'asked');
      };
      const reader = new RequestReader({ trace: new ReaderTrace(trace) });
      reader.push(bytes(message));
      if (ended) reader.end();
      reader.next();
      return traced;
    };
    const NO_CONTENT = 'the request has no content';
    const ARRIVED = 'content has arrived already';
    const HTTP10 = 'HTTP/1.0 has no interim responses';
    const expect100 = 'Expect: 100-continue';
    const chunked = raw`${expect100}, 100-continue\r\nTransfer-Encoding: chunked`;
    for (const [message, kind, ...told] of [
      [post(expecting), 'continue', 'asked'],
      [post(chunked), 'continue', 'asked'],
      [post(expecting, 'HTTP/1.2'), 'continue', 'asked'],
      [post(expect100), 'request', NO_CONTENT],
      [post(expect100, 'HTTP/1.0'), 'request', NO_CONTENT],
      [post(raw`${expect100}\r\nContent-Length: 0`), 'request', NO_CONTENT],
      [post(raw`${expect100}\r\nContent-Length: 0`, 'HTTP/1.0'), 'request', NO_CONTENT],
      [`${post(expecting)}a`, 'wait', ARRIVED],
      [`${post(expecting)}abc`, 'request', ARRIVED],
      [`${post(chunked)}1`, 'wait', ARRIVED],
      [post(expecting, 'HTTP/1.0'), 'wait', HTTP10],
      [`${post(expecting, 'HTTP/1.0')}abc`, 'request', HTTP10],
      [post(raw`Expect: ,\r\nContent-Length: 1`), 'wait'],
      [post('Content-Length: 1'), 'wait'],
      [post(raw`${expect100}\r\nContent-Length: 1048577`), 'rejected'], // more than 1 MiB
    ] as const) {
      it(`after "${message}", the reader says of Expect: ${told.join('') || 'nothing'}`, () => {
        expect(tracedFor(message)).to.deep.equal(told);
        expect(kinds(message)).to.deep.equal([kind]);
      });
    }
    it('the reader traces that it ignores Expect where the client sends nothing more', () => {
      const told = tracedFor(post(expecting), true);
      expect(told).to.deep.equal(['the client sends nothing more']);
    });
  });

  describe('after the client has closed its sending side (9112 §8)', () => {
    it('the reader is finished if the client has ended after complete requests', () => {
      const { requests, end } = readInEveryCut(bytes(GET + POST), true);
      expect(requests).to.have.lengthOf(2);
      expect(end).to.equal('finished');
    });
    for (const [clientHasFinished, ...all] of [
      [true, '', raw`\r`, raw`\r\n`, raw`\r\n\r`],
      [false, raw`\r\n\r\n`, 'G', raw`\r\r`, raw`\r\nG`, raw`\n`],
    ] as const) {
      for (const unread of all) {
        it(`the reader knows in advance whether it is finished after "${unread}"`, () => {
          const reader = new RequestReader();
          reader.push(bytes(GET + unread));
          expect(reader.next().kind).to.equal('request');
          expect(reader.clientHasFinished, 'while more may come').to.equal(false);
          reader.end();
          expect(reader.clientHasFinished).to.equal(clientHasFinished);
          expect(reader.next().kind === 'finished').to.equal(clientHasFinished);
        });
      }
    }

    const REQUEST_LINE = ['the end of the request line', '9112 3'] as const;
    const CHUNK_LINE = ['the end of the chunk line', '9112 7.1'] as const;
    const rest = (kind: string): string =>
      `the next ${kind} field line, or the empty line that ends them`;
    const FIELD = [rest('header'), '9112 2.1'] as const;
    const TRAILER = [rest('trailer'), '9112 7.1'] as const;
    // prettier-ignore
    for (const [message, [missing, section]] of [
      ['GE', REQUEST_LINE],
      [raw`\r\nG`, REQUEST_LINE],
      ['GET / HTTP/1.1', REQUEST_LINE],
      [raw`GET / HTTP/1.1\r`, REQUEST_LINE],
      [raw`GET / HTTP/1.1\r\n`, FIELD],
      [raw`GET / HTTP/1.1\r\nHo`, ['the end of header field line 1', '9112 5']],
      [raw`GET / HTTP/1.1\r\nHost: a\r\nA: x\r`, ['the end of header field line 2', '9112 5']],
      [raw`GET / HTTP/1.1\r\nHost: a\r\n\r`, FIELD],
      [POST.slice(0, -3), ['3 more bytes of the content', '9112 6.2']],
      [POST.slice(0, -1), ['1 more byte of the content', '9112 6.2']],
      [post('Content-Length: 1048577'),
        ['the first byte of the content, whose length is over the limit', '9112 6.2']],
      [post('Content-Length: 1048576'), ['1048576 more bytes of the content', '9112 6.2']],
      [CHUNKED_HEAD, ['a chunk line', '9112 7.1']],
      [`${CHUNKED_HEAD}2`, CHUNK_LINE],
      [`${CHUNKED_HEAD}2;a`, CHUNK_LINE],
      [raw`${CHUNKED_HEAD}2\r\n`, ['2 more bytes of the data of chunk 1', '9112 7.1']],
      [raw`${CHUNKED_HEAD}2\r\nx`, ['1 more byte of the data of chunk 1', '9112 7.1']],
      [raw`${CHUNKED_HEAD}1\r\na\r\n2\r\nb`, ['1 more byte of the data of chunk 2', '9112 7.1']],
      [raw`${CHUNKED_HEAD}2\r\nxy`, ['the CRLF after the data of chunk 1', '9112 7.1']],
      [raw`${CHUNKED_HEAD}2\r\nxy\r`, ['the CRLF after the data of chunk 1', '9112 7.1']],
      [raw`${CHUNKED_HEAD}0`, CHUNK_LINE],
      [raw`${CHUNKED_HEAD}0\r\n`, TRAILER],
      [raw`${CHUNKED_HEAD}0\r\nT:`, ['the end of trailer field line 1', '9112 5']],
      [CHUNKED.slice(0, -4), TRAILER],
      [`${GET}GET`, REQUEST_LINE],
    ] as const) {
      it(`after "${message}", the reader says that ${missing} is missing`, () => {
        expect(readerOf(message).next()).to.include({ kind: 'wait', missing, section });
        const { end } = readInEveryCut(bytes(message), true);
        if (!(end instanceof ProtocolError)) throw new Error(`not rejected: ${end}`);
        const length =
          bytes(message).length - (message.startsWith(GET) ? bytes(GET).length : 0);
        expect(end.ruling).to.equal(
          `The input ended mid-request; still missing: ${missing} ` +
            '(allowed by RFC 9112 section 8)',
        );
        expect(end.offset).to.equal(length);
        expect(end.status).to.equal(400);
      });
    }
    for (const [message, missing, section] of [
      ['', 'a request', '9112 2.1'],
      [raw`\r`, 'a request', '9112 2.1'],
      [raw`\r\n`, 'a request line after the empty line', '9112 2.2'],
    ] as const) {
      it(`after "${message}", the reader says that ${missing} is missing`, () => {
        expect(readerOf(message).next()).to.include({ kind: 'wait', missing, section });
      });
    }
  });
});
