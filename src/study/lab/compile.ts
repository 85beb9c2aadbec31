/** Compiles what an experiment changes. The types are not checked: that takes much longer, and a
 * test checks those of every change. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const COMPILER_OPTIONS = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
  useDefineForClassFields: false,
};

/** @param files of a folder, as "src/http/framing.ts" */
export function compile(folder: string, files: readonly string[]): void {
  for (const file of files) {
    const built = file.replace(/^src/, 'dist').replace(/ts$/, 'js');
    const text = readFileSync(join(folder, file), 'utf8');
    const { outputText } = ts.transpileModule(text, { compilerOptions: COMPILER_OPTIONS });
    writeFileSync(join(folder, built), outputText);
  }
}

if (require.main === module) compile(process.cwd(), process.argv.slice(2));
