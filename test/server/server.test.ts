import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { World } from '../simulation/world';
import { Trace } from '../support/recorded-trace';
import { serve } from '../support/test-server';
import { GET } from '../support/virtual-server';
import { collectWarnings } from '../support/warnings';

describe('startServer() in a program', () => {
  it('a server stops at the end of its block (await using)', async () => {
    const stopped = await (async () => {
      await using server = await serve();
      const client = await server.client();
      expect((await client.ask('GET /')).status).to.equal(200);
      client.end();
      return server;
    })();
    const [error] = await once(connect(stopped.port, '127.0.0.1'), 'error');
    expect(error).to.have.property('code', 'ECONNREFUSED');
  });
  it('the Date of a response is when its service returned, not when its batch began', async () => {
    const world = new World();
    const before = world.kernel.date();
    await world.serve({
      service: () => {
        world.standStill(2500);
        return { status: 200, body: '' };
      },
    });
    const client = world.connect().send(GET);
    await world.advance(3000);
    const [, date = ''] = /Date: (.*)\r\n/.exec(client.received) ?? [];
    expect(Date.parse(date)).to.be.above(before + 1500);
  });
  // prettier-ignore
  const CLOCKS: readonly (readonly [what: string, clock: () => unknown, found: string])[] = [
    ['that throws', () => { throw new Error('no battery'); }, 'no battery'],
    ['that gives no number', () => NaN, 'must be a time'],
    ['after the year 9999', () => 253_402_300_800_000, 'must be a time'],
    ['before 1970', () => -1, 'must be a time'],
    ['that is promised', () => Promise.reject(new Error('later')), 'is not a number'],
  ];
  for (const [what, clock, found] of CLOCKS) {
    it(`a date ${what} is one warning, and the time of the system is taken`, async () => {
      const warnings = collectWarnings();
      const world = new World();
      await world.serve({ date: clock as () => number });
      const client = world.connect().send(GET.repeat(2));
      await world.settle();
      const date = new Date(world.kernel.date()).toUTCString();
      expect(client.received.split(`Date: ${date}\r\n`)).to.have.lengthOf(3);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0])
        .to.match(/^The date option failed/)
        .and.contain(found);
    });
  }
  it('an error of accept() is a warning and an event, and other clients are served', async () => {
    const warnings = collectWarnings();
    const trace = new Trace();
    const server = await serve({ trace: trace.sink });
    server.listener.emit('error', new Error('accept EMFILE'));
    expect(warnings).to.deep.equal(['A connection could not be accepted: accept EMFILE']);
    expect(trace.lines('error')).to.equal(
      '--  error  a connection could not be accepted: accept EMFILE\n',
    );
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
  it('one connection too many is closed, its address told, and the others are served', async () => {
    const trace = new Trace();
    const server = await serve({ maxConnections: 1, trace: trace.sink });
    const one = await server.client();
    expect((await (await server.client()).closed()).rest).to.equal('');
    expect(await trace.next('refuse')).to.include({ connection: 0, limit: 1 });
    const socket = { remotePort: 80, destroy: () => {} };
    for (const remoteAddress of ['1:2:3:4:5:6:ffff:1', '::ffff:0:1', '::ffff:127.0.0.1'])
      server.listener.emit('connection', { ...socket, remoteAddress });
    const addresses = trace.of('refuse').map((event) => event.remoteAddress);
    expect(addresses.slice(1).join()).to.equal(
      '[1:2:3:4:5:6:ffff:1]:80,[::ffff:0:1]:80,127.0.0.1:80',
    );
    expect((await one.ask('GET /')).status).to.equal(200);
    one.end();
    await trace.next('gone');
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
});
