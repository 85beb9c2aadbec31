/** What is accepted, in every cut, and what is read of it. What is rejected is the table of
 * src/study/cases.ts. */
import { expect } from 'chai';
import { ReaderTrace, type ReaderEvent } from '../../src/trace/reader-trace';
import { RequestReader } from '../../src/http/request-reader';
import type { Leniency } from '../../src/http/request-target';
import { bytes, escapeByte, raw } from '../support/bytes';
import { accept, read, reject } from '../support/reading';

/** A request that starts with this. */
const line = (start: string): string => raw`${start} HTTP/1.1\r\nHost: a\r\n\r\n`;
/** A request with these field lines after its Host. */
const get = (lines: string, version = 'HTTP/1.1', start = 'GET /'): string =>
  raw`${start} ${version}\r\nHost: a\r\n${lines}\r\n`;
const post = (lines: string, content = ''): string =>
  raw`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n\r\n${content}`;
const chunked = (content: string): string => post('Transfer-Encoding: chunked', content);
const host = (value: string): string => raw`GET / HTTP/1.1\r\nHost: ${value}\r\n\r\n`;
const long = (count: number, text = 'x'): string => text.repeat(count);
const fields = (lines: string): [string, string][] =>
  accept(get(raw`${lines}\r\n`))
    .headers.slice(1)
    .map(({ name, value }) => [name, value]);

/** What the reader tells of its leniency for a request that starts with this. */
function leniencyOf(start: string): Leniency | undefined {
  let leniency: Leniency | undefined;
  const trace = new ReaderTrace((event: ReaderEvent) => {
    const isLine = event.type === 'parse' && event.part === 'request line';
    if (isLine) ({ leniency } = event.target);
  });
  expect(read([bytes(line(start))], false, { trace }).requests).to.have.lengthOf(1);
  return leniency;
}

const PATHS = [
  ['GET /tasks', '/tasks'],
  ['GET /tasks?done=true', '/tasks'],
  ['GET /tasks?a?b=/', '/tasks'],
  ['GET /?', '/'],
  ['GET //host/path', '//host/path'],
  ['GET /%74asks', '/%74asks'],
  ['GET /a/../tasks', '/a/../tasks'],
  ['GET /TASKS', '/TASKS'],
  ["GET /AZaz09-._~:/@!$&'()*+,;=%00%fF?q=/?:@%2f", "/AZaz09-._~:/@!$&'()*+,;=%00%fF"],
  [`GET /${long(8177)}`, `/${long(8177)}`], // 8,192 bytes
  ['GET http://example.com/tasks', '/tasks'],
  ['GET HTTP://example.com:8080/tasks?x', '/tasks'],
  ['GET http://example.com', '/'],
  ['GET http://example.com?x=/y', '/'],
  ['GET http://other:/', '/'],
  ['GET http://[::1]:80/tasks/1', '/tasks/1'],
  ['GET http://a,b/tasks', '/tasks'],
  ['OPTIONS *', '*'],
  ['OPTIONS /', '/'],
  ['OPTIONS http://host', '*'], // the whole server (9112 §3.2.4)
  ['OPTIONS HTTP://host:80', '*'],
  ['OPTIONS http://host/', '/'],
  ['OPTIONS http://host?q', '/'],
  ['CONNECT example.com:443', 'example.com:443'],
  ['CONNECT [2001:db8::1]:1', '[2001:db8::1]:1'],
  ['CONNECT a:65535', 'a:65535'],
] as const;

/** What browsers send raw in a target that starts with one of these. */
const RAW = [
  [['/', '/a%20', 'http://a/', 'HTTP://[::1]:80/'], 'path', '[ ] ^ | % %4 %4g %zz %%'],
  [['/?', '/?b%20c=', 'http://a/?', 'http://a:1/?'], 'query', '[ ] \\ ^ ` { | } % %4 %%'],
] as const;

const IPV6 = [
  ...['::', '::1', '1::', '2001:db8:1:2:3:4:5:6', '1:2:3:4:5:6:7::', '::ffff:192.0.2.1'],
  ...['1:2:3:4:5:6:1.2.3.4', '::255.255.255.255', 'FE80::aBcD', '0001::0'],
  '1111:2222:3333:4444:5555:6666:255.255.255.255', // as long as an address can be
];
const HOSTS = [
  ...['a', 'example.com', 'EXAMPLE.com:8080', 'localhost:', '127.0.0.1:1', 'a_b~-'],
  ...['%41%2e', "!$&'()*+;=", '[::1]:', '[::]:80', '[v1.a]', '[v1.a:b]'],
  ...["[vF0.!$&'()*+;=:-._~]", ...IPV6.map((address) => `[${address}]`)],
];

// prettier-ignore
const FIELDS = [
  [raw`A: 1\r\nb:2\r\nA: 3`, [['A', '1'], ['b', '2'], ['A', '3']]],
  ['__proto__: x', [['__proto__', 'x']]],
  ["!#$%&'*+-.^_`|~09azAZ: x", [["!#$%&'*+-.^_`|~09azAZ", 'x']]],
  [raw`A: \t x \t y\t \r\nB:\r\nC: \t`, [['A', 'x \t y'], ['B', ''], ['C', '']]],
  [raw`A: \xa0x\xa0`, [['A', '\xa0x\xa0']]], // obs-text, and no white space
  [raw`A: \x80\xff\xc3\xa9`, [['A', '\x80\xff\xc3\xa9']]],
  [`A: ${long(16_384 - 'Host: a\r\nA: \r\n'.length)}`, [['A', long(16_370)]]], // 16,384 bytes
  [long(98, raw`A:\r\n`) + 'A:', Array<[string, string]>(99).fill(['A', ''])], // 100 lines
] as const;

// prettier-ignore
const CONTENTS = [
  [post('A: x'), ''],
  [post('Content-Length: 8', raw`a\r\n\r\n\0\xff\x80`), 'a\r\n\r\n\0\xff\x80'],
  [post('Content-Length: 0'), ''],
  [raw`GET / HTTP/1.1\r\nHost: a\r\ncontent-length:  3 \r\n\r\nabc`, 'abc'],
  ...['chunked', 'CHUNKED', 'chunked,', ', ,chunked', raw`\tchunked\t`,
    raw`,\r\nTransfer-Encoding: chunked`].map(
    (value) => [post(`Transfer-Encoding: ${value}`, raw`1\r\nx\r\n0\r\n\r\n`), 'x'] as const),
  [chunked(raw`3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`), 'abcde'],
  [chunked(raw`0\r\n\r\n`), ''],
  [chunked(raw`10\r\n\r\n\r\n0\r\n\r\nGET /\0\xff\r\n0\r\n\r\n`), '\r\n\r\n0\r\n\r\nGET /\0\xff'],
  [chunked(raw`A\r\n0123456789\r\n00b\r\n0123456789x\r\n000\r\n\r\n`), '01234567890123456789x'],
  [chunked(raw`0000000000000001\r\nx\r\n0000000000000000\r\n\r\n`), 'x'],
  ...[';a', ';a=b', ';a="b"', ' ; a = b', raw`\t;\ta\t=\t"b"`, ';a;b=c;d', raw`;a="x;y=\\"z\\\\"`,
    raw`;a="\t\x80 "`, raw`;a="\\\x80\\\t"`, ';a=""', `;${long(1022)}`].map(
    (extension) => [chunked(raw`1${extension}\r\nx\r\n0\r\n\r\n`), 'x'] as const),
  [chunked(raw`1\r\nx\r\n0\r\nContent-Length: 5\r\nHost: b\r\nA:\t1\r\n\r\n`), 'x'],
  [chunked(raw`0\r\n${long(100, raw`A:\r\n`)}\r\n`), ''],
  [chunked(raw`0\r\nA: ${long(16_384 - 5)}\r\n\r\n`), ''],
] as const;

const HTTP11 = ['HTTP/1.1 without "close"', '9112 9.3'];
const HTTP10 = ['HTTP/1.0 without "keep-alive"', '9112 9.3'];
const KEPT = ['HTTP/1.0 with "keep-alive"', '9112 9.3'];
const CLOSE = ['the client says "close"', '9112 9.6'];
const TUNNEL = ['what follows CONNECT is meant for a tunnel', '9110 9.3.6'];
const PERSISTENCE = [
  [get(''), undefined, HTTP11],
  [get('', 'HTTP/1.2'), undefined, HTTP11],
  [get('', 'HTTP/1.9'), undefined, HTTP11],
  [get(raw`Connection: keep-alive\r\n`), undefined, HTTP11],
  [get(raw`Connection: close\r\n`), 'close', CLOSE],
  [get(raw`Connection: Upgrade,\tCLOSE ,\r\n`), 'close', CLOSE],
  [get(raw`Connection: keep-alive\r\nConnection: close\r\n`), 'close', CLOSE],
  [get(raw`Connection: x-close, closed\r\n`), undefined, HTTP11],
  // Outside a quoted-string, a backslash is a character like others.
  [get(raw`Connection: a\\,close\r\n`), 'close', CLOSE],
  [get(raw`Connection: "a\\",close"\r\n`), undefined, HTTP11],
  [get(raw`Connection: "x\r\nConnection: close\r\n`), 'close', CLOSE],
  [get('', 'HTTP/1.0'), 'close', HTTP10],
  [raw`GET / HTTP/1.0\r\n\r\n`, 'close', HTTP10], // without Host
  [get(raw`Connection: a, Keep-Alive\r\n`, 'HTTP/1.0'), 'keep-alive', KEPT],
  [get(raw`Connection: keep-alive, close\r\n`, 'HTTP/1.0'), 'close', CLOSE],
  [get('', 'HTTP/1.1', 'CONNECT a:1'), 'close', TUNNEL],
  [get(raw`Connection: keep-alive\r\n`, 'HTTP/1.0', 'CONNECT a:1'), 'close', TUNNEL],
] as const;

/** Where one of the 256 bytes stands in a request, which of them may stand there, and at
 * which byte a request with another one is wrong. */
interface Place {
  readonly what: string;
  readonly requestWith: (byte: string) => string;
  readonly allowed: RegExp;
  /** The offset of the byte, or of the first wrong one if the byte is SP. */
  readonly at: number;
  readonly atSpace?: number;
}
// prettier-ignore
const PLACES: readonly Place[] = [
  { what: 'a method', requestWith: (byte) => line(`G${byte}T /`),
    allowed: /[!#$%&'*+.^_`|~\w-]/, at: 1, atSpace: 3 },
  { what: 'a path', requestWith: (byte) => line(`GET /a${byte}`),
    allowed: /[\w\-.~:/?@!$&'()*+,;=%[\]^|]/, at: 6, atSpace: 7 },
  { what: 'a query', requestWith: (byte) => line(`GET /?${byte}`),
    allowed: /[\w\-.~:/?@!$&'()*+,;=%[\]\\^`{|}]/, at: 6, atSpace: 7 },
  { what: 'an authority', requestWith: (byte) => line(`GET http://a${byte}`),
    allowed: /[\w\-.~:/?!$&'()*+,;=]/, at: 12, atSpace: 13 },
  { what: 'a field name', requestWith: (byte) => get(raw`A${byte}B: x\r\n`),
    allowed: /[!#$%&'*+.^_`|~\w:-]/, at: 26 },
  { what: 'a field value', requestWith: (byte) => get(raw`A: x${byte}y\r\n`),
    allowed: /[\t -~\x80-\xff]/, at: 29 },
];

describe('what is accepted', () => {
  for (const [start, path] of PATHS) {
    it(`${start.slice(0, 60)} names the path ${path.slice(0, 60)}`, () => {
      const [method] = start.split(' ');
      expect(accept(line(start))).to.include({ method, path, body: '' });
      expect(leniencyOf(start)).to.equal(undefined);
    });
  }
  for (const method of ['get', "!#$%&'*+-.^_`|~09azAZ"]) {
    it(`${method} is a method (9110 §9.1)`, () =>
      expect(accept(line(`${method} /`)).method).to.equal(method));
  }
  for (const [starts, part, characters] of RAW) {
    for (const character of characters.split(' ')) {
      it(`"${character}" is accepted in a ${part}, and not decoded`, () => {
        for (const start of starts) {
          const { path, query } = accept(line(`GET ${start}${character}z`));
          expect(part === 'path' ? path : query).to.match(/z$/);
          expect(part === 'path' ? path : query).to.include(character);
          const expected = { part, character: character[0] };
          expect(leniencyOf(`GET ${start}${character}z`)).to.deep.equal(expected);
        }
      });
    }
  }
  it('the first character that RFC 3986 does not allow is told, and where it is', () => {
    expect(leniencyOf('GET /a^?|')).to.deep.equal({ part: 'path', character: '^' });
    const inQuery = { part: 'query', character: ']' };
    expect(leniencyOf('GET http://[::1]/a?]|')).to.include(inQuery);
  });
  for (const value of HOSTS) {
    it(`Host may be ${value}`, () =>
      expect(accept(host(value)).headers[0]?.value).to.equal(value));
  }
  it('an address with another letter is rejected where it begins', () => {
    for (const address of IPV6) {
      for (let at = 0; at <= address.length; at += 1) {
        const value = `[${address.slice(0, at)}g${address.slice(at + 1)}]`;
        const { end } = read([bytes(host(value))]);
        expect(end, value).to.include({ status: 400, section: '9112 3.2', offset: 23 });
      }
    }
  });
  for (const start of ['GET http://a/', 'CONNECT a:1']) {
    it(`${start} ignores Host, if that is well-formed (9112 §3.2.2, §3.3)`, () => {
      for (const value of ['', ':80', 'a,b', 'b']) {
        accept(raw`${start} HTTP/1.1\r\nhOsT:${value}\r\n\r\n`);
      }
      const error = reject(raw`${start} HTTP/1.1\r\nHost: a/\r\n\r\n`);
      expect(error).to.include({ authority: 'required by', section: '9112 3.2' });
    });
  }
  for (const [lines, expected] of FIELDS) {
    it(`${lines.slice(0, 60)} is read as ${JSON.stringify(expected).slice(0, 60)}`, () =>
      expect(fields(lines)).to.deep.equal(expected));
  }
  for (const [message, body] of CONTENTS) {
    const name = message.slice(message.indexOf('Host') + 11);
    it(`${name.slice(0, 80)} has the content ${JSON.stringify(body)}`, () =>
      expect(accept(message).body).to.equal(body));
  }
  it('trailer fields are dropped (9110 §6.5.1)', () => {
    const { headers } = accept(chunked(raw`0\r\nHost: b\r\nA: 1\r\n\r\n`));
    expect(headers.map(({ name }) => name)).to.deep.equal(['Host', 'Transfer-Encoding']);
  });
  it('the chunk extensions of a message may have 16,384 bytes in all, and not one more', () => {
    const most = long(16, raw`1;${long(1022)}\r\nx\r\n`);
    const withLast = (length: number): Buffer =>
      bytes(chunked(raw`${most}1;${long(length - 1)}\r\nx\r\n0\r\n\r\n`));
    expect(read([withLast(16)]).requests[0]?.body).to.equal(long(17));
    const offset = bytes(chunked(most)).length + '1;'.length + 15;
    expect(read([withLast(17)]).end).to.include({ section: '9112 7.1.1', offset });
  });
  for (const [message, connectionOption, [reason, section]] of PERSISTENCE) {
    const option = connectionOption ?? 'nothing';
    it(`the response to ${message} has ${option} in Connection: ${reason}`, () => {
      expect(accept(message).connectionOption).to.equal(connectionOption);
      const reader = new RequestReader();
      reader.push(bytes(message));
      const outcome = reader.next();
      const persists = connectionOption !== 'close';
      expect(outcome)
        .to.have.property('persistence')
        .that.includes({ persists, reason, section });
    });
  }
  for (const { what, requestWith, allowed, at, atSpace = at } of PLACES) {
    it(`each of the 256 bytes is accepted in ${what}, or rejected there`, () => {
      for (let byte = 0; byte < 256; byte += 1) {
        const { requests, end } = read([bytes(requestWith(escapeByte(byte)))]);
        const isAllowed = allowed.test(String.fromCharCode(byte));
        const expected = { status: 400, offset: byte === 0x20 ? atSpace : at };
        if (isAllowed) expect(requests, escapeByte(byte)).to.have.lengthOf(1);
        else expect(end, escapeByte(byte)).to.include(expected);
      }
    });
  }
});
