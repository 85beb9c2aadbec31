import { expect } from 'chai';
import { createServer } from 'node:http';
import { listen, probe, talking } from '../../support/probed-servers';

const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
const PLAIN = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\nok`;
const isPlainRequest = (bytes: Buffer): boolean =>
  /^[A-Z]+ \/ [^]*: close\r\n\r\n$/.test(String(bytes));

/** A server that goes by Content-Length alone, and rejects what does not begin like a
 * request. */
function naive(): Promise<string> {
  const received = new WeakMap<object, string>();
  return talking((socket, bytes) => {
    let text = (received.get(socket) ?? '') + bytes.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1] ?? 0);
      if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head)) {
        return void socket.end(
          'HTTP/1.1 400 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        );
      }
      if (text.length < end + 4 + length) break;
      text = text.slice(end + 4 + length);
      const closes = /^Connection: close$/m.test(head);
      socket.write(closes ? PLAIN.replace('\r\n', '\r\nConnection: close\r\n') : PLAIN);
      if (closes) return void socket.end();
    }
    received.set(socket, text);
  });
}

describe('the probe of odd servers', () => {
  it('the probe finds the gaps of a server that goes by Content-Length alone', async () => {
    const { code, stdout } = await probe(await naive(), '--only', '9112 7.1');
    expect(stdout).to.match(
      /^ {2}chunked +valid +9112 7\.1 +200 open +200 400 closed +GAP/m,
    );
    expect(stdout).to.match(/^\d+ gaps between this server and that server:$/m);
    expect(code).to.equal(0);
  });

  it('a server that closes after an early response has rejected the case', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'POST' ? 405 : 200, { Allow: 'GET' }).end();
    });
    const { stdout } = await probe(await listen(server), '--only', 'chunk-too-long');
    expect(stdout).to.match(/^ {2}chunk-too-long .* 405 (?:400 )?closed /m);
    expect(stdout).to.include('It accepts 0 of the 1 request that a server may reject.');
  });

  it('what a server does with content that it never reads is not judged', async () => {
    const address = await talking((socket, bytes) => {
      const status = String(bytes).startsWith('POST') ? '501 x' : '200 OK';
      const response = PLAIN.replace('200 OK', `${status}\r\nConnection: close`);
      socket.end(response);
    });
    const { code, stdout } = await probe(address, '--only', '9112 6.3');
    expect(stdout).to.match(/^ {2}identity-coding .* 501 closed \?/m);
    expect(stdout).to.match(
      /It accepts nothing that a MUST rejects\.[^]*\d+ cases cannot be seen\./,
    );
    expect(code).to.equal(0);
  });

  it('the probe finds broken rules of responses', async () => {
    const address = await talking((socket, bytes) => {
      const closes = isPlainRequest(bytes) ? 'Connection: close\r\n' : '';
      const isGet = String(bytes).startsWith('GET / HTTP/1.1');
      socket.write(`HTTP/1.1 ${isGet ? 200 : 405} x\r\n${closes}Content-Length: 0\r\n\r\n`);
      if (closes !== '') socket.end();
    });
    const { code, stdout } = await probe(address, '--only', 'options-with-content');
    expect(stdout).to.include(
      'Its responses: RFC 9110 15.5.6 allow: A 405 response without',
    );
    expect(stdout).to.include('Its responses: RFC 9110 6.6.1 date: ');
    expect(code).to.equal(1);
  });

  it('a server without Date breaks no MUST, because it may have no clock', async () => {
    const address = await talking((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    );
    const { code, stdout } = await probe(address, '--only', 'query');
    expect(stdout).to.include('date: ');
    expect(code).to.equal(0);
  });

  it('a server that never stops sending gets one short line a case', async () => {
    const address = await talking((socket, bytes) => {
      const closing = PLAIN.replace('\r\n', '\r\nConnection: close\r\n');
      if (isPlainRequest(bytes)) return void socket.end(closing);
      socket.write(PLAIN.repeat(2000)); // more than the report may have in all
    });
    const { stdout } = await probe(address, '--only', 'length-and-chunked');
    expect(stdout).to.match(/^ {2}length-and-chunked .* unreadable /m);
    expect(stdout.length).to.be.below(100_000);
  });

  it('a server that stops in the middle cannot be probed, rather than found right', async () => {
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

  it('content after the response to HEAD is a gap, and no other number of requests', async () => {
    const address = await talking((socket, bytes) => {
      const closes = String(bytes).includes(': close');
      socket.write(closes ? PLAIN.replace('\r\n', '\r\nConnection: close\r\n') : PLAIN);
      if (closes) socket.end();
    });
    const { stdout } = await probe(address, '--only', '9110 9.3.2');
    expect(stdout).to.match(/^ {2}head .* 200 open +200 lost +GAP/m);
    expect(stdout).to.include('RFC 9110 9.3.2 head-content: Content after the response');
    expect(stdout).to.include('and disagree on where a request or its response ends.');
  });

  it('no POST is sent to a server that responds to every POST with 400', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'POST' ? 400 : 200).end();
    });
    const { stdout } = await probe(await listen(server), '--only', 'chunked-empty');
    expect(stdout).to.match(/^ {2}chunked-empty .*not sent/m);
    expect(stdout).to.include('POST was not sent');
  });

  it('nothing that a server sends reaches the terminal raw', async () => {
    const address = await talking((socket, bytes) => {
      const response = PLAIN.replace(
        '\r\n',
        '\r\nServer: \x1b[31m\x9b\r\nConnection: close\r\n',
      );
      socket.end(isPlainRequest(bytes) ? response : '\x1b]0;title\x07\x9b31m', 'latin1');
    });
    const { stdout } = await probe(address, '--only', 'host');
    expect(stdout).to.match(/^[\n -~…]*$/);
    expect(stdout).to.include('\\x1b[31m\\x9b at 127.0.0.1');
    expect(stdout).to.match(/^ {2}two-hosts .* no status line/m);
  });
});
