/** Commands that send bytes: read, and run by the shells and the nc that are here. */
import { expect } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readActions, readSent, toCommand } from '../../src/study/shell';
import { raw } from '../support/bytes';

const ALL = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('');
const GET = 'GET /tasks/1 HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Each nc that is here: some machines have two of them, under their own names. */
const NAMES = ['nc', 'nc.openbsd', 'nc.traditional'].filter(
  (name) => spawnSync(name, ['-h']).error === undefined,
);
const SHELLS = ['sh', 'bash', 'dash'].filter(
  (name) => spawnSync(name, ['-c', ':']).error === undefined,
);

if (NAMES.length === 0) console.log('No nc was found: "Copy as nc" is not tested with it.');

/** Runs the command for some pieces in a shell. @returns what a server got, and what the
 * shell printed */
async function run(shell: string, nc: string, pieces: readonly (string | number)[]) {
  const bytes = pieces.filter((piece) => typeof piece === 'string').join('');
  let got = '';
  const server = createServer((socket) => {
    socket.on('error', () => {}); // nc may be gone before it reads the response
    socket.setEncoding('latin1').on('data', (text: string) => {
      got += text;
      if (got.length >= bytes.length) socket.end('it was all here');
    });
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const command = toCommand(pieces, port).replace('| nc ', `| ${nc} `);
  const child = spawn(shell, ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('latin1').on('data', (text: string) => (printed += text));
  await once(child, 'close');
  server.close();
  return { got, printed };
}

describe('a command that sends bytes', () => {
  it('is written with the pauses of the bytes, and read again', () => {
    for (const pieces of [[ALL], ['-x', 300, '--'], [`%s %% '"$(x)\\n\\`, 1300, ALL]]) {
      expect(readSent(toCommand(pieces, 8080))).to.deep.equal([pieces]);
    }
    expect(toCommand(['a'], 1, true)).to.equal("printf 'a' | nc -N localhost 1");
    expect(toCommand(['a', 40, 'b', 1210, 'c'], 1)).to.equal(
      "(printf 'a'; sleep 0.1; printf 'b'; sleep 1.3; printf 'c') | nc localhost 1",
    );
  });
  it('is run by printf as it is read', () => {
    for (const [command, printed] of [
      [raw`printf 'GET /%s\r\n' 1 2`, 'GET /1\r\nGET /2\r\n'],
      [raw`printf '%s%%\x41\101\\\v\f\t\0%.0s' a b c`, 'a%AA\\\v\f\t\0c%AA\\\v\f\t\0'],
    ] as const) {
      const sends = readActions(`${command} | nc localhost 8080`);
      expect(sends[1], command).to.deep.include({ type: 'send', bytes: printed });
      expect(execFileSync('bash', ['-c', command], { encoding: 'latin1' })).to.equal(
        printed,
      );
    }
  });
  it('in a script has its time, and a script of another kind is not read', () => {
    const script = "(sleep 2; printf 'a') | nc localhost 80 &\nsleep 1; kill -STOP $PID";
    expect(readActions(script).map(({ at, type }) => [at, type])).to.deep.equal([
      [0, 'connect'],
      [1, 'signal'],
      [2, 'send'],
      [2, 'end'],
      [Infinity, 'finish'],
    ]);
    expect(() => readActions('rm x')).to.throw('cannot be read: rm');
  });
});

for (const nc of NAMES) {
  for (const shell of SHELLS) {
    describe(`"Copy as nc", run by ${shell} with ${nc},`, () => {
      it('sends every byte as it is', async () => {
        const { got, printed } = await run(shell, nc, [ALL]);
        expect(got).to.equal(ALL);
        expect(printed).to.equal('it was all here');
      });
      it('sends what a shell or printf could take for its own', async () => {
        const hostile = `GET /%s%%\\n'"$HOME\`id\`;!! -n HTTP/1.1\r\nHost: a\r\n\r\n`;
        expect((await run(shell, nc, [hostile])).got).to.equal(hostile);
      });
      it('sends pieces with a pause between them as one request', async () => {
        const { got } = await run(shell, nc, [GET.slice(0, 7), 300, GET.slice(7)]);
        expect(got).to.equal(GET);
      });
    });
  }
}
