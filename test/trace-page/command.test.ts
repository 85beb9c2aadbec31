import { expect } from 'chai';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raw } from '../support/bytes';
import { Command } from '../support/command';

const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('node dist/main.js --trace-page FILE', function () {
  this.slow(2000);
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'page-'));
    file = join(folder, 'trace.html');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes the page after ten requests, and prints nothing more than without it', async () => {
    const command = await Command.serve('--trace-page', file);
    const client = await command.client();
    client.send(get('/tasks').repeat(10));
    client.end();
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.equal('');
    expect(command.stdout).to.match(/(?:GET \/tasks\n){10}Maximum of 10 requests .*\n$/);
    const page = readFileSync(file, 'utf8');
    expect(page).to.contain('1 connection, 10 requests handled, 0 rejected');
    expect(page).to.match(/<b>\d\.\d{3} server stop<\/b> <span>everything is closed/);
  });

  it('writes it when a signal stops the server, and prints the trace if told to', async () => {
    const command = await Command.serve('--trace', '--trace-page', file);
    const client = await command.client();
    await client.ask('GET /');
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.match(/ c1 {2}turn {3}request 1 of 10\n/);
    expect(readFileSync(file, 'utf8')).to.match(/c1 turn<\/b> <span>request 1 of 10/);
  });

  it('replaces the page of the last time only when it has another', async () => {
    writeFileSync(file, 'the last page');
    const command = await Command.serve('--trace-page', file);
    expect(readFileSync(file, 'utf8')).to.equal('the last page');
    command.process.kill('SIGINT');
    expect(await command.exit).to.equal(0);
    expect(readFileSync(file, 'utf8')).to.match(/^<!doctype html>\n.*<\/html>\n$/s);
  });

  it('says in one line that a file cannot be written, before it listens', async () => {
    const command = Command.run('--port', '0', '--trace-page', join(folder, 'no', 'such\nfolder'));
    expect(await command.exit).to.equal(1);
    expect(command.stdout).to.equal('');
    expect(command.stderr).to.match(/^Cannot write the page .*no such file or directory.*\n$/);
  });

  it('says so when the file cannot be written any more, and exits with code 1', async () => {
    const command = await Command.serve('--trace-page', file);
    rmSync(folder, { recursive: true });
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(1);
    expect(command.stderr).to.match(/^Cannot write the page .*no such file or directory.*\n$/);
    folder = mkdtempSync(join(tmpdir(), 'page-'));
  });

  it('keeps 10,000 requests within 100 MB, and says what it leaves out', async function () {
    const status = (pid: number | undefined): string => `/proc/${pid}/status`;
    if (!existsSync(status(process.pid))) this.skip();
    const command = await Command.serve('--max-requests', '0', '--trace-page', file);
    const client = await command.client();
    for (let round = 0; round < 100; round += 1) {
      client.send(get('/tasks').repeat(100));
      await client.statuses(100);
    }
    const [, peak] =
      /VmHWM:\s+(\d+) kB/.exec(readFileSync(status(command.process.pid), 'utf8')) ?? [];
    expect(Number(peak) / 1000)
      .to.be.above(1)
      .and.below(100);
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
    expect(readFileSync(file, 'utf8')).to.match(/Left out: the first \d\d,\d{3} events/);
  });
});
