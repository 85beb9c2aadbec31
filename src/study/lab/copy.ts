/** A copy of the project without one of its defences. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyDiff } from './diff';
import type { Experiment } from './experiments';
import { runNode } from './play';

type Compile = (folder: string, files: readonly string[]) => void | Promise<void>;

/** The folder of the project. */
export const ROOT = join(__dirname, '..', '..', '..');

/** Makes a copy without the defence of an experiment in a temporary folder, and lets
 * somebody use it. It is removed afterwards, also when the process exits before. What is
 * loaded from it by then stays.
 * @param use is told the folder of the copy
 * @param compile the changed files of a folder */
export async function withCopy<T>(
  { diff, number }: Pick<Experiment, 'diff' | 'number'>,
  use: (folder: string) => T | Promise<T>,
  compile: Compile = compileBeside,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `lab-${number}-`));
  // Where the process exits before, the compiler may still add files.
  const remove = (): void =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  process.on('exit', remove);
  try {
    await makeCopy(folder, diff.text, compile);
    return await use(folder);
  } finally {
    process.removeListener('exit', remove);
    remove();
  }
}

async function makeCopy(folder: string, diff: string, compile: Compile): Promise<void> {
  copyBuild(folder);
  await removeDefence(folder, diff, compile);
}

/** Copies the build into a folder, without its types. */
export function copyBuild(folder: string): void {
  const filter = (file: string): boolean => !file.endsWith('.d.ts');
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true, filter });
}

/** Takes the defence away from the build in a folder: compiles what changes.
 * @returns the changed files, as "src/http/framing.ts" */
export async function removeDefence(
  folder: string,
  diff: string,
  compile: Compile,
): Promise<readonly string[]> {
  const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
  const changed = applyDiff(diff, read);
  for (const [file, text] of changed) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  await compile(folder, [...changed.keys()]);
  return [...changed.keys()];
}

/** Compiles in a process of its own: this one may have clients, who should not wait. */
async function compileBeside(folder: string, files: readonly string[]): Promise<void> {
  await runNode(folder, join(ROOT, 'dist', 'study', 'lab', 'compile.js'), ...files);
}
