import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import { accept, pick, read, reject } from '../support/reading';

const request = (lines: string, version = 'HTTP/1.1'): string =>
  raw`GET / ${version}\r\n${lines}\r\n`;
/** A request with this Host. The value starts at byte 22. */
const host = (value: string): string => request(raw`Host: ${value}\r\n`);

const IPV6 = [
  '::',
  '::1',
  '1::',
  '2001:db8:1:2:3:4:5:6',
  '1:2:3:4:5:6:7::',
  '::ffff:192.0.2.1',
  '1:2:3:4:5:6:1.2.3.4',
  '::255.255.255.255',
  'FE80::aBcD',
  '0001::0',
  // As long as an address can be.
  '1111:2222:3333:4444:5555:6666:255.255.255.255',
];

describe('Host (9112 §3.2)', () => {
  describe('is a host and perhaps a port', () => {
    for (const value of [
      'a',
      'example.com',
      'EXAMPLE.com:8080',
      'localhost:',
      '127.0.0.1:1',
      'a_b~-',
      '%41%2e',
      "!$&'()*+;=",
      '[::1]:',
      '[::]:80',
      '[v1.a]',
      '[v1.a:b]',
      "[vF0.!$&'()*+;=:-._~]",
      ...IPV6.map((address) => `[${address}]`),
    ]) {
      it(`Host may be ${value}`, () =>
        expect(accept(host(value)).headers[0]?.value).to.equal(value));
    }
  });

  it('Host may be missing in HTTP/1.0', () => {
    expect(accept(request('', 'HTTP/1.0')).path).to.equal('/');
  });
  it('Host is found whatever the case of its name', () => {
    expect(accept(request(raw`hOsT:\ta\r\n`)).headers[0]?.value).to.equal('a');
  });
  it('Host may differ from the authority of the target (§3.2.2)', () => {
    expect(accept(raw`GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n`).path).to.equal('/');
  });

  it('an address with another letter is rejected where it begins', () => {
    for (const address of IPV6) {
      for (let at = 0; at <= address.length; at += 1) {
        const value = `[${address.slice(0, at)}g${address.slice(at + 1)}]`;
        const { end } = read([bytes(host(value))]);
        expect(end, value).to.include({ status: 400, section: '9112 3.2', offset: 23 });
      }
    }
  });

  describe('is ignored, if well-formed, where the target names its host (§3.2.2, §3.3)', () => {
    const FORMS = [
      ['absolute-form', 'GET http://a/'],
      ['authority-form', 'CONNECT a:1'],
    ] as const;
    for (const [form, start] of FORMS) {
      for (const value of ['', ':80', 'a,b', 'b']) {
        it(`in ${form}, "Host: ${value}" is ignored`, () => {
          const { headers } = accept(raw`${start} HTTP/1.1\r\nHost: ${value}\r\n\r\n`);
          expect(headers[0]?.value).to.equal(value);
        });
      }
      it(`in ${form}, "Host: a/" is rejected`, () => {
        const error = reject(raw`${start} HTTP/1.1\r\nHost: a/\r\n\r\n`);
        expect(pick(error)).to.include({ authority: 'required by', section: '9112 3.2' });
      });
    }
  });
});
