/** Commands that send bytes: read, and run by the shells and the nc that are here. */
import { expect } from 'chai';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { writeScript, type Pieces } from '../../src/study/bytes';
import { readSent, toCommand } from '../../src/study/shell';
import { readActions } from '../support/actions';
import { EVERY_BYTE, raw } from '../support/bytes';

const GET = 'GET /tasks/1 HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** What a shell or printf could take for its own. */
const HOSTILE = `GET /%s%%\\n'"$HOME\`id\`;!! -n HTTP/1.1\r\nHost: a\r\n\r\n`;

const isHere = (name: string, option: string): boolean =>
  spawnSync(name, [option, ':']).error === undefined;
/** Each nc that is here: some machines have two of them, under their own names. */
const NAMES = ['nc', 'nc.openbsd', 'nc.traditional'].filter((name) => isHere(name, '-h'));
const SHELLS = ['sh', 'bash', 'dash'].filter((name) => isHere(name, '-c'));

if (NAMES.length === 0) console.log('No nc was found: "Copy as nc" is not tested with it.');

/** Runs the command for some pieces in a shell. @returns what a server got, and what the
 * shell printed */
async function run(shell: string, nc: string, pieces: Pieces) {
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
  const command = toCommand(writeScript(pieces), port).replace('| nc ', `| ${nc} `);
  const child = spawn(shell, ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('latin1').on('data', (text: string) => (printed += text));
  await once(child, 'close');
  server.close();
  return { got, printed };
}

describe('a command that sends bytes', () => {
  it('is written with the pauses of the bytes, and read again', () => {
    for (const pieces of [
      [EVERY_BYTE],
      ['-x', 300, '--'],
      [`%s %% '"$(x)\\n\\`, 1300, EVERY_BYTE],
    ]) {
      expect(readSent(toCommand(writeScript(pieces), 8080))).to.deep.equal(pieces);
    }
    // prettier-ignore
    for (const [text, command] of [
      ['', "printf '' | nc localhost 1"],
      ['a‖close‖', "printf 'a' | nc -N localhost 1"],
      ['a‖40‖b‖1210‖c',
        "(printf 'a'; sleep 0.1; printf 'b'; sleep 1.3; printf 'c') | nc localhost 1"],
      ['-x', raw`printf '\055x' | nc localhost 1`],
      ['‹ab\n × 5›', raw`printf 'ab\r\n%.0s' $(seq 5) | nc localhost 1`],
      ['a‹b × 5›', raw`(printf 'a'; head -c 5 /dev/zero | tr '\0' 'b') | nc localhost 1`],
    ] as const) expect(toCommand(text, 1)).to.equal(command);
  });
  it('is read as printf runs it', () => {
    for (const [command, printed] of [
      [raw`printf 'GET /%s\r\n' 1 2`, 'GET /1\r\nGET /2\r\n'],
      [raw`printf '%s%%\x41\101\\\v\f\t\0%.0s' a b c`, 'a%AA\\\v\f\t\0c%AA\\\v\f\t\0'],
    ] as const) {
      expect(readSent(`${command} | nc localhost 8080`)).to.deep.equal([printed]);
      const run = execFileSync('bash', ['-c', command], { encoding: 'latin1' });
      expect(run).to.equal(printed);
    }
  });
  it('in a script has its time, and a script of another kind is not read', () => {
    const script = "(sleep 2; printf 'a') | nc localhost 80 &\nsleep 1; kill -STOP $PID";
    const told = readActions(script).map(({ at, type }) => `${at} ${type}`);
    expect(told.join()).to.equal('0 connect,1 signal,2 send,2 end,Infinity finish');
    const piped = "printf 'a' | tr a b | nc localhost 80";
    for (const other of ['rm x', "printf 'a')", "(printf 'a'", piped, 'curl "$HOME"'])
      expect(() => readActions(other), other).to.throw('cannot be read');
  });

  for (const nc of NAMES) {
    for (const shell of SHELLS) {
      it(`sends every byte unchanged, run by ${shell} with ${nc}`, async () => {
        expect(await run(shell, nc, [HOSTILE])).to.include({ got: HOSTILE });
        const halves = [GET.slice(0, 7), 300, GET.slice(7) + EVERY_BYTE];
        const { got, printed } = await run(shell, nc, halves);
        expect(got).to.equal(GET + EVERY_BYTE);
        expect(printed).to.equal('it was all here');
      });
    }
  }
});
