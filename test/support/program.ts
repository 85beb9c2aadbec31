/** A program of a page: compiled if it has types, against what `npm run build` made, and
 * run. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './page';

const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** A program that has not ended by then never does: the compiler takes a second or two, and
 * on a busy machine many times as long. */
const PATIENCE_MS = 60_000;
const COMPILER_OPTIONS = {
  strict: true,
  module: 'nodenext',
  target: 'es2022',
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(ROOT, 'node_modules', '@types')],
};

/** The languages of programs on a page, and what runs those that nothing compiles. */
const INTERPRETERS = { js: undefined, ts: undefined, python: 'python3', bash: 'bash' };
type Language = keyof typeof INTERPRETERS;

export function isProgram(language: string): language is Language {
  return Object.hasOwn(INTERPRETERS, language);
}

interface Ended {
  readonly code: number | string;
  readonly output: string;
}

interface Result {
  readonly output: string;
  readonly problems: string;
}

/** @param source imports the server as a package or by a relative path, and ends by itself
 * @returns what it printed, and what kept it from compiling or from ending well */
export async function runProgram(source: string, language: Language): Promise<Result> {
  const interpreter = INTERPRETERS[language];
  if (interpreter !== undefined) return result(await run(interpreter, ['-c', source]));
  const folder = mkdtempSync(join(tmpdir(), 'task-http-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules', 'task-http'), 'junction');
    const imported = source.replace(/ from '\.[^']*'/g, " from 'task-http'");
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, `program.${language}`), imported);
    if (language === 'ts') {
      const config = { compilerOptions: COMPILER_OPTIONS, files: ['program.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const { code, output } = await run(process.execPath, [TSC, '-p', folder]);
      if (code !== 0) return { output: '', problems: output };
    }
    return result(await run(process.execPath, [join(folder, 'program.js')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function result({ code, output }: Ended): Result {
  return { output, problems: code === 0 ? '' : `it ended with ${code}:\n${output}` };
}

function run(command: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: ROOT, timeout: PATIENCE_MS });
    child.stdout.on('data', (data) => (output += String(data)));
    child.stderr.on('data', (data) => (output += String(data)));
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? '', output }));
  });
}
