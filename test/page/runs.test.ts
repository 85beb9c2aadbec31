/** Two runs side by side: who received what, and where that differs first. */
import { expect } from 'chai';
import { compareRuns, type Receipt } from '../../src/page/model/runs';
import { raw } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf, proxied } from '../support/page-data';

const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const listOf = (receipts: readonly Receipt[]): string[] => receipts.map(({ says }) => says);

describe('two runs', () => {
  it('have who received what through a proxy, and where that differs first', async () => {
    const off = await proxied(get('/tasks/1') + get('/tasks/5'), [1, 2]);
    const on = await proxied(get('/tasks/1') + get('/tasks/1'), [1, 2]);
    const OTHER = '404 Not Found to GET /tasks/5, for which it had not asked';
    const names = ['the attacker', 'the victim'];
    const { clients, first, says } = compareRuns([off, on], undefined, names);
    const told = clients.map(({ name, received }) => [name, received.map(listOf)]);
    const refused = ['200 OK to GET /tasks/1', '403 Forbidden from the proxy'];
    expect(told).to.deep.equal([
      ['the attacker', [refused, refused]],
      ['the victim', [[OTHER], ['200 OK to GET /tasks/1']]],
    ]);
    expect(clients.map(({ isSame }) => isSame)).to.deep.equal([true, false]);
    expect(first?.map((one) => one?.client)).to.deep.equal([1, 1]);
    expect(first?.map((one) => one?.isOther)).to.deep.equal([true, false]);
    expect(says).to.equal(
      'The first difference: without the defence, the victim received 404 Not Found to ' +
        'GET /tasks/5, for which it had not asked; with it, the victim received 200 OK to ' +
        'GET /tasks/1.',
    );
  });

  it('differ where a client received nothing, or received it later than another', async () => {
    const off = await proxied(get('/tasks/1'), [1, undefined]);
    const on = await proxied(get('/tasks/1').repeat(2), [1, 2]);
    const { clients } = compareRuns([off, on]);
    const { name, received } = clients[1] ?? {};
    expect(name).to.equal('p2');
    expect(received?.map(listOf)).to.deep.equal([[], ['200 OK to GET /tasks/1']]);
    const order = [[get('/')], [get('/')]] as const;
    const one = dataOf(await converse([...order, [get('/')]]));
    const two = dataOf(await converse(order));
    expect(compareRuns([two, one]).says).to.equal(
      'The first difference: without the defence, nobody received anything more; with it, ' +
        'c3 received 200 OK to GET /.',
    );
    const same = compareRuns([one, one]);
    expect(same.first).to.equal(undefined);
    expect(same.says).to.equal('All clients received the same.');
  });
});
