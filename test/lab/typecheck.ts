/** Asks the compiler about changed sources. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/page';

/** What else a check depends on: the code here, the options, and the compiler and the
 * types. */
const CHECKING = [
  'test/lab/typecheck.ts',
  'tsconfig.json',
  'node_modules/typescript/package.json',
  'node_modules/@types/node/package.json',
];
/** Where it is remembered which sources compile. */
const CHECKED = join(ROOT, '.build', 'lab');
/** The programs that an experiment runs. */
const PROGRAMS = ['src/main.ts', 'src/index.ts', 'src/study/echo/main.ts'];

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** @returns what the compiler says of the programs of an experiment, with these texts in
 * the place of the files. It takes seconds: that it had nothing to say of the same is
 * remembered. */
export function typecheck(changed: ReadonlyMap<string, string>): string {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join('src', file));
  const texts = files.map((file) => changed.get(file) ?? read(file));
  const checked = JSON.stringify([files, texts, CHECKING.map(read)]);
  const key = createHash('sha256').update(checked).digest('hex');
  if (existsSync(CHECKED) && readFileSync(CHECKED, 'utf8') === key) return '';
  const said = askCompiler(changed);
  if (said !== '') return said;
  mkdirSync(dirname(CHECKED), { recursive: true });
  writeFileSync(CHECKED, key);
  return '';
}

function askCompiler(changed: ReadonlyMap<string, string>): string {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  Object.assign(options, { noEmit: true, incremental: false, skipLibCheck: true });
  options.noUnusedLocals = false; // a defence may leave something behind that nobody uses
  const host = ts.createCompilerHost(options);
  const texts = new Map(Array.from(changed, ([file, text]) => [join(ROOT, file), text]));
  host.readFile = (file) => texts.get(file) ?? ts.sys.readFile(file);
  const roots = PROGRAMS.map((file) => join(ROOT, file));
  const program = ts.createProgram(roots, options, host);
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host);
}
