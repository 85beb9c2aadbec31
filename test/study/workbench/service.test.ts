import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, Server, type AddressInfo } from 'node:net';
import type { Judgement } from '../../../src/study/workbench/judge';
import { outcomeOf } from '../../../src/study/workbench/browser/origin';
import { readScript } from '../../../src/study/bytes';
import { Requests } from '../../../src/study/workbench/requests';
import { Bench, type EventsData } from '../../../src/study/workbench/bench';
import { Client } from '../../support/client';
import { raw } from '../../support/bytes';
import { collectWarnings } from '../../support/warnings';
import { askFrom, TestBench, type Known } from '../../support/workbench';

const GET = 'GET /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n';
const LENGTHS = 'Host: a\r\nContent-Length: 42\r\nTransfer-Encoding: chunked\r\n\r\n';
const DELETE = 'DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n';
/** Two requests for a reader that goes by Transfer-Encoding, and one for another. */
const SMUGGLED = `POST /tasks HTTP/1.1\r\n${LENGTHS}0\r\n\r\n${DELETE}`;

describe('the workbench', () => {
  let bench: TestBench;
  beforeEach(async () => {
    bench = await TestBench.start();
  });
  afterEach(() => bench.stop());

  const requests = ({ data }: Known) => data.exchanges.filter(({ number }) => number > 0);
  const statuses = (events: Known): string[] =>
    requests(events).map(({ responses }) => responses.at(-1)?.status ?? '');
  /** The menu of the page. */
  const boundRequests = () => {
    const menu = new Requests();
    return { experiments: menu.experiments, read: (name: string) => menu.read(name) };
  };
  const receivedBy = ({ clients }: EventsData, id: number): string =>
    Buffer.from(clients.find((one) => one.id === id)?.bytes ?? '', 'base64').toString();

  describe('its page', () => {
    it('sends bytes, and shows what the server made of them', async () => {
      const id = await bench.send(GET);
      const events = await bench.until((known) => statuses(known).includes('200 OK'));
      expect(requests(events).map(({ title }) => title)).to.deep.equal(['GET /tasks/1']);
      const known = await bench.until((one) => receivedBy(one, id) !== '');
      expect(receivedBy(known, id)).to.match(/^HTTP\/1\.1 200 OK\r\n.*\{.*\}$/s);
      expect(known.clients).to.have.lengthOf(1);
      expect(known.clients[0]).to.include({ id, name: 'c1', state: 'open', sent: 34 });
    });

    it('cuts the bytes: each piece is read by itself, in its order', async () => {
      const begin = performance.now();
      await bench.send(GET, 'cuts=1:0,5:100,5:0,30:0');
      const events = await bench.until((known) => statuses(known).includes('200 OK'));
      const [first] = requests(events);
      expect(first?.request.arrivals.map(([, end]) => end)).to.deep.equal([1, 5, 30, 34]);
      // How late a piece is read depends on the machine; that it is sent late does not.
      // Node rounds the time of a timer.
      expect(performance.now() - begin).to.be.at.least(98);
    });

    it('goes on with a connection, closes its side, and resets it', async () => {
      const id = await bench.send('GET /tasks/1 HTT');
      const sent = await bench.until(({ clients }) => clients[0]?.name === 'c1');
      expect(sent.clients[0]?.state).to.equal('open');
      await bench.send('P/1.1\r\nHost: a\r\n\r\n', `client=${id}&then=close`);
      const events = await bench.until(({ clients }) => clients[0]?.state === 'closed');
      expect(receivedBy(events, id)).to.match(/^HTTP\/1\.1 200 OK/);
      await bench.send('GET /', 'then=reset');
      await bench.until(({ clients }) => clients[1]?.state === 'closed');
      await bench.until(({ data }) =>
        data.steps.some(({ lines: [line = ''] }) =>
          line.startsWith('the client reset the connection'),
        ),
      );
    });

    it('loses no send behind one after which the server closes: it opens another', async () => {
      const last = GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
      const id = await bench.send(last);
      const other = await bench.send(GET, `client=${id}`);
      expect(other).to.not.equal(id);
      await bench.until((known) => statuses(known).join() === '200 OK,200 OK');
    });

    it('says why the server has closed a connection, and what was never sent', async () => {
      const id = await bench.send(`G(T\r\n${GET}`, `cuts=5:60000`);
      const { clients } = await bench.until(
        ({ clients: [one] }) => one?.state === 'closed',
      );
      expect(clients[0]).to.include({ id, sent: 5, unsent: GET.length });
      expect(clients[0]?.why).to.match(/^the request was rejected: /);
    });

    it('lets each page hold its own sends', async () => {
      await bench.send(GET, 'hold=1&page=a');
      await bench.send(GET, 'page=b');
      const known = await bench.until(({ clients }) => (clients[1]?.received ?? 0) > 0);
      expect(known.clients[0]).to.include({ sent: 0, unsent: GET.length });
    });

    it('sends what follows on a held connection after what is held', async () => {
      const client = await bench.send(GET, 'hold=1');
      await bench.send(GET, `client=${client}`);
      await bench.until(({ data }) => {
        const answered = data.exchanges.filter(({ responses }) => responses.length > 0);
        return answered?.length === 2;
      });
    });

    it('holds a send until the next one, so that two requests meet in the queue', async () => {
      await bench.send(GET, 'hold=1');
      await bench.send(GET);
      const events = await bench.until(
        (known) => statuses(known).join() === '200 OK,200 OK',
      );
      const places = events.data.steps
        .filter(({ verb }) => verb === 'queue')
        .map(({ lines }) => lines[0]);
      expect(places).to.deep.equal(['complete; place 1', 'complete; place 2, behind c1']);
    });

    it('judges bytes as they go on with those that were sent', async () => {
      const id = await bench.send('GET / HTTP/1.1\r\nHost ');
      await bench.until(({ clients }) => clients[0]?.sent === 21);
      const { content } = await bench.ask(`POST /judge?client=${id}`, ': a\r\n');
      const { kind, says, wrong } = JSON.parse(content) as Judgement;
      expect({ kind, wrong }).to.deep.equal({ kind: 'reject', wrong: -1 });
      expect(says).to.match(/^It would follow the 21 bytes sent before\. .* at byte 20\.$/);
      const fresh = await bench.ask('POST /judge?client=new', 'GET /t');
      expect(JSON.parse(fresh.content)).to.include({ kind: 'wait' });
    });

    it('judges with the proxy between, and says what is not sent yet', async () => {
      const says = async (query: string): Promise<string> =>
        (JSON.parse((await bench.ask(`POST /judge?${query}`, 'ET')).content) as Judgement)
          .says;
      expect(await says('client=new')).to.match(/^The server waits/);
      expect(await says('client=new&through=proxy')).to.match(/^If this is forwarded/);
      expect((await bench.ask('POST /judge?through=x', 'ET')).status).to.equal(400);
      const held = await bench.send('G', 'through=proxy&hold=1');
      expect(await says(`client=${held}`)).to.match(
        /^It would follow the 1 byte that is still to be sent\. If this is forwarded/,
      );
      const { clients } = await bench.until(({ clients }) => clients.length === 1);
      expect(clients[0]).to.include({ sent: 0, unsent: 1, through: 'proxy' });
      await bench.send('', 'through=proxy');
      const events = await bench.until(({ clients }) => clients[0]?.unsent === 0);
      expect(events.clients[0]?.sent).to.equal(1);
      expect(await says(`client=${held}`)).to.match(
        /^It would follow the 1 byte sent before/,
      );
    });

    it('sends through the proxy: both readings, and the response of the victim', async () => {
      const attacker = await bench.send(SMUGGLED, 'through=content-length');
      const rejected = await bench.until((known) => receivedBy(known, attacker) !== '');
      const said = rejected.proxy.lines.map((line) =>
        line.type === 'say' ? line.line : '',
      );
      expect(said[0]).to.equal(
        '--  a proxy that goes by Content-Length and ignores Transfer-Encoding',
      );
      expect(said.join('\n')).to.match(/p1 +request 1: POST \/tasks, 42 bytes/);
      const seen = await bench.until(
        (known) => requests(known)[0]?.rejection !== undefined,
      );
      const readings = requests(seen)[0]?.other?.readings ?? [];
      const names = readings.map(({ requests }) => requests.map(({ name }) => name));
      expect(names).to.deep.include(['POST /tasks', 'DELETE /tasks/1']);
      const victim = await bench.send(GET, 'through=content-length');
      const events = await bench.until((known) => receivedBy(known, victim) !== '');
      expect(receivedBy(events, victim)).to.match(/^HTTP\/1\.1 200 OK/);
      const asked = events.clients.map((client) => client.asked);
      expect(asked).to.deep.equal(['POST /tasks', 'GET /tasks/1']);
      expect(events.clients.map(({ name }) => name)).to.deep.equal(['p1', 'p2']);
    });

    /** Plays an experiment as the page does. @returns what its clients received */
    async function playLab(number: number, server: string): Promise<string[]> {
      const { experiments, read } = boundRequests();
      const experiment = experiments.find((one) => one.number === number);
      if (experiment === undefined) throw new Error(`no experiment ${number}`);
      expect((await bench.ask(`POST /server?name=${server}`)).status).to.equal(204);
      await bench.until(({ server: { isReady, name } }) => isReady && name === server);
      const received: string[] = [];
      for (const { name } of experiment.requests) {
        const request = Buffer.from(readScript(read(name) ?? '').bytes).toString('latin1');
        const id = await bench.send(request, `through=${experiment.mistake}`);
        const known = await bench.until((one) => receivedBy(one, id) !== '');
        received.push(receivedBy(known, id));
      }
      return received;
    }

    it('sends to a server without a defence, and the same to that with it', async () => {
      const [attacker, victim] = await playLab(1, '1');
      expect(attacker).to.match(/^HTTP\/1\.1 200 OK\r\n/);
      const shown = await bench.until(({ clients }) => clients.length === 2);
      const [p2] = shown.clients.slice(-1);
      const said =
        p2 && outcomeOf(p2, { at: 0 }, shown.proxy.lines, shown.data, (name) => name);
      expect(said?.says).to.contain(
        `DELETE /tasks/1, which was in the 50 bytes that the proxy took for p1's content`,
      );
      expect(victim).to.match(/\{"deleted":true\}$/);
      const events = await bench.until((one) => requests(one).length === 3);
      const titles = requests(events).map(({ title }) => title);
      expect(titles).to.deep.equal(['POST /tasks', 'DELETE /tasks/1', 'GET /tasks/2']);
      expect(events.server.port).to.not.equal(bench.workbench.port);
      const judged = await bench.ask('POST /judge', SMUGGLED);
      expect(judged.content).to.contain('2 requests are complete');
      for (const name of ['tasks', '1']) {
        await bench.ask(`POST /server?name=${name}`);
        const chosen = await bench.until(
          ({ server }) => server.name === name && server.isReady,
        );
        expect(requests(chosen), 'what happened there before').to.deep.equal([]);
      }

      const defended = await playLab(1, 'tasks');
      expect(defended[0]).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(defended[1]).to.match(/"id":2/);
      const known = await bench.until((one) => requests(one).length > 0);
      const [first] = requests(known);
      expect(first?.rejection?.status).to.equal(400);
      expect(first?.other?.readings).to.have.lengthOf.above(1);
      const ruled = await bench.ask('POST /judge', SMUGGLED);
      expect(ruled.content).to.contain('rejects it with 400');
    });

    it('sends to an echo service where an experiment has one', async () => {
      const kept = await playLab(2, 'echo');
      expect(kept.join('\n')).to.not.contain('Cookie');
      expect(kept.at(-1)).to.match(/hello\n$/);
    });

    it('keeps nothing of what happens on a server that was left', async () => {
      const own = new Bench();
      const { tasks } = own.servers;
      await tasks.start();
      const known = () =>
        [...tasks.recorder.linesAfter(0)].filter(
          (line) => !/"connection":0|^{"left/.test(line),
        );
      own.choose('echo');
      await own.servers.get('echo');
      const client = await Client.connect(tasks.port);
      client.socket.write(GET);
      await client.answer();
      expect(known()).to.deep.equal([]);
      own.choose('tasks');
      await own.servers.get('tasks');
      client.socket.write(GET);
      await client.answer();
      expect(known(), 'of a connection that was there before').to.deep.equal([]);
      client.socket.destroy();
      await own.stop();
    });

    it('sends to a program of an experiment, which has a service of its own', async () => {
      const warnings = collectWarnings();
      const name = '14-defended'; // that without the defence would need a copy
      expect((await bench.ask(`POST /server?name=${name}`)).status).to.equal(204);
      await bench.until(({ server: { isReady, name: of } }) => isReady && of === name);
      await bench.send('GET /%c4%8d%c4%8a HTTP/1.1\r\nHost: a\r\n\r\n');
      const known = await bench.until((one) => requests(one).length > 0);
      expect(requests(known)[0]?.title).to.equal('GET /%c4%8d%c4%8a');
      expect(requests(known)[0]?.responses[0]?.text).to.match(/^HTTP\/1\.1 500/);
      expect(warnings.join()).to.contain('the value of Location is not a field value');
    });

    it('is cleared: nothing is known any more', async () => {
      await bench.send(GET);
      await bench.until((known) => statuses(known).includes('200 OK'));
      expect((await bench.ask('POST /clear')).status).to.equal(204);
      const events = await bench.until(({ clients }) => clients.length === 0);
      expect(requests(events)).to.deep.equal([]);
      await bench.send(GET); // by now the server has seen that the first client is gone
      const later = await bench.until((known) => statuses(known).includes('200 OK'));
      expect(later.data.exchanges.map(({ title }) => title)).to.deep.equal([
        'GET /tasks/1',
      ]);
    });

    it('saves what happened as a page', async () => {
      await bench.send(GET);
      await bench.until((known) => statuses(known).includes('200 OK'));
      const { content, status } = await bench.ask('GET /page');
      expect(status).to.equal(200);
      expect(content).to.match(/^<!doctype html>[^]*id="data"[^]*GET \/tasks\/1/);
      expect(content).to.not.contain(bench.token);
    });

    it('a poll that brings nothing is a response without content', async () => {
      const { revision } = await bench.until(() => true);
      expect((await bench.poll(revision)).status).to.equal(204);
    });

    it('leaves the data out where only a client has changed', async () => {
      const id = await bench.send(GET);
      const { revision } = await bench.until((known) => receivedBy(known, id) !== '');
      const { content } = await bench.poll(revision - 1);
      expect(Object.keys(JSON.parse(content) as object)).to.include('clients');
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
      try {
        bench = await TestBench.start();
        await bench.ask('POST /server?name=echo');
        await bench.until(({ server }) => server.isReady && server.name === 'echo');
        await bench.send(GET, 'through=proxy');
        await bench.until(({ clients }) => clients.some(({ received }) => received > 0));
      } finally {
        Server.prototype.listen = listen;
      }
      const addresses = listeners.map((one) => (one.address() as AddressInfo).address);
      expect(addresses).to.deep.equal(new Array(4).fill('127.0.0.1'));
    });

    const forbidden: readonly (readonly [
      string,
      (fields: TestBench['fields']) => string[],
    ])[] = [
      ['another Host', ({ origin, token }) => ['Host: evil.example', origin, token]],
      [
        'a rebound name with our port',
        ({ origin, token, host }) => [
          host.replace('127.0.0.1', 'evil.example'),
          origin,
          token,
        ],
      ],
      [
        'localhost as Host',
        ({ origin, token, host }) => [
          host.replace('127.0.0.1', 'localhost'),
          origin,
          token,
        ],
      ],
      ['another Origin', ({ host, token }) => [host, 'Origin: http://evil.example', token]],
      ['the Origin null', ({ host, token }) => [host, 'Origin: null', token]],
      [
        'our Origin with another port',
        ({ host, token }) => [host, 'Origin: http://127.0.0.1:1', token],
      ],
      ['two Origins', ({ host, origin, token }) => [host, origin, 'Origin: null', token]],
      ['no Origin', ({ host, token }) => [host, token]],
      ['no token', ({ host, origin }) => [host, origin]],
      ['an empty token', ({ host, origin }) => [host, origin, 'Workbench-Token:']],
      [
        'a token that is cut short',
        ({ host, origin, token }) => [host, origin, token.slice(0, -1)],
      ],
      [
        'two tokens',
        ({ host, origin, token }) => [host, origin, token, 'Workbench-Token: x'],
      ],
    ];
    it('a request that is not from the page gets 403, and does nothing', async () => {
      for (const [what, linesOf] of forbidden) {
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
    });

    for (const path of ['/page', '/events?after=-1', '/request?name=example/0']) {
      it(`GET ${path} reads nothing without the token, or for another site`, async () => {
        const { host, token } = bench.fields;
        const client = await start();
        for (const lines of [
          [host],
          [host, 'Workbench-Token: x'],
          ['Host: evil.example', token],
          [host, token, 'Origin: http://evil.example'],
        ])
          expect((await askFrom(client, `GET ${path}`, lines)).status).to.equal(403);
        expect((await askFrom(client, `GET ${path}`, [host, token])).status).to.equal(200);
      });
    }

    it('the page, which has the token, is for its own Host alone, and in no frame', async () => {
      const client = await start();
      const localhost = [`Host: localhost:${bench.workbench.pagePort}`];
      const led = await askFrom(client, 'GET /', localhost);
      expect(led.status).to.equal(307);
      expect(led.fields['location']).to.equal(bench.workbench.address);
      expect((await askFrom(client, 'GET /events', localhost)).status).to.equal(403);
      for (const lines of [
        ['Host: evil.example'],
        [bench.fields.host, 'Origin: http://evil.example'],
      ]) {
        const { content, status } = await askFrom(client, 'GET /', lines);
        expect(status).to.equal(403);
        expect(content).to.not.contain(bench.token);
      }
      const { fields } = await askFrom(client, 'GET /', [bench.fields.host]);
      const policy = fields['content-security-policy'] ?? '';
      expect(policy.split('; ')).to.include.members([
        "default-src 'none'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "trusted-types 'none'",
      ]);
      expect(policy).to.match(/script-src 'sha256-[\w+/=]+';/);
      expect(policy).to.not.match(/unsafe|\*|http/);
      expect(fields['cross-origin-resource-policy']).to.equal('same-origin');
      expect(fields['x-content-type-options']).to.equal('nosniff');
      expect(fields['cache-control']).to.equal('no-store');
    });

    it('no response tells another site that it may read', async () => {
      const client = await start();
      const { host } = bench.fields;
      const origin = 'Origin: http://evil.example';
      const preflight = 'Access-Control-Request-Headers: workbench-token';
      const answer = await askFrom(client, 'OPTIONS /send', [host, origin, preflight]);
      expect(answer.status).to.equal(403);
      for (const { raw } of [answer, await bench.ask('POST /judge'), await bench.poll(-1)])
        expect(raw.toLowerCase()).to.not.contain('access-control');
    });

    it('bytes go to the servers that it starts and nowhere else, whatever one asks', async () => {
      const other = createServer();
      let reached = 0;
      other.on('connection', () => (reached += 1));
      other.listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const at = `127.0.0.1:${port}`;
      for (const query of [
        `port=${port}`,
        `host=${at}`,
        `through=${at}`,
        `through=proxy&to=${port}`,
        `client=${port}`,
      ]) {
        const absolute = `GET http://${at}/ HTTP/1.1\r\nHost: ${at}\r\n\r\n`;
        await bench.ask(`POST /send?${query}`, absolute);
      }
      await bench.until(({ clients }) => clients.some(({ received }) => received > 0));
      for (const name of [
        port,
        at,
        '',
        '0',
        '01',
        '1.0',
        '9',
        'toString',
        '..%2F1',
        'Tasks',
      ])
        expect((await bench.ask(`POST /server?name=${name}`)).status).to.equal(404);
      expect((await bench.until(() => true)).server.name).to.equal('tasks');
      expect(reached).to.equal(0);
      other.close();
    });

    it('what a client sends reaches the page only as text in JSON', async () => {
      const hostile = '</script><img src=x onerror=alert(1)>';
      await bench.send(`GET /${hostile} HTTP/1.1\r\nHost: ${hostile}\r\n\r\n`);
      const events = await bench.until((known) => requests(known).length > 0);
      expect(requests(events)[0]?.title).to.contain('</script>');
      const { content } = await askFrom(await start(), 'GET /', [bench.fields.host]);
      expect(content).to.not.contain('onerror');
      const answer = await bench.poll(-1);
      expect(answer.fields['content-type']).to.equal('application/json');
      expect(answer.content).to.match(/^[\x20-\x7e]*$/);
    });

    it('a send has at most 1 MiB, 400 cuts, and pauses of two minutes', async () => {
      const long = 'x'.repeat(1_048_577);
      const tooLong = await askFrom(
        await start(),
        'POST /send',
        Object.values(bench.fields),
        long,
      );
      expect(tooLong.status).to.equal(413);
      const many = Array.from({ length: 401 }, () => '0:0').join();
      for (const query of [
        `cuts=${many}`,
        'cuts=1:120001',
        'cuts=2:0,1:0',
        'cuts=35:0',
        'cuts=x',
        'then=explode',
        'through=toString',
        'client=-1',
      ])
        expect((await bench.ask(`POST /send?${query}`, GET)).status, query).to.equal(400);
      const { clients } = await bench.until(() => true);
      expect(clients).to.deep.equal([]);
    });

    it('at most 100 connections are open at once', async () => {
      for (let open = 0; open < 100; open += 1) await bench.send('G', 'cuts=0:60000');
      const { content, status } = await bench.ask('POST /send', 'G');
      expect(status).to.equal(503);
      expect(content).to.equal('{"error":"100 connections are open"}');
    });

    it('the bytes of all sends that wait are bounded', async () => {
      const mib = 'x'.repeat(1_048_576);
      const sent: number[] = [];
      for (let count = 0; count < 9; count += 1)
        sent.push((await bench.ask('POST /send?cuts=0:60000', mib)).status);
      expect(sent).to.deep.equal([...new Array<number>(8).fill(202), 503]);
      await bench.ask('POST /clear');
      for (let count = 0; count < 9; count += 1) {
        await bench.send(mib, 'then=close'); // the server drops all of it
        await bench.until(({ clients }) => clients.at(-1)?.state === 'closed');
      }
    });

    it('at most 10,000 events are kept, and the page says what is left out', async () => {
      const id = await bench.send(GET.repeat(1500));
      await bench.until((one) => requests(one).length >= 1100);
      const events = await bench.until(() => true); // for a page that knows nothing
      expect(events.data.steps.length).to.be.at.most(10_000);
      expect(events.data.leftOut).to.match(/^Left out: the first \d+ events/);
      const known = await bench.until(
        ({ clients }) => (clients[0]?.received ?? 0) > 100_000,
      );
      expect(receivedBy(known, id).length).to.be.at.most(16_384);
    });

    it('other methods and other paths are nothing that it knows', async () => {
      const { host, origin, token } = bench.fields;
      for (const line of ['HEAD /', 'PUT /send', 'GET /toString', 'GET /favicon.ico']) {
        const client = await start();
        client.socket.write(`${line} HTTP/1.1\r\n${host}\r\n${origin}\r\n${token}\r\n\r\n`);
        const { status } = await client.answer(line.startsWith('HEAD'));
        expect(status, line).to.equal(404);
      }
    });

    it('a malformed request to the page is rejected by the protocol layer itself', async () => {
      const client = await start();
      client.send(raw`GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n`);
      expect((await client.answer()).status).to.equal(400);
    });
  });
});
