/** The page of the lab as experiments. */
import type { Block, Page } from '../support/page';

export interface Experiment {
  readonly title: string;
  readonly prose: string;
  readonly diff: Block;
  /** The command that starts the proxy, in the experiments that have one. */
  readonly proxy: Block | undefined;
  readonly script: Block;
  /** What the script brings about with the defence, and without it. */
  readonly kept: readonly Block[];
  readonly removed: readonly Block[];
}

/** The sections "## 1. Title", each with these blocks: the diff; the command of the proxy, if there
 * is one; the script; the results; and, after a paragraph that starts with "Without it", the other
 * results. */
export function readExperiments(page: Page): Experiment[] {
  const [intro = '', ...sections] = page.text.split(/^(?=## \d+\. )/m);
  let at = countBlocks(intro);
  return sections.map((section) => {
    const from = at;
    at += countBlocks(section);
    const [, title = ''] = /^## (.*)$/m.exec(section) ?? [];
    const [withDefence = ''] = section.split(/^Without it\b/m);
    const results = from + countBlocks(withDefence);
    const [diff, ...kept] = page.blocks.slice(from, results);
    const removed = page.blocks.slice(results, at);
    const proxy = /^npm run proxy /.test(kept[0]?.text ?? '') ? kept.shift() : undefined;
    const script = kept.shift();
    const isWhole = diff?.language === 'diff' && script?.language === 'sh';
    if (!isWhole || kept.length === 0 || removed.length === 0) {
      throw new Error(`"${title}" has not the blocks diff, sh, results and other results`);
    }
    const prose = section.replace(/^```\w*\n[^]*?^```$/gm, '');
    return { title, prose, diff, proxy, script, kept, removed };
  });
}

function countBlocks(text: string): number {
  return Array.from(text.matchAll(/^```\w+$/gm)).length;
}
