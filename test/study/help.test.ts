import { expect } from 'chai';
import { join } from 'node:path';
import { inThread } from '../support/command';
import { ROOT } from '../support/page';

/** The programs, and what the help of each tells of. */
const PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['lab', ['--play', '--trace', '--free-ports']],
  ['probe', ['--only WORD', '--host NAME', '--show NAME']],
  ['reply', ['--show', '--expect', '--port N', '--host H', '--trace']],
  ['workbench', ['--port N', '--page-port N']],
]);

describe('the programs of the studies', () => {
  for (const [name, told] of PROGRAMS) {
    it(`${name} prints what it does and its options for --help`, async () => {
      const file = join(ROOT, 'dist', 'study', name, 'main.js');
      const program = inThread(file, ['--help']);
      expect(await program.exit).to.equal(0);
      expect(program.stderr).to.equal('');
      const stdout = Buffer.from(program.stdout, 'latin1').toString();
      expect(stdout).to.match(new RegExp(`^Usage: npm run ${name} -- `));
      for (const option of [...told, '--help']) expect(stdout).to.include(`  ${option} `);
      const width = Math.max(...stdout.split('\n').map(({ length }) => length));
      expect(width).to.be.at.most(name === 'probe' ? 80 : 100);
    });
  }
});
