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

const BREAK = '**Break it.**';
const isStart = ({ text }: Block): boolean => /^node .*\.js\b/.test(text);

/** @returns the sections "## 1. Title" of a page, each with its "### What happened in step
 * 1" */
export function readSteps(page: Page): Step[] {
  const steps: Omit<Step, 'breaking' | 'conversations'>[] = [];
  const works = new Map<number, Block[]>();
  const breaks = new Map<number, Block[]>();
  let at = 0;
  for (const section of page.text.split(/^(?=##+ )/m)) {
    const blocks = page.blocks.slice(at, (at += countBlocks(section)));
    const [, happened] = /^### What happened in step (\d+)$/m.exec(section) ?? [];
    if (happened !== undefined) breaks.get(Number(happened))?.push(...blocks);
    const [, digits, title = ''] = /^## (\d+)\. (.*)$/m.exec(section) ?? [];
    if (digits === undefined) continue;
    const number = Number(digits);
    const broken = section.indexOf(BREAK);
    if (broken < 0) throw new Error(`"${title}" is not broken`);
    const before = countBlocks(section.slice(0, broken));
    works.set(number, blocks.slice(0, before));
    breaks.set(number, blocks.slice(before));
    const file = join(ROOT, 'src', 'study', 'steps', `step${number}.js`);
    const program = readFileSync(file, 'utf8').trimEnd();
    const shown = blocks.find(({ language }) => language === 'js');
    const diff = blocks.find(({ language }) => language === 'diff');
    steps.push({ number, title, program, shown, diff });
  }
  return steps.map((step) => {
    const conversations = readConversations(works.get(step.number) ?? []);
    const [breaking, ...others] = readConversations(
      breaks.get(step.number) ?? [],
      conversations.at(-1)?.start,
    ).filter(({ exchanges }) => exchanges.length > 0);
    if (breaking === undefined)
      throw new Error(`"${step.title}" has no script that breaks it`);
    return { ...step, conversations: [...conversations, ...others], breaking };
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

function countBlocks(text: string): number {
  return Array.from(text.matchAll(/^```\w+$/gm)).length;
}
