import { expect } from 'chai';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { raw } from '../support/bytes';
import { Command, MAIN } from '../support/command';

const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const POST = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n${'x'.repeat(100)}`;
/** With a head of some 700 bytes. */
const BROWSER = raw`GET /tasks/1 HTTP/1.1\r\n
Host: localhost:8080\r\n
Connection: keep-alive\r\n
Cache-Control: max-age=0\r\n
sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"\r\n
sec-ch-ua-mobile: ?0\r\n
sec-ch-ua-platform: "Linux"\r\n
Upgrade-Insecure-Requests: 1\r\n
User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)
 Chrome/140.0.0.0 Safari/537.36\r\n
Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n
Sec-Fetch-Site: none\r\n
Sec-Fetch-Mode: navigate\r\n
Sec-Fetch-User: ?1\r\n
Sec-Fetch-Dest: document\r\n
Accept-Encoding: gzip, deflate, br, zstd\r\n
Accept-Language: en-GB,en;q=0.9\r\n
\r\n`;

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
    expect(page.match(/"type":"turn"/g)).to.have.length(10);
    expect(page).to.match(/ -- {2}stop {3}everything is closed\n/);
  });

  it('writes it at a signal, from a build anywhere, and prints the trace if told to', async () => {
    const build = join(folder, 'build');
    cpSync(dirname(MAIN), build, { recursive: true });
    const args = ['--port', '0', '--trace', '--trace-page', file];
    const command = Command.runFile(join(build, 'main.js'), ...args);
    const client = await command.client();
    await client.ask('GET /');
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.match(/ c1 {2}turn {3}request 1 of 10/);
    const page = readFileSync(file, 'utf8');
    expect(page)
      .to.match(/^<!doctype html>\n.*<\/html>\n$/s)
      .and.match(/ c1 {2}turn {3}request 1 of 10/);
  });

  it('says in one line that a file cannot be written, before it listens', async () => {
    const command = Command.run(
      '--port',
      '0',
      '--trace-page',
      join(folder, 'no', 'such\nfolder'),
    );
    expect(await command.exit).to.equal(1);
    expect(command.stdout).to.equal('');
    expect(command.stderr).to.match(
      /^Cannot write the page .*no such file or directory.*\n$/,
    );
  });

  if (existsSync('/proc/self/status')) {
    it('needs less than 160 MB for 4,000 requests and their page', async () => {
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
      const [, peak] = /^VmHWM:\s+(\d+) kB\n$/.exec(command.stderr) ?? [];
      expect(Number(peak) / 1000)
        .to.be.above(1)
        .and.below(160);
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
