import { expect } from 'chai';
import { readScript } from '../../../src/study/bytes';
import {
  find,
  MENU,
  turnOf,
  type MenuGroup,
} from '../../../src/study/workbench/browser/menu';
import { SCENES } from '../../../src/study/workbench/scenes';

describe('the gallery of the workbench', () => {
  const choices = MENU.flatMap((group) => group.choices);
  const typed = choices.filter(({ challenge }) => challenge === undefined);

  it('names every choice once, and no title is in a group twice', () => {
    const names = choices.map(({ name, server }) => `${server} ${name}`);
    expect(new Set(names).size).to.equal(names.length);
    for (const group of MENU) {
      const titles = group.choices.map(({ title }) => title);
      expect(new Set(titles).size, group.title).to.equal(titles.length);
    }
  });
  it('has bytes for each choice, no more than can be looked at', () => {
    for (const { name, read } of typed) {
      const { length } = readScript(read()).bytes;
      expect(length, name).to.be.below(65_536);
      if (!/^(?:silence|(?:close|reset)-at-once)$/.test(name))
        expect(length, name).to.be.above(0);
    }
  });
  it('has the experiments that a page can show, and what their clients send', () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 13, 14];
    expect(SCENES.map(({ number }) => number)).to.deep.equal(numbers);
    const turns = SCENES.map((scene) => [
      scene.number,
      scene.clients.map((_, index) => turnOf(scene, index)?.who).join(),
    ]);
    expect(turns).to.deep.include.members([
      [1, 'attacker,victim'],
      [13, 'client 1,client 2'],
    ]);
    const [thirteen] = SCENES.filter(({ number }) => number === 13);
    const text = (thirteen && turnOf(thirteen, 0)?.text) ?? '';
    expect(text).to.equal('GET /tasks/1 HTTP/1.1\nHost: localhost\n\n'.repeat(3));
  });
  it('finds what has all words, in any order and case, with the title of its group', () => {
    const read = (): string => '';
    const group = (title: string, ...titles: readonly string[]): MenuGroup => ({
      title,
      choices: titles.map((one) => ({ name: one, title: one, server: 'tasks', read })),
    });
    const groups = [
      group('Lines', 'a bare LF, 400', 'no Host, 400'),
      group('Tour', 'GET /'),
    ];
    const found = (query: string): string[] =>
      find(groups, query).flatMap((one) => one.choices.map(({ title }) => title));
    expect(found('400 bare')).to.deep.equal(['a bare LF, 400']);
    expect(found('LINES')).to.have.lengthOf(2);
    expect(found(' ')).to.have.lengthOf(3);
    expect(found('bare tour')).to.deep.equal([]);
  });
});
