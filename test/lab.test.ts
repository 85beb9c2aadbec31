import { expect } from 'chai';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNaively, Unreadable } from '../src/naive/naive-request';
import { requestOf } from '../src/study/cases';
import { EXPERIMENTS, type Experiment } from '../src/study/experiments';
import { Build, buildWithout, COMPILED, ROOT } from '../src/study/lab/build';
import { toCommands } from '../src/study/lab/commands';
import { applyDiff } from '../src/study/lab/diff';
import { compareOutcomes } from '../src/study/lab/report';
import { play, type Outcome } from '../src/study/lab/play';
import { Client } from './support/client';
import { Command, inThread } from './support/command';
import { Page, toAnchor, WRITING, type Block } from './support/page';
import { collectWarnings } from './support/warnings';

const page = new Page('src/LAB.md');

/** The blocks of an experiment: its commands, its defence, and its outcomes. */
function blocksOf({ number }: Experiment): readonly Block[] {
  const starts = page.blocks.map(({ mark }) => /^lab \d+$/.test(mark ?? ''));
  const from = page.blocks.findIndex(({ mark }) => mark === `lab ${number}`);
  const next = starts.indexOf(true, from + 1);
  return page.blocks.slice(from, next < 0 ? undefined : next);
}

/** Where the blocks of each language find what they show. */
const SHOWN: { readonly [language: string]: (outcome: Outcome) => string } = {
  http: ({ outputs }) => outputs.join('\n'),
  text: ({ outputs }) => outputs.join(''),
  log: ({ log }) => log,
  proxy: ({ proxy }) => proxy,
  trace: ({ trace }) => trace,
};

/** @returns what is wrong with the blocks that show what an experiment brought about, if
 * anything */
function check(blocks: readonly Block[], outcome: Outcome): string {
  const wrong = blocks.map((block) => {
    const said = SHOWN[block.language]?.(outcome).trimEnd() ?? '';
    return page.check(block, said, block.language === 'http' ? abridge : undefined);
  });
  return wrong.join('');
}

/** Responses without the field lines between the status line and the content. */
function abridge(responses: string): string {
  return responses.replace(
    /^(.*HTTP\/1\.1 .*\n)(?:\.\.\.\n|(?:[\w-]+: .*\n)+\n)/gm,
    '$1...\n',
  );
}

/** The list of the experiments with a proxy. */
function listOf(experiments: readonly Experiment[]): string {
  const rows = experiments.flatMap(({ disagreement, gain, number, title }) => {
    const heading = `${number}. ${title}`;
    return disagreement === undefined
      ? []
      : [`| [${heading}](#${toAnchor(heading)}) | ${disagreement} | ${gain} |\n`];
  });
  const head =
    '| Through a proxy | Proxy and server disagree on | What the attacker gains |';
  return `<!-- experiments -->\n${head}\n|---|---|---|\n${rows.join('')}`;
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A program of the lab, in a folder with the package. */
const program = (name: string, folder = ROOT): string =>
  join(folder, 'dist', 'study', 'lab', `${name}.js`);

/** What differs where a defence counts. */
function outcome({ outputs, log, turns }: Outcome) {
  return { outputs, log, turns };
}

describe('the lab', () => {
  const build = new Build();

  for (const experiment of EXPERIMENTS) {
    const { clients, defence, mistakes, number, title } = experiment;

    it(`${number}. ${title}`, async function () {
      this.slow(2000);
      collectWarnings();
      const [commands, diff, ...results] = blocksOf(experiment);
      if (commands === undefined || diff === undefined) throw new Error('not in the page');
      const typed = toCommands(experiment, mistakes === undefined ? 8080 : 8000);
      expect(page.check(commands, typed)).to.equal('');
      expect(page.check(diff, defence)).to.equal('');
      expect(page.prose).to.include(`\n## ${number}. ${title}\n`);

      const kept = results.filter(({ mark }) => mark === 'with');
      const removed = results.filter(({ mark }) => mark === 'without');
      expect([kept.length, removed.length]).to.not.include(0);
      const safe = await play(experiment, build);
      expect(check(kept, safe), 'with the defence').to.equal('');
      const unsafe = await play(experiment, buildWithout(experiment));
      const [all, few] = [safe, unsafe].map(({ outputs }) => Number(outputs[0]));
      // How many responses are lost is never the same twice.
      if (clients[0]?.counts !== undefined) expect(few).to.be.below(all ?? 0);
      else expect(check(removed, unsafe), 'without the defence').to.equal('');
      expect(outcome(unsafe), 'what an attacker gets').to.not.deep.equal(outcome(safe));
      if (mistakes === undefined) return;

      for (const { proxy } of [safe, unsafe]) {
        const seen = proxy.match(/^p1 +request /gm);
        expect(seen, 'what the proxy sees').to.have.lengthOf(1);
      }
      const [attack, ...others] = clients;
      const strictly = readNaively(requestOf(attack ?? { bytes: '' }));
      expect(strictly, 'what a strict proxy does').to.be.an.instanceOf(Unreadable);
      expect(safe.turns, 'what is handled with the defence').to.equal(others.length);
    });
  }

  it('no built module has import() left, which would load a module of another build', () => {
    const dist = join(ROOT, 'dist');
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' });
    const found = files.filter(
      (file) => file.endsWith('.js') && /\bimport\([^)]/.test(read(join('dist', file))),
    );
    expect(found).to.deep.equal([]);
  });

  it('a change whose lines are in two places is none', () => {
    const apply = () => applyDiff('@@ a @@\n-x', () => 'x\ny\nx\n');
    expect(apply).to.throw('these lines are more than once in a');
  });

  it('the page lists the experiments with a proxy', () => {
    const list = listOf(EXPERIMENTS);
    const [shown = ''] = /<!-- experiments -->\n(?:\|.*\n)+/.exec(page.text) ?? [];
    if (WRITING) page.replace(shown, list);
    else expect(shown).to.equal(list);
  });

  it('each function to which the page links is in that file', () => {
    const links = Array.from(
      page.prose.matchAll(/\[`(\w+)(?:\(\))?`\]\((\w+\/[\w-]+\.ts)\)/g),
    );
    expect(links).to.have.lengthOf.at.least(EXPERIMENTS.length - 3);
    for (const [link, name = '', file = ''] of links)
      expect(read(`src/${file}`), link).to.match(new RegExp(`\\b${name}\\b`));
  });

  it('npm run lab -- 1 starts both servers and proxies, and says what to type', async () => {
    const command = Command.runFile(program('main'), '1', '--free-ports');
    await command.printed('stdout', /^Control-C ends it\.$/m);
    const { stdout } = command;
    const [, second, first] =
      /the same with (\d+) in place of every (\d+),/.exec(stdout) ?? [];
    const [experiment] = EXPERIMENTS;
    if (experiment === undefined) throw new Error('no experiment');
    const commands = toCommands(experiment, Number(first));
    expect(stdout).to.include(commands.replace(/^/gm, '  '));
    const statuses: number[] = [];
    for (const port of [first, second]) {
      const client = await Client.connect(Number(port));
      client.socket.end(requestOf(experiment.clients[0] ?? { bytes: '' }), 'latin1');
      statuses.push((await client.answer()).status);
      await client.closed();
    }
    expect(statuses).to.deep.equal([400, 200]);
    await command.printed('stdout', /^without +\| DELETE \/tasks\/1$/m);
    expect(command.stdout).to.not.match(/^with +\| DELETE/m);
    expect(command.stdout + command.stderr).to.not.match(/ c1 +turn/); // that is for --trace
    command.process.kill('SIGINT');
    expect(await command.exit).to.equal(0);
  });

  it('npm run lab ends with a line of advice if a port is in use', async () => {
    const other = createServer();
    // An error says that another program uses it already.
    await new Promise<void>((resolve) => {
      other.on('error', () => resolve()).listen(8080, resolve);
    });
    const command = inThread(program('main'), ['9']);
    // Where the other program ends meanwhile, the lab would wait for clients.
    const ending = [command.exit, command.printed('stdout', /^Control-C ends it/m)];
    expect(await Promise.race(ending)).to.equal(1);
    other.close();
    expect(command.stderr).to.match(/^Port 8080 is in use: --free-ports .*\n$/);
  });

  it('a package without sources and compiler plays an experiment, side by side', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'package-'));
    cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
    const compiled = COMPILED.replace(ROOT, folder);
    rmSync(compiled, { force: true });
    const broken = inThread(program('main', folder), ['1', '--play']);
    expect(await broken.exit).to.equal(1);
    expect(broken.stderr).to.match(/^[^\n]+\n$/);
    await import(program('compile')); // here, where the compiler is loaded
    cpSync(COMPILED, compiled);
    const command = inThread(program('main', folder), ['1', '--play']);
    expect(await command.exit, command.stderr).to.equal(0);
    const { stdout } = command;
    for (const line of [
      /^ +\| with the defence +\| without it$/m,
      /^attacker +\| HTTP\/1\.1 400 Bad Request +\| HTTP\/1\.1 200 OK$/m,
      /^handled +\| GET \/tasks\/2 +\| POST \/tasks$/m,
      /^ +\| +\| DELETE \/tasks\/1$/m,
      /^victim +\|.*\| \{"deleted":true\}$/m,
      /\n\nWithout the defence, the DELETE [^|]*\.\n$/,
    ])
      expect(stdout).to.match(line);
    const table = stdout.split('\n').filter((line) => /^.{10}[|+]/.test(line));
    expect(table.filter((line) => line.length > 80)).to.deep.equal([]);
    rmSync(folder, { recursive: true });
  });

  it('npm run lab takes the number of an experiment, and nothing else', async () => {
    for (const args of [[], ['0'], ['1', '2']]) {
      const command = inThread(program('main'), args);
      expect(await command.exit).to.equal(2);
      const said = `The lab takes a number from 1 to ${EXPERIMENTS.length}, not `;
      expect(command.stderr).to.include(`${said}"${args.join(' ')}"`);
    }
  });
});

describe('the table of two outcomes', () => {
  it('has no control character, and no cell without end', () => {
    const outputs = ['\x1b[31m\n'.repeat(99)];
    const both = { outputs, trace: '', log: '', turns: 0, proxy: '' };
    const about = { clients: [], outcome: 'nothing differs' };
    const table = compareOutcomes(about, both, both);
    expect(table)
      .to.match(/^[\n -~]*$/)
      .and.contain('(88 more lines)');
  });
});
