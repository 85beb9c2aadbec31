/** The command of the lab: npm run lab -- 1 --play */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Failure,
  parseArguments,
  UsageError,
  valueError,
  wholeNumber,
} from '../../command/arguments';
import { onSignal, run } from '../../command/run';
import { applyDiff, type Sources } from './diff';
import { readBlocks, readExperiments, type Experiment } from './experiments';
import { play, playProxied, runNode } from './play';
import { compareOutcomes } from './report';

/** The folder of the project. */
const ROOT = join(__dirname, '..', '..', '..');
/** The ports on which the servers and the proxies listen, with the defence and without it. */
const SIDES = [
  { name: 'with', server: 8080, proxy: 8000 },
  { name: 'without', server: 8081, proxy: 8001 },
] as const;

/** Compiles each file by itself, which takes a moment. */
const ALONE = {
  noCheck: true,
  noResolve: true,
  lib: ['es5'],
  types: [],
  declaration: false,
};

const USAGE = `Usage: npm run lab -- NUMBER [--play] [--trace]

Sets up an experiment of src/LAB.md: a copy of the project without one defence, in a temporary
folder, and both servers. It prints what to type. Control-C ends it, and
removes the copy.

  --play     play the experiment, and show both outcomes side by side
  --trace    show the traces of both servers
  --help     print this help
`;

void run(async (args) => {
  const { values, positionals } = parseArguments({
    args,
    allowPositionals: true,
    options: {
      play: { type: 'boolean' },
      trace: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return console.log(USAGE.trimEnd());
  const experiment = chooseExperiment(positionals);
  const copy = mkdtempSync(join(tmpdir(), `lab-${experiment.number}-`));
  process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
  console.log(`Experiment ${experiment.title}`);
  console.log(`Making a copy without the defence: ${copy}`);
  await makeCopy(copy, experiment.diff.text);
  if (values.play === true) await playBoth(experiment, copy);
  else serveBoth(experiment, copy, values.trace === true);
});

/** @throws UsageError where no experiment has that number */
function chooseExperiment(words: readonly string[]): Experiment {
  const page = readFileSync(join(ROOT, 'src', 'LAB.md'), 'utf8');
  const experiments = readExperiments(page, readBlocks(page));
  const [word, ...others] = words;
  if (word === undefined) throw new UsageError('The number of an experiment is missing');
  if (others.length > 0) throw valueError('The lab', 'one number', words.join(' '));
  const number = wholeNumber('The lab', word, 1, experiments.length);
  const experiment = experiments[number - 1];
  if (experiment === undefined) throw new Error(`no experiment ${number}`);
  return experiment;
}

/** Copies the sources and the build, takes the defence away, and compiles what has changed. The
 * types are not checked: that takes much longer, and a test checks those of every change. */
async function makeCopy(folder: string, diff: string): Promise<void> {
  for (const name of ['src', 'dist'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json'])
    cpSync(join(ROOT, name), join(folder, name));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  const named = Array.from(diff.matchAll(/^\+\+\+ b\/(\S+)$/gm), ([, file = '']) => file);
  const sources: Sources = new Map(
    named.map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
  for (const { file, text } of applyDiff(diff, sources).changes)
    writeFileSync(join(folder, file), text);
  const changed = { extends: './tsconfig.json', compilerOptions: ALONE, files: named };
  writeFileSync(join(folder, 'changed.json'), JSON.stringify(changed));
  const compiler = require.resolve('typescript/lib/tsc');
  const problems = await runNode(folder, compiler, '-p', 'changed.json');
  if (problems !== '') throw new Failure(`The copy does not compile: ${problems}`);
}

async function playBoth(experiment: Experiment, copy: string): Promise<void> {
  const { mistake, isEcho, script } = experiment;
  const outcomes = [];
  for (const folder of [ROOT, copy]) {
    outcomes.push(
      mistake === undefined
        ? await play(script.text, folder)
        : await playProxied({ mistake, isEcho }, script.text, folder),
    );
  }
  const [kept, removed] = outcomes;
  if (kept === undefined || removed === undefined) throw new Error('nothing was played');
  console.log(`\n$ ${script.text.split('\n').join('\n  ')}\n`);
  console.log(compareOutcomes(kept, removed));
}

/** Starts both servers, and a proxy in front of each where the experiment has one. */
function serveBoth(experiment: Experiment, copy: string, isTraced: boolean): void {
  const { mistake, isEcho, script } = experiment;
  const children: ChildProcess[] = [];
  for (const [side, folder] of [ROOT, copy].entries()) {
    const { name, proxy, server } = SIDES[side === 0 ? 0 : 1];
    const tasks = ['main.js', '--port', `${server}`, '--max-requests', '0'];
    const args = isEcho
      ? ['study/echo/main.js', `${server}`]
      : [...tasks, ...(isTraced ? ['--trace'] : [])];
    children.push(start(`${name} ${server}`, folder, args));
    if (mistake === undefined) continue;
    const to = ['--to', `${server}`, '--port', `${proxy}`, '--mistake', mistake];
    children.push(start(`proxy ${proxy}`, ROOT, ['study/proxy/main.js', ...to]));
  }
  const [first, second] = mistake === undefined ? ['8080', '8081'] : ['8000', '8001'];
  console.log(`
In another terminal, in the folder of the project, type this for the server with its defence:

${script.text.replace(/^(?=.)/gm, '  ')}

and then the same with ${second} in place of every ${first}, for the server without it.`);
  if (script.text.includes('$server')) {
    console.log(
      `Before, for each: ${children.map(({ pid }) => `server=${pid}`).join(', then ')}`,
    );
  }
  if (script.text.includes('node -e')) console.log(`Without the defence: cd ${copy}`);
  console.log('Control-C ends it.\n');
  onSignal(() => {
    for (const child of children) child.kill();
  });
}

/** Starts a program of a build, and prints its lines with a name before each. */
function start(name: string, folder: string, args: readonly string[]): ChildProcess {
  const [file = '', ...options] = args;
  const child = spawn(process.execPath, [join(folder, 'dist', file), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const output of [child.stdout, child.stderr]) {
    let rest = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) console.log(`${name.padEnd(12)} | ${line}`);
    });
  }
  return child;
}
