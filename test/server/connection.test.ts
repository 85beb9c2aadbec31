import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { bytes, raw } from '../support/bytes';
import { CLOSED_IN_SILENCE, type Client } from '../support/client';
import { DATE, serve } from '../support/test-server';

const GET = raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const get = (path: string): string => GET.replace('/tasks/1', path);

/** A client of a new server. */
async function newClient(...options: Parameters<typeof serve>): Promise<Client> {
  return (await serve(...options)).client();
}
describe('a connection', () => {
  describe('however the bytes are cut', () => {
    it('a request that arrives byte by byte gets its response', async () => {
      const client = await newClient();
      const request = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;
      for (const byte of bytes(raw`${request}2\r\n{}\r\n0\r\n\r\n`)) {
        client.socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      expect((await client.answer()).status).to.equal(200);
    });
    it('a request that is cut in two gets its response, wherever it is cut', async () => {
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
    it('after HTTP/1.1, the connection stays open, without a Connection field', async () => {
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
      it(`after ${what}, the connection closes, and what follows is dropped`, async () => {
        const server = await serve();
        const client = (await server.client()).send(request + GET + GET);
        expect((await client.answer()).fields['connection']).to.equal('close');
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
        expect(server.log).to.have.lengthOf(1);
      });
    }
    it('after HTTP/1.0 with "keep-alive", the connection stays open', async () => {
      const client = await newClient();
      for (let count = 0; count < 2; count += 1) {
        client.send(raw`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
        expect((await client.answer()).fields['connection']).to.equal('keep-alive');
      }
    });
  });

  describe('pipelining (9112 §9.3.2)', () => {
    it('pipelined requests get their responses in order, whatever the status', async () => {
      const paths = ['/tasks/1', '/tasks/4', '/tasks/x', '/tasks'];
      const client = (await newClient()).send(paths.map(get).join(''));
      expect(await client.statuses(4)).to.deep.equal([200, 404, 400, 200]);
    });
    it('the good requests before a bad one get their responses before the rejection', async () => {
      const bad = raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`;
      const client = (await newClient()).send(get('/tasks/1') + bad + GET);
      expect(await client.statuses(2)).to.deep.equal([200, 400]);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
    it('a response does not wait until the client has acknowledged the one before', async () => {
      let onRead = (): void => {};
      const trace = ({ type }: TraceEvent): void => void (type === 'read' && onRead());
      const client = await newClient({ trace });
      const times: number[] = [];
      while (times.length < 15) {
        const start = performance.now();
        // The second request leaves before the first response is written, and is read after that.
        onRead = () => {
          onRead = () => {};
          client.send(GET);
        };
        client.send(GET);
        await client.statuses(2);
        times.push(performance.now() - start);
      }
      // Without noDelay, the second response waits for the acknowledgement, which the client's
      // system delays: by 40 ms on Linux, except at the start of a connection.
      expect(Math.min(...times.slice(5))).to.be.below(20);
    });
    it('5,000 requests that are sent at once get their responses', async () => {
      const client = (await newClient()).send(GET.repeat(5000));
      expect(new Set(await client.statuses(5000))).to.deep.equal(new Set([200]));
    });
  });

  describe('a rejection', () => {
    it('a rejection says why, closes, and is neither logged nor counted', async () => {
      const server = await serve({ maxRequests: 1 });
      const client = (await server.client()).send(raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
      const why =
        'White space between a field name and the colon (required by RFC 9112 ' +
        'section 5.1)';
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
    it('the rejection of a HEAD request has no content', async () => {
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
      it(`the ${status} for ${what} names authority, section and offset`, async () => {
        const options = status === 408 ? { requestTimeout: 0.1 } : {};
        const client = (await newClient(options)).send(request);
        const answer = await client.answer();
        expect(answer.status).to.equal(status);
        const section = raw`RFC \d{4} section [\d.]+`;
        const choice = `our choice: ${section} (would allow it|defines the status)`;
        const authority = `(requir|allow)ed by ${section}|${choice}`;
        const { error } = JSON.parse(answer.content);
        expect(error).to.match(new RegExp(raw`\((${authority})\), at byte \d+$`));
        expect((await client.closed()).how).to.equal('end');
      });
    }
  });

  describe('100 (Continue) (9110 §10.1.1)', () => {
    const expecting = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n`;
    const head = raw`${expecting}Content-Length: 2\r\n\r\n`;
    it('100 is sent to a client that waits for it, before the final response', async () => {
      const client = (await newClient()).send(head);
      expect(await client.until('\r\n\r\n')).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      expect((await client.send('{}').answer()).status).to.equal(200);
    });
    it('100 is sent after the responses to earlier requests', async () => {
      const client = (await newClient()).send(GET + head);
      expect((await client.answer()).status).to.equal(200);
      expect((await client.answer(true)).status).to.equal(100);
    });
    it('100 is not sent where the content is here already', async () => {
      expect((await (await newClient()).send(`${head}{}`).answer()).status).to.equal(200);
    });
    it('100 is not sent where the content is behind a head of 16,384 bytes', async () => {
      const client = await newClient();
      const start = raw`${expecting}Content-Length: 3\r\nA: `;
      const end = raw`\r\n\r\n`;
      const field = 'x'.repeat(16_384 - bytes(start + end).length);
      client.send(start + field + end + 'abc');
      expect((await client.answer()).status).to.equal(200);
    });
    it('100 is not sent where the content is too large, but 413 at once', async () => {
      const client = (await newClient()).send(
        raw`${expecting}Content-Length: 9999999\r\n\r\n`,
      );
      expect((await client.answer()).status).to.equal(413);
    });
  });
});
