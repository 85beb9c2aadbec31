import { expect } from 'chai';
import { ReaderTrace, type ReaderEvent } from '../../src/trace/reader-trace';
import { RequestReader } from '../../src/http/request-reader';
import type { TraceEvent } from '../../src/index';
import { REJECTED_GROUPS, requestOf } from '../../src/study/cases';
import { STATUSES, whatFollows } from '../../src/page/model/glossary';
import { Message } from '../../src/page/model/message';
import { cutsOf } from '../../src/page/model/readings';
import { relationsOf } from '../../src/page/model/relations';
import { describeWait, durationOf } from '../../src/page/model/times';
import { Conversation } from '../../src/page/model/conversation';
import { TraceRecorder } from '../../src/trace/recorder';
import type { ExchangeData, PageData } from '../../src/page/model/page-data';
import { bytes, raw, textOf } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf } from '../support/page-data';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const MANY_LINES = raw`GET / HTTP/1.1\r\n${raw`X: y\r\n`.repeat(101)}\r\n`;
const ABOUT = { at: 1, connection: 1 } as const;
const READ: TraceEvent = { ...ABOUT, type: 'read', bytes: textOf(GET), offset: 0 };
const WHOLE = { number: 1, length: textOf(GET).length, unread: 0, next: '' };
const COMPLETE: TraceEvent = { ...ABOUT, type: 'parse', part: 'request', ...WHOLE };
const turn = (request: number): TraceEvent => {
  return { ...ABOUT, type: 'turn', request, limit: 0, method: 'GET', path: '/' };
};
const write = (isSent: boolean, ...texts: string[]): TraceEvent => {
  const responses = texts.map((text) => ({ text, length: text.length }));
  return { ...ABOUT, type: 'write', responses, isSent };
};
const gone = (unsent = 0): TraceEvent => {
  return { ...ABOUT, type: 'gone', reason: 'reset', unsent };
};
const OK = 'HTTP/1.1 200 OK\r\n\r\n';
const post = (fields: string): string => raw`POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;

function clients({ exchanges }: PageData): ExchangeData[] {
  return exchanges.filter(({ connection }) => connection > 0);
}

function requestAt(data: PageData, index = 0): Message {
  const exchange = data.exchanges[index];
  if (exchange === undefined) throw new Error('no such exchange');
  return new Message(data, exchange, 'request', exchange.request);
}

/** The rows of a message at a step: each run of bytes that are one part, or in one
 * state. */
function rows(message: Message, step = Infinity): string[] {
  const when = message.when(step);
  const starts = message.rows();
  return starts.slice(0, -1).map((from, index) => {
    const runs: string[] = [];
    let before = '';
    for (let at = from; at < (starts[index + 1] ?? 0); at += 1) {
      const part = when.part(at);
      const name = part?.name ?? when.state(at);
      const key = `${name} ${part?.offset}`;
      if (key !== before) runs.push(`${name} `);
      runs[runs.length - 1] += JSON.stringify(message.slice(at, 1)).slice(1, -1);
      before = key;
    }
    return runs.join(', ');
  });
}

const stepOf = (data: PageData, wanted: string): number =>
  data.steps.findIndex(({ verb }) => verb === wanted);

/** The first exchange of a client that sends some pieces. */
async function exchangeOf(...pieces: string[]): Promise<ExchangeData> {
  const [exchange] = dataOf(await converse([pieces])).exchanges;
  if (exchange === undefined) throw new Error('no exchange');
  return exchange;
}

describe('a conversation', () => {
  it('has each request with its own response, whatever was written at once', async () => {
    const bad = raw`GET /x\r\n\r\n`;
    const data = dataOf(await converse([[GET + GET.replace('/', '/x') + bad], [bad]]));
    const told = clients(data).map(({ connection, number, responses, title, turn }) => [
      ...[connection, number, title, turn],
      ...responses.map(({ status }) => status),
    ]);
    expect(told).to.deep.equal([
      [1, 1, 'GET /', 1, '200 OK'],
      [1, 2, 'GET /x', 2, '404 Not Found'],
      [1, 3, 'GET /x', undefined, '400 Bad Request'],
      [2, 1, 'GET /x', undefined, '400 Bad Request'],
    ]);
  });

  it('has what was written as bytes, and names a response that a client wrote in it', () => {
    const head = 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /';
    const split = `${head}\u010d\u010a\u010d\u010aHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`;
    const [exchange] = dataOf([READ, COMPLETE, turn(1), write(true, split)]).exchanges;
    const { parts = [], text = '' } = exchange?.responses[0] ?? {};
    const codes = parts.filter(({ name }) => /^(?:status-code|content)$/.test(name));
    const told = codes.map(({ length, offset }) => text.slice(offset, offset + length));
    expect(told).to.deep.equal(['302', '200', 'hi']);
  });

  it('has 100 (Continue) and the response with one request', async () => {
    const expecting = post(raw`Content-Length: 2\r\nExpect: 100-continue\r\n`);
    const data = dataOf(await converse([[GET, expecting, 'hi']]));
    const statuses = clients(data).map(({ responses }) =>
      responses.map(({ status }) => status.slice(0, 3)),
    );
    expect(statuses).to.deep.equal([['200'], ['100', '404']]);
    const cut = dataOf([READ, write(true, 'HTTP/1.1 100 Continue\r\n\r\n'), gone()]);
    const [exchange] = cut.exchanges;
    const duration = exchange && durationOf(cut, exchange);
    expect(duration, 'it is not the response').to.equal(undefined);
  });

  it('gives no request the response to one whose events are left out', () => {
    const [exchange] = dataOf([
      turn(2),
      write(true, 'HTTP/1.1 404 X\r\n\r\n', OK),
    ]).exchanges;
    expect(exchange).to.include({ turn: 2, title: '(its beginning is left out)' });
    expect(exchange?.responses.map(({ status }) => status)).to.deep.equal(['200 OK']);
  });

  it('says which responses were not sent, or not whole', () => {
    const handled = (request: number, isSent: boolean): TraceEvent[] => [
      ...[READ, COMPLETE, turn(request), write(isSent, OK)],
    ];
    const sent = [1, 2, 3].flatMap((request) => handled(request, true));
    const unsentOf = (data: PageData) =>
      clients(data).map((one) => one.responses[0]?.unsent);
    const data = dataOf([...sent, gone(OK.length + 5)]);
    expect(unsentOf(data)).to.deep.equal([0, 5, OK.length]);
    const last = data.steps.length - 1;
    const lasting = clients(data).map(({ steps }) => steps.includes(last));
    expect(lasting).to.deep.equal([false, true, true]);
    const lost = dataOf([...handled(1, true), ...handled(2, false), gone(OK.length)]);
    expect(unsentOf(lost)).to.deep.equal([0, 0]);
    const [, second] = clients(lost);
    expect(second?.outcome).to.equal('the response was made, but the client was gone');
    expect(second && durationOf(lost, second)).to.equal(undefined);
  });

  it('says why a request has no response', async () => {
    const events = await converse([[GET + GET]], { maxRequests: 1, log: () => {} });
    expect(clients(dataOf(events)).map(({ outcome }) => outcome)).to.deep.equal([
      '',
      'never parsed, because the request before it is the last ' +
        '(the limit of requests is reached)',
    ]);
    const [ended] = clients(dataOf([READ]));
    expect(ended?.outcome).to.equal('the trace ends before its response');
    expect(clients(dataOf([READ, gone()]))[0]?.outcome).to.equal('reset');
  });

  it('tells of a connection on which nothing was sent, and of the server itself', async () => {
    const data = dataOf(await converse([[], [GET]]));
    expect(data.exchanges.map(({ number, title }) => [number, title])).to.deep.equal([
      [0, '(no byte arrived)'],
      [1, 'GET /'],
      [0, 'the server itself'],
    ]);
    const [none, request] = data.exchanges;
    const verbs = (exchange?: ExchangeData): (string | undefined)[] =>
      exchange?.steps.map((step) => data.steps[step]?.verb) ?? [];
    expect(verbs(none)).to.deep.equal(['open', 'wait', 'end', 'close', 'gone']);
    expect(verbs(request).slice(-4)).to.deep.equal(['idle', 'end', 'close', 'gone']);
    const told = new Set(data.exchanges.flatMap(({ steps }) => steps));
    expect(told.size, 'no step is left out').to.equal(data.steps.length);
    const opened: TraceEvent = { ...ABOUT, type: 'open', remoteAddress: undefined };
    expect(dataOf([opened, gone()]).exchanges[0]?.title).to.equal('(no byte arrived)');
  });

  for (const [request, title] of [
    [raw`GET /${'a'.repeat(175)} HTTP/1.1\r\n`, `GET /${'a'.repeat(175)}`],
    [raw`GET /${'a'.repeat(300)} HTTP/1.1\r\n`, `GET /${'a'.repeat(195)} \u2026`],
    [raw` HTTP/1.1\r\nHost: a\r\n\r\n`, ' HTTP/1.1'],
    [raw` \r\n`, '(white space)'],
  ] as const) {
    it(`calls an exchange by its request line: ${title.slice(0, 20)}`, async () => {
      expect((await exchangeOf(request)).title).to.equal(title);
    });
  }

  it('cuts bytes that arrived together where the parser says that a request ends', async () => {
    const data = dataOf(await converse([[GET + GET.slice(0, 4), GET.slice(4)]]));
    const text = textOf(GET);
    expect([0, 1].map((index) => requestAt(data, index).text)).to.deep.equal([text, text]);
    const arrivals = data.exchanges[1]?.request.arrivals.map(([, end]) => end);
    expect(arrivals).to.deep.equal([4, text.length]);
    const second = data.exchanges[1]?.steps.map((step) => data.steps[step]?.verb);
    expect(second?.slice(0, 4)).to.deep.equal(['read', 'wait', 'read', 'parse']);
  });

  it('counts only the pieces that brought a request, however many came before its turn', () => {
    const one = textOf(GET);
    const twice = one + one;
    const data = dataOf([
      { ...ABOUT, type: 'read', bytes: twice, offset: 0 },
      { ...ABOUT, type: 'read', bytes: one, offset: twice.length },
      ...[COMPLETE, COMPLETE, COMPLETE],
    ]);
    const arrivals = clients(data).map(({ request }) => request.arrivals);
    const { length } = one;
    expect(arrivals.flat()).to.deep.equal([0, 0, 1].map((step) => [step, length]));
    expect(clients(data).map(({ steps }) => steps)).to.deep.equal([[0], [0], [1]]);
  });

  it('lays a request out in the lines and parts that the parser found', async () => {
    const content = raw`2;x\r\nhi\r\n0\r\nSum: 7\r\n\r\n`;
    const data = dataOf(await converse([[CHUNKED + content]]));
    const chunks = data.steps.filter(({ lines: [line = ''] }) =>
      /^(?:last )?chunk/.test(line),
    );
    expect(chunks, 'each has its own step').to.have.lengthOf(2);
    expect(rows(requestAt(data))).to.deep.equal([
      'method POST, SP  , request-target /tasks, SP  , HTTP-version HTTP/1.1, CRLF \\r\\n',
      'field-name Host, colon :, OWS  , Host a, CRLF \\r\\n',
      'field-name Transfer-Encoding, colon :, OWS  , ' +
        'Transfer-Encoding chunked, CRLF \\r\\n',
      'CRLF \\r\\n',
      'chunk-size 2, chunk-ext ;x, CRLF \\r\\n',
      'chunk-data hi',
      'CRLF \\r\\n',
      'chunk-size 0, CRLF \\r\\n',
      'field-name Sum, colon :, OWS  , field-value 7, CRLF \\r\\n',
      'CRLF \\r\\n',
    ]);
  });

  it('lays a response out in the parts that the server wrote', async () => {
    const data = dataOf(await converse([[GET]]));
    const [exchange] = data.exchanges;
    const [response] = exchange?.responses ?? [];
    if (exchange === undefined || response === undefined) throw new Error('no response');
    const message = new Message(data, exchange, 0, response);
    expect(rows(message)[0]).to.equal(
      'HTTP-version HTTP/1.1, SP  , status-code 200, SP  , reason-phrase OK, CRLF \\r\\n',
    );
    const [group = []] = relationsOf(message.when(Infinity));
    expect(group.map(({ says }) => says)).to.deep.equal(['says 49 bytes', '49 bytes']);
  });

  it('tells what had arrived and was parsed at each step, and not more', async () => {
    const data = dataOf(await converse([['GET /', raw` HTTP/1.1\r\nHost: a\r\n\r\n`]]));
    const request = requestAt(data);
    const read = stepOf(data, 'read');
    expect(rows(request, read)).to.deep.equal([
      'raw GET /, future  HTTP/1.1\\r\\n',
      'future Host: a\\r\\n',
      'future \\r\\n',
    ]);
    const parsed = rows(request, stepOf(data, 'parse'));
    expect(parsed[0]).to.match(/^method GET, SP/);
    expect(parsed[1]).to.equal('raw Host: a\\r\\n');
  });

  // prettier-ignore
  for (const [what, request, expected] of [
    ['after a verdict', raw`${CHUNKED}2\r\nhiX\n0\r\n`,
      ['chunk-data hi', 'never X\\n', 'never 0\\r\\n']],
    ['before its wrong byte was judged', raw`GET /\xc3 HTTP/1.1\r\nX`,
      ['method GET, SP  , whole /\u00c3 HTTP/1.1\\r\\n', 'never X']],
    ['up to a byte that no line may hold', raw`GET / HT\rX\r\n`,
      ['method GET, SP  , whole / HT, never \\rX\\r\\n']],
    ['before Host was judged', raw`GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nX`,
      ['CRLF \\r\\n', 'never X']],
    ['before the length was judged', raw`${post(raw`Content-Length: x\r\n`)}X`,
      ['CRLF \\r\\n', 'never X']],
  ] as const) {
    it(`tells what was read from what is never parsed: ${what}`, async () => {
      const all = rows(requestAt(dataOf(await converse([[request]]))));
      expect(all.slice(-expected.length)).to.deep.equal(expected);
    });
  }

  it('tells what was read before a connection ended, or a limit was exceeded', async () => {
    const half = await converse([['GET /']]);
    const ended = half.findIndex(({ type }) => type === 'end');
    const reset = dataOf([...half.slice(0, ended), gone()]);
    expect(rows(requestAt(reset))).to.deep.equal(['whole GET /']);
    const last = raw`GET / HTTP/1.0\r\n\r\n`;
    const closed = dataOf(await converse([[`${last}GET /`]]));
    expect(rows(requestAt(closed, 1))).to.deep.equal(['never GET /']);
    const data = dataOf(await converse([[raw`GET /${'x'.repeat(9000)}`]]));
    const long = requestAt(data).when(Infinity);
    const states = [5, 8191, 8192, 9004].map((at) => long.state(at));
    expect(states).to.deep.equal(['whole', 'whole', 'never', 'never']);
    expect(long.describe(8192)).to.equal('beyond the limit');
  });

  // prettier-ignore
  for (const [what, request, follows] of [
    ['a MUST', raw`GET / HTTP/1.1\r\nA : b\r\n\r\n`, 'no choice: every server has to reject'],
    ['https', raw`GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n`, 'unless it came over TLS'],
    ['another coding', CHUNKED.replace('chunked', 'gzip, chunked'), 'should respond with 501'],
    ['what breaks the grammar', raw`${CHUNKED}+5\r\n`, 'does not demand that: another server'],
    ['a limit', MANY_LINES, 'No RFC requires it'],
  ] as const) {
    it(`says what follows from the section about ${what}`, async () => {
      const [exchange] = dataOf(await converse([[request]])).exchanges;
      const { rejection } = exchange ?? {};
      expect(rejection && whatFollows(rejection)).to.contain(follows);
    });
  }

  // prettier-ignore
  for (const [what, request, fault, offset, right] of [
    ['a line that is missing', raw`GET / HTTP/1.1\r\nX: y\r\n\r\n`, 'missing', 22, /Host/],
    ['a line that is one too many', raw`\r\n\r\nGET / HTTP/1.1\r\n\r\n`, 'wrong', 2,
      /^the request line\. HTTP\/1\.1 forbids an empty line before it; .* ignores one$/],
    ['a field that is one too many', raw`GET / HTTP/1.0\r\nTransfer-Encoding:\r\n\r\n`, 'wrong',
      34, /./],
    ['content that is too large', raw`${post(raw`Content-Length: 9999999\r\n`)}a`, 'large', 53,
      /^content that is no longer than the limit$/],
    ['more than a limit', raw`GET /${'x'.repeat(9000)} HTTP/1.1\r\n`, 'limit', 8192, /limit/],
    ['a second Host', post(raw`Host: a\r\n`), 'beside', 32, /no second Host/i],
    ['a length beside a coding',
      post(raw`Content-Length: 1\r\nTransfer-Encoding: gzip\r\n`), 'beside', 64,
      /^one of the two fields, not both$/],
    ['another length', post(raw`Content-Length: 1, 2\r\n`), 'beside', 43, /./],
  ] as const) {
    it(`calls ${what} by its name, and says what would be right`, async () => {
      const { rejection } = await exchangeOf(request);
      expect(rejection).to.include({ fault, offset });
      expect(rejection?.expected).to.match(right);
    });
  }

  it('calls it by its name that a server has no room', async () => {
    const long = raw`GET / HTTP/1.1\r\nA: ${'x'.repeat(5000)}`;
    const [exchange] = dataOf(await converse([[long]], { contentBudget: 0 })).exchanges;
    expect(exchange?.rejection).to.include({ status: 503, fault: 'room', offset: 4096 });
  });

  it('says which line has the wrong byte, even if it is judged after the section', async () => {
    const wrong = post(raw`Content-Length: 1x\r\n`);
    const others = [raw`GET / HTTP/1.1\r\nX: y\r\n\r\n`, raw`${CHUNKED}1\r\nx\r\nX\r\n`];
    const data = dataOf(await converse([[wrong], ...others.map((one) => [one])]));
    const lines = data.exchanges.flatMap(({ rejection }) => rejection?.line ?? []);
    expect(lines.join()).to.equal('header field line,end of the header section,chunk line');
    const { offset = 0 } = data.exchanges[0]?.rejection ?? {};
    const described = requestAt(data).when(Infinity).describe(offset);
    expect(described).to.equal('wrong byte, in the value of Content-Length');
    const awaited = CHUNKED.replace('Host', raw`Expect: 100-continue\r\nHost`);
    const { rejection } = await exchangeOf(awaited);
    expect(rejection).to.include({ fault: 'nothing', line: 'chunk line' });
  });

  it('numbers requests as the server does, also where events are left out', async () => {
    const events = await converse([[GET, GET, GET]]);
    const all = dataOf(events);
    const between = clients(all).map(({ steps }) => [steps[0] ?? -1, steps.at(-1) ?? -1]);
    const verbs = between.flat().map((step) => all.steps[step]?.verb);
    expect(verbs).to.deep.equal(['open', 'idle', 'read', 'idle', 'read', 'gone']);
    const third = events.filter(({ type }) => type === 'read')[2];
    const recorder = new TraceRecorder();
    const begin = third === undefined ? -1 : events.indexOf(third);
    for (const event of events.slice(0, begin)) recorder.record(event);
    // What is left out is what came first, whatever it is.
    const filler: TraceEvent = { at: 1, connection: 0, type: 'stop', reason: '' };
    while (recorder.leftOut.events < begin) recorder.record(filler);
    for (const event of events.slice(begin)) recorder.record(event);
    const data = Conversation.of(recorder.linesAfter(0)).describe();
    const [exchange] = clients(data);
    expect(exchange).to.include({ connection: 1, number: 3, turn: 3 });
    expect(data.leftOut).to.match(/^Left out: the first \d+ events, with \d+ bytes/);
  });

  // prettier-ignore
  for (const [length, words] of [
    ['0', '0 bytes'], ['1', 'the next byte, 47'], ['10', 'the next 10 bytes, 48-57'],
  ] as const) {
    it(`says of content before it is here where it will be: ${words}`, async () => {
      const { steps } = dataOf(await converse([[post(raw`Content-Length: ${length}\r\n`)]]));
      const lines = steps.flatMap(({ lines }) => lines);
      expect(lines).to.include(`content: ${words} (RFC 9112 section 6.2)`);
    });
  }

  it('needs no beginning', async () => {
    const events = await converse([[GET.slice(0, 9), GET.slice(9) + GET], [GET]]);
    for (let from = 0; from < events.length; from += 1) {
      const data = dataOf(events.slice(from));
      for (const [index, { steps, title }] of data.exchanges.entries()) {
        expect(title).to.not.equal('');
        const verbs = steps.map((step) => data.steps[step]?.verb).join();
        expect(verbs, 'what the next request waits for').to.match(/^(?!.*turn.*wait)./);
        expect(rows(requestAt(data, index)).join('')).to.not.contain('undefined ');
      }
    }
    const second = events.filter(({ type }) => type === 'read')[1];
    const data = dataOf(events.slice(second === undefined ? 0 : events.indexOf(second)));
    expect(data.exchanges[0]?.request.from).to.equal(9);
  });
});

describe('bytes that belong together', () => {
  const related = async (request: string): Promise<string[]> => {
    const data = dataOf(await converse([[request]]));
    const message = requestAt(data);
    return relationsOf(message.when(Infinity)).map((group) => {
      const told = group.map(({ length, offset, says }) => {
        return `${message.slice(offset, Math.min(length, 9))}: ${says}`;
      });
      return told.join(', ');
    });
  };
  const LENGTHS = raw`Content-Length: 2\r\nContent-Length: 3\r\n`;
  const CODINGS = raw`Transfer-Encoding: Chunked\r\nTransfer-Encoding: gzip\r\n`;
  const long = (digits: string): string =>
    CHUNKED.replace('Transfer', raw`Content-Length: ${digits}\r\nTransfer`);
  // prettier-ignore
  for (const [what, request, expected] of [
    ['a length and the content', raw`${post(raw`Content-Length: 2\r\n`)}hi`,
      ['2: says 2 bytes, hi: 2 bytes']],
    ['a length and a coding', post(raw`Transfer-Encoding: chunked\r\nContent-Length: 2\r\n`),
      ['chunked: says chunks, 2: says 2 bytes']],
    ['two codings', post(CODINGS), ['Chunked: says chunks, gzip: says gzip']],
    ['two lengths', post(LENGTHS), ['2: says 2 bytes, 3: says 3 bytes']],
    ['a number that would be rounded', long('9'.repeat(20)),
      [`999999999: says ${'9'.repeat(20)}, chunked: says chunks`]],
    ['the first Host and another', raw`GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
      ['a: first Host, b: another Host']],
    ['a size, its data, and what follows it', raw`${CHUNKED}2\r\nhi\r\n3\r\nyouX\n0\r\n`,
      ['2: says 2 bytes, hi: 2 bytes', '3: says 3 bytes, you: 3 bytes, X: no CRLF']],
    ['a length and the part of the content that arrived',
      raw`${post(raw`Content-Length: 5\r\n`)}hi`, ['5: says 5 bytes, hi: 2 of 5 bytes']],
    ['a number and the content that would be too long',
      raw`${post(raw`Content-Length: 1048577\r\n`)}x`,
      ['1048577: says 1048577 bytes, x: the content']],
  ] as const) {
    it(`are ${what}`, async () => {
      expect(await related(request)).to.deep.equal(expected);
    });
  }
});

describe('the verdict on a request', () => {
  /** What a page would hold of a request that is rejected. */
  function reject(request: string): ExchangeData | undefined {
    const events: TraceEvent[] = [];
    const about = { at: 1, connection: 1 };
    const trace = (event: ReaderEvent): void => void events.push({ ...about, ...event });
    const reader = new RequestReader({ trace: new ReaderTrace(trace) });
    events.push({ ...about, type: 'read', bytes: request, offset: 0 });
    reader.push(Buffer.from(request, 'latin1'));
    for (;;) {
      const outcome = reader.next();
      if (outcome.kind === 'wait') reader.end();
      if (outcome.kind === 'finished') return undefined;
      if (outcome.kind !== 'rejected') continue;
      const { error } = outcome;
      events.push({ ...about, type: 'reject', error, excerpt: { bytes: '', offset: 0 } });
      return dataOf(events).exchanges.find(({ rejection }) => rejection);
    }
  }
  for (const { cases, title } of REJECTED_GROUPS) {
    it(`says what would be right, and what the status means: ${title}`, () => {
      for (const one of cases) {
        if (one.needs !== undefined) continue;
        const { name } = one;
        const request = requestOf(one);
        const { rejection } = reject(request) ?? {};
        if (rejection === undefined) throw new Error(name);
        const { expected, fault, offset, status } = rejection;
        expect(expected, name).to.match(/^[^ .].*[^.]$/);
        expect(STATUSES[status], name).to.match(/^[A-Z].*: /);
        const isNothing = offset === request.length && !['limit', 'large'].includes(fault);
        expect(fault === 'nothing', name).to.equal(isNothing);
      }
    });
  }
});

describe('the other readings of a request', () => {
  it('are cut where a careless reader cuts', async () => {
    const next = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
    const fields = raw`Content-Length: 40\r\nTransfer-Encoding: chunked\r\n`;
    const request = post(fields) + raw`0\r\n\r\n${next}`;
    const { other } = await exchangeOf(request);
    const text = textOf(request);
    const end = other?.end ?? 0;
    const cuts = other?.readings.flatMap((reading) => cutsOf(reading, end, text));
    const told = cuts?.map(({ from, kind, says, to }) => `${from}-${to} ${kind}, ${says}`);
    expect(told).to.deep.equal([
      '0-76 head, request 1: POST /',
      '76-81 content, its content: 0 bytes in chunks, up to the one of size 0',
      '81-118 head, request 2: DELETE /tasks/1',
      '0-76 head, request 1: POST /',
      '76-116 content, its content: 40 bytes',
      '116-118 skipped, an empty line, skipped',
    ]);
  });

  const POST = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 54\r\n\r\n`;
  const LINE = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n`;
  const get = (length: number): string =>
    GET.replace(raw`\r\n\r\n`, raw`\r\nContent-Length: ${length}\r\n\r\n`);
  // prettier-ignore
  for (const [what, request, says] of [
    ['how much is announced', raw`${CHUNKED}100000000\r\n\r\n`,
      'its content: 4294967296 bytes announced in chunks, waits for more'],
    ['that a number is large', raw`${CHUNKED}20000000000000\r\n\r\n`,
      'its content: 2^53 bytes or more announced in chunks, waits for more'],
    ['that no chunk is announced', `${CHUNKED.replace('Transfer-Encoding: chunked',
      raw`Content-Length: 3\r\nTransfer-Encoding: "chunked"`)}abc`,
      'its content: in chunks, waits for more'],
    ['what follows the request', get(35) + LINE + raw`\r\n`, 'request 2: DELETE /tasks/1'],
    ['what is in a request after it', get(bytes(POST).length) + POST + GET + GET,
      'its content: 54 bytes'],
  ] as const) {
    it(`say ${what}`, async () => {
      const { other } = await exchangeOf(request);
      const { end = 0, readings = [] } = other ?? {};
      const reading = request.startsWith('POST') ? readings.at(-1) : readings[0];
      expect(reading && cutsOf(reading, end, '').at(-1)?.says).to.equal(says);
    });
  }

  it('are none where every reader ends the request at the same byte', async () => {
    expect((await exchangeOf(GET)).other).to.equal(undefined);
  });
});

describe('the times of an exchange', () => {
  const wait = { type: 'wait', missing: 'x', section: '9112 3' } as const;
  const linger = { type: 'linger', silence: 5, seconds: 30 } as const;
  const drop = { type: 'drop', request: '', bytes: 1, which: 'after byte 1' } as const;
  const end = { type: 'gone', reason: '', unsent: 0 } as const;
  // prettier-ignore
  for (const [what, step, says, ...events] of [
    ['a linger to its end, whatever is dropped in it', 0, 'This lasted 150 ms. The limit is 30 s.',
      [0, { ...linger, isStopping: false }], [100, drop], [150, end]],
    ['no clock of its own where the server stops', 0, undefined,
      [0, { ...linger, isStopping: true }], [150, end]],
    ['the time to read, which begins again', 0,
      'This lasted 4000 ms. The limit of 1 s begins again whenever the client reads.',
      [0, { type: 'block', seconds: 1, isStopping: false }], [4000, end]],
    ['a limit that was over', 0, 'This lasted 1002 ms. The limit of 1 s was over.',
      [0, { type: 'idle', seconds: 1 }], [1002, end]],
    ['a limit that began before', 1,
      'This lasted 102 ms. The limit of 1 s began at an earlier step, and was over.',
      [0, { ...wait, seconds: 1 }], [900, { ...wait, seconds: undefined }], [1002, end]],
  ] as const) {
    it(`say ${what}`, () => {
      const data = dataOf(events.map(([at, event]) => ({ ...ABOUT, ...event, at })));
      const [exchange] = data.exchanges;
      expect(exchange && describeWait(data, exchange, step)?.text).to.equal(says);
    });
  }
});
