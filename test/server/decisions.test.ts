import { expect } from 'chai';
import { raw } from '../support/bytes';
import { linesFor, withClient } from '../support/virtual-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const EXPECTING = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

describe('the trace of what is read and not used', () => {
  const LINE = 'c1  parse  request line: ';
  for (const [what, request, ...lines] of [
    [
      'the query',
      raw`GET /tasks?a=b?c HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}GET, origin-form, path "/tasks", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  query "a=b?c" is not part of the path',
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
    [
      'an empty query',
      raw`GET /? HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  query "" is not part of the path',
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
    [
      'authority and Host, in absolute-form',
      raw`GET http://b:80/x HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}GET, absolute-form, path "/x", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  authority "b:80" is ignored: every host has the same paths',
      'c1  parse  1 field line, Host "a" is well formed, but the target names the host ' +
        '(RFC 9112 section 3.2.2)',
    ],
    [
      'the whole server, in absolute-form',
      raw`OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}OPTIONS, absolute-form, read as "*", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  authority "b" is ignored: every host has the same paths',
      'c1  parse  1 field line, Host "a" is well formed, but the target names the host ' +
        '(RFC 9112 section 3.2.2)',
    ],
    [
      'Host, in authority-form',
      raw`CONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}CONNECT, authority-form "b:1", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  1 field line, Host "a" is well formed, but the target names the host ' +
        '(RFC 9112 section 3.3)',
    ],
    [
      'no Host, in HTTP/1.0',
      raw`GET / HTTP/1.0\r\nA: b\r\nC: d\r\n\r\n`,
      `${LINE}GET, origin-form, path "/", HTTP/1.0 (RFC 9112 section 3)`,
      'c1  parse  2 field lines, no Host (RFC 9112 section 3.2)',
    ],
    [
      'no Host, in absolute-form',
      raw`GET http://b/ HTTP/1.0\r\n\r\n`,
      `${LINE}GET, absolute-form, path "/", HTTP/1.0 (RFC 9112 section 3)`,
      'c1  parse  authority "b" is ignored: every host has the same paths',
      'c1  parse  0 field lines, no Host (RFC 9112 section 3.2.2)',
    ],
    [
      'a later minor version',
      raw`GET / HTTP/1.2\r\nHost: a\r\n\r\n`,
      `${LINE}GET, origin-form, path "/", HTTP/1.2 (RFC 9112 section 3)`,
      'c1  parse  HTTP/1.2 is read as HTTP/1.1 (RFC 9110 section 6.2)',
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
    [
      'a query as browsers send it',
      raw`GET /?q=a|b^ HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  query "q=a|b^" is not part of the path',
      'c1  parse  the query has "|", for which RFC 3986 has no place: browsers send it',
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
    [
      'a path as browsers send it',
      raw`GET /100%?| HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}GET, origin-form, path "/100%", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  query "|" is not part of the path',
      'c1  parse  the path has "%" without two hexadecimal digits, ' +
        'for which RFC 3986 has no place: browsers send it',
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
    [
      'an empty line',
      raw`\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`,
      'c1  parse  an empty line before the request line is ignored (RFC 9112 section 2.2)',
      `${LINE}GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
    [
      'Host in asterisk-form counts',
      raw`OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${LINE}OPTIONS, asterisk-form "*", HTTP/1.1 (RFC 9112 section 3)`,
      'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
    ],
  ] as const) {
    it(`the trace tells what becomes of ${what}`, async () => {
      expect((await linesFor(request, 'parse')).split('\n')).to.deep.equal([...lines, '']);
    });
  }
  it('the trace tells which trailer fields are dropped', async () => {
    const request = raw`${CHUNKED}0\r\nA: b\r\nContent-Length: 9\r\n\r\n`;
    expect((await linesFor(request, 'parse')).split('\n').slice(2, 4)).to.deep.equal([
      'c1  parse  last chunk at 61: 0 bytes of content (RFC 9112 section 7.1)',
      'c1  parse  trailer section, ended by byte 90: 2 field lines read and dropped: ' +
        'A, Content-Length (RFC 9110 section 6.5.1)',
    ]);
  });
  it('the trace tells which chunk extensions are dropped, and the size as sent', async () => {
    const request = raw`${CHUNKED}1;a\r\nx\r\n0B\r\n0123456789a\r\n00 ; b="c"\r\n\r\n`;
    expect((await linesFor(request, 'parse')).split('\n').slice(2, -2)).to.deep.equal([
      'c1  parse  chunk 1: size 1 (hex) = 1, data 66-66 (RFC 9112 section 7.1)',
      'c1  parse  2 bytes of chunk extensions dropped (RFC 9112 section 7.1.1)',
      'c1  parse  chunk 2: size 0B (hex) = 11, data 73-83 (RFC 9112 section 7.1)',
      'c1  parse  last chunk at 86: 12 bytes of content (RFC 9112 section 7.1)',
      'c1  parse  8 bytes of chunk extensions dropped (RFC 9112 section 7.1.1)',
    ]);
  });
  for (const [why, request] of [
    [
      'the request has no content',
      raw`GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n`,
    ],
    ['content has arrived already', raw`${EXPECTING}Content-Length: 1\r\n\r\nx`],
    [
      'HTTP/1.0 has no interim responses',
      raw`${EXPECTING}Content-Length: 1\r\n\r\nx`.replace('1.1', '1.0'),
    ],
  ] as const) {
    it(`the trace tells why no 100 (Continue) is sent: ${why}`, async () => {
      expect(await linesFor(request, 'expect')).to.equal(
        `c1  expect 100-continue is ignored: ${why} (RFC 9110 section 10.1.1)\n`,
      );
    });
  }
  it('the trace tells that there are no trailer fields', async () => {
    expect((await linesFor(raw`${CHUNKED}0\r\n\r\n`, 'parse')).split('\n')[3]).to.equal(
      'c1  parse  trailer section, ended by byte 65: no field lines (RFC 9112 section 7.1)',
    );
  });
});

describe('the trace of how the content is framed', () => {
  for (const [request, line] of [
    [
      raw`${post(3)}abc`,
      '3 bytes of content: Content-Length (RFC 9112 section 6.3, rule 6)',
    ],
    [raw`${post(1)}a`, '1 byte of content: Content-Length (RFC 9112 section 6.3, rule 6)'],
    [post(0), '0 bytes of content: Content-Length (RFC 9112 section 6.3, rule 6)'],
    [
      raw`${CHUNKED}0\r\n\r\n`,
      'content in chunks: "chunked" is the final transfer coding ' +
        '(RFC 9112 section 6.3, rule 4)',
    ],
    [
      GET,
      'no content: neither Content-Length nor Transfer-Encoding ' +
        '(RFC 9112 section 6.3, rule 7)',
    ],
  ] as const) {
    it(`the trace tells how the content is framed: ${line}`, async () => {
      expect(await linesFor(request, 'frame')).to.equal(`c1  frame  ${line}\n`);
    });
  }
});

describe('the trace of what a request says about the connection', () => {
  const LETS = 'c1  keep   the client lets it stay open: ';
  const CLOSES = 'c1  keep   the connection closes after the response: ';
  for (const [what, request, line] of [
    ['HTTP/1.1', GET, `${LETS}HTTP/1.1 without "close" (RFC 9112 section 9.3)`],
    [
      '"close"',
      raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `${CLOSES}the client says "close" (RFC 9112 section 9.6)`,
    ],
    [
      'HTTP/1.0',
      raw`GET / HTTP/1.0\r\n\r\n`,
      `${CLOSES}HTTP/1.0 without "keep-alive" (RFC 9112 section 9.3)`,
    ],
    [
      'HTTP/1.0 with "keep-alive"',
      raw`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
      `${LETS}HTTP/1.0 with "keep-alive" (RFC 9112 section 9.3)`,
    ],
    [
      'CONNECT',
      raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${CLOSES}what follows CONNECT is meant for a tunnel (RFC 9110 section 9.3.6)`,
    ],
    [
      'content that is too large',
      raw`${post(9_999_999)}x`,
      `${LETS}HTTP/1.1 without "close" (RFC 9112 section 9.3)`,
    ],
  ] as const) {
    it(`the trace tells what a request says about the connection: ${what}`, async () => {
      expect(await linesFor(request, 'keep')).to.equal(`${line}\n`);
    });
  }
});

describe('the trace of the route', () => {
  for (const [start, route] of [
    ['GET /tasks', 'start -GET-> get -path is "/tasks"-> list = 200'],
    [
      'GET /tasks/3',
      'start -GET-> get -path contains "/tasks/"-> getId ' +
        '-id "3" is 1 to 5-> getTask -task exists-> task = 200',
    ],
    [
      'PUT /tasks/5/x',
      'start -PUT-> put -path contains "/tasks/"-> putId ' +
        '-id "5" is 1 to 5-> putTask -otherwise-> taskNotFound = 404',
    ],
    [
      'DELETE /x/tasks/1',
      'start -DELETE-> delete -path contains "/tasks/"-> deleteId ' +
        '-id "tasks" is not 1 to 5-> invalidId = 400',
    ],
    ['BREW /', 'start -otherwise-> methodNotAllowed = 405'],
  ] as const) {
    it(`the trace tells the route of ${start}, with the id and its value`, async () => {
      const { world, trace, client } = await withClient();
      client.send(raw`${start} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await world.settle();
      expect(trace.lines('route')).to.equal(`c1  route  ${route}\n`);
    });
  }
  it('the trace tells no route of a service that does not explain itself', async () => {
    const service = () => ({ status: 200, body: '' }) as const;
    const { world, trace, client } = await withClient({ service });
    client.send(GET);
    await world.settle();
    expect(trace.of('route')).to.deep.equal([]);
    expect(trace.lines('turn')).to.equal('c1  turn   request 1: GET /\n');
  });
});

describe('content without a Content-Length', () => {
  it('gets its hint though it arrives after the response', async () => {
    const { world, client } = await withClient();
    client.send(raw`POST /tasks HTTP/1.1\r\nHost: a\r\n\r\n`);
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
    client.send(raw`{"title":"x"}\r\n`);
    await world.settle();
    expect(client.statuses).to.deep.equal([200, 400]);
    expect(client.received).to.include('this may be the content of the previous request');
  });
});
