import { expect } from 'chai';
import { join } from 'node:path';
import { UsageError } from '../../../src/command/arguments';
import { parseWorkbenchOptions } from '../../../src/study/workbench/options';
import { Command } from '../../support/command';
import { ROOT } from '../../support/page';
import { serve } from '../../support/test-server';

const MAIN = join(ROOT, 'dist', 'study', 'workbench', 'main.js');
const run = (...args: string[]): Command => Command.runFile(MAIN, ...args);

describe('the command of the workbench', () => {
  for (const [args, message] of [
    [['--port', '65536'], '--port takes a whole number from 0 to 65535, not "65536"'],
    [['--page-port', 'x'], '--page-port takes a whole number from 0 to 65535, not "x"'],
    [['--port', '80', '--page-port', '80'], '--port and --page-port must differ'],
    [['--host', '0.0.0.0'], 'There is no option --host'],
    [['8080'], 'Unexpected argument "8080"'],
  ] as const) {
    it(`says what is wrong with ${args.join(' ')}`, () => {
      expect(() => parseWorkbenchOptions(args)).to.throw(UsageError, message);
    });
  }

  for (const [option, other] of [
    ['--port', '--page-port'],
    ['--page-port', '--port'],
  ] as const) {
    it(`ends with 1 if the port of ${option} is in use, and says so in one line`, async () => {
      const { port } = await serve();
      const command = run(option, String(port), other, '0');
      expect(await command.exit).to.equal(1);
      expect(command.stdout).to.equal('');
      expect(command.stderr).to.equal(
        `Port ${port} is in use: stop the program that is using it, or choose another ` +
          `port with ${option} (0 lets the system choose)\n`,
      );
    });
  }

  it('says where it is, and ends while a server is being made', async () => {
    const command = run('--port', '0', '--page-port', '0');
    await command.printed('stdout', /Control-C\n/);
    const said =
      /^The workbench is at http:\/\/(127\.0\.0\.1:\d+)\/\nIt sends to .* until Control-C\n$/;
    expect(command.stdout).to.match(said);
    const [, host = ''] = said.exec(command.stdout) ?? [];
    const page = await fetch(`http://${host}/`);
    const [, token = ''] = /id="token" value="([\w-]{32})"/.exec(await page.text()) ?? [];
    const headers = { 'Workbench-Token': token, Origin: `http://${host}` };
    const method = 'POST';
    const chosen = await fetch(`http://${host}/server?name=1`, { method, headers });
    expect(chosen.status).to.equal(204);
    command.process.kill('SIGINT');
    expect(await command.exit).to.equal(0);
    expect(command.stderr).to.equal('');
    expect(command.stdout).to.match(said); // and nothing more
  });
});
