import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { createServer, type RequestListener } from 'node:http';
import { UsageError } from '../../../src/command/arguments';
import { GROUPS, readCase, requestOf } from '../../../src/study/cases';
import { converse } from '../../../src/study/probe/conversation';
import { parseProbeOptions } from '../../../src/study/probe/options';
import { toSteps } from '../../../src/study/shell';
import {
  afterRounds,
  listen,
  probe,
  runProbe,
  talking,
} from '../../support/probed-servers';
import { serve } from '../../support/test-server';

const CASES = GROUPS.flatMap(({ cases }) => cases);
const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
const PLAIN = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\nok`;
const NOTHING = 'HTTP/1.1 400 x\r\nContent-Length: 0\r\n\r\n';
const closing = (response: string): string =>
  response.replace('\r\n', '\r\nConnection: close\r\n');
const isPlainRequest = (text: string): boolean =>
  /^[A-Z]+ \/ [^]*: close\r\n\r\n$/.test(text);

const node = (respond: RequestListener) => (): Promise<string> =>
  listen(createServer(respond));

/** A server that sends what it makes of each piece that arrives, and closes where it says
 * so. */
const answering = (answer: (text: string) => string) => (): Promise<string> =>
  talking((socket, bytes) => {
    const response = answer(bytes.toString('latin1'));
    socket.write(response, 'latin1');
    if (/^Connection: close\r$/m.test(response)) socket.end();
  });

/** It goes by Content-Length alone, and rejects what does not begin like a request. */
function readNaively(text: string): string {
  const [, head = ''] = /^([^]*?)\r\n\r\n/.exec(text) ?? [];
  if (head === '') return '';
  if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head)) return closing(NOTHING);
  const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1] ?? 0);
  const rest = text.slice(head.length + 4);
  if (rest.length < length) return '';
  const response = /^Connection: close$/m.test(head) ? closing(PLAIN) : PLAIN;
  return response + readNaively(rest.slice(length));
}

describe('the probe', () => {
  it('finds nothing wrong with this server, and no gap', async () => {
    const { port } = await serve();
    const { code, stdout } = await probe(`127.0.0.1:${port}`);
    expect(stdout).to.include(
      'It accepts nothing that a MUST rejects.\nIt rejects no valid request.\nIt accepts 0 of',
    );
    expect(stdout).to.include('\nNo gap: ').and.not.include('Its responses');
    expect(stdout).to.match(/^ {2}slow-request +ours +9110 15\.5\.9 .*not sent/m);
    expect(code).to.equal(0);
    for (const { name } of CASES) expect(stdout).to.match(new RegExp(`^  ${name} `, 'm'));
  });

  // prettier-ignore
  for (const [what, start, only, code, ...patterns] of [
    ['node:http, which agrees where a valid request ends',
      node((request, response) => void request.resume().on('end', () => response.end('ok'))),
      'valid', 0, /^ {2}chunked +valid +9112 7\.1 +200 open +200 open /m, /^No gap: /m],
    ['node:http, which accepts a second Host', node((_, response) => void response.end('ok')),
      'two-equal-hosts', 1, /^ {2}two-equal-hosts +MUST +9112 3\.2 +400 closed +200 open !/m,
      /^It breaks 1 MUST:\n {2}RFC 9112 3\.2 {5}two-equal-hosts: More than/m],
    ['a server that goes by Content-Length alone', answering(readNaively), '9112 7.1', 0,
      /^ {2}chunked +valid +9112 7\.1 +200 open +200 400 closed +GAP/m,
      /^\d+ gaps between this server and that server:$/m],
    ['broken rules of responses', answering((text) => {
      const status = text.startsWith('GET / HTTP/1.1') ? 200 : 405;
      const response = `HTTP/1.1 ${status} x\r\nContent-Length: 0\r\n\r\n`;
      return isPlainRequest(text) ? closing(response) : response; }),
      'options-with-content', 1, /^Its responses: RFC 9110 15\.5\.6 allow: A 405 response/m,
      /^Its responses: RFC 9110 6\.6\.1 date: /m],
    ['a server that never stops sending', answering((text) =>
      isPlainRequest(text) ? closing(PLAIN) : PLAIN.repeat(2000)),
      'length-and-chunked', 0, /^ {2}length-and-chunked .* unreadable /m],
    ['silence that may be right', () => talking((socket, bytes) => {
      const isFirst = socket.bytesRead === bytes.length;
      if (isFirst && isPlainRequest(bytes.toString())) socket.end(closing(PLAIN)); }),
      'huge-length', 0, /^ {2}huge-length +ours .* silent /m, /^(?![^]*It is silent)/],
    ['a server that rejects every POST', node((request, response) =>
      void response.writeHead(request.method === 'POST' ? 400 : 200).end()),
      'chunked-empty', 0, /^ {2}chunked-empty .*not sent/m, /^POST was not sent/m],
    ['control characters', answering((text) => isPlainRequest(text)
      ? closing(PLAIN).replace('\r\n', '\r\nServer: \x1b[31m\x9b\r\n')
      : closing('\x1b]0;title\x07\x9b31m\r\n')),
      'host', 0, /\\x1b\[31m\\x9b at 127\.0\.0\.1/, /^ {2}two-hosts .* no status line/m],
  ] as const) {
    it(`tells of ${what}`, async () => {
      const { stdout, ...ended } = await probe(await start(), '--only', only);
      for (const pattern of [...patterns, /^[\n -~…]*$/]) expect(stdout).to.match(pattern);
      expect(stdout.length).to.be.below(100_000);
      expect(ended.code).to.equal(code);
    });
  }

  it('does not find a server right that stops in the middle', async () => {
    let left = 10;
    const server = createServer((_, response) => {
      response.setHeader('Connection', 'close').end('ok');
      left -= 1;
      if (left === 0) server.close();
    });
    const error = await probe(await listen(server), '--only', 'valid').catch(String);
    expect(error).to.match(
      /: it stopped at about the case [a-z0-9-]+ \(.*--max-requests 0/,
    );
  });

  it('says in a line what cannot be probed, with exit code 2', async () => {
    const { code, stdout, stderr } = await runProbe('127.0.0.1:1');
    expect(stderr).to.match(/^Cannot probe 127\.0\.0\.1:1: [ -~]+\n$/);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
  });

  it('shows commands that print the bytes of each case', () => {
    const script = CASES.flatMap((one) => toSteps(readCase(one).text)).join('\n');
    const { stdout } = spawnSync('bash', ['-c', script], { maxBuffer: 2 ** 22 });
    expect(
      stdout.equals(Buffer.from(CASES.map((one) => requestOf(one)).join(''), 'latin1')),
    ).to.equal(true);
  });

  // prettier-ignore
  for (const [responses, followedAfter, what] of [
    [PLAIN + PLAIN, 2, 'follows the responses'], ['', 0, 'follows silence, too'],
    [PLAIN + closing(PLAIN), undefined, 'does not follow "close", although one before did not'],
  ] as const) {
    it(`sends a next request that ${what}`, async () => {
      let received = '';
      const address = await talking((socket, data) => {
        if (received === '') socket.write(responses);
        received += data.toString('latin1');
        if (received.endsWith('next') || responses.includes('close')) socket.end();
      });
      const peer = { host: '127.0.0.1', port: Number(address.split(':')[1]) };
      const options = { next: 'next', after: afterRounds };
      const { hasEnded, ...found } = await converse(peer, 'two requests', options);
      expect({ ...found, hasEnded }).to.include({ followedAfter, hasEnded: true });
      expect(received).to.equal(`two requests${followedAfter === undefined ? '' : 'next'}`);
    });
  }
});

describe('the options of the probe', () => {
  // prettier-ignore
  for (const [args, why] of [
    [[], /name a server/], [['8080'], /HOST:PORT/], [['http://localhost:80/'], /HOST:PORT/],
    [['a:0'], /HOST:PORT/], [['a:80', 'b:80'], /one server at a time/],
    [['a:80', '--only', 'no-such-word'], /no case has the word "no-such-word"/],
    [['a:80', '--host', 'a b'], /--host/], [['--show', 'pipelin'], /perhaps pipelined, /],
    [['\x1b[31m'], /\\u001b\[31m/], [['--no-such-option'], /--no-such-option/],
  ] as const) {
    it(`${JSON.stringify(args)} is explained`, () =>
      expect(() => parseProbeOptions(args)).to.throw(UsageError, why));
  }
  for (const [attack, has, hasNot] of [
    ['smuggling', 'length-and-chunked', 'no-host'],
    ['flooding', 'long-target', 'length-and-chunked'],
    ['injection', 'nul-in-field-value', 'get'],
    ['its framing', 'huge-length', 'no-host'],
  ] as const) {
    it(`--only ${attack} takes the cases of that attack or group`, () => {
      const { groups } = parseProbeOptions(['a:80', '--only', attack]);
      const names = groups.flatMap(({ cases }) => cases.map(({ name }) => name));
      expect(names).to.include(has).and.not.include(hasNot);
    });
  }
});
