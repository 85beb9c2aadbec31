import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ROOT } from './support/page';

describe('the types', () => {
  it('src and test have no error that the strict compiler finds', async () => {
    const compiler = require.resolve('typescript/bin/tsc');
    const child = spawn(process.execPath, [compiler, '-p', 'test'], { cwd: ROOT });
    const [found, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(found).to.equal('');
    expect(code).to.equal(0);
  });
});
