import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../../src/command/arguments';
import { judgeClient, runClient } from '../../../src/study/reply/expectation';
import { parseReplyOptions } from '../../../src/study/reply/options';
import { Command, inThread, MAIN } from '../../support/command';
import { hasPython } from '../../support/not-run';
import { Page, ROOT } from '../../support/page';

const REPLY = join(ROOT, 'dist', 'study', 'reply', 'main.js');
const CLIENT = join(__dirname, 'faulty-client.py');

const run = (...args: string[]) => inThread(REPLY, args).ended();

/** A client that takes whatever arrives. */
const NAIVE = [
  ...['bash', '-c'],
  `exec 3<>"/dev/tcp/127.0.0.1/{port}"; printf 'GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n' >&3
  read -r line <&3`,
];

describe('npm run reply', () => {
  it('prints its cases, and one of them', async () => {
    expect((await run('--show')).stdout).to.match(/^plain +valid +9112 6\.3 +A length/);
    expect((await run('--show', 'two-responses')).stdout).to.match(
      /^# Two responses.*\n# A client takes 200 OK with 5 bytes.*\nHTTP\/1\.1 200 OK\n/,
    );
  });

  it('rejects what is no case and no file, with code 2 and in a line', async () => {
    const problem =
      'No case and no file is named "nowhere": --show lists the cases (see --help)\n';
    expect(await run('nowhere')).to.deep.equal({ code: 2, stderr: problem, stdout: '' });
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
    const file = join(folder, 'a.http');
    try {
      writeFileSync(file, 'HTTP/1.1 200 OK\r\nContent-Length: 5x\n\nhello‖close‖\n');
      const command = Command.runFile(REPLY, '--port', '0', file);
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

  it('is not loaded by the command of the server', () => {
    const script = `process.argv = ['', '', '--help'];
      require(${JSON.stringify(MAIN)});
      console.error(Object.keys(require.cache).join('\\n'));`;
    const { stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect(stderr).to.match(/server\.js/);
    expect(stderr).to.not.match(/study/);
  });
});

describe('npm run reply -- --expect', () => {
  for (const [name, code, command, said] of [
    ['content-short', 1, NAIVE, /^WRONG content-short: takes \(MUST reject, 9112 6\.3\)$/m],
    ['plain', 0, NAIVE, /^right plain: takes \(valid, 9112 6\.3\)\n1 right, 0 wrong$/m],
    ['plain', 1, ['/no/such/client', '{url}'], /^The client cannot be started: .*ENOENT$/m],
  ] as const) {
    it(`exits with ${code}, and says ${said.source}`, async () => {
      const options = ['--expect', name, '--patience', '1', '--port', '0'];
      const ended = await run(...options, '--', ...command);
      expect(ended.stdout + ended.stderr).to.match(said);
      expect(ended.code).to.equal(code);
    });
  }

  it('ends a client that hangs, with what it has started', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'reply-'));
    const file = join(folder, 'pid');
    const command = ['sh', '-c', `sleep 60 & echo $! > ${file}; wait`];
    expect(await runClient(command, 0.5)).to.equal('hangs');
    expect(await runClient(['sh', '-c', 'exit 3'], 5)).to.equal('rejects');
    const child = `/proc/${readFileSync(file, 'utf8').trim()}/status`;
    expect(spawnSync('grep', ['-E', 'State:\\s[^Z]', child]).status).to.not.equal(0);
    rmSync(folder, { recursive: true });
  });

  /** Without Python, nothing is lost but what this client shows. */
  if (hasPython()) {
    const commands = new Page('README.md').blocks.find(({ text }) =>
      text.includes('--expect'),
    );
    for (const [at, fault] of ['length', 'end', 'silence'].entries()) {
      it(`finds the fault "${fault}" as the README says, and none in a mended client`, async () => {
        const [, , , , ...args] = commands?.text.split('\n')[at]?.split(' ') ?? [];
        const command = args.map((arg) => (arg === 'client.py' ? CLIENT : arg));
        const [wrong, right] = await Promise.all([
          run('--port', '0', ...command),
          run('--port', '0', ...command, fault),
        ]);
        expect(wrong.stdout).to.match(/^WRONG .*\n0 right, 1 wrong\n$/m);
        expect(wrong.code).to.equal(1);
        expect(right.stdout).to.match(/^right .*\n1 right, 0 wrong\n$/m);
        expect(right.code).to.equal(0);
      });
    }
  }
});

describe('the verdict on a client', () => {
  const about = { connection: 1, requests: ['GET /'], sent: 5 };
  const report = { ...about, misuse: undefined, end: 'closed' } as const;
  const one = { asks: 'either', name: 'x', section: '9112 1' } as const;
  // prettier-ignore
  for (const [asks, result, isRight] of [
    ['MUST reject', 'takes', false], ['MUST reject', 'rejects', true],
    ['MUST take', 'rejects', false], ['valid', 'rejects', false], ['valid', 'takes', true],
    ['SHOULD take', 'rejects', true], ['either', 'takes', true], ['either', 'hangs', false],
  ] as const) {
    it(`a client that ${result} is ${isRight ? 'right' : 'wrong'} with "${asks}"`, () =>
      expect(judgeClient({ ...one, asks }, result, [report]).isRight).to.equal(isRight));
  }
  // prettier-ignore
  for (const [why, about, reports] of [
    ['without a request', {}, []], ['without a HEAD request', { method: 'HEAD' }, [report]],
    ['and uses the connection again: why', {}, [{ ...report, misuse: 'why' }]],
  ] as const) {
    it(`a client is wrong ${why}`, () =>
      expect(judgeClient({ ...one, ...about }, 'takes', reports).says)
        .to.match(/^WRONG /).and.include(`, ${why}`));
  }
});
