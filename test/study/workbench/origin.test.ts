import { expect } from 'chai';
import { readNaively, type Mistake } from '../../../src/naive/naive-request';
import { holdOf, originOf } from '../../../src/study/workbench/browser/origin';
import { Requests } from '../../../src/study/workbench/requests';
import { readScript } from '../../../src/study/bytes';
import type { ForwardedData } from '../../../src/study/workbench/bench';

const GET = 'GET /tasks/2 HTTP/1.1\r\nHost: a\r\n\r\n';
const DELETE = 'DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n';
const nameOf = (client: string): string => (client === 'p1' ? 'the attacker' : client);

function forward(client: string, text: string, mistake?: Mistake): ForwardedData {
  const { contentLength = 0, contentStart = 0, end } = readNaively(text, mistake) ?? {};
  const bytes = Buffer.from(text.slice(0, end), 'latin1').toString('base64');
  return { client, bytes, contentStart, contentLength };
}

describe('the origin of a request behind the proxy', () => {
  const smuggled = forward(
    'p1',
    `POST / HTTP/1.1\r\nContent-Length: ${DELETE.length}\r\n\r\n${DELETE}`,
  );
  const said = ", which was in the 37 bytes that the proxy took for the attacker's content";

  it('is the content of another one, or a client', () => {
    expect(originOf(DELETE, [smuggled], nameOf)).to.equal(said);
    expect(originOf(GET, [smuggled, forward('p2', GET)], nameOf)).to.equal(
      ', which p2 sent',
    );
  });
  it('is where it began, if its end came from somebody else', () => {
    const begun = 'GET / HTTP/1.1\r\nX';
    const text = `POST / HTTP/1.1\r\nContent-Length: ${begun.length}\r\n\r\n${begun}`;
    expect(
      originOf(begun + GET, [forward('p1', text), forward('p2', GET)], nameOf),
    ).to.equal(
      ", which began in the 17 bytes that the proxy took for the attacker's content",
    );
  });
  it('is not told where it is not certain', () => {
    expect(originOf(DELETE, [smuggled, forward('p2', DELETE)], nameOf)).to.equal('');
    expect(originOf(GET, [smuggled], nameOf)).to.equal('');
    expect(originOf('', [smuggled], nameOf)).to.equal('');
  });
  it('is told of each experiment with the number of bytes that its proxy reads', () => {
    const requests = new Requests();
    const proxied = requests.experiments.filter(({ mistake }) => mistake !== undefined);
    const told = proxied.map(({ mistake, number, requests: [first] }) => {
      const script = readScript(requests.read(first?.name ?? '') ?? '');
      const text = Buffer.from(script.bytes).toString('latin1');
      const forwarded = forward('p1', text, mistake);
      // What the request smuggles is the second request line in it.
      const asked = text.slice(1 + text.slice(1).search(/(GET|DELETE|POST) \//));
      const origin = originOf(asked, [forwarded], nameOf);
      return [number, origin.replace(/^, which (was|began) in /, '')];
    });
    const content = (bytes: string): string =>
      `the ${bytes} bytes that the proxy took for the attacker's content`;
    expect(told).to.deep.equal([
      [1, content('50')],
      [2, content('92')],
      [3, content('84')],
      [4, content('17')],
      [5, content('72,057,594,037,927,936')],
      [6, content('66')],
      [7, content('50')],
      [8, "what the proxy took for the attacker's header fields"],
    ]);
  });
});

describe('why the proxy holds what a client sent', () => {
  const hold = (
    name: string,
    sent: string,
    waiting: string[] = [],
    change = {},
  ): string => {
    const client = { name, state: 'open', unsent: 0, ...change } as const;
    return holdOf(client, sent, { forwarded: [forward('p1', GET)], waiting });
  };

  it('a request is incomplete, or the response to another one comes first', () => {
    expect(hold('p1', GET)).to.equal('');
    expect(hold('p1', 'GET /t')).to.match(/ it: it waits for the rest of the request\.$/);
    expect(hold('p2', GET)).to.match(/waits for the rest/);
    expect(hold('p1', GET, ['p1'])).to.match(
      /: the response to another request comes first/,
    );
  });
  it('it holds nothing that is not sent yet, or that nobody waits for', () => {
    expect(hold('p2', GET, [], { unsent: 3 })).to.equal('');
    expect(hold('p2', GET, [], { state: 'closed' })).to.equal('');
  });
});
