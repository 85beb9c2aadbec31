/** Two runs side by side: who received what, and where that differs first. */
import { expect } from 'chai';
import type { PageData } from '../../src/page/model/page-data';
import { compareRuns, receiptsIn, type Receipt } from '../../src/page/model/runs';
import { raw, textOf } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf, proxied } from '../support/page-data';

const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const called = ['without the defence', 'with it'] as const;
const compare = (first: PageData, data: PageData, names: readonly string[] = []) =>
  compareRuns(first, { data, called, names });
const listOf = (receipts: readonly Receipt[]): string[] => receipts.map(({ says }) => says);

describe('two runs', () => {
  it('have who received what through a proxy, and where that differs first', async () => {
    const off = await proxied(get('/tasks/1') + get('/tasks/5'), [1, 2]);
    const on = await proxied(get('/tasks/1') + get('/tasks/1'), [1, 2]);
    const OTHER = '404 Not Found in response to GET /tasks/5, for which it had not asked';
    const names = ['the attacker', 'the victim'];
    const { clients, first, says } = compare(off, on, names);
    const told = clients.map(({ name, received }) => [name, received.map(listOf)]);
    const refused = ['200 OK in response to GET /tasks/1', '403 Forbidden from the proxy'];
    expect(told).to.deep.equal([
      ['the attacker', [refused, refused]],
      ['the victim', [[OTHER], ['200 OK in response to GET /tasks/1']]],
    ]);
    expect(clients.map(({ isSame }) => isSame)).to.deep.equal([true, false]);
    expect(first?.map((one) => one?.client)).to.deep.equal([1, 1]);
    expect(first?.map((one) => one?.isOther)).to.deep.equal([true, false]);
    expect(says).to.equal(
      'The first difference: without the defence, the victim received 404 Not Found in ' +
        'response to GET /tasks/5, for which it had not asked; with it, the victim received ' +
        '200 OK in response to GET /tasks/1.',
    );
  });

  it('tell of a response that a client wrote into another one', () => {
    const head = raw`HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n`;
    const text = textOf(raw`${head}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi`);
    const request = textOf(get('/'));
    const whole = { number: 1, length: request.length, unread: 0, next: '' } as const;
    const about = { at: 1, connection: 1 } as const;
    const turn = { request: 1, limit: 0, method: 'GET', path: '/' } as const;
    const responses = [{ text, length: text.length }];
    const data = dataOf([
      { ...about, type: 'read', bytes: request, offset: 0 },
      { ...about, type: 'parse', part: 'request', ...whole },
      { ...about, type: 'turn', ...turn },
      { ...about, type: 'write', responses, isSent: true },
    ]);
    const received = receiptsIn(data);
    expect(listOf(received)).to.deep.equal([
      '302 Found in response to GET /',
      '200 OK, written into the response before it',
    ]);
    expect(received.map(({ isOther }) => isOther)).to.deep.equal([false, true]);
  });

  it('differ where a client received nothing, or received it later than another', async () => {
    const off = await proxied(get('/tasks/1'), [1, undefined]);
    const on = await proxied(get('/tasks/1').repeat(2), [1, 2]);
    const { clients } = compare(off, on);
    const { name, received } = clients[1] ?? {};
    expect(name).to.equal('p2');
    expect(received?.map(listOf)).to.deep.equal([
      [],
      ['200 OK in response to GET /tasks/1'],
    ]);
    const order = [[get('/')], [get('/')]] as const;
    const one = dataOf(await converse([...order, [get('/')]]));
    const two = dataOf(await converse(order));
    expect(compare(two, one).says).to.equal(
      'The first difference: without the defence, nobody received anything more; with it, ' +
        'c3 received 200 OK in response to GET /.',
    );
    const pair = [[get('/')], [get('/tasks/1')]] as const;
    const turned = dataOf(await converse(pair));
    const swapped = {
      ...turned,
      exchanges: turned.exchanges.map((own) => {
        const turn = own.turn === undefined ? undefined : 3 - own.turn;
        return { ...own, turn };
      }),
    };
    expect(compare(turned, swapped).says).to.equal(
      'All clients received the same, but the turns were in a different order: turn 1 was for ' +
        'c1 without the defence, and for c2 with it.',
    );
    const same = compare(one, one);
    expect(same.first).to.equal(undefined);
    expect(same.says).to.equal('All clients received the same.');
  });
});
