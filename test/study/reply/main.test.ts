import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../src/command/arguments';
import { judgeClient } from '../../../src/study/reply/expectation';
import { parseReplyOptions } from '../../../src/study/reply/options';
import { Command, MAIN } from '../../support/command';
import { ROOT } from '../../support/page';

const REPLY = join(ROOT, 'dist', 'study', 'reply', 'main.js');
const run = (...args: string[]) =>
  spawnSync(process.execPath, [REPLY, ...args], { encoding: 'utf8' });

/** A client that takes whatever arrives. */
const NAIVE = `fetch(process.argv[1]).then((response) => response.body.getReader().read())
  .then(() => process.exit(), () => process.exit(1))`;

describe('npm run reply', () => {
  it('prints its cases, and one of them', () => {
    expect(run('--show').stdout).to.match(/^plain +valid +9112 6\.3 +A length/);
    expect(run('--show', 'two-responses').stdout).to.match(
      /^# Two responses.*\n# A client takes 200 OK with 5 bytes.*\nHTTP\/1\.1 200 OK\n/,
    );
  });

  it('rejects what is no case and no file, with code 2 and in a line', () => {
    const { status, stderr, stdout } = run('nowhere');
    const problem =
      'No case and no file is named "nowhere": --show lists the cases (see --help)\n';
    expect({ status, stderr, stdout }).to.deep.equal({
      status: 2,
      stderr: problem,
      stdout: '',
    });
  });
  for (const [args, problem] of [
    [['plain', 'chunks'], 'Only one case or file at a time'],
    [['--expect', 'plain'], '--expect and a COMMAND after -- go together'],
    [['plain', '--', 'x'], '--expect and a COMMAND after -- go together'],
    [['--expect', '--', 'x'], 'COMMAND names neither {url} nor {port}'],
    [['--port', 'x'], '--port takes a whole number from 0 to 65535, not "x"'],
    [['--host='], '--host takes an address, not ""'],
  ] as const) {
    it(`rejects ${args.join(' ')}`, () =>
      expect(() => parseReplyOptions(args)).to.throw(UsageError, problem));
  }

  it('sends the response of a file, and ends with code 0 at a signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reply-'));
    try {
      writeFileSync(
        join(folder, 'a.http'),
        'HTTP/1.1 200 OK\r\nContent-Length: 5x\n\nhello‖close‖\n',
      );
      const command = Command.runFile(REPLY, '--port', '0', join(folder, 'a.http'));
      const client = await command.client();
      client.send('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
      const { rest } = await client.end().closed();
      expect(rest).to.equal('HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello');
      expect(command.stdout).to.match(
        /^# The response of a file \(MUST reject: RFC 9112 section 6\.3\)/m,
      );
      await command.printed('stdout', /^c1 closes after 44 bytes$/m);
      command.process.kill('SIGTERM');
      expect(await command.exit).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('runs a client, and exits with 1 if it takes what it must reject', () => {
    const client = ['--port', '0', '--', process.execPath, '-e', NAIVE, '{url}'];
    const wrong = run('--expect', 'content-short', ...client);
    expect(wrong.stdout).to.match(
      /^WRONG content-short: takes \(MUST reject, 9112 6\.3\)$/m,
    );
    expect(wrong.status).to.equal(1);
    const right = run('--expect', 'plain', ...client);
    expect(right.stdout).to.match(
      /^right plain: takes \(valid, 9112 6\.3\)\n1 right, 0 wrong$/m,
    );
    expect(right.status).to.equal(0);
    const missing = run(
      '--expect',
      'plain',
      '--port',
      '0',
      '--',
      '/no/such/client',
      '{url}',
    );
    expect(missing.stderr).to.match(/^The client cannot be started: [^\n]+ENOENT\n$/);
    expect(missing.status).to.equal(1);
  });

  it('ends a client that hangs, with what it has started', () => {
    const inBackground = `"$0" -e 'fetch(process.argv[1])' "$1" & wait`;
    const client = ['sh', '-c', inBackground, process.execPath, '{url}'];
    const { status, stdout } = run(
      '--expect',
      'silence',
      '--patience',
      '1',
      '--port',
      '0',
      '--',
      ...client,
    );
    expect(stdout).to.match(/^WRONG silence: hangs \(either, 9112 9\.5\)$/m);
    expect(status).to.equal(1);
  });

  it('is not loaded by the command of the server', () => {
    const script = `process.argv = ['', '', '--help'];
      require(${JSON.stringify(MAIN)});
      console.error(Object.keys(require.cache).join('\\n'));`;
    const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr)
      .to.match(/server\.js/)
      .and.not.match(/study/);
  });
});

describe('the verdict on a client', () => {
  const report = {
    connection: 1,
    requests: ['GET /'],
    sent: 5,
    end: 'closed',
    misuse: undefined,
  } as const;
  // prettier-ignore
  for (const [asks, result, isRight] of [
    ['MUST reject', 'takes', false], ['MUST reject', 'rejects', true],
    ['MUST take', 'rejects', false], ['valid', 'rejects', false], ['valid', 'takes', true],
    ['SHOULD take', 'rejects', true], ['either', 'takes', true], ['either', 'hangs', false],
  ] as const) {
    it(`a client that ${result} is ${isRight ? 'right' : 'wrong'} with "${asks}"`, () => {
      const one = { asks, name: 'x', section: '9112 1' };
      expect(judgeClient(one, result, [report]).isRight).to.equal(isRight);
    });
  }
  it('a client that asks nothing, or uses a connection that it must not use, is wrong', () => {
    const one = { asks: 'either', name: 'x', section: '9112 1' } as const;
    expect(judgeClient(one, 'takes', []).says).to.match(/^WRONG .*, without a request$/);
    const head = judgeClient({ ...one, method: 'HEAD' }, 'takes', [report]);
    expect(head.says).to.match(/^WRONG .*, without a HEAD request$/);
    const misused = judgeClient(one, 'takes', [{ ...report, misuse: 'why' }]);
    expect(misused.says).to.match(/^WRONG .*, and uses the connection again: why$/);
  });
});
