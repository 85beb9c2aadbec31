import { expect } from 'chai';
import { readScript } from '../../../src/study/bytes';
import { EXPERIMENTS } from '../../../src/study/experiments';
import { choose, MENU, turnOf } from '../../../src/study/workbench/browser/menu';
import { SCENES } from '../../../src/study/workbench/scenes';

describe('the gallery of the workbench', () => {
  it('has each choice once, with a title of its own, and bytes that can be looked at', () => {
    const choices = MENU.flatMap((group) => group.choices);
    const names = choices.map(({ name, server }) => `${server} ${name}`);
    expect(new Set(names).size).to.equal(names.length);
    for (const { choices: own, title } of MENU)
      expect(new Set(own.map((one) => one.title)).size, title).to.equal(own.length);
    for (const { challenge, name, read } of choices) {
      const { length } = readScript(read(0)).bytes;
      expect(length, name).to.be.below(65_536);
      if (challenge === undefined && !/^silence$|-at-once$/.test(name))
        expect(length, name).to.be.above(0);
    }
  });
  it('has the experiments that a page can show, and who sends what in them', () => {
    // Those of 9 to 12 send too much, read late, or are no clients.
    const numbers = EXPERIMENTS.map(({ number }) => number).filter((n) => n < 9 || n > 12);
    expect(SCENES.map(({ number }) => number)).to.deep.equal(numbers);
    const whoIn = (number: number) => {
      const scene = SCENES.find((one) => one.number === number);
      return scene?.clients.map((_, turn) => turnOf(scene, turn));
    };
    expect(whoIn(1)).to.deep.equal(['attacker', 'victim']);
    expect(whoIn(13)).to.deep.equal(['client 1', 'client 2']);
    const get = 'GET /tasks/1 HTTP/1.1\nHost: localhost\n\n';
    expect(choose('lab/13')?.read(0)).to.equal(get.repeat(3));
  });
});
