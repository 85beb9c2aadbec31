import { expect } from 'chai';
import { raw } from '../support/bytes';
import { accept, messages, reject, rejections } from '../support/reading';

/** A request that starts with this method and request-target. */
const request = (start: string): string => raw`${start} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('the request-target (9112 §3.2)', () => {
  describe('names a path, as it was sent and without its query', () => {
    for (const [start, path] of [
      ['GET /tasks', '/tasks'],
      ['GET /tasks?done=true', '/tasks'],
      ['GET /tasks?a?b=/', '/tasks'],
      ['GET /?', '/'],
      ['GET //host/path', '//host/path'],
      ['GET /%74asks', '/%74asks'],
      ['GET /a/../tasks', '/a/../tasks'],
      ['GET /tasks/', '/tasks/'],
      ['GET /TASKS', '/TASKS'],
      ['GET http://example.com/tasks', '/tasks'],
      ['GET HTTP://example.com:8080/tasks?x', '/tasks'],
      ['GET http://example.com', '/'],
      ['GET http://example.com?x=/y', '/'],
      ['GET http://other:/', '/'],
      ['GET http://[::1]:80/tasks/1', '/tasks/1'],
      ['GET http://a,b/tasks', '/tasks'],
      ['OPTIONS *', '*'],
      ['OPTIONS /', '/'],
      ['CONNECT example.com:443', 'example.com:443'],
      ['CONNECT [2001:db8::1]:1', '[2001:db8::1]:1'],
      ['CONNECT a:1', 'a:1'],
      ['CONNECT a:65535', 'a:65535'],
    ] as const) {
      it(`${start} names the path ${path}`, () =>
        expect(accept(request(start)).path).to.equal(path));
    }
  });

  describe('of OPTIONS in absolute-form names the whole server without a path (§3.2.4)', () => {
    for (const [start, path] of [
      ['OPTIONS http://host', '*'],
      ['OPTIONS HTTP://host:80', '*'],
      ['OPTIONS http://host/', '/'],
      ['OPTIONS http://host?q', '/'],
      ['OPTIONS http://host/tasks', '/tasks'],
    ] as const) {
      it(`${start} names the path ${path}`, () =>
        expect(accept(request(start)).path).to.equal(path));
    }
  });

  describe('in origin-form and absolute-form (§3.2.1, §3.2.2) is rejected', () => {
    rejections('rejects a request-target …', [
      ['without a leading slash', request('GET tasks'), 400, 'allowed by', '9112 3.2', 4],
      ['with only a query', request('GET ?a'), 400, 'allowed by', '9112 3.2', 4],
      ['with a host and a port', request('GET a:443'), 400, 'allowed by', '9112 3.2', 4],
      [
        'with a host and an empty port',
        request('GET a:'),
        400,
        'allowed by',
        '9112 3.2',
        4,
      ],
      [
        'with a scheme that starts with a digit',
        request('GET 1http://a/'),
        400,
        'allowed by',
        '9112 3.2',
        4,
      ],
      [
        'with the scheme https',
        request('GET https://a/'),
        421,
        'required by',
        '9110 7.4',
        4,
      ],
      ['with the scheme ftp', request('GET ftp://a/'), 421, 'allowed by', '9110 7.4', 4],
      [
        'with a URI without an authority',
        request('GET mailto:x@y'),
        421,
        'allowed by',
        '9110 7.4',
        4,
      ],
      ['with http: and nothing', request('GET http:'), 400, 'allowed by', '9110 4.2.1', 9],
      [
        'with http: and no slash',
        request('GET http:x'),
        400,
        'allowed by',
        '9110 4.2.1',
        9,
      ],
      [
        'with http: and digits, not a port',
        request('GET http:80'),
        400,
        'allowed by',
        '9110 4.2.1',
        9,
      ],
      [
        'with http: and one slash',
        request('GET http:/'),
        400,
        'allowed by',
        '9110 4.2.1',
        10,
      ],
      [
        'with http: and a path',
        request('GET http:/x'),
        400,
        'allowed by',
        '9110 4.2.1',
        10,
      ],
      ['with no host', request('GET http://'), 400, 'required by', '9110 4.2.1', 11],
      [
        'with no host before a path',
        request('GET http:///tasks'),
        400,
        'required by',
        '9110 4.2.1',
        11,
      ],
      [
        'with no host before a port',
        request('GET http://:80/'),
        400,
        'required by',
        '9110 4.2.1',
        11,
      ],
      ['with userinfo', request('GET http://u:p@a/'), 400, 'allowed by', '9110 4.2.4', 14],
      [
        'with empty userinfo',
        request('GET http://@a/'),
        400,
        'allowed by',
        '9110 4.2.4',
        11,
      ],
      [
        'with a port that is not a number',
        request('GET http://a:8x/'),
        400,
        'allowed by',
        '9110 4.2.1',
        14,
      ],
      [
        'with an open IP literal',
        request('GET http://[::1/'),
        400,
        'allowed by',
        '9110 4.2.1',
        15,
      ],
      [
        'with a zone in the IP literal',
        request('GET http://[fe80::1%25e]/'),
        400,
        'allowed by',
        '9110 4.2.1',
        19,
      ],
    ]);
  });

  describe('in asterisk-form (§3.2.4) is rejected', () => {
    rejections('rejects an asterisk …', [
      ['for GET', request('GET *'), 400, 'allowed by', '9112 3.2.4', 4],
      [
        'for options in lower case',
        request('options *'),
        400,
        'allowed by',
        '9112 3.2.4',
        8,
      ],
      ['with two asterisks', request('OPTIONS **'), 400, 'allowed by', '9112 3.2', 8],
      ['with a query', request('OPTIONS *?a'), 400, 'allowed by', '9112 3.2', 8],
    ]);
  });

  describe('of CONNECT is a host and a port (§3.2.3) and is rejected', () => {
    rejections('rejects the target of CONNECT …', [
      ['as a path', request('CONNECT /'), 400, 'allowed by', '9112 3.2.3', 8],
      [
        'in absolute-form',
        request('CONNECT http://a:80'),
        400,
        'allowed by',
        '9112 3.2.3',
        13,
      ],
      ['with userinfo', request('CONNECT u@a:80'), 400, 'allowed by', '9112 3.2.3', 9],
      ['without a port', request('CONNECT a'), 400, 'required by', '9110 9.3.6', 9],
      ['with an empty port', request('CONNECT a:'), 400, 'required by', '9110 9.3.6', 10],
      ['with port 0', request('CONNECT a:0'), 400, 'required by', '9110 9.3.6', 10],
      ['with port 65536', request('CONNECT a:65536'), 400, 'required by', '9110 9.3.6', 10],
      [
        'with a port of 400 digits',
        request(`CONNECT a:${'9'.repeat(400)}`),
        400,
        'required by',
        '9110 9.3.6',
        10,
      ],
      [
        'as an IPv6 address without a port',
        request('CONNECT [::1]'),
        400,
        'required by',
        '9110 9.3.6',
        13,
      ],
      ['without a host', request('CONNECT :80'), 400, 'allowed by', '9112 3.2.3', 8],
      [
        'without a host or a port',
        request('CONNECT :'),
        400,
        'allowed by',
        '9112 3.2.3',
        8,
      ],
      [
        'without a host, with port 0',
        request('CONNECT :0'),
        400,
        'allowed by',
        '9112 3.2.3',
        8,
      ],
      ['as an asterisk', request('CONNECT *'), 400, 'required by', '9110 9.3.6', 9],
    ]);
  });

  describe('when rejected, says what is missing', () => {
    messages([
      [
        request('GET http:/x'),
        '"http:" is not followed by "//" (allowed by RFC 9110 section 4.2.1), at byte 10',
      ],
      [
        request('GET http:'),
        '"http:" is not followed by "//" (allowed by RFC 9110 section 4.2.1), at byte 9',
      ],
      [
        request('GET *'),
        'The asterisk-form "*" with a method other than OPTIONS ' +
          '(allowed by RFC 9112 section 3.2.4), at byte 4',
      ],
      [
        request('GET tasks'),
        'The request-target does not begin with "/" or "http://" ' +
          '(allowed by RFC 9112 section 3.2), at byte 4; a path starts with "/"',
      ],
      [
        request('GET a:443'),
        'The request-target does not begin with "/" or "http://" ' +
          '(allowed by RFC 9112 section 3.2), at byte 4',
      ],
      [
        request('GET localhost:8080/tasks'),
        'The scheme of the request-target is not http (allowed by RFC 9110 section 7.4), ' +
          'at byte 4; "localhost:" was read as a scheme: ' +
          'send the path, or the whole URI http://localhost:8080/tasks',
      ],
      [
        request('CONNECT :80'),
        'CONNECT needs a host (allowed by RFC 9112 section 3.2.3), at byte 8',
      ],
      [
        request('CONNECT a'),
        'CONNECT needs a port from 1 to 65535 (required by RFC 9110 section 9.3.6), at byte 9',
      ],
    ]);
  });

  describe('when rejected, gives a hint only where its cause is likely', () => {
    const slash = 'a path starts with "/"';
    const scheme = (target: string): string =>
      `"${target.slice(0, target.indexOf(':') + 1)}" was read as a scheme: ` +
      `send the path, or the whole URI http://${target}`;
    const long = `a:80/${'x'.repeat(251)}`;
    for (const [start, hint] of [
      ['GET tasks', slash],
      ['GET tasks/1', slash],
      ['GET tasks?a|b', slash],
      ['GET ?a', slash],
      ['GET *', ''],
      ['GET localhost:8080', ''],
      ['GET localhost:8080/tasks', scheme('localhost:8080/tasks')],
      ['GET a.example:1/', scheme('a.example:1/')],
      ['GET a:80?b', scheme('a:80?b')],
      [`GET ${long}`, scheme(long)],
      [`GET ${long}x`, ''],
      ['GET https://a:443/', ''],
      ['GET mailto:x@y', ''],
      ['GET a:80x/', ''],
      ['GET a:/80/', ''],
      ['GET http:80/', ''],
      ['CONNECT /', ''],
      ['CONNECT localhost', ''],
      ['CONNECT :80', ''],
    ] as const) {
      it(`the hint for ${start.slice(0, 60)} is "${hint.slice(0, 90)}"`, () => {
        expect(reject(request(start)).hint).to.equal(hint);
      });
    }
  });
});
