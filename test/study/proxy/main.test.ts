import { expect } from 'chai';
import { join } from 'node:path';
import { UsageError } from '../../../src/command/arguments';
import { parseProxyOptions } from '../../../src/study/proxy/options';
import { raw } from '../../support/bytes';
import { Client } from '../../support/client';
import { Command } from '../../support/command';
import { ROOT } from '../../support/page';
import { serve } from '../../support/test-server';

const MAIN = join(ROOT, 'dist', 'study', 'proxy', 'main.js');

const run = (...args: string[]): Command => Command.runFile(MAIN, ...args);

describe('the command of the naive proxy', () => {
  for (const [args, message] of [
    [[], '--to is missing: the port of the server'],
    [['--to', '0'], '--to takes a whole number from 1 to 65535, not "0"'],
    [
      ['--to', 'localhost:80'],
      '--to takes a whole number from 1 to 65535, not "localhost:80"',
    ],
    [
      ['--to', '1', '--port', '65536'],
      '--port takes a whole number from 0 to 65535, not "65536"',
    ],
    [
      ['--to', '1', '--timeout', '0'],
      '--timeout takes a whole number from 1 to 3600, not "0"',
    ],
    [['--to', '8000'], '--port and --to must differ'],
    [
      ['--to', '1', '--mistake', 'toString'],
      '--mistake takes one of content-length, transfer-encoding, ',
    ],
    [['--too', '1'], "Unknown option '--too'"],
    [['--to'], '--to needs a value'],
    [['8080'], "Unexpected argument '8080'"],
  ] as const) {
    it(`the message says what is wrong with ${JSON.stringify(args)}`, () => {
      expect(() => parseProxyOptions(args)).to.throw(UsageError, message);
    });
  }

  it('the command ends with 1 if its port is in use', async () => {
    const { port } = await serve();
    const command = run('--to', '1', '--port', String(port));
    expect(await command.exit).to.equal(1);
    expect(command.stderr).to.match(
      new RegExp(`^Port ${port} is in use: .* with --port .*\\n$`),
    );
  });

  it('the command makes its mistake until a signal ends it with 0', async () => {
    const server = await serve();
    const to = String(server.port);
    const command = run('--port', '0', '--to', to, '--mistake', 'space-before-colon');
    const client = await Client.connect(await command.port);
    const { content } = await client.ask('GET /tasks/1', 'X : y\\r\\n');
    expect(content).to.match(/^\{"error":"White space/);
    command.process.kill('SIGTERM');
    expect(await command.exit).to.equal(0);
    const [, ...lines] = command.stdout.split('\n');
    expect(lines).to.deep.equal([
      'Its mistake: it drops white space before a colon',
      'c1  request 1: GET /tasks/1, no content',
      '    mistake: it drops white space before a colon',
      raw`    cut: ...ET /tasks/1 HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n | nothing more`,
      'c1  response: 400 Bad Request',
      '',
    ]);
  });

  it('the command says if it makes no mistake, and goes on when its output is closed', async () => {
    const server = await serve();
    const command = run('--port', '0', '--to', String(server.port));
    const port = await command.port;
    await command.printed('stdout', /It makes no mistake\n/);
    command.process.stdout?.destroy();
    for (let count = 0; count < 3; count += 1) {
      const client = await Client.connect(port);
      expect((await client.ask('GET /tasks/1')).status).to.equal(200);
      client.end();
    }
  });
});
