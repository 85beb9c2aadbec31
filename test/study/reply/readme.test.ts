import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Page, ROOT } from '../../support/page';

const CLIENT = join(ROOT, 'test', 'study', 'reply', 'faulty-client.py');
const { blocks } = new Page('README.md');
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** Runs a command of the page.
 * @param mended the faults that the client does not have */
function run(command: string, ...mended: string[]) {
  const args = command
    .replace('npm run reply -- ', 'dist/study/reply/main.js --port 0 ')
    .replace('client.py', CLIENT)
    .split(' ');
  return spawnSync(process.execPath, [...args, ...mended], { cwd: ROOT, encoding: 'utf8' });
}

/** Without Python, nothing is lost but what these programs show. */
if (hasPython) {
  describe('what the README says of clients', () => {
    const commands = blocks.find(({ text }) => text.includes('--expect'))?.text.split('\n');
    for (const [at, fault] of ['length', 'end', 'silence'].entries()) {
      it(`finds a client that has the fault "${fault}", and none in one that has not`, () => {
        const command = commands?.[at] ?? '';
        const wrong = run(command);
        expect(wrong.stdout).to.match(/^WRONG /m);
        expect(wrong.status).to.equal(1);
        const right = run(command, fault);
        expect(right.stdout).to.match(/^right /m);
        expect(right.status).to.equal(0);
      });
    }

    it('runs in Python as it is printed', () => {
      const at = blocks.findIndex(
        ({ language, text }) => language === 'python' && text.includes('reply'),
      );
      const { stdout, stderr } = spawnSync('python3', ['-c', blocks[at]?.text ?? ''], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      expect(stdout.trimEnd(), stderr).to.equal(blocks[at + 1]?.text);
    });
  });
}
