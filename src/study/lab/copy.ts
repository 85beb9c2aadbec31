/** A copy of the project without one of its defences. */
import { mkdtempSync, promises, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyDiff } from './diff';
import type { Experiment } from './experiments';

/** The folder of the project. */
export const ROOT = join(__dirname, '..', '..', '..');

/** Makes a copy without the defence of an experiment in a temporary folder, and lets somebody
 * use it. It is removed afterwards, also when the process exits before. What is loaded from it
 * by then stays.
 * @param use is told the folder of the copy */
export async function withCopy<T>(
  { diff, number }: Pick<Experiment, 'diff' | 'number'>,
  use: (folder: string) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `lab-${number}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    await makeCopy(folder, diff.text);
    return await use(folder);
  } finally {
    process.removeListener('exit', remove);
    remove();
  }
}

/** Copies the build, and compiles what changes when the defence is taken away. The types are not
 * checked: that takes much longer, and a test checks those of every change. */
async function makeCopy(folder: string, diff: string): Promise<void> {
  const filter = (file: string): boolean => !file.endsWith('.d.ts');
  const dist = join(folder, 'dist');
  await promises.cp(join(ROOT, 'dist'), dist, { recursive: true, filter });
  // A program that makes no copy never loads the compiler.
  const ts = require('typescript') as typeof import('typescript');
  const compilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2022,
    useDefineForClassFields: false,
  };
  const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
  for (const [file, text] of applyDiff(diff, read)) {
    const built = file.replace(/^src/, 'dist').replace(/ts$/, 'js');
    const { outputText } = ts.transpileModule(text, { compilerOptions });
    writeFileSync(join(folder, built), outputText);
  }
}
