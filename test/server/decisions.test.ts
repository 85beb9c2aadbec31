import { expect } from 'chai';
import { raw } from '../support/bytes';
import { CHUNKED, GET, linesFor, post, sending } from '../support/virtual-server';

/** @returns a line with its citation in full */
const cite = (line: string): string => line.replace(/(\d{4}) §/, 'RFC $1 section ');

const EXPECTING = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;

describe('the trace of what is read, used and dropped', () => {
  const BROWSERS = 'for which RFC 3986 has no place: browsers send it';
  const IGNORED_HOST =
    '1 field line, Host "a" is well formed, but the target names the host';
  // prettier-ignore
  const PARSED: readonly (readonly [what: string, request: string, ...lines: string[]])[] = [
    ['an empty query', raw`GET /? HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: GET, origin-form, path "/", HTTP/1.1 (9112 §3)',
      'query "" is not part of the path',
      '1 field line, Host "a" (9112 §3.2)'],
    ['authority, in absolute-form', raw`GET http://b:80/x HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: GET, absolute-form, path "/x", HTTP/1.1 (9112 §3)',
      'authority "b:80" is ignored: every host has the same paths',
      `${IGNORED_HOST} (9112 §3.2.2)`],
    ['the server, in absolute-form', raw`OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: OPTIONS, absolute-form, read as "*", HTTP/1.1 (9112 §3)',
      'authority "b" is ignored: every host has the same paths',
      `${IGNORED_HOST} (9112 §3.2.2)`],
    ['Host, in authority-form', raw`CONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: CONNECT, authority-form "b:1", HTTP/1.1 (9112 §3)',
      `${IGNORED_HOST} (9112 §3.3)`],
    ['Host, in asterisk-form', raw`OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: OPTIONS, asterisk-form "*", HTTP/1.1 (9112 §3)',
      '1 field line, Host "a" (9112 §3.2)'],
    ['no Host, in absolute-form', raw`GET http://b/ HTTP/1.0\r\n\r\n`,
      'request line: GET, absolute-form, path "/", HTTP/1.0 (9112 §3)',
      'authority "b" is ignored: every host has the same paths',
      '0 field lines, no Host (9112 §3.2.2)'],
    ['a later minor version', raw`GET / HTTP/1.2\r\nHost: a\r\n\r\n`,
      'request line: GET, origin-form, path "/", HTTP/1.2 (9112 §3)',
      'HTTP/1.2 is read as HTTP/1.1 (9110 §6.2)',
      '1 field line, Host "a" (9112 §3.2)'],
    ['a query as browsers send it', raw`GET /?q=a|b^ HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: GET, origin-form, path "/", HTTP/1.1 (9112 §3)',
      'query "q=a|b^" is not part of the path',
      `the query has "|", ${BROWSERS}`,
      '1 field line, Host "a" (9112 §3.2)'],
    ['a path as browsers send it', raw`GET /% HTTP/1.1\r\nHost: a\r\n\r\n`,
      'request line: GET, origin-form, path "/%", HTTP/1.1 (9112 §3)',
      `the path has "%" without two hexadecimal digits, ${BROWSERS}`,
      '1 field line, Host "a" (9112 §3.2)'],
    ['an empty line before a request line', raw`\r\nGET / HTTP/1.0\r\nA: b\r\nC: d\r\n\r\n`,
      'an empty line before the request line is ignored (9112 §2.2)',
      'request line: GET, origin-form, path "/", HTTP/1.0 (9112 §3)',
      '2 field lines, no Host (9112 §3.2)'],
    ['trailer fields and chunk extensions',
      raw`${CHUNKED}1;a\r\nx\r\n00 ; b="c"\r\nA: b\r\nB:\r\n\r\n`,
      'request line: POST, origin-form, path "/tasks", HTTP/1.1 (9112 §3)',
      '2 field lines, Host "a" (9112 §3.2)',
      'chunk 1: size 1 (hex) = 1, data 66-66 (9112 §7.1)',
      '2 bytes of chunk extensions dropped (9112 §7.1.1)',
      'last chunk at 69: 1 byte of content (9112 §7.1)',
      '8 bytes of chunk extensions dropped (9112 §7.1.1)',
      'trailer section, ended by byte 92: 2 field lines read and dropped: A, B (9110 §6.5.1)'],
    ['no trailer fields', raw`${CHUNKED}0\r\n\r\n`,
      'request line: POST, origin-form, path "/tasks", HTTP/1.1 (9112 §3)',
      '2 field lines, Host "a" (9112 §3.2)',
      'last chunk at 61: 0 bytes of content (9112 §7.1)',
      'trailer section, ended by byte 65: no field lines (9112 §7.1)'],
  ];
  for (const [what, request, ...lines] of PARSED) {
    it(`the trace tells what becomes of ${what}`, async () => {
      const told = (await linesFor(request, 'parse')).split('\n');
      expect(told).to.deep.equal([...lines.map((line) => `c1  parse  ${cite(line)}`), '']);
    });
  }
});

describe('the trace of what a request says of its content and its connection', () => {
  const IGNORED = 'expect 100-continue is ignored: ';
  const LETS = 'keep   the client lets it stay open: ';
  const CLOSES = 'keep   the connection closes after the response: ';
  // prettier-ignore
  const DECISIONS = [
    [raw`${EXPECTING}\r\n`,       `${IGNORED}the request has no content (9110 §10.1.1)`],
    [raw`${EXPECTING}Content-Length: 1\r\n\r\nx`,
      `${IGNORED}content has arrived already (9110 §10.1.1)`],
    [raw`${EXPECTING}Content-Length: 1\r\n\r\nx`.replace('1.1', '1.0'),
      `${IGNORED}HTTP/1.0 has no interim responses (9110 §10.1.1)`],
    [raw`${post(1)}a`, 'frame  1 byte of content: Content-Length (9112 §6.3, rule 6)'],
    [raw`GET / HTTP/1.0\r\n\r\n`, `${CLOSES}HTTP/1.0 without "keep-alive" (9112 §9.3)`],
    [raw`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
      `${LETS}HTTP/1.0 with "keep-alive" (9112 §9.3)`],
    [raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${CLOSES}what follows CONNECT is meant for a tunnel (9110 §9.3.6)`],
    [raw`${post(9_999_999)}x`,    `${LETS}HTTP/1.1 without "close" (9112 §9.3)`],
  ] as const;
  for (const [request, line] of DECISIONS) {
    it(`the trace tells that ${line.slice(7)}`, async () => {
      const told = await linesFor(request, 'frame', 'keep', 'expect');
      expect(told.split('\n')).to.include(`c1  ${cite(line)}`);
    });
  }
  it('the trace tells no route of a service that does not explain itself', async () => {
    const service = () => ({ status: 200, body: '' }) as const;
    const { trace } = await sending(GET, { service });
    expect(trace.lines('turn', 'route')).to.equal('c1  turn   request 1: GET /\n');
  });
});
