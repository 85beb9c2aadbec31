import { expect } from 'chai';
import { GROUPS, REJECTED_GROUPS } from '../src/study/cases';
import { REPLY_CASES } from '../src/study/reply/cases';
import { formatRejected, formatValid, readPart, writePart } from './support/conformance';
import { Page, WRITING } from './support/page';
import { runProbe } from './support/probed-servers';

describe('the conformance page', () => {
  for (const [part, text] of [
    ...REJECTED_GROUPS.map(
      (group) => [`rejected: ${group.title}`, formatRejected(group)] as const,
    ),
    ['valid', formatValid()],
  ] as const) {
    it(`has a table of cases: ${part}`, () => {
      if (WRITING) writePart(part, text);
      expect(readPart(part), 'README=write npm test writes the tables').to.equal(text);
    });
  }

  it('shows what the probe says about a case', async () => {
    const page = new Page('test/CONFORMANCE.md');
    const [command, shown] = page.blocks;
    const [, name = ''] = /^npm run probe -- --show (\S+)$/.exec(command?.text ?? '') ?? [];
    const { stdout } = await runProbe('--show', name);
    if (WRITING) page.write(1, stdout.trimEnd());
    else expect(shown?.text).to.equal(stdout.trimEnd());
  });

  for (const [part, cases] of [
    ['servers', GROUPS.flatMap((group) => group.cases)],
    ['clients', REPLY_CASES],
  ] as const) {
    it(`names only cases that exist in the tables of the ${part}`, () => {
      const rows = readPart(part).matchAll(/^\| `([\w.-]+)` \|/gm);
      const named = Array.from(rows, ([, name]) => name);
      expect(named).to.not.be.empty;
      expect(cases.map(({ name }) => name)).to.include.members(named);
    });
  }
});
