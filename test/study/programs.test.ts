/** The programs of the studies: their help, and who can reach them. Their servers lack a
 * defence, or limits. */
import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inThread } from '../support/command';
import { ROOT } from '../support/page';

/** The programs, and what the help of each tells of. */
const HELP = {
  lab: ['--play', '--trace', '--free-ports'],
  probe: ['--only WORD', '--host NAME', '--show NAME'],
  reply: ['--show', '--expect', '--port N', '--host H', '--trace'],
  workbench: ['--port N', '--page-port N'],
};

/** Those that listen, their arguments, and when they do. */
const LISTENING = [
  ['echo', ['0'], /Echo service on port (\d+)\n/],
  ['lab', ['1', '--free-ports'], /with (\d+) in place of every (\d+)/],
  ['reply', ['--port', '0'], /Listening on port (\d+): /],
  ['workbench', ['--port', '0', '--page-port', '0'], /:(\d+)\/\nIt sends to [^\n]*?(\d+)/],
] as const;

/** Addresses of this machine that are not 127.0.0.1. */
const OTHERS = ['127.0.0.2', '::1'];

const start = (name: string, args: readonly string[]) =>
  inThread(join(ROOT, 'dist', 'study', name, 'main.js'), args);

async function reach(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  const [reached] = await Promise.allSettled([once(socket, 'connect')]);
  socket.destroy();
  return reached.status === 'fulfilled';
}

describe('the programs of the studies', () => {
  for (const [name, told] of Object.entries(HELP)) {
    it(`${name} prints what it does and its options for --help`, async () => {
      const program = start(name, ['--help']);
      expect(await program.exit).to.equal(0);
      expect(program.stderr).to.equal('');
      const stdout = Buffer.from(program.stdout, 'latin1').toString();
      expect(stdout).to.match(new RegExp(`^Usage: npm run ${name} -- `));
      for (const option of [...told, '--help']) expect(stdout).to.include(`  ${option} `);
      const width = Math.max(...stdout.split('\n').map(({ length }) => length));
      expect(width).to.be.at.most(name === 'probe' ? 80 : 100);
    });
  }
  for (const [name, args, ports] of LISTENING) {
    it(`${name} ${args.join(' ')} listens only on 127.0.0.1`, async () => {
      const [, ...found] = await start(name, args).printed('stdout', ports);
      for (const port of found.map(Number)) {
        expect(await reach('127.0.0.1', port)).to.equal(true);
        for (const other of OTHERS) expect(await reach(other, port), other).to.equal(false);
      }
    });
  }
});
