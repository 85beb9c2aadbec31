/** The modules of this package, loaded once more beside those of this program, and perhaps
 * without a defence. Nothing is written anywhere. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { Failure } from '../../command/arguments';
import type { Experiment } from '../experiments';
import { applyDiff } from './diff';

/** The folder of the package. */
export const ROOT = join(__dirname, '..', '..', '..');
const DIST = join(ROOT, 'dist');
/** What `compile.ts` has made of the sources, for a package without them. */
export const COMPILED = join(DIST, 'study', 'lab', 'compiled.json');

/** The changed modules, as JavaScript, by their files: "http/framing.js". */
type Changes = Readonly<Record<string, string>>;

/** The compiler makes require() of every import(), so what a module loads later is of the
 * same build. */
export class Build {
  private readonly loaded = new Map<string, { exports: unknown }>();

  constructor(private readonly changes: Changes = {}) {}

  /** @param name of a module: "http/framing" */
  load<Module>(name: string): Module {
    return this.run(join(DIST, `${name}.js`)) as Module;
  }

  /** Runs a program that requires modules as "./dist/http/framing.js".
   * @returns what it prints */
  print(program: string): string {
    const lines: string[] = [];
    const log = (...words: unknown[]): void => void lines.push(words.join(' '));
    const require = (name: string): unknown => this.run(resolve(ROOT, name));
    compileFunction(program, ['require', 'console'])(require, { log });
    return lines.join('\n');
  }

  private run(file: string): unknown {
    const known = this.loaded.get(file);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    this.loaded.set(file, module);
    const code = this.changes[file.slice(DIST.length + 1)] ?? readFileSync(file, 'utf8');
    const fromNode = createRequire(file);
    const require = (name: string): unknown => {
      if (!name.startsWith('.')) return fromNode(name) as unknown;
      return this.run(fromNode.resolve(name));
    };
    const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
    const make = compileFunction(code, parameters, { filename: file });
    make(module.exports, require, module, file, dirname(file));
    return module.exports;
  }
}

/** @returns the build without the defence of an experiment
 * @throws Failure where it cannot be made */
export function buildWithout({ defence, number }: Experiment): Build {
  if (existsSync(join(ROOT, 'src'))) return new Build(compileChanges(defence));
  if (!existsSync(COMPILED)) throw new Failure(`${COMPILED} is missing: npm ci makes it`);
  const compiled = JSON.parse(readFileSync(COMPILED, 'utf8')) as Record<number, Changes>;
  return new Build(compiled[number]);
}

/** The types are not checked: that takes much longer, and a test checks those of every
 * change. */
export function compileChanges(defence: string): Changes {
  const { transpileModule, ModuleKind, ScriptTarget } = loadCompiler();
  const compilerOptions = {
    module: ModuleKind.CommonJS,
    target: ScriptTarget.ES2022,
    useDefineForClassFields: false,
  };
  const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
  const changes = Array.from(applyDiff(defence, read), ([file, text]) => [
    file.replace(/^src\//, '').replace(/ts$/, 'js'),
    transpileModule(text, { compilerOptions }).outputText,
  ]);
  return Object.fromEntries(changes) as Changes;
}

function loadCompiler(): typeof import('typescript') {
  try {
    return require('typescript') as typeof import('typescript');
  } catch {
    throw new Failure('The compiler is missing: npm ci installs it');
  }
}
