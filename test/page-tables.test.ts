import { expect } from 'chai';
import { OPTIONS, USAGE } from '../src/command/options';
import { taskService } from '../src/index';
import { CONTRACT } from './support/api-table';
import { Page } from './support/page';
import { VERBS } from '../src/page/model/glossary';

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

/** What the pages say in tables, the code says too. A table that is wrong is found here. */
describe('the tables of the pages', () => {
  it('the API table of the README has the statuses of the contract', () => {
    const rows = tableUnder('README.md', 'method');
    const served = rows
      .map(([method = '']) => method)
      .filter((one) => /^[A-Z]+$/.test(one));
    const found = rows.map(() => new Set<number>());
    for (const { method, path, status } of CONTRACT) {
      const at = rows.findIndex(([who = '', where = '']) => {
        const [, text = ''] = /`(.*)`/.exec(where) ?? [];
        const isThere = where.startsWith('contains') ? path.includes(text) : path === text;
        const isAnywhere = where.startsWith('any') || isThere;
        const isOneOfThese = who.startsWith('one of') && served.includes(method);
        return (who === method || who === 'any other' || isOneOfThese) && isAnywhere;
      });
      found[at]?.add(status);
    }
    const shown = rows.map((cells) => cells[3]);
    expect(found.map((statuses) => [...statuses].sort().join(', '))).to.deep.equal(shown);
    const number = ['three', 'four', 'five', 'six'][new Set(served).size - 3];
    expect(rows.map(([who]) => who)).to.include(`one of these ${number}`);
  });
  it('the API table of the README shows the content of the responses', () => {
    let quoted = 0;
    for (const [who = '', where = '', content = ''] of tableUnder('README.md', 'method')) {
      const [, json] = /`(\{.*\})`/.exec(content) ?? [];
      if (json === undefined) continue;
      const [, text = '/elsewhere'] = /`(.*)`/.exec(where) ?? [];
      const path = where.startsWith('contains') ? `${text}1` : text;
      const method = /^[A-Z]+$/.test(who) ? who : 'GET';
      expect(taskService({ method, path }).body, `${method} ${path}`).to.equal(json);
      quoted += 1;
    }
    expect(quoted).to.be.at.least(4);
  });
  it('--help and the options table of the README list every option with its default', () => {
    const help = USAGE.matchAll(/^  (--(\S+)(?: [A-Z]+)?) .*?(?:\(default:? (.*)\))?$/gm);
    const listed = Array.from(help, ([, option = '', name = '', value = '']) => {
      const { default: set } = OPTIONS[name as 'port'] ?? {};
      expect(value, option).to.equal(set ?? value);
      return [name, option, value] as const;
    });
    expect(listed.map(([name]) => name)).to.have.members([...Object.keys(OPTIONS), 'help']);
    const rows = tableUnder('README.md', '`node dist/main.js ...`');
    const shown = rows.flatMap(([options = '', value = '']) =>
      options.split(', ').map((one) => [one.replaceAll('`', ''), value.replace('off', '')]),
    );
    expect(shown).to.have.deep.members(listed.map(([, ...rest]) => rest));
  });
  it('the tour lists every verb of the trace', () => {
    const { blocks } = new Page('src/TOUR.md');
    const list = blocks.find(({ text }) => /^listen {2,}/.test(text))?.text ?? '';
    // Two columns, each with a verb, padded to nine characters, and what it means.
    const listed = Array.from(
      list.matchAll(/(?:^| {2})([a-z]+) {3}/gm),
      ([, verb]) => verb,
    );
    expect(listed).to.have.members(Object.keys(VERBS));
  });
});
