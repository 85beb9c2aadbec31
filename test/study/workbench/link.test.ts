import { expect } from 'chai';
import { Refusal, Workbench } from '../../../src/study/workbench/browser/link';
import { BEGINNING, type Link } from '../../../src/study/workbench/browser/state';

describe('what the page asks of its workbench', () => {
  const links: Link[] = [];
  const workbench = new Workbench('token', (link) => links.push(link));
  const { fetch: real } = globalThis;
  /** Each request waits for its response, or for none. */
  let asked: { path: string; respond: (response: Response | Error) => void }[] = [];

  beforeEach(() => {
    asked = [];
    globalThis.fetch = (input) =>
      new Promise((resolve, reject) => {
        const path = input instanceof Request ? input.url : String(input);
        const respond = (one: Response | Error): void =>
          one instanceof Error ? reject(one) : resolve(one);
        asked.push({ path, respond });
      });
  });
  after(() => (globalThis.fetch = real));

  /** What is said where the workbench responds so. */
  async function saying(response: Response | Error): Promise<string> {
    const said = workbench.judge(BEGINNING).catch((error: Refusal) => error.message);
    await new Promise(setImmediate);
    asked.pop()?.respond(response);
    return String(await said);
  }

  it('is said in words of its own, and never in those about its own request', async () => {
    const error = (status: number, says: string): Response =>
      new Response(JSON.stringify({ error: says }), { status });
    expect(await saying(error(413, 'Content exceeds 1048576, at byte 130'))).to.equal(
      'The workbench itself could not take this (413).',
    );
    expect(await saying(error(503, '100 connections are open'))).to.equal(
      'The workbench says: 100 connections are open.',
    );
    expect(await saying(error(403, 'the token is not that of the page'))).to.equal('');
    expect(await saying(new TypeError('Failed to fetch'))).to.equal('');
    expect(links).to.deep.equal(['live', 'live', 'replaced', 'lost']);
  });

  it('is asked in its order, however long each takes, but for what only reads', async () => {
    const paths = (): string[] => asked.map(({ path }) => path.replace(/\?.*/, ''));
    const done = [workbench.choose('1'), workbench.clear(), workbench.events(-1, 0)];
    await new Promise(setImmediate);
    expect(paths()).to.deep.equal(['/events', '/server']);
    asked[1]?.respond(new Response(null, { status: 204 }));
    await new Promise(setImmediate);
    expect(paths()).to.deep.equal(['/events', '/server', '/clear']);
    for (const { respond } of asked) respond(new Response(null, { status: 204 }));
    await Promise.all(done);
  });
});
