import { expect } from 'chai';
import { createServer, type Socket } from 'node:net';
import { NaiveProxy, type NaiveProxyOptions } from '../../../src/study/proxy/naive-proxy';
import { bytes, raw } from '../../support/bytes';
import { Client, flood } from '../../support/client';
import { until } from '../../support/notifier';
import { listen, sendForever } from '../../support/probed-servers';
import { serve, type TestServer } from '../../support/test-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const POST = raw`POST / HTTP/1.1\r\nHost: a\r\n`;
const CHUNKED = raw`Transfer-Encoding: chunked\r\n`;
const OK = raw`HTTP/1.1 200 OK\r\n`;
const TOO_LARGE = 'A request exceeds 16384 bytes';
const NONE = raw`HTTP/1.1 204 x\r\n\r\n`;

const running: { stop(): void }[] = [];

/** A proxy in this process, and what it says. */
class TestProxy {
  readonly said: string[] = [];
  private port = 0;

  static async to(port: number, options: Partial<NaiveProxyOptions> = {}) {
    const test = new TestProxy();
    const proxy = new NaiveProxy({
      to: port,
      mistake: undefined,
      timeout: 60,
      tell: (event) => void (event.type === 'say' && test.said.push(event.line)),
      ...options,
    });
    running.push(proxy);
    test.port = await proxy.listen(0);
    return test;
  }

  /** @param sent bytes that it sends at once */
  async client(sent = ''): Promise<Client> {
    return (await Client.connect(this.port)).send(sent);
  }

  async saying(text: string, times = 1): Promise<void> {
    await until(() => this.said.filter((line) => line.includes(text)).length >= times);
  }
}

/** @returns the port of a server that does what a test wants with each connection to it */
const fake = async (onConnection: (socket: Socket) => void): Promise<number> =>
  Number((await listen(createServer(onConnection))).split(':')[1]);

/** A server that sends these bytes for each read. */
const saying = (text: string): Promise<number> =>
  fake((socket) => socket.on('data', () => socket.write(bytes(text))));

/** Counts the connections that a server accepts. */
async function counting(): Promise<TestServer & { readonly opened: () => number }> {
  let opened = 0;
  const trace = ({ type }: { readonly type: string }): void =>
    void (opened += +(type === 'open'));
  return { ...(await serve({ maxRequests: 0, trace })), opened: () => opened };
}

describe('the naive proxy', () => {
  afterEach(() => {
    for (const one of running.splice(0)) one.stop();
  });

  it('gives each client its response over one connection, and says what it does', async () => {
    const server = await counting();
    const proxy = await TestProxy.to(server.port);
    const [first, second] = [await proxy.client(), await proxy.client()];
    const contents = [
      await first.ask('POST /tasks', raw`Content-Length: 5\r\n`, 'hello'),
      await second.ask('GET /x?y'),
      await first.ask('HEAD /'),
      await first.ask('GET /tasks/3'),
    ].map(({ content, status }) => `${status} ${content.slice(0, 7)}`);
    expect(contents).to.deep.equal(['200 {"id":4', '404 {"error', '405 ', '200 {"id":3']);
    expect(server.opened()).to.equal(1);
    expect(proxy.said).to.deep.equal([
      'p1  request 1: POST /tasks, 5 bytes of content by Content-Length',
      'p1  response: 200 OK',
      'p2  request 2: GET /x?y, no content',
      'p2  response: 404 Not Found',
      'p1  request 3: HEAD /, no content',
      'p1  response: 405 Method Not Allowed',
      'p1  request 4: GET /tasks/3, no content',
      'p1  response: 200 OK',
    ]);
  });

  it('shows up to 40 bytes on either side of its cut', async () => {
    const proxy = await TestProxy.to(await saying(NONE), { mistake: 'no-content' });
    const head = raw`GET /ab HTTP/1.1\r\nContent-Length: 40\r\n\r\n`;
    await proxy.client(head + 'x'.repeat(40));
    await proxy.saying('cut: ');
    expect(proxy.said).to.include(`    cut: ${head} | ${'x'.repeat(40)}`);
  });

  it('forwards requests that arrive together in order, and then closes, too', async () => {
    const proxy = await TestProxy.to((await counting()).port);
    const all = [1, 2, 3].map((id) => raw`GET /tasks/${id} HTTP/1.1\r\nHost: a\r\n\r\n`);
    const { how, rest } = await (await proxy.client(all.join(''))).end().closed();
    expect(rest.match(/\{"id":\d/g)).to.deep.equal(['{"id":1', '{"id":2', '{"id":3']);
    expect(how).to.equal('end');
  });

  it('drops a server that sends 100 responses too many', async () => {
    const proxy = await TestProxy.to(await saying(NONE.repeat(1000)));
    await (await proxy.client(GET)).answer();
    await proxy.saying('The server sent more than 100 responses too many');
    expect(proxy.said.filter((line) => line.includes('left over'))).to.have.lengthOf(100);
  });

  describe('with a server that sends some bytes, and then stays or closes', () => {
    // prettier-ignore
    for (const [what, sent, then, status, said] of [
      ['chunks', raw`${OK}${CHUNKED}\r\n3;x=y\r\nabc\r\n0\r\nX: y\r\n\r\n`, 'stay', 200,
        /: 200 OK$/],
      ['no length', raw`${OK}\r\nabc`, 'close', 200, /: 200 OK$/],
      ['100 first', raw`HTTP/1.1 100 Continue\r\n\r\n${NONE}`, 'stay', 100, /: 204 x$/],
      ['hostile text', raw`HTTP/1.1 200 \x1b[31m\x07\x9b\r\n\r\n`, 'close', 200,
        /200 \\x1b\[31m\\x07\\x9b$/],
      ['nothing', '', 'close', 502, /ended before a response; still missing: a response$/],
      ['half a response', raw`${OK}Content-Length: 9\r\n\r\nhalf`, 'close', 502,
        /5 more bytes of the content$/],
      ['garbage', raw`\x1b[31mgarbage\r\n`, 'stay', 502,
        /is no response: A response does not start with "HTTP\/"$/],
      ['a wrong chunk', raw`${OK}${CHUNKED}\r\nx\r\n`, 'stay', 502, /does not start with its size/],
    ] as const) {
      it(`gives ${status} to each of two clients for ${what}`, async () => {
        const port = await fake((socket) =>
          socket.on('data', () => {
            socket.write(bytes(sent));
            if (then === 'close') socket.end();
          }),
        );
        const proxy = await TestProxy.to(port);
        for (const count of [1, 2]) {
          const { rest } = await (await proxy.client(GET)).end().closed();
          if (status === 502) expect(rest).to.match(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
          else expect(rest).to.equal(bytes(sent).toString('latin1'));
          const lines = proxy.said.filter((line) => said.test(line));
          expect(lines, proxy.said.join('\n')).to.have.lengthOf(count);
        }
      });
    }
  });

  it('responds 502 if no server listens, and if the server never stops sending', async () => {
    const endless = await fake((socket) =>
      socket.once('data', () => sendForever('HTTP/1.1 200 OK\r\n')(socket)),
    );
    for (const [to, said] of [
      [1, /No connection to port 1 \(ECONNREFUSED\)$/],
      [endless, /The response exceeds 1048576 bytes/],
    ] as const) {
      const proxy = await TestProxy.to(to);
      expect((await (await proxy.client(GET)).answer()).status).to.equal(502);
      expect(proxy.said.at(-1)).to.match(said);
    }
  });

  it('responds 504 to each client if a response does not come, or has no end', async () => {
    for (const sent of ['', raw`${OK}Content-Length: 2\r\n\r\na`]) {
      const proxy = await TestProxy.to(await saying(sent), { timeout: 0.05 });
      for (let count = 1; count <= 2; count += 1) {
        const client = await proxy.client(GET);
        expect((await client.answer()).status).to.equal(504);
        expect((await client.closed()).how).to.equal('end');
      }
    }
  });

  it('counting in 64 bits, drops a chunk that the server never reads to its end', async () => {
    const endless = raw`${POST}${CHUNKED}\r\n100000000000000\r\nhe`;
    const proxy = await TestProxy.to(await fake((socket) => socket.pause()), {
      mistake: '64-bit',
    });
    const { socket } = await proxy.client(endless);
    sendForever('')(socket);
    await proxy.saying('The server does not read the request');
    socket.destroy();
  });

  it('counting in 64 bits, goes on with a chunk of which much came before its turn', async () => {
    let connection: Socket | undefined;
    let received = 0;
    const port = await fake((socket) => {
      connection = socket.on('data', ({ length }) => (received += length));
    });
    const proxy = await TestProxy.to(port, { mistake: '64-bit' });
    await proxy.client(GET);
    await until(() => received > 0);
    const endless = raw`${POST}${CHUNKED}\r\n100000000000000\r\n${'x'.repeat(1_000_000)}`;
    await proxy.client(endless);
    await proxy.saying('request 2');
    connection?.write(bytes(NONE));
    await until(() => received > 1_000_000);
  });

  it('counting in 64 bits, closes a client that it has answered too early', async () => {
    const proxy = await TestProxy.to(await saying(NONE), {
      mistake: '64-bit',
      timeout: 600,
    });
    const client = await proxy.client(raw`${POST}${CHUNKED}\r\n100000000000000\r\nhe`);
    expect((await client.closed()).how).to.equal('end');
  });

  describe('with a client that is no help', () => {
    // prettier-ignore
    for (const [what, sent, status, reason] of [
      ['a DELETE', raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`, '403 Forbidden',
        'No DELETE gets through'],
      ['what can be read in two ways', raw`GET / HTTP/1.1\r\nX : y\r\n\r\n`, '400 Bad Request',
        'There is white space before a colon'],
      ['half a request', 'GET', '400 Bad Request', 'The request is not complete'],
      ['endless header', 'a'.repeat(1_000_000), '431 Request Header Fields Too Large', TOO_LARGE],
      ['a length of 16 KB', raw`${POST}Content-Length: 16384\r\n\r\n`, '413 Content Too Large',
        TOO_LARGE],
      ['a chunk of 16 KB', raw`${POST}${CHUNKED}\r\n4000\r\n`, '413 Content Too Large', TOO_LARGE],
    ] as const) {
      it(`forwards nothing of ${what}: ${status}`, async () => {
        const proxy = await TestProxy.to(1);
        const client = (await proxy.client(sent)).end();
        expect(`${(await client.answer()).status}`).to.equal(status.slice(0, 3));
        expect(proxy.said.at(-1)).to.equal(`p1  ${status}, by the proxy: ${reason}`);
      });
    }

    it('shows no control character and no long target of a client', async () => {
      const proxy = await TestProxy.to(1);
      await proxy.client(
        raw`GET /\x80\x9b31m${'a'.repeat(5000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      await proxy.saying('request 1');
      const line = /^p1 {2}request 1: GET \/\\x80\\x9b31ma{50,60}\.\.\., no/;
      expect(proxy.said[0]).to.match(line);
    });

    it('closes without a request in silence, and responds 408 to half of one', async () => {
      const proxy = await TestProxy.to(await saying(NONE), { timeout: 0.05 });
      const [done, idle] = [(await proxy.client()).end(), await proxy.client()];
      for (const client of [done, idle])
        expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      expect((await (await proxy.client('GET')).answer()).status).to.equal(408);
    });

    it('reads what has arrived before it gives a client up', async () => {
      const proxy = await TestProxy.to(await saying(NONE), { timeout: 0.05 });
      const client = await proxy.client(GET);
      await client.answer();
      client.send(GET);
      const end = performance.now() + 100;
      while (performance.now() < end); // as long as the process is busy, nothing is read
      expect((await client.answer()).status).to.equal(204);
    });

    it('drops the response to a client that has gone, and its request', async () => {
      let connection: Socket | undefined;
      let received = '';
      const port = await fake((socket) => {
        connection = socket.on('data', (data) => (received += data.toString('latin1')));
      });
      const proxy = await TestProxy.to(port);
      const ask = (number: number): Promise<Client> =>
        proxy.client(raw`GET /${number} HTTP/1.1\r\n\r\n`);
      const first = await ask(1);
      await until(() => received.includes('/1'));
      const second = await ask(2);
      await proxy.saying('request 2');
      first.reset();
      second.reset();
      await Promise.all([first.gone, second.gone]);
      const third = await ask(3);
      await proxy.saying('request 3');
      connection?.write(bytes(raw`HTTP/1.1 204 for 1\r\n\r\n`));
      await until(() => received.includes('/3'));
      connection?.write(bytes(raw`HTTP/1.1 204 for 3\r\n\r\n`));
      expect(await third.until('\r\n\r\n')).to.include('204 for 3');
      expect(proxy.said).to.include('p1  response: 204 for 1, but the client is gone');
      expect(received).to.not.include('/2');
    });

    it('drops a client that never reads', async () => {
      const service = () => ({ status: 200, body: 'x'.repeat(10_000) }) as const;
      const server = await serve({ maxRequests: 0, service });
      const client = await (await TestProxy.to(server.port)).client();
      flood(client.socket.pause(), bytes(GET.repeat(1000)));
      await client.gone;
    });
  });
});
