import { expect } from 'chai';
import type { Client } from '../support/client';
import { octets } from '../support/octets';
import { serve } from '../support/server';

const GET = String.raw`GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const get = (path: string): string => GET.replace('/tasks/1', path);
const statuses = async (client: Client, count: number): Promise<number[]> => {
  const found: number[] = [];
  while (found.length < count) found.push((await client.answer()).status);
  return found;
};

describe('a connection', () => {
  describe('however the octets are cut', () => {
    it('answers a request that comes octet by octet', async () => {
      const client = await (await serve()).client();
      for (const octet of octets(String.raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)) {
        client.socket.write(Buffer.of(octet));
        await new Promise(setImmediate);
      }
      expect((await client.answer()).status).to.equal(200);
    });
    it('answers a request cut at each position', async () => {
      const server = await serve();
      for (let at = 1; at < octets(GET).length; at += 1) {
        const client = await server.client();
        client.socket.write(octets(GET).subarray(0, at));
        await new Promise(setImmediate);
        client.socket.write(octets(GET).subarray(at));
        expect((await client.answer()).status).to.equal(200);
        client.socket.destroy();
      }
    });
  });

  describe('9112 §9.3 persistence', () => {
    it('HTTP/1.1 stays open, and says nothing of it', async () => {
      const client = await (await serve()).client();
      for (const path of ['/', '/tasks', '/x']) expect((await client.ask(`GET ${path}`)).fields).to.not.have.property('connection');
    });
    for (const [what, request] of [
      ['"close"', String.raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`],
      ['HTTP/1.0', String.raw`GET / HTTP/1.0\r\n\r\n`],
      ['CONNECT', String.raw`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`],
    ] as const) {
      it(`${what} closes, and the answer says so; what follows is dropped`, async () => {
        const server = await serve();
        const client = (await server.client()).send(request + GET + GET);
        expect((await client.answer()).fields['connection']).to.equal('close');
        expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
        expect(server.log).to.have.lengthOf(1);
      });
    }
    it('HTTP/1.0 with keep-alive stays open, and the answer says so', async () => {
      const client = await (await serve()).client();
      for (let count = 0; count < 2; count += 1) {
        client.send(String.raw`GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`);
        expect((await client.answer()).fields['connection']).to.equal('keep-alive');
      }
    });
  });

  describe('9112 §9.3.2 pipelining', () => {
    it('answers in order, whatever the status', async () => {
      const server = await serve();
      const client = (await server.client()).send(get('/tasks/1') + get('/tasks/4') + get('/tasks/x') + get('/tasks'));
      expect(await statuses(client, 4)).to.deep.equal([200, 404, 400, 200]);
    });
    it('answers what is good before it refuses what is bad', async () => {
      const client = (await (await serve()).client()).send(get('/tasks/1') + String.raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n` + GET);
      expect(await statuses(client, 2)).to.deep.equal([200, 400]);
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    });
    it('answers 5,000 requests sent in one go', async () => {
      const client = (await (await serve()).client()).send(GET.repeat(5000));
      expect(new Set(await statuses(client, 5000))).to.deep.equal(new Set([200]));
    });
  });

  describe('a refusal', () => {
    it('explains itself, closes, and is neither logged nor counted', async () => {
      const server = await serve({ maxRequests: 1 });
      const client = (await server.client()).send(String.raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
      expect((await client.answer()).raw).to.equal(
        'HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: 93\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nConnection: close\r\n\r\n' +
          '{"error":"White space between a field name and the colon (RFC 9112 section 5.1), at byte 20"}',
      );
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      expect(server.log).to.deep.equal([]);
      expect((await (await server.client()).ask('GET /')).status).to.equal(200);
    });
    it('of HEAD ends with its empty line', async () => {
      const client = (await (await serve()).client()).send(String.raw`HEAD / HTTP/1.1\r\n\r\n`);
      expect((await client.answer(true)).status).to.equal(400);
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    });
    for (const [status, request] of [
      [408, 'GET'],
      [413, String.raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\nx`],
      [414, `GET /${'x'.repeat(9000)}`],
      [417, String.raw`GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n`],
      [421, String.raw`GET https://a/ HTTP/1.1\r\n`],
      [431, String.raw`GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}`],
      [501, String.raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n`],
      [505, String.raw`GET / HTTP/2.0\r\n`],
    ] as const) {
      it(`${status} names its section and offset`, async () => {
        const client = (await (await serve({ requestTimeout: 0.1 })).client()).send(request);
        const answer = await client.answer();
        expect(answer.status).to.equal(status);
        expect(JSON.parse(answer.content)).to.have.property('error').that.matches(/\(RFC \d{4} section [\d.]+\), at byte \d+$/);
        expect((await client.closed()).how).to.equal('end');
      });
    }
  });

  describe('9110 §10.1.1 Expect: 100-continue', () => {
    const head = String.raw`POST /tasks HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    it('gets 100 (Continue), then the answer', async () => {
      const client = (await (await serve()).client()).send(head);
      expect(await client.until('\r\n\r\n')).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      expect((await client.send('{}').answer()).status).to.equal(200);
    });
    it('gets it behind the answers to earlier requests', async () => {
      const client = (await (await serve()).client()).send(GET + head);
      expect((await client.answer()).status).to.equal(200);
      expect((await client.answer(true)).status).to.equal(100);
    });
    it('gets none where the content is here already', async () => {
      expect((await (await (await serve()).client()).send(`${head}{}`).answer()).status).to.equal(200);
    });
  });

  describe('9112 §9.6 a client that closes its side', () => {
    it('after complete requests is answered, all of them, then closed', async () => {
      const client = (await (await serve()).client()).send(GET.repeat(3)).end();
      expect(await statuses(client, 3)).to.deep.equal([200, 200, 200]);
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      await client.gone;
    });
    for (const [what, behind] of [
      ['nothing', ''],
      ['an empty line', String.raw`\r\n`],
      ['half an empty line', String.raw`\r`],
    ] as const) {
      it(`with requests still in the queue, and ${what} behind them, is answered, all of them, and the last answer says close`, async () => {
        const client = (await (await serve()).client()).send(GET.repeat(5000) + behind).end();
        expect(await statuses(client, 4999)).to.have.lengthOf(4999);
        expect((await client.answer()).fields).to.have.property('connection', 'close');
        expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      });
    }
    for (const wrong of [String.raw`\n`, String.raw`\rx`, String.raw`\r\nGET`]) {
      it(`with requests still in the queue, and ${wrong} behind them, is answered, and told that this is wrong`, async () => {
        const client = (await (await serve()).client()).send(GET.repeat(5000) + wrong).end();
        expect(await statuses(client, 5000)).to.have.lengthOf(5000);
        expect((await client.answer()).status).to.equal(400);
        expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      });
    }
    it('in mid-request is told what was missing', async () => {
      const client = (await (await serve()).client()).send(String.raw`GET / HTTP/1.1\r\nHo`).end();
      const { status, content } = await client.answer();
      expect(status).to.equal(400);
      expect(content).to.contain('the empty line after the field lines').and.contain('at byte 18');
      expect((await client.closed()).how).to.equal('end');
    });
    for (const nothing of ['', String.raw`\r\n`]) {
      it(`having sent "${nothing}" is closed in silence`, async () => {
        expect(await (await (await serve()).client()).send(nothing).end().closed()).to.deep.equal({ how: 'end', rest: '' });
      });
    }
  });

  describe('time', () => {
    it('one octet after another does not buy more of it: 408, while others are served', async () => {
      const server = await serve({ requestTimeout: 0.3 });
      const slow = await server.client();
      const dribble = setInterval(() => slow.socket.write('x'), 20);
      const other = await server.client();
      const answered = other.ask('GET /');
      const late = await slow.answer().finally(() => clearInterval(dribble));
      expect(late.status).to.equal(408);
      expect((await answered).status).to.equal(200);
      expect((await slow.closed()).how).to.equal('end');
    });
    it('a connection that never sends is closed without an answer', async () => {
      expect(await (await (await serve({ requestTimeout: 0.1 })).client()).closed()).to.deep.equal({ how: 'end', rest: '' });
    });
    it('so is one that sends an empty line alone', async () => {
      expect(await (await (await serve({ requestTimeout: 0.1 })).client()).send(String.raw`\r\n`).closed()).to.deep.equal({ how: 'end', rest: '' });
    });
    it('and one that is idle after an answer', async () => {
      const client = await (await serve({ idleTimeout: 0.1 })).client();
      await client.ask('GET /');
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    });
    it('an empty line before a request takes nothing of its time', async () => {
      const client = await (await serve({ idleTimeout: 0.2, requestTimeout: 1 })).client();
      await client.ask('GET /');
      client.send(String.raw`\r\n`);
      await new Promise(setImmediate);
      const began = performance.now();
      expect((await client.send('GET').answer()).status).to.equal(408);
      expect(performance.now() - began).to.be.at.least(1000);
    });
    it('a second request in time keeps it open', async () => {
      const client = await (await serve({ idleTimeout: 0.3, requestTimeout: 9 })).client();
      await client.ask('GET /');
      expect((await client.ask('GET /')).status).to.equal(200);
    });
  });

  describe('9112 §9.6 closing', () => {
    it('never resets a client that is still sending', async () => {
      const client = (await (await serve()).client()).send(String.raw`BAD\r\n`);
      client.socket.write(Buffer.alloc(900_000, 'x'));
      expect((await client.answer()).status).to.equal(400);
      expect((await client.closed()).how).to.equal('end');
      client.end();
      await client.gone;
    });
    it('reads on for 1 MiB, and no further', async () => {
      const client = (await (await serve()).client()).send(String.raw`BAD\r\n`);
      expect((await client.answer()).status).to.equal(400);
      const flood = setInterval(() => client.socket.write(Buffer.alloc(300_000, 'x')), 1);
      await client.gone.finally(() => clearInterval(flood));
    });
  });

  describe('a client that does not read', () => {
    it('is paused, keeps nobody waiting, and loses no answer', async () => {
      const server = await serve();
      const deaf = await server.client();
      deaf.socket.pause();
      const count = 300_000;
      deaf.socket.write(octets(GET.repeat(count)));
      const other = await server.client();
      for (let asked = 0; asked < 500; asked += 1) await other.ask('GET /');
      expect(server.log.length, 'requests handled').to.be.lessThan(count);
      expect(deaf.socket.writableLength, 'octets that the server did not take').to.be.greaterThan(1_000_000);
      let answers = 0;
      deaf.socket.removeAllListeners('data');
      const length = (await other.ask('GET /tasks/1')).raw.length;
      await new Promise<void>((resolve) => {
        deaf.socket.on('data', (data) => {
          answers += data.length;
          if (answers === count * length) resolve();
        });
        deaf.socket.resume();
      });
    });
    it('for the time of a request is given up', async () => {
      const server = await serve({ requestTimeout: 0.2 });
      const deaf = await server.client();
      deaf.socket.pause();
      deaf.socket.write(octets(GET.repeat(200_000)));
      await deaf.gone;
    });
  });

  describe('a reset, at every stage, leaves the others their turns', () => {
    for (const [stage, raw] of [
      ['before the first octet', ''],
      ['in mid-request', 'GET /'],
      ['with a request in the queue', GET],
      ['with many requests in the queue', GET.repeat(100)],
      ['after a refusal', String.raw`BAD\r\n`],
      ['in the content', String.raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx`],
    ] as const) {
      it(stage, async () => {
        const server = await serve();
        const [victim, other] = [await server.client(), await server.client()];
        victim.send(raw);
        other.send(GET);
        victim.reset();
        expect((await other.answer()).status).to.equal(200);
        expect((await other.ask('GET /')).status).to.equal(200);
      });
    }
  });
});
