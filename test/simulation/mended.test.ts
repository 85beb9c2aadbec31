import { expect } from 'chai';
import type { Request } from '../../src/index';
import { raw } from '../support/bytes';
import { judge } from './oracle';
import { play } from './play';
import { respondTo } from './service';
import { World } from './world';

const GET = raw`GET /1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const SLOW = raw`GET /slow/1 HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('a slow service, or a standstill', () => {
  it('what arrives in time is read, though a slow service goes first', async () => {
    const world = new World();
    await world.serve({
      idleTimeout: 0.3,
      service: ({ path }) => {
        if (path.startsWith('/slow/')) world.standStill(120);
        return respondTo(path);
      },
    });
    const [first, second, slow] = [world.connect(), world.connect(), world.connect()];
    first.send(GET);
    await world.advance(50);
    second.send(GET);
    await world.advance(140);
    // One batch lasts from 190 to 310, and the next one to 430. The timer fires at 310.
    slow.send(SLOW.repeat(3));
    world.in(150, () => second.send(GET));
    await world.advance(240);
    expect([first.statuses, first.ending]).to.deep.equal([[200], 'end']);
    expect([second.statuses, second.ending]).to.deep.equal([[200, 200], undefined]);
  });
  it('a limit of 1 s acts within 3 s, though each request of others takes 900 ms', async () => {
    const world = new World();
    const service = ({ path }: Request) => {
      if (path.startsWith('/slow/')) world.standStill(900);
      return respondTo(path);
    };
    await world.serve({ requestTimeout: 1, service });
    const client = world.connect().send('GET');
    const begin = world.time;
    const busy = world.connect();
    for (let count = 0; count < 6; count += 1)
      world.in(10 + 890 * count, () => busy.send(SLOW));
    await world.advance(8000);
    expect(client.statuses).to.deep.equal([408]);
    const [{ time = NaN } = {}] = client.reads;
    expect(time - begin).to.be.within(1000, 3000);
  });
  it('a client that has read everything during a slow service is not given up', async () => {
    expect(
      judge(
        await play({
          seed: 0,
          requestTimeout: 0.05,
          idleTimeout: 5,
          maxRequests: 0,
          maxConnections: 10000,
          contentBudget: 268435456,
          slowMs: 120,
          standstills: [],
          stopAt: -1,
          clients: [
            {
              at: 0,
              inputRoom: 300000,
              outputRoom: 20000,
              steps: [
                {
                  do: 'send',
                  text:
                    'T /slow HTTP/1.1\r\nHost:a\r\n\r\nS / HTTP/1.1\r\nHost:a\r\n\r\n' +
                    'G /large/40000 HTTP/1.1\r\nHost:a\r\n\r\n\n',
                },
              ],
              closesAfter: 0,
            },
            {
              at: 100.821,
              inputRoom: 300000,
              outputRoom: 300000,
              steps: [{ do: 'send', text: 'T /slow HTTP/1.1\r\nHost:a\r\n\r\n' }],
              closesAfter: 0,
            },
          ],
        }),
      ),
    ).to.deep.equal([]);
  });
});
