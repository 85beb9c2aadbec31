import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Page, ROOT } from './support/page';

/** The picture of the way of a request through the files, in the README. */
const PICTURE =
  new Page('README.md').blocks.find(({ text }) => text.startsWith('sequenceDiagram'))
    ?.text ?? '';

/** The source of each file in the picture, by its letter. */
const SOURCES = new Map<string, string>();
for (const [, letter = '', file = ''] of PICTURE.matchAll(
  /participant (\w) as (\S+\.ts)$/gm,
)) {
  SOURCES.set(letter, readFileSync(join(ROOT, 'src', file), 'utf8'));
}

describe('the picture of the journey of a request', () => {
  it('has at least five files, and only files that exist in its notes', () => {
    expect(SOURCES.size).to.be.at.least(5);
    const notes = Array.from(PICTURE.matchAll(/Note over .*/g)).join('\n');
    const files = notes.match(/[\w-]+\.ts/g) ?? [];
    expect(files).to.not.be.empty;
    const missing = files.filter((file) => !existsSync(join(ROOT, 'src', 'http', file)));
    expect(missing).to.deep.equal([]);
  });

  for (const [, from = '', to = '', names = ''] of PICTURE.matchAll(
    /(\w)->>(\w): (.*\(\).*)/g,
  )) {
    for (const [, name = ''] of names.matchAll(/(\w+)\(\)/g)) {
      it(`shows a call of ${name}() that is in the source`, () => {
        const declaration = new RegExp(
          `^(?:  |export )(?:const |function )?${name}\\b`,
          'm',
        );
        expect(SOURCES.get(to), 'the file that is called').to.match(declaration);
        // The service is a parameter of the server, which knows no tasks.
        const calledAs = name === 'taskService' ? 'service' : name;
        expect(SOURCES.get(from), 'the file that calls').to.match(
          new RegExp(`\\b${calledAs}\\(`),
        );
      });
    }
  }
});
