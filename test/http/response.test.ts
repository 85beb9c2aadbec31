import { expect } from 'chai';
import { STATUS_CODES } from 'node:http';
import { REASON_PHRASES, type Field, type Response } from '../../src/http/message';
import { ResponseWriter, UnsendableResponse, writeResponse } from '../../src/http/response';
import { heldInAll } from '../support/garbage';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37);
const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
/** Without content type and date, which nearly all have. */
function write(response: Response, method = 'GET', option?: string, minorVersion = 1) {
  const text = writeResponse(response, { method, minorVersion }, option, DATE);
  return text.replace('Content-Type: application/json\r\n', '').replace(DATE, '');
}

const ok: Response = { status: 200, body: '' };
const fields = (...lines: [name: string, value: string][]): readonly Field[] =>
  lines.map(([name, value]) => ({ name, value }));
const ETAG = fields(['ETag', '"1"'], ['X', '']);

/** What is not told is as usual. */
// prettier-ignore
const WRITTEN = [
  ['with content', { ...ok, body: '{}' }, 'GET', '200 OK|Content-Length: 2||{}'],
  ['with bytes that are no text', { ...ok, body: '\0\r\n\xff' }, 'GET',
    '200 OK|Content-Length: 4||\0\r\n\xff'],
  ['with fields',
    { status: 405, body: '', headers: fields(['Allow', 'GET, PUT'], ['X', '']) }, 'GET',
    '405 Method Not Allowed|Content-Length: 0|Allow: GET, PUT|X: ||'],
  ['with obs-text and HTAB in a value', { ...ok, headers: fields(['A', '\t\xe9 x']) }, 'GET',
    '200 OK|Content-Length: 0|A: \t\xe9 x||'],
  ['with a field twice', { ...ok, headers: fields(['A', 'a'], ['A', 'b']) }, 'GET',
    '200 OK|Content-Length: 0|A: a|A: b||'],
  ['to HEAD, without the length, which would be that of GET (9110 §8.6)',
    { ...ok, body: 'xyz' }, 'HEAD', '200 OK||'],
  ['with 204, which has no content (9110 §15.3.5)', { status: 204, body: '' }, 'GET',
    '204 No Content||'],
  ['with 205, whose content is empty (9110 §15.3.6)', { status: 205, body: '' }, 'GET',
    '205 Reset Content|Content-Length: 0||'],
  ['with 304, which has no content (9110 §15.4.5)', { status: 304, body: '' }, 'GET',
    '304 Not Modified||'],
  ['to CONNECT with 2xx, after which a tunnel would begin (9110 §9.3.6)',
    { ...ok, body: 'x' }, 'CONNECT', '200 OK||'],
  ['to CONNECT without success', { status: 405, body: 'x' }, 'CONNECT',
    '405 Method Not Allowed|Content-Length: 1||x'],
  ['with trailers (9112 §7.1.2)', { ...ok, body: 'x'.repeat(17), trailers: ETAG }, 'GET',
    `200 OK|Transfer-Encoding: chunked|Trailer: ETag, X||11|${'x'.repeat(17)}|0|ETag: "1"|X: ||`],
  ['with trailers and no content', { ...ok, trailers: ETAG }, 'GET',
    '200 OK|Transfer-Encoding: chunked|Trailer: ETag, X||0|ETag: "1"|X: ||'],
  ['with trailers to HEAD', { ...ok, body: 'x', trailers: ETAG }, 'HEAD', '200 OK||'],
  ['with an empty list of trailers', { ...ok, body: 'x', trailers: [] }, 'GET',
    '200 OK|Content-Length: 1||x'],
] as const;

/** Why a response of a service cannot be sent. It may be one that its type does not allow. */
// prettier-ignore
const UNSENDABLE: readonly (readonly [what: string, part: object, problem: string])[] = [
  ['a status without a phrase', { status: 299 }, 'status 299'],
  ['a status that is no longer used', { status: 306 }, 'status 306'],
  ['an interim status', { status: 100 }, 'status 100'],
  ['no status', { status: undefined }, 'status undefined'],
  ['NaN as its status', { status: NaN }, 'status NaN'],
  ['a name that objects inherit as its status', { status: 'toString' }, 'status "toString"'],
  ['a string as its status', { status: '204' }, 'status "204"'],
  ['more than a status as its status', { status: '200 OK\r\nX: y' }, '200 OK'],
  ['a symbol as its status', { status: Symbol('x') }, 'status Symbol(x)'],
  ['no body', { body: undefined }, 'the body'],
  ['a body of bytes', { body: Buffer.from('x') }, 'the body'],
  ['a character that is not one byte', { body: '\u20ac' }, 'U+00FF'],
  ['204 and content', { status: 204, body: 'x' }, '204'],
  ['205 and content', { status: 205, body: 'x' }, '205'],
  ['304 and trailers', { status: 304, trailers: ETAG }, '304'],
  ['an empty content type', { contentType: '' }, 'the content type'],
  ['a blank content type', { contentType: ' \t' }, 'the content type'],
  ['a line break in its content type', { contentType: 'a\r\nb' }, 'the content type'],
  ['header fields as an object', { headers: { 'X-Y': 'a' } }, 'the fields are not a list'],
  ['trailer fields as an object', { trailers: { 'X-Y': 'a' } }, 'the fields are not a list'],
  ['an empty field name', { headers: fields(['', 'x']) }, 'a field name'],
  ['white space in a field name', { headers: fields(['A B', 'x']) }, 'a field name'],
  ['a line break in a field name', { headers: fields(['A\r\nB', 'x']) }, 'a field name'],
  ['a character over U+00FF in a field name', { headers: fields(['\u0141', 'x']) }, 'a field name'],
  ['an array as a field name', { headers: [{ name: ['Content-Length'], value: '1' }] },
    'a field name'],
  ['a line break in a value', { headers: fields(['A', 'x\r\nB: y']) }, 'the value of A'],
  ['LF in a value', { headers: fields(['A', 'x\ny']) }, 'the value of A'],
  ['NUL in a value', { headers: fields(['A', '\0']) }, 'the value of A'],
  ['DEL in a value', { headers: fields(['A', '\x7f']) }, 'the value of A'],
  ['a character over U+00FF in a value', { headers: fields(['A', '\u20ac']) }, 'the value of A'],
  ['a number as a value', { headers: [{ name: 'A', value: 1 }] }, 'the value of A'],
  ['a line break in a trailer', { trailers: fields(['A', 'x\r\nB: y']) }, 'the value of A'],
  ['Content-Type', { headers: fields(['Content-Type', 'a']) }, 'Content-Type is not for'],
  ['Content-Length', { headers: fields(['content-length', '1']) }, 'Content-Length is not for'],
  ['Content-Length in its trailers', { trailers: fields(['content-length', '1']) },
    'Content-Length is not for'],
  ['Transfer-Encoding', { headers: fields(['TRANSFER-ENCODING', 'chunked']) },
    'Transfer-Encoding is not for'],
  ['Trailer', { headers: fields(['Trailer', 'A']) }, 'Trailer is not for'],
  ['Date', { headers: fields(['Date', 'x']) }, 'Date is not for'],
  ['Connection', { headers: fields(['Connection', 'close']) }, 'Connection is not for'],
  ['Upgrade', { headers: fields(['upgrade', 'h2c']) }, 'Upgrade is not for'],
  ['Keep-Alive', { headers: fields(['Keep-Alive', 'timeout=5']) }, 'Keep-Alive is not for'],
];

describe('a response (9112 §4)', () => {
  for (const [what, response, method, written] of WRITTEN) {
    it(`a response ${what}`, () => {
      const lines = `HTTP/1.1 ${written}`.replaceAll('|', '\r\n');
      expect(write(response, method)).to.equal(lines);
    });
  }
  it('a response says its content type, the time, and what becomes of the connection', () => {
    const response: Response = { ...ok, contentType: 'text/plain' };
    const request = { method: 'GET', minorVersion: 1 };
    expect(writeResponse(response, request, 'close', DATE)).to.equal(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n' +
        `${DATE}Connection: close\r\n\r\n`,
    );
  });
  it('a response to HTTP/1.0 has no chunks, and so no trailers (9112 §6.1)', () => {
    const response: Response = { ...ok, body: 'x', trailers: ETAG };
    const text = write(response, 'GET', 'keep-alive', 0);
    expect(text).to.equal(
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx',
    );
  });
  it('a status has the phrase that Node has for it, but where RFC 9110 gave it a new one', () => {
    const renamed = { 413: 'Content Too Large', 422: 'Unprocessable Content' };
    expect({ ...STATUS_CODES, ...renamed }).to.deep.include(REASON_PHRASES);
  });
  it('a response may have very many field lines', () => {
    const headers = Array.from({ length: 200_000 }, () => ({ name: 'X', value: '' }));
    expect(write({ ...ok, body: 'end', headers }).slice(-10)).to.equal('X: \r\n\r\nend');
  });
  for (const [what, part, problem] of UNSENDABLE) {
    it(`a response with ${what} cannot be sent, and the problem names ${problem}`, () => {
      const response = Object.assign({ ...ok }, part);
      expect(() => write(response)).to.throw(UnsendableResponse, problem);
    });
  }
  it('the names in Trailer are those that were checked, whatever a getter says next', () => {
    const names = ['ETag', 'A\r\nB: c'];
    const field = Object.defineProperty({ name: '', value: 'x' }, 'name', {
      get: () => names.shift(),
    });
    expect(write({ ...ok, trailers: [field] })).to.equal(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n' +
        '0\r\nETag: x\r\n\r\n',
    );
  });
  it('trailers are checked even where they are dropped: to HEAD and HTTP/1.0', () => {
    const response: Response = { ...ok, trailers: fields(['A b', '']) };
    for (const [method, minorVersion] of [['HEAD', 1] as const, ['GET', 0] as const]) {
      expect(() => write(response, method, undefined, minorVersion)).to.throw(
        UnsendableResponse,
      );
    }
  });
  it('Date follows the clock, in whole seconds (9110 §6.6.1)', () => {
    const times = [0, 999, 1000, 999];
    const writer = new ResponseWriter(() => times.shift() ?? NaN);
    const seconds = Array.from({ length: 4 }, () => {
      const message = writer.write(ok, { method: 'GET', minorVersion: 1 }, undefined);
      return /Date: .*:(\d\d) GMT\r\n/.exec(message)?.[1];
    });
    expect(seconds).to.deep.equal(['00', '00', '01', '00']);
  });
  it('a response that is written again is the same, unless something asks for another', () => {
    let now = NOW;
    const writer = new ResponseWriter(() => now);
    const get = { method: 'GET', minorVersion: 1 };
    const plain: Response = { status: 200, body: 'x' };
    // prettier-ignore
    const asked: [Response, typeof get, string?][] = [
      [plain, get], [plain, get], [plain, { ...get, method: 'HEAD' }],
      [plain, { ...get, method: 'CONNECT' }], [{ ...plain, status: 201 }, get],
      [{ ...plain, contentType: 'a/b' }, get], [{ ...plain, headers: ETAG }, get],
      [{ ...plain, trailers: ETAG }, get], [plain, get, 'close'], [{ ...plain, body: 'y' }, get],
    ];
    for (const [response, request, option] of asked) {
      const written = writer.write(response, request, option);
      expect(written).to.equal(writeResponse(response, request, option, DATE));
    }
    now += 1000;
    expect(writer.write(plain, get, undefined)).to.contain('08:49:38 GMT');
  });
  it('a long text does not stay in memory because a body was cut from it', () => {
    const writer = new ResponseWriter(() => NOW);
    const request = { method: 'GET', minorVersion: 1 };
    const before = heldInAll();
    for (let at = 0; at < 50; at += 1) {
      const long = `${at}`.padEnd(1_000_000, 'x');
      writer.write({ status: 200, body: long.slice(0, 100) }, request, undefined);
    }
    expect(heldInAll() - before).to.be.below(5_000_000);
  });
  it('a body that a getter changes is the one that was checked', () => {
    const writer = new ResponseWriter(() => NOW);
    const bodies = ['a', 'b', 'b'];
    const response = {
      status: 200 as const,
      get body() {
        return bodies.shift() ?? '';
      },
    };
    const request = { method: 'GET', minorVersion: 1 };
    for (const body of ['a', 'b'])
      expect(writer.write(response, request, undefined).slice(-2)).to.equal(`\n${body}`);
  });
});
