import { expect } from 'chai';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../src/command/arguments';
import { readNaively, Unreadable } from '../src/naive/naive-request';
import { builtFile, compile } from '../src/study/lab/compile';
import { copyBuild, removeDefence } from '../src/study/lab/copy';
import { applyDiff } from '../src/study/lab/diff';
import {
  readExperiments,
  type Experiment as ExperimentOf,
} from '../src/study/lab/experiments';
import { parseLabOptions } from '../src/study/lab/options';
import { play, playProxied, runNode, type Outcome } from '../src/study/lab/play';
import { compareOutcomes } from '../src/study/lab/report';
import { readStatements } from '../src/study/lab/script';
import { enclosingNames } from './lab/names';
import { read, typecheck } from './lab/typecheck';
import { Client } from './support/client';
import { Command, KEPT_COMPILER } from './support/command';
import { findDifference, isElided, Page, ROOT, WRITING, type Block } from './support/page';
import { collectWarnings } from './support/warnings';

const page = new Page('src/LAB.md');
type Experiment = ExperimentOf<Block>;
const experiments = readExperiments(page.text, page.blocks);
/** The most lines of an experiment: a reader does one in five minutes. */
const LINES_LIMIT = 60;

/** The lines of an outcome that are shown with a difference. */
const SAID_SHOWN = 40;

/** Where the blocks of each language find what they show. */
const SHOWN: { readonly [language: string]: (outcome: Outcome) => string } = {
  http: ({ outputs }) => outputs.join('\n'),
  text: ({ outputs }) => outputs.join(''),
  log: ({ log }) => log,
  proxy: ({ proxy }) => proxy,
  trace: ({ trace }) => trace,
};

/** @returns what is wrong with the blocks that show what a script brought about, if
 * anything */
function check(blocks: readonly Block[], outcome: Outcome): string {
  return blocks
    .map((block) => checkBlock(block, SHOWN[block.language]?.(outcome).trimEnd() ?? ''))
    .join('');
}

function checkBlock(block: Block, said: string): string {
  const { language, text, place } = block;
  const difference = findDifference(text, said);
  if (difference === undefined) return '';
  const written = language === 'http' ? abridge(said) : said;
  const isWhole = language === 'http' ? abridge(text) === text : !isElided(text);
  if (WRITING && isWhole) {
    page.write(page.blocks.indexOf(block), written);
    return '';
  }
  const end = said.split('\n').slice(-SAID_SHOWN).join('\n');
  return `${place}: ${difference}\nWhat was said:\n${end}`;
}

/** What all clients of an experiment print. */
const printed = ({ outputs }: Outcome): string => outputs.join('\n');

/** Responses without the field lines between the status line and the content. */
function abridge(responses: string): string {
  return responses.replace(
    /^(.*HTTP\/1\.1 .*\n)(?:\.\.\.\n|(?:[\w-]+: .*\n)+\n)/gm,
    '$1...\n',
  );
}

/** Starts the command of the lab. @param env variables of the environment, besides ours */
function startLab(env: NodeJS.ProcessEnv, ...args: string[]): Command {
  const file = join(ROOT, 'dist', 'study', 'lab', 'main.js');
  return Command.runFileWith({ ...KEPT_COMPILER, ...env }, file, ...args);
}

/** Runs the command of the lab to its end. */
async function runLab(...args: string[]) {
  const command = startLab({}, ...args);
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/** Whether it counts responses with grep -c, and shows that some are lost without the
 * defence. */
function countsLoss({ script, kept, removed }: Experiment): boolean {
  const [few, all] = [removed, kept].map(([block]) => Number(block?.text));
  return script.text.includes('grep -c') && Number(few) < Number(all);
}

/** All changes at once. One that does not apply fails in a test of its own. */
function withoutDefences(): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { diff } of experiments) {
    try {
      const now = (file: string): string => changed.get(file) ?? read(file);
      for (const [file, text] of applyDiff(diff.text, now)) changed.set(file, text);
    } catch {
      continue;
    }
  }
  return changed;
}

/** The names of the declarations that a hunk changes, from the outside. */
function changedNames(file: string, text: string): string[] {
  const [before, after] = [read(file), text].map((source) => source.split('\n'));
  const from = before?.findIndex((line, at) => line !== after?.[at]) ?? 0;
  let same = 1;
  while (before?.at(-same) === after?.at(-same)) same += 1;
  const to = (before?.length ?? 0) - same + 1;
  // Where lines are only added, they are between two others.
  return enclosingNames(read(file), Math.min(from + 1, to), Math.max(from + 1, to));
}

/** What differs where a defence counts. */
function outcome({ outputs, log, turns }: Outcome) {
  return { outputs, log, turns };
}

describe('the lab', () => {
  /** What the compiler says when all defences are taken away at once; it runs beside the
   * tests. */
  let checked: Promise<string>;

  /** One copy of the build, which loses one defence after another: to make a copy takes
   * longer than to play in it. */
  let copy: string;

  before(() => {
    checked = typecheck(withoutDefences());
    copy = realpathSync(mkdtempSync(join(tmpdir(), 'lab-')));
    copyBuild(copy);
  });
  after(() => rmSync(copy, { recursive: true }));

  /** Takes a defence away from the copy, and gives it back when somebody has used that. */
  async function withoutDefence(
    { diff }: Experiment,
    use: () => Promise<void>,
  ): Promise<void> {
    const changed = await removeDefence(copy, diff.text, compile);
    try {
      await use();
    } finally {
      for (const file of changed.map(builtFile)) {
        copyFileSync(join(ROOT, file), join(copy, file));
      }
      for (const file of Object.keys(require.cache)) {
        if (file.startsWith(copy)) delete require.cache[file];
      }
    }
  }

  for (const experiment of experiments) {
    const { diff, gain, isEcho, kept, mistake, prose, removed, script, title } = experiment;

    it(title, async function () {
      this.slow(2000);
      collectWarnings();
      for (const hunk of diff.text.split(/^(?=@@ )/m)) {
        for (const [file, text] of applyDiff(hunk, read)) {
          expect(prose, 'the prose').to.include(`](${file.replace('src/', '')})`);
          const names = changedNames(file, text);
          const named = names.filter((name) => prose.includes(`\`${name}`));
          expect(named, `those of ${names.join(', ')} that the prose names`).to.not.be
            .empty;
        }
      }
      expect(gain, 'what an attacker gains').to.match(/^Without the defence, /);

      await withoutDefence(experiment, async () => {
        const playIn = (folder: string): Promise<Outcome> =>
          mistake === undefined
            ? play(script.text, folder)
            : playProxied({ mistake, isEcho }, script.text, folder);
        const safe = await playIn(ROOT);
        expect(check(kept, safe), 'with the defence').to.equal('');
        const unsafe = await playIn(copy);
        // How many responses are lost is never the same twice.
        if (countsLoss(experiment)) {
          const lost = Number(printed(safe)) - Number(printed(unsafe));
          expect(lost, 'responses that are lost without the defence').to.be.above(0);
        } else expect(check(removed, unsafe), 'without the defence').to.equal('');
        expect(outcome(unsafe), 'what an attacker gets').to.not.deep.equal(outcome(safe));
        if (mistake === undefined) return;

        for (const { proxy } of [safe, unsafe]) {
          const seen = proxy.match(/^c1 +request /gm);
          expect(seen, 'what the proxy sees').to.have.lengthOf(1);
        }
        const [attack, ...others] = readStatements(script.text);
        const readStrictly = (): unknown =>
          readNaively(attack?.bytes.toString('latin1') ?? '');
        expect(readStrictly, 'what a strict proxy does').to.throw(Unreadable);
        expect(safe.turns, 'what is handled with the defence').to.equal(others.length);
      });
    });
  }

  it('every change compiles', async function () {
    this.slow(5000);
    expect(await checked).to.equal('');
  });

  it('there are at least ten experiments, numbered, and none of them is long', () => {
    expect(experiments.length).to.be.at.least(10);
    for (const [
      at,
      { title, prose, diff, script, kept, removed },
    ] of experiments.entries()) {
      expect(title).to.match(new RegExp(`^${at + 1}\\. `));
      const texts = [prose, ...[diff, script, ...kept, ...removed].map(({ text }) => text)];
      const lines = texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
      expect(lines.length, title).to.be.at.most(LINES_LIMIT);
      expect(kept, title).to.not.be.empty;
      expect(removed, title).to.not.be.empty;
      expect(prose, title).to.match(/\*\*It (?:happened to|is a known risk of)\*\*/);
      expect(prose, 'where one can check that').to.include('](https://');
      expect(script.text.split('\n').filter((line) => line.length > 90)).to.deep.equal([]);
    }
  });

  it('a victim goes through the proxy in the first eight experiments', () => {
    const proxied = experiments.filter(({ mistake }) => mistake !== undefined);
    expect(proxied.map(({ number }) => number)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('npm run lab -- 1 --play shows both outcomes side by side', async () => {
    const { code, stdout } = await runLab('1', '--play');
    expect(code).to.equal(0);
    expect(stdout).to.match(/^ +\| with the defence +\| without it$/m);
    expect(stdout).to.match(
      /^attacker +\| HTTP\/1\.1 400 Bad Request +\| HTTP\/1\.1 200 OK$/m,
    );
    expect(stdout).to.match(/^handled +\| GET \/tasks\/2 +\| POST \/tasks$/m);
    expect(stdout).to.match(/^ +\| +\| DELETE \/tasks\/1$/m);
    expect(stdout).to.match(/^victim +\|.*\| \{"deleted":true\}$/m);
    expect(stdout.trimEnd().split('\n').slice(-2).join(' ')).to.equal(experiments[0]?.gain);
    const table = stdout.split('\n').filter((line) => /^.{10}[|+]/.test(line));
    expect(table.filter((line) => line.length > 80)).to.deep.equal([]);
  });

  it('npm run lab -- 1 starts both servers and proxies, and says what to type', async () => {
    const command = startLab({}, '1', '--free-ports');
    await command.printed('stdout', /^Control-C ends it\.$/m);
    const { stdout } = command;
    const [, copy = ''] = /^A copy without the defence: (.*)$/m.exec(stdout) ?? [];
    const [, second, first] =
      /the same with (\d+) in place of every (\d+),/.exec(stdout) ?? [];
    const text = experiments[0]?.script.text ?? '';
    expect(stdout).to.include(text.replace(/^/gm, '  ').replaceAll('8000', String(first)));
    const [attack] = readStatements(text);
    if (attack === undefined) throw new Error('nothing is sent');
    const statuses: number[] = [];
    for (const port of [first, second]) {
      const client = await Client.connect(Number(port));
      client.socket.end(attack.bytes);
      statuses.push((await client.answer()).status);
      await client.closed();
    }
    expect(statuses).to.deep.equal([400, 200]);
    await command.printed('stdout', /^without +\| DELETE \/tasks\/1$/m);
    expect(command.stdout).to.not.match(/^with +\| DELETE/m);
    expect(command.stdout + command.stderr).to.not.match(/ c1 +turn/); // that is for --trace
    expect(existsSync(copy)).to.equal(true);
    command.process.kill('SIGINT');
    expect(await command.exit).to.equal(0);
    expect(existsSync(copy)).to.equal(false);
  });

  it('npm run lab removes the copy, too, if a signal ends it while that is made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'copies-'));
    const command = startLab({ TMPDIR: folder }, '1');
    await command.printed('stdout', /^Experiment 1/m);
    command.process.kill('SIGINT');
    expect(await command.exit).to.equal(0);
    expect(readdirSync(folder)).to.deep.equal([]);
    rmSync(folder, { recursive: true });
  });

  it('npm run lab ends with a line of advice if a port is in use', async () => {
    const other = createServer();
    // An error says that another program uses it already.
    await new Promise<void>((resolve) => {
      other.on('error', () => resolve()).listen(8080, resolve);
    });
    const { code, stderr } = await runLab('9');
    other.close();
    expect(code).to.equal(1);
    expect(stderr).to.match(/^Port 8080 is in use: --free-ports .*\n$/);
  });

  it('npm run lab takes the number of an experiment, and nothing else', () => {
    expect(parseLabOptions(['14', '--play'], experiments)).to.deep.equal({
      experiment: experiments[13],
      isPlayed: true,
      isTraced: false,
      hasFreePorts: false,
    });
    for (const [args, message] of [
      [[], 'The number of an experiment is missing'],
      [['15'], 'The lab takes a whole number from 1 to 14, not "15"'],
      [['1', '2'], 'The lab takes one number, not "1 2"'],
    ] as const)
      expect(() => parseLabOptions(args, experiments)).to.throw(UsageError, message);
  });

  it('a program that ends with an error counts as one, even if it says little', async () => {
    const failed = await runNode(ROOT, '-e', 'console.log("half"); process.exit(3)').then(
      () => '',
      (error: Error) => error.message,
    );
    expect(failed).to.match(/ ended with 3: half\n$/);
  });

  it('two outcomes stand side by side, without control characters, and not too long', () => {
    const outcome: Outcome = {
      clients: ['client'],
      outputs: ['\x1b[31m'],
      trace: '',
      log: '',
      turns: 0,
      proxy: '',
    };
    const long = { ...outcome, outputs: ['a\n'.repeat(20)], turns: 20 };
    const table = compareOutcomes(outcome, long, 'Without it, ...');
    expect(table).to.include('\\x1b[31m').and.include('(9 more lines)');
    expect(table)
      .to.include('20 requests')
      .and.match(/^[ -~\n]*$/);
  });
});
