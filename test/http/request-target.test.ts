import { expect } from 'chai';
import { accept, refusals } from '../support/reading';

const request = (start: string): string => String.raw`${start} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('9112 §3.2 the request-target', () => {
  describe('is read to the path it stands for', () => {
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
      ['OPTIONS *', '*'],
      ['OPTIONS http://example.com', '/'],
      ['CONNECT example.com:443', 'example.com:443'],
      ['CONNECT [2001:db8::1]:1', '[2001:db8::1]:1'],
      ['CONNECT a:65535', 'a:65535'],
    ] as const) {
      it(`${start} -> ${path}`, () => expect(accept(request(start)).path).to.equal(path));
    }
  });

  describe('§3.2.1, §3.2.2 is refused', () => {
    refusals([
      ['without a leading slash', request('GET tasks'), 400, '9112 3.2', 4],
      ['with a query alone', request('GET ?a'), 400, '9112 3.2', 4],
      ['in authority-form for GET', request('GET a:443'), 400, '9112 3.2', 4],
      ['with a scheme that starts with a digit', request('GET 1http://a/'), 400, '9112 3.2', 4],
      ['for https (9110 §7.4)', request('GET https://a/'), 421, '9110 7.4', 4],
      ['for ftp', request('GET ftp://a/'), 421, '9110 7.4', 4],
      ['for a URI without an authority', request('GET mailto:x@y'), 421, '9110 7.4', 4],
      ['with http and no authority', request('GET http:/tasks'), 400, '9110 4.2.1', 9],
      ['with an empty host', request('GET http:///tasks'), 400, '9110 4.2.1', 11],
      ['with a port and no host', request('GET http://:80/'), 400, '9110 4.2.1', 11],
      ['with userinfo', request('GET http://u:p@a/'), 400, '9110 4.2.4', 14],
      ['with a port that is no number', request('GET http://a:8x/'), 400, '9110 4.2.1', 14],
    ]);
  });

  describe('§3.2.4 asterisk-form is for OPTIONS alone', () => {
    refusals([
      ['GET *', request('GET *'), 400, '9112 3.2.4', 4],
      ['options *', request('options *'), 400, '9112 3.2.4', 8],
      ['**', request('OPTIONS **'), 400, '9112 3.2', 8],
    ]);
  });

  describe('§3.2.3 CONNECT takes authority-form and nothing else', () => {
    refusals([
      ['a path', request('CONNECT /'), 400, '9112 3.2.3', 8],
      ['absolute-form', request('CONNECT http://a:80'), 400, '9112 3.2.3', 13],
      ['no port', request('CONNECT a'), 400, '9112 3.2.3', 9],
      ['an empty port', request('CONNECT a:'), 400, '9112 3.2.3', 10],
      ['port 0', request('CONNECT a:0'), 400, '9112 3.2.3', 10],
      ['port 65536', request('CONNECT a:65536'), 400, '9112 3.2.3', 10],
      ['a port of 400 digits', request(`CONNECT a:${'9'.repeat(400)}`), 400, '9112 3.2.3', 10],
      ['an IPv6 address without a port', request('CONNECT [::1]'), 400, '9112 3.2.3', 13],
      ['asterisk', request('CONNECT *'), 400, '9112 3.2.3', 9],
    ]);
  });
});
