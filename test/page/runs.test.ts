/** Two runs side by side: who received what, and where that differs first. */
import { expect } from 'chai';
import { Conversation } from '../../src/page/model/conversation';
import type { PageData } from '../../src/page/model/page-data';
import { compareRuns } from '../../src/page/model/runs';
import type { ProxyLine } from '../../src/trace/proxy-events';
import { TraceRecorder } from '../../src/trace/recorder';
import { raw } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf } from '../support/page-data';

const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

/** @param responses for each client, which response of the server it gets, if any
 * @returns what a proxy with these clients does, which all ask for /tasks/1 */
async function proxied(
  requests: string,
  responses: readonly (number | undefined)[],
): Promise<PageData> {
  const recorder = new TraceRecorder();
  const events = await converse([[requests]]);
  for (const event of events) recorder.record(event);
  const [address = ''] = events.flatMap((one) =>
    one.type === 'open' ? [one.remoteAddress ?? ''] : [],
  );
  const tell = (line: ProxyLine): void => recorder.recordProxy(line);
  tell({ at: 1, type: 'connect', connection: 1, address });
  for (const [index, response] of responses.entries()) {
    const about = { client: `p${index + 1}`, request: index + 1 };
    const head = { name: 'GET /tasks/1', contentStart: 30, contentLength: 0 };
    tell({ at: 2 + index, type: 'request', ...about, ...head });
    const given = { response: response ?? 0, connection: 1, isInterim: false, bytes: 9 };
    if (response !== undefined)
      tell({ at: 2 + index, type: 'response', ...about, ...given });
  }
  tell({ at: 9, type: 'refuse', client: 'p1', text: 'HTTP/1.1 403 Forbidden\r\n\r\n' });
  return Conversation.of(recorder.linesAfter(0)).describe();
}

describe('two runs', () => {
  it('have who received what through a proxy, and where that differs first', async () => {
    const off = await proxied(get('/tasks/1') + get('/tasks/5'), [1, 2]);
    const on = await proxied(get('/tasks/1') + get('/tasks/1'), [1, 2]);
    const names = ['the attacker', 'the victim'];
    const { clients, first, says } = compareRuns([off, on], undefined, names);
    expect(clients.map((one) => one.says)).to.deep.equal([
      'The attacker received the same in both: 200 OK to GET /tasks/1, and 403 Forbidden ' +
        'from the proxy.',
      'Without the defence, the victim received 404 Not Found to GET /tasks/5, for which it ' +
        'had not asked; with it, 200 OK to GET /tasks/1.',
    ]);
    expect(clients.map(({ isSame }) => isSame)).to.deep.equal([true, false]);
    expect(first?.map((one) => [one?.client, one?.isOther])).to.deep.equal([
      ...[
        [1, true],
        [1, false],
      ],
    ]);
    expect(says).to.equal(
      'The first difference: without the defence, the victim received 404 Not Found to ' +
        'GET /tasks/5, for which it had not asked; with it, the victim received 200 OK to ' +
        'GET /tasks/1.',
    );
  });

  it('differ where a client received nothing, or received it later than another', async () => {
    const off = await proxied(get('/tasks/1'), [1, undefined]);
    const on = await proxied(get('/tasks/1').repeat(2), [1, 2]);
    const { clients } = compareRuns([off, on], ['first', 'then']);
    expect(clients[1]?.says).to.equal(
      'First, p2 received nothing; then, 200 OK to GET /tasks/1.',
    );
    const order = [[get('/')], [get('/')]] as const;
    const one = dataOf(await converse([...order, [get('/')]]));
    const two = dataOf(await converse(order));
    expect(compareRuns([two, one]).says).to.equal(
      'The first difference: without the defence, nobody received anything more; with it, ' +
        'c3 received 200 OK to GET /.',
    );
    expect(compareRuns([one, one])).to.include({
      ...{ first: undefined, says: 'All clients received the same.' },
    });
  });
});
