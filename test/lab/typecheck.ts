/** Asks the compiler about changed sources. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
export async function typecheck(changed: ReadonlyMap<string, string>): Promise<string> {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'));
  const texts = new Map(files.map((file) => [file, changed.get(file) ?? read(file)]));
  const checked = [...texts, CHECKING.map(read)];
  const key = createHash('sha256').update(JSON.stringify(checked)).digest('hex');
  if (existsSync(CHECKED) && readFileSync(CHECKED, 'utf8') === key) return '';
  const said = await askCompiler(texts);
  if (said === '') {
    mkdirSync(dirname(CHECKED), { recursive: true });
    writeFileSync(CHECKED, key);
  }
  return said;
}

async function askCompiler(texts: ReadonlyMap<string, string>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lab-'));
  try {
    for (const [file, text] of texts) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const compilerOptions = {
      rootDir: 'src',
      noEmit: true,
      incremental: false,
      skipLibCheck: true,
      lib: ['es2022'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    };
    const extended = join(ROOT, 'tsconfig.json');
    const config = { extends: extended, compilerOptions, files: PROGRAMS, include: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = require.resolve('typescript/lib/tsc');
    return await new Promise((resolve) => {
      execFile(process.execPath, [tsc, '-p', '.'], { cwd: folder }, (error, stdout) =>
        resolve(error === null ? '' : `${error.message}\n${stdout}`),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
