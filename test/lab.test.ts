import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readNaively, Unreadable } from '../src/naive/naive-request';
import { applyDiff, type Applied, type Sources } from '../src/study/lab/diff';
import {
  readExperiments,
  type Experiment as ExperimentOf,
} from '../src/study/lab/experiments';
import { describeGain } from '../src/study/lab/gain';
import { play, playProxied, runNode, type Outcome } from '../src/study/lab/play';
import { compareOutcomes } from '../src/study/lab/report';
import { readStatements } from '../src/study/lab/script';
import { Laboratory } from './lab/laboratory';
import { enclosingNames } from './lab/names';
import { Client } from './support/client';
import { Command } from './support/command';
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
  http: ({ answers }) => answers.join('\n'),
  text: ({ answers }) => answers.join(''),
  log: ({ log }) => log,
  proxy: ({ proxy }) => proxy,
  trace: ({ trace }) => trace,
};

/** @returns what is wrong with the blocks that show what a script brought about, if anything */
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
const printed = ({ answers }: Outcome): string => answers.join('\n');

/** Answers without the field lines between the status line and the content. */
function abridge(answer: string): string {
  return answer.replace(
    /^(.*HTTP\/1\.1 .*\n)(?:\.\.\.\n|(?:[\w-]+: .*\n)+\n)/gm,
    '$1...\n',
  );
}

/** Starts the command of the lab. */
function startLab(...args: string[]): Command {
  return Command.runFile(join(ROOT, 'dist', 'study', 'lab', 'main.js'), ...args);
}

/** Runs the command of the lab to its end. */
async function runLab(...args: string[]) {
  const command = startLab(...args);
  const code = await command.exit;
  return { code, stdout: command.stdout, stderr: command.stderr };
}

/** How often a response may be lost by chance before it counts as never lost. */
const TRIES = 5;

/** Whether it counts answers with grep -c, and shows that some are lost without the defence. */
function countsLoss({ script, kept, removed }: Experiment): boolean {
  const [few, all] = [removed, kept].map(([block]) => Number(block?.text));
  return script.text.includes('grep -c') && Number(few) < Number(all);
}

/** All diffs that apply, one after the other. Those that do not fail in their own tests. */
function withoutDefences(sources: Sources): Sources {
  const changed = new Map(sources);
  for (const { diff } of experiments) {
    try {
      for (const { file, text } of applyDiff(diff.text, changed).changes)
        changed.set(file, text);
    } catch {
      continue;
    }
  }
  return changed;
}

/** Applies a diff of the page. @throws Error that says where it is, if it no longer applies */
function applyShown({ place, text }: Block, sources: Sources): Applied {
  try {
    return applyDiff(text, sources);
  } catch (error) {
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A diff without the lines at which its hunks begin: git looks for them elsewhere, too. */
function unplaced(diff: string): string {
  return diff.replace(/^@@ -\d+(,\d+) \+\d+(,\d+) @@/gm, '@@ -$1 +$2 @@');
}

const DELETED =
  /handled DELETE \/tasks\/1, which .*, and the victim received \{"deleted":true\}\.$/;
/** What is gained in each experiment. */
const GAINS: readonly RegExp[] = [
  DELETED,
  /the attacker received a line of the victim's request \(Cookie: session=4711\)/,
  /handled POST \/, which .*, and the victim received "Please pay to account 4711\."\.$/,
  /^Without the defence, the victim received "400 Bad Request"\.$/,
  /handled DELETE \/tasks\/1 and DELETE \/tasks\/2, which the proxy did not see/,
  DELETED,
  DELETED,
  DELETED,
  /^Without the defence, the server read 8000005 bytes of one line instead of \d{4,6}\.$/,
  /^Without the defence, the server handled 20000 requests .* instead of \d+\.$/,
  /the last count is "8000 bytes, 31980003 looks" instead of "8000 bytes, 7997 looks"\.$/,
  /^Without the defence, \d+ responses arrived instead of 2000\.$/,
  /^Without the defence, the victim's GET \/tasks\/2 was handled in place 4 instead of 2\.$/,
  /^Without the defence, the client received 2 responses to 1 request\.$/,
];

/** What differs where a defence counts. */
function gain({ answers, log, turns }: Outcome) {
  return { answers, log, turns };
}

describe('the lab', () => {
  let laboratory: Laboratory;
  /** What the compiler says when all defences are taken away at once; it runs beside the tests. */
  let compiled: Promise<string>;

  before(() => {
    laboratory = new Laboratory();
    compiled = laboratory.check(withoutDefences(laboratory.sources));
  });

  after(async () => {
    await compiled;
    laboratory.dispose();
  });

  for (const [at, experiment] of experiments.entries()) {
    const { diff, isEcho, kept, mistake, prose, removed, script, title } = experiment;

    it(title, async function () {
      this.slow(2000);
      collectWarnings();
      const { changes, diff: numbered } = applyShown(diff, laboratory.sources);
      if (WRITING && numbered !== diff.text)
        page.write(page.blocks.indexOf(diff), numbered);
      else expect(unplaced(diff.text), 'the counts of lines').to.equal(unplaced(numbered));
      for (const { file, places } of changes) {
        const source = laboratory.sources.get(file) ?? '';
        expect(prose, 'the prose').to.include(`](${file.replace('src/', '')})`);
        for (const { from, to } of places) {
          const names = enclosingNames(source, from, to);
          const isNamed = names.some((name) => prose.includes(`\`${name}`));
          expect(isNamed, `whether the prose names one of ${names.join(', ')}`).to.equal(
            true,
          );
        }
      }

      const changed = laboratory.build(String(at + 1), changes);
      if (mistake !== undefined) {
        const proxied = { mistake, isEcho };
        const safe = await playProxied(proxied, script.text, ROOT);
        expect(check(kept, safe), 'with the defence').to.equal('');
        const unsafe = await playProxied(proxied, script.text, changed);
        expect(check(removed, unsafe), 'without the defence').to.equal('');
        for (const { proxy } of [safe, unsafe]) {
          expect(proxy.match(/^c1 +request /gm), 'what the proxy sees').to.have.lengthOf(1);
        }
        const [attack, ...others] = readStatements(script.text);
        if (attack?.type !== 'send') throw new Error('the attacker does not begin');
        const readStrictly = (): unknown => readNaively(attack.bytes.toString('latin1'));
        expect(readStrictly, 'what a strict proxy does').to.throw(Unreadable);
        expect(safe.turns, 'what is handled with the defence').to.equal(others.length);
        expect(gain(unsafe), 'what an attacker gets').to.not.deep.equal(gain(safe));
        expect(describeGain(safe, unsafe)).to.match(GAINS[at] ?? /^$/);
        expect(describeGain(safe, safe)).to.include('nothing was gained');
        return;
      }
      const safe = await play(script.text, ROOT);
      expect(check(kept, safe), 'with the defence').to.equal('');
      let unsafe = await play(script.text, changed);
      // How many responses are lost is never the same twice. On a busy machine it may be none.
      if (countsLoss(experiment)) {
        for (
          let tries = 1;
          printed(unsafe) === printed(safe) && tries < TRIES;
          tries += 1
        ) {
          unsafe = await play(script.text, changed);
        }
        expect(Number(printed(unsafe)), 'without the defence').to.be.below(
          Number(printed(safe)),
        );
      } else expect(check(removed, unsafe), 'without the defence').to.equal('');
      expect(gain(unsafe), 'what an attacker gets').to.not.deep.equal(gain(safe));
      expect(describeGain(safe, unsafe)).to.match(GAINS[at] ?? /^$/);
    });
  }

  it('every change compiles', async function () {
    this.slow(5000);
    expect(await compiled).to.equal('');
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
    expect(stdout.trimEnd().split('\n').slice(-2).join(' ')).to.match(DELETED);
    const table = stdout.split('\n').filter((line) => /^.{10}[|+]/.test(line));
    expect(table.filter((line) => line.length > 80)).to.deep.equal([]);
  });

  it('npm run lab -- 1 starts both servers and proxies, and says what to type', async () => {
    const command = startLab('1', '--free-ports');
    await command.printed('stdout', /^Control-C ends it\.$/m);
    const { stdout } = command;
    const [, copy = ''] = /^Making a copy without the defence: (.*)$/m.exec(stdout) ?? [];
    const [, second, first] =
      /the same with (\d+) in place of every (\d+),/.exec(stdout) ?? [];
    const text = experiments[0]?.script.text ?? '';
    expect(stdout).to.include(text.replace(/^/gm, '  ').replaceAll('8000', String(first)));
    const [attack] = readStatements(text);
    if (attack?.type !== 'send') throw new Error('the attacker does not begin');
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
    expect(existsSync(copy)).to.equal(true);
    command.process.kill('SIGINT');
    expect(await command.exit).to.equal(0);
    expect(existsSync(copy)).to.equal(false);
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
    expect(stderr).to.match(/^The program "with" does not listen: --free-ports .*\n$/);
  });

  it('npm run lab takes the number of an experiment, and nothing else', async () => {
    for (const args of [[], ['15'], ['1', '2']]) {
      const { code, stderr } = await runLab(...args);
      expect(code, args.join(' ')).to.equal(2);
      expect(stderr, args.join(' ')).to.match(/^[^\n]+ \(see --help\)\n$/);
    }
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
      clients: [{ name: 'client', sent: '' }],
      answers: ['\x1b[31m'],
      trace: '',
      log: '',
      turns: 0,
      bytesRead: 0,
      proxy: '',
    };
    const long = { ...outcome, answers: ['a\n'.repeat(20)], turns: 20 };
    const table = compareOutcomes(outcome, long);
    expect(table).to.include('\\x1b[31m').and.include('(9 more lines)');
    expect(table)
      .to.include('20 requests')
      .and.match(/^[ -~\n]*$/);
  });
});
