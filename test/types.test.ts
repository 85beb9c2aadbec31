import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPERIMENTS } from '../src/study/experiments';
import { applyDiff } from '../src/study/lab/diff';
import { ROOT } from './support/page';
import { typecheck, typecheckChanged, type Checked } from './support/typecheck';

/** All changes at once. One that does not apply fails in a test of its own. */
function withoutDefences(): Map<string, string> {
  const changed = new Map<string, string>();
  const now = (file: string): string =>
    changed.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
  for (const { defence } of EXPERIMENTS) {
    try {
      for (const [file, text] of applyDiff(defence, now)) changed.set(file, text);
    } catch {
      continue;
    }
  }
  return changed;
}

describe('the types', () => {
  let checked: Checked;
  before(() => {
    checked = typecheck();
  });

  it('src and test have no error that the strict compiler finds', () => {
    expect(checked.said).to.equal('');
  });
  it('every change of the lab compiles', () => {
    expect(typecheckChanged(checked.program, withoutDefences())).to.equal('');
  });
});
