import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerOptions } from '../src/index';
import {
  expand,
  isAbout,
  readRows,
  readSources,
  title,
  toPattern,
  type Row,
} from './support/rejections';
import { serve } from './support/test-server';

const SRC = join(__dirname, '..', 'src');
const SOURCES = readSources();
const ROWS = readRows();

/** What a request of the page needs besides its bytes. */
const CONDITIONS: Readonly<
  Record<string, { readonly options?: Partial<ServerOptions>; readonly ends?: true }>
> = {
  '': {},
  'to a server with `maxContent: 4`': { options: { maxContent: 4 } },
  'then the client closes its sending side': { ends: true },
  'then nothing more': { options: { requestTimeout: 0.2 } },
};

describe('the rejections of the protocol layer', () => {
  it('each one in the sources has a row in the conformance page', () => {
    const missing = SOURCES.filter((source) => !ROWS.some((row) => isAbout(row, source)));
    expect(missing.map((source) => `${source.place}: ${title(source)}`)).to.deep.equal([]);
  });

  it('each row in the conformance page has a rejection in the sources', () => {
    const stray = ROWS.filter((row) => !SOURCES.some((source) => isAbout(row, source)));
    expect(stray.map(title)).to.deep.equal([]);
  });

  it('none is made but by requiredBy(), allowedBy() and ourChoice()', () => {
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

  describe('the request of a row gets its status, sentence, authority and section', () => {
    for (const row of ROWS) it(title(row), () => play(row));
  });
});

function read(file: string): string {
  return readFileSync(join(SRC, file), 'utf8');
}

async function play({ status, authority, section, sentence, request, condition }: Row) {
  const { options, ends } = CONDITIONS[condition] ?? expect.fail(`unknown: ${condition}`);
  const server = await serve(options);
  const client = await server.client();
  client.send(expand(request));
  if (ends === true) client.end();

  const answer = await client.answer();
  expect(answer.status, answer.content).to.equal(Number(status));
  const { error }: { error: string } = JSON.parse(answer.content);
  // White space between a field name and the colon (required by RFC 9112 section 5.1), at byte 20
  const [, said = '', ruling = ''] = /^(.+) \(([^()]+)\), at byte \d+(?:; .+)?$/.exec(error) ?? [];
  expect(said, error).to.match(toPattern(sentence));
  expect(error.match(/required by|allowed by|our choice/g), error).to.deep.equal([authority]);
  expect(`${ruling} `).to.include(`RFC ${section.replace(' ', ' section ')} `);

  expect(answer.fields).to.include({ connection: 'close', 'content-type': 'application/json' });
  expect(await client.closed(), 'how the server closed').to.deep.equal({ how: 'end', rest: '' });
  expect(server.log, 'the log').to.deep.equal([]);
}
