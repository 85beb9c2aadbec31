import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../support/page';

/** The programs, and what the help of each tells of. */
const PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ['lab', ['--play', '--trace', '--free-ports']],
  ['probe', ['--only WORD', '--host NAME', '--show NAME']],
  ['reply', ['--show', '--expect', '--port N', '--host H', '--trace']],
  ['workbench', ['--port N', '--page-port N']],
]);

describe('the programs of the studies', () => {
  it('print what they do and their options for --help', () => {
    // One process runs all of them: most of the time would be its start.
    const files = [...PROGRAMS.keys()].map((name) =>
      join(ROOT, 'dist', 'study', name, 'main.js'),
    );
    const script = `process.argv = ['', '', '--help'];
      for (const file of ${JSON.stringify(files)}) require(file);`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    const helps = stdout.split(/^(?=Usage: npm run )/m);
    expect(helps).to.have.lengthOf(PROGRAMS.size);
    for (const [at, [name, told]] of [...PROGRAMS].entries()) {
      const help = helps[at] ?? '';
      expect(help).to.match(new RegExp(`^Usage: npm run ${name} -- `));
      for (const option of [...told, '--help']) expect(help).to.include(`  ${option} `);
      const width = Math.max(...help.split('\n').map(({ length }) => length));
      expect(width, name).to.be.at.most(name === 'probe' ? 80 : 100);
    }
  });
});
