import { expect } from 'chai';
import { startServer, taskService, type ServerOptions } from '../../src/index';
import { defaultBudget } from '../../src/server/server-options';
import { serve } from '../support/test-server';

/** Starts a server that must not start. @returns why it does not */
async function rejection(options: object): Promise<Error> {
  const valid: ServerOptions = { service: taskService, port: 0, host: '127.0.0.1' };
  const promise = startServer({ ...valid, ...options }); // it throws nothing
  try {
    await (await promise).stop();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('not rejected');
}

/** Values that are out of the range of an option, and of another type. */
// prettier-ignore
const WRONG: readonly (readonly [
  option: string, outOfRange: readonly unknown[], ...ofAnotherType: unknown[],
])[] = [
  ['port',           [-1, 65_536, 1.5, NaN, Infinity],       '1'],
  ['maxRequests',    [-1, 1.5, NaN, Infinity, 2 ** 53],      '1'],
  ['maxConnections', [0, -1, 1.5, NaN, Infinity],            '1'],
  ['contentBudget',  [-1, 0.5, NaN, Infinity],               '1'],
  ['requestTimeout', [0, -1, NaN, Infinity, 2_147_484],      '1', Symbol()],
  ['idleTimeout',    [0, -0.1, NaN, Infinity, 2_147_484],    '1'],
  ['host',           [''],                                   1],
  ['service',        [],                                     undefined, {}],
  ['log',            [],                                     'x', null],
  ['trace',          [],                                     1],
  ['date',           [],                                     1],
];

describe('startServer()', () => {
  for (const [option, outOfRange, ...ofAnotherType] of WRONG) {
    it(`startServer() rejects a wrong ${option} with an error that names it`, async () => {
      for (const value of [...outOfRange, ...ofAnotherType]) {
        const error = await rejection({ [option]: value });
        const type = outOfRange.includes(value) ? RangeError : TypeError;
        expect(error, String(value)).to.be.an.instanceOf(type);
        expect(error.message).to.match(new RegExp(String.raw`\b${option}\b`));
      }
    });
  }
  it('startServer() says what is wrong in its own words', async () => {
    for (const [options, message] of [
      [{ port: 65_536 }, 'port must be a whole number from 0 to 65535, not 65536'],
      [{ hots: 'localhost', prot: 1 }, 'startServer() has no option "hots", "prot"'],
    ] as const)
      expect((await rejection(options)).message).to.equal(message);
    const error = await startServer(null as never).catch((thrown: unknown) => thrown);
    const message = 'TypeError: startServer() takes an object with its options';
    expect(String(error)).to.equal(message);
  });
  it('startServer() takes the default where an option is undefined', async () => {
    const names =
      'port maxRequests maxConnections contentBudget requestTimeout idleTimeout';
    const all = [...names.split(' '), 'date', 'log', 'trace'];
    const server = await serve(Object.fromEntries(all.map((name) => [name, undefined])));
    expect(server.port).to.be.greaterThan(0);
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
  it('startServer() takes the least and the most of an option', async () => {
    for (const seconds of [0.001, 2_147_483])
      await serve({ requestTimeout: seconds, idleTimeout: seconds });
    const least = { port: 0, maxRequests: 0, maxConnections: 1, contentBudget: 0 };
    const client = await (await serve(least)).client();
    expect((await client.ask('GET /')).status).to.equal(200);
  });
  it('the default budget is an eighth of the heap, and 128 MiB at most', () => {
    const v8 = process.getBuiltinModule('node:v8');
    const { getHeapStatistics } = v8;
    const budgetWith = (heap: number): number => {
      const limit = { ...getHeapStatistics(), heap_size_limit: heap * 2 ** 20 };
      Object.assign(v8, { getHeapStatistics: () => limit });
      return defaultBudget() / 2 ** 20;
    };
    try {
      expect([budgetWith(200), budgetWith(4000)]).to.deep.equal([25, 128]);
    } finally {
      Object.assign(v8, { getHeapStatistics });
    }
  });
  it('startServer() rejects a port that is in use', async () => {
    const { port } = await serve();
    expect(await rejection({ port })).to.have.property('code', 'EADDRINUSE');
  });
});
