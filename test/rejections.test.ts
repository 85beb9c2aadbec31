import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  GROUPS,
  rejectedPartOf,
  requestOf,
  type RejectedCase,
} from '../src/study/probe/cases';
import { REJECTED_GROUPS } from '../src/study/probe/rejected-cases';
import { VALID_GROUPS } from '../src/study/probe/valid-cases';
import { formatRejected, formatValid, readPart, writePart } from './support/conformance';
import { Page, WRITING } from './support/page';
import { runProbe } from './support/probed-servers';
import { isAbout, readSources, title, toPattern } from './support/rejections';
import { serve } from './support/test-server';

const SRC = join(__dirname, '..', 'src');
const SOURCES = readSources();
const CASES = REJECTED_GROUPS.flatMap(({ cases }) => cases);

describe('the rejections of the protocol layer', () => {
  it('each rejection in the sources has a case', () => {
    const missing = SOURCES.filter((source) => !CASES.some((one) => isAbout(one, source)));
    expect(missing.map((source) => `${source.place}: ${title(source)}`)).to.deep.equal([]);
  });

  it('each case of a rejection has one in the sources', () => {
    const stray = CASES.filter((one) => !SOURCES.some((source) => isAbout(one, source)));
    expect(stray.map(({ name }) => name)).to.deep.equal([]);
  });

  it('no rejection is made but by requiredBy(), allowedBy() and ourChoice()', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
    const makers = files.filter(
      (file) => file.endsWith('.ts') && /new ProtocolError\b/.test(read(file)),
    );
    expect(makers).to.deep.equal([join('http', 'protocol-error.ts')]);
    const makes = /\b(?:requiredBy|allowedBy|ourChoice)(?:\(|,\s+')/g; // a call, or a row
    const count = files
      .filter((file) => file.startsWith('http') && file.endsWith('.ts'))
      .reduce((sum, file) => sum + (read(file).match(makes)?.length ?? 0), 0);
    expect(new Set(SOURCES.map(({ place }) => place))).to.have.property('size', count);
  });

  for (const [part, text] of [
    ['rejected', formatRejected()],
    ['valid', formatValid()],
  ] as const) {
    it(`the conformance page has the tables of the ${part} cases`, () => {
      if (WRITING) writePart(part, text);
      expect(readPart(part), 'README=write npm test writes the tables').to.equal(text);
    });
  }

  it('the conformance page shows what the probe says about a case', async () => {
    const page = new Page('test/CONFORMANCE.md');
    const [command, shown] = page.blocks;
    const [, name = ''] = /^npm run probe -- --show (\S+)$/.exec(command?.text ?? '') ?? [];
    const { stdout } = await runProbe('--show', name);
    if (WRITING) page.write(1, stdout.trimEnd());
    else expect(shown?.text).to.equal(stdout.trimEnd());
  });

  it('the tables of other servers name only cases that exist', () => {
    const named = Array.from(
      readPart('servers').matchAll(/^\| `([\w-]+)` \|/gm),
      ([, name]) => name,
    );
    const names = GROUPS.flatMap(({ cases }) => cases.map(({ name }) => name));
    expect(named).to.not.be.empty;
    expect(names).to.include.members(named);
  });

  describe('a case gets its status, sentence, authority and section', () => {
    for (const one of CASES) {
      it(`${one.name} is rejected with ${one.status}`, () => play(one, requestOf(one)));
      const part = rejectedPartOf(one);
      if (part === requestOf(one)) continue;
      it(`${one.name} is rejected with ${one.status} as soon as that is certain`, () =>
        play(one, part));
    }
  });

  describe('a valid case gets a response for each of its requests', () => {
    for (const one of VALID_GROUPS.flatMap(({ cases }) => cases)) {
      it(`${one.name} is accepted`, async () => {
        const server = await serve();
        const client = await server.client();
        client.socket.end(Buffer.from(requestOf(one), 'latin1'));
        const { how, rest } = await client.closed();
        expect(how).to.equal('end');
        const statuses = rest.match(/HTTP\/1\.1 (?!100)\d{3} /g) ?? [];
        expect(statuses).to.have.lengthOf(one.requests ?? 1);
        expect(server.log, rest).to.have.lengthOf(one.requests ?? 1);
      });
    }
  });
});

function read(file: string): string {
  return readFileSync(join(SRC, file), 'utf8');
}

async function play(one: RejectedCase, request: string) {
  const { status, authority, section, what, condition } = one;
  const server = await serve(condition?.options);
  const client = await server.client();
  client.socket.write(request, 'latin1');
  if (condition?.ends === true) client.end();

  const answer = await client.answer(request.startsWith('HEAD '));
  expect(answer.status, answer.content).to.equal(status);
  const { error }: { error: string } = JSON.parse(answer.content);
  // White space between a field name and the colon (required by RFC 9112 section 5.1), at
  // byte 20
  const [, said = '', ruling = ''] =
    /^(.+) \(([^()]+)\), at byte \d+(?:; .+)?$/.exec(error) ?? [];
  expect(said, error).to.match(toPattern(what));
  expect(error.match(/required by|allowed by|our choice/g), error).to.deep.equal([
    authority,
  ]);
  expect(`${ruling} `).to.include(`RFC ${section.replace(' ', ' section ')} `);

  expect(answer.fields).to.include({
    connection: 'close',
    'content-type': 'application/json',
  });
  expect(await client.closed(), 'how the server closed').to.deep.equal({
    how: 'end',
    rest: '',
  });
  expect(server.log, 'the log').to.deep.equal([]);
}
