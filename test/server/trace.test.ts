import { expect } from 'chai';
import type { ServerOptions, TraceEvent } from '../../src/index';
import { raw } from '../support/bytes';
import type { Client } from '../support/client';
import { pause, until } from '../support/notifier';
import { serve, type TestServer } from '../support/test-server';
import { story, Trace } from '../support/recorded-trace';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

/** A server with a trace, and its first client, which is told to be there. */
async function traced(options: Partial<ServerOptions> = {}) {
  const trace = new Trace();
  const server = await serve({ trace: trace.sink, ...options });
  const client = await server.client();
  await trace.next('wait');
  return { trace, server, client };
}

/** Sends something and closes. @returns the lines of some verbs */
async function linesFor(sent: string, ...types: TraceEvent['type'][]): Promise<string> {
  const { trace, client } = await traced();
  client.send(sent).end();
  await trace.next('gone');
  return trace.lines(...types);
}

/** Closes a server whose clients have closed. */
async function finish(server: TestServer, ...clients: Client[]): Promise<void> {
  for (const client of clients) {
    await client.closed();
    client.end();
  }
  await server.stopped;
}

describe('the trace tells a conversation', () => {
  it('of two requests, one of them in two pieces', async () => {
    const { trace, server, client } = await traced();
    client.send('GET /ta');
    await trace.next('wait', 2);
    client.send(raw`sks/1 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n`);
    await trace.next('idle');
    client.send(raw`DELETE /tasks/9?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await client.closed();
    client.end();
    await trace.next('gone');
    await server.stop();
    expect(trace.lines()).to.equal(
      story(raw`
      --  listen port N
      c1  open   127.0.0.1:N
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  read   7 bytes
             0 | GET /ta
      c1  wait   for the end of the request line (RFC 9112 section 3), 60 s at most
      c1  read   40 bytes
             7 | sks/1 HTTP/1.1\r\n
            23 | Host: localhost:8080\r\n
            45 | \r\n
      c1  parse  request line: GET, origin-form, path "/tasks/1", HTTP/1.1 (RFC 9112 section 3)
      c1  parse  1 field line, Host "localhost:8080" (RFC 9112 section 3.2)
      c1  frame  no content: neither Content-Length nor Transfer-Encoding \
                 (RFC 9112 section 6.3, rule 7)
      c1  keep   the client lets it stay open: HTTP/1.1 without "close" (RFC 9112 section 9.3)
      c1  queue  complete; place 1
      c1  turn   request 1
      c1  route  start -GET-> get -path contains "/tasks/"-> getId -id "1" is 1 to 5-> \
                 getTask -task exists-> task = 200
      c1  write  158 bytes
             0 | HTTP/1.1 200 OK\r\n
            17 | Content-Type: application/json\r\n
            49 | Content-Length: 50\r\n
            69 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           106 | \r\n
           108 | {"id":1,"title":"Read a request line","done":true}
      c1  idle   waiting for the next request, 5 s at most
      c1  read   58 bytes
             0 | DELETE /tasks/9?x HTTP/1.1\r\n
            28 | Host: a\r\n
            37 | Connection: close\r\n
            56 | \r\n
      c1  parse  request line: DELETE, origin-form, path "/tasks/9", HTTP/1.1 \
                 (RFC 9112 section 3)
      c1  parse  query "x" is cut off: only the path counts
      c1  parse  2 field lines, Host "a" (RFC 9112 section 3.2)
      c1  frame  no content: neither Content-Length nor Transfer-Encoding \
                 (RFC 9112 section 6.3, rule 7)
      c1  keep   it closes after the answer: the client says "close" (RFC 9112 section 9.6)
      c1  queue  complete; place 1
      c1  turn   request 2
      c1  route  start -DELETE-> delete -path contains "/tasks/"-> deleteId \
                 -id "9" is not 1 to 5-> invalidId = 400
      c1  write  196 bytes
             0 | HTTP/1.1 400 Bad Request\r\n
            26 | Content-Type: application/json\r\n
            58 | Content-Length: 60\r\n
            78 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           115 | Connection: close\r\n
           134 | \r\n
           136 | {"error":"Invalid task id: it must be a number from 1 to 5"}
      c1  close  the client says "close" (RFC 9112 section 9.6)
      c1  linger our side is closed: reading on until the client closes, 2 s at most \
                 (RFC 9112 section 9.6)
      c1  end    the client closed its sending side
      c1  gone   the client closed
      --  stop   asked to stop: the listener closes
      --  stop   everything is closed
    `),
    );
  });

  it('of a rejected request, and what comes after it', async () => {
    const { trace, client } = await traced();
    client.send(raw`GET / HTTP/1.1\r\nHost : a\r\nAccept: x\r\n\r\n${GET}`);
    await trace.next('linger');
    client.send('late');
    await trace.next('drop', 2);
    client.end();
    await trace.next('gone');
    const told = trace.lines();
    expect(told.slice(told.indexOf('c1  parse'))).to.equal(
      story(raw`
      c1  parse  request line: GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)
      c1  reject 400 White space between a field name and the colon \
                 (required by RFC 9112 section 5.1)
            16 | Host : a\r\n
               |     ^ byte 20
                 not handled: not logged, not counted
      c1  write  242 bytes
             0 | HTTP/1.1 400 Bad Request\r\n
            26 | Content-Type: application/json\r\n
            58 | Content-Length: 105\r\n
            79 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           116 | Connection: close\r\n
           135 | \r\n
           137 | {"error":"White space between a field name and the colon \
                         (required by RFC 9112 section 5.1), at byte 20"}
      c1  close  the request was rejected: nothing after it is handled (RFC 9112 section 9.6)
      c1  drop   45 bytes after byte 20
      c1  linger our side is closed: reading on until the client closes, 2 s at most \
                 (RFC 9112 section 9.6)
      c1  drop   4 bytes that arrived later: never parsed
      c1  end    the client closed its sending side
      c1  gone   the client closed
    `),
    );
  });

  it('of chunked content with 100 (Continue) and a trailer field', async () => {
    const { trace, client } = await traced();
    client.send(CHUNKED.replace(raw`\r\n\r\n`, raw`\r\nExpect: 100-continue\r\n\r\n`));
    await trace.next('wait', 2);
    client.send(raw`A;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\n`);
    await trace.next('idle');
    const told = trace.lines('parse', 'frame', 'keep', 'expect', 'write', 'wait', 'queue', 'turn');
    expect(told).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  parse  request line: POST, origin-form, path "/tasks", HTTP/1.1 (RFC 9112 section 3)
      c1  parse  3 field lines, Host "a" (RFC 9112 section 3.2)
      c1  frame  content in chunks: "chunked" is the final transfer coding \
                 (RFC 9112 section 6.3, rule 4)
      c1  keep   the client lets it stay open: HTTP/1.1 without "close" (RFC 9112 section 9.3)
      c1  expect the client waits for 100 (Continue) (RFC 9110 section 10.1.1)
      c1  write  25 bytes
             0 | HTTP/1.1 100 Continue\r\n
            23 | \r\n
      c1  wait   for the content that 100 (Continue) asks for (RFC 9110 section 10.1.1), \
                 60 s at most
      c1  parse  chunk 1: size a (hex) = 10, data 90-99 (RFC 9112 section 7.1)
      c1  parse  last chunk at 102: 10 bytes of content (RFC 9112 section 7.1)
      c1  parse  trailer section, to byte 113: 1 field line read and dropped: A \
                 (RFC 9110 section 6.5.1)
      c1  queue  complete; place 1
      c1  turn   request 1
      c1  write  150 bytes
             0 | HTTP/1.1 200 OK\r\n
            17 | Content-Type: application/json\r\n
            49 | Content-Length: 42\r\n
            69 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           106 | \r\n
           108 | {"id":4,"title":"A new task","done":false}
    `),
    );
  });

  it('of the last request, while others wait', async () => {
    const { trace, server, client } = await traced({ maxRequests: 2 });
    const other = await server.client();
    const silent = await server.client();
    await trace.next('wait', 3);
    client.send(GET.repeat(3));
    other.send(GET.repeat(2));
    await finish(server, client, other, silent);
    const told = trace.lines('queue', 'turn', 'close', 'drop', 'stop');
    expect(told).to.equal(
      story(raw`
      c1  queue  complete; place 1
      c2  queue  complete; place 2, behind c1
      c1  turn   request 1 of 2
      c1  queue  complete; place 2, behind c2
      c2  turn   request 2 of 2
      c2  close  the limit of requests is reached (RFC 9112 section 9.6)
      c2  drop   27 bytes after the last answered request: never parsed
      --  stop   limit of 2 reached: the listener closes
      c1  close  the server stops (RFC 9112 section 9.6)
      c1  drop   GET /, complete but never handled; 27 bytes never parsed
      c3  close  the server stops (RFC 9112 section 9.6)
      --  stop   everything is closed
    `),
    );
  });
});

describe('the trace is never untrue', () => {
  describe('about how a connection ended', () => {
    it('the client closed', async () => {
      expect(await linesFor(GET, 'gone')).to.equal('c1  gone   the client closed\n');
    });
    for (const [when, sent] of [
      ['idle', ''],
      ['mid-request', 'GET'],
      ['after an answer', GET],
    ]) {
      it(`the client reset the connection, ${when}`, async () => {
        const { trace, client } = await traced();
        client.send(sent ?? '');
        if (sent === 'GET') await trace.next('wait', 2);
        if (sent === GET) await trace.next('idle');
        client.reset();
        await trace.next('gone');
        expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
      });
    }
    it('the client reset the connection, while the server lingered', async () => {
      const { trace, client } = await traced();
      client.send(raw`BAD\r\n`);
      await trace.next('linger');
      client.reset();
      await trace.next('gone');
      expect(trace.lines('gone')).to.equal('c1  gone   the client reset the connection\n');
    });
    it('given up: the client did not close within 2 s', async () => {
      const order: string[] = [];
      const trace = new Trace();
      const server = await serve({
        trace: (event) => {
          trace.sink(event);
          if (event.type === 'gone') order.push('gone');
          if (event.type === 'linger') void pause(2010).then(() => order.push('10 ms later'));
        },
      });
      const client = (await server.client()).send(raw`BAD\r\n`);
      // Bytes that arrive meanwhile gain no time.
      const dribble = setInterval(() => client.socket.write('x'), 500);
      await trace.next('gone').finally(() => clearInterval(dribble));
      await until(() => order.includes('10 ms later'));
      expect(order).to.deep.equal(['gone', '10 ms later']);
      const [close, gone] = [await trace.next('close'), await trace.next('gone')];
      expect(gone.at - close.at).to.be.at.least(1999);
      expect(trace.lines('gone')).to.equal(
        'c1  gone   given up: the client did not close within 2 s\n',
      );
    });
    it('given up: the client did not take its last answer', async () => {
      const { trace, client } = await traced({
        requestTimeout: 0.2,
        service: () => ({ status: 200, body: 'x'.repeat(16_000_000) }),
      });
      client.socket.pause();
      client.send(GET.replace(raw`\r\n\r\n`, raw`\r\nConnection: close\r\n\r\n`));
      await trace.next('gone');
      expect(trace.lines('close', 'linger', 'gone')).to.equal(
        story(raw`
        c1  close  the client says "close" (RFC 9112 section 9.6)
        c1  gone   given up: the client did not take its answers within 0.2 s
      `),
      );
    });
    it('cut off by the server, whose own last line comes last', async () => {
      const { trace, server } = await traced();
      await server.client();
      await trace.next('open', 2);
      await server.stop();
      // Now: what is told after the last line is lost where the process ends with it.
      const told = trace.lines('gone', 'stop').split('\n').slice(0, -1);
      const late = 'did not close within 0.15 s';
      expect(told.slice(1, -1).map((line) => line.slice(2))).to.deep.equal(
        Array(2).fill(`  gone   cut off: the client ${late}`),
      );
      expect(told.at(-1)).to.equal(`--  stop   cut off 2 connections that ${late}`);
    });
    it('"everything is closed", only where nobody was cut off', async () => {
      const { trace, server, client } = await traced({ maxRequests: 1 });
      client.send(GET);
      await finish(server, client);
      expect(trace.lines('stop').split('\n')[1]).to.equal('--  stop   everything is closed');
    });
  });

  describe('about persistence', () => {
    const LETS = 'c1  keep   the client lets it stay open: ';
    const CLOSES = 'c1  keep   it closes after the answer: ';
    for (const [what, request, line] of [
      ['HTTP/1.1', GET, `${LETS}HTTP/1.1 without "close" (RFC 9112 section 9.3)`],
      [
        '"close"',
        raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        `${CLOSES}the client says "close" (RFC 9112 section 9.6)`,
      ],
      [
        'HTTP/1.0',
        raw`GET / HTTP/1.0\r\n\r\n`,
        `${CLOSES}HTTP/1.0 without "keep-alive" (RFC 9112 section 9.3)`,
      ],
      [
        'HTTP/1.0 with "keep-alive"',
        raw`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`,
        `${LETS}HTTP/1.0 with "keep-alive" (RFC 9112 section 9.3)`,
      ],
      [
        'CONNECT',
        raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
        `${CLOSES}what follows CONNECT is meant for a tunnel (RFC 9110 section 9.3.6)`,
      ],
      [
        'content that is too large',
        raw`${post(9_999_999)}x`,
        `${LETS}HTTP/1.1 without "close" (RFC 9112 section 9.3)`,
      ],
    ] as const) {
      it(`"keep" says what the request says: ${what}`, async () => {
        expect(await linesFor(request, 'keep')).to.equal(`${line}\n`);
      });
    }
    it('"close" says why our side closes', async () => {
      const { trace, client, server } = await traced({ idleTimeout: 0.1, requestTimeout: 0.3 });
      client.send(GET);
      const half = await server.client();
      await trace.next('close', 2);
      const ended = (await server.client()).send(GET).end();
      await trace.next('close', 3);
      const stopped = await server.client();
      await trace.next('open', 4);
      void server.stop();
      await finish(server, client, half, ended, stopped);
      expect(trace.lines('close').split('\n').sort().slice(1)).to.deep.equal([
        'c1  close  no request arrived in time (RFC 9112 section 9.5)',
        'c2  close  no request arrived in time (RFC 9112 section 9.5)',
        'c3  close  the client sends nothing more (RFC 9112 section 9.5)',
        'c4  close  the server stops (RFC 9112 section 9.6)',
      ]);
    });
  });

  it('about the order: "wait" and "idle" come after "write"', async () => {
    const { trace, client } = await traced();
    client.send(GET + GET + raw`GET / HTTP/1.1\r\nHo`);
    await trace.next('wait', 2);
    client.send(raw`st: a\r\n\r\n`);
    await trace.next('idle');
    const told = trace.lines('turn', 'write', 'wait', 'idle').replace(/^ .*\n/gm, '');
    expect(told).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  turn   request 1
      c1  turn   request 2
      c1  write  314 bytes
      c1  wait   for the end of header field line 1 (RFC 9112 section 5), 60 s at most
      c1  turn   request 3
      c1  write  157 bytes
      c1  idle   waiting for the next request, 5 s at most
    `),
    );
  });

  it('about time: each deadline is told once, where it begins', async () => {
    const { trace, client } = await traced({ requestTimeout: 7.5, idleTimeout: 1.25 });
    client.send(raw`\r\n`);
    await trace.next('wait', 2);
    for (const [at, piece] of ['G', 'ET ', '/'].entries()) {
      client.send(piece);
      await trace.next('wait', 3 + at);
    }
    client.send(raw` HTTP/1.1\r\nHost: a\r\n\r\n`);
    await trace.next('idle');
    client.send(raw`\r\n`);
    await trace.next('wait', 6);
    client.send('G');
    await trace.next('wait', 7);
    const line = 'for the end of the request line (RFC 9112 section 3)';
    const empty = 'for a request line after the empty line (RFC 9112 section 2.2)';
    expect(trace.lines('wait', 'idle')).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 7.5 s at most
      c1  wait   ${empty}
      c1  wait   ${line}, 7.5 s at most
      c1  wait   ${line}
      c1  wait   ${line}
      c1  idle   waiting for the next request, 1.25 s at most
      c1  wait   ${empty}
      c1  wait   ${line}, 7.5 s at most
    `),
    );
  });
});

describe('the trace has a line for everything that happens', () => {
  describe('what it waits for', () => {
    const HEAD = raw`POST / HTTP/1.1\r\nHost: a\r\n`;
    const LINES = raw`${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    for (const [sent, missing, section] of [
      [raw`\r`, 'a request', '9112 2.1'],
      [raw`\r\n`, 'a request line after the empty line', '9112 2.2'],
      ['GET', 'the end of the request line', '9112 3'],
      [raw`POST / HTTP/1.1\r`, 'the end of the request line', '9112 3'],
      [
        raw`POST / HTTP/1.1\r\n`,
        'the next header field line, or the empty line that ends them',
        '9112 2.1',
      ],
      [raw`POST / HTTP/1.1\r\nHost`, 'the end of header field line 1', '9112 5'],
      [raw`${HEAD}A: b\r`, 'the end of header field line 2', '9112 5'],
      [raw`${HEAD}\r`, 'the next header field line, or the empty line that ends them', '9112 2.1'],
      [raw`${HEAD}Content-Length: 3\r\n\r\n`, '3 more bytes of the content', '9112 6.2'],
      [raw`${HEAD}Content-Length: 3\r\n\r\nab`, '1 more byte of the content', '9112 6.2'],
      [LINES, 'the end of the chunk line', '9112 7.1'],
      [raw`${LINES}3;a`, 'the end of the chunk line', '9112 7.1'],
      [raw`${LINES}3\r\na`, '2 more bytes of the data of chunk 1', '9112 7.1'],
      [raw`${LINES}3\r\nabc`, 'the CRLF after chunk 1', '9112 7.1'],
      [raw`${LINES}3\r\nabc\r`, 'the CRLF after chunk 1', '9112 7.1'],
      [raw`${LINES}1\r\na\r\n2\r\nb`, '1 more byte of the data of chunk 2', '9112 7.1'],
      [
        raw`${LINES}0\r\n`,
        'the next trailer field line, or the empty line that ends them',
        '9112 2.1',
      ],
      [raw`${LINES}0\r\nA: b\r\nB`, 'the end of trailer field line 2', '9112 5'],
    ] as const) {
      it(`after "${sent.slice(-24)}": ${missing}`, async () => {
        const { trace, client } = await traced();
        client.send(sent);
        expect(await trace.next('wait', 2)).to.include({ missing, section });
      });
    }
    it('nothing where enough bytes have arrived', async () => {
      const { trace, client } = await traced();
      client.send(post(200_000) + 'x'.repeat(200_000));
      await trace.next('turn');
      // The first one was told when the connection was opened, and the last read completed it.
      expect(trace.of('wait').length).to.be.at.most(trace.of('read').length);
    });
    it('the same thing only once', async () => {
      const { trace, client } = await traced();
      client.send('GET');
      await trace.next('wait', 2);
      client.end();
      await trace.next('gone');
      expect(trace.of('wait')).to.have.lengthOf(2);
    });
  });

  describe('what it drops', () => {
    const drop = (bytes: string): string =>
      `c1  drop   ${bytes} after the last answered request: never parsed\n`;
    for (const [what, sent, dropped] of [
      ['bytes after an answer that closes', raw`GET / HTTP/1.0\r\n\r\nabc`, '3 bytes'],
      ['one byte', raw`GET / HTTP/1.0\r\n\r\na`, '1 byte'],
      ['what follows CONNECT', raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\ntunnel`, '6 bytes'],
    ] as const) {
      it(what, async () => {
        expect(await linesFor(sent, 'drop')).to.equal(drop(dropped));
      });
    }
    it('the eleventh request, where it came with the tenth', async () => {
      const { trace, server, client } = await traced({ maxRequests: 10 });
      client.send(GET.repeat(11));
      await finish(server, client);
      expect(trace.lines('drop')).to.equal(drop('27 bytes'));
    });
    it('the eleventh request, where it waits in the queue', async () => {
      const { trace, server, client } = await traced({ maxRequests: 10 });
      const other = await server.client();
      await trace.next('open', 2);
      client.send(GET.repeat(6));
      other.send(GET.repeat(5));
      await finish(server, client, other);
      expect(trace.lines('drop')).to.equal('c1  drop   GET /, complete but never handled\n');
    });
    it('nothing, where nothing was received', async () => {
      const { trace, server, client } = await traced({ maxRequests: 1 });
      client.send(GET);
      await finish(server, client);
      expect(trace.of('drop')).to.deep.equal([]);
    });
  });

  it('the end of our side, and lingering', async () => {
    const { trace, client } = await traced();
    client.send(raw`GET / HTTP/1.0\r\n\r\n`);
    await trace.next('linger');
    client.end();
    await trace.next('gone');
    expect(trace.lines('close', 'linger', 'end', 'gone')).to.equal(
      story(raw`
      c1  close  HTTP/1.0 without "keep-alive" (RFC 9112 section 9.3)
      c1  linger our side is closed: reading on until the client closes, 2 s at most \
                 (RFC 9112 section 9.6)
      c1  end    the client closed its sending side
      c1  gone   the client closed
    `),
    );
  });
  it('lingering at the end of the server, which may wait for less than 2 s', async () => {
    const { trace, server, client } = await traced({ maxRequests: 1 });
    const other = await server.client();
    await trace.next('wait', 2);
    client.send(GET);
    await server.stopped;
    const line =
      'linger our side is closed: reading on until the client closes, ' +
      '0.15 s at most after everything is sent (RFC 9112 section 9.6)\n';
    expect(trace.lines('linger')).to.contain(`c1  ${line}`).and.to.contain(`c2  ${line}`);
    other.end();
  });
  it('no lingering where the client has closed already', async () => {
    expect(await linesFor(GET, 'linger')).to.equal('');
  });
  it('a connection that sends nothing', async () => {
    const { trace, client } = await traced({ requestTimeout: 0.1 });
    await trace.next('linger');
    client.end();
    await trace.next('gone');
    expect(trace.lines().split('\n').slice(2, -1)).to.deep.equal([
      'c1  wait   for a request (RFC 9112 section 2.1), 0.1 s at most',
      'c1  close  no request arrived in time (RFC 9112 section 9.5)',
      'c1  linger our side is closed: reading on until the client closes, 2 s at most ' +
        '(RFC 9112 section 9.6)',
      'c1  end    the client closed its sending side',
      'c1  gone   the client closed',
    ]);
  });
  it('a connection that is refused', async () => {
    const { trace, server } = await traced({ maxConnections: 2 });
    await server.client();
    await trace.next('open', 2);
    await (await server.client()).closed();
    await trace.next('refuse');
    expect(trace.lines('refuse')).to.equal(
      '--  refuse 127.0.0.1:N: limit of 2 open connections reached\n',
    );
  });
  it('the listener: opened and closed', async () => {
    const { trace, server, client } = await traced();
    client.end();
    await trace.next('gone');
    await server.stop();
    expect(trace.lines('listen', 'stop')).to.equal(
      story(raw`
      --  listen port N
      --  stop   asked to stop: the listener closes
      --  stop   everything is closed
    `),
    );
  });

  describe('what it reads and does not use', () => {
    const LINE = 'c1  parse  request line: ';
    for (const [what, request, ...lines] of [
      [
        'the query',
        raw`GET /tasks?a=b?c HTTP/1.1\r\nHost: a\r\n\r\n`,
        `${LINE}GET, origin-form, path "/tasks", HTTP/1.1 (RFC 9112 section 3)`,
        'c1  parse  query "a=b?c" is cut off: only the path counts',
        'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
      ],
      [
        'an empty query',
        raw`GET /? HTTP/1.1\r\nHost: a\r\n\r\n`,
        `${LINE}GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)`,
        'c1  parse  query "" is cut off: only the path counts',
        'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
      ],
      [
        'authority and Host, in absolute-form',
        raw`GET http://b:80/x HTTP/1.1\r\nHost: a\r\n\r\n`,
        `${LINE}GET, absolute-form, path "/x", HTTP/1.1 (RFC 9112 section 3)`,
        'c1  parse  authority "b:80" is put aside: every host has the same paths',
        'c1  parse  1 field line, Host "a" is ignored: the target names the host ' +
          '(RFC 9112 section 3.2.2)',
      ],
      [
        'Host, in authority-form',
        raw`CONNECT b:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
        `${LINE}CONNECT, authority-form, path "b:1", HTTP/1.1 (RFC 9112 section 3)`,
        'c1  parse  1 field line, Host "a" is ignored: the target names the host ' +
          '(RFC 9112 section 3.3)',
      ],
      [
        'no Host, in HTTP/1.0',
        raw`GET / HTTP/1.0\r\nA: b\r\nC: d\r\n\r\n`,
        `${LINE}GET, origin-form, path "/", HTTP/1.0 (RFC 9112 section 3)`,
        'c1  parse  2 field lines, no Host (RFC 9112 section 3.2)',
      ],
      [
        'no Host, in absolute-form',
        raw`GET http://b/ HTTP/1.0\r\n\r\n`,
        `${LINE}GET, absolute-form, path "/", HTTP/1.0 (RFC 9112 section 3)`,
        'c1  parse  authority "b" is put aside: every host has the same paths',
        'c1  parse  0 field lines, no Host (RFC 9112 section 3.2.2)',
      ],
      [
        'a later minor version',
        raw`GET / HTTP/1.2\r\nHost: a\r\n\r\n`,
        `${LINE}GET, origin-form, path "/", HTTP/1.2 (RFC 9112 section 3)`,
        'c1  parse  HTTP/1.2 is read as HTTP/1.1 (RFC 9110 section 6.2)',
        'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
      ],
      [
        'Host in asterisk-form counts',
        raw`OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`,
        `${LINE}OPTIONS, asterisk-form, path "*", HTTP/1.1 (RFC 9112 section 3)`,
        'c1  parse  1 field line, Host "a" (RFC 9112 section 3.2)',
      ],
    ] as const) {
      it(what, async () => {
        expect((await linesFor(request, 'parse')).split('\n')).to.deep.equal([...lines, '']);
      });
    }
    it('trailer fields', async () => {
      const request = raw`${CHUNKED}0\r\nA: b\r\nContent-Length: 9\r\n\r\n`;
      expect((await linesFor(request, 'parse')).split('\n').slice(2, 4)).to.deep.equal([
        'c1  parse  last chunk at 61: 0 bytes of content (RFC 9112 section 7.1)',
        'c1  parse  trailer section, to byte 91: 2 field lines read and dropped: ' +
          'A, Content-Length (RFC 9110 section 6.5.1)',
      ]);
    });
    it('no trailer fields', async () => {
      expect((await linesFor(raw`${CHUNKED}0\r\n\r\n`, 'parse')).split('\n')[3]).to.equal(
        'c1  parse  trailer section, to byte 66: no field lines (RFC 9112 section 7.1)',
      );
    });
  });

  describe('how the content is framed', () => {
    for (const [request, line] of [
      [raw`${post(3)}abc`, '3 bytes of content: Content-Length (RFC 9112 section 6.3, rule 6)'],
      [raw`${post(1)}a`, '1 byte of content: Content-Length (RFC 9112 section 6.3, rule 6)'],
      [post(0), '0 bytes of content: Content-Length (RFC 9112 section 6.3, rule 6)'],
      [
        raw`${CHUNKED}0\r\n\r\n`,
        'content in chunks: "chunked" is the final transfer coding ' +
          '(RFC 9112 section 6.3, rule 4)',
      ],
      [
        GET,
        'no content: neither Content-Length nor Transfer-Encoding ' +
          '(RFC 9112 section 6.3, rule 7)',
      ],
    ] as const) {
      it(line, async () => {
        expect(await linesFor(request, 'frame')).to.equal(`c1  frame  ${line}\n`);
      });
    }
  });

  describe('the route, with the id that was taken and its value', () => {
    for (const [start, route] of [
      ['GET /tasks', 'start -GET-> get -path is "/tasks"-> list = 200'],
      [
        'GET /tasks/3',
        'start -GET-> get -path contains "/tasks/"-> getId ' +
          '-id "3" is 1 to 5-> getTask -task exists-> task = 200',
      ],
      [
        'PUT /tasks/5/x',
        'start -PUT-> put -path contains "/tasks/"-> putId ' +
          '-id "5" is 1 to 5-> putTask -otherwise-> taskNotFound = 404',
      ],
      [
        'DELETE /x/tasks/1',
        'start -DELETE-> delete -path contains "/tasks/"-> deleteId ' +
          '-id "tasks" is not 1 to 5-> invalidId = 400',
      ],
      ['BREW /', 'start -otherwise-> methodNotAllowed = 405'],
    ] as const) {
      it(`of ${start}`, async () => {
        const { trace, client } = await traced();
        await client.ask(start);
        expect(trace.lines('route')).to.equal(`c1  route  ${route}\n`);
      });
    }
    it('but not of a service that does not explain itself', async () => {
      const { trace, client } = await traced({ service: () => ({ status: 200, body: '' }) });
      await client.ask('GET /');
      expect(trace.of('route')).to.deep.equal([]);
      expect(trace.lines('turn')).to.equal('c1  turn   request 1\n');
    });
  });
});

describe('the events of the trace', () => {
  it('have the verbs of their lines as types, with time and connection', async () => {
    const { trace, server, client } = await traced({ maxRequests: 3, maxConnections: 3 });
    client.send(CHUNKED.replace(raw`\r\n\r\n`, raw`\r\nExpect: 100-continue\r\n\r\n`));
    await client.until('100 Continue');
    client.send(raw`1\r\nx\r\n0\r\n\r\n`);
    await trace.next('idle');
    const bad = (await server.client()).send(raw`BAD\r\n`);
    const last = await server.client();
    await last.ask('GET /');
    await (await server.client()).closed();
    last.send(GET + GET);
    await finish(server, client, bad, last);

    const types = new Set(trace.events.map(({ type }) => type));
    expect([...types]).to.have.members([
      'listen',
      'open',
      'read',
      'wait',
      'parse',
      'frame',
      'keep',
      'expect',
      'queue',
      'turn',
      'route',
      'write',
      'idle',
      'reject',
      'close',
      'drop',
      'linger',
      'end',
      'gone',
      'refuse',
      'stop',
    ]);
    for (const event of trace.events) {
      for (const line of trace
        .format(event)
        .split('\n')
        .filter((text) => /^[-c]/.test(text))) {
        expect(line.slice(4, 11).trim(), line).to.equal(event.type);
        expect(line.slice(0, 3).trim()).to.equal(
          event.connection === 0 ? '--' : `c${event.connection}`,
        );
      }
    }
    const times = trace.events.map(({ at }) => at);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(times[0]).to.be.at.least(0);
  });
  it('change nothing: without a sink, the answers are the same', async () => {
    const silent = await (await serve()).client();
    const { client } = await traced();
    for (const start of ['GET /tasks', 'PUT /tasks/4', 'HEAD /', 'GET /tasks/9?x']) {
      expect((await silent.ask(start)).raw).to.equal((await client.ask(start)).raw);
    }
  });
});
