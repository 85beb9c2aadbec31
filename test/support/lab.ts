/** The lab: its page as experiments, the sources with and without a defence, the servers that are
 * made of them, and the scripts that attack both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { RunningServer, ServerOptions, TraceEvent } from '../../src/index';
import { bytes } from './bytes';
import { ROOT, type Block, type Page } from './page';

/** Files by their paths, as "src/http/framing.ts". */
export type Sources = ReadonlyMap<string, string>;

export interface Experiment {
  readonly title: string;
  readonly prose: string;
  readonly diff: Block;
  readonly script: Block;
  /** What the script brings about with the defence, and without it. */
  readonly kept: Block;
  readonly removed: Block;
}

/** The sections "## 1. Title", each with four blocks: diff, script, and two results. */
export function readExperiments(page: Page): Experiment[] {
  const [intro = '', ...sections] = page.text.split(/^(?=## \d+\. )/m);
  let at = countBlocks(intro);
  return sections.map((section) => {
    const from = at;
    at += countBlocks(section);
    const [diff, script, kept, removed, ...others] = page.blocks.slice(from, at);
    const [, title = ''] = /^## (.*)$/m.exec(section) ?? [];
    const isWhole = diff?.language === 'diff' && script?.language === 'sh' && others.length === 0;
    if (!isWhole || kept === undefined || removed === undefined) {
      throw new Error(`"${title}" has not the blocks diff, sh, result and result`);
    }
    const prose = section.replace(/^```\w*\n[^]*?^```$/gm, '');
    return { title, prose, diff, script, kept, removed };
  });
}

function countBlocks(text: string): number {
  return Array.from(text.matchAll(/^```\w+$/gm)).length;
}

// The diffs.

export interface Change {
  readonly file: string;
  /** Its text, with all hunks applied. */
  readonly text: string;
  /** The lines that each hunk removes or stands between, counted from 1. */
  readonly places: readonly { readonly from: number; readonly to: number }[];
}

export interface Applied {
  readonly changes: readonly Change[];
  /** The diff with the true numbers in its "@@" lines. */
  readonly diff: string;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

/** Applies a unified diff by what is in its hunks: where they begin does not count.
 * @throws Error that says which lines are not there, or not only once */
export function applyDiff(diff: string, sources: Sources): Applied {
  const changes: Change[] = [];
  const lines: string[] = [];
  for (const part of diff.split(/^(?=--- )/m)) {
    const [header = '', target = '', ...rest] = part.trimEnd().split('\n');
    const [, file = ''] = /^\+\+\+ b\/(\S+)$/.exec(target) ?? [];
    const before = sources.get(file);
    if (before === undefined || header !== `--- a/${file}`) {
      throw new Error(`not the header of a diff of a source file:\n${header}\n${target}`);
    }
    lines.push(header, target);
    const places: { from: number; to: number }[] = [];
    let text = before;
    let shift = 0;
    for (const hunk of rest.join('\n').split(/^(?=@@ )/m)) {
      const [start = '', ...body] = hunk.trimEnd().split('\n');
      const [, , , , , context = ''] = HUNK.exec(start) ?? [];
      // Otherwise git looks for it only at the end of the file.
      if (/^[+-]/.test(body.at(-1) ?? '')) throw new Error(`"${start}" ends with a change`);
      const old = side(body, '-');
      const made = side(body, '+');
      const at = findOnce(text, old, file);
      const from = text.slice(0, at).split('\n').length;
      text = text.slice(0, at) + made + text.slice(at + old.length);
      const [less, more] = [count(old), count(made)];
      lines.push(`@@ -${from - shift},${less} +${from},${more} @@${context}`, ...body);
      places.push(changedLines(body, from - shift));
      shift += more - less;
    }
    changes.push({ file, text, places });
  }
  return { changes, diff: lines.join('\n') };
}

/** The lines of a hunk that are before it, or after it. */
function side(body: readonly string[], sign: '-' | '+'): string {
  const lines = body.filter((line) => line.startsWith(sign) || /^(?: |$)/.test(line));
  return lines.map((line) => `${line.slice(1)}\n`).join('');
}

function count(text: string): number {
  return text.split('\n').length - 1;
}

function findOnce(text: string, part: string, file: string): number {
  const at = text.startsWith(part) ? 0 : text.indexOf(`\n${part}`) + 1;
  const isThere = at > 0 || text.startsWith(part);
  const isTwice = isThere && text.indexOf(`\n${part}`, at) >= 0;
  if (isThere && !isTwice) return at;
  const what = isThere ? 'more than once' : 'no longer';
  throw new Error(`the diff does not apply: these lines are ${what} in ${file}:\n${part}`);
}

/** The lines of the file that a hunk removes, or else the two between which it adds. */
function changedLines(body: readonly string[], start: number): { from: number; to: number } {
  const removed: number[] = [];
  const around: number[] = [];
  let line = start;
  for (const text of body) {
    if (text.startsWith('+')) around.push(line - 1, line);
    if (text.startsWith('-')) removed.push(line);
    if (!text.startsWith('+')) line += 1;
  }
  const changed = removed.length > 0 ? removed : around;
  return { from: Math.min(...changed), to: Math.max(...changed) };
}

/** The names of the declarations around some lines, from the outside. */
export function enclosingNames(source: string, from: number, to: number): string[] {
  const file = ts.createSourceFile('', source, ts.ScriptTarget.ES2022);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    if (first > from || last < to) return;
    if ('name' in node) names.push((node as ts.NamedDeclaration).name?.getText(file) ?? '');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}

// The servers.

const COMPILER_OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.CommonJS,
  target: ts.ScriptTarget.ES2022,
};

/** The project in a folder of the system's, as often as it is wanted, each time changed. */
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
    this.compiled = new Map(Array.from(this.sources, ([file, text]) => [file, compile(text)]));
  }

  /** Writes what was compiled of the sources, changed like this. @returns the folder of it */
  build(name: string, changes: readonly Change[] = []): string {
    const changed = changes.map(({ file, text }) => [file, compile(text)] as const);
    for (const [file, text] of new Map([...this.compiled, ...changed])) {
      const path = join(this.folder, name, file.replace(/^src/, 'dist').replace(/ts$/, 'js'));
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
    const compilerOptions = { rootDir: 'src', noEmit: true, skipLibCheck: true, lib, typeRoots };
    const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['src'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return run(folder, require.resolve('typescript/lib/tsc'), '-p', '.');
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function compile(text: string): string {
  return ts.transpileModule(text, { compilerOptions: COMPILER_OPTIONS }).outputText;
}

/** The events that are kept, for the end of a long trace. */
const EVENTS_KEPT = 200;

/** A server that was built, and what it tells. */
class LabServer {
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
    const { startServer, taskService } = this.load<typeof import('../../src/index')>('index');
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
    return this.until(() => this.count('turn') >= requests && this.events.at(-1)?.type === 'idle');
  }

  trace(): string {
    type Module = typeof import('../../src/trace-format');
    const { TraceFormatter } = this.load<Module>('trace-format');
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
    if (!isDone()) await new Promise<void>((resolve) => this.waiting.push({ isDone, resolve }));
  }
}

// The scripts.

/** What a script brought about. */
export interface Outcome {
  /** What it prints, with LF for each CRLF. */
  readonly answer: string;
  readonly trace: string;
  readonly log: string;
  /** How many requests were handled. */
  readonly turns: number;
}

/** One `... | nc localhost 8080 | ...`. */
interface Pipeline {
  readonly pieces: readonly Buffer[];
  readonly halfCloses: boolean;
  /** When it reads: at once, when the server has said the last word, or never. */
  readonly reading: 'at once' | 'late' | 'never';
  /** What it counts, instead of printing it: grep -c. */
  readonly counted: string | undefined;
}

const PIPELINE = /^((?:printf|\().*)\| nc( -N)? localhost \d+(?: \| ([^&\n]*))?(?: &)?$/gm;
const PRINTF = /printf '(?<format>[^']*)'(?: \$\(seq (?<times>\d+)\))?/;
const HEAD = /head -c (?<size>\d+) \/dev\/zero(?: \| tr '\\0' (?<fill>\w))?/;
const PIECE = new RegExp(`${PRINTF.source}|${HEAD.source}`, 'g');

/** What a client writes at once, of what `head` makes. */
const PIECE_SIZE = 65_536;

/** Whether these bytes are one request to a proxy that has one of the weaknesses of the page: a
 * line ends with CRLF, the content is as long as a lenient reader of numbers says, or its chunks
 * may be followed by LF. */
export function isOneRequest(sent: Buffer): boolean {
  const text = sent.toString('latin1');
  const [head = ''] = text.split('\r\n\r\n', 1);
  const content = text.slice(head.length + 4);
  const [, length] = /^ ?Content-Length ?: (\S+)/m.exec(head) ?? [];
  return content === '' || Number(length) === content.length || isChunked(content);
}

/** Whether it is chunked, to its end; or starts with a chunk that is longer. */
function isChunked(content: string): boolean {
  const [line = '', size = ''] = /^([0-9a-f]+)\r\n/.exec(content) ?? [];
  if (line === '') return false;
  const end = line.length + Number.parseInt(size, 16);
  if (end === line.length) return content === `${line}\r\n`;
  return end > content.length || isChunked(content.slice(end).replace(/^\r?\n/, ''));
}

/** Plays a script against the server of a folder. No shell runs, and nobody sleeps. */
export async function play(script: string, folder: string): Promise<Outcome> {
  const program = /^node -e '([^']*)'( &)?$/m.exec(script);
  if (program !== null && program[2] === undefined) {
    return { answer: await run(folder, '-e', program[1] ?? ''), trace: '', log: '', turns: 0 };
  }
  const pipelines = readPipelines(script);
  if (pipelines.length === 0) throw new Error(`cannot be played:\n${script}`);
  const server = new LabServer(folder);
  await server.start(program === null ? {} : optionsOf(program[1] ?? '', folder));
  const clients: Socket[] = [];
  try {
    while (clients.length < pipelines.length) {
      const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      clients.push(client);
      await Promise.all([once(client, 'connect'), server.heard('open', clients.length)]);
    }
    const requests = pipelines.flatMap(({ pieces }) => pieces).reduce(countRequests, 0);
    const answers = pipelines.map((pipeline, at) =>
      converse(pipeline, clients[at], server, requests),
    );
    const answer = (await Promise.all(answers)).join('');
    await server.heard('gone', clients.length);
    return { answer, trace: server.trace(), log: server.log, turns: server.count('turn') };
  } finally {
    for (const client of clients) client.destroy();
    await server.stop();
  }
}

/** The bytes that the clients of a script send. */
export function sentBy(script: string): Buffer {
  return Buffer.concat(readPipelines(script).flatMap(({ pieces }) => pieces));
}

function readPipelines(script: string): Pipeline[] {
  const joined = script
    .replace(/'\\\n'/g, '')
    .replace(/ *\\\n */g, ' ')
    .replace(/\n +/g, '; ');
  return Array.from(joined.matchAll(PIPELINE), ([, source = '', halfCloses, sink = '']) => ({
    pieces: Array.from(source.matchAll(PIECE)).flatMap(({ groups = {} }) => {
      const { format, times = '1', size, fill } = groups;
      return format === undefined ? filled(Number(size), fill) : [printf(format, Number(times))];
    }),
    halfCloses: halfCloses !== undefined,
    reading: /^\(sleep/.test(sink) ? 'late' : /^sleep/.test(sink) ? 'never' : 'at once',
    counted: /grep -c '?([^')]*)/.exec(sink)?.[1],
  }));
}

function printf(format: string, times: number): Buffer {
  return bytes(format.replace('%.0s', '').replaceAll('%%', '%').repeat(times));
}

function filled(size: number, fill = '\0'): Buffer[] {
  const piece = Buffer.alloc(PIECE_SIZE, fill);
  const pieces = Array.from({ length: Math.floor(size / PIECE_SIZE) }, () => piece);
  return [...pieces, piece.subarray(0, size % PIECE_SIZE)];
}

/** Those that end with an empty line. */
function countRequests(sum: number, piece: Buffer): number {
  return sum + piece.toString('latin1').split('\r\n\r\n').length - 1;
}

/** Sends everything, in one turn of the event loop, and takes what is answered. */
async function converse(
  { pieces, halfCloses, reading, counted }: Pipeline,
  client: Socket | undefined,
  server: LabServer,
  requests: number,
): Promise<string> {
  if (client === undefined) return '';
  let received = '';
  const ended = new Promise((resolve) => client.on('end', resolve).on('close', resolve));
  // A reset is what some of the experiments are about.
  client.on('error', () => {});
  const read = (): void => {
    client.on('data', (data) => (received += data.toString('latin1')));
  };
  if (reading === 'at once') read();
  for (const piece of pieces) client.write(piece);
  if (halfCloses) client.end();
  if (reading === 'never') {
    await Promise.race([server.heardAny('block'), server.idle(requests)]);
    client.destroy();
    return '';
  }
  if (reading === 'late') {
    await server.heardAny('linger', 'block', 'gone');
    read();
  }
  await Promise.race([ended, server.idle(requests)]);
  client.end();
  const text = received.replaceAll('\r\n', '\n');
  return counted === undefined ? text.trimEnd() : String(text.split(counted).length - 1);
}

/** Runs Node in a folder. @returns what it prints */
async function run(cwd: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString('latin1')));
  await once(child, 'close');
  return output.trimEnd();
}

/** Runs a program that starts a server, up to there. @returns the options that it gives */
function optionsOf(text: string, folder: string): ServerOptions {
  let given: ServerOptions | undefined;
  const startServer = (options: ServerOptions): void => void (given = options);
  const load = (name: string): unknown => ({
    ...(require(join(folder, name)) as typeof import('../../src/index')),
    startServer,
  });
  new Function('require', text)(load);
  if (given === undefined) throw new Error(`starts no server:\n${text}`);
  return given;
}
