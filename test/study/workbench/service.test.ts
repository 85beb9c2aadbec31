import { expect } from 'chai';
import { createServer, Server, type AddressInfo } from 'node:net';
import { Conversation } from '../../../src/page/model/conversation';
import { clientsOf } from '../../../src/page/model/lanes';
import { compareRuns, receiptsIn } from '../../../src/page/model/runs';
import type { Judgement } from '../../../src/study/workbench/judge';
import { CALLED } from '../../../src/study/workbench/scenes';
import { raw } from '../../support/bytes';
import { Client } from '../../support/client';
import { listen } from '../../support/probed-servers';
import { collectWarnings } from '../../support/warnings';
import { askFrom, TestBench, type Known } from '../../support/workbench';

const GET = 'GET /tasks/1 HTTP/1.1\nHost: a\n\n';
const LENGTHS = 'Host: a\nContent-Length: 42\nTransfer-Encoding: chunked\n\n';
/** Two requests for a reader that goes by Transfer-Encoding, and one for another. */
const SMUGGLED = `POST /tasks HTTP/1.1\n${LENGTHS}0\n\nDELETE /tasks/1 HTTP/1.1\nHost: a\n\n`;

const requests = ({ data }: Known) => data.exchanges.filter(({ number }) => number > 0);
const titles = (known: Known): string[] => requests(known).map(({ title }) => title);
const statuses = (known: Known): string =>
  requests(known)
    .map(({ responses }) => responses.at(-1)?.status ?? '')
    .join();
const isRejected = (known: Known): boolean =>
  requests(known).at(-1)?.rejection !== undefined;
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
/** What clients received, from the server or from its proxy. */
const receipts = ({ data }: Known): string[] => receiptsIn(data).map(({ says }) => says);

describe('the workbench', () => {
  let bench: TestBench;
  beforeEach(async () => {
    bench = await TestBench.start();
  });
  afterEach(() => bench.stop());

  /** Sends a text, and waits for one more response. @returns what all clients received */
  async function receive(text: string, query = ''): Promise<string[]> {
    const before = receipts(await bench.until(() => true)).length;
    await bench.send(text, query);
    return receipts(await bench.until((known) => receipts(known).length > before));
  }
  const judge = async (text: string, query = ''): Promise<Judgement> =>
    JSON.parse((await bench.ask(`POST /judge?${query}`, utf8(text))).content) as Judgement;

  describe('as the client,', () => {
    it('sends bytes, and shows what the server made of them', async () => {
      const text = `${GET.trimEnd()}\nX: ‹x × 3›\n\n`; // which repeats nothing
      expect(await receive(text)).to.deep.equal(['200 OK in response to GET /tasks/1']);
      const known = await bench.until(() => true);
      expect(known.clients).to.have.lengthOf(1);
      expect(known.clients[0]).to.include({ isOpen: true, sent: 51, unsent: 0 });
      expect(known.clients[0]?.address).to.equal(requests(known)[0]?.remote);
    });

    it('cuts the bytes: each piece is read by itself, in its order', async () => {
      const begin = performance.now();
      await bench.send('G\u2016ET /\u2016100\u2016tasks/1 HTTP/1.1\nHost: a\u2016\n\n');
      const known = await bench.until((one) => statuses(one) === '200 OK');
      const [first] = requests(known);
      expect(first?.request.arrivals.map(([, end]) => end)).to.deep.equal([1, 5, 30, 34]);
      // How late a piece is read depends on the machine; that it is sent late does not.
      // Node rounds the time of a timer.
      expect(performance.now() - begin).to.be.at.least(98);
    });

    it('goes on with a connection, closes its side, and resets it', async () => {
      const id = await bench.send('GET /tasks/1 HTT');
      const sent = await bench.until((known) => requests(known).length > 0);
      expect(sent.clients[0]?.isOpen).to.equal(true);
      await bench.send('P/1.1\nHost: a\n\n\u2016close\u2016', `client=${id}`);
      const known = await bench.until((one) => statuses(one) === '200 OK');
      expect(known.clients[0]?.isOpen).to.equal(false);
      await bench.send('GET /\u2016reset\u2016');
      await bench.until(({ data }) =>
        data.steps.some(({ lines: [line = ''] }) =>
          line.startsWith('the client reset the connection'),
        ),
      );
    });

    it('loses no send behind one after which the server closes: it opens another', async () => {
      const id = await bench.send(GET.replace('\n\n', '\nConnection: close\n\n'));
      expect(await bench.send(GET, `client=${id}`)).to.not.equal(id);
      await bench.until((known) => statuses(known) === '200 OK,200 OK');
    });

    it('says that the server has closed a connection, and what was never sent', async () => {
      const id = await bench.send(`G(T\n\u201660000\u2016${GET}`);
      const { clients } = await bench.until(({ data }) =>
        data.steps.some(({ verb }) => verb === 'gone'),
      );
      expect(clients[0]).to.include({ id, isOpen: false, sent: 5, unsent: 34 });
    });

    it('judges bytes as they go on with those that were sent, or will be', async () => {
      const id = await bench.send('GET / HTTP/1.1\nHost \u201660000\u2016');
      await bench.until(({ clients }) => clients[0]?.sent === 21);
      const { kind, says, wrong } = await judge(': a\n', `client=${id}`);
      expect({ kind, wrong }).to.deep.equal({ kind: 'reject', wrong: -1 });
      expect(says).to.match(/^It would follow the 21 bytes before it\. .* at byte 20\.$/);
      expect(await judge('GET /t', 'client=new')).to.include({ kind: 'wait' });
      expect((await judge('E', 'through=proxy')).says).to.match(/^If this is forwarded/);
    });

    it('sends through the proxy: both readings, and the response of the victim', async () => {
      await receive(SMUGGLED, 'through=content-length');
      const seen = await bench.until(isRejected);
      expect(requests(seen)[0]?.other).to.not.equal(undefined);
      const connects = seen.data.proxy.filter(({ type }) => type === 'connect');
      expect(connects).to.have.nested.property('[0].mistake', 'content-length');
      expect(connects).to.have.lengthOf(1);
      await receive(GET, 'through=content-length');
      const received = await receive(GET, 'through=proxy');
      expect(received.slice(1), 'of two proxies').to.deep.equal([
        '200 OK in response to GET /tasks/1',
        '200 OK in response to GET /tasks/1',
      ]);
      const { clients, data } = await bench.until(() => true);
      expect(clients.map(({ proxied }) => proxied)).to.deep.equal(['p1', 'p2', 'p3']);
      expect(clientsOf(data)).to.deep.equal(['p1', 'p2', 'p3']);
      // The server rejects what is here, but the proxy waits for more.
      await bench.send(SMUGGLED.replace('42', '99'), 'through=content-length');
      const waiting = await bench.until((known) => (known.clients[3]?.sent ?? 0) > 0);
      expect(waiting.clients[3]?.isOpen).to.equal(true);
    });

    it('is cleared: nothing is known any more, and saves what happened as a page', async () => {
      await receive(GET);
      const { content, status } = await bench.ask('GET /page');
      expect(status).to.equal(200);
      expect(content).to.match(/^<!doctype html>[^]*id="data"[^]*GET \/tasks\/1/);
      expect(content).to.not.contain(bench.token);
      expect((await bench.ask('POST /clear')).status).to.equal(204);
      const cleared = await bench.until(({ clients }) => clients.length === 0);
      expect(requests(cleared)).to.deep.equal([]);
      // By now the server has seen that the first client is gone.
      expect(await bench.send(GET), 'a number that no tab knows').to.equal(2);
      const later = await bench.until((known) => statuses(known) === '200 OK');
      expect(titles(later)).to.deep.equal(['GET /tasks/1']);
      expect((await bench.poll(later.revision)).status, 'without news').to.equal(204);
    });
  });

  describe('as the server,', () => {
    it('sends it to each client of its address, and shows both directions', async () => {
      const port = await bench.turnTo('replies');
      expect((await bench.until(() => true)).server.port).to.equal(port);
      const text =
        'HTTP/1.1 200 OK\nContent-Length: 5\n\nhe\u201620\u2016llo\u2016close\u2016';
      expect(await bench.send(text)).to.equal(0);
      for (const id of ['a', 'b']) {
        const client = await Client.connect(port);
        client.send(raw`GET /${id} HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect((await client.closed()).rest).to.match(/^HTTP\/1\.1 200 OK\r\n.*hello$/s);
      }
      const known = await bench.until((one) => statuses(one) === '200 OK,200 OK');
      expect(titles(known)).to.deep.equal(['GET /a', 'GET /b']);
      const [first] = requests(known);
      const arrivals = first?.responses.flatMap((one) => one.arrivals);
      expect(arrivals?.map(([, end]) => end)).to.deep.equal([40, 43]);
      await bench.send('HTTP/1.1 204 No Content\n\n');
      const other = await Client.connect(port);
      other.send(raw`GET / HTT\r\n`);
      expect((await other.closed()).rest, 'to what is no request').to.equal('');
      const last = await bench.until(isRejected);
      expect(titles(last).at(-1)).to.equal('GET / HTT');
      await bench.turnTo('tasks');
      expect(titles(await bench.until(() => true))).to.deep.equal([]);
    });
  });

  describe('in the lab,', () => {
    it('sends to the service of an experiment', async () => {
      const warnings = collectWarnings();
      await bench.turnTo('14-defended');
      await bench.send('GET /%c4%8d%c4%8a HTTP/1.1\nHost: a\n\n');
      const known = await bench.until((one) => requests(one).length > 0);
      expect(requests(known)[0]?.responses[0]?.text).to.match(/^HTTP\/1\.1 500/);
      expect(warnings.join()).to.contain('the value of Location is not a field value');
    });

    it('plays an experiment without its defence and with it, for a page of both', async () => {
      expect((await bench.ask('GET /runs?lab=9')).status).to.equal(404);
      let answer = await bench.ask('GET /runs?lab=1');
      expect(answer.status).to.equal(204);
      await bench.ask('GET /runs?lab=13'); // another tab plays another one
      while (answer.status === 204) answer = await bench.ask('GET /runs?lab=1');
      const [first, other] = (JSON.parse(answer.content) as string[][]).map((lines) =>
        Conversation.of(lines).describe(),
      );
      if (first === undefined || other === undefined) throw new Error('not two runs');
      expect(first.steps.filter(({ verb }) => verb === 'risk')).to.have.lengthOf(1);
      const { clients } = compareRuns(first, { data: other, called: CALLED, names: [] });
      expect(clients[1]?.received.map(([one]) => one?.says)).to.deep.equal([
        '200 OK in response to DELETE /tasks/1, for which it had not asked',
        '200 OK in response to GET /tasks/2',
      ]);
      const { content } = await bench.ask('GET /page?lab=1');
      expect(content).to.contain('"called":["without the defence","with it"]');
      await bench.ask('POST /clear');
      expect((await bench.ask('GET /runs?lab=1')).status, 'played again').to.equal(204);
    });

    it('keeps nothing of what happens on a server that was left', async () => {
      const client = await Client.connect(bench.workbench.port);
      for (const name of ['echo', 'tasks']) {
        await bench.turnTo(name);
        client.send(raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`);
        await client.answer();
        expect(titles(await bench.until(() => true))).to.deep.equal([]);
      }
      client.socket.destroy();
    });
  });

  describe('is safe:', () => {
    const start = (): Promise<Client> => Client.connect(bench.workbench.pagePort);

    it('all servers listen on 127.0.0.1 only, and so does the proxy', async () => {
      await bench.stop();
      const listeners: Server[] = [];
      const { listen } = Server.prototype;
      Server.prototype.listen = function (...settings: unknown[]): Server {
        listeners.push(this);
        return Reflect.apply(listen, this, settings) as Server;
      };
      const addresses: string[] = [];
      try {
        bench = await TestBench.start();
        await bench.turnTo('replies');
        await bench.turnTo('echo');
        await receive(GET, 'through=proxy');
        for (const one of listeners) addresses.push((one.address() as AddressInfo).address);
      } finally {
        Server.prototype.listen = listen;
      }
      expect(addresses).to.deep.equal(new Array(5).fill('127.0.0.1'));
    });

    type Fields = TestBench['fields'];
    // prettier-ignore
    const FORBIDDEN: readonly (readonly [string, (fields: Fields) => string[]])[] = [
      ['another Host', ({ origin, token }) => ['Host: evil.example', origin, token]],
      ['localhost as Host', ({ origin, token, host }) =>
        [host.replace('127.0.0.1', 'localhost'), origin, token]],
      ['another Origin', ({ host, token }) => [host, 'Origin: http://evil.example', token]],
      ['two Origins', ({ host, origin, token }) => [host, origin, 'Origin: null', token]],
      ['no Origin', ({ host, token }) => [host, token]],
      ['no token', ({ host, origin }) => [host, origin]],
      ['a token that is cut short', ({ host, origin, token }) =>
        [host, origin, token.slice(0, -1)]],
      ['two tokens', ({ host, origin, token }) => [host, origin, token, 'Workbench-Token: x']],
    ];
    it('a request that is not from the page gets 403, does nothing, reads nothing', async () => {
      const { host, token } = bench.fields;
      for (const [what, linesOf] of FORBIDDEN) {
        const client = await start();
        for (const path of ['/send', '/judge', '/clear', '/server?name=echo']) {
          const answer = await askFrom(client, `POST ${path}`, linesOf(bench.fields), GET);
          expect(answer.status, `${path} with ${what}`).to.equal(403);
          expect(answer.content).to.match(/^\{"error":"[^"]*"\}$/);
        }
      }
      const { clients, data, server } = await bench.until(() => true);
      expect(server.name).to.equal('tasks');
      expect(clients).to.deep.equal([]);
      expect(data.steps.map(({ verb }) => verb)).to.deep.equal(['listen']);
      const client = await start();
      for (const path of ['/page', '/events?after=-1']) {
        for (const lines of [
          [host],
          [host, 'Workbench-Token: x'],
          ['Host: evil.example', token],
          [host, token, 'Origin: http://evil.example'],
        ])
          expect((await askFrom(client, `GET ${path}`, lines)).status).to.equal(403);
        expect((await askFrom(client, `GET ${path}`, [host, token])).status).to.equal(200);
      }
    });

    it('the page, which has the token, is for its own Host alone, and in no frame', async () => {
      const client = await start();
      const localhost = [`Host: localhost:${bench.workbench.pagePort}`];
      const led = await askFrom(client, 'GET /', localhost);
      expect(led.status).to.equal(307);
      expect(led.fields['location']).to.equal(`${bench.workbench.origin}/`);
      expect((await askFrom(client, 'GET /events', localhost)).status).to.equal(403);
      const { host } = bench.fields;
      const evil = 'Origin: http://evil.example';
      for (const lines of [['Host: evil.example'], [host, evil]]) {
        const { content, status } = await askFrom(client, 'GET /', lines);
        expect(status).to.equal(403);
        expect(content).to.not.contain(bench.token);
      }
      const { fields } = await askFrom(client, 'GET /', [host]);
      const policy = fields['content-security-policy'] ?? '';
      expect(policy).to.match(/^default-src 'none'; connect-src 'self'; /);
      expect(policy).to.match(/; trusted-types 'none'; frame-ancestors 'none'$/);
      expect(policy).to.match(/script-src 'sha256-[\w+/=]+';/);
      expect(policy).to.not.match(/unsafe|\*|http/);
      expect(fields).to.include({
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      const preflight = 'Access-Control-Request-Headers: workbench-token';
      const asked = await askFrom(client, 'OPTIONS /send', [host, evil, preflight]);
      expect(asked.status).to.equal(403);
      for (const { raw: text } of [asked, await bench.poll(-1)])
        expect(text.toLowerCase(), 'to another site').to.not.contain('access-control');
    });

    it('bytes go to the servers that it starts and nowhere else, whatever one asks', async () => {
      const other = createServer();
      let reached = 0;
      other.on('connection', () => (reached += 1));
      const at = await listen(other);
      const port = at.replace(/.*:/, '');
      const absolute = `GET http://${at}/ HTTP/1.1\nHost: ${at}\n\n`;
      for (const query of [`port=${port}`, `host=${at}`, `through=${at}`, `client=${port}`])
        await bench.ask(`POST /send?${query}&to=${port}`, absolute);
      await bench.until((known) => receipts(known).length > 0);
      for (const name of `${port} ${at} 0 01 1.0 9 toString ..%2F1 Tasks`.split(' '))
        expect((await bench.ask(`POST /server?name=${name}`)).status).to.equal(404);
      for (const route of ['PUT /send', 'GET /toString', 'GET /favicon.ico'])
        expect((await bench.ask(route)).status, route).to.equal(404);
      expect((await bench.until(() => true)).server.name).to.equal('tasks');
      expect(reached).to.equal(0);
    });

    it('what a client sends reaches the page only as text in JSON', async () => {
      const hostile = '</script><img src=x onerror=alert(1)>';
      await bench.send(`GET /${hostile} HTTP/1.1\nHost: ${hostile}\n\n`);
      const known = await bench.until((one) => requests(one).length > 0);
      expect(titles(known)[0]).to.contain('</script>');
      const { content } = await askFrom(await start(), 'GET /', [bench.fields.host]);
      expect(content).to.not.contain('src=x');
      const answer = await bench.poll(-1);
      expect(answer.fields['content-type']).to.equal('application/json');
      expect(answer.content).to.match(/^[\x20-\x7e]*$/);
    });

    it('a send has at most 1 MiB, 400 cuts, and pauses of two minutes', async () => {
      const statusOf = async (query: string, text: string): Promise<number> => {
        const client = await start();
        const fields = Object.values(bench.fields);
        return (await askFrom(client, `POST /send?${query}`, fields, text)).status;
      };
      const cut = Buffer.from('\u2016').toString('latin1');
      expect(await statusOf('', 'x'.repeat(1_048_577))).to.equal(413);
      for (const text of [cut.repeat(401), `${cut}120001${cut}`])
        expect(await statusOf('', text), text).to.equal(400);
      for (const query of ['through=toString', 'client=-1'])
        expect(await statusOf(query, GET), query).to.equal(400);
      expect((await bench.until(() => true)).clients).to.deep.equal([]);
    });

    it('bytes that have left make room for others', async () => {
      const upload = `POST / HTTP/1.1\nHost: a\nContent-Length: 1000000\n\n${'x'.repeat(1e6)}`;
      let client: number | string = 'new';
      for (let times = 1; times <= 9; times += 1) {
        client = await bench.send(upload, `client=${client}`);
        await bench.until(({ clients }) => (clients.at(-1)?.sent ?? 0) > times * 1e6);
      }
    });
    it('at most 100 connections are open, and 8 MiB are on their way', async () => {
      const mib = `\u201660000\u2016${'x'.repeat(1_048_400)}`;
      for (let count = 0; count < 8; count += 1) await bench.send(mib);
      const refused = async (text: string): Promise<string> => {
        const { content, status } = await bench.ask('POST /send', text);
        return `${status} ${content}`;
      };
      expect(await refused(GET.repeat(100))).to.contain('503 {"error":"too much is being');
      await bench.ask('POST /clear');
      for (let open = 0; open < 100; open += 1) await bench.send('G');
      expect(await refused('G')).to.equal('503 {"error":"100 connections are open"}');
      await bench.ask('POST /clear');
      await bench.send(mib);
    });
  });
});
