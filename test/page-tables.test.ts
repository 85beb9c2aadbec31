import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPTIONS, USAGE } from '../src/command/options';
import { checkOptions } from '../src/server/server-options';
import {
  DISPATCHER,
  isState,
  RESULTS,
  taskService,
  type Rule,
} from '../src/tasks/dispatcher';
import { Page, ROOT } from './support/page';
import { VERBS } from './support/verbs';

const NUMBERS = 'no one two three four five six seven eight nine'.split(' ');

/** @returns the rows of the table under the line with a heading, each as the text of its
 * cells */
function tableUnder(page: string, heading: string): string[][] {
  const lines = new Page(page).prose.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  expect(start, `the table "${heading}" of ${page}`).to.be.at.least(0);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** @returns the statuses of all results that a state of the dispatcher, or a result, leads
 * to */
function statusesOf(to: Rule[1]): number[] {
  if (!isState(to)) return [RESULTS[to]({ method: '', path: '' }).status];
  const statuses = DISPATCHER[to].flatMap(([, next]) => statusesOf(next));
  return [...new Set(statuses)].sort();
}

/** @returns the rules of the dispatcher as the README shows them: method, path and
 * statuses */
function apiRows(): string[][] {
  const rows: string[][] = [];
  const elsewhere = new Set<number>();
  const methods = DISPATCHER.start.slice(0, -1);
  for (const [method, state] of methods) {
    if (!isState(state)) throw new Error(`${method} has no paths`);
    for (const [condition, next] of DISPATCHER[state]) {
      const [, how = '', path = ''] = /^path (is|contains) "(.*)"$/.exec(condition) ?? [];
      const shown = how === 'is' ? `\`${path}\`` : `contains \`${path}\``;
      const statuses = statusesOf(next);
      if (condition === 'otherwise') for (const status of statuses) elsewhere.add(status);
      else rows.push([method, shown, statuses.join(', ')]);
    }
  }
  const [, others] = DISPATCHER.start.at(-1) ?? [];
  const count = NUMBERS[methods.length] ?? '';
  rows.push([`one of these ${count}`, 'anything else', [...elsewhere].join(', ')]);
  rows.push(['any other', 'anything', others ? statusesOf(others).join(', ') : '']);
  return rows;
}

/** What the pages say in tables, the code says too. A table that is wrong is found here. */
describe('the tables of the pages', () => {
  it('the API table of the README has the rules of the dispatcher', () => {
    const shown = tableUnder('README.md', 'method').map(
      ([method = '', path = '', , statuses]) => [method, path, statuses],
    );
    expect(shown).to.have.deep.members(apiRows());
  });
  it('the API table of the README shows the content of the responses', () => {
    let quoted = 0;
    for (const [method = '', path = '', content = ''] of tableUnder(
      'README.md',
      'method',
    )) {
      const [, json] = /`(\{.*\})`/.exec(content) ?? [];
      if (json === undefined) continue;
      const named = /`(.*)`/.exec(path)?.[1] ?? '/elsewhere';
      const sent = {
        method: /^[A-Z]+$/.test(method) ? method : 'GET',
        path: path.startsWith('contains') ? `${named}1` : named,
      };
      expect(taskService(sent).body, `${method} ${path}`).to.equal(json);
      quoted += 1;
    }
    expect(quoted).to.be.at.least(4);
  });

  it('--help and the options table of the README list every option with its default', () => {
    const fromHelp = new Map(
      Array.from(
        USAGE.matchAll(/^  (--\S+(?: [A-Z]+)?) +(.*)$/gm),
        ([, option = '', text = '']) => {
          const [, value = ''] = /\(default:? (.*)\)/.exec(text) ?? [];
          return [option, value] as const;
        },
      ),
    );
    const names = Array.from(fromHelp.keys(), (option) => option.split(' ')[0]?.slice(2));
    expect(names).to.have.members(Object.keys(OPTIONS));
    for (const [name, option] of Object.entries(OPTIONS)) {
      const described = [...fromHelp].find(([text]) => text.split(' ')[0] === `--${name}`);
      if ('default' in option) expect(described?.[1], `--${name}`).to.equal(option.default);
    }
    const fromReadme = tableUnder('README.md', '`node dist/main.js ...`').flatMap(
      ([options = '', value = '']) =>
        options
          .split(', ')
          .map((option): [string, string] => [
            option.replaceAll('`', ''),
            value === 'off' ? '' : value,
          ]),
    );
    expect(fromReadme).to.have.deep.members([...fromHelp]);
  });
  it('the documentation of startServer() names the default of every option', () => {
    const source = readFileSync(join(ROOT, 'src', 'server', 'server-options.ts'), 'utf8');
    const documented = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*readonly (\w+)\?: number/g;
    const defaults = Array.from(source.matchAll(documented), ([, text = '', name = '']) => {
      const line = text.replace(/\s+\*?\s*/g, ' ');
      const [, number = '', unit] =
        /([\d,]+)( MiB)?(?:, the default| by default)/.exec(line) ?? [];
      return [
        name,
        Number(number.replaceAll(',', '')) * (unit === undefined ? 1 : 2 ** 20),
      ];
    });
    expect(defaults).to.have.lengthOf.at.least(6);
    // The default budget depends on the heap, and has a test of its own.
    const fixed = defaults.filter(([name]) => name !== 'contentBudget');
    expect(checkOptions({ service: taskService })).to.include(Object.fromEntries(fixed));
  });

  it('the tour lists every verb of the trace', () => {
    const list = new Page('src/TOUR.md').blocks.find(({ text }) =>
      /^listen {2,}/.test(text),
    );
    const lines = list?.text.split('\n') ?? [];
    // Two columns: each has a verb, padded to nine characters, and what it means.
    const second = lines[0]?.search(/(?<= {3})\S+ +\S+(?: \S+)*$/) ?? 0;
    const cells = lines.flatMap((line) => [
      line.slice(0, 9),
      line.slice(second, second + 9),
    ]);
    const listed = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    // The terminal adds it to a request or a rejection: it is no event of its own.
    expect(listed).to.have.members(VERBS);
  });
});
