import { expect } from 'chai';
import type { MessageData, PageData } from '../../../src/trace/page/page-data';
import { describeConversation } from '../../../src/trace/page/conversation';
import {
  describeFacts,
  findWait,
  groupByRequest,
} from '../../../src/trace/page/browser/facts';
import { arrivedAt, decode, layOut } from '../../../src/trace/page/browser/rows';
import { bytes, raw } from '../../support/bytes';
import { converse } from '../../support/conversation';
import type { TraceEvent } from '../../../src/index';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** The whole of what a page holds. */
function show(events: Iterable<TraceEvent>): PageData {
  const conversation = describeConversation(events);
  const { authorities, connections, glossary, lines, queue, signs, start, verbs } =
    conversation;
  const messages = [...conversation.messages];
  const steps = [...conversation.steps];
  const known = { authorities, glossary, lines, signs, verbs };
  return { ...known, connections, messages, queue, start, steps };
}

/** The rows of a message at a step: the label, and each part with its bytes. */
function rows(data: PageData, message: MessageData | undefined, step = Infinity): string[] {
  if (message === undefined) throw new Error('no such message');
  const text = decode(message);
  return layOut(data, message, text, step).map(({ label, segments }) => {
    const parts = segments.map(({ entry, from, state, to }) => {
      const name = data.glossary[entry]?.name ?? state;
      return `${name} ${JSON.stringify(text.slice(from - message.from, to - message.from))}`;
    });
    return `${label}: ${parts.join(', ')}`;
  });
}

function stepOf(data: PageData, verb: string): number {
  const step = data.steps.findIndex((one) => one.verb === verb);
  if (step < 0) throw new Error(`no step "${verb}"`);
  return step;
}

function facts(data: PageData, step: number): Record<string, string> {
  const request = data.steps[step]?.request ?? -1;
  const about = groupByRequest(data).get(request) ?? [];
  const found = describeFacts(data, request, about, step);
  return Object.fromEntries(found.map(({ term, text }) => [term, text]));
}

describe('a conversation', () => {
  it('has the requests and the responses of each connection, in their order', async () => {
    const data = show(await converse([[GET + GET], [raw`GET /x HTTP/1.1\r\n\r\n`]]));
    expect(data.connections.map(({ number }) => number)).to.deep.equal([1, 2]);
    expect(data.messages.map(({ title }) => title)).to.deep.equal([
      'c1 request 1: GET /',
      'c1 request 2: GET /',
      'c1 response 1: HTTP/1.1 200 OK',
      'c2 request 1: GET /x',
      'c2 response 1: HTTP/1.1 400 Bad Request',
    ]);
  });

  it('cuts bytes that arrived together where the parser says that a request ends', async () => {
    const data = show(await converse([[GET + GET.slice(0, 4), GET.slice(4)]]));
    const requests = data.messages.filter(({ isRequest }) => isRequest).map(decode);
    expect(requests).to.deep.equal(Array(2).fill(bytes(GET).toString('latin1')));
    expect(data.messages[1]?.arrivals.map(([, end]) => end)).to.deep.equal([4, 27]);
  });

  it('lays a request out in the lines and parts that the parser found', async () => {
    const content = raw`2;x\r\nhi\r\n0\r\nSum: 7\r\n\r\n`;
    const data = show(await converse([[CHUNKED + content]]));
    expect(rows(data, data.messages[0])).to.deep.equal([
      'request line: method "POST", SP " ", request-target "/tasks", SP " ", ' +
        'HTTP-version "HTTP/1.1", CRLF "\\r\\n"',
      'header field line: field-name "Host", colon ":", OWS " ", value of Host "a", CRLF "\\r\\n"',
      'header field line: field-name "Transfer-Encoding", colon ":", OWS " ", ' +
        'value of Transfer-Encoding "chunked", CRLF "\\r\\n"',
      'end of the header section: CRLF "\\r\\n"',
      'chunk line: chunk-size "2", chunk-ext ";x", CRLF "\\r\\n"',
      'chunk data and end of the chunk: chunk-data "hi", CRLF "\\r\\n"',
      'last chunk: chunk-size "0", CRLF "\\r\\n"',
      'trailer field line: field-name "Sum", colon ":", OWS " ", field-value "7", CRLF "\\r\\n"',
      'end of the trailer section: CRLF "\\r\\n"',
    ]);
  });

  it('lays a response out in the parts that the server wrote', async () => {
    const data = show(await converse([[GET]]));
    expect(rows(data, data.messages[1])).to.deep.equal([
      'status line: HTTP-version "HTTP/1.1", SP " ", status-code "200", SP " ", ' +
        'reason-phrase "OK", CRLF "\\r\\n"',
      'header field line: field-name "Content-Type", colon ":", OWS " ", ' +
        'field-value "application/json", CRLF "\\r\\n"',
      'header field line: field-name "Content-Length", colon ":", OWS " ", field-value "49", ' +
        'CRLF "\\r\\n"',
      'header field line: field-name "Date", colon ":", OWS " ", ' +
        'field-value "Sun, 06 Nov 1994 08:49:37 GMT", CRLF "\\r\\n"',
      'end of the header section: CRLF "\\r\\n"',
      'content: content "{\\"message\\":\\"Task Management API\\",\\"version\\":\\"1.0\\"}"',
    ]);
  });

  it('marks the wrong byte, and what was never judged behind it', async () => {
    const data = show(await converse([[raw`${CHUNKED}2\r\nhiX\n0\r\n`]]));
    const [request] = data.messages;
    expect(data.start).to.equal(stepOf(data, 'reject'));
    expect(rows(data, request).slice(5)).to.deep.equal([
      'chunk data and end of the chunk: chunk-data "hi", wrong "X", ignored "\\n"',
      'never judged: ignored "0\\r\\n"',
    ]);
    expect(request?.rejection).to.deep.include({
      line: 'end of the chunk',
      status: 400,
      authority: 'allowed by',
      section: '9112 7.1',
      hint: '',
      meaning: 'Bad Request: a mistake of the client',
      expected: raw`a line end (\r\n)`,
    });
  });

  it('says which size announced the data that does not end where it should', async () => {
    const pieces = [
      CHUNKED,
      raw`1\r\n`,
      raw`x\r\n`,
      raw`02;a\r\n`,
      'hi',
      raw`!\r\n0\r\n\r\n`,
    ];
    for (const sent of [pieces, [pieces.join('')]]) {
      const [request] = show(await converse([sent])).messages;
      const { announced, expected, offset } = request?.rejection ?? {};
      const start = bytes(CHUNKED).length;
      expect(offset).to.equal(start + 14);
      expect(expected).to.equal(raw`a line end (\r\n)`);
      expect(announced).to.deep.include({
        offset: start + 6,
        length: 2,
        digits: '02',
        size: 2,
      });
      expect(announced?.data).to.equal(start + 12);
    }
  });

  it('knows the next line end only if it had arrived when the request was rejected', async () => {
    const ends = async (content: string): Promise<number | undefined> => {
      const [request] = show(await converse([[CHUNKED + content]])).messages;
      const { announced } = request?.rejection ?? {};
      return announced?.lineEnd && announced.lineEnd - announced.data;
    };
    expect(await ends(raw`2\r\nhigh\r\n0\r\n`)).to.equal(4);
    expect(await ends(raw`2\r\nhigh\n0\r\n`)).to.equal(undefined);
    expect(await ends(raw`2\r\nhigh`)).to.equal(undefined);
  });

  it('shows the request whose bytes are dropped', async () => {
    const data = show(await converse([[raw`${CHUNKED}2\r\nhiX\n0\r\n`]]));
    const drop = data.steps[stepOf(data, 'drop')];
    expect(drop?.lines).to.deep.equal(['4 bytes after byte 66']);
    expect(data.messages[drop?.message ?? -1]?.isRequest).to.equal(true);
  });

  it('names the time limit that goes on where a wait begins none', async () => {
    const data = show(await converse([[CHUNKED, raw`2\r\n`, 'hi']]));
    const waits = data.steps.flatMap(({ limit, verb }, at) =>
      verb === 'wait' ? { at, limit } : [],
    );
    const [opened, begun, later] = waits;
    expect(data.steps[begun?.at ?? -1]?.lines[0]).to.match(/, 60 s at most$/);
    expect([opened?.limit, begun?.limit]).to.deep.equal([undefined, undefined]);
    expect(later?.limit).to.deep.equal({ seconds: 60, step: begun?.at });
  });

  it('says what well-known fields are about, in requests and in responses', async () => {
    const request = raw`GET / HTTP/1.1\r\nHost: a\r\nACCEPT: x\r\nY: z\r\n\r\n`;
    const data = show(await converse([[request]]));
    const texts = data.messages.map((message) =>
      layOut(data, message, decode(message), Infinity).flatMap(({ segments }) =>
        segments.flatMap(({ entry }) => {
          const part = data.glossary[entry];
          return part?.name === 'field-value' ? part.text : [];
        }),
      ),
    );
    expect(texts[0]).to.deep.equal([
      'The kinds of data that the client would like to get.',
      'The value of the field that is named before the colon.',
    ]);
    expect(texts[1]?.[0]).to.match(/^What kind of data the content is/);
  });

  it('says when the server waited, and what of it had arrived', async () => {
    const data = show(await converse([[CHUNKED, raw`2`, raw`\r\nhiX`]]));
    const [request] = data.messages;
    const about = groupByRequest(data).get(0) ?? [];
    const waits = about.filter((step) => data.steps[step]?.verb === 'wait');
    if (request === undefined) throw new Error('no request');
    const at = (step = -1) => findWait(data, request, about, step);
    const length = bytes(CHUNKED).length;
    expect(at(waits[1])).to.deep.include({ begun: 0, next: length, until: undefined });
    expect(at(waits[2])).to.deep.include({ begun: 1, next: length + 1, until: undefined });
    const rejected = at(stepOf(data, 'reject'));
    expect(rejected?.step).to.equal(waits[2]);
    expect(rejected?.text).to.match(/^for the end of the chunk line/);
    expect(rejected?.from).to.equal(data.steps[waits[2] ?? -1]?.at);
    expect(rejected?.until).to.equal(data.steps[(waits[2] ?? -1) + 1]?.at);
  });

  it('says that a rejection closes the connection, whatever the request says', async () => {
    const data = show(await converse([[raw`${CHUNKED}x\r\n`]]));
    expect(facts(data, stepOf(data, 'reject'))['Connection']).to.match(
      /^the server closes it, because the request is rejected\. The request itself says: /,
    );
  });

  it('says which line has the wrong byte, even if it is judged after the section', async () => {
    const wrong = [raw`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n`];
    const missing = [raw`GET / HTTP/1.1\r\nX: y\r\n\r\n`];
    const { messages } = show(await converse([wrong, missing]));
    const lines = messages.flatMap(({ rejection }) => rejection?.line ?? []);
    expect(lines).to.deep.equal(['header field line', 'end of the header section']);
  });

  it('tells what had arrived and was judged at each step, and not more', async () => {
    const data = show(await converse([['GET /', raw` HTTP/1.1\r\nHost: a\r\n\r\n`]]));
    const [request] = data.messages;
    const read = stepOf(data, 'read');
    expect(request && arrivedAt(request, read)).to.equal(5);
    expect(rows(data, request, read)).to.deep.equal([
      'not judged yet: waiting "GET /", future " HTTP/1.1\\r\\n"',
      'not here yet: future "Host: a\\r\\n"',
      'not here yet: future "\\r\\n"',
    ]);
    const parsed = stepOf(data, 'parse');
    expect(rows(data, request, parsed)[0]).to.contain('request line: method "GET"');
    expect(rows(data, request, parsed)[1]).to.equal(
      'not judged yet: waiting "Host: a\\r\\n"',
    );
  });

  it('tells what the server waited for, decided, and did, at each step', async () => {
    const pieces = [CHUNKED, raw`2\r\nhi`, raw`\r\n0\r\n\r\n`];
    const data = show(await converse([pieces]));
    const reads = data.steps.flatMap(({ verb }, step) => (verb === 'read' ? step : []));
    const [, second = -1, third = -1] = reads;
    expect(facts(data, second)).to.deep.include({
      Arrived: '66 bytes of this request; 7 more arrive later',
      Queue: 'not yet',
      End: 'not yet',
    });
    expect(facts(data, second)['Before']).to.match(
      /^the server waited for the end of the chunk line/,
    );
    expect(facts(data, third - 1)['Waiting']).to.match(
      /^the server waits for the CRLF after chunk 1/,
    );
    expect(facts(data, stepOf(data, 'write'))['Content']).to.match(/^content in chunks/);
    expect(facts(data, stepOf(data, 'gone'))['End']).to.equal('the client closed');
  });

  it('says which request each response belongs to, 100 (Continue) too', async () => {
    const fields = raw`Host: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n`;
    const expecting = raw`PUT /tasks/1 HTTP/1.1\r\n${fields}\r\n`;
    const data = show(await converse([[GET, expecting, 'hi']]));
    const writes = data.steps.filter(({ verb }) => verb === 'write');
    const titles = writes.map(({ message, request }) => [
      data.messages[request]?.title,
      data.messages[message]?.title,
    ]);
    expect(titles).to.deep.equal([
      ['c1 request 1: GET /', 'c1 response 1: HTTP/1.1 200 OK'],
      ['c1 request 2: PUT /tasks/1', 'c1 response 2: HTTP/1.1 100 Continue'],
      ['c1 request 2: PUT /tasks/1', 'c1 response 3: HTTP/1.1 200 OK'],
    ]);
  });

  it('shows who waits in the queue', async () => {
    const data = show(await converse([[GET + GET]]));
    const changes = data.queue.map(([, connection, change]) => [connection, change]);
    expect(changes).to.deep.equal([
      [1, 1],
      [1, -1],
      [1, 1],
      [1, -1],
    ]);
  });

  it('needs no beginning', async () => {
    const events = await converse([[GET.slice(0, 9), GET.slice(9)], [GET]]);
    for (let from = 0; from < events.length; from += 1) {
      const data = show(events.slice(from));
      expect(data.steps.length).to.be.at.most(events.length - from);
      for (const message of data.messages) {
        expect(decode(message)).to.not.equal('');
        expect(layOut(data, message, decode(message), Infinity)).to.not.be.empty;
      }
    }
    const reads = events.filter(({ type }) => type === 'read');
    const [message] = show(events.slice(events.indexOf(reads[1] as TraceEvent))).messages;
    expect(message?.from).to.equal(9);
  });
});
