/** The lanes, and their axis: who sent what to whom, and when. */
import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { Axis } from '../../src/page/model/axis';
import { filterBy, lanesOf, type LanesData } from '../../src/page/model/lanes';
import { describeNow } from '../../src/page/model/times';
import { raw } from '../support/bytes';
import { converse } from '../support/conversation';
import { dataOf, proxied } from '../support/page-data';

const GET = raw`GET /a HTTP/1.1\r\nHost: a\r\n\r\n`;
const LENGTHS = raw`Host: a\r\nContent-Length: 42\r\nTransfer-Encoding: chunked\r\n`;
const SMUGGLED = raw`POST / HTTP/1.1\r\n${LENGTHS}\r\n0\r\n\r\n`;

const lanes = (events: Iterable<TraceEvent>, isHidden = false): LanesData => {
  const data = dataOf(events);
  return lanesOf(data, data.exchanges, () => isHidden);
};
const arrows = (data: LanesData): string[] =>
  data.arrows.map(({ from, says, to }) => `${from} > ${to}: ${says}`);
const boxes = (data: LanesData): string[] =>
  data.boxes.map(({ lane, says }) => `${lane}: ${says}`);
/** One millisecond passes before each event, and more before some. */
const spread = (events: readonly TraceEvent[], pauses: Record<string, number> = {}) => {
  let at = 0;
  return events.map((event) => ({ ...event, at: (at += 1 + (pauses[event.type] ?? 0)) }));
};

describe('the axis of the lanes', () => {
  it('gives each millisecond the same room, and cuts out a pause, which it names', () => {
    const axis = new Axis([100, 101, 104, 2104, 2105], 700, [20, 80]);
    expect(axis.at(100)).to.equal(20);
    const one = axis.at(101) - axis.at(100);
    expect(axis.at(104) - axis.at(101)).to.be.closeTo(3 * one, 1e-6);
    expect(axis.at(102.5) - axis.at(101)).to.be.closeTo(1.5 * one, 1e-6);
    expect(axis.at(2105) - axis.at(2104)).to.be.closeTo(one, 1e-6);
    expect(axis.cuts(0, 700).map(({ says }) => says)).to.deep.equal(['2000 ms']);
    expect(axis.at(2105)).to.be.closeTo(620, 1e-6);
    expect(axis.width).to.be.closeTo(700, 1e-6);
  });

  it('numbers the milliseconds since the first event, with room between', () => {
    const axis = new Axis([50, 56, 65.2], 420, [20, 40]);
    const ticks = axis.ticks(0, 420);
    expect(ticks.map(({ says }) => says)).to.deep.equal(['5', '10']);
    for (const { says, x } of ticks)
      expect(x).to.be.closeTo(axis.at(50 + Number(says)), 1e-6);
  });
});

describe('the lanes', () => {
  it('have who sent how many bytes to whom', async () => {
    const data = lanes(
      await converse([['GET /', raw`a HTTP/1.1\r\nHost: a\r\n\r\n`], [GET + GET]]),
    );
    expect(data.names).to.deep.equal(['c1', 'c2', 'the server']);
    expect(arrows(data).map((one) => one.replace(/\d{3}(?= bytes)/, 'N'))).to.have.members([
      'c1 > the server: GET /a, the first 5 bytes',
      'c1 > the server: + 23 bytes',
      'c2 > the server: GET /a and 1 more, 56 bytes',
      'the server > c1: 404, N bytes',
      'the server > c2: 404 + 404, N bytes',
    ]);
  });

  it('name no bytes as a request that was not read, and no path of any length', async () => {
    const wide = GET.replace('Host', `A: ${'a'.repeat(200)}\\r\\nHost`);
    const stray = lanes(await converse([[`${wide}x`]]));
    expect(arrows(stray)[0]).to.match(/: GET \/a and what follows, 234 bytes$/);
    const long = lanes(await converse([[GET.replace('/a', `/${'a'.repeat(150)}`)]]));
    expect(arrows(long)[0]).to.match(/: GET \/a{55} \u2026, 177 bytes$/);
  });

  it('tell waiting for bytes, behind another, for the turn, and for the batch apart', async () => {
    const pieces = [['GET /', raw`a HTTP/1.1\r\nHost: a\r\n\r\n`], [GET + GET]];
    const told = boxes(lanes(spread(await converse(pieces), { queue: 5 })));
    expect(told.filter((one) => one.startsWith('c1'))).to.deep.equal([
      'c1: waits for bytes, 1.00 ms',
      'c1: in the queue, 1.00 ms',
    ]);
    const waits = told.filter((one) => one.startsWith('c2')).join('\n');
    expect(waits).to.match(/behind another request, \d+\.\d+ ms/);
    expect(waits).to.match(/waits for its batch, \d+\.\d+ ms/);
    expect(told.filter((one) => one.startsWith('the server'))).to.include(
      'the server: handled, 2.00 ms',
    );
  });

  it('have a rejection on the lane of the server, and the name of each exchange', async () => {
    const data = lanes(await converse([[SMUGGLED], []]));
    expect(boxes(data).at(-1)).to.match(/^the server: ✖\u00a0400 at byte \d+$/);
    const says = data.spans.map((span) => span.says);
    expect(says[0]).to.match(/^c1, POST \/, ✖\u00a0400 at byte \d+, after .* ms$/);
    expect(says[1]).to.match(/^c2, \(no byte arrived\), – /);
    expect(says[2]).to.equal('server, the server itself');
  });

  it('show with a proxy whose response a client gets, and what was left over', async () => {
    const data = await proxied(GET.replace('/a', '/tasks/1') + GET, [1, 2]);
    const drawn = lanesOf(data, data.exchanges, () => false);
    expect(drawn.names).to.deep.equal(['p1', 'p2', 'the proxy', 'the server']);
    expect(arrows(drawn)).to.include.members([
      'p1 > the proxy: GET /tasks/1',
      'the proxy > p1: 200, 9 bytes',
      'the proxy > p2: 404, 9 bytes, to GET /a: not what it asked for',
      'the proxy > p1: 403, by the proxy',
      'the proxy > the server: GET /tasks/1 and 1 more, 62 bytes',
    ]);
    expect(boxes(drawn)).to.include('the proxy: left over: 404, 9 bytes');
  });

  it('leave the exchanges that a filter names', async () => {
    const { exchanges } = dataOf(await converse([[GET], [SMUGGLED], [GET]]));
    const others = exchanges.map((one) => ({ ...one, connection: 10 }));
    const own = exchanges.slice(0, 1);
    expect(filterBy([...exchanges, ...others], 'c1')).to.deep.equal(own);
    const found = (filter: string): number[] =>
      filterBy(exchanges, filter).map(({ connection }) => connection);
    expect(found('')).to.deep.equal([1, 2, 3, 0]);
    expect(found(' C2')).to.deep.equal([2]);
    expect(found('post')).to.deep.equal([2]);
    expect(found('404')).to.deep.equal([1, 3]);
    expect(found('400 at')).to.deep.equal([2]);
    const predicted = filterBy(exchanges, '400 at', () => true);
    expect(predicted, 'predicted first').to.be.empty;
  });
});

describe('what the server waits for', () => {
  const at = (
    events: readonly TraceEvent[],
    verb: string,
    now?: number,
    isHidden = false,
  ): string => {
    const data = dataOf(events, now);
    const [exchange] = data.exchanges;
    const step = exchange?.steps.filter((one) => data.steps[one]?.verb === verb).at(-1);
    if (exchange === undefined || step === undefined) throw new Error(`no step ${verb}`);
    const { more, says, when } = describeNow(data, exchange, step, isHidden);
    return `${when} ${says}; ${more}`;
  };

  it('is said of each step, in one line', async () => {
    const events = spread(await converse([['GET /', raw`a HTTP/1.1\r\nHost: a\r\n\r\n`]]));
    expect(at(events, 'wait')).to.match(
      /^c1, step 4: the server waits for .*request line; This lasted 1\.00 ms\. The limit is/,
    );
    expect(at(events, 'turn')).to.equal(
      'c1, step 12: the server is not waiting for anything; ',
    );
    expect(at(events, 'read', undefined, true), 'predicted first').to.match(/: \?; $/);
    expect(at(events, 'queue')).to.equal(
      'c1, step 11: the request waits for its turn; complete; place 1',
    );
    expect(at(events, 'gone')).to.match(/: the connection is over; the client closed$/);
    const idle = await converse([[GET, GET]], {}, 6000);
    expect(at(idle, 'gone')).to.match(
      /; the server closed its side first \(no request within .*\), and then the client closed$/,
    );
  });

  it('is said of now on a live page, with what is left of the time', async () => {
    const events = await converse([['GET /']]);
    const wait = events.filter(({ type }) => type === 'wait')[1];
    const early = wait === undefined ? [] : events.slice(0, events.indexOf(wait) + 1);
    expect(at(early, 'open', (wait?.at ?? 0) + 20_000)).to.equal(
      'Now c1: the server waits for the end of the request line; ' +
        '40.0 s left of 60 seconds, then 408 and close',
    );
  });
});
