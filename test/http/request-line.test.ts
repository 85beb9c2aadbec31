import { expect } from 'chai';
import { octets } from '../support/octets';
import { accept, readInEveryCut, refusals, refuse } from '../support/reading';

const line = (text: string): string => String.raw`${text}\r\nHost: a\r\n\r\n`;
const long = (count: number): string => 'x'.repeat(count);

describe('9112 §3 the request line', () => {
  it('is method SP request-target SP HTTP-version CRLF', () => {
    const { method, path, body } = accept(line('GET /tasks HTTP/1.1'));
    expect({ method, path, body }).to.deep.equal({ method: 'GET', path: '/tasks', body: '' });
  });

  it('takes any token for a method, with case', () => {
    expect(accept(line('get / HTTP/1.1')).method).to.equal('get');
    expect(accept(line("!#$%&'*+-.^_`|~09azAZ / HTTP/1.1")).method).to.equal("!#$%&'*+-.^_`|~09azAZ");
  });

  describe('refuses another shape', () => {
    refusals([
      ['no method', line(' / HTTP/1.1'), 400, '9112 3', 0],
      ['white space before the method', String.raw`\tGET / HTTP/1.1\r\n`, 400, '9112 3', 0],
      ['the first octet of a TLS handshake', String.raw`\x16\x03\x01\x02\x00`, 400, '9112 3', 0],
      ['an octet in the method that is in no token', line('G(T / HTTP/1.1'), 400, '9112 3', 1],
      ['obs-text in the method', String.raw`G\xc9T / HTTP/1.1\r\n`, 400, '9112 3', 1],
      ['a method alone', line('GET'), 400, '9112 3', 3],
      ['HTAB after the method', String.raw`GET\t/ HTTP/1.1\r\n`, 400, '9112 3', 3],
      ['two SP after the method', line('GET  / HTTP/1.1'), 400, '9112 3', 4],
      ['two SP after the request-target', line('GET /  HTTP/1.1'), 400, '9112 2.3', 6],
      ['HTAB after the request-target', String.raw`GET /\tHTTP/1.1\r\n`, 400, '9112 3', 5],
      ['VT in the request-target', String.raw`GET /\x0bHTTP/1.1\r\n`, 400, '9112 3', 5],
      ['FF in the request-target', String.raw`GET /\x0cHTTP/1.1\r\n`, 400, '9112 3', 5],
      ['a space in the request-target', line('GET /a b HTTP/1.1'), 400, '9112 2.3', 7],
      ['HTTP/0.9', String.raw`GET /\r\n`, 400, '9112 3', 5],
      ['no version after the second SP', String.raw`GET / \r\n\r\n`, 400, '9112 2.3', 6],
      ['HTTP/1', line('GET / HTTP/1'), 400, '9112 2.3', 12],
      ['HTTP/1.', line('GET / HTTP/1.'), 400, '9112 2.3', 13],
      ['HTTP/.1', line('GET / HTTP/.1'), 400, '9112 2.3', 11],
      ['HTTP/01.1', line('GET / HTTP/01.1'), 400, '9112 2.3', 12],
      ['HTTP/1.10', line('GET / HTTP/1.10'), 400, '9112 3', 14],
      ['http/1.1', line('GET / http/1.1'), 400, '9112 2.3', 6],
      ['HTTP/1,1', line('GET / HTTP/1,1'), 400, '9112 2.3', 12],
      ['SP after the version', line('GET / HTTP/1.1 '), 400, '9112 3', 14],
      ['a word after the version', line('GET / HTTP/1.1 x'), 400, '9112 3', 14],
    ]);
  });

  describe('§2.3 the version', () => {
    for (const version of ['HTTP/1.2', 'HTTP/1.9']) {
      it(`reads ${version} as HTTP/1.1 (9110 §6.2)`, () => expect(accept(line(`GET / ${version}`)).says).to.equal(undefined));
    }
    it('reads HTTP/1.0 as HTTP/1.0', () => expect(accept(line('GET / HTTP/1.0')).says).to.equal('close'));
    refusals([
      ['HTTP/2.0', line('GET / HTTP/2.0'), 505, '9110 15.6.6', 11],
      ['HTTP/0.9, written out', line('GET / HTTP/0.9'), 505, '9110 15.6.6', 11],
      ['HTTP/9.9', line('GET / HTTP/9.9'), 505, '9110 15.6.6', 11],
      ['the preface of HTTP/2', String.raw`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, 505, '9110 15.6.6', 11],
      ['the version is judged before the target', line('GET /" HTTP/2.0'), 505, '9110 15.6.6', 12],
      ['the syntax is judged before the version', line('GET / HTTP/2.0 '), 400, '9112 3', 14],
    ]);
  });

  describe('§2.2 line ends', () => {
    it('passes over one empty line before it', () => {
      expect(accept(String.raw`\r\nGET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`).path).to.equal('/tasks');
    });
    refusals([
      ['a second empty line', String.raw`\r\n\r\nGET / HTTP/1.1\r\n`, 400, '9112 2.2', 2],
      ['a CR alone before it', String.raw`\rGET / HTTP/1.1\r\n`, 400, '9112 2.2', 0],
      ['an LF alone before it', String.raw`\nGET / HTTP/1.1\r\n`, 400, '9112 2.2', 0],
      ['an LF alone after an empty line', String.raw`\r\n\nGET / HTTP/1.1\r\n`, 400, '9112 2.2', 2],
      ['an LF alone at its end', String.raw`GET / HTTP/1.1\nHost: a\r\n\r\n`, 400, '9112 2.2', 14],
      ['an LF alone after the method', String.raw`GET\n`, 400, '9112 2.2', 3],
      ['an LF alone after the target', String.raw`GET /\n`, 400, '9112 2.2', 5],
      ['an LF alone in the version', String.raw`GET / HTTP/\n`, 400, '9112 2.2', 11],
      ['a CR alone at its end', String.raw`GET / HTTP/1.1\rHost: a\r\n\r\n`, 400, '9112 2.2', 14],
      ['two CR at its end', String.raw`GET / HTTP/1.1\r\r\n`, 400, '9112 2.2', 14],
    ]);
    it('tells a terminal how to send CRLF', () => {
      expect(refuse(String.raw`GET / HTTP/1.1\n`).text).to.equal(
        'A line ends with LF alone, not with CRLF (RFC 9112 section 2.2), at byte 14; a terminal sends LF alone (nc -C sends CRLF)',
      );
    });
  });

  describe('is at most 8,192 octets long, its CRLF not counted', () => {
    it('8,192 pass', () => {
      expect(accept(line(`GET /${long(8192 - 'GET / HTTP/1.1'.length)} HTTP/1.1`)).path).to.have.lengthOf(8179);
    });
    refusals([
      ['8,193, all in the target', line(`GET /${long(8193 - 'GET / HTTP/1.1'.length)} HTTP/1.1`), 414, '9112 3', 8192],
      ['a target that never ends', `GET /${long(20_000)}`, 414, '9112 3', 8192],
      ['a target that ends with the 8,192nd octet', `GET /${long(8187)} HTTP/1.1`, 414, '9112 3', 8192],
      ['percent-encoding at the limit', `GET /${long(8186)}%41%41`, 414, '9112 3', 8192],
      ['percent-encoding that starts beyond it', `GET /${long(8187)}%`, 414, '9112 3', 8192],
      ['percent-encoding that goes on beyond it', `GET /${long(8186)}%4`, 414, '9112 3', 8192],
      ['a "?" beyond it', `GET /${long(8187)}?`, 414, '9112 3', 8192],
      ['HTAB beyond it', String.raw`GET /${long(8187)}\t`, 414, '9112 3', 8192],
      ['a version that goes on beyond it', `GET /${long(8185)} HTTP/1.`, 414, '9112 3', 8192],
      ['a wrong version beyond it', `GET /${long(8185)} HTTP/1.x`, 414, '9112 3', 8192],
      ['a version that is followed by more beyond it', line(`GET /${long(8178)} HTTP/1.1x`), 414, '9112 3', 8192],
      ['no version before it, and CRLF behind it', line(`GET /${long(8187)}`), 400, '9112 3', 8192],
      ['a method that never ends', long(20_000), 400, '9112 3', 8192],
    ]);
    it('counts from the request line, not from the empty line before it', () => {
      expect(refuse(`\\r\\nGET /${long(9000)}`).offset).to.equal(8194);
    });
  });

  describe('3986 §2 the octets of a request-target', () => {
    it('takes every octet that a URI may hold', () => {
      const path = "/AZaz09-._~:/[]@!$&'()*+,;=%00%fF";
      expect(accept(line(`GET ${path}?q=/?:@%2f HTTP/1.1`)).path).to.equal(path);
    });
    for (const octet of ['"', '#', '<', '>', '\\\\', '^', '`', '{', '|', '}', '\\0', '\\x01', '\\x1f', '\\x7f', '\\x80', '\\xff']) {
      it(`refuses ${octet}`, () => {
        const { status, section, offset } = refuse(line(`GET /a${octet}b${octet} HTTP/1.1`));
        expect({ status, section, offset }).to.deep.equal({ status: 400, section: '3986 2', offset: 6 });
      });
    }
    refusals([
      ['% without digits', line('GET /% HTTP/1.1'), 400, '3986 2', 5],
      ['% with one digit', line('GET /%4 HTTP/1.1'), 400, '3986 2', 5],
      ['% with something else', line('GET /%zz HTTP/1.1'), 400, '3986 2', 5],
      ['% and a wrong second digit', line('GET /%4g HTTP/1.1'), 400, '3986 2', 5],
      ['in the query, too', line('GET /?a=%2 HTTP/1.1'), 400, '3986 2', 8],
    ]);
  });

  it('is what a request that has not come whole lacks', () => {
    for (const part of ['', 'G', 'GET', 'GET ', 'GET /', 'GET / ', 'GET / HTTP/1.1', String.raw`GET / HTTP/1.1\r`, String.raw`\r`, String.raw`\r\n`]) {
      expect(readInEveryCut(octets(part)), part).to.deep.equal({ requests: [], end: 'needMore' });
    }
  });
});
