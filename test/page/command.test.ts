import { expect } from 'chai';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { raw } from '../support/bytes';
import { Command, MAIN } from '../support/command';

const get = (path: string, fields = ''): string =>
  raw`GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const POST = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`;
/** With a head of some 700 bytes, as browsers send. */
const BROWSER = get('/tasks/1', raw`Sec-Field: ${'x'.repeat(30)}\r\n`.repeat(15));

describe('node dist/main.js --trace-page FILE', function () {
  this.slow(2000);
  let folder = '';
  let file = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'page-'));
    file = join(folder, 'trace.html');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes the page after ten requests, from a build anywhere, beside the trace', async () => {
    const build = join(folder, 'build');
    cpSync(dirname(MAIN), build, { recursive: true });
    const args = ['--port', '0', '--trace', '--trace-page', file];
    const command = Command.runFile(join(build, 'main.js'), ...args);
    const client = await command.client();
    client.send(get('/tasks').repeat(10));
    client.end();
    expect(await command.exit).to.equal(0);
    expect(command.stdout).to.match(/(?:GET \/tasks\n){10}Maximum of 10 requests .*\n$/);
    expect(command.stderr).to.match(/ c1 {2}turn {3}request 1 of 10/);
    const page = readFileSync(file, 'utf8');
    expect(page.match(/"type":"turn"/g)).to.have.length(10);
    expect(page)
      .to.match(/^<!doctype html>\n.*<\/html>\n$/s)
      .and.match(/ -- {2}stop {3}everything is closed\n/);
  });

  if (existsSync('/proc/self/status')) {
    it('needs less than 200 MB for 4,000 requests, and writes it at a signal', async () => {
      const args = ['--port', '0', '--max-requests', '0', '--trace-page', file];
      const command = Command.runWith(TELL_PEAK, ...args);
      const client = await command.client();
      const requests = BROWSER.repeat(50) + get('/tasks').repeat(25) + POST.repeat(25);
      for (let round = 0; round < 40; round += 1) {
        client.send(requests);
        await client.statuses(100);
      }
      command.process.kill('SIGTERM');
      expect(await command.exit).to.equal(0);
      // It prints nothing else.
      const [, peak] = /^VmHWM:\s+(\d+) kB\n$/.exec(command.stderr) ?? [];
      expect(Number(peak) / 1000)
        .to.be.above(1)
        .and.below(200); // Node 26 takes up to 165, and Node 20 120
      expect(readFileSync(file, 'utf8')).to.match(/Left out: the first \d{5,} events/);
    });
  }
});

/** Says how much memory the process had at most, when it ends. (resourceUsage() would not
 * do: it counts what the process had that started this one.) */
const TELL_PEAK = `
  import { readFileSync } from 'node:fs';
  process.on('exit', () => {
    console.error(/VmHWM.*/.exec(readFileSync('/proc/self/status', 'utf8'))[0]);
  });`;
