/** "Copy as nc": the command, run by a shell, sends the bytes. */
import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { toCommand } from '../../../src/page/model/send';

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
