import { expect } from 'chai';
import type { SimulatedClient } from '../simulation/client';
import { raw } from '../support/bytes';
import { GET, withClient } from '../support/virtual-server';

const TEN = [
  ...Array<string>(10).fill('GET /'),
  'Maximum of 10 requests reached: no more are handled',
];

/** How often the responses say "close". */
function closes({ received }: SimulatedClient): number {
  return received.split('\r\nConnection: close\r\n').length - 1;
}

describe('a server with a limit of ten requests', () => {
  it('the server stops after ten requests of one connection, and says "close"', async () => {
    const { world, server, client } = await withClient({ maxRequests: 10 });
    for (let count = 1; count <= 10; count += 1) {
      expect([closes(client), client.ending]).to.deep.equal([0, undefined]);
      client.send(GET);
      await world.settle();
    }
    expect(client.statuses).to.deep.equal(Array(10).fill(200));
    expect([closes(client), client.ending]).to.deep.equal([1, 'end']);
    expect(client.received.split('HTTP/1.1').at(-1)).to.contain('close');
    client.end();
    await world.settle();
    await server.stopped;
    expect(world.log).to.deep.equal(TEN);
    const late = world.connect();
    await world.settle();
    expect(late.ending).to.equal('reset');
  });
  it('ten of twelve pipelined requests get their responses, though megabytes follow', async () => {
    const { world, client } = await withClient({ maxRequests: 10 });
    client.send(GET.repeat(12)).write(Buffer.alloc(3_000_000, 'x'));
    await world.settle();
    expect([client.statuses, client.ending]).to.deep.equal([Array(10).fill(200), 'end']);
    expect(world.log).to.deep.equal(TEN);
  });
  it('ten of twenty clients get their responses, and the others get none', async () => {
    const { world, client } = await withClient({ maxRequests: 10 });
    const clients = [client];
    while (clients.length < 20) clients.push(world.connect());
    await world.settle();
    for (const one of clients) one.send(GET);
    await world.settle();
    const none = Array(10).fill([[], 0, 'end']);
    expect(clients.map((one) => [one.statuses, closes(one), one.ending])).to.deep.equal([
      ...Array(9).fill([[200], 0, 'end']),
      [[200], 1, 'end'],
      ...none,
    ]);
    expect(world.log).to.deep.equal(TEN);
  });
  it('the line of the maximum is there though the last request stops the server', async () => {
    const { world, server, client } = await withClient({
      maxRequests: 1,
      service: () => {
        void server.stop();
        return { status: 200, body: '' };
      },
    });
    client.send(GET);
    await world.settle();
    expect(world.log[1]).to.equal('Maximum of 1 requests reached: no more are handled');
  });
  it('neither rejected requests nor silent connections count toward the limit', async () => {
    const { world, client } = await withClient({ maxRequests: 2 });
    world.connect().send(raw`BAD\r\n`);
    world.connect().end();
    await world.settle();
    for (const expected of [0, 1]) {
      client.send(GET);
      await world.settle();
      expect(closes(client)).to.equal(expected);
    }
  });
  it('no client is reset that connects before the listener closes', async () => {
    const late: SimulatedClient[] = [];
    const { world, client } = await withClient({
      maxRequests: 1,
      service: () => {
        while (late.length < 40) late.push(world.connect());
        return { status: 200, body: '' };
      },
    });
    client.send(GET);
    await world.settle();
    expect(late.map(({ ending }) => ending)).to.deep.equal(Array(40).fill('end'));
    expect(late.map(({ received }) => received).join('')).to.equal('');
    expect(client.statuses).to.deep.equal([200]);
  });
});
