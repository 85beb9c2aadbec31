/** A copy of the project without one of its defences. */
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyDiff, type Sources } from './diff';
import type { Experiment } from './experiments';
import { runNode } from './play';

/** The folder of the project. */
export const ROOT = join(__dirname, '..', '..', '..');

/** Compiles each file by itself, which takes a moment. */
const ALONE = {
  noCheck: true,
  noResolve: true,
  lib: ['es5'],
  types: [],
  declaration: false,
};

/** Makes a copy without the defence of an experiment in a temporary folder, and lets somebody
 * use it. It is removed afterwards, also when the process exits before. What is loaded from it
 * by then stays.
 * @param use is told the folder of the copy */
export async function withCopy<T>(
  experiment: Experiment,
  use: (folder: string) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `lab-${experiment.number}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    await makeCopy(folder, experiment.diff.text);
    return await use(folder);
  } finally {
    process.removeListener('exit', remove);
    remove();
  }
}

/** Copies the sources and the build, takes the defence away, and compiles what has changed. The
 * types are not checked: that takes much longer, and a test checks those of every change. */
export async function makeCopy(folder: string, diff: string): Promise<void> {
  for (const name of ['src', 'dist'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const named = Array.from(diff.matchAll(/^\+\+\+ b\/(\S+)$/gm), ([, file = '']) => file);
  const sources: Sources = new Map(
    named.map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
  for (const { file, text } of applyDiff(diff, sources).changes)
    writeFileSync(join(folder, file), text);
  const changed = {
    extends: './tsconfig.json',
    compilerOptions: ALONE,
    files: named,
    include: [], // not all of src, as there
  };
  writeFileSync(join(folder, 'changed.json'), JSON.stringify(changed));
  const compiler = require.resolve('typescript/lib/tsc');
  await runNode(folder, compiler, '-p', 'changed.json');
}
