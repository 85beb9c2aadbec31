import { expect } from 'chai';
import type { ExchangeData, PageData } from '../../../src/page/model/page-data';
import { outcomeOf } from '../../../src/study/workbench/browser/origin';
import type { ProxyEvent, ProxyLine } from '../../../src/trace/proxy-events';

const ADDRESS = '127.0.0.1:9';
const POST = 'POST /tasks';
const DELETE = 'DELETE /tasks/1';
const GET = 'GET /tasks/2';

/** The requests of the connection of the proxy, as the server read them. */
function exchanges(...all: readonly (readonly [title: string, length: number])[]) {
  const made = all.map(([title, length], index) => ({
    ...{
      remote: ADDRESS,
      number: index + 1,
      title,
      length,
      responses: [{ arrivals: [[index, 1]] }],
    },
  }));
  return made as unknown as ExchangeData[];
}

const connect: ProxyEvent = {
  type: 'connect',
  connection: 1,
  address: ADDRESS,
  mistake: undefined,
};
/** A client asks for something, with content from an offset on, and it is forwarded. */
const ask = (
  request: number,
  from: number,
  contentStart: number,
  contentLength: number,
) => {
  const client = `p${request}`;
  const about = { name: '', contentStart, contentLength };
  return [
    { type: 'request', client, request, ...about },
    { type: 'forward', client, request, connection: 1, from },
  ] satisfies ProxyEvent[];
};
const give = (request: number, response: number): ProxyEvent => ({
  ...{ type: 'response', client: `p${request}`, request, connection: 1, response },
  ...{ isInterim: false, bytes: 9 },
});
const nameOf = (client: string): string => (client === 'p1' ? 'the attacker' : client);

function outcome(
  client: string,
  events: readonly ProxyEvent[],
  data = exchanges(),
  change = {},
): string {
  const lines = events.map((event, at): ProxyLine => ({ ...event, at }));
  const about = { name: client, state: 'open', unsent: 0, ...change } as const;
  const page: PageData = { exchanges: data, proxy: lines, steps: [], leftOut: '' };
  return outcomeOf(about, 0, page, nameOf).says;
}

describe('whose response a client of the proxy received', () => {
  const OTHER = 'This is not the response to what it sent, but to another request: ';
  const smuggled = [connect, ...ask(1, 0, 89, 50), give(1, 1), ...ask(2, 139, 30, 0)];
  const read = exchanges([POST, 94], [DELETE, 45], [GET, 30]);

  it('is its own where the server read what it sent from its first byte on', () => {
    expect(outcome('p1', smuggled, read)).to.equal(
      `This is the response to what it sent: ${POST}.`,
    );
  });
  it('is that to what was in the content of somebody else', () => {
    expect(outcome('p2', [...smuggled, give(2, 2)], read)).to.equal(
      `${OTHER}${DELETE}, which was in the 50 bytes that the proxy took for the ` +
        "attacker's content.",
    );
  });
  it('is that to what began there, if its end came from somebody else', () => {
    const longer = exchanges([POST, 94], [DELETE, 75]);
    expect(outcome('p2', [...smuggled, give(2, 2)], longer)).to.contain(
      'which began in the 50',
    );
  });
  it('is that to what was in the fields of somebody else', () => {
    const inFields = [connect, ...ask(1, 0, 139, 0), give(1, 1), ...ask(2, 139, 30, 0)];
    expect(outcome('p2', [...inFields, give(2, 2)], read)).to.contain(
      "which was in what the proxy took for the attacker's header fields.",
    );
  });
  it('is that to what another client sent', () => {
    const events = [...smuggled, ...ask(3, 169, 30, 0), give(3, 3)];
    expect(outcome('p3', events, read)).to.equal(`${OTHER}${GET}, which p2 sent.`);
  });
  it('is that of the proxy, or nothing is known of it', () => {
    const refuse: ProxyEvent = { type: 'refuse', client: 'p1', text: '' };
    expect(outcome('p1', [refuse])).to.equal(
      'The server did not send this: the proxy did.',
    );
    expect(outcome('p1', smuggled.slice(1), read), 'without its connection').to.equal('');
  });
  it('says why there is none', () => {
    const [request] = ask(2, 0, 30, 0);
    const comes = 'the response to another request comes first';
    const held = 'The proxy has not forwarded it: ';
    expect(outcome('p2', request ? [request] : [])).to.equal(`${held}${comes}.`);
    expect(outcome('p2', [])).to.equal(`${held}it waits for the rest of the request.`);
    expect(outcome('p2', ask(2, 0, 30, 0))).to.equal('');
    expect(outcome('p2', [], exchanges(), { unsent: 3 })).to.equal('');
    expect(outcome('p2', [], exchanges(), { state: 'closed' })).to.equal('');
  });
});
