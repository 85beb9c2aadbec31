import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSteps, type Conversation, type Exchange, type Step } from './steps/page';
import { Program } from './steps/program';
import { raw } from './support/bytes';
import { Client } from './support/client';
import { findDifference, Page, WRITING, type Block } from './support/page';
import { pause } from './support/notifier';
import { Session } from './support/replay';
import { playScript } from './support/script';
import { serve } from './support/test-server';

const page = new Page('src/STEPS.md');
const steps = readSteps(page);
const nameOf = ({ number }: { readonly number: number }): string => `step${number}.js`;

/** The most lines of a program; of the first, the title of the page says how many it
 * has. */
const LINES_LIMIT = 100;
const FIRST_LINES = 12;
/** A line of a log that is not there by then never comes. */
const LATE_MS = 10_000;

/** What Node says of a process that an error ends. */
const DEATH = /^(?:FATAL ERROR|Error): /m;

/** Plays a script against a program, and compares what its blocks show. */
async function converse({ script, shown }: Exchange, program: Program): Promise<string[]> {
  const { length: before } = program.output;
  const printed = await playScript(script.text, program);
  const log = (): string => program.output.slice(before).trimEnd();
  const wrong: string[] = [];
  for (const block of shown) {
    if (block.language === 'log') {
      // A line may be under way.
      const isThere = (): boolean => findDifference(block.text, log()) === undefined;
      await Promise.race([program.changes.until(isThere), pause(LATE_MS)]);
      wrong.push(page.check(block, log()));
    } else wrong.push(page.check(block, printed));
  }
  return wrong;
}

describe('the steps', () => {
  /** Those that run, by the command that started them. */
  const running = new Map<string, Program>();

  function killAll(): void {
    for (const program of running.values()) program.kill();
    running.clear();
  }

  after(killAll);

  /** Starts a program, unless it runs: as on the page, it is still there when it is broken.
   * @param isFatal whether it may end its process, and needs one of its own */
  async function start(command: string, isFatal = false): Promise<Program> {
    const key = `${command.replace(/ &$/, '')}${isFatal ? ' in a process' : ''}`;
    const program =
      running.get(key) ?? (await Program.start(command.replace(/ &$/, ''), isFatal));
    running.set(key, program);
    return program;
  }

  /** Plays a conversation from the start of its program. @returns what is wrong */
  async function replay({ start: { text }, exchanges }: Conversation): Promise<string[]> {
    const wrong: string[] = [];
    if (text.startsWith('node dist/main.js')) {
      const session = new Session();
      await session.play(text);
      for (const { script, shown } of exchanges) {
        const { answer } = await session.play(script.text);
        wrong.push(...shown.map((block) => page.check(block, answer)));
      }
      return wrong;
    }
    const blocks = exchanges.flatMap(({ shown }) => shown);
    const isFatal = blocks.some((block) => DEATH.test(block.text));
    const program = await start(text, isFatal);
    for (const exchange of exchanges) wrong.push(...(await converse(exchange, program)));
    return wrong;
  }

  it('the page has ten numbered steps, and none of their programs is long', () => {
    expect(steps.map(({ number }) => number).join()).to.equal('1,2,3,4,5,6,7,8,9,10');
    for (const { conversations, number, program, shown } of steps) {
      const lines = program.split('\n');
      expect(lines.length, `step ${number}`).to.be.at.most(LINES_LIMIT);
      expect(lines.filter((line) => line.length > 100)).to.deep.equal([]);
      expect(conversations, `step ${number}`).to.not.be.empty;
      const onPage = number === 1 ? program : undefined;
      expect(shown?.text, `step ${number} on the page`).to.equal(onPage);
    }
    expect(steps[0]?.program.split('\n')).to.have.length(FIRST_LINES);
  });

  for (const [at, step] of steps.entries()) {
    const previous = steps[at - 1];
    const name = nameOf(step);

    describe(`${step.number}. ${step.title}`, function () {
      this.slow(3000);
      after(killAll);

      if (previous !== undefined) {
        it(`the diff turns ${nameOf(previous)} into ${name}`, () => {
          const { diff, program } = step;
          if (diff === undefined) throw new Error('there is no diff');
          const shown = WRITING ? diffOf(previous, step) : diff.text;
          if (WRITING) page.write(page.blocks.indexOf(diff), shown);
          const header = headerOf(previous, step);
          expect(shown.slice(0, header.length)).to.equal(header);
          const made = applyDiff(previous.program, shown.slice(header.length));
          expect(made).to.equal(program);
        });

        it(`${name} does not break where ${nameOf(previous)} does`, async () => {
          const { start: command, exchanges } = previous.breaking;
          const program = await start(command.text.replace(nameOf(previous), name));
          const wrong: string[] = [];
          for (const { script, shown } of exchanges) {
            const { length: before } = program.output;
            const printed = await playScript(script.text, program, { isInterrupted: true });
            const said = (block: Block) =>
              block.language === 'log' ? program.output.slice(before) : printed;
            const same = shown.filter(
              (block) => findDifference(block.text, said(block)) === undefined,
            );
            if (same.length === shown.length) wrong.push(script.place);
          }
          expect(wrong, 'scripts that break both').to.deep.equal([]);
          expect(program.hasEnded, 'whether the program has ended').to.equal(false);
        });
      }

      it(`${name} works as the page shows`, async () => {
        const wrong: string[] = [];
        for (const conversation of step.conversations)
          wrong.push(...(await replay(conversation)));
        expect(wrong.join('')).to.equal('');
      });

      it(`${name} breaks as the page shows`, async () => {
        expect((await replay(step.breaking)).join('')).to.equal('');
      });
    });
  }

  const CLOSE = raw`Host: a\r\nConnection: close\r\n\r\n`;
  const EXPECT = raw`Expect: 100-continue\r\nContent-Length: 1\r\n`;
  // prettier-ignore
  for (const [what, sent, toys, servers] of [
    ['no Host', raw`GET / HTTP/1.1\r\nConnection: close\r\n\r\n`, / 200 /, / 400 /],
    ['an empty line before it', raw`\r\nGET / HTTP/1.1\r\n${CLOSE}`, / 400 /, / 200 /],
    ['Expect', raw`POST /tasks HTTP/1.1\r\n${EXPECT}${CLOSE}`, /^$/, / 100 /],
  ] as const) {
    it(`step10.js gets a request wrong with ${what}, as the map says, and the server right`,
      async () => {
        const toy = await Client.connect((await start('node step10.js')).port);
        const server = await (await serve()).client();
        // Half-closed, so that the toy closes before its time is up.
        expect((await toy.send(sent).end().closed()).rest).to.match(toys);
        expect((await server.send(sent).end().closed()).rest).to.match(servers);
      });
  }
});

/** Applies a unified diff, as strictly as `patch` with a fuzz of 0. */
function applyDiff(text: string, diff: string): string {
  const lines = text.split('\n');
  for (const hunk of diff.replace(/\n$/, '').split(/\n(?=@@ )/)) {
    const [start = '', ...body] = hunk.split('\n');
    const [, less = '1', place = '', more = '1'] = HUNK.exec(start) ?? [];
    const sideWithout = (sign: string): string[] =>
      body.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
    const [old, made] = [sideWithout('+'), sideWithout('-')];
    expect([old.length, made.length], start).to.deep.equal([Number(less), Number(more)]);
    expect(lines.splice(Number(place) - 1, old.length, ...made), start).to.deep.equal(old);
  }
  return lines.join('\n');
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/;

/** The diff between two steps, as the page shows it. */
function diffOf(before: Step, after: Step): string {
  const folder = mkdtempSync(join(tmpdir(), 'diff-'));
  try {
    const files = [before, after].map((step) => {
      const path = join(folder, nameOf(step));
      writeFileSync(path, `${step.program}\n`);
      return path;
    });
    const { stdout } = spawnSync('diff', ['-U1', ...files], { encoding: 'utf8' });
    const hunks = stdout.slice(stdout.indexOf('@@')).replace(/\n$/, '');
    return `${headerOf(before, after)}${hunks}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function headerOf(before: Step, after: Step): string {
  return `--- ${nameOf(before)}\n+++ ${nameOf(after)}\n`;
}
