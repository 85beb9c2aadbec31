import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { bytes, raw } from '../support/bytes';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { until } from '../support/notifier';
import { DATE, serve, type TestServer } from '../support/test-server';
import { Trace } from '../support/recorded-trace';

const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const get = (path: string): string => GET.replace('/tasks/1', path);
const post = (content: string): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`;

/** A client of a new server. */
async function newClient(...options: Parameters<typeof serve>): Promise<Client> {
  return (await serve(...options)).client();
}

describe('a connection', () => {
  describe('however the bytes are cut', () => {
    it('answers a request that arrives byte by byte', async () => {
      const client = await newClient();
      const request = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
      for (const byte of bytes(raw`${request}2\r\n{}\r\n0\r\n\r\n`)) {
        client.socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      expect((await client.answer()).status).to.equal(200);
    });
    it('answers a request that is cut in two, at each position', async () => {
      const server = await serve();
      for (let at = 1; at < bytes(GET).length; at += 1) {
        const client = await server.client();
        client.socket.write(bytes(GET).subarray(0, at));
        await new Promise(setImmediate);
        client.socket.write(bytes(GET).subarray(at));
        expect((await client.answer()).status).to.equal(200);
        client.socket.destroy();
      }
    });
  });

  describe('persistence (9112 §9.3)', () => {
    it('HTTP/1.1 stays open, without a Connection field', async () => {
      const client = await newClient();
      for (const path of ['/', '/tasks', '/x']) {
        expect((await client.ask(`GET ${path}`)).fields).to.not.have.property('connection');
      }
    });
    for (const [what, request] of [
      ['"close"', raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`],
      ['HTTP/1.0', raw`GET / HTTP/1.0\r\n\r\n`],
      ['CONNECT', raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`],
    ] as const) {
      it(`${what} closes: the answer says so, and what follows is dropped`, async () => {
        const server = await serve();
        const client = (await server.client()).send(request + GET + GET);
        expect((await client.answer()).fields['connection']).to.equal('close');
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
        expect(server.log).to.have.lengthOf(1);
      });
    }
    it('HTTP/1.0 with "keep-alive" stays open, and the answer says so', async () => {
      const client = await newClient();
      for (let count = 0; count < 2; count += 1) {
        client.send(raw`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
        expect((await client.answer()).fields['connection']).to.equal('keep-alive');
      }
    });
  });

  describe('pipelining (9112 §9.3.2)', () => {
    it('answers in order, whatever the status', async () => {
      const paths = ['/tasks/1', '/tasks/4', '/tasks/x', '/tasks'];
      const client = (await newClient()).send(paths.map(get).join(''));
      expect(await client.statuses(4)).to.deep.equal([200, 404, 400, 200]);
    });
    it('answers the good requests before it rejects the bad one', async () => {
      const bad = raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`;
      const client = (await newClient()).send(get('/tasks/1') + bad + GET);
      expect(await client.statuses(2)).to.deep.equal([200, 400]);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
    it('answers 5,000 requests that are sent at once', async () => {
      const client = (await newClient()).send(GET.repeat(5000));
      expect(new Set(await client.statuses(5000))).to.deep.equal(new Set([200]));
    });
  });

  describe('a rejection', () => {
    it('says why, closes the connection, and is neither logged nor counted', async () => {
      const server = await serve({ maxRequests: 1 });
      const client = (await server.client()).send(raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
      const why =
        'White space between a field name and the colon (required by RFC 9112 ' + 'section 5.1)';
      expect((await client.answer()).raw).to.equal(
        [
          'HTTP/1.1 400 Bad Request',
          'Content-Type: application/json',
          'Content-Length: 105',
          `Date: ${DATE}`,
          'Connection: close',
          '',
          `{"error":"${why}, at byte 20"}`,
        ].join('\r\n'),
      );
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      expect(server.log).to.deep.equal([]);
      expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    });
    it('of a HEAD request has no content', async () => {
      const client = (await newClient()).send(raw`HEAD / HTTP/1.1\r\n\r\n`);
      expect((await client.answer(true)).status).to.equal(400);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
    for (const [status, what, request] of [
      [400, 'a request without Host', raw`GET / HTTP/1.1\r\n\r\n`],
      [408, 'a request that stalls', 'GET'],
      [
        413,
        'content over 1 MiB',
        raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\nx`,
      ],
      [414, 'an endless request line', `GET /${'x'.repeat(9000)}`],
      [417, 'an unknown expectation', raw`GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n`],
      [421, 'a scheme other than http', raw`GET https://a/ HTTP/1.1\r\n`],
      [431, 'an endless header section', raw`GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}`],
      [
        501,
        'a transfer coding other than chunked',
        raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n`,
      ],
      [505, 'HTTP/2.0', raw`GET / HTTP/2.0\r\n`],
    ] as const) {
      it(`with ${status} for ${what} names authority, section and offset`, async () => {
        const options = status === 408 ? { requestTimeout: 0.1 } : {};
        const client = (await newClient(options)).send(request);
        const answer = await client.answer();
        expect(answer.status).to.equal(status);
        const section = raw`RFC \d{4} section [\d.]+`;
        const authority = `(requir|allow)ed by ${section}|our choice: ${section} would allow it`;
        const { error } = JSON.parse(answer.content);
        expect(error).to.match(new RegExp(raw`\((${authority})\), at byte \d+$`));
        expect((await client.closed()).how).to.equal('end');
      });
    }
  });

  describe('100 (Continue) (9110 §10.1.1)', () => {
    const expecting = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;
    const head = raw`${expecting}Content-Length: 2\r\n\r\n`;
    it('is sent to a client that waits for it; the final answer follows the content', async () => {
      const client = (await newClient()).send(head);
      expect(await client.until('\r\n\r\n')).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      expect((await client.send('{}').answer()).status).to.equal(200);
    });
    it('is sent after the answers to earlier requests', async () => {
      const client = (await newClient()).send(GET + head);
      expect((await client.answer()).status).to.equal(200);
      expect((await client.answer(true)).status).to.equal(100);
    });
    it('is not sent where the content is here already', async () => {
      expect((await (await newClient()).send(`${head}{}`).answer()).status).to.equal(200);
    });
    it('is not sent where the content is too large: 413 at once', async () => {
      const client = (await newClient()).send(raw`${expecting}Content-Length: 9999999\r\n\r\n`);
      expect((await client.answer()).status).to.equal(413);
    });
  });

  describe('a client that closes its sending side', () => {
    it('after complete requests gets all answers, then the end (9112 §9.6)', async () => {
      const client = (await newClient()).send(GET.repeat(3)).end();
      expect(await client.statuses(3)).to.deep.equal([200, 200, 200]);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      await client.gone;
    });
    it('after 60,000 bytes of content gets its answer, though they are read in parts', async () => {
      const head = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n`;
      const client = (await newClient()).send(head + 'a'.repeat(60_000)).end();
      expect((await client.answer()).status).to.equal(200);
    });
    for (const [what, behind] of [
      ['nothing', ''],
      ['an empty line', raw`\r\n`],
      ['half an empty line', raw`\r`],
    ] as const) {
      it(`after 5,000 requests and ${what} reads "close" in the last answer`, async () => {
        const client = (await newClient()).send(GET.repeat(5000) + behind).end();
        expect(await client.statuses(4999)).to.have.lengthOf(4999);
        expect((await client.answer()).fields).to.have.property('connection', 'close');
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      });
    }
    for (const wrong of [raw`\n`, raw`\rx`, raw`\r\nGET`]) {
      it(`after 5,000 requests and ${wrong} gets their answers, and 400 for the rest`, async () => {
        const client = (await newClient()).send(GET.repeat(5000) + wrong).end();
        expect(await client.statuses(5001)).to.deep.equal([...Array(5000).fill(200), 400]);
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      });
    }
    it('mid-request reads what is still missing (9112 §8)', async () => {
      const client = (await newClient()).send(raw`GET / HTTP/1.1\r\nHo`).end();
      const { status, content } = await client.answer();
      expect(status).to.equal(400);
      expect(content).to.contain('still missing: the end of header field line 1');
      expect(content).to.contain('at byte 18');
      expect((await client.closed()).how).to.equal('end');
    });
    for (const [what, sent] of [
      ['nothing', ''],
      ['an empty line', raw`\r\n`],
    ] as const) {
      it(`after ${what} gets no answer`, async () => {
        const client = (await newClient()).send(sent).end();
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
      });
    }
  });

  describe('a timeout, to the millisecond', () => {
    /** A server with a timeout that starts right after the `number`th event of a type. */
    async function timed(
      type: 'open' | 'read' | 'turn',
      number: number,
      options: { readonly requestTimeout: number } | { readonly idleTimeout: number },
    ) {
      const [seconds = NaN] = Object.values(options);
      const order: string[] = [];
      const trace = new Trace();
      const sink = (event: TraceEvent): void => {
        trace.sink(event);
        if (event.type === 'close') order.push('close');
        if (event.type !== type || trace.of(type).length !== number) return;
        // Timers of one event loop fire in order, however busy the machine is.
        setImmediate(() => setTimeout(() => order.push('5 ms later'), 1000 * seconds + 5));
      };
      const server = await serve({ ...options, trace: sink });
      const closes = async (): Promise<void> => {
        await until(() => order.includes('5 ms later'));
        expect(order).to.deep.equal(['close', '5 ms later']);
        const [start, close] = [await trace.next(type, number), await trace.next('close')];
        expect(close.at - start.at).to.be.at.least(1000 * seconds - 1);
      };
      return { client: await server.client(), server, trace, closes };
    }

    it('ends a connection that sends nothing', async () => {
      const { client, closes } = await timed('open', 1, { requestTimeout: 0.1 });
      await closes();
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
    it('is not extended by an empty line', async () => {
      const { client, closes } = await timed('open', 1, { requestTimeout: 0.1 });
      setTimeout(() => client.send(raw`\r\n`), 50);
      await closes();
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
    it('ends a connection that is idle after an answer', async () => {
      const { client, closes } = await timed('turn', 1, { idleTimeout: 0.1 });
      await client.ask('GET /');
      await closes();
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
    it('is not extended by single bytes of a request: 408, and others are served', async () => {
      const { client, server, closes } = await timed('read', 1, { requestTimeout: 0.3 });
      const dribble = setInterval(() => client.send('x'), 10);
      await closes().finally(() => clearInterval(dribble));
      expect((await client.answer()).status).to.equal(408);
      expect((await client.closed()).how).to.equal('end');
      expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    });
    it('starts with the first byte of a request, not with an empty line before it', async () => {
      const { client, trace, closes } = await timed('read', 3, { requestTimeout: 0.3 });
      await client.ask('GET /');
      client.send(raw`\r\n`);
      await trace.next('wait', 2);
      setTimeout(() => client.send('GET'), 50);
      await closes();
      expect((await client.answer()).status).to.equal(408);
    });
    it('starts again with each answer', async () => {
      const { client, trace, closes } = await timed('turn', 2, { idleTimeout: 0.3 });
      await client.ask('GET /');
      setTimeout(() => client.send(GET), 50);
      await trace.next('idle', 2);
      await closes();
    });
  });

  describe('lingering (9112 §9.6)', () => {
    it('lets a client that is still sending read its answer', async () => {
      const trace = new Trace();
      const client = (await newClient({ trace: trace.sink })).send(raw`BAD\r\n`);
      const size = 10_000_000;
      client.socket.write(Buffer.alloc(size, 'x'));
      expect((await client.answer()).status).to.equal(400);
      expect((await client.closed()).how).to.equal('end');
      client.end();
      expect((await trace.next('gone')).reason).to.equal('the client closed');
      const dropped = trace.of('drop').reduce((sum, { bytes: count }) => sum + count, 0);
      // The rest of the rejected line is dropped, too.
      expect(dropped - size).to.be.within(0, 5);
    });
    it('lets a client with a large upload read its 413', async () => {
      const client = (await newClient()).send(
        raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n`,
      );
      client.socket.write(Buffer.alloc(9_000_000, 'x'));
      expect((await client.answer()).status).to.equal(413);
      expect((await client.closed()).how).to.equal('end');
      client.end();
      await client.gone;
    });
  });

  describe('a client that does not read its answers', () => {
    const COUNT = 30;
    const REQUEST = bytes(post('x'.repeat(500_000)));
    const service = () => ({ status: 200 as const, body: 'y'.repeat(1_000_000) });
    const stalled = async (server: TestServer, request: Buffer): Promise<Client> => {
      const client = await server.client();
      client.socket.pause();
      client.socket.write(Buffer.concat(Array<Buffer>(COUNT).fill(request)));
      return client;
    };

    it('is paused, delays nobody, and loses no answer', async () => {
      const trace = new Trace();
      const server = await serve({ service, trace: trace.sink });
      const deaf = await stalled(server, REQUEST);
      await trace.next('block');
      const handled = server.log.length;
      const other = await server.client();
      for (let count = 0; count < 5; count += 1) await other.ask('GET /');
      expect(server.log.filter((line) => line.startsWith('POST'))).to.have.lengthOf(handled);
      const received = trace.of('read').reduce((sum, { bytes: { length } }) => sum + length, 0);
      // The blocked request, what is read ahead, and one read that exceeds it.
      expect(received).to.be.lessThan((handled + 1) * REQUEST.length + 3 * 65_536);
      deaf.socket.resume();
      expect(await deaf.statuses(COUNT)).to.deep.equal(Array(COUNT).fill(200));
    });
    it('is given up when it takes longer than a request may', async () => {
      const trace = new Trace();
      const server = await serve({ service, requestTimeout: 0.2, trace: trace.sink });
      await stalled(server, bytes(GET));
      expect(await trace.next('block')).to.include({ seconds: 0.2 });
      await trace.next('gone');
      const [block = '', gone] = trace.lines('block', 'gone').split('\n');
      expect(block).to.match(/^c1 {2}block {2}the client is not reading earlier answers.* 0\.2 s/);
      expect(gone).to.equal(
        'c1  gone   given up: the client did not take its answers within 0.2 s',
      );
    });
  });

  describe('a client that floods the server', () => {
    it('is read at most twice before another client gets its answer', async () => {
      const story: string[] = [];
      const trace = new Trace();
      const server = await serve({
        trace: (event) => {
          if (event.type === 'wait' || event.type === 'write') trace.sink(event);
          if (event.type === 'read') story.push(`c${event.connection} read`);
          if (event.type === 'write') story.push(`c${event.connection} write`);
        },
      });
      const head = raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunks = bytes(raw`1\r\nx\r\n`)
        .toString('latin1')
        .repeat(100_000);
      const flooders: Client[] = [];
      while (flooders.length < 8) flooders.push((await server.client()).send(head));
      const other = await server.client();
      await trace.next('wait', 2 * flooders.length + 1);
      story.length = 0;
      // Everything is sent before the server reads any of it.
      for (const { socket } of flooders) socket.write(chunks);
      other.send(GET);
      await trace.next('write');

      const answered = story.slice(0, story.indexOf('c9 write'));
      const reads = (from: readonly string[], number: number): number =>
        from.filter((entry) => entry === `c${number} read`).length;
      const waited = answered.slice(0, answered.indexOf('c9 read'));
      for (let number = 1; number <= flooders.length; number += 1) {
        expect(reads(waited, number), `reads of c${number} before c9 is read`).to.be.at.most(1);
        expect(reads(answered, number), `reads of c${number} before its answer`).to.be.at.most(2);
      }
    });
  });

  describe('a client that resets the connection does not delay the others', () => {
    for (const [stage, sent] of [
      ['before the first byte', ''],
      ['mid-request', 'GET /'],
      ['with a request in the queue', GET],
      ['with many requests in the queue', GET.repeat(100)],
      ['after a rejection', raw`BAD\r\n`],
      ['in the content', raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx`],
    ] as const) {
      it(stage, async () => {
        const server = await serve();
        const [victim, other] = [await server.client(), await server.client()];
        victim.send(sent);
        other.send(GET);
        victim.reset();
        expect((await other.answer()).status).to.equal(200);
        expect((await other.ask('GET /')).status).to.equal(200);
      });
    }
  });
});
