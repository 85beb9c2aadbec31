import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { USAGE } from '../src/command/options';
import { ENDPOINTS } from '../src/tasks/dispatcher';
import { bytes, raw } from './support/bytes';
import { Client, CLOSED_IN_SILENCE } from './support/client';
import { Command, inThread, MAIN, PATIENT } from './support/command';
import { serve } from './support/test-server';
import { get, post } from './support/virtual-server';

const BANNER = ['Task Management API 1.0', ...ENDPOINTS].join('\n  ').concat('\n');
const maximum = (count: number): string =>
  `Maximum of ${count} requests reached: no more are handled\n`;
const LONG = `/${'x'.repeat(8000)}`;

/** A module that sends its process SIGTERM, and lets it listen once that has arrived. From
 * outside, nobody can meet the moment between the start of the command and its
 * listening. */
const SIGNAL_BEFORE_LISTENING = `
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...args) {
    const keepAlive = setInterval(() => {}, 1000);
    process.once('SIGTERM', () => {
      clearInterval(keepAlive);
      setImmediate(() => listen.apply(this, args));
    });
    process.kill(process.pid, 'SIGTERM');
    return this;
  };
`;

let folder = '';
let page = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'page-'));
  page = join(folder, 'trace.html');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('dist/main.js, in a thread', () => {
  const all = Object.values(networkInterfaces()).flat();
  const hasIPv6 = all.some((at) => at?.address === '::1');
  it('a command that listens on every interface says how each browser opens it', async () => {
    for (const host of hasIPv6 ? ['0.0.0.0', '::'] : ['0.0.0.0']) {
      const command = inThread(MAIN, ['--port', '0', '--host', host]);
      const port = await command.port;
      expect(command.stdout).to.contain(`http://localhost:${port}\n`);
    }
  });
  it('the command obeys --idle-timeout and --request-timeout', async () => {
    // A request must begin within the second that it has, or it is none.
    const times = ['--idle-timeout', '0.1', '--request-timeout', '1.001'];
    const command = inThread(MAIN, ['--port', '0', ...times]);
    const client = await command.client();
    await client.ask('GET /');
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    const late = (await command.client()).send('GET');
    expect((await late.answer()).content).to.contain('1.001 s');
  });
  it('the trace stays off standard output, and shows an IPv6 address in brackets', async () => {
    const host = hasIPv6 ? '::1' : '127.0.0.1';
    const shown = hasIPv6 ? '[::1]' : host;
    const args = ['--port', '0', '--host', shown, '--trace', '--max-requests', '1'];
    const command = inThread(MAIN, args);
    const port = await command.port;
    const socket = connect({ port, host, allowHalfOpen: true });
    socket.on('error', () => {}).write(bytes(get('/')));
    expect(await command.exit).to.equal(0); // though the client has stayed until now
    const listening = `Listening on port ${port}: http://${shown}:${port}\n`;
    expect(command.stdout).to.equal(`${BANNER}${listening}GET /\n${maximum(1)}`);
    expect(command.stderr).to.match(/^ +\d+\.\d{3} -- +listen port \d+\n/);
    expect(command.stderr).to.contain(` c1  open   ${shown}:${socket.localPort}\n`);
    expect(command.stderr).to.match(
      / c1 +gone +cut off [^]+\n\n.* -- +stop +cut off 1 connection [^-]+$/,
    );
    expect(command.stderr).to.not.contain('\x1b');
    socket.destroy();
  });
  it('the trace has colours where FORCE_COLOR is set', async () => {
    const command = inThread(MAIN, ['--port', '0', '--trace'], { FORCE_COLOR: '1' });
    await (await command.client()).send(raw`BAD\r\n`).answer();
    await command.printed('stderr', /\x1b\[1;38;5;160mreject/);
  });
  it('--help and --version print to standard output, with exit code 0', async () => {
    const packaged = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
    const { version } = JSON.parse(packaged) as { version: string };
    for (const [option, text] of [
      ['--help', USAGE],
      ['--port x --help', USAGE],
      ['--version', version.replace(/\.0$/, '\n')],
    ] as const) {
      const command = inThread(MAIN, option.split(' '));
      expect(await command.exit).to.equal(0);
      expect([command.stdout, command.stderr]).to.deep.equal([text, '']);
    }
  });
  it('a command that cannot start says why in one line, and listens nowhere', async () => {
    const { port } = await serve({ host: undefined });
    const option = '--port takes a whole number from 0 to 65535, not "-1" \\(see --help\\)';
    // prettier-ignore
    for (const [args, code, line] of [
      [['--port=-1'], 2, option],
      [['--port', `${port}`, '--trace-page', page], 1, `Port ${port} is in use: .*--port.*`],
      [['--port', '0', '--host', 'a\nb\x1b[31m'], 1,
        'Cannot resolve the host name a b\\\\x1b\\[31m: .*--host.*'],
    ] as const) {
      const command = inThread(MAIN, args);
      expect(await command.exit).to.equal(code);
      expect(command.stderr).to.match(new RegExp(`^${line}\n$`));
      expect(command.stdout).to.equal(code === 2 ? '' : BANNER);
    }
    expect(readdirSync(folder), 'no empty page').to.deep.equal([]);
  });
});

describe('node dist/main.js', function () {
  this.slow(1000);

  it('the command prints banner, endpoints, port, its requests and the maximum', async () => {
    const command = await Command.serve();
    for (let count = 1; count <= 10; count += 1) {
      const client = await command.client();
      await client.ask(`GET /tasks/${count}?q`);
      client.end();
    }
    expect(await command.exit).to.equal(0);
    const port = await command.port;
    const log = Array.from({ length: 10 }, (_, at) => `GET /tasks/${at + 1}\n`).join('');
    const listening = `Listening on port ${port}: http://localhost:${port}\n`;
    expect(command.stdout).to.equal(`${BANNER}${listening}${log}${maximum(10)}`);
    expect(command.stderr).to.equal('');
  });

  it('without readers of its outputs it serves, until SIGHUP, though a client stays', async () => {
    const command = await Command.serve('--trace', '--idle-timeout', '600');
    for (const output of ['stdout', 'stderr'] as const) command.process[output]?.destroy();
    const client = await command.client();
    for (let count = 1; count <= 3; count += 1)
      expect((await client.ask('GET /')).status).to.equal(200);
    command.process.kill('SIGHUP');
    expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    expect(await command.exit).to.equal(0);
  });
  it('at a signal before the port accepts, the command ends with 0, and a page', async () => {
    const args = ['--port', '0', '--trace-page', page];
    const command = Command.runWith(SIGNAL_BEFORE_LISTENING, ...args);
    expect(await command.exit).to.equal(0);
    expect(command.stdout, 'it has listened').to.contain('Listening');
    expect(command.stderr).to.equal('');
    expect(readFileSync(page, 'utf8')).to.match(/<\/html>\n$/);
  });
  it('clients can connect to a halted command, and two signals at once are one', async () => {
    const command = await Command.serve('--max-requests', '0', '--trace-page', page);
    await command.halt();
    // Beyond the backlog (511 if none is given), the system lets them wait.
    const file = '/proc/sys/net/core/somaxconn';
    const most = existsSync(file) ? Number(readFileSync(file, 'latin1')) : 128;
    const clients = await Promise.all(
      Array.from({ length: Math.min(600, most) }, () => command.client()),
    );
    command.process.kill('SIGCONT');
    for (const client of clients) client.send(get('/'));
    const answers = await Promise.all(clients.map((client) => client.answer()));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    for (const client of clients) client.socket.destroy();
    // Both signals are pending when it continues, so little happens between them.
    await command.halt();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGCONT'] as const)
      command.process.kill(signal);
    expect(await command.exit).to.equal(0);
    expect(readFileSync(page, 'utf8')).to.match(/everything is closed[^]*<\/html>\n$/);
  });
  it('no room for standard output is said, and the command ends with 0', () => {
    const script = `node ${MAIN} --help > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    const lost = `The last ${USAGE.length} bytes of standard output could not be written`;
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: `${lost}\n` });
  });

  it('a late reader after the last request gets every line, though a signal comes', async () => {
    const command = Command.withPipe(PATIENT, '--trace');
    const [, port] = await command.printed('stderr', /listen port (\d+)\n/);
    const client = (await Client.connect(Number(port))).send(get(LONG).repeat(10));
    await client.statuses(10);
    client.end();
    await command.printed('stderr', / -- +stop +everything is closed\n/);
    command.process.kill('SIGTERM');
    await setTimeout(300); // time for the process to end too early
    expect(command.process.exitCode).to.equal(null);
    await command.readPipe();
    const lines = `GET ${LONG}\n`.repeat(10) + maximum(10);
    expect(command.stdout.endsWith(lines)).to.equal(true);
    expect(await command.exit).to.equal(0);
  });
  it('standard error says how much was not read when the second is over', async () => {
    const command = Command.withPipe('', '--max-requests', '0', '--trace');
    const [, port] = await command.printed('stderr', /listen port (\d+)\n/);
    const client = (await Client.connect(Number(port))).send(get(LONG).repeat(10));
    await client.statuses(10);
    client.end();
    await client.gone;
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.match(
      /is closed\nThe last \d+ bytes of standard output could not be written\n$/,
    );
  });
  it('late readers get whole lines, read how many are missing, and the last line', async () => {
    const args = ['--port', '0', '--max-requests', '400', '--trace'];
    const command = Command.runWith(PATIENT, ...args);
    const client = await command.client();
    const { stdout, stderr } = command.process;
    for (const output of [stdout, stderr]) output?.pause();
    client.send(get(LONG).repeat(400));
    expect(await client.statuses(400)).to.deep.equal(Array(400).fill(404));
    client.end();
    await client.gone;
    await setTimeout(300); // time for the process to end too early
    for (const output of [stdout, stderr]) output?.resume();
    expect(await command.exit).to.equal(0);
    const lines = command.stdout.slice(command.stdout.indexOf('\nGET /x') + 1).split('\n');
    expect(lines.pop(), 'the end of the last line').to.equal('');
    const isWhole = (line: string): boolean =>
      [`GET ${LONG}\n`, maximum(400)].includes(line);
    expect(lines.filter((line) => !isWhole(`${line}\n`))).to.deep.equal([]);
    const [, dropped] =
      /^\.\.\. (\d+) lines of standard output /m.exec(command.stderr) ?? [];
    expect(lines.length + Number(dropped)).to.equal(401);
    expect(command.stderr).to.match(/^\.\.\. \d+ lines of standard error dropped/m);
  });

  it('little stays in memory: lines that nobody reads, and eight requests of 1 MB', async () => {
    const COUNT = 8; // the budget is an eighth of the 72 MiB that this heap may have in all
    const args = ['--port', '0', '--max-requests', '0', '--trace'];
    const command = Command.spawn(['--max-old-space-size=24', MAIN, ...args]);
    const client = await command.client();
    command.process.stdout?.pause();
    client.send(get(LONG).repeat(20));
    const request = bytes(post(16_000).replace('/tasks', '/long-enough-to-be-cut'));
    const whole = Buffer.concat([request, Buffer.alloc(16_000, 'x')]);
    client.socket.write(Buffer.concat(Array<Buffer>(1500).fill(whole)));
    await client.statuses(1520);

    const large = Buffer.concat([bytes(post(1_000_000)), Buffer.alloc(999_999, 'x')]);
    const clients: Client[] = [];
    while (clients.length < COUNT) {
      const one = await command.client();
      one.socket.write(large);
      clients.push(one);
    }
    await command.printed('stderr', new RegExp(`(?:for 1 more byte [^]*){${COUNT}}`));
    await command.halt();
    for (const one of clients) one.send('x');
    command.process.kill('SIGCONT');
    const answers = await Promise.all(clients.map((one) => one.answer()));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(COUNT).fill(200));
    command.process.stdout?.resume();
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
  });
});
