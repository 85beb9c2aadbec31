import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { USAGE } from '../src/command/options';
import { ENDPOINTS } from '../src/tasks/dispatcher';
import { bytes, raw } from './support/bytes';
import { Client } from './support/client';
import { Command, MAIN, PATIENT } from './support/command';

const BANNER = ['Task Management API 1.0', ...ENDPOINTS].join('\n  ').concat('\n');
const maximum = (count: number): string =>
  `Maximum of ${count} requests reached: no more are handled\n`;
const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const LONG = `/${'x'.repeat(8000)}`;

/** Takes a port. @param act what to do while it is taken */
async function takePort(act: (port: number) => Promise<void>): Promise<void> {
  const holder = createServer().listen(0);
  await once(holder, 'listening');
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await act(address.port);
  holder.close();
  await once(holder, 'close');
}

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
  it('the command obeys --host, --idle-timeout and --request-timeout', async () => {
    // A request must begin within the second that it has, or it is none.
    const times = ['--idle-timeout', '0.1', '--request-timeout', '1.001'];
    const command = await Command.serve('--host', '0.0.0.0', ...times);
    // Not every browser opens 0.0.0.0.
    expect(command.stdout).to.contain(`http://localhost:${await command.port}\n`);
    const client = await command.client();
    await client.ask('GET /');
    expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    const late = (await command.client()).send('GET');
    expect((await late.answer()).content).to.contain('1.001 s');
  });
  const hasIpv6 = Object.values(networkInterfaces())
    .flat()
    .some((at) => at?.address === '::1');
  if (hasIpv6) {
    it('an IPv6 address is shown in brackets by the log and the trace', async () => {
      const command = await Command.serve(
        '--host',
        '[::1]',
        '--trace',
        '--max-requests',
        '1',
      );
      const port = await command.port;
      expect(command.stdout).to.contain(`http://[::1]:${port}\n`);
      const socket = connect({ port, host: '::1' });
      await once(socket, 'connect');
      await command.printed(
        'stderr',
        new RegExp(raw` c1 +open +\[::1\]:${socket.localPort}\n`),
      );
      socket.destroy();
    });
  }
  it('--help and --version print to standard output, with exit code 0', async () => {
    const [help, version] = [Command.run('--help'), Command.run('--version')];
    expect(await Promise.all([help.exit, version.exit])).to.deep.equal([0, 0]);
    expect(help.stdout).to.match(/^Usage: /);
    const packaged = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
    expect(JSON.parse(packaged)).to.have.property('version', `${version.stdout.trim()}.0`);
  });

  describe('that cannot start says why in one line, and listens nowhere', () => {
    const expectFailure = async (
      command: Command,
      code: number,
      line: RegExp,
    ): Promise<void> => {
      expect(await command.exit).to.equal(code);
      expect(command.stderr)
        .to.match(line)
        .and.to.match(/^[^\n]+\n$/);
      expect(command.stdout).to.not.contain('Listening');
    };
    it('a wrong option: code 2, and the command prints no banner', async () => {
      const command = Command.run('--port=-1');
      await expectFailure(
        command,
        2,
        /^--port takes a whole number from 0 to 65535, not "-1" \(see --help\)\n/,
      );
      expect(command.stdout).to.equal('');
    });
    it('a port in use: code 1, what to do, and no empty page', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'page-'));
      const page = join(folder, 'trace.html');
      await takePort(async (port) => {
        const line = new RegExp(`^Port ${port} is in use: .*--port`);
        const command = Command.run('--port', String(port), '--trace-page', page);
        await expectFailure(command, 1, line);
      });
      expect(readdirSync(folder)).to.deep.equal([]);
      rmSync(folder, { recursive: true });
    });
    it('a host name that cannot be resolved is told in one line, escaped', async () => {
      const command = Command.run('--port', '0', '--host', 'a\nb\x1b[31m');
      const line = /^Cannot resolve the host name a b\\x1b\[31m: .*--host/;
      await expectFailure(command, 1, line);
    });
  });

  describe('at a signal', () => {
    it('at SIGHUP, the command ends with 0, though a client stays', async () => {
      const command = await Command.serve('--idle-timeout', '600');
      const client = await command.client();
      expect((await client.ask('GET /')).status).to.equal(200);
      command.process.kill('SIGHUP');
      expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
      expect(await command.exit).to.equal(0);
      expect(command.stderr).to.equal('');
    });
    it('at a signal before the port accepts, the command ends with 0', async () => {
      const command = Command.runWith(SIGNAL_BEFORE_LISTENING, '--port', '0');
      expect(await command.exit).to.equal(0);
      expect(command.stdout, 'it has listened').to.contain('Listening');
      expect(command.stderr).to.equal('');
    });
    it('two signals at once are one: the command stops as after one', async () => {
      const command = await Command.serve('--trace');
      // Both signals are pending when it continues, so little happens between them.
      command.process.kill('SIGSTOP');
      command.process.kill('SIGINT');
      command.process.kill('SIGTERM');
      command.process.kill('SIGCONT');
      expect(await command.exit).to.equal(0);
      expect(command.stderr).to.match(/ -- +stop +everything is closed\n$/);
    });
  });

  describe('keeps serving', () => {
    it('the command keeps serving when the readers of its outputs close them', async () => {
      const command = await Command.serve('--trace', '--max-requests', '3');
      for (const output of ['stdout', 'stderr'] as const)
        command.process[output]?.destroy();
      const client = await command.client();
      for (let count = 1; count <= 3; count += 1) {
        expect((await client.ask('GET /')).status).to.equal(200);
      }
      client.end();
      expect(await command.exit).to.equal(0);
    });
    const limit = '/proc/sys/net/core/somaxconn';
    const most = existsSync(limit) ? Number(readFileSync(limit, 'latin1')) : 128;
    if (most >= 600) {
      it('600 clients can connect while the command is halted, and are served', async () => {
        const command = await Command.serve('--max-requests', '0');
        await command.halt();
        // Beyond the backlog (511 if none is given), the system lets them wait.
        const clients = await Promise.all(
          Array.from({ length: 600 }, () => command.client()),
        );
        command.process.kill('SIGCONT');
        for (const client of clients) client.send(get('/'));
        const answers = await Promise.all(clients.map((client) => client.answer()));
        expect(answers.map(({ status }) => status)).to.deep.equal(Array(600).fill(200));
        for (const client of clients) client.socket.destroy();
      });
    }
    it('no room for standard output is said, and the command ends with 0', () => {
      const script = `node ${MAIN} --help > /dev/full`;
      const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
      const lost = `The last ${USAGE.length} bytes of standard output could not be written`;
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: `${lost}\n` });
    });
  });

  describe('gives a late reader of standard output', () => {
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
    /** A server that a signal has stopped, after ten requests whose lines nobody has
     * read. */
    async function signalled(source: string): Promise<Command> {
      const command = Command.withPipe(source, '--max-requests', '0', '--trace');
      const [, port] = await command.printed('stderr', /listen port (\d+)\n/);
      const client = (await Client.connect(Number(port))).send(get(LONG).repeat(10));
      await client.statuses(10);
      client.end();
      await client.gone;
      command.process.kill('SIGTERM');
      await command.printed('stderr', / -- +stop +everything is closed\n/);
      return command;
    }
    it('a late reader after a signal gets every line', async () => {
      const command = await signalled(PATIENT);
      // Time for the process to end too early.
      await setTimeout(200);
      await command.readPipe();
      expect(command.stdout).to.match(new RegExp(`(?:GET ${LONG}\n){10}$`));
    });
    it('standard error says how much was not read when the second is over', async () => {
      const command = await signalled('');
      expect(await command.exit).to.equal(0);
      expect(command.stderr).to.match(
        /The last \d+ bytes of standard output could not be written\n$/,
      );
    });
    it('a late reader gets whole lines, and standard error counts the dropped ones', async () => {
      const command = await Command.servePatiently('--max-requests', '400');
      command.process.stdout?.pause();
      const client = await command.client();
      for (let count = 1; count <= 400; count += 1) client.send(get(LONG));
      expect(await client.statuses(400)).to.deep.equal(Array(400).fill(404));
      client.end();
      await client.gone;
      command.process.stdout?.resume();
      expect(await command.exit).to.equal(0);
      const lines = command.stdout
        .slice(command.stdout.indexOf('\nGET /x') + 1)
        .split('\n');
      expect(lines.pop(), 'the end of the last line').to.equal('');
      expect(
        lines.filter((line) => line !== `GET ${LONG}` && `${line}\n` !== maximum(400)),
      ).to.deep.equal([]);
      const [, dropped] =
        /^\.\.\. (\d+) lines? of standard output [^\n]*\n$/.exec(command.stderr) ?? [];
      expect(Number(dropped), command.stderr).to.be.greaterThan(0);
      expect(lines.length + Number(dropped)).to.equal(401);
    });
    /** More bytes than wait for a reader, in the process and in the pipe. */
    const UNREAD = 1_500_000;
    it('the trace says where lines of its own are missing, and how many', async () => {
      const command = await Command.serve('--max-requests', '0', '--trace');
      const client = await command.client();
      let requests = 0;
      const ask = async (): Promise<void> => {
        await client.ask(`GET ${LONG}`);
        requests += 1;
      };
      /** The lines from the first read to the last idle: of each request, as many. */
      const lines = (): string[] => {
        const all = command.stderr.split('\n');
        const isAt = (verb: string) => (line: string) => line.includes(` c1  ${verb} `);
        return all.slice(
          all.findIndex(isAt('read')),
          all.map(isAt('idle')).lastIndexOf(true) + 1,
        );
      };
      await ask();
      await command.printed('stderr', / c1 {2}idle /);
      const each = lines().length;
      const { length } = lines().join();

      command.process.stderr?.pause();
      while (requests * length < UNREAD) await ask();
      const gap = /^\.\.\. (\d+) lines? of standard error dropped/m;
      command.process.stderr?.resume();
      while (!gap.test(command.stderr)) await ask();
      await ask();
      await command.printed('stderr', new RegExp(`request ${requests}: [^]* c1 +idle `));
      const dropped = lines().flatMap((line) => gap.exec(line)?.[1] ?? []);
      const total = dropped.reduce((sum, count) => sum + Number(count) - 1, lines().length);
      expect(total).to.equal(each * requests);
    });
  });

  describe('keeps little in memory', () => {
    it('of requests whose log lines nobody reads, only the lines stay in memory', async () => {
      const command = await Command.serveWithin(20, '--max-requests', '0');
      command.process.stdout?.pause();
      const client = await command.client();
      const post = (path: string, content: string): string =>
        raw`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n` +
        content;
      client.send(post(LONG, '').repeat(20));
      const request = bytes(post('/long-enough-to-be-cut', 'x'.repeat(16_000)));
      client.socket.write(Buffer.concat(Array<Buffer>(1500).fill(request)));
      client.send(raw`GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect((await client.closed()).how).to.equal('end');
      command.process.kill('SIGTERM');
      command.process.stdout?.resume();
      expect(await command.exit).to.equal(0);
    });
    it('requests of 1 MB at once fit into the budget of a heap of 24 MiB', async () => {
      const COUNT = 8; // the budget is an eighth of the 72 MiB that this heap may have in all
      const command = await Command.serveWithin(24, '--max-requests', '0', '--trace');
      const head = bytes(
        raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n`,
      );
      const request = Buffer.concat([head, Buffer.alloc(999_999, 'x')]);
      const clients: Client[] = [];
      while (clients.length < COUNT) {
        const client = await command.client();
        client.socket.write(request);
        clients.push(client);
      }
      await command.printedTimes('stderr', 'for 1 more byte ', COUNT);
      command.process.kill('SIGSTOP');
      for (const client of clients) client.send('x');
      command.process.kill('SIGCONT');
      const answers = await Promise.all(clients.map((client) => client.answer()));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(COUNT).fill(404));
    });
  });

  it('the trace stays off standard output, and is told to its last line', async () => {
    const command = await Command.serve('--trace', '--max-requests', '1');
    const client = await command.client();
    await client.ask('GET /');
    expect(await command.exit).to.equal(0);
    expect((await client.closed()).how).to.equal('end'); // it has stayed until now
    expect(command.stdout.split('\n').slice(-3).join('\n')).to.equal(
      `GET /\n${maximum(1)}`,
    );
    expect(command.stderr).to.match(/^ +\d+\.\d{3} -- +listen port \d+\n/);
    expect(command.stderr).to.match(
      / c1 +gone +cut off [^]+\n\n.* -- +stop +cut off 1 connection [^-]+$/,
    );
    expect(command.stderr).to.not.contain('\x1b');
  });
  it('a late reader of standard error gets the trace to its last line', async () => {
    const command = await Command.servePatiently('--trace', '--max-requests', '100');
    command.process.stderr?.pause();
    const client = await command.client();
    client.send(get(LONG).repeat(100));
    await client.statuses(100);
    client.end();
    await client.gone;
    await command.printed('stdout', /^Maximum of 100 requests/m);
    // Time for the process to lose what does not fit into the pipe.
    await setTimeout(300);
    command.process.stderr?.resume();
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.match(/ -- +stop +everything is closed\n$/);
  });
  it('the trace has colours where FORCE_COLOR is set', async () => {
    const command = Command.start({ FORCE_COLOR: '1' }, '--trace', '--port', '0');
    await command.printed('stderr', /listen/);
    await (await command.client()).send(raw`BAD\r\n`).answer();
    await command.printed('stderr', /\x1b\[1;38;5;160mreject/);
  });
});
