import { expect } from 'chai';
import { constants } from 'node:buffer';
import type { Field } from '../../src/http/message';
import type { Response, Service } from '../../src/index';
import { raw } from '../support/bytes';
import { pause, until } from '../support/notifier';
import { serve } from '../support/test-server';
import { get, GET, sending, withClient } from '../support/virtual-server';
import { collectWarnings } from '../support/warnings';

const OK: Response = { status: 200, body: 'x' };
const fail = (): never => {
  throw new Error('a trap');
};

/** A service of a program, which may break every promise of its type. */
function serviceThat(act: (path: string) => unknown): Service {
  return ({ path }) => (path === '/good' ? OK : (act(path) as Response));
}

describe('a service', () => {
  it('a service receives method, path, query, headers and body', async () => {
    const requests: unknown[] = [];
    const service: Service = ({ method, path, query, headers, body }) => {
      const lines = headers.map(({ name, value }) => `${name}: ${value}`);
      requests.push({ method, path, query, lines, body });
      return OK;
    };
    const lines = raw`Host: a\r\nX:  y \r\nContent-Length: 3\r\n\r\n`;
    await sending(raw`PUT /a%20b?c?%64 HTTP/1.1\r\n${lines}\0\xff\n`, { service });
    const shown = ['Host: a', 'X: y', 'Content-Length: 3'];
    expect(requests).to.deep.equal([
      { method: 'PUT', path: '/a%20b', query: 'c?%64', lines: shown, body: '\0\xff\n' },
    ]);
  });
  it('a service that changes its request does not change how its response is sent', async () => {
    const service: Service = (request) => Object.assign(request, { method: 'GET' }) && OK;
    const { client } = await sending(GET.replace('GET', 'HEAD') + GET, { service });
    expect(client.received).to.match(/^HTTP[^]*\r\n\r\nHTTP[^]*\r\n\r\nx$/);
    expect(client.received.match(/Content-Length/g)).to.have.lengthOf(1);
  });
  it('a service that empties the list of headers changes no event', async () => {
    const service: Service = ({ headers }) => {
      (headers as unknown[]).length = 0;
      return OK;
    };
    const { trace } = await sending(GET, { service });
    const sections = trace
      .of('parse')
      .filter(({ part }) => part === 'end of the header section');
    expect(sections).to.have.nested.property('[0].lines[0].name', 'Host');
  });
  it('a service may reuse and change one response object, and no response is stale', async () => {
    const headers = [{ name: 'X', value: '0' }];
    const response = { status: 200 as 200 | 404, body: '0', contentType: 'a/0', headers };
    let count = 0;
    const service: Service = () => {
      count += 1;
      response.status = count % 2 === 0 ? 404 : 200;
      response.body = String(count);
      response.contentType = `a/${count}`;
      headers[0] = { name: 'X', value: String(count) };
      return response;
    };
    const { client } = await sending(GET.repeat(4), { service });
    expect(client.statuses).to.deep.equal([200, 404, 200, 404]);
    const values = client.received.match(/a\/\d|(?<=X: )\d|(?<=\r\n\r\n)\d/g)?.join('');
    expect(values).to.equal('a/111a/222a/333a/444');
  });
  it('each property of a response is read once', async () => {
    let reads = 0;
    const service = serviceThat(() => ({
      get status() {
        reads += 1;
        return reads > 1 ? fail() : 200;
      },
      body: 'x',
    }));
    expect((await sending(GET, { service })).client.statuses).to.deep.equal([200]);
  });
});

describe('a service that fails', () => {
  const throwing = (thrown: unknown) => (): never => {
    throw thrown;
  };
  const withTrap = (property: string) => () =>
    Object.defineProperty({ ...OK }, property, { get: throwing(new Error('a bug')) });
  const promising = (methods: object) => () =>
    Object.assign(Promise.reject(new Error('a bug')), methods);
  /** Nothing can be asked of it. */
  const HOSTILE: unknown = new Proxy(
    {},
    { get: fail, getPrototypeOf: fail, ownKeys: fail },
  );
  const CONTROLS = '\x1b[31m\x07\x9b\u202e\r\nForged: line';
  // prettier-ignore
  const FAILURES: readonly (readonly [what: string, act: () => unknown, warned: RegExp])[] = [
    ['throws an Error', throwing(new RangeError('a bug\n  in two lines')),
      /^The service failed, so the client gets 500: RangeError: a bug in two lines\n {4}at /],
    ['throws a text',                    throwing('a bug'),             /: a bug$/],
    ['throws undefined',                 throwing(undefined),           /: undefined$/],
    ['throws what has no text',          throwing(Object.create(null)), /has no text$/],
    ['throws a Proxy whose traps throw', throwing(HOSTILE),             /has no text$/],
    ['throws control characters',        throwing(new Error(CONTROLS)), /\[31m.*: line\n/],
    ['returns control characters',       () => ({ ...OK, status: CONTROLS }), /\[31m.*: line/],
    ['returns nothing',                  () => undefined,
      /^The service returned a response that cannot be sent, .*: the response is undefined$/],
    ['returns a body that is no text',   () => ({ ...OK, body: 1 }),
      /^The service returned a response that cannot be sent, .*: the body is not a string$/],
    ['returns a promise',                () => Promise.resolve(OK),
      /^The service returned a response that cannot be sent, .*must respond at once$/],
    ['returns a promise that rejects',   promising({}),               /must respond at once/],
    ['returns one whose catch() throws', promising({ catch: fail }),  /must respond at once/],
    ['returns one whose then() throws',  promising({ then: fail }),   /must respond at once/],
    ['returns a status that throws',     withTrap('status'),          /Error: a bug/],
    ['returns a body that throws',       withTrap('body'),            /Error: a bug/],
    ['returns a type that throws',       withTrap('contentType'),     /Error: a bug/],
    ['returns headers that throw',       withTrap('headers'),         /Error: a bug/],
  ];
  const unhandled: unknown[] = [];
  const keep = (reason: unknown): void => void unhandled.push(reason);
  before(() => process.on('unhandledRejection', keep));
  after(() => process.off('unhandledRejection', keep));

  for (const [what, act, warning] of FAILURES) {
    it(`a service that ${what} causes 500, "close" and one warning`, async () => {
      const warnings = collectWarnings();
      const { world, client: bad } = await withClient({ service: serviceThat(act) });
      const good = world.connect();
      await world.settle();
      bad.send(get('/bad').repeat(2));
      good.send(get('/good').repeat(2));
      await world.settle();
      await pause(0);
      expect(unhandled, 'it would end the process').to.deep.equal([]);
      expect([bad.statuses, bad.ending]).to.deep.equal([[500], 'end']);
      expect(bad.received).to.contain('\r\nConnection: close\r\n');
      expect(bad.received, 'our own mistake is not for the client to read').to.match(
        /\r\n\r\n\{"error":"[\w ]+"\}$/,
      );
      expect(good.statuses).to.deep.equal([200, 200]);
      expect(world.log).to.deep.equal(['GET /bad', 'GET /good', 'GET /good']);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0])
        .to.match(warning)
        .and.match(/^[\x20-\x7e]+(\n {4}at [\x20-\x7e]+)*$/);
    });
  }
  for (const [maxRequests, reason] of [
    [0, 'the service failed'],
    [1, 'the limit of requests is reached'],
  ] as const) {
    it(`the trace of a service that throws has no route, and closes: ${reason}`, async () => {
      collectWarnings();
      const service: Service = (_, explain) => {
        explain?.('start', 'always', 'end');
        return fail();
      };
      const { trace } = await sending(GET, { service, maxRequests });
      expect(trace.of('route')).to.deep.equal([]);
      expect(trace.of('close')[0]).to.include({ reason });
    });
  }
});

describe('a response of half a gigabyte', () => {
  /** Of which only the body is left to choose. */
  const value = 'x'.repeat(2 ** 20);
  const headers: readonly Field[] = Array(511).fill({ name: 'X', value });
  const room = constants.MAX_STRING_LENGTH - 511 * `X: ${value}\r\n`.length;

  it('a response longer than the longest string causes 500; a shorter one is sent', async () => {
    const warnings = collectWarnings();
    // Its other fields have fewer than 200 bytes.
    const bodies = ['y'.repeat(room), 'y'.repeat(room - 200)];
    const server = await serve({
      service: serviceThat(() => ({ status: 200, body: bodies.shift() ?? '', headers })),
    });
    expect((await (await server.client()).ask('GET /bad')).status).to.equal(500);
    expect(warnings[0]).to.contain('Invalid string length');
    const client = await server.client();
    client.send(get('/good').repeat(3) + get('/long') + get('/good'));
    expect(await client.statuses(3)).to.deep.equal([200, 200, 200]);
    expect(await client.until('xxx')).to.contain(`Content-Length: ${room - 200}`);
    client.reset(); // the rest would take seconds
    expect((await (await server.client()).ask('GET /good')).status).to.equal(200);
  });
});

describe('a service that spoils Object.prototype', () => {
  const toJSON = (): string => 'spoilt';
  const SPOILT = { headers: 1, contentType: 1, hint: 'spoilt', expected: 'spoilt', toJSON };

  for (const [what, sent, status] of [
    ['its own response', '', 500],
    ['the rejection of a request line', raw`BAD\r\n\r\n`, 400],
    ['the rejection of a request that is not complete', 'GET /', 400],
  ] as const) {
    it(`a service that spoils Object.prototype does not spoil ${what}`, async () => {
      const warnings = collectWarnings();
      const { headers: _, contentType: __, ...others } = SPOILT;
      const spoilt = status === 500 ? SPOILT : others;
      const { world, client } = await withClient({
        service: () => {
          Object.assign(Object.prototype, spoilt);
          return { status: 200, body: '{}' };
        },
      });
      client.send(GET + sent).end();
      await world.settle();
      for (const name of Object.keys(SPOILT))
        Reflect.deleteProperty(Object.prototype, name);
      expect(client.statuses.at(-1)).to.equal(status);
      expect(client.received).to.not.include('spoilt');
      expect(warnings).to.have.lengthOf(status === 500 ? 1 : 0);
    });
  }
});

describe('a sink that fails causes one warning, and is not called again', () => {
  const rejecting = (): Promise<never> => {
    const rejected = pause(0).then(() => Promise.reject(new Error('disk full')));
    return Object.assign(rejected, { catch: fail });
  };
  const throwing = (): never => {
    throw new Error('disk full');
  };
  for (const name of ['log', 'trace'] as const) {
    for (const act of [rejecting, throwing]) {
      it(`a ${name} that is ${act.name} causes one warning, and is not called again`, async () => {
        const warnings = collectWarnings();
        let calls = 0;
        const sink = (): unknown => {
          calls += 1;
          return act();
        };
        const { world, client } = await withClient({ maxRequests: 3, [name]: sink });
        client.send(GET);
        await world.settle();
        await until(() => warnings.length > 0);
        const before = calls;
        client.send(GET.repeat(2));
        await world.settle();
        await pause(10);
        expect(client.statuses).to.deep.equal([200, 200, 200]);
        expect(client.ending, 'the limit counts').to.equal('end');
        expect(calls).to.equal(before);
        expect(warnings).to.have.lengthOf(1);
        expect(warnings[0]).to.contain(`The ${name} sink failed`).and.contain('disk full');
      });
    }
  }
});
