import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { riskIn, withRisk } from '../../src/trace/risk';
import { bytes, cut, raw, textOf } from '../support/bytes';
import { Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';

const POST = raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n`;
const BOTH = raw`${POST}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const WITH_CONTENT = raw`GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`;

const summaryOf = (text: string, end?: number): string | undefined =>
  riskIn(textOf(text), end)?.summary;

/** @returns the summaries of the risks, and the verb beside each: before it after a
 * rejection, or else behind it */
async function risksOf(...pieces: Buffer[]): Promise<(string | undefined)[][]> {
  const trace = new Trace();
  const client = await (await serve({ trace: trace.sink })).client();
  for (const [index, piece] of pieces.entries()) {
    client.socket.write(piece);
    await trace.next('read', index + 1);
  }
  client.end();
  await trace.next('gone');
  return trace.events.flatMap((event, index) => {
    if (event.type !== 'risk') return [];
    const [before, after] = [trace.events[index - 1]?.type, trace.events[index + 1]?.type];
    return [[event.summary, before === 'reject' ? before : after]];
  });
}

describe('the risk in the trace', () => {
  it('after a rejection, an event says who would read the bytes differently', async () => {
    expect(await risksOf(bytes(BOTH))).to.deep.equal([[summaryOf(BOTH), 'reject']]);
    expect(summaryOf(BOTH)).to.match(/ goes by Content-Length .* \(lab 1\)$/);
  });
  it('of pipelined requests, the rejected one is read, and what follows', async () => {
    const risk = [summaryOf(BOTH + GET), 'reject'];
    expect(await risksOf(bytes(GET + BOTH + GET))).to.deep.equal([risk]);
  });
  it('a request with content has one where a mistake would move its end', async () => {
    const whole = bytes(WITH_CONTENT);
    const risk = [summaryOf(WITH_CONTENT, whole.length), 'parse'];
    expect(await risksOf(whole)).to.deep.equal([risk]);
    expect(await risksOf(...cut(whole, 20))).to.deep.equal([risk]);
  });

  it('there is none where its bytes are too many to be kept, or were not seen', () => {
    const events: TraceEvent[] = [];
    const sink = withRisk((event) => events.push(event));
    const read = (text: string, offset: number): void =>
      void sink({ at: 0, connection: 1, type: 'read', bytes: textOf(text), offset });
    const end = (length: number, unread: number): void => {
      const part = { part: 'request', number: 1, length, unread, next: '' } as const;
      sink({ at: 0, connection: 1, type: 'parse', ...part });
    };
    const { length } = bytes(WITH_CONTENT);
    for (const [before, kept] of [
      ['x'.repeat(32_768 - length), 1],
      ['x'.repeat(32_769 - length), 0],
    ] as const) {
      events.length = 0;
      read(before + WITH_CONTENT, 0);
      end(before.length, length);
      end(length, 0);
      expect(events.filter(({ type }) => type === 'risk')).to.have.lengthOf(kept);
      read(WITH_CONTENT, 0); // it has room again
      end(length, 0);
      expect(events.filter(({ type }) => type === 'risk')).to.have.lengthOf(kept + 1);
    }
    events.length = 0;
    read(WITH_CONTENT, 1);
    end(length + 1, 0);
    expect(events.filter(({ type }) => type === 'risk')).to.deep.equal([]);
    read('GET', 0);
    sink({ at: 0, connection: 1, type: 'gone', reason: '', unsent: 0 });
    read(WITH_CONTENT, 0); // nothing is kept of who is gone
    end(length, 0);
    expect(events.filter(({ type }) => type === 'risk')).to.have.lengthOf(1);
  });
});

describe('a trace sink that writes into its events', () => {
  /** Spoils all that an event holds. */
  function spoil(value: unknown): void {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      for (const [key, inner] of Object.entries(value)) {
        spoil(inner);
        if (typeof inner !== 'object') Reflect.set(value, key, 299);
      }
    }
  }

  it('changes nothing of what the service gets and the clients receive', async () => {
    const requests = [
      raw`GET /tasks/1?a|b HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n`,
      raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`,
      raw`3\r\nabc\r\n0\r\nX: y\r\n\r\n${WITH_CONTENT}GET / HTTP/1.1\r\n\r\n`,
    ];
    const answers: unknown[] = [];
    for (const sink of [undefined, spoil]) {
      const seen: unknown[] = [];
      const server = await serve({
        ...(sink && { trace: sink }),
        service: ({ method, path, query, headers, body }) => {
          seen.push({ method, path, query, body, headers: structuredClone(headers) });
          return { status: 200, body };
        },
      });
      const client = await server.client();
      const bad = await server.client();
      for (const request of requests) client.send(request);
      bad.send(raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
      const [{ rest }, ...closed] = [await client.closed(), await bad.closed()];
      expect(rest).to.contain(' 400 ');
      answers.push([
        seen,
        rest.replace(/Date: .*/g, ''),
        closed.map((one) => one.rest.length),
      ]);
    }
    expect(answers[1]).to.deep.equal(answers[0]);
  });
});
