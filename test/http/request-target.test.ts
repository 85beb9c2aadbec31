import { expect } from 'chai';
import { raw } from '../support/bytes';
import { accept, messages, reject } from '../support/reading';

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
