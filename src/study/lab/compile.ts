/** Compiles what an experiment changes. The types are not checked: that takes much longer,
 * and a test checks those of every change. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const COMPILER_OPTIONS = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
  useDefineForClassFields: false,
};

/** @param file as "src/http/framing.ts"
 * @returns where it is compiled to, as "dist/http/framing.js" */
export function builtFile(file: string): string {
  return file.replace(/^src/, 'dist').replace(/ts$/, 'js');
}

/** @param files of a folder */
export function compile(folder: string, files: readonly string[]): void {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const { outputText } = ts.transpileModule(text, { compilerOptions: COMPILER_OPTIONS });
    writeFileSync(join(folder, builtFile(file)), outputText);
  }
}

if (require.main === module) compile(process.cwd(), process.argv.slice(2));
