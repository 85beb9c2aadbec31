/** The project as it was built, without its defences, in folders of the system. */
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
import ts from 'typescript';
import type { Change, Sources } from '../../src/study/lab/diff';
import { runNode } from '../../src/study/lab/play';
import { ROOT } from '../support/page';

const COMPILER_OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
};

/** What else a check depends on: the code here, the options, and the compiler and the types. */
const CHECKING = [
  'test/lab/laboratory.ts',
  'tsconfig.json',
  'node_modules/typescript/package.json',
  'node_modules/@types/node/package.json',
];
/** Where it is remembered which sources compile. */
const CHECKED = join(ROOT, '.build', 'lab');

/** The sources that no server of an experiment loads. */
const ELSEWHERE = /^src\/(?:command|study\/(?!echo))/;

/** Copies of the project in a temporary folder, each with its own changes. */
export class Laboratory {
  readonly sources: Sources;
  private readonly folder = mkdtempSync(join(tmpdir(), 'lab-'));
  private readonly compiled: ReadonlyMap<string, string>;

  constructor() {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const read = (file: string): [string, string] => [
      `src/${file.replaceAll('\\', '/')}`,
      readFileSync(join(ROOT, 'src', file), 'utf8'),
    ];
    this.sources = new Map(files.filter((file) => file.endsWith('.ts')).map(read));
    const served = [...this.sources.keys()].filter((file) => !ELSEWHERE.test(file));
    this.compiled = new Map(
      served.map((file) => [file, readFileSync(join(ROOT, built(file)), 'utf8')]),
    );
  }

  /** Writes what was compiled of the sources, changed like this. @returns the folder of it */
  build(name: string, changes: readonly Change[] = []): string {
    const changed = changes.map(({ file, text }) => [file, compile(text)] as const);
    for (const [file, text] of new Map([...this.compiled, ...changed])) {
      const path = join(this.folder, name, built(file));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return join(this.folder, name);
  }

  /** @returns what the compiler says of all sources, with these in the place of others. It
   * takes seconds: that it had nothing to say of the same sources is remembered. */
  async check(changed: Sources): Promise<string> {
    const checked = [...new Map([...this.sources, ...changed])].flat();
    for (const file of CHECKING) checked.push(readFileSync(join(ROOT, file), 'utf8'));
    const key = createHash('sha256').update(JSON.stringify(checked)).digest('hex');
    if (existsSync(CHECKED) && readFileSync(CHECKED, 'utf8') === key) return '';
    const said = await this.askCompiler(changed);
    if (said === '') {
      mkdirSync(dirname(CHECKED), { recursive: true });
      writeFileSync(CHECKED, key);
    }
    return said;
  }

  private async askCompiler(changed: Sources): Promise<string> {
    const folder = join(this.folder, 'check');
    for (const [file, text] of new Map([...this.sources, ...changed])) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    const typeRoots = [join(ROOT, 'node_modules', '@types')];
    const lib = ['es2022'];
    const compilerOptions = {
      rootDir: 'src',
      noEmit: true,
      skipLibCheck: true,
      lib,
      typeRoots,
    };
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions,
      include: ['src'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return runNode(folder, require.resolve('typescript/lib/tsc'), '-p', '.');
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @returns the file that the build makes of a source */
function built(file: string): string {
  return file.replace(/^src/, 'dist').replace(/ts$/, 'js');
}

function compile(text: string): string {
  return ts.transpileModule(text, { compilerOptions: COMPILER_OPTIONS }).outputText;
}
