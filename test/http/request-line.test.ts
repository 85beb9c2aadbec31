import { expect } from 'chai';
import { ReaderTrace, type ReaderEvent } from '../../src/http/reader-trace';
import type { Leniency } from '../../src/http/request-target';
import { bytes, escapeByte, raw } from '../support/bytes';
import { accept, pick, read, readInEveryCut, reject } from '../support/reading';

/** A request with this request line. */
const line = (text: string): string => raw`${text}\r\nHost: a\r\n\r\n`;
const long = (count: number): string => 'x'.repeat(count);

/** What the reader tells of its leniency for a request that starts with this method and
 * target. */
function leniencyOf(start: string): Leniency | undefined {
  let leniency: Leniency | undefined;
  const trace = (event: ReaderEvent): void => {
    if (event.type === 'parse' && event.part === 'request line')
      ({ leniency } = event.target);
  };
  const options = { trace: new ReaderTrace(trace) };
  const { requests } = read([bytes(line(`${start} HTTP/1.1`))], false, options);
  expect(requests).to.have.lengthOf(1);
  return leniency;
}

describe('the request line (9112 §3)', () => {
  it('a request line is method SP request-target SP HTTP-version CRLF', () => {
    const { method, path, body } = accept(line('GET /tasks HTTP/1.1'));
    expect({ method, path, body }).to.deep.equal({
      method: 'GET',
      path: '/tasks',
      body: '',
    });
  });
  it('a method may be any token, and is case-sensitive (9110 §9.1)', () => {
    expect(accept(line('get / HTTP/1.1')).method).to.equal('get');
    const everyPunctuation = "!#$%&'*+-.^_`|~09azAZ";
    expect(accept(line(`${everyPunctuation} / HTTP/1.1`)).method).to.equal(
      everyPunctuation,
    );
  });
  it('each byte that is not allowed in a token is rejected where the method is expected', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const { requests, end } = read([bytes(line(`G${escapeByte(byte)}T / HTTP/1.1`))]);
      const isTokenChar = /[!#$%&'*+.^_`|~\w-]/.test(String.fromCharCode(byte));
      if (isTokenChar) expect(requests, escapeByte(byte)).to.have.lengthOf(1);
      // SP ends the method: there the white space in the target "T /" is wrong.
      else
        expect(end, escapeByte(byte)).to.include({
          status: 400,
          offset: byte === 0x20 ? 3 : 1,
        });
    }
  });

  describe('has a version (9112 §2.3)', () => {
    for (const version of ['HTTP/1.2', 'HTTP/1.9']) {
      it(`${version} is read as HTTP/1.1 (9110 §6.2)`, () => {
        expect(accept(line(`GET / ${version}`)).connectionOption).to.equal(undefined);
      });
    }
    it('after a request in HTTP/1.0, the connection closes', () => {
      expect(accept(line('GET / HTTP/1.0')).connectionOption).to.equal('close');
    });
  });

  describe('ends with CRLF (9112 §2.2)', () => {
    it('a request line may follow one empty line', () => {
      expect(accept(raw`\r\nGET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`).path).to.equal(
        '/tasks',
      );
    });
  });

  describe('has at most 8,192 bytes, its CRLF not counted', () => {
    it('a request line may have 8,192 bytes', () => {
      const count = 8192 - 'GET / HTTP/1.1'.length;
      expect(accept(line(`GET /${long(count)} HTTP/1.1`)).path).to.have.lengthOf(count + 1);
    });
    it('an empty line before a request line does not count toward its limit', () => {
      expect(reject(raw`\r\nGET /${long(9000)}`).offset).to.equal(8194);
    });
  });

  describe('has a request-target of the bytes that RFC 3986 allows', () => {
    it('a path and a query may have the bytes that RFC 3986 allows', () => {
      const path = "/AZaz09-._~:/@!$&'()*+,;=%00%fF";
      expect(accept(line(`GET ${path}?q=/?:@%2f HTTP/1.1`)).path).to.equal(path);
      expect(leniencyOf(`GET ${path}?q=/?:@%2f`)).to.equal(undefined);
    });
    for (const [part, start, section, allowed] of [
      ['a path', 'GET /a', '3986 3.3', /[\w\-.~:/?@!$&'()*+,;=%[\]^|]/],
      ['a query', 'GET /?', '3986 3.4', /[\w\-.~:/?@!$&'()*+,;=%[\]\\^`{|}]/],
      ['an authority', 'GET http://a', '3986 2', /[\w\-.~:/?!$&'()*+,;=]/],
    ] as const) {
      it(`${part} is rejected with a byte that it may not have`, () => {
        const offset = start.length;
        for (let byte = 0; byte < 256; byte += 1) {
          const { requests, end } = read([
            bytes(line(`${start}${escapeByte(byte)} HTTP/1.1`)),
          ]);
          if (allowed.test(String.fromCharCode(byte))) {
            expect(requests, escapeByte(byte)).to.have.lengthOf(1);
          } else {
            expect(end, escapeByte(byte)).to.include({
              status: 400,
              authority: 'allowed by',
            });
            // SP after the target is the second one.
            expect(end, escapeByte(byte)).to.include({
              offset: byte === 0x20 ? offset + 1 : offset,
            });
          }
        }
      });
      for (const byte of [
        '"',
        '<',
        '>',
        raw`\0`,
        raw`\x1f`,
        raw`\x7f`,
        raw`\x80`,
        raw`\xff`,
      ]) {
        it(`${byte} in ${part} breaks RFC ${section.replace(' ', ' §')}`, () => {
          const error = reject(line(`${start}a${byte}b${byte} HTTP/1.1`));
          const offset = start.length + 1;
          const expected = { status: 400, authority: 'allowed by', section, offset };
          expect(pick(error)).to.deep.equal(expected);
        });
      }
    }
  });

  describe('has a path and a query with what browsers send raw', () => {
    for (const character of ['[', ']', '^', '|', '%', '%4', '%4g', '%zz', '%%']) {
      it(`"${character}" is accepted in a path, and not decoded`, () => {
        for (const prefix of ['/', '/a%20', '/a/']) {
          const path = `${prefix}${character}z`;
          expect(accept(line(`GET ${path}?c HTTP/1.1`)).path).to.equal(path);
          expect(accept(line(`GET http://a${path} HTTP/1.1`)).path).to.equal(path);
          expect(accept(line(`GET HTTP://[::1]:80${path} HTTP/1.1`)).path).to.equal(path);
          const expected = { part: 'path', character: character[0] };
          expect(leniencyOf(`GET ${path}`)).to.deep.equal(expected);
        }
        expect(accept(line(`GET /${character} HTTP/1.0`)).path).to.equal(`/${character}`);
      });
    }
    for (const character of [
      '[',
      ']',
      raw`\\`,
      '^',
      '`',
      '{',
      '|',
      '}',
      '%',
      '%4',
      '%4g',
      '%%',
    ]) {
      it(`"${character}" is accepted in a query, which is dropped`, () => {
        for (const target of [
          '/a?',
          '/a?b%20c=',
          '/a?b/',
          'http://a/a?',
          'http://a:1/a?',
        ]) {
          expect(accept(line(`GET ${target}${character}z HTTP/1.1`)).path).to.equal('/a');
          const expected = { part: 'query', character: character[0] };
          expect(leniencyOf(`GET ${target}${character}z`)).to.deep.equal(expected);
        }
        expect(accept(line(`GET http://a?${character} HTTP/1.1`)).path).to.equal('/');
        expect(accept(line(`OPTIONS http://a?${character} HTTP/1.1`)).path).to.equal('/');
      });
    }
    it('the first character that RFC 3986 does not allow is told, and where it is', () => {
      expect(leniencyOf('GET /a^?|')).to.deep.equal({ part: 'path', character: '^' });
      expect(leniencyOf('GET /a?|^[')).to.deep.equal({ part: 'query', character: '|' });
      expect(leniencyOf('GET http://[::1]/a?]')).to.deep.equal({
        part: 'query',
        character: ']',
      });
    });
    it('the brackets of an IP literal are no leniency', () => {
      expect(leniencyOf('GET http://[::1]:80/a?b')).to.equal(undefined);
      expect(leniencyOf('GET http://[::1]')).to.equal(undefined);
      expect(leniencyOf('CONNECT [::1]:80')).to.equal(undefined);
    });
  });

  it('a request line is waited for until it is whole', () => {
    const parts = [
      '',
      'G',
      'GET',
      'GET ',
      'GET /',
      'GET / ',
      'GET / HTTP/1.1',
      raw`GET / HTTP/1.1\r`,
      raw`\r`,
      raw`\r\n`,
      raw`\r\nG`,
      raw`\r\n\r`,
    ];
    for (const part of parts) {
      expect(readInEveryCut(bytes(part)), part).to.deep.equal({
        requests: [],
        end: 'wait',
      });
    }
  });
});
