import { expect } from 'chai';
import { raw } from '../support/bytes';
import { Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;

/** Clients that send so many requests each, all at once.
 * @returns the connections in the order in which they took places, and in which they had turns */
async function takeTurns(...requests: number[]) {
  const trace = new Trace();
  const server = await serve({ trace: trace.sink });
  const clients = await Promise.all(requests.map(() => server.client()));
  await trace.next('wait', clients.length);
  for (const [at, client] of clients.entries()) client.send(GET.repeat(requests[at] ?? 0));
  await Promise.all(clients.map((client, at) => client.statuses(requests[at] ?? 0)));
  const numbersOf = (type: 'queue' | 'turn'): number[] =>
    trace.of(type).map(({ connection }) => connection);
  return { trace, places: numbersOf('queue'), turns: numbersOf('turn') };
}

describe('turns', () => {
  it('connections have their turns in the order in which they took their places', async () => {
    const { places, turns } = await takeTurns(7, 1, 3, 1, 12, 2);
    expect(turns).to.deep.equal(places);
    expect(turns).to.have.lengthOf(26);
  });
  it('a connection takes a new place for each request, behind those that wait', async () => {
    const { trace, places } = await takeTurns(5, 5, 5);
    const waiting: number[] = [];
    for (const event of trace.events) {
      if (event.type === 'turn') {
        expect(waiting.shift(), 'the first that waits').to.equal(event.connection);
      }
      if (event.type !== 'queue') continue;
      expect(waiting, 'one place for a connection').to.not.include(event.connection);
      expect(event).to.include({ behind: waiting.at(-1), place: waiting.length + 1 });
      waiting.push(event.connection);
    }
    expect(waiting).to.deep.equal([]);
    expect(places).to.have.lengthOf(15);
  });
  it('a client with twelve requests waits for others between two of them', async () => {
    const server = await serve({ maxRequests: 10 });
    const [greedy, modest] = [await server.client(), await server.client()];
    greedy.send(GET.repeat(12));
    modest.send(GET);
    expect((await modest.answer()).status).to.equal(200);
    expect((await greedy.closed()).rest.match(/HTTP\/1.1 200/g)).to.have.lengthOf(9);
  });
});
