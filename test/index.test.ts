import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as entry from '../src/index';

const ROOT = join(__dirname, '..');

describe('the public entry', () => {
  it('the public entry exports four values, and no other', () => {
    const names = ['startServer', 'startReplies', 'taskService', 'tracePage'];
    expect(entry).to.have.all.keys(names);
  });
  it('package.json names the public entry', () => {
    const packaged: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(packaged).to.include({ main: 'dist/index.js', types: 'dist/index.d.ts' });
    for (const file of ['index.js', 'index.d.ts']) {
      expect(existsSync(join(ROOT, 'dist', file)), file).to.equal(true);
    }
  });
});
