/** The README and the tour as data: their fenced blocks, and what stands in the marked ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
/** README=write npm test writes what it finds into the pages, instead of comparing. */
export const WRITING = process.env['README'] === 'write';

export interface Block {
  readonly language: string;
  readonly text: string;
  /** A mark before the block: <!-- diagram reading --> */
  readonly mark: string | undefined;
}

export class Page {
  readonly blocks: Block[] = [];
  private readonly parts: string[];

  constructor(readonly name: string) {
    const fence = /((?:<!-- [^>]+ -->\n)?```\w*\n[^]*?^```$)/m;
    this.parts = readFileSync(join(ROOT, name), 'utf8').split(fence);
    for (const part of this.parts.filter((_, at) => at % 2 === 1)) {
      const [, mark, language = '', text = ''] = /^(?:<!-- ([^>]+) -->\n)?```(\w*)\n([^]*?)\n?```$/.exec(part) ?? [];
      this.blocks.push({ language, text, mark });
    }
  }

  get text(): string {
    return this.parts.join('');
  }

  /** Puts another text into a block. */
  write(at: number, text: string): void {
    const index = 2 * at + 1;
    this.parts[index] = (this.parts[index] ?? '').replace(/(```\w*\n)[^]*$/, (_, open: string) => `${open}${text}\n\`\`\``);
    writeFileSync(join(ROOT, this.name), this.text);
  }
}
