import { expect } from 'chai';
import { METHODS } from 'node:http';
import { ProtocolError } from '../../src/http/protocol-error';
import { bytes, raw } from '../support/bytes';
import { fuzz } from '../support/random-streams';
import { readByNode } from '../support/node-parser';
import { read, requestEnds } from '../support/reading';
import { stream } from '../support/requests';

const MARKER = bytes(raw`GET /marker HTTP/1.1\r\nHost: b\r\n\r\n`);
const start = (line: string): string => raw`${line}\r\nHost: a\r\n\r\n`;
const get = (lines: string): string => raw`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
const chunked = (content: string): string =>
  get(raw`Transfer-Encoding: chunked\r\n`) + content;

/** What we accept by the RFC, and some releases of Node reject. */
type Accepted = readonly [
  why: string,
  section: string,
  example: string,
  /** Recognizes such a request. */
  matches: (text: string) => boolean,
];
const methodOf = (text: string): string => /^(?:\r\n)?(.*?) /.exec(text)?.[1] ?? '';
// prettier-ignore
const ONLY_WE_ACCEPT: readonly Accepted[] = [
  ['any token is a method', '9110 9.1', start('x / HTTP/1.1'),
    (text) => !METHODS.includes(methodOf(text))],
  ['CONNECT is read like any other method', '9110 9.3.6', start('CONNECT a:1 HTTP/1.1'),
    (text) => methodOf(text) === 'CONNECT'],
  ['a later minor version is read as HTTP/1.1', '9110 6.2', start('GET / HTTP/1.2'),
    (text) => / HTTP\/1\.[2-9]\r\n/.test(text)],
  ['HTAB around a value is like SP', '9110 5.6.3', get(raw`Content-Length: 0\t\r\n`),
    (text) => /^(?:Content-Length|Transfer-Encoding):.*\t/im.test(text)],
  ['a list may have empty elements', '9110 5.6.1.2',
    raw`${get(raw`Transfer-Encoding: chunked,\r\n`)}0\r\n\r\n`,
    (text) => /^Transfer-Encoding:.*,/im.test(text)],
  ['chunk extensions may have white space and quoted pairs, and follow each other', '9112 7.1.1',
    chunked(raw`0 ; a = "\\"";b\r\n\r\n`),
    (text) => /^[\da-f]+.*(?:[;=][\t ]|[\t ][;=]|\\|=.*;)/im.test(text)],
  ['no upgrade is done', '9110 7.8', get(raw`Connection: upgrade\r\nUpgrade: x\r\n`),
    (text) => /^Connection:.*upgrade/im.test(text)],
  ['a trailer field controls nothing', '9110 6.5.1', chunked(raw`0\r\nConnection: close\r\n\r\n`),
    (text) =>
      /^0+(?:;.*)?\r\n(?:.+\r\n)*(?:Connection|Content-Length|Transfer-Encoding):/im.test(text)],
];

/** What we reject, by the RFC or where it leaves us the choice, and Node accepts. */
type Rejected = readonly [
  why: string,
  status: number,
  section: string,
  example: string,
  /** Recognizes such a message, where others with the same error are rejected by Node,
   * too. */
  matches?: (text: string) => boolean,
];
// prettier-ignore
const ONLY_NODE_ACCEPTS: readonly Rejected[] = [
  ['HTTP/0.9', 400, '9112 3', raw`GET /\r\n\r\n`],
  ['HTTP/0.9 that ends with LF', 400, '9112 2.2', raw`GET /\n\r\n`,
    (text) => /^(?:\r\n)?\S+ +\S+\n/.test(text)],
  ['an empty line that ends with LF', 400, '9112 2.2', raw`\n${get('')}`,
    (text) => /^(?:\r\n)?\n/.test(text)],
  ['a bare CR before the request line', 400, '9112 2.2', raw`\r${get('')}`,
    (text) => /^(?:\r\n)?\r(?!\n)/.test(text)],
  ['a second empty line', 400, '9112 2.2', raw`\r\n\r\n${get('')}`],
  ['two SP after the method', 400, '9112 3', start('GET  / HTTP/1.1')],
  ['two SP after the request-target', 400, '9112 3', start('GET /  HTTP/1.1')],
  ['"#" in the request-target', 400, '9112 3.2', start('GET /# HTTP/1.1')],
  ['a byte that is not allowed in a path', 400, '3986 3.3', start('GET /" HTTP/1.1')],
  ['a byte that is not allowed in a query', 400, '3986 3.4', start('GET /?" HTTP/1.1')],
  ['"%" without digits', 400, '3986 2.1', start('GET http://a% HTTP/1.1')],
  ['asterisk-form with a method other than OPTIONS', 400, '9112 3.2.4', start('GET * HTTP/1.1')],
  ['http without a host', 400, '9110 4.2.1', start('GET http:/// HTTP/1.1')],
  ['a malformed authority', 400, '9110 4.2.1', start('GET http://[a]/ HTTP/1.1')],
  ['userinfo', 400, '9110 4.2.4', start('GET http://u@a/ HTTP/1.1')],
  ['another scheme', 421, '9110 7.4', start('GET ftp://a/ HTTP/1.1')],
  ['another major version', 505, '9110 6.2', start('GET / HTTP/2.0')],
  ['two Host fields', 400, '9112 3.2', get(raw`Host: a\r\n`)],
  ['no Host field', 400, '9112 3.2', raw`GET / HTTP/1.1\r\n\r\n`],
  ['a malformed Host', 400, '9112 3.2', raw`GET / HTTP/1.1\r\nHost: a/\r\n\r\n`],
  ['an empty Host', 400, '9112 3.3', raw`GET / HTTP/1.1\r\nHost:\r\n\r\n`],
  ['a comma in Host', 400, '9112 3.2', raw`GET / HTTP/1.1\r\nHost: a,b\r\n\r\n`],
  ['a zero before the Content-Length', 400, '9110 8.6', `${get(raw`Content-Length: 01\r\n`)}x`],
  ['Transfer-Encoding in HTTP/1.0', 400, '9112 6.1',
    raw`GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a malformed coding', 400, '9110 10.1.4',
    raw`${get(raw`Transfer-Encoding: "gzip", chunked\r\n`)}0\r\n\r\n`],
  ['a coding before chunked', 501, '9112 6.1',
    raw`${get(raw`Transfer-Encoding: gzip, chunked\r\n`)}0\r\n\r\n`],
  ['an unknown expectation', 417, '9110 10.1.1', get(raw`Expect: x\r\n`)],
  ['a long request line', 414, '9112 3', start(`GET /${'x'.repeat(8192)} HTTP/1.1`)],
  ['a large header section', 431, '6585 5', get(raw`A: ${'x'.repeat(16_384)}\r\n`)],
  ['many field lines', 431, '6585 5', get(raw`A:\r\n`.repeat(100))],
  ['a large trailer section', 431, '6585 5', chunked(raw`0\r\nA: ${'x'.repeat(16_384)}\r\n\r\n`)],
  ['many trailer fields', 431, '6585 5', chunked(raw`0\r\n${raw`A:\r\n`.repeat(101)}\r\n`)],
  ['a chunk extension without a name', 400, '9112 7.1.1', chunked(raw`0;;a\r\n\r\n`),
    (text) => /^[\da-f]+.*;[\t ]*(?:[;=]|\r\n)/im.test(text)],
  ['a chunk extension without a value', 400, '9112 7.1.1', chunked(raw`0;a=\r\n\r\n`),
    (text) => /^[\da-f]+.*=[\t ]*(?:;|\r\n)/im.test(text)],
  ['a long chunk line', 400, '9112 7.1.1', chunked(raw`0;${'x'.repeat(1024)}\r\n\r\n`)],
  ['a long chunk-size', 400, '9112 7.1', chunked(raw`00000000000000000\r\n\r\n`)],
  ['much content', 413, '9110 15.5.14',
    get(raw`Content-Length: 1048577\r\n`) + 'x'.repeat(1_048_577)],
];
/** The sections of what releases of Node before 20.20 accepted as well. */
const ONLY_NODE_ACCEPTED: readonly string[] = [
  'RFC 9110 section 5.1',
  'RFC 9112 section 5.1',
];

/** What is wrong with a message, without the offset. */
function rulingOn(whole: Buffer): string | undefined {
  const { end } = read([whole]);
  return end instanceof ProtocolError ? `${end.status} ${end.ruling}` : undefined;
}

const pathOf = (target: string): string =>
  target.replace(/^http:\/\/[^/?]*/i, '').replace(/\?.*/, '') || '/';

/** Gives Node one request that we accept, with another one after it, and expects it to read
 * the same.
 * @returns whether it accepts them at all */
async function nodeAgrees(whole: Buffer): Promise<boolean> {
  const [ours] = read([whole]).requests;
  // After a request that closes, Node reads nothing: it has read as much as we if nothing
  // is left.
  const next = ours?.connectionOption === 'close' ? [] : [MARKER];
  const { requests, rejection } = await readByNode(Buffer.concat([whole, ...next]));
  const [theirs, ...rest] = requests;
  const isComplete =
    theirs !== undefined && rest.length === next.length && rejection === '';
  if (ours === undefined || !isComplete) return false;
  const { method, path, body, headers } = ours;
  // 9112 §3.2.4: OPTIONS without path and query is about the server. Node leaves that to
  // others.
  const isServerWide = method === 'OPTIONS' && path === '*' && theirs.target !== '*';
  const theirPath = isServerWide ? '*' : pathOf(theirs.target);
  const found = { method: theirs.method, path: theirPath, content: theirs.content };
  expect(found).to.deep.equal({ method, path, content: body });
  expect(theirs.fields).to.deep.equal(headers.flatMap(({ name, value }) => [name, value]));
  const after = rest.map(({ target }) => target);
  expect(after, 'what follows').to.deep.equal(next.map(() => '/marker'));
  return true;
}

describe("this reader and Node's own parser", () => {
  const known = ONLY_NODE_ACCEPTS.map(([, , , example, matches = () => true]) => ({
    ruling: rulingOn(bytes(example)),
    matches,
  }));
  const title =
    'where this reader and Node both accept, they agree on every part of the request';
  fuzz(title, 400, stream, async (whole) => {
    const starts = [0, ...requestEnds(whole)];
    for (const [index, from] of starts.slice(0, -1).entries()) {
      const request = whole.subarray(from, starts[index + 1]);
      const text = request.toString('latin1');
      const isKnown = ONLY_WE_ACCEPT.some(([, , , matches]) => matches(text));
      const agrees = (await nodeAgrees(request)) || isKnown;
      expect(agrees, 'Node accepts what we accept').to.equal(true);
    }
    const rest = whole.subarray(starts.at(-1));
    const ruling = rulingOn(rest);
    const text = rest.toString('latin1');
    const isKnown = known.some((row) => row.ruling === ruling && row.matches(text));
    const wasKnown = ONLY_NODE_ACCEPTED.some((section) => ruling?.includes(section));
    // What is only our choice is valid by the RFC, so Node may accept it.
    const isOurChoice = ruling?.includes('(our choice: ') === true;
    if (ruling === undefined || isKnown || wasKnown || isOurChoice) return;
    const { requests } = await readByNode(rest);
    expect(requests, `Node rejects what we reject: ${ruling}`).to.deep.equal([]);
  });

  for (const [why, section, example, matches] of ONLY_WE_ACCEPT) {
    it(`this reader accepts what Node may not (${section}): ${why}`, async () => {
      const whole = bytes(example);
      expect(read([whole]).requests).to.have.lengthOf(1);
      expect(matches(whole.toString('latin1')), 'recognized').to.equal(true);
      await nodeAgrees(whole);
    });
  }
  for (const [why, status, section, example] of ONLY_NODE_ACCEPTS) {
    it(`this reader rejects with ${status} what Node accepts (${section}): ${why}`, async () => {
      const whole = bytes(example);
      expect(read([whole]).end).to.include({ status, section });
      expect((await readByNode(whole)).requests).to.have.lengthOf(1);
    });
  }
});
