import { expect } from 'chai';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIAGRAMS } from './support/diagrams';
import { Page, pageNames, ROOT, type Block } from './support/page';
import { hasPython } from './support/not-run';
import { isProgram, runProgram } from './support/program';
import { Session, type Said } from './support/replay';

const MAP = 'src/README.md';
/** The pages whose commands are played. */
const CONVERSATIONS = ['README.md', 'src/TOUR.md'];

const pages = new Map(pageNames().map((name) => [name, new Page(name)]));
const conversations = CONVERSATIONS.flatMap((name) => pages.get(name) ?? []);

/** The blocks that show what the block before them brought about, and which part of it. */
const SHOWN: { readonly [language: string]: keyof Said } = {
  http: 'answer',
  json: 'answer',
  trace: 'trace',
  log: 'log',
};

/** Plays a page from one start of a server to the next. @returns what is wrong with it */
async function play(page: Page, blocks: readonly Block[]): Promise<string[]> {
  const session = new Session();
  const wrong: string[] = [];
  let said: Said | undefined;
  for (const [index, block] of blocks.entries()) {
    const { language, mark, place, text } = block;
    const part = SHOWN[language];
    try {
      if (language === 'sh') {
        const next = blocks[index + 1];
        said = await session.play(text, next?.mark === 'typed' ? next.text : undefined);
      } else if (part !== undefined && mark === undefined) {
        wrong.push(page.check(block, said?.[part] ?? 'nothing'));
      }
    } catch (error) {
      throw new Error(
        `${place}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return wrong;
}

/** The blocks of a page, cut before each start of a server. */
function sessions(page: Page): Block[][] {
  const all: Block[][] = [[]];
  for (const block of page.blocks) {
    const starts = /^(?:node dist\/main\.js|npm start)/m.test(block.text);
    if (block.language === 'sh' && starts) all.push([]);
    all.at(-1)?.push(block);
  }
  return all.filter((blocks) => blocks.length > 0);
}

describe('the pages', () => {
  for (const page of conversations) {
    it(`every conversation of ${page.name} goes as the page prints it`, async function () {
      this.slow(10_000);
      const wrong = await Promise.all(sessions(page).map((blocks) => play(page, blocks)));
      expect(wrong.flat().join('')).to.equal('');
    });
  }

  for (const [name, diagram] of Object.entries(DIAGRAMS)) {
    it(`the diagram of the ${name} shows its table`, () => {
      const drawn = conversations.flatMap((page) =>
        page.blocks
          .filter(({ mark }) => mark === `diagram ${name}`)
          .map((block) => page.check(block, diagram) || 'drawn'),
      );
      expect(drawn).to.deep.equal(['drawn']);
    });
  }

  it('every program of the pages runs, and prints what the page shows', async function () {
    this.slow(10_000);
    let programs = 0;
    for (const page of conversations) {
      for (const [index, block] of page.blocks.entries()) {
        const { language, place, text } = block;
        const next = page.blocks[index + 1];
        // In bash, there are commands of which nobody shows the output, too.
        if (!isProgram(language) || (language === 'bash' && next?.mark !== 'output'))
          continue;
        if (language === 'python' && !hasPython()) continue;
        const { code, output } = await runProgram(text, language);
        expect(code, `${place}: ${output}`).to.equal(0);
        if (next?.mark === 'output')
          expect(page.check(next, output.trimEnd())).to.equal('');
        programs += 1;
      }
    }
    expect(programs).to.be.at.least(1);
  });

  it('the map of the source has each folder, and each file that a request goes through', () => {
    const map = pages.get(MAP);
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `src/${file}`);
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const passed = files.filter((file) => /^src\/(?:http|server|tasks)\//.test(file));
    const links = map?.links().map((link) => `src/${link}`) ?? [];
    expect(links).to.include.members(folders.filter((folder) => folder !== 'src'));
    expect(links).to.include.members(passed);
  });

  for (const [name, page] of pages) {
    it(`every link of ${name} leads somewhere, and every file that it names exists`, () => {
      expect(page.brokenLinks()).to.deep.equal([]);
      const missing = page.namedFiles().filter((file) => !existsSync(join(ROOT, file)));
      expect(missing).to.deep.equal([]);
    });
  }
});
