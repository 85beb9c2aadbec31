import { expect } from 'chai';
import type { ProtocolError } from '../../src/http/protocol-error';
import { RequestReader } from '../../src/http/request-reader';
import { expand } from '../../src/study/bytes';
import { bytes, escapeByte, raw } from '../support/bytes';
import { read, reject } from '../support/reading';

const HEAD = raw`GET / HTTP/1.1\r\nHost: a\r\n`;
const GET = raw`${HEAD}\r\n`;
const NO_LENGTH = raw`POST / HTTP/1.1\r\nHost: a\r\n\r\n`;
const POST = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;
const CHUNKED_HEAD = raw`PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const CHUNKED = raw`${CHUNKED_HEAD}2\r\nxy\r\n0\r\nT: 1\r\n\r\n`;

/** How the client stops: it sends nothing more, or it is too slow. */
type Stop = 'end' | 'time';

/** What a client is told that sends nothing more after these bytes. */
function errorOf(message: string, stop: Stop): ProtocolError {
  const reader = new RequestReader();
  reader.push(bytes(message));
  if (stop === 'end') reader.end();
  let outcome = reader.next();
  while (outcome.kind === 'request' || outcome.kind === 'continue') outcome = reader.next();
  if (outcome.kind === 'rejected') return outcome.error;
  return reader.giveUp('The request is not complete 60 s after it began').error;
}

const ENCODED = 'write this character percent-encoded: ';
const IN_UTF8 = 'write this character percent-encoded, in UTF-8: ';
const CAPITALS = 'HTTP is written in capitals: HTTP/1.1';
const LF = 'a terminal sends only LF (nc -C sends CRLF)';
const TLS = 'this looks like TLS: https:// on a port that speaks plain HTTP';
const PROXY = 'a proxy announces its client: this port does not speak the PROXY protocol';
const PROXY_2 =
  'only one is ignored (the PROXY protocol, version 2, begins with two, but this port does ' +
  'not speak it)';
const MARK = 'this is a byte order mark: save the file as UTF-8 without it';
const scheme = (name: string, target: string): string =>
  `"${name}:" was read as a scheme: send the path, or the whole URI http://${target}`;
const FIELD = 'a field line is a name, a colon and a value, such as "Host: localhost"';
const NO_CONTENT =
  'this may be the content of the previous request, which had no Content-Length';
const LENGTH =
  'the request before ended after 3 bytes of content, as its Content-Length said';
const MORE = `${LENGTH}: did it have more, counted in bytes and not in characters?`;
const FEWER = `${LENGTH}: did it have fewer?`;
const SIZE = 'the size of this chunk said';
const BEFORE = 'the size of the chunk before said';

/** A hint, and what is sent whose rejection has it, in every cut. Last come the neighbours,
 * which get none. */
// prettier-ignore
const HINTS = [
  ['in a request line', ['', raw`\r\n`], [
    ['"HTTP/1.1" was read as the request-target', 'GET HTTP/1.1'],
    [CAPITALS, 'GET / http/1.1', 'GET / Http/1.0', 'GET / HTTp/2.0'],
    ['the client began with HTTP/2; this port speaks HTTP/1.1', 'PRI * HTTP/2.0'],
    [TLS, raw`\x16\x03\x01`],
    [MARK, raw`\xef\xbb\xbfGET / HTTP/1.1`, raw`\r\n\xef\xbb\xbfGET / HTTP/1.1`,
      raw`\xff\xfeG\0E\0T\0`, raw`\xfe\xff\0G\0E\0T`],
    [PROXY, 'PROXY TCP4 192.0.2.1 192.0.2.2 56324 443', 'PROXY TCP6 ::1 ::1 1 2',
      'PROXY UNKNOWN'],
    [PROXY_2, raw`\r\n\r\n\0\r\nQUIT\n`, raw`\r\n\r\nGET / HTTP/1.1`],
    ['', 'GET /', 'GET / http/1', 'GET / http/1.1x', 'GET / xttp/1.1', 'GET / HTTP/11',
      'GET / HTTP/2.0', raw`\x15\x03\x01`, raw`\xef\xbbGET / HTTP/1.1`,
      raw`\xef\xbf\xbdGET / HTTP/1.1`, raw`G\xef\xbb\xbfET / HTTP/1.1`,
      'proxy TCP4 192.0.2.1 192.0.2.2 56324 443', 'PROXY /', 'PROXYTCP4 1 2'],
  ]],
  ['in a target', ['GET ', raw` HTTP/1.1\r\n`], [
    [`${ENCODED}%20`, '/a b', '/a  b', '/?q=a b', 'http://a/b c'],
    [`${ENCODED}%09`, raw`/a\tb`],
    [`${ENCODED}%22`, '/"', '/?"', 'http://a/"'],
    [`${ENCODED}%3C`, '/<', '/?<'],
    [`${ENCODED}%3E`, '/>', '/?>'],
    [`${ENCODED}%7B`, '/{'],
    [`${ENCODED}%7D`, '/}'],
    [`${ENCODED}%5C`, raw`/\\`],
    [`${ENCODED}%60`, '/`'],
    [`${ENCODED}%7F`, raw`/\x7f`],
    [`${IN_UTF8}%C3%A9`, raw`/\xc3\xa9\xc3\xa9`, raw`/|\xe9`, raw`/\xe9a`,
      raw`http://a/\xe9`],
    [`${IN_UTF8}%E6%97%A5`, raw`/\xe6\x97\xa5\xe6\x9c\xac`],
    [`${IN_UTF8}%F0%9F%98%80`, raw`/?\xf0\x9f\x98\x80`],
    [`${IN_UTF8}%EF%BF%BD`, raw`/\xef\xbf\xbd`],
    [`${IN_UTF8}%C3%83`, raw`/\xc3`],
    [`${IN_UTF8}%C2%A9`, raw`/\xa9\xc3`],
    [`${IN_UTF8}%C3%BF`, raw`/\xff`],
    ['a path starts with "/"', 'tasks', '?a', 'tasks?a|b'],
    [scheme('localhost', 'localhost:8080/tasks'), 'localhost:8080/tasks'],
    [scheme('localhost', 'localhost:8080?a'), 'localhost:8080?a'],
    [scheme('a', `a:80/${'x'.repeat(251)}`), `a:80/${'x'.repeat(251)}`],
    ['', 'http://a b/', 'tasks a', ' /a', '/a ', 'http://a"/', '"/', '/a#b', raw`/\0`,
      raw`http://caf\xc3\xa9/`, 'http://a%/', '*', 'a:443', 'a:80x/', 'a:/80/', 'http:80/',
      'localhost:x/tasks', 'mailto:a', 'https://a/', `a:80/${'x'.repeat(252)}`],
  ]],
  ['in another target', ['', raw`\r\n`], [
    ['', raw`GET /\xe9 HTTP/2.0`, raw`CONNECT \xe9:1 HTTP/1.1`, 'CONNECT a b:1 HTTP/1.1',
      'OPTIONS * * HTTP/1.1'],
  ]],
  ['in a line', ['', ''], [
    [LF, raw`GET / HTTP/1.1\n`, raw`${HEAD}\n`, raw`${HEAD}A: b\n`, raw`${CHUNKED_HEAD}1\n`,
      raw`${CHUNKED_HEAD}1\r\nx\r\n0\r\n\n`],
    [`${ENCODED}%20`, raw`GET /a b HTTP/1.1\n`],
    ['', raw`${CHUNKED_HEAD}1\r\nx\n`, raw`GET / HTTP/1.1\rx`],
  ]],
  ['in a header section', [HEAD, raw`\r\n\r\n`], [
    [FIELD, 'A', 'A b', 'A b:80'],
    ['most of them are in the field Cookie', `Cookie: ${'x'.repeat(16_384)}`,
      `A: x${raw`\r\n`}Cookie: ${'x'.repeat(16_384)}`,
      `Cookie: ${'x'.repeat(8200)}${raw`\r\n`}A: ${'x'.repeat(8200)}`],
    ['', 'A b: c', 'A : b', 'A(b',
      `Cookie: ${'x'.repeat(8190)}${raw`\r\n`}A: ${'x'.repeat(8190)}`, 'x'.repeat(16_384),
      `${'x'.repeat(257)}: ${'x'.repeat(16_384)}`, 'A: b'.concat(raw`\r\n`).repeat(100)],
  ]],
  ['in a Host field', [raw`GET / HTTP/1.1\r\nHost: `, raw`\r\n\r\n`], [
    ['Host is a name and perhaps a port, without "http://"', 'http://localhost'],
    ['Host is a name and perhaps a port, without "HTTPS://"', 'HTTPS://localhost'],
    ['', 'ftp://localhost', 'http:/localhost', 'a/http://a'],
  ]],
  ['after a request', ['', ''], [
    [NO_CONTENT, raw`${NO_LENGTH}{}\r\n`],
    [MORE, raw`${POST}d e\r\n`, raw`${POST}}GET / HTTP/1.1\r\n`, raw`${POST}\n`],
    [FEWER, raw`${POST}/tasks HTTP/1.1\r\n`, raw`${POST} / HTTP/1.1\r\n`,
      raw`${POST}/1.1\r\n`, raw`${POST}Host: a\r\n`, raw`${POST}: a\r\n`],
    [`${ENCODED}%3C`, raw`${POST}M-SEARCH /a%ab<b HTTP/1.1\r\n`],
    [TLS, raw`${NO_LENGTH}\x16\x03\x01`],
    [LF, raw`${NO_LENGTH}word\n`],
    // What follows the byte that ends a line early does not change the hint.
    [MORE, raw`${POST}/tasks\x01 HTTP/1.1\r\n`, raw`${POST}/tasks\rx HTTP/1.1\r\n`,
      raw`${POST}${'x'.repeat(8192)} /`],
    ['the request before ended after 2 bytes of content, with its last chunk: did it have more?',
      raw`${CHUNKED}x\r\n`],
    ['', raw`${GET}{}\r\n`, raw`${NO_LENGTH}${GET}{}\r\n`, raw`${POST}\r\n\r\n`,
      raw`${POST}GET  / HTTP/1.1\r\n`, raw`${POST}get / HTTP/2.0\r\n`,
      raw`${POST}GET / HTTP/1.1\r\nHost : a\r\n\r\n`],
  ]],
  ['in chunks', [CHUNKED_HEAD, ''], [
    [`${SIZE} 3 bytes: did it have more?`, raw`3\r\nabcd\r\n`],
    [`${SIZE} 7 bytes: did it have fewer?`, raw`7\r\nhello\r\n0\r\n\r\n`],
    [`${SIZE} 16 bytes, 10 in hexadecimal: did it have fewer?`,
      raw`10\r\n0123456789\r\n0\r\n\r\nGET / HTTP/1.1\r\n`],
    ['after the last chunk, an empty line ends the request', raw`0\r\nGET / HTTP/1.1\r\n`],
    [`${SIZE} 6 bytes: did it have fewer?`, raw`6\r\nhello\r\n0\r\n\r\n`],
    [`${BEFORE} 8 bytes: was that right?`, raw`8\r\nhello\r\n0\r\n\r\n`],
    [`${BEFORE} 10 bytes, a in hexadecimal: was that right?`,
      raw`a\r\nhello\r\n0\r\n\r\n${GET}`],
    [`${BEFORE} 3 bytes: was that right?`, raw`3\r\none\r\ntwo\r\n`,
      raw`3\r\none\r\na few words\r\n`],
    ['', raw`word\r\n`, raw`3\r\none\r\n\r\n`, raw`3\r\none\r\n${GET}`,
      raw`3\r\none\r\n0x3\r\n`, raw`3\r\none\r\n+3\r\n`, raw`3\r\none\r\n3 \r\n`,
      raw`3\r\none\r\n3;=\r\n`],
  ]],
] as const;

describe('the hint of a rejection is given only where its cause is likely', () => {
  for (const [where, [before, after], rows] of HINTS) {
    for (const [hint, ...parts] of rows) {
      for (const part of parts) {
        it(`${where}: "${part.slice(-60)}" gets the hint "${hint.slice(0, 60)}"`, () => {
          const message = `${before}${part}${after}`;
          const { requests, end } = read([bytes(message)]);
          expect(end).to.have.property('hint', hint);
          if (requests.length === 0) reject(message); // in every cut
        });
      }
    }
  }
  it('the hint for every byte over 0x7F in a path is in US-ASCII', () => {
    for (let byte = 0x80; byte < 0x100; byte += 1) {
      for (const next of ['', raw`\x80`, raw`\xbf\xbf`, raw`\xff\xff\xff`]) {
        const { end } = read([bytes(raw`GET /${escapeByte(byte)}${next} HTTP/1.1\r\n`)]);
        expect(end)
          .to.have.property('hint')
          .that.matches(/^write this [ -~]+: (%[0-9A-F]{2})+$/);
      }
    }
  });
});

/** What no request line begins with. */
// prettier-ignore
const CONTENTS = [
  '{"done":true}', 'title=x', 'word', 'two words', raw`\r\n{}`, raw`{}\r\n`, raw`{}\n`,
  '‹x × 9000›', 'x=‹x × 9000›', 'x ‹x × 9000›',
];

/** What has been sent when the client sends nothing more, and the hints where it has closed
 * its sending side, and where its time is up: a slow client is asked nothing. */
// prettier-ignore
const STOPPED = [
  [POST.slice(0, -1), 'its Content-Length said 3 bytes: did it have only 2?',
    'its Content-Length announced 3 bytes, and 2 have arrived'],
  [POST.slice(0, -2), 'its Content-Length said 3 bytes: did it have only 1?',
    'its Content-Length announced 3 bytes, and 1 has arrived'],
  [POST.slice(0, -3), 'its Content-Length said 3 bytes: did it have none?',
    'its Content-Length announced 3 bytes, and none have arrived'],
  [raw`POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`,
    'its Content-Length said 3 bytes: did it have none?',
    'its Content-Length announced 3 bytes, and none have arrived'],
  [raw`${CHUNKED_HEAD}10\r\nabc`, `${SIZE} 16 bytes, 10 in hexadecimal: did it have only 3?`,
    'the size of this chunk announced 16 bytes, 10 in hexadecimal, and 3 have arrived'],
  [raw`${CHUNKED_HEAD}1\r\nx`, '', ''],
  ['GET /', '', ''],
  ['{}', '', ''],
  [`${POST}}`, MORE, LENGTH],
  [`${POST}/`, MORE, LENGTH],
  [`${POST}GET /`, '', ''],
  [raw`${NO_LENGTH}GET / HTTP/1.1\r\nHo`, '', ''],
  ...CONTENTS.map((content) => [expand(NO_LENGTH + content), NO_CONTENT, NO_CONTENT] as const),
  [raw`${NO_LENGTH.replace('POST', 'PUT')}{}`, NO_CONTENT, NO_CONTENT],
  [raw`${NO_LENGTH.replace('POST', 'PATCH')}{}`, NO_CONTENT, NO_CONTENT],
  [raw`${NO_LENGTH.replace('POST', 'post')}{}`, '', ''],
] as const;

describe('the hint for a client that sends nothing more', () => {
  for (const [message, ended, slow] of STOPPED) {
    it(`"${message.slice(-30)}" and the end get "${ended}", and 408 "${slow}"`, () => {
      expect(errorOf(message, 'end').hint).to.equal(ended);
      expect(errorOf(message, 'time').hint).to.equal(slow);
    });
  }
});
