import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { NaiveProxy, type NaiveProxyOptions } from '../../../src/study/proxy/naive-proxy';
import { bytes, raw } from '../../support/bytes';
import { Client, CLOSED_IN_SILENCE } from '../../support/client';
import { until } from '../../support/notifier';
import { serve, type TestServer } from '../../support/test-server';

const running: { stop(): void }[] = [];

/** A proxy in this process, and what it says. */
class TestProxy {
  readonly said: string[] = [];
  private port = 0;

  static async to(
    port: number,
    options: Partial<NaiveProxyOptions> = {},
  ): Promise<TestProxy> {
    const test = new TestProxy();
    const say = (line: string): void => void test.said.push(line);
    const proxy = new NaiveProxy({
      to: port,
      mistake: undefined,
      timeout: 60,
      say,
      ...options,
    });
    running.push(proxy);
    test.port = await proxy.listen(0);
    return test;
  }

  client(): Promise<Client> {
    return Client.connect(this.port);
  }

  async saying(text: string, times = 1): Promise<void> {
    await until(() => this.said.filter((line) => line.includes(text)).length >= times);
  }
}

/** Time that passes when a test says so. */
class Timers {
  private readonly pending = new Set<readonly [number, () => void]>();

  readonly after = (milliseconds: number, act: () => void): (() => void) => {
    const timer = [milliseconds, act] as const;
    this.pending.add(timer);
    return () => this.pending.delete(timer);
  };

  /** Lets that time pass for whatever waits for exactly so long. */
  pass(milliseconds: number): void {
    for (const timer of [...this.pending]) {
      if (timer[0] === milliseconds && this.pending.delete(timer)) timer[1]();
    }
  }
}

/** A server that does what a test wants with each connection to it. */
async function fake(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  running.push({ stop });
  return (server.address() as AddressInfo).port;
}

/** A server that sends these bytes for each read. */
function fakeSaying(text: string): Promise<number> {
  return fake((socket) => socket.on('data', () => socket.write(bytes(text))));
}

/** Counts the connections that a server accepts. */
async function counting(): Promise<TestServer & { readonly opened: () => number }> {
  let opened = 0;
  const server = await serve({
    maxRequests: 0,
    trace: ({ type }) => (opened += +(type === 'open')),
  });
  return { ...server, opened: () => opened };
}

describe('the naive proxy', () => {
  afterEach(() => {
    for (const one of running.splice(0)) one.stop();
  });

  it('the proxy gives each of two clients its response, over one connection', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const [first, second] = [await proxy.client(), await proxy.client()];
    const responses = await Promise.all([
      first.ask('GET /tasks/1'),
      second.ask('GET /tasks/2'),
    ]);
    expect(responses.map(({ content }) => content.slice(0, 7))).to.deep.equal([
      '{"id":1',
      '{"id":2',
    ]);
    expect((await first.ask('GET /tasks/3')).content).to.match(/^\{"id":3/);
    expect(server.opened()).to.equal(1);
    expect(server.log).to.deep.equal(['GET /tasks/1', 'GET /tasks/2', 'GET /tasks/3']);
  });

  it('the proxy says each request, how it framed it, and who got which response', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const client = await proxy.client();
    await client.ask('POST /tasks', raw`Content-Length: 5\r\n`, 'hello');
    await client.ask('GET /x?y');
    expect(proxy.said).to.deep.equal([
      'c1  request 1: POST /tasks, 5 bytes of content by Content-Length',
      'c1  response: 200 OK',
      'c1  request 2: GET /x?y, no content',
      'c1  response: 404 Not Found',
    ]);
  });

  it('the proxy closes a client that has its response before all of its request', async () => {
    const port = await fakeSaying(raw`HTTP/1.1 204 No Content\r\n\r\n`);
    const proxy = await TestProxy.to(port, { mistake: '64-bit' });
    const client = await proxy.client();
    const endless = raw`Transfer-Encoding: chunked\r\n\r\nfffffffffffffff0\r\nhe`;
    client.send(raw`POST / HTTP/1.1\r\nHost: a\r\n${endless}`);
    expect((await client.answer()).status).to.equal(204);
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
  });

  it('the proxy says where it cuts the bytes, and where others would', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port, { mistake: 'content-length' });
    const client = await proxy.client();
    const next = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
    await client.ask(
      'POST /tasks',
      raw`Content-Length: 32\r\nTransfer-Encoding: chunked\r\n`,
      raw`0\r\n\r\n${next}GET /next`,
    );
    await proxy.saying('response');
    expect(proxy.said.slice(0, 5)).to.deep.equal([
      'c1  request 1: POST /tasks, 32 bytes of content by Content-Length',
      '    mistake: it goes by Content-Length and ignores Transfer-Encoding',
      raw`    cut: ...nked\r\n\r\n0\r\n\r\n${next} | GET /next`,
      raw`    or:  ... 32\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n | ${next}GET /next`,
      '         for a reader that goes by Transfer-Encoding and ignores Content-Length',
    ]);
  });

  it('the proxy lets no DELETE through', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const client = await proxy.client();
    expect((await client.ask('DELETE /tasks/1')).status).to.equal(403);
    expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    expect(server.log).to.deep.equal([]);
    expect(proxy.said).to.include(
      'c1  403 Forbidden, by the proxy: No DELETE gets through',
    );
  });

  it('the proxy rejects what can be read in two ways, and forwards none of it', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const client = await proxy.client();
    expect((await client.ask('GET /', raw`X : y\r\n`)).status).to.equal(400);
    expect(server.log).to.deep.equal([]);
  });

  it('the proxy forwards requests that arrive together in order', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const client = await proxy.client();
    for (const id of [1, 2, 3])
      client.send(raw`GET /tasks/${id} HTTP/1.1\r\nHost: a\r\n\r\n`);
    client.end();
    const { how, rest } = await client.closed();
    expect(rest.match(/\{"id":\d/g)).to.deep.equal(['{"id":1', '{"id":2', '{"id":3']);
    expect(how).to.equal('end');
  });

  it('the proxy connects again where the server closes after its response', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    for (const id of [1, 2]) {
      const client = await proxy.client();
      const { content } = await client.ask(`GET /tasks/${id}`, raw`Connection: close\r\n`);
      expect(content).to.match(new RegExp(`^\\{"id":${id}`));
      expect((await client.closed()).how).to.equal('end');
    }
    expect(server.opened()).to.equal(2);
  });

  it('the proxy gives a response that nobody waits for to the next client', async () => {
    const one = raw`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n`;
    const port = await fakeSaying(raw`${one}a${one}b`);
    const proxy = await TestProxy.to(port);
    const first = await proxy.client();
    expect((await first.ask('GET /')).content).to.equal('a');
    await proxy.saying('left over');
    const second = await proxy.client();
    expect((await second.ask('GET /')).content).to.equal('b');
    await proxy.saying('left over', 3);
    expect(proxy.said.slice(2)).to.deep.equal([
      '--  left over: 200 OK, for the next client',
      'c2  request 2: GET /, no content',
      'c2  response: 200 OK (left over)',
      '--  left over: 200 OK, for the next client',
      '--  left over: 200 OK, for the next client',
    ]);
  });

  it('the proxy gives what is left over in its order, an interim response too', async () => {
    const one = raw`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n`;
    const port = await fakeSaying(raw`${one}aHTTP/1.1 100 x\r\n\r\n${one}b`);
    const proxy = await TestProxy.to(port);
    await (await proxy.client()).ask('GET /');
    await proxy.saying('left over', 2);
    const second = await proxy.client();
    second.send(raw`GET / HTTP/1.1\r\n\r\n`);
    await proxy.saying('left over', 4);
    expect(proxy.said.slice(5, 7)).to.deep.equal([
      'c2  response: 100 x (left over)',
      'c2  response: 200 OK (left over)',
    ]);
  });

  it('the proxy keeps such a response when the server closes the connection', async () => {
    const one = raw`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n`;
    const port = await fake((socket) => {
      socket.once('data', () => socket.end(bytes(raw`${one}a${one}b`)));
    });
    const proxy = await TestProxy.to(port);
    const first = await proxy.client();
    expect((await first.ask('GET /')).content).to.equal('a');
    await proxy.saying('left over');
    first.end();
    await first.gone;
    const second = await proxy.client();
    expect((await second.ask('GET /')).content).to.equal('b');
  });

  for (const [what, response] of [
    ['in chunks', raw`Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX: y\r\n\r\n`],
    ['without content', raw`Content-Length: 0\r\n\r\n`],
  ] as const) {
    it(`the proxy passes on a response ${what}, and knows where it ends`, async () => {
      const proxy = await TestProxy.to(
        await fakeSaying(raw`HTTP/1.1 200 OK\r\n${response}`),
      );
      const client = await proxy.client();
      client.send(raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`).end();
      const { rest } = await client.closed();
      expect(rest).to.equal(bytes(raw`HTTP/1.1 200 OK\r\n${response}`).toString());
      expect(proxy.said.slice(1)).to.deep.equal(['c1  response: 200 OK']);
    });
  }

  it('the proxy passes on the response to HEAD, and 100 (Continue)', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const client = await proxy.client();
    expect((await client.ask('HEAD /')).status).to.equal(405);
    expect((await client.ask('GET /')).status).to.equal(200);
    const interim = raw`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`;
    const other = await TestProxy.to(await fakeSaying(interim));
    expect(
      await (await other.client()).send(raw`GET / HTTP/1.1\r\n\r\n`).statuses(2),
    ).to.deep.equal([100, 204]);
    expect(other.said.slice(1)).to.deep.equal([
      'c1  response: 100 Continue',
      'c1  response: 204 No Content',
    ]);
  });

  describe('with a server that is no help', () => {
    const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;

    /** Sends a request, and expects that the proxy responds to it and to a second
     * client. */
    async function expectStatus(port: number, status: number, said: RegExp): Promise<void> {
      const timers = new Timers();
      const proxy = await TestProxy.to(port, { after: timers.after });
      for (let count = 1; count <= 2; count += 1) {
        const client = await proxy.client();
        client.send(GET);
        if (status === 504) {
          await proxy.saying(`request ${count}:`);
          timers.pass(60_000);
        }
        expect((await client.answer()).status).to.equal(status);
        expect((await client.closed()).how).to.equal('end');
      }
      expect(proxy.said.filter((line) => said.test(line))).to.have.lengthOf(2);
    }

    it('the proxy responds 502 if no server listens', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      server.close();
      await once(server, 'close');
      await expectStatus(port, 502, /No connection to port \d+ \(ECONNREFUSED\)$/);
    });
    it('the proxy responds 502 if the server closes', async () => {
      const port = await fake((socket) => socket.on('data', () => socket.end()));
      await expectStatus(port, 502, /closed the connection before its response$/);
    });
    it('the proxy says what it got of a response that the server cuts', async () => {
      const half = raw`HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf`;
      const proxy = await TestProxy.to(
        await fake((socket) => socket.on('data', () => socket.end(bytes(half)))),
      );
      expect((await (await proxy.client()).send(GET).answer()).status).to.equal(502);
      expect(proxy.said.at(-1)).to.equal(
        'c1  502 Bad Gateway, by the proxy: The server closed the connection inside a ' +
          `response: only 42 bytes came, ${half}`,
      );
    });
    it('the proxy responds 502 to endless interim responses', async () => {
      const port = await fakeSaying(raw`HTTP/1.1 100 x\r\n\r\n`.repeat(11));
      const proxy = await TestProxy.to(port);
      const client = await proxy.client();
      const answers = client.send(GET).statuses(12);
      expect(await answers).to.deep.equal([...Array<number>(11).fill(100), 502]);
    });
    it('the proxy drops a server that sends 100 responses too many', async () => {
      const none = raw`HTTP/1.1 204 x\r\n\r\n`;
      const proxy = await TestProxy.to(await fakeSaying(none.repeat(1000)));
      await (await proxy.client()).send(GET).answer();
      await proxy.saying('The server sent more than 100 responses too many');
      expect(proxy.said.filter((line) => line.includes('left over'))).to.have.lengthOf(100);
    });
    it('the proxy prints at most 1000 lines within a second', async () => {
      const timers = new Timers();
      const proxy = await TestProxy.to(await fakeSaying(raw`HTTP/1.1 204 x\r\n\r\n`), {
        after: timers.after,
      });
      const client = await proxy.client();
      client.send(GET.repeat(600));
      for (let count = 0; count < 600; count += 1) await client.answer();
      expect(proxy.said).to.have.lengthOf(1000);
      timers.pass(1000);
      const last = proxy.said.at(-1) ?? '';
      expect(last).to.match(/^-- {2}\d+ more lines within a second$/);
      expect(Number(last.split(' ')[2])).to.be.at.least(200);
    });
    it('the proxy responds 504 if the server says nothing', async () => {
      await expectStatus(await fakeSaying(''), 504, /did not respond in time$/);
    });
    it('the proxy responds 504 if the response has no end', async () => {
      const port = await fakeSaying(raw`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na`);
      await expectStatus(
        port,
        504,
        /did not respond in time(: only \d+ bytes came, HTTP.*)?$/,
      );
    });
    // prettier-ignore
    for (const [what, text, said] of [
      ['garbage', raw`\x1b[31mgarbage\r\n`,
        /no response \(A response does not start with.*: \\x1b\[31mgarbage\\r\\n$/],
      ['HTTP/2', raw`HTTP/2 200\r\n`, /no response \(.*: HTTP/],
      ['a wrong status', raw`HTTP/1.1 20\r\nContent-Length: 0\r\n\r\n`,
        /no response \(.*status.*: HTTP/],
      ['no length', raw`HTTP/1.1 200 OK\r\n\r\nabc`, /does not say how long it is$/],
      ['wrong chunks', raw`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n`,
        /A chunk does not start with its size/],
      ['a response of 1 GB', raw`HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n`,
        /exceeds/],
    ] as const) {
      it(`the proxy responds 502 if the server sends ${what}`, async () => {
        await expectStatus(await fakeSaying(text), 502, said);
      });
    }
    it('the proxy responds 502 if the server never stops sending', async () => {
      const port = await fake((socket) => {
        const more = (): void => {
          while (
            !socket.destroyed &&
            socket.write(`HTTP/1.1 200 OK\r\n${'x'.repeat(65_536)}`)
          );
        };
        socket.on('data', more).on('drain', more);
      });
      await expectStatus(port, 502, /The response exceeds 1048576 bytes/);
    });
    it('the proxy responds 502 if the server does not read a chunk without an end', async () => {
      const port = await fake((socket) => socket.pause());
      const proxy = await TestProxy.to(port, { mistake: '64-bit' });
      const client = await proxy.client();
      client.send(
        raw`POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n100000000000000\r\n`,
      );
      const piece = Buffer.alloc(1_048_576);
      const more = (): void => {
        while (!client.socket.destroyed && client.socket.write(piece));
      };
      client.socket.on('drain', more);
      more();
      await proxy.saying('The server does not read the request');
      client.socket.destroy();
    });
    it('the proxy shows no control character of the server', async () => {
      const port = await fakeSaying(
        raw`HTTP/1.1 200 \x1b[31m\x07\x9b\r\nContent-Length: 0\r\n\r\n`,
      );
      const proxy = await TestProxy.to(port);
      const client = await proxy.client();
      await client.send(GET).answer();
      expect(proxy.said.at(-1)).to.equal(raw`c1  response: 200 \x1b[31m\x07\x9b`);
    });
  });

  describe('with a client that is no help', () => {
    it('the proxy shows no control character and no long target of a client', async () => {
      const proxy = await TestProxy.to(1);
      const client = await proxy.client();
      client.send(raw`GET /\x80\x9b31m${'a'.repeat(5000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
      await proxy.saying('request 1');
      expect(proxy.said[0]).to.match(
        /^c1 {2}request 1: GET \/\\x80\\x9b31ma{50,60}\.\.\., no/,
      );
    });
    it('the proxy closes a connection without a request in silence', async () => {
      const timers = new Timers();
      const proxy = await TestProxy.to(1, { after: timers.after });
      const idle = await proxy.client();
      const done = await proxy.client();
      expect(await done.end().closed()).to.deep.equal({ how: 'end', rest: '' });
      timers.pass(60_000);
      expect(await idle.closed()).to.deep.equal({ how: 'end', rest: '' });
      expect(proxy.said).to.deep.equal([]);
    });
    it('the proxy responds 408 to a request that does not end', async () => {
      const timers = new Timers();
      const proxy = await TestProxy.to(await fakeSaying(raw`HTTP/1.1 204 x\r\n\r\n`), {
        after: timers.after,
      });
      const client = await proxy.client();
      // When the response to the first request is here, the proxy has the bytes after it.
      client.send(raw`GET / HTTP/1.1\r\n\r\nGET`);
      expect((await client.answer()).status).to.equal(204);
      timers.pass(60_000);
      expect((await client.answer()).status).to.equal(408);
    });
    it('the proxy responds 400 to a client that ends in the middle of a request', async () => {
      const proxy = await TestProxy.to(1);
      expect((await (await proxy.client()).send('GET').end().answer()).status).to.equal(
        400,
      );
    });
    it('the proxy responds 431 to a header section that is too long', async () => {
      const proxy = await TestProxy.to(1);
      const client = await proxy.client();
      client.socket.write('a'.repeat(1_000_000));
      expect((await client.answer()).status).to.equal(431);
      client.socket.destroy();
    });
    it('the proxy responds 413 to content that is too long', async () => {
      const proxy = await TestProxy.to(1);
      const client = await proxy.client();
      client.send(raw`POST / HTTP/1.1\r\nContent-Length: 20000\r\n\r\n`);
      expect((await client.answer()).status).to.equal(413);
      expect(proxy.said).to.deep.equal([
        'c1  413 Content Too Large, by the proxy: A request exceeds 16384 bytes',
      ]);
    });
    it('the proxy drops the response to a client that has gone', async () => {
      let connection: Socket | undefined;
      let received = '';
      const port = await fake((socket) => {
        connection = socket.on('data', (data) => (received += data.toString('latin1')));
      });
      const proxy = await TestProxy.to(port);
      const [first, second, third] = [
        await proxy.client(),
        await proxy.client(),
        await proxy.client(),
      ];
      first.send(raw`GET /1 HTTP/1.1\r\n\r\n`);
      await until(() => received.includes('/1'));
      second.send(raw`GET /2 HTTP/1.1\r\n\r\n`);
      await proxy.saying('request 2');
      first.reset();
      second.reset();
      await Promise.all([first.gone, second.gone]);
      third.send(raw`GET /3 HTTP/1.1\r\n\r\n`);
      await proxy.saying('request 3');
      connection?.write(bytes(raw`HTTP/1.1 204 for 1\r\n\r\n`));
      await until(() => received.includes('/3'));
      connection?.write(bytes(raw`HTTP/1.1 204 for 3\r\n\r\n`));
      expect(await third.until('\r\n\r\n')).to.include('204 for 3');
      expect(proxy.said).to.include('c1  response: 204 for 1, but the client is gone');
      expect(received).to.not.include('/2');
    });
    it('the proxy drops a client that never reads', async () => {
      const server = await serve({
        maxRequests: 0,
        service: () => ({ status: 200, body: 'x'.repeat(10_000) }),
      });
      const proxy = await TestProxy.to(server.port);
      const client = await proxy.client();
      client.socket.pause();
      const requests = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(1000);
      const more = (): void => {
        while (!client.socket.destroyed && client.socket.write(bytes(requests)));
      };
      client.socket.on('drain', more);
      more();
      await client.gone;
    });
  });
});
