/** src/STEPS.md as data: seven programs, the diffs between them, and the conversations. */
import { Page, type Block } from '../support/page';

export interface Step {
  readonly number: number;
  readonly title: string;
  readonly program: Block;
  /** What makes it of the program before. The first has none. */
  readonly diff: Block | undefined;
  /** The conversations in which it works, from one start of a server to the next. */
  readonly conversations: readonly Conversation[];
  /** The script that breaks it, and what it shows. It belongs to the last start before it. */
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

/** @returns the sections "## 1. Title" of a page */
export function readSteps(page: Page): Step[] {
  const [intro = '', ...sections] = page.text.split(/^(?=## )/m);
  let at = countBlocks(intro);
  const steps: Step[] = [];
  for (const section of sections) {
    const count = countBlocks(section);
    const blocks = page.blocks.slice(at, at + count);
    at += count;
    const [, number, title = ''] = /^## (\d+)\. (.*)$/m.exec(section) ?? [];
    if (number === undefined) continue;
    const broken = section.indexOf(BREAK);
    if (broken < 0) throw new Error(`"${title}" is not broken`);
    const beforeBreak = countBlocks(section.slice(0, broken));
    steps.push({ number: Number(number), title, ...readStep(title, blocks, beforeBreak) });
  }
  return steps;
}

function readStep(title: string, blocks: readonly Block[], beforeBreak: number) {
  const program = blocks.find(({ language }) => language === 'js');
  if (program === undefined) throw new Error(`"${title}" has no program`);
  const diff = blocks.find(({ language }) => language === 'diff');
  const conversations = readConversations(blocks.slice(0, beforeBreak));
  const [breaking, ...others] = readConversations(
    blocks.slice(beforeBreak),
    conversations.at(-1)?.start,
  ).filter(({ exchanges }) => exchanges.length > 0);
  if (breaking === undefined) throw new Error(`"${title}" has no script that breaks it`);
  return { program, diff, conversations: [...conversations, ...others], breaking };
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
