import { expect } from 'chai';
import { readNaively, Unreadable } from '../src/naive/naive-request';
import { applyDiff, enclosingNames, type Applied, type Sources } from './lab/diffs';
import { readExperiments, type Experiment } from './lab/experiments';
import { Laboratory } from './lab/laboratory';
import { playProxied } from './lab/proxied';
import { play, readPipelines, type Outcome } from './lab/scripts';
import { findDifference, isElided, Page, WRITING, type Block } from './support/page';
import { collectWarnings } from './support/warnings';

const page = new Page('src/LAB.md');
const experiments = readExperiments(page);

/** The most lines of an experiment: a reader does one in five minutes. */
const LINES_LIMIT = 60;

/** The lines of an outcome that are shown with a difference. */
const SAID_SHOWN = 40;

/** Where the blocks of each language find what they show. */
const SHOWN: { readonly [language: string]: 'answer' | 'log' | 'proxy' | 'trace' } = {
  http: 'answer',
  text: 'answer',
  log: 'log',
  proxy: 'proxy',
  trace: 'trace',
};

/** @returns what is wrong with the blocks that show what a script brought about, if anything */
function check(blocks: readonly Block[], outcome: Outcome): string {
  return blocks
    .map((block) => checkBlock(block, outcome[SHOWN[block.language] ?? 'answer'].trimEnd()))
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

/** Answers without the field lines between the status line and the content. */
function abridge(answer: string): string {
  return answer.replace(
    /^(.*HTTP\/1\.1 .*\n)(?:\.\.\.\n|(?:[\w-]+: .*\n)+\n)/gm,
    '$1...\n',
  );
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

/** What differs where a defence counts. */
function gain({ answer, log, turns }: Outcome) {
  return { answer, log, turns };
}

describe('the lab', () => {
  let laboratory: Laboratory;
  let untouched: string;
  /** What the compiler says when all defences are taken away at once; it runs beside the tests. */
  let compiled: Promise<string>;

  before(() => {
    laboratory = new Laboratory();
    untouched = laboratory.build('untouched');
    compiled = laboratory.check(withoutDefences(laboratory.sources));
  });

  after(async () => {
    await compiled;
    laboratory.dispose();
  });

  for (const [at, experiment] of experiments.entries()) {
    const { diff, kept, prose, proxy, removed, script, title } = experiment;

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
      if (proxy !== undefined) {
        const safe = await playProxied(proxy.text, script.text, untouched);
        expect(check(kept, safe), 'with the defence').to.equal('');
        const unsafe = await playProxied(proxy.text, script.text, changed);
        expect(check(removed, unsafe), 'without the defence').to.equal('');
        for (const { proxy: said } of [safe, unsafe]) {
          expect(said.match(/^c1 +request /gm), 'what the proxy sees').to.have.lengthOf(1);
        }
        const sent = readPipelines(script.text).flatMap(({ pieces }) => pieces);
        const readStrictly = (): unknown =>
          readNaively(Buffer.concat(sent).toString('latin1'));
        expect(readStrictly, 'what a strict proxy does').to.throw(Unreadable);
        expect(safe.log, 'what is handled').to.equal('GET /tasks/2\n');
        expect(safe.victim, 'what the victim gets').to.match(/^\{"id":2,/);
        expect(unsafe.log).to.match(/^\w+ \/tasks.*\nDELETE \/tasks\/1\nGET \/tasks\/2\n$/);
        expect(unsafe.victim, 'what the victim gets').to.equal('{"deleted":true}');
        return;
      }
      const safe = await play(script.text, untouched);
      expect(check(kept, safe), 'with the defence').to.equal('');
      let unsafe = await play(script.text, changed);
      // How many responses are lost is never the same twice. On a busy machine it may be none.
      if (countsLoss(experiment)) {
        for (let tries = 1; unsafe.answer === safe.answer && tries < TRIES; tries += 1) {
          unsafe = await play(script.text, changed);
        }
        expect(Number(unsafe.answer), 'without the defence').to.be.below(
          Number(safe.answer),
        );
      } else expect(check(removed, unsafe), 'without the defence').to.equal('');
      expect(gain(unsafe), 'what an attacker gets').to.not.deep.equal(gain(safe));
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
      expect(prose, title).to.match(/\*\*It (?:happened to|is a known risk of)\*\*/);
      expect(prose, title).to.match(/CVE-\d{4}-\d{4,5}\)|\]\(https:\/\/github\.com\//);
      expect(script.text.split('\n').filter((line) => line.length > 90)).to.deep.equal([]);
    }
  });

  it('a victim goes through the proxy in eight experiments', () => {
    expect(experiments.filter(({ proxy }) => proxy !== undefined)).to.have.lengthOf(8);
  });
});
