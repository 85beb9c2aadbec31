import { expect } from 'chai';
import { raw } from '../support/bytes';
import { finish, traced } from '../support/traced-server';
import { VERBS } from '../../src/page/model/glossary';
import { collectWarnings } from '../support/warnings';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
/** It does not fit into the buffers between server and client. */
const LARGE = 'x'.repeat(16_000_000);
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;

describe('the events of the trace', () => {
  it('events have the verbs of their lines as types, with time and connection', async () => {
    const { trace, server, client } = await traced({ maxRequests: 3, maxConnections: 3 });
    client.send(CHUNKED.replace(raw`\r\n\r\n`, raw`\r\nExpect: 100-continue\r\n\r\n`));
    await client.until('100 Continue');
    client.send(raw`1\r\nx\r\n0\r\n\r\n`);
    await trace.next('idle');
    const bad = await server.client();
    const last = await server.client();
    await last.ask('GET /');
    await (await server.client()).closed();
    expect(trace.lines('refuse')).to.equal(
      '--  refuse 127.0.0.1:N: limit of 3 open connections reached\n',
    );
    bad.send(raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
    last.send(GET + GET);
    await finish(server, client, bad, last);

    // One that does not read its responses is blocked.
    const blocked = await traced({ service: () => ({ status: 200, body: LARGE }) });
    blocked.client.socket.pause();
    blocked.client.send(GET + GET);
    await blocked.trace.next('block');

    const ending = await traced();
    ending.client.end();
    await ending.trace.next('end');

    // One that cannot be accepted is an error of the system.
    collectWarnings();
    const failing = await traced();
    failing.server.listener.emit('error', new Error('accept EMFILE'));

    const events = [trace, blocked.trace, ending.trace, failing.trace].flatMap(
      ({ events }) => events,
    );
    expect([...new Set(events.map(({ type }) => type))]).to.have.members(
      Object.keys(VERBS),
    );
    for (const event of events) {
      for (const line of trace
        .format(event)
        .split('\n')
        .filter((text) => /^[-c]/.test(text))) {
        expect(line.slice(4, 11).trim(), line).to.equal(event.type);
        expect(line.slice(0, 3).trim()).to.equal(
          event.connection === 0 ? '--' : `c${event.connection}`,
        );
      }
    }
    const times = trace.events.map(({ at }) => at);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(times[0]).to.be.at.least(0);
  });
});
