/** The page of the lab (src/LAB.md) as experiments. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MISTAKES, type Mistake } from '../../naive/naive-request';

export interface Fenced {
  readonly language: string;
  readonly text: string;
}

export interface Experiment<Block extends Fenced = Fenced> {
  readonly number: number;
  readonly title: string;
  readonly prose: string;
  readonly diff: Block;
  /** The mistake of the proxy, in the experiments that have one. */
  readonly mistake: Mistake | undefined;
  /** Whether the server is the echo service, and not the tasks. */
  readonly isEcho: boolean;
  readonly script: Block;
  /** What the script brings about with the defence, and without it. */
  readonly kept: readonly Block[];
  readonly removed: readonly Block[];
  /** What an attacker gains, in a sentence. */
  readonly gain: string;
}

/** Beside the source, in a repository. A package has no pages. */
const PAGE = join(__dirname, '..', '..', '..', 'src', 'LAB.md');

const FENCED = /^```(\w+)\n([^]*?)\n```$/gm;

/** @returns the fenced blocks of a page */
export function readBlocks(text: string): Fenced[] {
  return Array.from(text.matchAll(FENCED), ([, language = '', block = '']) => ({
    language,
    text: block,
  }));
}

/** @returns the experiments of the page, or none where there is no page */
export function readLab(): Experiment[] {
  const text = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  return readExperiments(text, readBlocks(text));
}

/** The sections "## 1. Title", each with these blocks: the script; the diff; the results;
 * and, after a paragraph that starts with "Without it", the other results.
 * @param blocks all fenced blocks of the page */
export function readExperiments<Block extends Fenced>(
  text: string,
  blocks: readonly Block[],
): Experiment<Block>[] {
  const [intro = '', ...sections] = text.split(/^(?=## \d+\. )/m);
  let at = readBlocks(intro).length;
  return sections.map((section) => {
    const from = at;
    at += readBlocks(section).length;
    const [, title = '', number] = /^## ((\d+)\. .*)$/m.exec(section) ?? [];
    const [withDefence = ''] = section.split(/^Without it\b/m);
    const results = from + readBlocks(withDefence).length;
    const [script, diff, ...kept] = blocks.slice(from, results);
    const removed = blocks.slice(results, at);
    const prose = section.replace(FENCED, '');
    if (diff?.language !== 'diff' || script?.language !== 'sh') {
      throw new Error(`"${title}" has not the blocks sh and diff`);
    }
    const [, named] = /`--mistake ([\w-]+)`/.exec(prose) ?? [];
    const mistake = Object.keys(MISTAKES).find((name): name is Mistake => name === named);
    const isEcho = prose.includes('echo service');
    const [, gain = ''] = /^Without it(,[^:]*)/m.exec(prose) ?? [];
    return {
      number: Number(number),
      title,
      prose,
      diff,
      mistake,
      isEcho,
      script,
      kept,
      removed,
      gain: `Without the defence${gain.replace(/\s+/g, ' ')}.`,
    };
  });
}
