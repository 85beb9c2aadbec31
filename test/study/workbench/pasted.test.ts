import { expect } from 'chai';
import { readPasted } from '../../../src/study/workbench/browser/pasted';

/** The fields of curl itself. */
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const OWN = 'User-Agent: curl/8.5.0\r\nAccept: */*\r\n';
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('what is pasted into the composer', () => {
  // prettier-ignore
  const CASES: readonly (readonly [string, string, readonly (string | number)[] | undefined])[] = [
    ['printf', String.raw`printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' | nc localhost 8080`,
      [GET]],
    ['printf without nc', String.raw`$ printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'`, [GET]],
    ['printf and sleep', `(printf 'GE'; sleep 1; printf 'T') | nc -N localhost 80`,
      ['GE', 1000, 'T']],
    ['printf and sleep without nc', "printf 'a'; sleep 1; printf 'b'", ['a', 1000, 'b']],
    ['printf and a sleep of no known length', "printf 'a'; sleep x; printf 'b'", undefined],
    ['what follows a command', "printf 'a' | nc -N localhost 80 | head -1; echo\ncurl b", ['a']],
    ['what changes the bytes', "printf 'a' | tr a b | nc localhost 80", undefined],
    ['a line with its ends written out', String.raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`,
      [GET]],
    ['lines that end both ways', 'GET / HTTP/1.1\\r\\n\nHost: a\\r\\n\n\\r\\n', [GET]],
    ['curl', 'curl -s http://a:8080/tasks?x',
      [`GET /tasks?x HTTP/1.1\r\nHost: a:8080\r\n${OWN}\r\n`]],
    ['curl with fields', `curl -X PUT -H 'Host: b' -H "X: y" -o /dev/null a/tasks/1`,
      [`PUT /tasks/1 HTTP/1.1\r\n${OWN}Host: b\r\nX: y\r\n\r\n`]],
    ['curl with content', `curl a -d 'é'`,
      [`POST / HTTP/1.1\r\nHost: a\r\n${OWN}Content-Length: 2\r\n${FORM}\r\n\r\n\xc3\xa9`]],
    ['bytes as they are', 'GET / HTTP/1.1\nHost: a\n\n', undefined],
    ['a Windows path', String.raw`C:\new\readme`, undefined],
    ['a command that nobody can read', `printf 'a' | tr a b | nc $(host) 80`, undefined],
    ['curl without an address', 'curl --help', undefined],
    ['curl as a browser copies it', `curl 'http://a/' -b 'c=d' --compressed -sS`,
      [`GET / HTTP/1.1\r\nHost: a\r\n${OWN}Cookie: c=d\r\nAccept-Encoding: deflate, gzip\r\n\r\n`]],
    ['curl that sends more', 'curl -u me:secret http://a/', undefined],
    ['curl over TLS', 'curl https://example.com/a', undefined],
    ['curl of another protocol', 'curl ftp://a/b', undefined],
    ['curl as a user', 'curl http://me:secret@a/', undefined],
    ['curl of two addresses', 'curl localhost:8080/a b', undefined],
    ['curl that sends a file', 'curl http://a/ -d @file', undefined],
  ];
  for (const [what, text, pieces] of CASES)
    it(`is read: ${what}`, () => {
      expect(readPasted(text)?.pieces).to.deep.equal(pieces);
    });
});
