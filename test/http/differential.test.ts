import { expect } from 'chai';
import { METHODS } from 'node:http';
import { Failure } from '../../src/http/failure';
import { ends } from '../support/boundaries';
import { fuzz } from '../support/fuzz';
import { readByNode } from '../support/node-parser';
import { octets } from '../support/octets';
import { read } from '../support/reading';
import { stream } from '../support/requests';

const MARKER = octets(String.raw`GET /marker HTTP/1.1\r\nHost: b\r\n\r\n`);
const get = (lines: string): string => String.raw`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
const chunked = (body: string): string => get(String.raw`Transfer-Encoding: chunked\r\n`) + body;

/** What we take by the RFC, and some releases of Node do not: the section, an example, and how to tell. */
const ONLY_WE_TAKE: readonly (readonly [why: string, section: string, raw: string, is: (text: string) => boolean])[] = [
  ['any token is a method', '9110 9.1', String.raw`x / HTTP/1.1\r\nHost: a\r\n\r\n`, (text) => !METHODS.includes(/^(?:\r\n)?(.*?) /.exec(text)?.[1] ?? '')],
  ['CONNECT is read like any other', '9110 9.3.6', String.raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`, (text) => /^(?:\r\n)?CONNECT /.test(text)],
  ['a later minor version is read as HTTP/1.1', '9110 6.2', String.raw`GET / HTTP/1.2\r\nHost: a\r\n\r\n`, (text) => / HTTP\/1\.[2-9]\r\n/.test(text)],
  ['HTAB stands around a value like SP', '9110 5.6.3', get(String.raw`Content-Length: 0\t\r\n`), (text) => /^(?:Content-Length|Transfer-Encoding):.*\t/im.test(text)],
  ['a list may have empty elements', '9110 5.6.1.2', get(String.raw`Transfer-Encoding: chunked,\r\n`) + String.raw`0\r\n\r\n`, (text) => /^Transfer-Encoding:.*,/im.test(text)],
  ['chunk extensions may have white space, quoted pairs, others behind them', '9112 7.1.1', chunked(String.raw`0 ; a = "\\"";b\r\n\r\n`), (text) => /^[\da-f]+.*(?:[;=][\t ]|[\t ][;=]|\\|=.*;)/im.test(text)],
  ['no upgrade is taken up', '9110 7.8', get(String.raw`Connection: upgrade\r\nUpgrade: x\r\n`), (text) => /^Connection:.*upgrade/im.test(text)],
  ['no trailer field steers anything', '9110 6.5.1', chunked(String.raw`0\r\nConnection: close\r\n\r\n`), (text) => /^0+(?:;.*)?\r\n(?:.+\r\n)*(?:Connection|Content-Length|Transfer-Encoding):/im.test(text)],
];

/** What we refuse, by the RFC or where it leaves the choice to us, and Node takes: status, section, an example. */
const ONLY_NODE_TAKES: readonly (readonly [why: string, status: number, section: string, raw: string])[] = [
  ['a second empty line', 400, '9112 2.2', String.raw`\r\n\r\n${get('')}`],
  ['two SP after the method', 400, '9112 3', String.raw`GET  / HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['two SP after the request-target', 400, '9112 2.3', String.raw`GET /  HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['an octet in the request-target that no URI holds', 400, '3986 2', String.raw`GET /" HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['asterisk-form with a method other than OPTIONS', 400, '9112 3.2.4', String.raw`GET * HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['http without a host', 400, '9110 4.2.1', String.raw`GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['userinfo', 400, '9110 4.2.4', String.raw`GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['another scheme', 421, '9110 7.4', String.raw`GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['another major version', 505, '9110 15.6.6', String.raw`GET / HTTP/2.0\r\nHost: a\r\n\r\n`],
  ['two Host fields', 400, '9112 3.2', get(String.raw`Host: a\r\n`)],
  ['a zero before the Content-Length', 400, '9110 8.6', get(String.raw`Content-Length: 01\r\n`) + 'x'],
  ['Transfer-Encoding in HTTP/1.0', 400, '9112 6.1', String.raw`GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a coding with a parameter', 400, '9112 7', get(String.raw`Transfer-Encoding: gzip;q=1, chunked\r\n`) + String.raw`0\r\n\r\n`],
  ['a coding before chunked', 501, '9112 6.1', get(String.raw`Transfer-Encoding: gzip, chunked\r\n`) + String.raw`0\r\n\r\n`],
  ['an expectation that is none', 417, '9110 10.1.1', get(String.raw`Expect: x\r\n`)],
  ['a long request line', 414, '9112 3', String.raw`GET /${'x'.repeat(8192)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ['many field lines', 431, '6585 5', get(String.raw`A:\r\n`.repeat(100))],
  ['a long chunk line', 400, '9112 7.1', chunked(String.raw`0;${'x'.repeat(1024)}\r\n\r\n`)],
  ['much content', 413, '9110 15.5.14', get(String.raw`Content-Length: 1048577\r\n`) + 'x'.repeat(1_048_577)],
];
/** Sections of what releases of Node before 20.20 took as well: an empty field name, white space before the colon. */
const ONLY_NODE_TOOK: readonly string[] = ['9110 5.1', '9112 5.1'];

const pathOf = (target: string): string => target.replace(/^http:\/\/[^/?]*/i, '').replace(/\?.*/, '') || '/';

/** Shows Node one request of ours, with another one behind it, and expects it to read the same. @returns whether it takes them at all */
async function nodeAgrees(whole: Buffer): Promise<boolean> {
  const [ours] = read([whole]).requests;
  // Behind a request that closes, Node reads nothing: where that one ends shows in nothing being left over.
  const next = ours?.says === 'close' ? [] : [MARKER];
  const { requests, refusal } = await readByNode(Buffer.concat([whole, ...next]));
  const [theirs, ...behind] = requests;
  if (ours === undefined || theirs === undefined || behind.length < next.length || refusal !== '') return false;
  expect({ method: theirs.method, path: pathOf(theirs.target), content: theirs.content }).to.deep.equal({ method: ours.method, path: ours.path, content: ours.body });
  expect(theirs.fields).to.deep.equal(ours.headers.flatMap(({ name, value }) => [name, value]));
  expect(behind.map(({ target }) => target), 'what follows').to.deep.equal(next.map(() => '/marker'));
  return true;
}

describe("differences from Node's own parser", () => {
  fuzz('where both take a request they agree on method, target, field lines, content, and on where the next one starts', 1, stream, async (whole) => {
    const starts = [0, ...ends(whole)];
    for (const [index, start] of starts.slice(0, -1).entries()) {
      const request = whole.subarray(start, starts[index + 1]);
      const known = ONLY_WE_TAKE.some(([, , , is]) => is(request.toString('latin1')));
      expect((await nodeAgrees(request)) || known, 'Node takes what we take').to.equal(true);
    }
    const rest = whole.subarray(starts.at(-1));
    const { end } = read([rest]);
    if (!(end instanceof Failure)) return;
    const known = ONLY_NODE_TAKES.some(([, status, section]) => end.status === status && end.section === section);
    expect(known || ONLY_NODE_TOOK.includes(end.section) || (await readByNode(rest)).requests.length === 0, `Node refuses what we refuse: ${end.status} ${end.text}`).to.equal(true);
  });

  describe('are known and intended: we take, and Node may not', () => {
    for (const [why, section, raw, is] of ONLY_WE_TAKE) {
      it(`${section}: ${why}`, async () => {
        const whole = octets(raw);
        expect(read([whole]).requests).to.have.lengthOf(1);
        expect(is(whole.toString('latin1')), 'told by its octets').to.equal(true);
        await nodeAgrees(whole);
      });
    }
  });

  describe('are known and intended: we refuse, and Node takes', () => {
    for (const [why, status, section, raw] of ONLY_NODE_TAKES) {
      it(`${status} ${section}: ${why}`, async () => {
        const whole = octets(raw);
        expect(read([whole]).end).to.include({ status, section });
        expect((await readByNode(whole)).requests).to.have.lengthOf(1);
      });
    }
  });
});
