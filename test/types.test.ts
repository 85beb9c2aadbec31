import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPERIMENTS } from '../src/study/experiments';
import { applyDiff } from '../src/study/lab/diff';
import { ROOT } from './support/page';

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

/** The texts in which nothing was wrong the last time, as a hash. */
const RIGHT = join(ROOT, '.build', 'types');

/** A hash of all that the compiler reads: of the packages, which versions they have. */
function hashOfTexts(): string {
  const files = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:[cm]?ts|json)$/.test(file))
      .map((file) => join(folder, file)),
  );
  const hash = createHash('sha256');
  for (const file of [...files, 'tsconfig.json', 'node_modules/.package-lock.json'])
    hash.update(`${file}\n${readFileSync(join(ROOT, file), 'utf8')}\n`);
  return hash.digest('hex');
}

describe('the types', () => {
  const wrong = { now: '', changed: '' };
  before(async () => {
    const texts = hashOfTexts();
    if (existsSync(RIGHT) && readFileSync(RIGHT, 'utf8') === texts) return;
    // The compiler takes its time to load, too.
    const { typecheck, typecheckChanged } = await import('./support/typecheck');
    const { program, said } = typecheck();
    wrong.now = said;
    wrong.changed = typecheckChanged(program, withoutDefences());
    if (wrong.now + wrong.changed === '') writeFileSync(RIGHT, texts);
  });

  it('src and test have no error that the strict compiler finds', () => {
    expect(wrong.now).to.equal('');
  });
  it('every change of the lab compiles', () => {
    expect(wrong.changed).to.equal('');
  });
});
