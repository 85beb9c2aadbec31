/** The project as it was built, with and without its defences in folders of the system, and the
 * servers that are made of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
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
import type { RunningServer, ServerOptions, TraceEvent } from '../../src/index';
import { ROOT } from '../support/page';
import type { Change, Sources } from './diffs';

const COMPILER_OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
};

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
    this.compiled = new Map(
      Array.from(this.sources.keys(), (file) => [
        file,
        readFileSync(join(ROOT, built(file)), 'utf8'),
      ]),
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

  /** @returns what the compiler says of all sources, with these in the place of others */
  async check(changed: Sources): Promise<string> {
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

/** The events that are kept, for the end of a long trace. */
const EVENTS_KEPT = 200;

/** A server that was built, and what it tells. */
export class LabServer {
  log = '';
  private events: TraceEvent[] = [];
  private readonly counts = new Map<string, number>();
  /** Who waits for what: asked at each event, of which there are many. */
  private waiting: { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];
  private server: RunningServer | undefined;

  constructor(private readonly folder: string) {}

  get port(): number {
    return this.server?.port ?? 0;
  }

  /** @param options that a program gives; the tasks are served without them */
  async start(options: Partial<ServerOptions> = {}): Promise<void> {
    const { startServer, taskService } =
      this.load<typeof import('../../src/index')>('index');
    this.server = await startServer({
      service: taskService,
      ...options,
      host: '127.0.0.1',
      port: 0,
      log: (lines) => (this.log += lines),
      trace: (event) => this.keep(event),
    });
  }

  count(type: TraceEvent['type']): number {
    return this.counts.get(type) ?? 0;
  }

  /** Waits for one of these events. */
  heard(type: TraceEvent['type'], times = 1): Promise<void> {
    return this.until(() => this.count(type) >= times);
  }

  /** Waits for the first of these events. */
  heardAny(...types: readonly TraceEvent['type'][]): Promise<void> {
    return this.until(() => types.some((type) => this.count(type) > 0));
  }

  /** Waits until so many requests are handled, and the server waits for more. */
  idle(requests: number): Promise<void> {
    return this.until(
      () => this.count('turn') >= requests && this.events.at(-1)?.type === 'idle',
    );
  }

  trace(): string {
    type Module = typeof import('../../src/trace/terminal');
    const { TraceFormatter } = this.load<Module>('trace/terminal');
    const formatter = new TraceFormatter(false);
    return this.events
      .map((event) => formatter.format(event))
      .join('')
      .trimEnd();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  private load<Module>(name: string): Module {
    return require(join(this.folder, 'dist', `${name}.js`)) as Module;
  }

  private keep(event: TraceEvent): void {
    this.counts.set(event.type, this.count(event.type) + 1);
    this.events.push(event);
    if (this.events.length > 2 * EVENTS_KEPT) this.events = this.events.slice(-EVENTS_KEPT);
    this.waiting = this.waiting.filter(({ isDone, resolve }) => {
      if (!isDone()) return true;
      resolve();
      return false;
    });
  }

  private async until(isDone: () => boolean): Promise<void> {
    if (!isDone())
      await new Promise<void>((resolve) => this.waiting.push({ isDone, resolve }));
  }
}

/** Runs Node in a folder. @returns what it prints */
export async function runNode(cwd: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString('latin1')));
  await once(child, 'close');
  return output.trimEnd();
}
