import { expect } from 'chai';
import { bytes, raw } from '../support/bytes';
import { accept, messages, pick, read, reject, rejections } from '../support/reading';

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

  describe('is rejected', () => {
    const invalid = (why: string, value: string, offset: number) =>
      [`a Host with ${why}`, host(value), 400, 'required by', '9112 3.2', offset] as const;
    rejections('rejects …', [
      ['no Host in HTTP/1.1', request(''), 400, 'required by', '9112 3.2', 16],
      [
        'no Host in HTTP/1.2',
        request(raw`A: x\r\n`, 'HTTP/1.2'),
        400,
        'required by',
        '9112 3.2',
        22,
      ],
      [
        'no Host, although the target has an authority',
        raw`GET http://a/ HTTP/1.1\r\n\r\n`,
        400,
        'required by',
        '9112 3.2',
        24,
      ],
      [
        'a name that only looks like Host',
        request(raw`H\xf6st: a\r\n`),
        400,
        'allowed by',
        '9110 5.1',
        17,
      ],
      [
        'two Host lines',
        request(raw`Host: a\r\nhost: b\r\n`),
        400,
        'required by',
        '9112 3.2',
        31,
      ],
      [
        'two equal Host lines',
        request(raw`Host: a\r\nHost: a\r\n`),
        400,
        'required by',
        '9112 3.2',
        31,
      ],
      [
        'two Host lines in HTTP/1.0',
        request(raw`Host: a\r\nHost: a\r\n`, 'HTTP/1.0'),
        400,
        'required by',
        '9112 3.2',
        31,
      ],
      invalid('userinfo', 'u@a', 23),
      invalid('a path', 'a/', 23),
      invalid('a query', 'a?', 23),
      invalid('a scheme', 'http://a', 27),
      invalid('white space', 'a b', 23),
      invalid('a list with white space', 'a, b', 24),
      invalid('a port that is not a number', 'a:8x', 25),
      invalid('two ports', 'a:1:2', 25),
      invalid('"%" without digits', 'a%', 23),
      invalid('"%" with one digit', 'a%4', 23),
      invalid('"%" with another letter', 'a%4g', 23),
      invalid('obs-text', raw`\xe4`, 22),
      invalid('IPv6 without brackets', '::1', 23),
    ]);
  });

  describe('with an IP literal is rejected at the first wrong byte', () => {
    const literal = (why: string, value: string, offset: number) =>
      [`${why}, ${value}`, host(value), 400, 'required by', '9112 3.2', offset] as const;
    rejections('rejects an IP literal with …', [
      literal('an open bracket', '[::1', 26),
      literal('only a bracket', '[', 23),
      literal('empty brackets', '[]', 23),
      literal('a closing bracket', ']', 22),
      literal('a name before it', 'a[::1]', 23),
      literal('another letter', '[1:2:3:4:5:6:7:g]:80', 37),
      literal('seven groups', '[1:2:3:4:5:6:7]', 36),
      literal('seven groups and a colon', '[1:2:3:4:5:6:7:]', 37),
      literal('nine groups', '[1:2:3:4:5:6:7:8:9]', 38),
      literal('"::" for nothing', '[1:2:3:4:5:6:7:8::]', 38),
      literal('"::" twice', '[1::2::3]', 28),
      literal('":::"', '[:::]', 25),
      literal('one colon first', '[:1]', 24),
      literal('five digits', '[12345::]', 27),
      literal('an IPv4 address over 255', '[::1.2.3.256]', 33),
      literal('an IPv4 address with a zero before a digit', '[::01.2.3.4]', 27),
      literal('three parts of an IPv4 address', '[::1.2.3]', 30),
      literal('an IPv4 address first', '[1.2.3.4::]', 24),
      literal('an IPv4 address after seven groups', '[1:2:3:4:5:6:7:1.2.3.4]', 38),
      literal('a zone', '[fe80::1%25eth0]', 30),
      literal('white space', '[::1 ]', 26),
      literal('text after the bracket', '[::1]x', 27),
      literal('a wrong port after it', '[::1]:8x', 29),
      literal('a version without a number', '[v]', 24),
      literal('a version that is not a number', '[vg.x]', 24),
      literal('a version and nothing', '[v1]', 25),
      literal('a version and no address', '[v1.]', 26),
      literal('a version and a wrong address', '[v1.a@]', 27),
      literal('a version and an open bracket', '[v1.a', 27),
    ]);
    it('an IP literal is rejected at its first wrong byte, wherever that is', () => {
      for (const address of IPV6) {
        for (let at = 0; at <= address.length; at += 1) {
          const value = `[${address.slice(0, at)}g${address.slice(at + 1)}]`;
          const { end } = read([bytes(host(value))]);
          expect(end, value).to.include({
            status: 400,
            section: '9112 3.2',
            offset: 23 + at,
          });
        }
      }
    });
  });

  describe('must name one host where it names the target', () => {
    const FORMS = [
      ['origin-form', 'GET /'],
      ['asterisk-form', 'OPTIONS *'],
    ] as const;
    for (const [form, start] of FORMS) {
      const first = `${start} HTTP/1.1rnHost: `.length;
      const withHost = (value: string): string =>
        raw`${start} HTTP/1.1\r\nHost: ${value}\r\n\r\n`;
      rejections('rejects a Host that does not name one host: …', [
        [`${form}, empty`, withHost(''), 400, 'allowed by', '9112 3.3', first],
        [`${form}, only a port`, withHost(':80'), 400, 'allowed by', '9112 3.3', first],
        [`${form}, a comma`, withHost('a,b'), 400, 'our choice', '9112 3.2', first + 1],
        [`${form}, a comma first`, withHost(',a'), 400, 'our choice', '9112 3.2', first],
        [
          `${form}, a comma at the end`,
          withHost('a,'),
          400,
          'our choice',
          '9112 3.2',
          first + 1,
        ],
      ]);
    }
    rejections('rejects a Host that does not name one host: …', [
      [
        'origin-form of HTTP/1.0, empty',
        request(raw`Host:\r\n`, 'HTTP/1.0'),
        400,
        'allowed by',
        '9112 3.3',
        21,
      ],
    ]);
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

  describe('when rejected, tells what is wrong from what we choose to reject', () => {
    messages([
      [
        request('', 'HTTP/1.2'),
        'No Host field, which only an HTTP/1.0 request may leave out ' +
          '(required by RFC 9112 section 3.2), at byte 16',
      ],
      [host(''), 'Host does not name a host (allowed by RFC 9112 section 3.3), at byte 22'],
      [
        host('a,b'),
        'Host has a comma, so it looks like a list ' +
          '(our choice: RFC 9112 section 3.2 would allow it), at byte 23',
      ],
      [
        host('[fe80::1%25e]'),
        'Host is not a host name and perhaps a port (required by RFC 9112 section 3.2), at byte 30',
      ],
      [
        host('http://localhost'),
        'Host is not a host name and perhaps a port ' +
          '(required by RFC 9112 section 3.2), at byte 27; ' +
          'Host is a name and perhaps a port, without "http://"',
      ],
    ]);
    for (const [value, scheme] of [
      ['http://localhost:8080/', 'http://'],
      ['HTTP://a', 'HTTP://'],
      ['https://a', 'https://'],
      ['http:/a', ''],
      ['http:a', ''],
      ['a/http://a', ''],
      ['ftp://a', ''],
      ['a b', ''],
    ] as const) {
      it(`the rejection of "Host: ${value}" gives ${scheme === '' ? 'no' : 'a'} hint`, () => {
        const hint = `Host is a name and perhaps a port, without "${scheme}"`;
        expect(reject(host(value)).hint).to.equal(scheme === '' ? '' : hint);
      });
    }
  });
});
