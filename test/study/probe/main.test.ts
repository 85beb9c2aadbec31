import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { GROUPS, requestOf, toShell } from '../../../src/study/probe/cases';
import { listen, runProbe, talking } from '../../support/probed-servers';
import { serve } from '../../support/test-server';

const CASES = GROUPS.flatMap(({ cases }) => cases);
const DATE = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n';
const PLAIN = `HTTP/1.1 200 OK\r\n${DATE}Content-Length: 2\r\n\r\nok`;
const isPlainRequest = (bytes: Buffer): boolean =>
  /^[A-Z]+ \/ [^]*: close\r\n\r\n$/.test(String(bytes));

/** A server that goes by Content-Length alone, and rejects what does not begin like a request. */
function naive(): Promise<string> {
  const received = new WeakMap<object, string>();
  return talking((socket, bytes) => {
    let text = (received.get(socket) ?? '') + bytes.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const head = text.slice(0, end);
      const length = Number(/^Content-Length: (\d+)$/m.exec(head)?.[1] ?? 0);
      if (!/^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(head)) {
        return void socket.end(
          'HTTP/1.1 400 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        );
      }
      if (text.length < end + 4 + length) break;
      text = text.slice(end + 4 + length);
      const closes = /^Connection: close$/m.test(head);
      socket.write(closes ? PLAIN.replace('\r\n', '\r\nConnection: close\r\n') : PLAIN);
      if (closes) return void socket.end();
    }
    received.set(socket, text);
  });
}

describe('the probe', () => {
  describe('of this server', () => {
    it('the probe finds nothing wrong with this server, and no gap', async () => {
      const { port } = await serve();
      const { code, stdout, stderr } = await runProbe(`127.0.0.1:${port}`);
      expect(stdout).to.include(
        'It breaks no MUST.\nIt rejects no valid request.\nIt accepts 0 of',
      );
      expect(stdout).to.include('\nNo gap: ');
      expect(stdout).to.not.include('Its responses');
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      for (const { name } of CASES) expect(stdout).to.match(new RegExp(`^  ${name} `, 'm'));
    });
  });

  describe('of node:http', () => {
    it('this server and node:http agree where each valid request ends', async () => {
      const server = createServer((request, response) => {
        request.resume().on('end', () => response.end('ok'));
      });
      const address = await listen(server);
      const { code, stdout } = await runProbe(address, '--json', '--only', 'valid');
      expect(stdout).to.match(/^[\n -~]*$/);
      const { servers, cases } = JSON.parse(stdout);
      expect(servers).to.have.lengthOf(2);
      const chunked = cases.find(({ name }: { name: string }) => name === 'chunked');
      const reading = {
        result: 'accepted',
        statuses: [200],
        end: 'open',
        requests: 1,
        note: '',
        faults: [],
      };
      expect(chunked.readings).to.deep.equal([
        { ...reading, mistake: '' },
        { ...reading, mistake: '' },
      ]);
      expect(cases.filter(({ gap }: { gap: boolean }) => gap)).to.deep.equal([]);
      expect(code).to.equal(0);
    });

    it('the probe of node:http exits with 1, because node:http accepts a second Host', async () => {
      const address = await listen(createServer((_, response) => void response.end('ok')));
      const { code, stdout } = await runProbe(address, '--only', 'two-equal-hosts');
      expect(stdout).to.match(
        /^ {2}two-equal-hosts +MUST +9112 3\.2 +400 closed +200 open !/m,
      );
      expect(stdout).to.include(
        'It breaks 1 MUST:\n  RFC 9112 3.2     two-equal-hosts: More than',
      );
      expect(code).to.equal(1);
    });
  });

  it('the probe finds the gaps of a server that goes by Content-Length alone', async () => {
    const { code, stdout } = await runProbe(await naive(), '--only', '9112 7.1');
    expect(stdout).to.match(
      /^ {2}chunked +valid +9112 7\.1 +200 open +200 400 closed +GAP/m,
    );
    expect(stdout).to.match(/^\d+ gaps between this server and that server:$/m);
    expect(code).to.equal(0);
  });

  it('--compare finds the gaps between two other servers', async () => {
    const node = await listen(createServer((_, response) => void response.end('ok')));
    const other = await naive();
    const { stdout } = await runProbe(node, '--compare', other, '--only', 'chunked-empty');
    expect(stdout).to.include(`1 gap between ${node} and ${other}:`);
  });

  it('a case that needs an option of ours is not sent to another server', async () => {
    const { port } = await serve();
    const { stdout } = await runProbe(`127.0.0.1:${port}`, '--only', 'slow-request');
    expect(stdout).to.match(
      /^ {2}slow-request +ours +9110 15\.5\.9 +408 closed +not sent/m,
    );
  });

  it('a server that closes after an early response has rejected the case', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'POST' ? 405 : 200, { Allow: 'GET' }).end();
    });
    const { stdout } = await runProbe(await listen(server), '--only', 'chunk-too-long');
    expect(stdout).to.match(/^ {2}chunk-too-long .* 405 (?:400 )?closed /m);
    expect(stdout).to.include('It accepts 0 of the 1 requests that a server may reject.');
  });

  it('what a server does with content that it never reads is not judged', async () => {
    const address = await talking((socket, bytes) => {
      const status = String(bytes).startsWith('POST') ? '501 x' : '200 OK';
      const response = PLAIN.replace('200 OK', `${status}\r\nConnection: close`);
      socket.end(response);
    });
    const { code, stdout } = await runProbe(address, '--only', '9112 6.3');
    expect(stdout).to.match(/^ {2}identity-coding .* 501 closed \?/m);
    expect(stdout).to.match(/It breaks no MUST\.[^]*\d+ cases cannot be seen\./);
    expect(code).to.equal(0);
  });

  it('the probe finds broken rules of responses', async () => {
    const address = await talking((socket, bytes) => {
      const closes = isPlainRequest(bytes) ? 'Connection: close\r\n' : '';
      const isGet = String(bytes).startsWith('GET / HTTP/1.1');
      socket.write(`HTTP/1.1 ${isGet ? 200 : 405} x\r\n${closes}Content-Length: 0\r\n\r\n`);
      if (closes !== '') socket.end();
    });
    const { code, stdout } = await runProbe(address, '--only', 'options-with-content');
    expect(stdout).to.include(
      'Its responses: RFC 9110 15.5.6 allow: A 405 response without',
    );
    expect(stdout).to.include('Its responses: RFC 9110 6.6.1 date: ');
    expect(code).to.equal(1);
  });

  it('a server without Date breaks no MUST, because it may have no clock', async () => {
    const address = await talking((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
    );
    const { code, stdout } = await runProbe(address, '--only', 'query');
    expect(stdout).to.include('date: ');
    expect(code).to.equal(0);
  });

  it('a server that never stops sending gets one short line a case', async () => {
    const address = await talking((socket, bytes) => {
      const closing = PLAIN.replace('\r\n', '\r\nConnection: close\r\n');
      if (isPlainRequest(bytes)) return void socket.end(closing);
      socket.write(PLAIN.repeat(20_000));
    });
    const { stdout } = await runProbe(address, '--only', 'smuggling', '--json');
    const { cases } = JSON.parse(stdout);
    expect(cases[0].readings[1]).to.include({ result: 'unreadable' });
    expect(cases[0].readings[1].note).to.equal('it sends more than 10 responses');
    expect(stdout.length).to.be.below(100_000);
  });

  for (const [tag, has, hasNot] of [
    ['smuggling', 'length-and-chunked', 'no-host'],
    ['flooding', 'long-target', 'length-and-chunked'],
    ['injection', 'nul-in-field-value', 'get'],
  ] as const) {
    it(`--only ${tag} sends the cases of that attack`, async () => {
      const { port } = await serve();
      const { stdout } = await runProbe(`127.0.0.1:${port}`, '--only', tag);
      expect(stdout).to.match(new RegExp(`^  ${has} `, 'm'));
      expect(stdout).to.not.match(new RegExp(`^  ${hasNot} `, 'm'));
    });
  }

  it('no POST is sent to a server that responds to every POST with 400', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.method === 'POST' ? 400 : 200).end();
    });
    const { stdout } = await runProbe(await listen(server), '--only', 'chunked-empty');
    expect(stdout).to.match(/^ {2}chunked-empty .*not sent/m);
    expect(stdout).to.include('POST was not sent');
  });

  describe('what cannot be probed gets one line, and exit code 2', () => {
    const endless = (start: string) => (): Promise<string> =>
      talking((socket) => {
        socket.write(start);
        const more = (): void => {
          while (socket.writable && socket.write('x'.repeat(65_536)));
        };
        socket.on('drain', more);
        more();
      });
    for (const [what, start, why] of [
      ['nobody', async () => '127.0.0.1:1', /nobody listens there/],
      [
        'silence',
        () => talking(() => {}),
        /does not respond to a plain GET within 3 seconds/,
      ],
      [
        'a closed door',
        () => talking((socket) => socket.end()),
        /closes the connection without/,
      ],
      [
        'control characters',
        () => talking((socket) => socket.end('\x1b[31m\x9b\0\r\n', 'latin1')),
        /does not speak HTTP\/1\.x, but sends "\\x1b\[31m\\x9b\\x00\\r\\n"/,
      ],
      [
        'a TLS alert',
        () => talking((socket) => socket.end('\x15\x03\x01\0\x02\x02\x46', 'latin1')),
        /: it speaks TLS there, and the probe sends plain HTTP$/m,
      ],
      [
        'a TLS server that explains itself in HTTP',
        () =>
          talking((socket, bytes) => {
            const isTls = bytes[0] === 0x16 && bytes.readUInt16BE(3) === bytes.length - 5;
            if (isTls) socket.end('\x16\x03\x03\0\x02\x02\0', 'latin1');
            else socket.end('HTTP/1.1 400 x\r\nContent-Length: 0\r\n\r\n');
          }),
        /: it speaks TLS there/,
      ],
      ['endless bytes', endless('x'), /does not speak HTTP/],
      ['an endless response', endless('HTTP/1.1 200 x\r\n\r\n'), /more than 1048576 bytes/],
      [
        '100 MB',
        endless('HTTP/1.1 200 x\r\nContent-Length: 100000000\r\n\r\n'),
        /more than 1048576 bytes/,
      ],
      ['endless field lines', endless('HTTP/1.1 200 x\r\nA: '), /more than 1048576 bytes/],
      [
        'endless interim responses',
        endless('HTTP/1.1 100 x\r\n\r\n'.repeat(9999)),
        /1\.x|more than/,
      ],
      [
        'a wrong Host',
        () =>
          talking((socket) => socket.end('HTTP/1.1 421 x\r\nContent-Length: 0\r\n\r\n')),
        /responds with 421 to a plain GET with "Host: a".*--host/,
      ],
    ] as const) {
      it(`${what} cannot be probed, as one line says`, async () => {
        const { code, stdout, stderr } = await runProbe(await start());
        expect(stderr).to.match(/^Cannot probe 127\.0\.0\.1:\d+: [ -~]+\n$/);
        expect(stderr).to.match(why);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      });
    }
  });

  it('nothing that a server sends reaches the terminal raw', async () => {
    const address = await talking((socket, bytes) => {
      const response = PLAIN.replace(
        '\r\n',
        '\r\nServer: \x1b[31m\x9b\r\nConnection: close\r\n',
      );
      socket.end(isPlainRequest(bytes) ? response : '\x1b]0;title\x07\x9b31m', 'latin1');
    });
    const { stdout } = await runProbe(address, '--only', 'host');
    expect(stdout).to.match(/^[\n -~…]*$/);
    expect(stdout).to.include('\\x1b[31m\\x9b at 127.0.0.1');
    expect(stdout).to.match(/^ {2}two-hosts .* no status line/m);
  });

  describe('a mistake on the command line gets one line, and exit code 2', () => {
    for (const [args, why] of [
      [[], /name a server/],
      [['8080'], /HOST:PORT/],
      [['http://localhost:80/'], /HOST:PORT/],
      [['a:0'], /HOST:PORT/],
      [['a:80', 'b:80'], /one server at a time/],
      [['a:80', '--compare', 'b'], /HOST:PORT/],
      [['a:80', '--only', 'no-such-word'], /no case has the word "no-such-word"/],
      [['a:80', '--host', 'a b'], /--host/],
      [['--show', 'pipelin'], /perhaps pipelined, /],
      [['\x1b[31m'], /\\x1b\[31m/],
      [['--no-such-option'], /--no-such-option/],
      [['--\x1b[31m'], /Unknown option '--\\x1b\[31m'/],
    ] as const) {
      it(`${args.join(' ').replace('\x1b', '\\x1b') || 'no argument'} is explained`, async () => {
        const { code, stdout, stderr } = await runProbe(...args);
        expect(stderr).to.match(/^[ -~]+ \(see --help\)\n$/);
        expect(stderr).to.match(why);
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' });
      });
    }
  });

  it('--help fits into 80 columns', async () => {
    const { code, stdout } = await runProbe('--help');
    expect(stdout).to.match(/^Usage: npm run probe -- HOST:PORT \[options\]\n/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).to.deep.equal([]);
    expect(code).to.equal(0);
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
printf '%b' 'GET / HTTP/1.1\\r\\nHost : a\\r\\n\\r\\n' | nc ::1 80
`);
  });

  it('the command of each case prints its bytes', () => {
    const script = CASES.map((one) => toShell(one)).join('\n');
    const { stdout } = spawnSync('bash', ['-c', script], { maxBuffer: 2 ** 22 });
    let rest = stdout.toString('latin1');
    for (const one of CASES) {
      const request = requestOf(one);
      expect(rest.startsWith(request), one.name).to.equal(true);
      rest = rest.slice(request.length);
    }
    expect(rest).to.equal('');
  });

  it('each case has a name of its own', () => {
    const names = CASES.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.filter((name) => !/^[a-z0-9-]{3,26}$/.test(name))).to.deep.equal([]);
  });
});
