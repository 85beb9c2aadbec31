import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { GROUPS, readCase, requestOf } from '../../../src/study/cases';
import { toSteps } from '../../../src/study/shell';
import { listen, probe, runProbe } from '../../support/probed-servers';
import { serve } from '../../support/test-server';

const CASES = GROUPS.flatMap(({ cases }) => cases);

describe('the probe', () => {
  describe('of this server', () => {
    it('the probe finds nothing wrong with this server, and no gap', async () => {
      const { port } = await serve();
      const { code, stdout } = await probe(`127.0.0.1:${port}`);
      expect(stdout).to.include(
        'It accepts nothing that a MUST rejects.\nIt rejects no valid request.\nIt accepts 0 of',
      );
      expect(stdout).to.include('\nNo gap: ');
      expect(stdout).to.not.include('Its responses');
      expect(code).to.equal(0);
      for (const { name } of CASES) expect(stdout).to.match(new RegExp(`^  ${name} `, 'm'));
    });
  });

  describe('of node:http', () => {
    it('this server and node:http agree where each valid request ends', async () => {
      const server = createServer((request, response) => {
        request.resume().on('end', () => response.end('ok'));
      });
      const address = await listen(server);
      const { code, stdout } = await probe(address, '--only', 'valid');
      expect(stdout).to.match(/^ {2}chunked +valid +9112 7\.1 +200 open +200 open /m);
      expect(stdout)
        .to.include('\nNo gap: ')
        .and.match(/^[\n -~…]*$/);
      expect(code).to.equal(0);
    });

    it('the probe of node:http exits with 1, because node:http accepts a second Host', async () => {
      const address = await listen(createServer((_, response) => void response.end('ok')));
      const { code, stdout } = await probe(address, '--only', 'two-equal-hosts');
      expect(stdout).to.match(
        /^ {2}two-equal-hosts +MUST +9112 3\.2 +400 closed +200 open !/m,
      );
      expect(stdout).to.include(
        'It breaks 1 MUST:\n  RFC 9112 3.2     two-equal-hosts: More than',
      );
      expect(code).to.equal(1);
    });
  });

  it('a case that needs an option of ours is not sent to another server', async () => {
    const { port } = await serve();
    const { code, stdout, stderr } = await runProbe(
      `127.0.0.1:${port}`,
      '--only',
      'slow-request',
    );
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.match(
      /^ {2}slow-request +ours +9110 15\.5\.9 +408 closed +not sent/m,
    );
    expect(stdout).to.not.contain('It accepts 0 of the 0');
  });

  it('what cannot be probed gets one line, and exit code 2', async () => {
    const { code, stdout, stderr } = await runProbe('127.0.0.1:1');
    expect(stderr).to.match(/^Cannot probe 127\.0\.0\.1:1: [ -~]+\n$/);
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
  });

  it('--show prints a case as a command', async () => {
    const { stdout } = await runProbe(
      '--show',
      'space-before-colon',
      '[::1]:80',
      '--host',
      'b',
    );
    expect(stdout).to
      .equal(`# space-before-colon: White space between a field name and the colon
# 400 at this server (required by: RFC 9112 section 5.1)
printf 'GET / HTTP/1.1\\r\\nHost : b\\r\\n\\r\\n' | nc ::1 80
`);
  });

  it('--show closes the sending side where the case does', async () => {
    const { stdout } = await runProbe('--show', 'half-a-request');
    expect(stdout).to.match(/ \| nc -N localhost 8080\n$/);
  });

  it('the command of each case prints its bytes', () => {
    const script = CASES.flatMap((one) => toSteps(readCase(one).text)).join('\n');
    const { stdout } = spawnSync('bash', ['-c', script], { maxBuffer: 2 ** 22 });
    let rest = stdout.toString('latin1');
    for (const one of CASES) {
      const request = requestOf(one);
      expect(rest.startsWith(request), one.name).to.equal(true);
      rest = rest.slice(request.length);
    }
    expect(rest).to.equal('');
  });
});
