/** src/STEPS.md as data: ten programs, the diffs between them, and the conversations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Block, type Page } from '../support/page';

export interface Step {
  readonly number: number;
  readonly title: string;
  /** The text of its program, without the last line end. */
  readonly program: string;
  /** The program on the page: only the first is shown whole. */
  readonly shown: Block | undefined;
  /** What makes it of the program before. The first has none. */
  readonly diff: Block | undefined;
  /** The conversations in which it works, from one start of a server to the next. */
  readonly conversations: readonly Conversation[];
  /** The script that breaks it, and what it shows. It belongs to the last start before
   * it. */
  readonly breaking: Conversation;
}

export interface Conversation {
  /** The script that starts the server: "node step1.js". */
  readonly start: Block;
  readonly exchanges: readonly Exchange[];
}

/** A script, and the blocks that show what comes of it. */
export interface Exchange {
  readonly script: Block;
  readonly shown: readonly Block[];
}

/** A heading, with the number of a step and perhaps its title, or what begins the script that
 * breaks the last one. */
const MARK = /^##+ (?:(\d+)\. (.*)|What happened in step (\d+)|.*)$|^\*\*Break it\.\*\*/gm;
const isStart = ({ text }: Block): boolean => /^node .*\.js\b/.test(text);

/** @returns the sections "## 1. Title" of a page, each with its "### What happened in step
 * 1" */
export function readSteps(page: Page): Step[] {
  const found: { number: number; title: string; works: Block[]; breaks: Block[] }[] = [];
  let blocks: Block[] = [];
  for (const block of page.blocks) {
    for (const [mark, digits, title, happened] of block.before.matchAll(MARK)) {
      const step = found[Number(happened ?? found.length) - 1];
      const isBroken = happened !== undefined || !mark.startsWith('#');
      blocks = isBroken ? (step?.breaks ?? []) : [];
      if (digits === undefined || title === undefined) continue;
      found.push({ number: Number(digits), title, works: blocks, breaks: [] });
    }
    blocks.push(block);
  }
  return found.map(({ breaks, number, title, works }) => {
    const file = join(ROOT, 'src', 'study', 'steps', `step${number}.js`);
    const program = readFileSync(file, 'utf8').trimEnd();
    const shown = works.find(({ language }) => language === 'js');
    const diff = works.find(({ language }) => language === 'diff');
    const conversations = readConversations(works);
    const [breaking, ...others] = readConversations(
      breaks,
      conversations.at(-1)?.start,
    ).filter(({ exchanges }) => exchanges.length > 0);
    if (breaking === undefined) throw new Error(`"${title}" has no script that breaks it`);
    const all = [...conversations, ...others];
    return { number, title, program, shown, diff, conversations: all, breaking };
  });
}

/** @param start of a server that runs already */
function readConversations(blocks: readonly Block[], start?: Block): Conversation[] {
  const conversations: { start: Block; exchanges: { script: Block; shown: Block[] }[] }[] =
    [];
  if (start !== undefined) conversations.push({ start, exchanges: [] });
  for (const block of blocks) {
    const { language } = block;
    if (language === 'js' || language === 'diff') continue;
    if (language === 'sh' && isStart(block))
      conversations.push({ start: block, exchanges: [] });
    else if (language === 'sh')
      conversations.at(-1)?.exchanges.push({ script: block, shown: [] });
    else conversations.at(-1)?.exchanges.at(-1)?.shown.push(block);
  }
  return conversations;
}
