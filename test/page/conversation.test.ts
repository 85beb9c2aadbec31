import { expect } from 'chai';
import { ReaderTrace, type ReaderEvent } from '../../src/http/reader-trace';
import { RequestReader } from '../../src/http/request-reader';
import type { TraceEvent } from '../../src/index';
import { riskIn, withRisk } from '../../src/trace/risk';
import { REJECTED_GROUPS, requestOf } from '../../src/study/cases';
import { Message } from '../../src/page/model/message';
import { cutsOf, endOf, tell } from '../../src/page/model/readings';
import { relationsOf } from '../../src/page/model/relations';
import { describeWait, durationOf, phasesOf } from '../../src/page/model/times';
import { Conversation } from '../../src/page/model/conversation';
import { TraceRecorder } from '../../src/trace/recorder';
import type { ExchangeData, PageData } from '../../src/page/model/page-data';
import { bytes, raw } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf, glossaryOf } from '../support/page-data';
import { withClient } from '../support/virtual-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const EMPTY_CODING = raw`GET / HTTP/1.0\r\nTransfer-Encoding:\r\n\r\n`;
const TOO_LARGE = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\na`;
const CODINGS = raw`Host: a\r\nTransfer-Encoding: Chunked\r\nTransfer-Encoding: gzip\r\n`;
const MANY_LINES = raw`GET / HTTP/1.1\r\n${raw`X: y\r\n`.repeat(101)}\r\n`;
const COMPLETE: TraceEvent = {
  ...{ at: 1, connection: 1, type: 'parse', part: 'request' },
  ...{ number: 1, length: bytes(GET).length, unread: 0, next: '' },
};
const GET_ROOT = { method: 'GET', path: '/' };

/** What a page holds. */
const show = (events: Iterable<TraceEvent>): PageData => dataOf(events);

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
      const name = message.entry(part)?.name ?? when.state(at);
      const key = `${name} ${part?.[1]}`;
      if (key !== before) runs.push(`${name} `);
      runs[runs.length - 1] += JSON.stringify(message.slice(at, 1)).slice(1, -1);
      before = key;
    }
    return runs.join(', ');
  });
}

function stepOf(data: PageData, verb: string, number = 1): number {
  const steps = data.steps.flatMap((step, at) => (step.verb === verb ? at : []));
  const step = steps[number - 1];
  if (step === undefined) throw new Error(`no step "${verb}"`);
  return step;
}

describe('a conversation', () => {
  it('has each request with its own response, whatever was written at once', async () => {
    const bad = raw`GET /x\r\n\r\n`;
    const data = show(await converse([[GET + GET.replace('/', '/x') + bad], [bad]]));
    const told = clients(data).map(({ connection, number, responses, title }) => [
      ...[connection, number, title],
      ...responses.map(({ place, status }) => `${status}; ${place}`),
    ]);
    const [one, two, three] = clients(data).map(
      ({ responses }) => responses[0]?.length ?? 0,
    );
    const total = (one ?? 0) + (two ?? 0) + (three ?? 0);
    const place = (index: number, from: number, length = 0): string =>
      `part ${index} of 3 of one write: bytes ${from} to ${from + length - 1} of ${total}`;
    expect(told).to.deep.equal([
      [1, 1, 'GET /', `200 OK; ${place(1, 0, one)}`],
      [1, 2, 'GET /x', `404 Not Found; ${place(2, one ?? 0, two)}`],
      [1, 3, 'GET /x', `400 Bad Request; ${place(3, (one ?? 0) + (two ?? 0), three)}`],
      [2, 1, 'GET /x', '400 Bad Request; '],
    ]);
    expect(clients(data).map(({ turn }) => turn)).to.deep.equal([
      1,
      2,
      undefined,
      undefined,
    ]);
  });

  it('has what was written as bytes, and names a response that a client wrote in it', () => {
    const head = 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /';
    const split = `${head}\u010d\u010a\u010d\u010aHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`;
    const about = { at: 1, connection: 1 };
    const [exchange] = show([
      { ...about, type: 'read', bytes: bytes(GET), offset: 0 },
      COMPLETE,
      { ...about, type: 'turn', request: 1, limit: 0, ...GET_ROOT },
      { ...about, type: 'write', text: split, isSent: true, lengths: [split.length] },
    ]).exchanges;
    const { parts = [], text = '' } = exchange?.responses[0] ?? {};
    const codes = parts.filter(
      ([{ name }]) => name === 'status-code' || name === 'content',
    );
    expect(codes.map(([, from, length]) => text.slice(from, from + length))).to.deep.equal([
      ...['302', '200', 'hi'],
    ]);
  });

  it('has 100 (Continue) and the response with one request', async () => {
    const fields = raw`Host: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n`;
    const expecting = raw`PUT /tasks/1 HTTP/1.1\r\n${fields}\r\n`;
    const data = show(await converse([[GET, expecting, 'hi']]));
    const statuses = clients(data).map(({ responses }) =>
      responses.map(({ status }) => status),
    );
    expect(statuses).to.deep.equal([['200 OK'], ['100 Continue', '200 OK']]);
  });

  it('gives no request the response to one whose events are left out', () => {
    const about = { at: 1, connection: 1 };
    const responses = ['404 Not Found', '200 OK'].map(
      (status) => `HTTP/1.1 ${status}\r\n\r\n`,
    );
    const lengths = responses.map(({ length }) => length);
    const text = responses.join('');
    const data = show([
      { ...about, type: 'turn', request: 2, limit: 0, ...GET_ROOT },
      { ...about, type: 'write', text, isSent: true, lengths },
    ]);
    const [exchange] = data.exchanges;
    expect(exchange?.turn).to.equal(2);
    expect(exchange?.title).to.equal('(its beginning is left out)');
    expect(exchange?.responses.map(({ status }) => status)).to.deep.equal(['200 OK']);
  });

  it('says of a response that was not sent that the client was gone, and no time', () => {
    const about = { at: 1, connection: 1 };
    const data = show([
      { ...about, type: 'read', bytes: bytes(GET), offset: 0 },
      COMPLETE,
      { ...about, type: 'turn', request: 1, limit: 0, ...GET_ROOT },
      { ...about, type: 'write', text: 'HTTP/1.1 200 OK\r\n\r\n', isSent: false },
    ]);
    const [exchange] = data.exchanges;
    expect(exchange?.outcome).to.equal('the response was made, but the client was gone');
    expect(exchange && durationOf(data, exchange)).to.equal(undefined);
  });

  it('says which responses were not sent whole, where the server gave up', () => {
    const about = { at: 1, connection: 1 };
    const read = { ...about, type: 'read', bytes: bytes(GET), offset: 0 } as const;
    const turn = { ...about, type: 'turn', limit: 0, ...GET_ROOT } as const;
    const text = 'HTTP/1.1 200 OK\r\n\r\n';
    const data = show([
      ...[1, 2, 3].flatMap((request): TraceEvent[] => [
        read,
        COMPLETE,
        { ...turn, request },
        { ...about, type: 'write', text, isSent: true, lengths: [text.length] },
      ]),
      { ...about, type: 'gone', reason: 'given up', unsent: text.length + 5 },
    ]);
    const [first, second, third] = clients(data);
    expect([first, second, third].map((one) => one?.responses[0]?.unsent)).to.deep.equal([
      ...[0, 5, text.length],
    ]);
    const last = data.steps.length - 1;
    expect([first, second, third].map((one) => one?.steps.includes(last))).to.deep.equal([
      ...[false, true, true],
    ]);
  });

  it('does not say of a response that it was cut short when only later ones were lost', () => {
    const about = { at: 1, connection: 1 };
    const text = 'HTTP/1.1 200 OK\r\n\r\n';
    const data = show([
      ...[true, false].flatMap((isSent, index): TraceEvent[] => [
        { ...about, type: 'read', bytes: bytes(GET), offset: 0 },
        COMPLETE,
        { ...about, type: 'turn', request: index + 1, limit: 0, ...GET_ROOT },
        { ...about, type: 'write', text, isSent, lengths: [text.length] },
      ]),
      { ...about, type: 'gone', reason: 'reset', unsent: text.length },
    ]);
    expect(clients(data).map((one) => one.responses[0]?.unsent)).to.deep.equal([0, 0]);
  });

  it('shows each request whose bytes are left out', async () => {
    const events = await converse([[GET + GET + GET]]);
    const read = events.findIndex(({ type }) => type === 'read');
    const data = clients(show(events.slice(read + 1)));
    expect(data.map(({ number, title }) => [number, title])).to.deep.equal(
      [1, 2, 3].map((number) => [number, '(its beginning is left out)']),
    );
  });

  it('says why a request has no response', async () => {
    const log = (): void => {};
    const dropped = show(await converse([[GET + GET]], { maxRequests: 1, log }));
    expect(clients(dropped).map(({ outcome }) => outcome)).to.deep.equal([
      '',
      'never parsed, because the request before it is the last ' +
        '(the limit of requests is reached)',
    ]);
    const events = await converse([[GET]]);
    const reads = events.findIndex(({ type }) => type === 'read');
    const [cut] = clients(show(events.slice(0, reads + 1)));
    expect(cut?.outcome).to.equal('the trace ends before its response');
    const gone: TraceEvent = {
      ...{ at: 9, connection: 1 },
      type: 'gone',
      reason: 'reset',
      unsent: 0,
    };
    const [reset] = clients(show([...events.slice(0, reads + 1), gone]));
    expect(reset?.outcome).to.equal('reset');
  });

  it('tells of a connection on which nothing was sent, and of the server itself', async () => {
    const data = show(await converse([[], [GET]]));
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
  });

  it('marks a title that shows only the beginning of a request line', async () => {
    const titleOf = async (length: number): Promise<string | undefined> => {
      const request = raw`GET /${'a'.repeat(length - 5)} HTTP/1.1\r\nHost: a\r\n\r\n`;
      return show(await converse([[request]])).exchanges[0]?.title;
    };
    expect(await titleOf(180)).to.match(/^GET \/a{175}$/);
    expect(await titleOf(300)).to.match(/^GET \/a{195} \u2026$/);
    const rest = show(await converse([[raw` HTTP/1.1\r\nHost: a\r\n\r\n`]]));
    expect(rest.exchanges[0]?.title).to.equal(' HTTP/1.1');
    expect(show(await converse([[raw` \r\n`]])).exchanges[0]?.title).to.equal(
      '(white space)',
    );
  });

  it('cuts bytes that arrived together where the parser says that a request ends', async () => {
    const data = show(await converse([[GET + GET.slice(0, 4), GET.slice(4)]]));
    const text = bytes(GET).toString('latin1');
    expect(requestAt(data, 0).text).to.equal(text);
    expect(requestAt(data, 1).text).to.equal(text);
    const arrivals = data.exchanges[1]?.request.arrivals.map(([, end]) => end);
    expect(arrivals).to.deep.equal([4, text.length]);
    const second = data.exchanges[1]?.steps.map((step) => data.steps[step]?.verb);
    expect(second?.slice(0, 4)).to.deep.equal(['read', 'wait', 'read', 'parse']);
  });

  it('lays a request out in the lines and parts that the parser found', async () => {
    const content = raw`2;x\r\nhi\r\n0\r\nSum: 7\r\n\r\n`;
    const data = show(await converse([[CHUNKED + content]]));
    expect(rows(requestAt(data))).to.deep.equal([
      'method POST, SP  , request-target /tasks, SP  , HTTP-version HTTP/1.1, CRLF \\r\\n',
      'field-name Host, colon :, OWS  , value of Host a, CRLF \\r\\n',
      'field-name Transfer-Encoding, colon :, OWS  , ' +
        'value of Transfer-Encoding chunked, CRLF \\r\\n',
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
    const data = show(await converse([[GET]]));
    const [exchange] = data.exchanges;
    const [response] = exchange?.responses ?? [];
    if (exchange === undefined || response === undefined) throw new Error('no response');
    const message = new Message(data, exchange, 0, response);
    const all = rows(message);
    expect(all[0]).to.equal(
      'HTTP-version HTTP/1.1, SP  , status-code 200, SP  , reason-phrase OK, CRLF \\r\\n',
    );
    expect(all.at(-1)).to.equal(
      'content {\\"message\\":\\"Task Management API\\",\\"version\\":\\"1.0\\"}',
    );
    const [length, content] = relationsOf(message.when(Infinity))[0] ?? [];
    expect([length?.says, content?.says]).to.deep.equal(['says 49 bytes', '49 bytes']);
  });

  for (const [digits, says] of [
    ['99999999999999999999', 'says a number of 20 digits'],
    ['9'.repeat(400), 'says a number of 400 digits'],
    ['999999999999999', 'says 999,999,999,999,999 bytes'],
  ] as const) {
    it(`does not round a length of ${digits.length} digits`, async () => {
      const two = CHUNKED.replace('Transfer', raw`Content-Length: ${digits}\r\nTransfer`);
      const request = requestAt(show(await converse([[two]])));
      const [[length] = []] = relationsOf(request.when(Infinity));
      expect(length?.says).to.equal(says);
    });
  }

  it('tells what had arrived and was parsed at each step, and not more', async () => {
    const data = show(await converse([['GET /', raw` HTTP/1.1\r\nHost: a\r\n\r\n`]]));
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

  it('says what is never parsed after a verdict, and what was not accepted', async () => {
    const data = show(
      await converse([[raw`${CHUNKED}2\r\nhiX\n0\r\n`], [raw`GET /${'x'.repeat(9000)}`]]),
    );
    expect(rows(requestAt(data)).slice(5)).to.deep.equal([
      'chunk-data hi',
      'never X\\n',
      'never 0\\r\\n',
    ]);
    const long = requestAt(data, 1).when(Infinity);
    const states = [5, 8191, 8192, 9004].map((at) => long.state(at));
    expect(states).to.deep.equal(['whole', 'whole', 'never', 'never']);
    expect(long.describe(8192)).to.equal('beyond a limit');
  });

  it('says that the rest of a line was read before its wrong byte was judged', async () => {
    const lines = [
      raw`GET /\xc3 HTTP/1.1\r\nX`,
      raw`GET / HTTP/2.0\r\nX`,
      raw`GET / HT\rX\r\n`,
    ];
    const data = show(await converse(lines.map((line) => [line])));
    const seen = lines.map((_, at) => rows(requestAt(data, at)));
    expect(seen).to.deep.equal([
      ['method GET, SP  , whole /Ã HTTP/1.1\\r\\n', 'never X'],
      ['method GET, SP  , whole / HTTP/2.0\\r\\n', 'never X'],
      ['method GET, SP  , whole / HT, never \\rX\\r\\n'],
    ]);
    // The version was judged before the target, and the major version is part of it.
    const target = requestAt(data, 0).when(Infinity);
    const version = requestAt(data, 1).when(Infinity);
    expect([target.describe(9), version.describe(9)]).to.deep.equal([
      'read, but not accepted',
      'read, but not accepted',
    ]);
  });

  for (const [what, fields] of [
    ['Host', raw`Host: a\r\nHost: b\r\n`],
    ['a field that is missing', raw`A: b\r\n`],
    ['the length', raw`Host: a\r\nContent-Length: x\r\n`],
  ] as const) {
    it(`says that the empty line was read before ${what} was judged`, async () => {
      const data = show(await converse([[raw`GET / HTTP/1.1\r\n${fields}\r\nX`]]));
      expect(rows(requestAt(data)).slice(-2)).to.deep.equal(['CRLF \\r\\n', 'never X']);
    });
  }

  // prettier-ignore
  for (const [what, request, follows] of [
    ['a MUST', raw`GET / HTTP/1.1\r\nA : b\r\n\r\n`, 'no choice: every server has to reject'],
    ['a line without a colon', raw`GET / HTTP/1.1\r\nA\r\n\r\n`, 'Of a header field, RFC 9112'],
    ['a target with a space', raw`GET /a b HTTP/1.1\r\n\r\n`, 'respond with 400, or redirect'],
    ['a method', raw`G@T / HTTP/1.1\r\n\r\n`, 'it should not repair and go on (RFC 9112'],
    ['a version', raw`GET / HTTP/1\r\n\r\n`, 'should respond with 400, and not repair'],
    ['a path', raw`GET /{ HTTP/1.1\r\n\r\n`, 'RFC 9112 section 3.2 adds that a server'],
    ['https', raw`GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n`, 'unless it came over TLS'],
    ['another scheme', raw`GET x://a/ HTTP/1.1\r\nHost: a\r\n\r\n`, 'knows none of them'],
    ['white space in a trailer', raw`${CHUNKED}0\r\nA : b\r\n\r\n`, 'has a MUST for header'],
    ['another coding', CHUNKED.replace('chunked', 'gzip, chunked'), 'should respond with 501'],
    ['what breaks the grammar', raw`${CHUNKED}+5\r\n`, 'does not demand that: another server'],
    ['a limit', MANY_LINES, 'No RFC requires it'],
  ] as const) {
    it(`says what follows from the section about ${what}`, async () => {
      const [exchange] = show(await converse([[request]])).exchanges;
      expect(exchange?.rejection?.follows).to.contain(follows);
    });
  }

  it('does not call it right to send the rest of content that is too long', async () => {
    const head = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n`;
    const [exchange] = show(await converse([[head]])).exchanges;
    expect(exchange?.rejection?.reason).to.contain(
      'the first byte of the content, whose length is over',
    );
    expect(exchange?.rejection?.right).to.equal(
      'Content that is no longer than the limit.',
    );
  });

  it('does not call it right to send an empty line before a request', async () => {
    const [exchange] = show(
      await converse([[raw`\r\n\r\nGET / HTTP/1.1\r\n\r\n`]]),
    ).exchanges;
    expect(exchange?.rejection?.right).to.equal(
      'The request line. HTTP/1.1 forbids an empty line before it; this server ignores one.',
    );
  });

  it('claims of no other coding that it says where the content ends', async () => {
    const gzip = CHUNKED.replace('chunked', raw`gzip\r\nContent-Length: 1`);
    const [exchange] = show(await converse([[gzip]])).exchanges;
    expect(exchange?.rejection?.right).to.equal('One of the two fields, not both.');
  });

  for (const [what, request, fault, offset] of [
    ['a byte that is wrong', raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`, 'wrong', 20],
    ['a line that is missing', raw`GET / HTTP/1.1\r\nX: y\r\n\r\n`, 'missing', 22],
    ['a line that is one too many', raw`\r\n\r\nGET / HTTP/1.1\r\n\r\n`, 'wrong', 2],
    ['a field that is one too many', EMPTY_CODING, 'wrong', 34],
    ['content that is too large', TOO_LARGE, 'large', 53],
    ['more than a limit', raw`GET /${'x'.repeat(9000)} HTTP/1.1\r\n`, 'limit', 8192],
    ['bytes that never came', raw`GET / HT`, 'nothing', 8],
  ] as const) {
    it(`calls ${what} by its name`, async () => {
      const [exchange] = show(await converse([[request]])).exchanges;
      expect(exchange?.rejection).to.include({ fault, offset });
    });
  }

  it('calls it by its name that a server has no room', async () => {
    const long = raw`GET / HTTP/1.1\r\nA: ${'x'.repeat(5000)}`;
    const [exchange] = show(await converse([[long]], { contentBudget: 0 })).exchanges;
    expect(exchange?.rejection).to.include({ status: 503, fault: 'room', offset: 4096 });
  });

  it('tells what was read before a connection ended from what was not', async () => {
    const gone: TraceEvent = {
      at: 9,
      connection: 1,
      type: 'gone',
      reason: 'reset',
      unsent: 0,
    };
    const events = await converse([['GET /']]);
    const end = events.findIndex(({ type }) => type === 'end');
    const data = show([...events.slice(0, end), gone]);
    expect(rows(requestAt(data))).to.deep.equal(['whole GET /']);
    const last = raw`GET / HTTP/1.0\r\n\r\n`;
    const closed = show(await converse([[`${last}GET /`]]));
    expect(rows(requestAt(closed, 1))).to.deep.equal(['never GET /']);
  });

  it('says which line has the wrong byte, even if it is judged after the section', async () => {
    const wrong = [raw`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n`];
    const missing = [raw`GET / HTTP/1.1\r\nX: y\r\n\r\n`];
    const { exchanges } = show(await converse([wrong, missing]));
    const lines = exchanges.flatMap(({ rejection }) => rejection?.line ?? []);
    expect(lines).to.deep.equal(['header field line', 'end of the header section']);
    const data = show(await converse([wrong]));
    const when = requestAt(data).when(Infinity);
    const { offset = 0 } = data.exchanges[0]?.rejection ?? {};
    expect(when.describe(offset)).to.equal('wrong, in the value of Content-Length');
  });

  it('says of a byte that is wrong only beside another value that it is', async () => {
    const post = (fields: string): readonly string[] => [
      raw`POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`,
    ];
    const { exchanges } = show(
      await converse([
        post(raw`Host: a\r\n`),
        post(raw`Content-Length: 1\r\nTransfer-Encoding: chunked\r\n`),
        post(raw`Content-Length: 1\r\nTransfer-Encoding:\r\n`),
        post(raw`Content-Length: 1\r\nContent-Length: 1\r\n`),
        post(raw`Content-Length: 1, 2\r\n`),
      ]),
    );
    const faults = exchanges.flatMap(({ rejection }) => rejection?.fault ?? []);
    expect(faults).to.deep.equal(Array(5).fill('beside'));
  });

  it('counts what was dropped later, beside the bytes of a rejected request', async () => {
    const { client, trace, world } = await withClient();
    client.send(raw`x\r\n`);
    await world.settle();
    client.send('late');
    client.send('r');
    client.end();
    await world.settle();
    const [exchange] = clients(show(trace.events));
    expect(exchange?.dropped).to.equal(5);
  });

  it('names the time limit that goes on where a wait begins none', async () => {
    const data = show(await converse([[CHUNKED, raw`2\r\n`, 'hi']]));
    const waits = data.steps.flatMap(({ limit, verb }, at) =>
      verb === 'wait' ? { at, limit } : [],
    );
    const [opened, begun, later] = waits;
    expect(opened?.limit).to.deep.equal({ seconds: 60, from: opened?.at });
    expect(begun?.limit).to.deep.equal({ seconds: 60, from: begun?.at });
    expect(later?.limit).to.deep.equal({ seconds: 60, from: begun?.at });
  });

  it('says what well-known fields are about, in requests and in responses', async () => {
    const request = raw`GET / HTTP/1.1\r\nHost: a\r\nACCEPT: x\r\nY: z\r\n\r\n`;
    const glossary = glossaryOf(show(await converse([[request]])));
    const values = glossary.filter(({ name }) => name === 'field-value');
    const others = glossary.filter(({ name }) => name !== 'field-value');
    expect(others.filter(({ plain }) => plain?.startsWith('of '))).to.deep.equal([]);
    expect(values.map(({ plain, text }) => `${plain}: ${text}`)).to.include.members([
      'of Accept: Which kinds of data the client would like to get.',
      'undefined: The value of the field that is named before the colon.',
      'of Date: When the sender made this message.',
    ]);
  });

  it('says of Host that the request-target may name the host instead', async () => {
    const request = raw`GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n`;
    const host = glossaryOf(show(await converse([[request]]))).find(
      ({ name }) => name === 'value of Host',
    );
    expect(host?.text).to.match(
      /^The host .* wants to talk to, unless the request-target names/,
    );
  });

  it('numbers requests as the server does, also where events are left out', async () => {
    const events = await converse([[GET, GET, GET]]);
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

  it('does not say that nothing was parsed where the beginning is left out', async () => {
    const recorder = new TraceRecorder();
    for (const event of await converse([[GET], []])) recorder.record(event);
    const end: TraceEvent = { at: 9, connection: 1, type: 'end' };
    while (recorder.leftOut.events < 12) recorder.record(end);
    const [first, second] = clients(Conversation.of(recorder.linesAfter(0)).describe());
    expect(first).to.include({ number: 0, title: '(its beginning is left out)' });
    expect(second).to.include({ number: 0, title: '(no byte arrived)' });
  });

  it('does not say that something is left out of a client that was gone at once', () => {
    const about = { at: 1, connection: 1 };
    const [exchange] = show([
      { ...about, type: 'open', remoteAddress: undefined },
      { ...about, type: 'gone', reason: 'the client reset the connection', unsent: 0 },
    ]).exchanges;
    expect(exchange?.title).to.equal('(no byte arrived)');
  });

  it('counts only the pieces that brought a request, however many came before its turn', () => {
    const about = { at: 1, connection: 1 };
    const one = bytes(GET);
    const two = Buffer.concat([one, one]);
    const complete: TraceEvent[] = [
      COMPLETE,
      { ...about, type: 'queue', bytes: one.length, place: 1, behind: undefined },
    ];
    const data = show([
      { ...about, type: 'read', bytes: two, offset: 0 },
      { ...about, type: 'read', bytes: one, offset: two.length },
      ...[...complete, ...complete, ...complete],
    ]);
    const arrivals = clients(data).map(({ request }) => request.arrivals);
    const [first, second] = [
      [0, one.length],
      [1, one.length],
    ];
    expect(arrivals).to.deep.equal([[first], [first], [second]]);
    const reads = clients(data).map(({ steps }) => steps.filter((step) => step < 2));
    expect(reads).to.deep.equal([[0], [0], [1]]);
  });

  it('does not say where content of no bytes is', async () => {
    const data = show(
      await converse([[raw`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`]]),
    );
    const lines = data.steps.flatMap(({ lines }) => lines);
    expect(lines).to.include('content: 0 bytes (RFC 9112 section 6.2)');
  });

  for (const [length, words] of [
    ['1', 'the next byte, 46'],
    ['10', 'the next 10 bytes, 47-56'],
  ] as const) {
    it(`says of content before it is here that it comes next: ${words}`, async () => {
      const head = raw`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
      const { steps } = show(await converse([[head]]));
      const lines = steps.flatMap(({ lines }) => lines);
      expect(lines).to.include(`content: ${words} (RFC 9112 section 6.2)`);
    });
  }

  it('says that a chunk line was awaited by a server that had sent 100 (Continue)', async () => {
    const request = CHUNKED.replace('Host', raw`Expect: 100-continue\r\nHost`);
    const [exchange] = show(await converse([[request]])).exchanges;
    expect(exchange?.rejection).to.include({ fault: 'nothing', line: 'chunk line' });
  });

  it('keeps the beginning of a long response, and everything around it', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n';
    const text = `${head}${'x'.repeat(5_000_000)}`;
    const about = { at: 1, connection: 1 };
    const data = show([
      { ...about, type: 'open', remoteAddress: '::1' },
      { ...about, type: 'read', bytes: bytes(GET), offset: 0 },
      COMPLETE,
      { ...about, type: 'turn', request: 1, limit: 0, ...GET_ROOT },
      { ...about, type: 'write', text, isSent: true, lengths: [text.length] },
    ]);
    const [exchange] = data.exchanges;
    const [response] = exchange?.responses ?? [];
    expect(exchange?.title).to.equal('GET /');
    expect(response?.length).to.equal(text.length);
    expect(response?.text).to.equal(text.slice(0, 65_536));
    expect(data.steps.at(-1)?.lines[0]).to.contain(String(text.length));
  });

  it('needs no beginning', async () => {
    const events = await converse([[GET.slice(0, 9), GET.slice(9) + GET], [GET]]);
    for (let from = 0; from < events.length; from += 1) {
      const data = show(events.slice(from));
      for (const [index, { steps, title }] of data.exchanges.entries()) {
        expect(title).to.not.equal('');
        expect(steps).to.not.be.empty;
        expect(rows(requestAt(data, index)).join('')).to.not.contain('undefined ');
      }
    }
    const second = events.filter(({ type }) => type === 'read')[1];
    const data = show(events.slice(second === undefined ? 0 : events.indexOf(second)));
    expect(data.exchanges[0]?.request.from).to.equal(9);
  });
});

describe('the steps of a page', () => {
  it('count no chunk twice: each has its own', async () => {
    const chunks = raw`1\r\nx\r\n`.repeat(10);
    const { steps } = show(await converse([[CHUNKED + chunks + raw`0\r\n\r\n`]]));
    const told = steps.flatMap(
      ({ lines: [line = ''] }) => /^(?:last )?chunk/.exec(line) ?? [],
    );
    expect(told).to.have.lengthOf(11);
  });
});

describe('bytes that belong together', () => {
  const related = async (request: string): Promise<string[]> => {
    const data = show(await converse([[request]]));
    const message = requestAt(data);
    return relationsOf(message.when(Infinity)).map((group) =>
      group
        .map(
          ({ length, offset, says }) =>
            `${message.slice(offset, Math.min(length, 9))}: ${says}`,
        )
        .join(', '),
    );
  };
  for (const [what, request, expected] of [
    [
      'a length and the content',
      raw`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi`,
      ['2: says 2 bytes, hi: 2 bytes'],
    ],
    [
      'a length and a coding',
      raw`PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n`,
      ['chunked: says chunks, 2: says 2 bytes'],
    ],
    [
      'two codings',
      raw`PUT / HTTP/1.1\r\n${CODINGS}\r\n`,
      ['Chunked: says chunks, gzip: says gzip'],
    ],
    [
      'two lengths',
      raw`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n`,
      ['2: says 2 bytes, 3: says 3 bytes'],
    ],
    [
      'the first Host and another',
      raw`GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
      ['a: first Host, b: another Host'],
    ],
    [
      'a size, its data, and what follows it',
      raw`${CHUNKED}2\r\nhi\r\n3\r\nyouX\n0\r\n`,
      ['2: says 2 bytes, hi: 2 bytes', '3: says 3 bytes, you: 3 bytes, X: no CRLF'],
    ],
    [
      'a limit and what exceeds it',
      raw`GET /${'x'.repeat(9000)} HTTP/1.1\r\n`,
      ['GET /xxxx: 8,192 bytes up to the limit, x: beyond it'],
    ],
    [
      'a length and the part of the content that arrived',
      raw`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhi`,
      ['5: says 5 bytes, hi: 2 of 5 bytes'],
    ],
    [
      'a limit of digits and what exceeds it',
      raw`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999\r\n\r\n`,
      ['999999999: 15 digits up to the limit, 9: beyond it'],
    ],
    ['no bytes that a limit of lines is kept by', MANY_LINES, []],
    [
      'no bytes that a limit of a number is kept by',
      raw`${CHUNKED}fffffffffffffff\r\n`,
      [],
    ],
    [
      'a number and the content that would be too long',
      raw`PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\nx`,
      ['1048577: says 1,048,577 bytes, x: the content'],
    ],
  ] as const) {
    it(`are ${what}`, async () => {
      expect(await related(request)).to.deep.equal(expected);
    });
  }
});

describe('the verdict on a request', () => {
  /** What a page would hold of a request that is rejected. */
  function reject(request: Buffer): ExchangeData | undefined {
    const events: TraceEvent[] = [];
    const about = { at: 1, connection: 1 };
    const sink = withRisk((event) => events.push(event));
    const trace = (event: ReaderEvent): void => void sink({ ...about, ...event });
    const reader = new RequestReader({ trace: new ReaderTrace(trace) });
    sink({ ...about, type: 'read', bytes: request, offset: 0 });
    reader.push(request);
    for (;;) {
      const outcome = reader.next();
      if (outcome.kind === 'wait') reader.end();
      if (outcome.kind === 'finished') return undefined;
      if (outcome.kind !== 'rejected') continue;
      const { error, excerpt } = outcome;
      sink({ ...about, type: 'reject', error, excerpt });
      return show(events).exchanges.find(({ rejection }) => rejection);
    }
  }
  for (const { cases, title } of REJECTED_GROUPS) {
    it(`says its byte, rule, authority, and what would be right: ${title}`, () => {
      for (const one of cases) {
        const { authority, name, section } = one;
        if (one.needs !== undefined) continue;
        const request = Buffer.from(requestOf(one), 'latin1');
        const exchange = reject(request);
        const { rejection } = exchange ?? {};
        if (exchange === undefined || rejection === undefined) throw new Error(name);
        expect([rejection.authority, rejection.section], name).to.deep.equal([
          authority,
          section,
        ]);
        expect(rejection.right, name).to.match(/^[A-Z"1h].*[^.]\.?$/);
        expect(rejection.meaning, name).to.match(/^[A-Z].*: /);
        expect(rejection.offset, name).to.be.within(0, request.length);
        expect(rejection.fault === 'nothing', name).to.equal(
          rejection.offset === request.length &&
            !['limit', 'large'].includes(rejection.fault),
        );
        const risk = riskIn(request.toString('latin1'), undefined);
        expect(exchange.other?.consequence, name).to.equal(risk?.consequence);
        expect(exchange.other?.experiment, name).to.equal(risk?.experiment);
      }
    });
  }
});

describe('the other readings of a request', () => {
  it('are cut where a careless reader cuts, and told in sentences', async () => {
    const next = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
    const fields = raw`Host: a\r\nContent-Length: 40\r\nTransfer-Encoding: chunked\r\n`;
    const request = raw`POST /tasks HTTP/1.1\r\n${fields}\r\n0\r\n\r\n${next}`;
    const data = show(await converse([[request]]));
    const { other } = data.exchanges[0] ?? {};
    const text = bytes(request).toString('latin1');
    const end = other?.end ?? 0;
    expect(end).to.equal(123);
    const cuts = other?.readings.map((reading) =>
      cutsOf(reading, end, text).map(
        ({ from, kind, says, to }) => `${from}-${to} ${kind}, ${says}`,
      ),
    );
    expect(cuts).to.deep.equal([
      [
        '0-81 head, request 1: POST /tasks',
        '81-86 content, its content: 0 bytes in chunks, up to the one of size 0',
        '86-123 head, request 2: DELETE /tasks/1',
      ],
      [
        '0-81 head, request 1: POST /tasks',
        '81-121 content, its content: 40 bytes',
        '121-123 skipped, an empty line, skipped',
      ],
    ]);
    expect(other?.readings.map((reading) => endOf(reading, end))).to.deep.equal([
      'ends the request after byte 85',
      'ends the request after byte 120',
    ]);
    const [reading] = other?.readings ?? [];
    expect(reading && tell(reading, end, text, 'Reader A')).to.match(
      /^Reader A goes by .*: bytes 0 to \d+ are request 1: POST \/tasks; /,
    );
  });

  it('say how much content is announced, and that its end is not here', async () => {
    // In 32 bits the chunk is the last one; in 64 bits its end is not here.
    const told = async (size: string): Promise<string | undefined> => {
      const data = show(await converse([[raw`${CHUNKED}${size}\r\n\r\n`]]));
      const reading = data.exchanges[0]?.other?.readings.at(-1);
      return reading && cutsOf(reading, CHUNKED.length, '').at(-1)?.says;
    };
    const waits = 'waits for more';
    expect(await told('100000000')).to.equal(
      `its content: 4,294,967,296 bytes announced in chunks, ${waits}`,
    );
    expect(await told('20000000000000')).to.equal(
      `its content: 2^53 bytes or more announced in chunks, ${waits}`,
    );
  });

  it('do not say that bytes are content of 0 bytes, where no chunk is announced yet', async () => {
    const coding = raw`Content-Length: 3\r\nTransfer-Encoding: "chunked"`;
    const request = CHUNKED.replace('Transfer-Encoding: chunked', coding);
    const data = show(await converse([[`${request}abc`]]));
    const { readings = [], end = 0 } = data.exchanges[0]?.other ?? {};
    const says = readings.map((reading) => cutsOf(reading, end, '').at(-1)?.says);
    expect(says).to.deep.equal([
      'its content: 3 bytes',
      'its content: in chunks, waits for more',
    ]);
  });

  it('go on in what has arrived after the request', async () => {
    const line = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n`;
    const get = raw`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n${line}`;
    const { other, length } = show(await converse([[get + raw`\r\n`]])).exchanges[0] ?? {};
    const [reading] = other?.readings ?? [];
    expect(other?.end).to.equal((length ?? 0) + 2);
    expect(reading && tell(reading, other?.end ?? 0, '', 'Reader A')).to.match(
      /; bytes \d+ to \d+ are request 2: DELETE \/tasks\/1$/,
    );
  });

  it('wait for nothing that arrived after the next request', async () => {
    const lengthOf = (text: string): string => `Content-Length: ${bytes(text).length}`;
    const post = raw`POST / HTTP/1.1\r\nHost: a\r\n${lengthOf(GET + GET)}\r\n\r\n`;
    const get = raw`GET / HTTP/1.1\r\nHost: a\r\n${lengthOf(post)}\r\n\r\n`;
    const { other } = show(await converse([[get + post + GET + GET]])).exchanges[0] ?? {};
    const [reading] = other?.readings ?? [];
    expect(reading && tell(reading, other?.end ?? 0, '', 'Reader A')).to.match(
      /request 2: POST \/; bytes \d+ to \d+ are its content: 54 bytes$/,
    );
  });

  it('are none where every reader ends the request at the same byte', async () => {
    const [exchange] = show(await converse([[GET]])).exchanges;
    expect(exchange?.other).to.equal(undefined);
  });
});

describe('the times of an exchange', () => {
  it('tells waiting, reading, the queue and the turn apart', async () => {
    const data = show(await converse([['GET /', raw` HTTP/1.1\r\nHost: a\r\n\r\n`]]));
    const [exchange] = data.exchanges;
    const kinds = exchange && phasesOf(data, exchange).map(({ kind }) => kind);
    const runs = kinds?.filter((kind, index) => kind !== kinds[index - 1]);
    expect(runs).to.deep.equal(['bytes', 'read', 'bytes', 'read', 'queue', 'turn']);
  });

  it('lets a request wait while those before it are handled', async () => {
    const data = show(await converse([[GET + GET]]));
    const second = data.exchanges[1];
    const [first] = second ? phasesOf(data, second) : [];
    expect(first?.kind).to.equal('behind');
    expect(data.steps[first?.from ?? -1]?.verb).to.equal('read');
  });

  it('handles one request at a time, though several responses leave at once', async () => {
    const data = show(await converse([[GET + GET + GET]]));
    const turns = data.exchanges.flatMap((exchange) =>
      phasesOf(data, exchange).filter(({ kind }) => kind === 'turn'),
    );
    expect(turns).to.have.lengthOf(3);
    for (const [index, { from }] of turns.entries())
      expect(from).to.be.at.least(turns[index - 1]?.to ?? 0);
  });

  /** What the page says of the wait at a step with a verb. */
  function waitAt(
    events: readonly TraceEvent[],
    verb: string,
    number = 1,
  ): string | undefined {
    const data = show(events);
    const step = stepOf(data, verb, number);
    const exchange = data.exchanges.find(({ steps }) => steps.includes(step));
    return exchange && describeWait(data, exchange, step)?.text;
  }

  it('measures a linger to its end, whatever is dropped in it', async () => {
    const { client, trace, world } = await withClient();
    client.send(raw`x\r\n`);
    await world.advance(100);
    client.send('late');
    await world.advance(50);
    client.end();
    await world.settle();
    expect(waitAt(trace.events, 'linger')).to.equal(
      'This lasted 150 ms. The limit is 30 s.',
    );
  });

  it('says that the time to read begins again', async () => {
    const service = () => ({ status: 200, body: 'y'.repeat(300_000) }) as const;
    const options = { service, requestTimeout: 1 };
    const { client, trace, world } = await withClient(options, { outputRoom: 100_000 });
    client.stopReading();
    client.send(GET);
    for (const _ of 'xxxx') {
      await world.advance(990);
      client.read(70_000);
    }
    client.readOn();
    await world.settle();
    expect(waitAt(trace.events, 'block')).to.match(
      /^This lasted \d{4} ms\. The limit of 1 s begins again whenever the client reads\.$/,
    );
  });

  it('measures the time to read until the server gives up', async () => {
    const service = () => ({ status: 200, body: 'y'.repeat(300_000) }) as const;
    const options = { service, requestTimeout: 1 };
    const { client, trace, world } = await withClient(options, { outputRoom: 100_000 });
    client.stopReading();
    client.send(GET + GET);
    await world.advance(1000);
    expect(trace.of('gone')).to.have.lengthOf(1);
    expect(waitAt(trace.events, 'block')).to.match(/^This lasted 1000 ms\./);
  });

  it('says that a limit was over that began before', async () => {
    const { client, trace, world } = await withClient({ requestTimeout: 1 });
    client.send(raw`GET / HTTP/1.1\r\n`);
    await world.advance(900);
    client.send('Host: a');
    await world.advance(101);
    const late = trace.events.map((event) =>
      event.type === 'reject' ? { ...event, at: event.at + 2 } : event,
    );
    expect(waitAt(late, 'wait', 3)).to.equal(
      'This lasted 102 ms. The limit of 1 s began at an earlier step, and was over.',
    );
  });

  it('says that a limit was over, and what has no clock of its own', async () => {
    const { client, server, trace, world } = await withClient({ idleTimeout: 1 });
    client.send(GET);
    await world.settle();
    const idle = trace.events.findIndex(({ type }) => type === 'idle');
    await world.advance(1000);
    const late = trace.events.map((event, index) =>
      index > idle ? { ...event, at: event.at + 2 } : event,
    );
    expect(waitAt(late, 'idle')).to.equal(
      'This lasted 1002 ms. The limit of 1 s was over.',
    );
    world.connect();
    await world.settle();
    void server.stop();
    await world.settle();
    const stopped = trace.events.filter(({ connection }) => connection === 2);
    expect(waitAt(stopped, 'linger')).to.equal(undefined);
  });

  it('takes 100 for no response to a request whose content never comes', async () => {
    const fields = raw`Host: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n`;
    const { client, trace, world } = await withClient();
    client.send(raw`POST /tasks HTTP/1.1\r\n${fields}\r\n`);
    await world.advance(1000);
    client.reset();
    await world.settle();
    const data = show(trace.events);
    const [exchange] = clients(data);
    if (exchange === undefined) throw new Error('no exchange');
    expect(durationOf(data, exchange)).to.equal(undefined);
  });
});
