import { expect } from 'chai';
import { raw } from '../support/bytes';
import { accept } from '../support/reading';

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
});
