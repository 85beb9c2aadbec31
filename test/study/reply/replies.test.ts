import { expect } from 'chai';
import { afterEach } from 'mocha';
import type { ConnectionReport } from '../../../src/study/reply/connection';
import { startReplies, type RepliesOptions } from '../../../src/study/reply/replies';
import type { RunningReplies } from '../../../src/study/reply/replies';
import { raw } from '../../support/bytes';
import { Client } from '../../support/client';
import { Notifier } from '../../../src/study/notifier';

const GET = raw`GET /a HTTP/1.1\r\nHost: a\r\n\r\n`;
const POST = raw`POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n`;
const HELLO = 'HTTP/1.1 200 OK\nContent-Length: 5\n\nhello';
const SENT = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';

describe('a server that sends what it is told to', () => {
  let running: RunningReplies;
  let lines: string[];
  let reports: ConnectionReport[];
  let changes: Notifier;

  async function start(options: RepliesOptions): Promise<Client> {
    lines = [];
    reports = [];
    changes = new Notifier();
    const note = <Any>(all: Any[], one: Any): void => {
      all.push(one);
      changes.notify();
    };
    running = await startReplies({
      ...options,
      log: (line) => note(lines, line),
      report: (report) => note(reports, report),
    });
    return Client.connect(running.port);
  }

  /** Waits for a line, and for the report of the first connection. */
  const logged = (text: string): Promise<void> =>
    changes.until(() => lines.some((line) => line.includes(text)));
  async function firstReport(): Promise<ConnectionReport | undefined> {
    await changes.until(() => reports.length > 0);
    return reports[0];
  }

  afterEach(() => running.stop());

  it('sends the bytes of a script, and says what the client does next', async () => {
    const client = await start({ replies: HELLO });
    client.send(GET);
    expect(await client.until('hello')).to.equal(SENT);
    await logged('gets');
    client.send(GET).end();
    expect(await client.closed()).to.deep.equal({ how: 'end', rest: SENT });
    const requests = ['GET /a', 'GET /a'];
    const report = { connection: 1, requests, sent: 2 * SENT.length, misuse: undefined };
    expect(await firstReport()).to.deep.equal({ ...report, end: 'closed' });
    expect(lines).to.include.members([
      'c1 asks   GET /a, 28 bytes',
      'c1 gets   43 bytes, and the connection stays open',
      'c1 asks   GET /a, 28 bytes, on the same connection',
    ]);
    expect(lines.some((line) => /^c1 closes after \d+ bytes$/.test(line))).to.equal(true);
  });

  it('cuts and pauses where the script does, and closes or resets at its end', async () => {
    const replies = ['HTTP/1.1 200‖20‖ OK\n‖close‖', 'x‖50‖‖reset‖'];
    const client = await start({ replies });
    const asked = performance.now();
    client.send(GET);
    const rest = 'HTTP/1.1 200 OK\r\n';
    expect(await client.closed()).to.deep.equal({ how: 'end', rest });
    // That it is sent late; how late depends on the machine. Node rounds the time of a timer.
    expect(performance.now() - asked).to.be.at.least(19);
    for (let times = 0; times < 2; times += 1) {
      const other = await Client.connect(running.port);
      other.send(GET);
      expect(await other.closed()).to.deep.equal({ how: 'reset', rest: 'x' });
    }
  });

  it('sends the last part again and again, until the client goes', async () => {
    const client = await start({ replies: 'HTTP/1.1 200 OK\n‖A: b\n‖never‖' });
    client.send(GET);
    while (client.socket.bytesRead < 20_000) await client.until('A: b\r\n');
    client.socket.destroy();
    expect(await firstReport()).to.include({ end: 'reset' });
  });

  it('sends nothing again and again where there is no part', async () => {
    const client = (await start({ replies: '‖never‖' })).send(GET).end();
    expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
  });

  it('responds before a request is complete where it is told to', async () => {
    const client = await start({
      replies: ({ method, path }) => ({ script: `${method} ${path}`, when: 'head' }),
    });
    client.send(POST);
    await client.until('POST /b');
    client.send('ok').end();
    expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    const expected = { requests: ['POST /b'], sent: 7, misuse: undefined };
    expect(await firstReport()).to.deep.include(expected);
  });

  // prettier-ignore
  for (const [what, reply, why] of [
    ['"close"', HELLO.replace('\n', '\nConnection: close\n'), /the last \(RFC 9112 section 9\.6/],
    ['bytes that nobody asked for', `${HELLO}left over`, /^No request awaits what follows/],
    ['two lengths', HELLO.replace('\n', '\nContent-Length: 6\n'), /^Content-Length has different/],
  ] as const) {
    it(`says that a client must not use a connection after ${what}`, async () => {
      const client = await start({ replies: reply });
      client.send(GET);
      await logged('gets');
      client.send(GET).end();
      expect((await firstReport())?.misuse).to.match(why);
      expect(lines.join('\n')).to.include('although it should not');
    });
  }

  it('says what is no request, and gives up a client that waits too long', async () => {
    const silent = await start({ replies: '', timeout: 0.05 });
    silent.send(GET);
    expect(await firstReport()).to.include({ end: 'waited', sent: 0 });
    const wrong = await Client.connect(running.port);
    wrong.send(raw`GET /\r\n`);
    expect((await wrong.closed()).rest).to.equal('');
    await logged('c2 sends  no request: The request line ends before an HTTP version');
  });

  it('closes further connections than a hundred at once', async () => {
    const first = await start({ replies: '' });
    const others = await Promise.all(
      Array.from({ length: 100 }, () => Client.connect(running.port)),
    );
    await Promise.race(others.map((client) => client.closed()));
    first.send(GET);
    await logged('c1 asks');
    for (const { socket } of others) socket.destroy();
  });
});
