import { expect } from 'chai';
import { accept, refusals } from '../support/reading';

const request = (lines: string, version = 'HTTP/1.1'): string => String.raw`GET / ${version}\r\n${lines}\r\n`;
const host = (value: string): string => request(String.raw`Host: ${value}\r\n`);

describe('9112 §3.2 Host', () => {
  for (const value of ['a', 'example.com', 'EXAMPLE.com:8080', 'localhost:', '127.0.0.1:1', 'a_b~-', '%41%2e', "!$&'()*+;=", '[::1]', '[::]:80',
    '[2001:db8:1:2:3:4:5:6]', '[1::]', '[1:2:3:4:5:6:7::]', '[::ffff:192.0.2.1]', '[1:2:3:4:5:6:1.2.3.4]', '[v1.a:b]']) {
    it(`takes ${value}`, () => expect(accept(host(value)).headers[0]?.value).to.equal(value));
  }
  it('may be absent in HTTP/1.0', () => expect(accept(request('', 'HTTP/1.0')).path).to.equal('/'));
  it('is found without regard to case', () => expect(accept(request(String.raw`hOsT:\ta\r\n`)).headers[0]?.value).to.equal('a'));
  it('may differ from the authority of the target (§3.2.2)', () => expect(accept(String.raw`GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n`).path).to.equal('/'));

  describe('is refused', () => {
    refusals([
      ['absent in HTTP/1.1', request(''), 400, '9112 3.2', 16],
      ['absent in HTTP/1.2', request(String.raw`A: x\r\n`, 'HTTP/1.2'), 400, '9112 3.2', 22],
      ['absent, though the target has an authority', String.raw`GET http://a/ HTTP/1.1\r\n\r\n`, 400, '9112 3.2', 24],
      ['spelled with KELVIN SIGN (U+212A) nowhere, but a look-alike is no Host', request(String.raw`H\xf6st: a\r\n`), 400, '9110 5.1', 17],
      ['twice', request(String.raw`Host: a\r\nhost: b\r\n`), 400, '9112 3.2', 31],
      ['twice the same', request(String.raw`Host: a\r\nHost: a\r\n`), 400, '9112 3.2', 31],
      ['twice in HTTP/1.0', request(String.raw`Host: a\r\nHost: a\r\n`, 'HTTP/1.0'), 400, '9112 3.2', 31],
      ['empty', host(''), 400, '9112 3.2', 22],
      ['empty in HTTP/1.0', request(String.raw`Host:\r\n`, 'HTTP/1.0'), 400, '9112 3.2', 21],
      ['a port alone', host(':80'), 400, '9112 3.2', 22],
      ['userinfo', host('u@a'), 400, '9112 3.2', 23],
      ['a path', host('a/'), 400, '9112 3.2', 23],
      ['a query', host('a?'), 400, '9112 3.2', 23],
      ['a scheme', host('http://a'), 400, '9112 3.2', 27],
      ['white space', host('a b'), 400, '9112 3.2', 23],
      ['a list', host('a, b'), 400, '9112 3.2', 23],
      ['a list without white space', host('a,b'), 400, '9112 3.2', 23],
      ['a port that is no number', host('a:8x'), 400, '9112 3.2', 25],
      ['two ports', host('a:1:2'), 400, '9112 3.2', 25],
      ['% without digits', host('a%'), 400, '9112 3.2', 23],
      ['% with one digit', host('a%4'), 400, '9112 3.2', 23],
      ['% with something else', host('a%4g'), 400, '9112 3.2', 23],
      ['obs-text', host(String.raw`\xe4`), 400, '9112 3.2', 22],
      ['IPv6 without brackets', host('::1'), 400, '9112 3.2', 22],
      ['an open bracket', host('[::1'), 400, '9112 3.2', 22],
      ['empty brackets', host('[]'), 400, '9112 3.2', 22],
      ['seven groups', host('[1:2:3:4:5:6:7]'), 400, '9112 3.2', 22],
      ['nine groups', host('[1:2:3:4:5:6:7:8:9]'), 400, '9112 3.2', 22],
      ['"::" for nothing', host('[1:2:3:4:5:6:7:8::]'), 400, '9112 3.2', 22],
      ['"::" twice', host('[1::2::3]'), 400, '9112 3.2', 22],
      ['":::"', host('[:::]'), 400, '9112 3.2', 22],
      ['five digits', host('[12345::]'), 400, '9112 3.2', 22],
      ['an IPv4 address that is none', host('[::1.2.3.256]'), 400, '9112 3.2', 22],
      ['an IPv4 address in front', host('[1.2.3.4::]'), 400, '9112 3.2', 22],
      ['a zone', host('[fe80::1%25eth0]'), 400, '9112 3.2', 22],
      ['something behind the bracket', host('[::1]x'), 400, '9112 3.2', 27],
    ]);
  });
});
