import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Command, MAIN } from './support/command';

const BANNER = 'Task Management API 1.0\n  GET /tasks\n  GET /\n  GET /tasks/<id>\n  POST /tasks\n  PUT /tasks/<id>\n  DELETE /tasks/<id>\n';

describe('node dist/main.js', function () {
  this.slow(1000);

  it('prints banner, endpoints, that it listens, a line a request, that the maximum was reached; then ends with 0', async () => {
    const command = await Command.serve();
    for (let count = 1; count <= 10; count += 1) {
      const client = await command.client();
      await client.ask(`GET /tasks/${count}?q`);
      client.end();
    }
    expect(await command.exit).to.equal(0);
    const port = await command.port;
    const log = Array.from({ length: 10 }, (_, at) => `GET /tasks/${at + 1}\n`).join('');
    expect(command.stdout).to.equal(
      `${BANNER}Listening on port ${port}: http://localhost:${port}\n${log}Maximum of 10 requests reached: no more are handled\n`,
    );
    expect(command.stderr).to.equal('');
  });

  it('listens on port 8080 if nobody says otherwise', async () => {
    // Whether the port is free here or not, the command says which one it wanted.
    const command = Command.run();
    await Promise.race([command.printed('stdout', /Listening on port 8080: /), command.exit.then(() => command.printed('stderr', /^Port 8080 is in use/))]);
  });

  it('ends within 200 ms of the tenth answer, though its client stays', async () => {
    const command = await Command.serve('--max-requests', '1');
    const client = await command.client();
    await client.ask('GET /');
    const began = performance.now();
    expect(await command.exit).to.equal(0);
    expect(performance.now() - began).to.be.lessThan(250);
    expect((await client.closed()).how).to.equal('end');
  });

  it('--max-requests 0 has no limit', async () => {
    const command = await Command.serve('--max-requests', '0');
    const client = await command.client();
    for (let count = 1; count <= 25; count += 1) expect((await client.ask('GET /')).fields).to.not.have.property('connection');
  });

  it('--host, --idle-timeout and --request-timeout are obeyed', async () => {
    const command = await Command.serve('--host', '127.0.0.1', '--idle-timeout', '0.1', '--request-timeout', '0.2');
    expect(command.stdout).to.contain(`http://127.0.0.1:${await command.port}\n`);
    const client = await command.client();
    await client.ask('GET /');
    expect(await client.closed()).to.deep.equal({ how: 'end', rest: '' });
    expect((await (await command.client()).send('GET').answer()).content).to.contain('0.2 s');
  });

  describe('a bad option: one line on standard error, code 2, nothing listening', () => {
    for (const args of [['--nope'], ['--port'], ['--port', 'x'], ['--port', '-1'], ['--port=-1'], ['--port', '65536'], ['--port', '1e3'], ['--port', '0x50'], ['--port', ''], ['8080'],
      ['--max-requests', '1.5'], ['--max-requests', '99999999999999999'], ['--request-timeout', '0'], ['--request-timeout', '-1'], ['--idle-timeout', 'Infinity'], ['--host', ''], ['--trace=x'], ['--port', 'a\nb']]) {
      it(JSON.stringify(args.join(' ')), async () => {
        const command = Command.run(...args);
        expect(await command.exit).to.equal(2);
        expect(command.stdout).to.equal('');
        expect(command.stderr).to.match(/^[^\n]+\n$/);
      });
    }
  });

  it('a port in use: one line that says what to do, code 1', async () => {
    const holder = createServer().listen(0);
    await once(holder, 'listening');
    const address = holder.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const command = Command.run('--port', String(address.port));
    expect(await command.exit).to.equal(1);
    holder.close();
    expect(command.stderr).to.match(/^Port \d+ is in use: .*--port.*\n$/);
  });

  it('an address that is not of this machine: one line, code 1', async () => {
    const command = Command.run('--port', '0', '--host', '203.0.113.1');
    expect(await command.exit).to.equal(1);
    expect(command.stderr).to.match(/^[^\n]*--host[^\n]*\n$/);
  });

  it('--help and --version answer on standard output, code 0', async () => {
    const [help, version] = [Command.run('--help'), Command.run('--version')];
    expect(await Promise.all([help.exit, version.exit])).to.deep.equal([0, 0]);
    for (const option of ['--port', '--host', '--max-requests', '--request-timeout', '--idle-timeout', '--trace', '--help', '--version']) expect(help.stdout).to.contain(option);
    const { version: packaged }: { version: string } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
    expect(`${version.stdout.trim()}.0`).to.equal(packaged);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`${signal}: closes what is open and ends with 0 within a second`, async () => {
      const command = await Command.serve();
      const client = await command.client();
      expect((await client.ask('GET /')).status).to.equal(200);
      const began = performance.now();
      command.process.kill(signal);
      expect((await client.closed()).how).to.equal('end');
      expect(await command.exit).to.equal(0);
      expect(performance.now() - began).to.be.lessThan(1000);
      expect(command.stderr).to.equal('');
    });
  }

  it('a signal is heard as soon as the listening line is printed', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT', 'SIGTERM'] as const) {
      const command = await Command.serve();
      command.process.kill(signal);
      expect(await command.exit).to.equal(0);
    }
  });

  it('a second signal ends it at once', async () => {
    const command = await Command.serve();
    const client = await command.client();
    await client.ask('GET /');
    command.process.kill('SIGINT');
    await client.closed();
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
  });

  it('goes on when standard output is closed by its reader', async () => {
    const command = await Command.serve('--max-requests', '3');
    command.process.stdout?.destroy();
    const client = await command.client();
    for (let count = 1; count <= 3; count += 1) expect((await client.ask('GET /')).status).to.equal(200);
    client.end();
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.equal('');
  });

  it('goes on when standard error is closed, and the trace goes nowhere', async () => {
    const command = await Command.serve('--trace', '--max-requests', '3');
    command.process.stderr?.destroy();
    const client = await command.client();
    for (let count = 1; count <= 3; count += 1) expect((await client.ask('GET /')).status).to.equal(200);
    client.end();
    expect(await command.exit).to.equal(0);
  });

  it('keeps the trace off standard output', async () => {
    const command = await Command.serve('--trace', '--max-requests', '1');
    const client = await command.client();
    await client.ask('GET /');
    client.end();
    expect(await command.exit).to.equal(0);
    expect(command.stdout.split('\n').slice(-3)).to.deep.equal(['GET /', 'Maximum of 1 requests reached: no more are handled', '']);
    expect(command.stderr).to.match(/^ +\d+\.\d{3} -- +listen port \d+\n/).and.not.contain('\x1b');
  });

  it('goes on when standard output is full', async () => {
    const command = await Command.serve('--max-requests', '0');
    const port = await command.port;
    command.process.stdout?.pause();
    const client = await command.client();
    const path = `/${'x'.repeat(8000)}`;
    for (let count = 1; count <= 400; count += 1) expect((await client.ask(`GET ${path}`)).status).to.equal(404);
    command.process.kill('SIGTERM');
    await client.closed();
    command.process.stdout?.resume();
    expect(await command.exit).to.equal(0);
    expect(port).to.be.greaterThan(0);
  });

  it('holds the lines that nobody takes, and nothing of the requests that they tell of', async () => {
    const command = await Command.serveWithin(32, '--max-requests', '0');
    command.process.stdout?.pause();
    const client = await command.client();
    const post = (path: string, content: string): string => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`;
    client.socket.write(post(`/${'x'.repeat(8000)}`, '').repeat(20) + post('/long-enough-to-be-cut', 'x'.repeat(4000)).repeat(15_000));
    client.send(String.raw`GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect((await client.closed()).how).to.equal('end');
    command.process.kill('SIGTERM');
    command.process.stdout?.resume();
    expect(await command.exit).to.equal(0);
  });

  it('goes on when there is no room for standard output', () => {
    const script = `node ${MAIN} --help > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
  });
});
