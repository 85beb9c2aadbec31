import { expect } from 'chai';
import { Workbench } from '../../../src/study/workbench/browser/link';
import type { Link } from '../../../src/study/workbench/browser/state';

describe('what the page asks of its workbench', () => {
  const links: Link[] = [];
  const workbench = new Workbench('token', (link) => links.push(link));
  const { fetch: real } = globalThis;
  /** Each request waits for its response, or for none. */
  let asked: { path: string; respond: (response?: Response) => void }[] = [];

  before(() => {
    globalThis.fetch = (input) =>
      new Promise((resolve, reject) => {
        const path = String(input).replace(/\?.*/, '');
        const gone = new TypeError('Failed to fetch');
        const respond = (one?: Response): void => (one ? resolve(one) : reject(gone));
        asked.push({ path, respond });
      });
  });
  beforeEach(() => (asked = []));
  after(() => (globalThis.fetch = real));

  it('is said in words of its own, and never in those about its own request', async () => {
    // prettier-ignore
    for (const [status, error, says, link] of [
      [413, 'Content exceeds 1048576', 'The workbench itself could not take this (413).', 'live'],
      [503, '100 connections are open', 'The workbench says: 100 connections are open.', 'live'],
      [403, 'the token is not that of the page', '', 'replaced'],
      [0, 'it is gone', '', 'lost'],
    ] as const) {
      const said = workbench.post('/judge').catch(({ message }: Error) => message);
      await new Promise(setImmediate);
      const content = JSON.stringify({ error });
      asked.pop()?.respond(status === 0 ? undefined : new Response(content, { status }));
      expect(await said).to.equal(says);
      expect(links.at(-1)).to.equal(link);
    }
  });

  it('is asked in its order, however long each takes', async () => {
    const paths = ['/server', '/clear', '/events'];
    const done = paths.map((path) =>
      path === '/events' ? workbench.get(path) : workbench.post(path),
    );
    for (const path of paths) {
      await new Promise(setImmediate);
      expect(asked.map((one) => one.path)).to.deep.equal([path]);
      asked.pop()?.respond(new Response(null, { status: 204 }));
    }
    await Promise.all(done);
  });
});
