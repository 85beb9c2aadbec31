import { expect } from 'chai';
import { readPasted } from '../../../src/study/workbench/browser/pasted';

/** The fields of curl itself. */
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const OWN = 'User-Agent: curl/8.5.0\nAccept: */*\n';
const GET = 'GET / HTTP/1.1\nHost: a\n\n';

describe('what is pasted into the composer', () => {
  // prettier-ignore
  const CASES: readonly (readonly [what: string, text: string, read: string | undefined])[] = [
    ['printf', String.raw`printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' | nc localhost 8080`, GET],
    ['printf without nc', String.raw`$ printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'`, GET],
    ['printf and sleep', `(printf 'GE'; sleep 1; printf 'T') | nc -N localhost 80`, 'GE‖1000‖T'],
    ['printf and sleep without nc', "printf 'a'; sleep 1; printf 'b'", 'a‖1000‖b'],
    ['printf and a sleep of no known length', "printf 'a'; sleep x; printf 'b'", undefined],
    ['what follows a command', "printf 'a' | nc -N localhost 80 | head -1; echo\ncurl b", 'a'],
    ['what changes the bytes', "printf 'a' | tr a b | nc localhost 80", undefined],
    ['a line with its ends written out', String.raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`, GET],
    ['lines that end both ways', 'GET / HTTP/1.1\\r\\n\nHost: a\\r\\n\n\\r\\n', GET],
    ['a cut and a character between them', String.raw`GET /é HTTP/1.1\r\nHo‖60‖st: a\\x41\n`,
      'GET /é HTTP/1.1\nHo‖60‖st: a\\x5cx41¬\n'],
    ['a character of a command', "printf 'é‖'", '\\xc3\\xa9\\xe2\\x80\\x96'],
    ['curl', 'curl -s http://a:8080/tasks?x',
      `GET /tasks?x HTTP/1.1\nHost: a:8080\n${OWN}\n`],
    ['curl with fields', `curl -X PUT -H 'Host: b' -H "X: y" -o /dev/null a/tasks/1`,
      `PUT /tasks/1 HTTP/1.1\n${OWN}Host: b\nX: y\n\n`],
    ['curl with content', `curl a -d 'é'`,
      `POST / HTTP/1.1\nHost: a\n${OWN}Content-Length: 2\n${FORM}\n\n\\xc3\\xa9`],
    ['bytes as they are', 'GET / HTTP/1.1\nHost: a\n\n', undefined],
    ['a Windows path', String.raw`C:\new\readme`, undefined],
    ['curl without an address', 'curl -s', undefined],
    ['curl as a browser copies it', `curl 'http://a/' -b 'c=d' --compressed -sS`,
      `GET / HTTP/1.1\nHost: a\n${OWN}Cookie: c=d\nAccept-Encoding: deflate, gzip\n\n`],
    ['curl that sends more', 'curl -u me:secret http://a/', undefined],
    ['curl over TLS', 'curl https://example.com/a', undefined],
    ['curl as a user', 'curl http://me:secret@a/', undefined],
    ['curl of two addresses', 'curl localhost:8080/a b', undefined],
    ['curl that sends a file', 'curl http://a/ -d @file', undefined],
  ];
  for (const [what, text, read] of CASES)
    it(`is read: ${what}`, () => {
      expect(readPasted(text)?.text).to.equal(read);
    });
});
