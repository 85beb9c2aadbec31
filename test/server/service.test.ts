import { expect } from 'chai';
import { constants } from 'node:buffer';
import type { Field } from '../../src/http/message';
import type { Response, Service } from '../../src/index';
import { World } from '../simulation/world';
import { raw } from '../support/bytes';
import { CLOSED_IN_SILENCE } from '../support/client';
import { pause, until } from '../support/notifier';
import { DATE, serve } from '../support/test-server';
import { Trace } from '../support/recorded-trace';
import { collectWarnings } from '../support/warnings';

const OK: Response = { status: 200, body: 'x' };

/** A service of a program, which may break every promise of its type. */
function serviceThat(act: (path: string) => unknown): Service {
  return (request) => {
    if (request.path === '/good') return OK;
    return Object(act(request.path));
  };
}

const fail = (): never => {
  throw new Error('a trap');
};
/** Nothing can be asked of it. */
const HOSTILE: unknown = new Proxy({}, { get: fail, getPrototypeOf: fail, ownKeys: fail });

describe('a service', () => {
  it('a service receives method, path, query, headers and body', async () => {
    const requests: unknown[] = [];
    const service: Service = ({ method, path, query, headers, body }) => {
      const lines = headers.map(({ name, value }) => `${name}: ${value}`);
      requests.push({ method, path, query, lines, body });
      return OK;
    };
    const client = await (await serve({ service })).client();
    await client.ask(
      'PUT /a%20b?c?%64',
      raw`X:  y \r\nContent-Length: 3\r\n`,
      raw`\0\xff\n`,
    );
    expect(requests).to.deep.equal([
      {
        method: 'PUT',
        path: '/a%20b',
        query: 'c?%64',
        lines: ['Host: a', 'X: y', 'Content-Length: 3'],
        body: '\0\xff\n',
      },
    ]);
  });
  it('a service that empties the list of headers changes no event', async () => {
    const trace = new Trace();
    const service: Service = ({ headers }) => {
      (headers as unknown[]).length = 0;
      return OK;
    };
    const client = await (await serve({ service, trace: trace.sink })).client();
    await client.ask('GET /');
    const sections = trace.of('parse').filter(({ part }) => part === 'header section');
    expect(sections).to.have.nested.property('[0].lines[0].name', 'Host');
  });
  it('a service returns status, body, content type and further fields', async () => {
    const service: Service = () => ({
      status: 201,
      body: 'caf\xe9',
      contentType: 'text/plain; charset=iso-8859-1',
      headers: [
        { name: 'Location', value: '/a' },
        { name: 'X', value: '' },
      ],
    });
    expect((await (await (await serve({ service })).client()).ask('GET /')).raw).to.equal(
      [
        'HTTP/1.1 201 Created',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Length: 4',
        `Date: ${DATE}`,
        'Location: /a',
        'X: ',
        '',
        'caf\xe9',
      ].join('\r\n'),
    );
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
    const client = await (await serve({ service })).client();
    for (let expected = 1; expected <= 4; expected += 1) {
      const { status, content, fields } = await client.ask('GET /');
      expect({
        status,
        content,
        type: fields['content-type'],
        x: fields['x'],
      }).to.deep.equal({
        status: expected % 2 === 0 ? 404 : 200,
        content: String(expected),
        type: `a/${expected}`,
        x: String(expected),
      });
    }
  });

  describe('that throws', () => {
    for (const [what, thrown] of [
      ['an Error', new Error('a bug')],
      ['a text', 'a bug'],
      ['undefined', undefined],
      ['an object without toString', Object.create(null)],
      ['a Proxy whose every trap throws', HOSTILE],
    ] as const) {
      it(`a service that throws ${what} causes 500, "close" and one warning`, async () => {
        const warnings = collectWarnings();
        const service = serviceThat(() => {
          throw thrown;
        });
        const server = await serve({ service });
        const [client, other] = [await server.client(), await server.client()];
        client.send(raw`GET /bad HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(2));
        other.send(raw`GET /good HTTP/1.1\r\nHost: a\r\n\r\n`);
        const { status, fields, content } = await client.answer();
        expect(status).to.equal(500);
        expect(fields).to.include({
          connection: 'close',
          'content-type': 'application/json',
        });
        expect(JSON.parse(content)).to.have.all.keys('error');
        expect(content, 'our own mistake is not for the client to read').to.not.contain(
          'a bug',
        );
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
        expect((await other.answer()).status).to.equal(200);
        expect((await other.ask('GET /good')).status).to.equal(200);
        expect(server.log).to.deep.equal(['GET /bad', 'GET /good', 'GET /good']);
        expect(warnings).to.have.lengthOf(1);
      });
    }
    it('the warning of a service that throws says what was thrown, and where', async () => {
      const warnings = collectWarnings();
      const service = serviceThat(() => {
        throw new RangeError('a bug\n  in two lines');
      });
      await (await (await serve({ service })).client()).ask('GET /bad');
      const [line, frame] = warnings[0]?.split('\n') ?? [];
      expect(line).to.match(/500: RangeError: a bug in two lines$/);
      expect(frame).to.match(/^ {4}at .*service\.test\.ts:\d+/);
    });
    it('a request that the service fails on still counts, and may be the last one', async () => {
      collectWarnings();
      const service = serviceThat(() => {
        throw new Error('a bug');
      });
      const server = await serve({ service, maxRequests: 2 });
      const [bad, good] = [await server.client(), await server.client()];
      await bad.ask('GET /bad');
      expect((await good.ask('GET /good')).fields).to.have.property('connection', 'close');
      bad.end();
      good.end();
      await server.stopped;
      expect(server.log.at(-1)).to.equal(
        'Maximum of 2 requests reached: no more are handled',
      );
    });
    it('the trace of a service that throws has no route, and says why we close', async () => {
      collectWarnings();
      const trace = new Trace();
      const service: Service = (_, explain) => {
        explain?.('start', 'always', 'end');
        throw new Error('a bug');
      };
      const client = await (await serve({ service, trace: trace.sink })).client();
      await client.ask('GET /');
      expect(trace.of('route')).to.deep.equal([]);
      expect(await trace.next('close')).to.include({ reason: 'the service failed' });
    });
    it('a service that throws at HEAD causes a response without content', async () => {
      collectWarnings();
      const service = serviceThat(() => {
        throw new Error('a bug');
      });
      const client = await (await serve({ service })).client();
      expect((await client.ask('HEAD /bad')).status).to.equal(500);
      expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
    });
  });

  describe('that returns what cannot be sent: 500, and a warning that names it', () => {
    it('the warning is one sentence, without the name of a class', async () => {
      const warnings = collectWarnings();
      const service = serviceThat(() => ({ status: 200, body: 1 }));
      await (await (await serve({ service })).client()).ask('GET /bad');
      expect(warnings).to.deep.equal([
        'The service returned a response that cannot be sent, so the client gets 500: ' +
          'the body is not a string',
      ]);
    });
    const field = (name: unknown, value: unknown) => ({
      ...OK,
      headers: [{ name, value }],
    });
    for (const [what, response, named] of [
      ['CR LF in a field value', field('X-Y', 'a\r\nSet-Cookie: b'), 'X-Y'],
      ['a status that does not exist', { ...OK, status: 999 }, '999'],
      [
        'a promise',
        Promise.resolve(OK),
        'the service returned a promise: it must respond at once',
      ],
      ['a status that is a string', { ...OK, status: '204' }, 'status "204"'],
      ['a field name in an array', field(['Content-Length'], '1'), 'a field name'],
    ] as const) {
      it(`a service that returns ${what} causes 500, and a warning that names it`, async () => {
        const warnings = collectWarnings();
        const server = await serve({ service: serviceThat(() => response) });
        const client = await server.client();
        const { status, fields } = await client.ask('GET /bad');
        expect({ status, connection: fields['connection'] }).to.deep.equal({
          status: 500,
          connection: 'close',
        });
        expect(await client.closed()).to.deep.equal(CLOSED_IN_SILENCE);
        expect(server.log).to.deep.equal(['GET /bad']);
        expect(warnings).to.have.lengthOf(1);
        expect(warnings[0]).to.contain(named);
        expect((await (await server.client()).ask('GET /good')).status).to.equal(200);
      });
    }
    for (const methods of [{}, { catch: fail }, { then: fail }]) {
      const of = Object.keys(methods).map((name) => ` (its ${name}() throws)`);
      it(`a service whose promise rejects${of} causes 500 and one warning`, async () => {
        const warnings = collectWarnings();
        const unhandled: unknown[] = [];
        const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
        process.on('unhandledRejection', onUnhandled);
        const service = serviceThat(() =>
          Object.assign(Promise.reject(new Error('a bug')), methods),
        );
        const server = await serve({ service });
        expect((await (await server.client()).ask('GET /bad')).status).to.equal(500);
        await pause(0);
        process.off('unhandledRejection', onUnhandled);
        expect(unhandled, 'it would end the process').to.deep.equal([]);
        expect(warnings).to.have.lengthOf(1);
        expect(warnings[0]).to.contain('it must respond at once');
      });
    }
    it('each property of a response is read once', async () => {
      let reads = 0;
      const service = serviceThat(() => ({
        get status() {
          reads += 1;
          if (reads > 1) throw new Error('read twice');
          return 200;
        },
        body: 'x',
      }));
      const client = await (await serve({ service })).client();
      expect(await client.ask('GET /bad')).to.include({ status: 200, content: 'x' });
    });
    for (const property of ['status', 'body', 'contentType', 'headers'] as const) {
      it(`a response that throws at "${property}" causes 500 and one warning`, async () => {
        const warnings = collectWarnings();
        const service = serviceThat(() =>
          Object.defineProperty({ ...OK }, property, {
            get: () => {
              throw new Error('a bug');
            },
          }),
        );
        const server = await serve({ service });
        const [client, other] = [await server.client(), await server.client()];
        client.send(raw`GET /bad HTTP/1.1\r\nHost: a\r\n\r\n`);
        other.send(raw`GET /good HTTP/1.1\r\nHost: a\r\n\r\n`);
        expect((await client.answer()).status).to.equal(500);
        expect((await other.answer()).status).to.equal(200);
        expect(warnings).to.have.lengthOf(1);
        expect(warnings[0]).to.contain('Error: a bug');
      });
    }
    /** Half a gigabyte in all, of which only the body is left to choose. */
    const value = 'x'.repeat(2 ** 20);
    const headers: readonly Field[] = Array(511).fill({ name: 'X', value });
    const room = constants.MAX_STRING_LENGTH - 511 * `X: ${value}\r\n`.length;
    it('a response too long for the longest string causes 500, and others are served', async () => {
      const warnings = collectWarnings();
      const body = 'y'.repeat(room);
      const server = await serve({
        service: serviceThat(() => ({ status: 200, body, headers })),
      });
      const [client, other] = [await server.client(), await server.client()];
      client.send(raw`GET /bad HTTP/1.1\r\nHost: a\r\n\r\n`);
      other.send(raw`GET /good HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect((await client.answer()).status).to.equal(500);
      expect((await other.answer()).status).to.equal(200);
      expect(warnings[0]).to.contain('Invalid string length');
    });
    it('a response of nearly the longest string may have others around it', async () => {
      // Its other fields have fewer than 200 bytes.
      const body = 'y'.repeat(room - 200);
      const server = await serve({
        service: serviceThat(() => ({ status: 200, body, headers })),
      });
      const client = await server.client();
      const get = (path: string): string => raw`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
      client.send(get('/good').repeat(3) + get('/bad') + get('/good'));
      expect(await client.statuses(3)).to.deep.equal([200, 200, 200]);
      expect(await client.until('xxx')).to.contain(`Content-Length: ${body.length}`);
      client.reset(); // the rest would take seconds
      expect((await (await server.client()).ask('GET /good')).status).to.equal(200);
    });
    it('a service that returns nothing causes 500 and one warning', async () => {
      const warnings = collectWarnings();
      const client = await (await serve({ service: () => JSON.parse('null') })).client();
      expect((await client.ask('GET /bad')).status).to.equal(500);
      expect(warnings).to.have.lengthOf(1);
    });
  });
});

describe('a program that interferes', () => {
  const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;

  it('a service that spoils Object.prototype gets 500, and others are served', async () => {
    const warnings = collectWarnings();
    const world = new World();
    let isSpoilt = false;
    await world.serve({
      service: () => {
        isSpoilt = !isSpoilt;
        if (isSpoilt) Object.assign(Object.prototype, { headers: 1, contentType: 1 });
        else Reflect.deleteProperty(Object.prototype, 'headers');
        if (!isSpoilt) Reflect.deleteProperty(Object.prototype, 'contentType');
        return { status: 200, body: '{}' };
      },
    });
    const [one, other] = [world.connect().send(GET), world.connect().send(GET)];
    await world.settle();
    expect([one.statuses, other.statuses]).to.deep.equal([[500], [200]]);
    expect(warnings).to.have.lengthOf(1);
  });
  for (const [what, message] of [
    ['of a request line', raw`BAD\r\n\r\n`],
    ['of a request that is not complete', 'GET /'],
  ] as const) {
    it(`a service that spoils Object.prototype spoils no rejection ${what}`, async () => {
      const world = new World();
      const toJSON = (): string => 'spoilt';
      const spoilt = { status: 200, hint: 'spoilt', expected: 'spoilt', toJSON };
      await world.serve({
        service: () => {
          Object.assign(Object.prototype, spoilt);
          return { status: 200, body: '{}' };
        },
      });
      const client = world.connect().send(`${GET}${message}`);
      client.end();
      await world.settle();
      for (const name of Object.keys(spoilt)) {
        Reflect.deleteProperty(Object.prototype, name);
      }
      expect(client.statuses).to.deep.equal([200, 400]);
      expect(client.received).to.not.include('spoilt');
    });
  }
  it('a sink of the trace stops the server: its response says "close"', async () => {
    const world = new World();
    const server = await world.serve({
      service: (_, explain) => {
        explain?.('start', 'always', 'end');
        return { status: 200, body: '{}' };
      },
      trace: ({ type }) => {
        if (type === 'route') void server.stop();
      },
    });
    const client = world.connect().send(GET);
    await world.settle();
    expect(client.ending).to.equal('end');
    expect(client.take()).to.contain('\r\nConnection: close\r\n');
  });
  it('a sink of the trace that overwrites what was read changes no request', async () => {
    const world = new World();
    await world.serve({
      trace: (event) => {
        if (event.type === 'read') event.bytes.fill('x');
      },
    });
    const client = world.connect();
    client.send(GET.slice(0, 7));
    await world.settle();
    client.send(GET.slice(7));
    await world.settle();
    expect(world.log).to.deep.equal(['GET /tasks']);
  });
});

describe('a warning is one line without control characters, and lines of a stack', () => {
  for (const [what, act] of [
    [
      'what a service threw',
      () => {
        throw new SyntaxError('Unexpected \x1b[31m\x07\x9b\u202e\r\nForged: line');
      },
    ],
    [
      'what a service returned',
      () => ({ status: '\x1b[31m\x07\x9b\u202e\r\nForged: line', body: '' }),
    ],
  ] as const) {
    it(`a warning about ${what} has no control characters`, async () => {
      const warnings = collectWarnings();
      const server = await serve({ service: serviceThat(act) });
      expect((await (await server.client()).ask('GET /bad')).status).to.equal(500);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0])
        .to.match(/^[\x20-\x7e]+(\n {4}at [\x20-\x7e]+)*$/)
        .and.contain('[31m')
        .and.contain('Forged');
    });
  }
});

describe('a sink that throws causes one warning, and is not called again', () => {
  for (const [what, thrown] of [
    ['an Error', new Error('disk full')],
    ['an object without toString', Object.create(null)],
  ] as const) {
    it(`a log that throws ${what} causes one warning, and is not called again`, async () => {
      const warnings = collectWarnings();
      let calls = 0;
      const server = await serve({
        maxRequests: 4,
        log: () => {
          calls += 1;
          throw thrown;
        },
      });
      const client = await server.client();
      for (let count = 1; count <= 3; count += 1) {
        expect((await client.ask('GET /')).status).to.equal(200);
      }
      expect((await client.ask('GET /')).fields).to.have.property('connection', 'close');
      client.end();
      await server.stopped;
      expect(calls).to.equal(1);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.match(/\blog\b/);
    });
    it(`a trace that throws ${what} causes one warning, and is not called again`, async () => {
      const warnings = collectWarnings();
      let calls = 0;
      const server = await serve({
        trace: () => {
          calls += 1;
          throw thrown;
        },
      });
      expect((await (await server.client()).ask('GET /')).status).to.equal(200);
      expect(calls).to.equal(1);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.match(/\btrace\b/);
    });
  }
});

describe('a sink that returns a promise that rejects', () => {
  for (const name of ['log', 'trace'] as const) {
    it(`a ${name} whose promise rejects causes one warning, and is not called again`, async () => {
      const warnings = collectWarnings();
      let calls = 0;
      const sink = (): Promise<never> => {
        calls += 1;
        const rejected = pause(0).then(() => Promise.reject(new Error('disk full')));
        return Object.assign(rejected, { catch: fail });
      };
      const server = await serve({ [name]: sink });
      const client = await server.client();
      expect((await client.ask('GET /')).status).to.equal(200);
      await until(() => warnings.length > 0);
      const before = calls;
      expect((await client.ask('GET /')).status).to.equal(200);
      await pause(10);
      expect(calls).to.equal(before);
      expect(warnings).to.have.lengthOf(1);
      expect(warnings[0]).to.contain(`The ${name} sink failed`).and.contain('disk full');
    });
  }
});
