/** The challenges: each is solved by what it asks for, and not by what is nearly that. */
import { expect } from 'chai';
import { CHALLENGES, type Shown } from '../../src/page/model/challenges';
import { World } from '../simulation/world';
import { bytes, raw } from '../support/bytes';
import { dataOf, proxied } from '../support/page-data';

const get = (path: string, fields = ''): string =>
  raw`GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const GET = get('/');
const HALF = raw`GET / HTTP/1.1\r\nHost: a\r\n`;
const post = (fields: string): string => raw`POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const LONG = raw`${post(raw`Content-Length: 2\r\n`)}hi`;
const CHUNKS = post(raw`Transfer-Encoding: chunked\r\n`);
const EXPECT = post(raw`Content-Length: 2\r\nExpect: 100-continue\r\n`);
const LARGE = post(raw`Content-Length: 9999999\r\n`);
const MUST = raw`GET / HTTP/1.1\r\n\r\n`;
const MAY = raw`GET / HTTP/1.1\r\nHost\r\n\r\n`;
const OURS = raw`GET / HTTP/1.1\r\nHost: a,b\r\n\r\n`;
const CLOSE = get('/', raw`Connection: close\r\n`);
const PATCH = raw`PATCH / HTTP/1.1\r\nHost: a\r\n\r\n`;

/** What a client does: bytes, a pause in milliseconds, or how it ends. */
type Script = readonly (string | number)[];

/** Clients do their first thing at the same time, then their second, ...
 * @param offset of the byte that is chosen in the first request */
async function play(clients: readonly Script[], offset?: number): Promise<Shown> {
  const world = new World();
  await world.serve();
  const all = clients.map((script) => ({ script, client: world.connect() }));
  await world.settle();
  for (let at = 0; at < Math.max(...clients.map(({ length }) => length)); at += 1) {
    for (const { client, script } of all) {
      const { [at]: act } = script;
      if (act === 'end') client.end();
      else if (act === 'reset') client.reset();
      else if (typeof act === 'number') await world.advance(act);
      else if (act !== undefined) client.send(act);
    }
    await world.settle();
  }
  const data = dataOf(world.trace.events);
  const [exchange] = data.exchanges;
  return { data, chosen: exchange && offset ? { exchange, offset } : undefined };
}

/** What solves each, and what does not. */
// prettier-ignore
const PLAYS: readonly (readonly [string, () => Promise<Shown>, () => Promise<Shown>])[] = [
  ['host-line',         () => play([[GET]], 24), () => play([[GET]], 23)],
  ['last-byte',         () => play([[LONG]], bytes(LONG).length - 1), () => play([[GET]], 26)],
  ['two-pieces',        () => play([[HALF, raw`\r\n`]]), () => play([[GET, GET]])],
  ['length-and-chunks', () => play([[LONG], [raw`${CHUNKS}2\r\nhi\r\n0\r\n\r\n`]]),
                        () => play([[LONG], [raw`${CHUNKS}2\r\nha\r\n0\r\n\r\n`]])],
  ['waits-for-fields',  () => play([[HALF]]), () => play([['GET /']])],
  ['three-authorities', () => play([[MUST], [MAY], [OURS]]), () => play([[MUST], [MAY]])],
  ['byte-0',            () => play([[raw`@\r\n`]]), () => play([[raw`G@\r\n`]])],
  ['no-close',          () => play([[GET, 6000]]), () => play([[GET, 'end']])],
  ['two-clients',       () => play([[GET], [GET]]), () => play([[GET + GET], ['G']])],
  ['route',             () => play([[get('/x') + PATCH]]), () => play([[get('/x')]])],
  ['other-reader',      () => play([[get('/', raw`Content-Length: 27\r\n`) + GET]]),
                        () => play([[GET + GET]])],
  ['smuggled',          async () => ({ data: await proxied(GET + GET, [1, 2]) }),
                        async () => ({ data: await proxied(get('/tasks/1'), [1]) })],
  ['no-response',       () => play([[HALF, 'reset']]),
                        () => play([[HALF, 'end'], [CLOSE + GET]])],
  ['never-parsed',      () => play([[CLOSE + GET]]),
                        () => play([[GET + GET], ['G', 'reset']])],
  ['100',               () => play([[EXPECT, 'hi']]), () => play([[`${EXPECT}hi`]])],
  ['413',               () => play([[`${LARGE}a`]]), () => play([[LONG]])],
  ['431',               () => play([[get('/', raw`A: ${'x'.repeat(16_384)}\r\n`)]]),
                        () => play([[get('/', raw`A: ${'x'.repeat(9000)}\r\n`)]])],
  ['501',               () => play([[CHUNKS.replace('chunked', 'gzip, chunked')]]),
                        () => play([[CHUNKS]])],
];

describe('a challenge', () => {
  it('has a way to solve it here', () => {
    expect(CHALLENGES.map(({ name }) => name)).to.deep.equal(PLAYS.map(([name]) => name));
  });
  for (const [name, solves, misses] of PLAYS) {
    it(`is solved by what it asks for, and by nothing less: ${name}`, async () => {
      const { isSolved } = CHALLENGES.find((one) => one.name === name) ?? {};
      expect(isSolved?.({ data: dataOf([]) }), 'by nothing').to.equal(false);
      expect(isSolved?.(await solves()), 'by this').to.equal(true);
      expect(isSolved?.(await misses()), 'by that').to.equal(false);
    });
  }
});
