import { expect } from 'chai';
import { join } from 'node:path';
import { inThread } from './support/command';
import { ROOT } from './support/page';

describe('the types', () => {
  it('src and test have no error that the strict compiler finds', async () => {
    const compiler = require.resolve('typescript/bin/tsc');
    const command = inThread(compiler, ['-p', join(ROOT, 'test')]);
    const code = await command.exit;
    expect(command.stdout + command.stderr).to.equal('');
    expect(code).to.equal(0);
  });
});
