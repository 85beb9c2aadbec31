import { expect } from 'chai';
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
  it('an upload that a standstill has held up is read to its end', async () => {
    const world = new World();
    const server = await world.serve({ requestTimeout: 0.6 });
    const client = world.connect({ inputRoom: 60_000 });
    client.send(raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n`);
    await world.advance(100);
    // Most of it stays with the client.
    client.send('x'.repeat(200_000));
    world.standStill(1500);
    await world.settle();
    expect(client.statuses).to.deep.equal([200]);
    expect(server.inspect().held).to.equal(0);
  });
  it('every deadline begins where it was, or a second before, after a standstill', async () => {
    const world = new World();
    await world.serve({ requestTimeout: 3 });
    const client = world.connect().send('GET');
    await world.advance(1500); // the last timer fired at 1000
    world.standStill(60_000);
    await world.advance(1999);
    expect(client.statuses).to.deep.equal([]);
    await world.advance(1);
    expect(client.statuses).to.deep.equal([408]);
  });
  it('a delay of a quarter of a second is no standstill', async () => {
    const world = new World();
    await world.serve({ requestTimeout: 0.5 });
    const client = world.connect().send('GET');
    await world.settle();
    world.standStill(750);
    await world.settle();
    expect(client.statuses).to.deep.equal([408]);
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
