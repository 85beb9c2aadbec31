import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { startServer, taskService, type ServerOptions } from '../../src/index';
import { raw } from '../support/bytes';
import { ROOT } from '../support/page';
import { serve } from '../support/test-server';

/** Starts a server that must not start. @returns why it does not */
async function rejection(options: object): Promise<Error> {
  const valid: ServerOptions = { service: taskService, port: 0, host: '127.0.0.1' };
  const all: ServerOptions = { ...valid, ...options };
  let promise: Promise<{ stop(): Promise<void> }>;
  try {
    promise = startServer(all);
  } catch {
    throw new Error('thrown, not rejected');
  }
  try {
    await (await promise).stop();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('not rejected');
}

describe('startServer()', () => {
  for (const [option, values] of [
    ['port', [-1, 65_536, 1.5, NaN, Infinity]],
    ['maxRequests', [-1, 1.5, NaN, Infinity, 2 ** 53]],
    ['maxConnections', [0, -1, 1.5, NaN, Infinity]],
    ['contentBudget', [-1, 0.5, NaN, Infinity]],
    ['requestTimeout', [0, -1, NaN, Infinity, 2_147_484]],
    ['idleTimeout', [0, -0.1, NaN, Infinity, 2_147_484]],
  ] as const) {
    for (const value of values) {
      it(`startServer() rejects ${option}: ${value} with a RangeError that names it`, async () => {
        const error = await rejection({ [option]: value });
        expect(error).to.be.an.instanceOf(RangeError);
        expect(error.message).to.match(new RegExp(raw`\b${option}\b`));
      });
    }
    it(`startServer() rejects ${option}: "1" with a TypeError that names it`, async () => {
      const error = await rejection({ [option]: '1' });
      expect(error).to.be.an.instanceOf(TypeError);
      expect(error.message).to.match(new RegExp(raw`\b${option}\b`));
    });
  }
  for (const [option, value] of [
    ['service', undefined],
    ['service', {}],
    ['log', 'x'],
    ['trace', 1],
    ['host', 1],
    ['log', null],
  ] as const) {
    it(`startServer() rejects ${option}: ${String(value)} with a TypeError`, async () => {
      const error = await rejection({ [option]: value });
      expect(error).to.be.an.instanceOf(TypeError);
      expect(error.message).to.match(new RegExp(raw`\b${option}\b`));
    });
  }
  it('startServer() rejects host: "" with a RangeError', async () => {
    const error = await rejection({ host: '' });
    expect(error).to.be.an.instanceOf(RangeError);
    expect(error.message).to.match(/\bhost\b/);
  });
  it('startServer() rejects what is no option with a TypeError that names each', async () => {
    const error = await rejection({ hots: 'localhost', prot: 1 });
    expect(error).to.be.an.instanceOf(TypeError);
    expect(error.message).to.equal('startServer() has no option "hots", "prot"');
  });
  it('startServer() rejects what is no object of options in its own words', async () => {
    for (const options of [undefined, null, 5]) {
      const error = await startServer(options as never).catch((thrown: unknown) => thrown);
      expect(String(error)).to.equal(
        'TypeError: startServer() takes an object with its options',
      );
    }
  });
  it('startServer() takes the default where an option is undefined', async () => {
    const server = await serve({
      port: undefined,
      maxRequests: undefined,
      maxConnections: undefined,
      contentBudget: undefined,
      requestTimeout: undefined,
      idleTimeout: undefined,
      log: undefined,
      trace: undefined,
    });
    expect(server.port).to.be.greaterThan(0);
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
  it('startServer() takes the least and the most of an option', async () => {
    for (const seconds of [0.001, 2_147_483]) {
      await serve({ requestTimeout: seconds, idleTimeout: seconds });
    }
    const server = await serve({
      port: 0,
      maxRequests: 0,
      maxConnections: 1,
      contentBudget: 0,
    });
    expect((await (await server.client()).ask('GET /')).status).to.equal(200);
  });
  it('the default budget follows the heap, and is 128 MiB at most', () => {
    const budgetWith = (heap: number): number => {
      const { stdout } = spawnSync(
        process.execPath,
        [
          `--max-old-space-size=${heap}`,
          '-p',
          'require("./dist/server/server-options").defaultBudget()',
        ],
        { cwd: ROOT, encoding: 'utf8' },
      );
      return Number(stdout) / 1_048_576;
    };
    expect(budgetWith(200)).to.be.within(25, 65); // the heap has more than its old space
    expect(budgetWith(4000)).to.equal(128);
  });
  it('startServer() says which ports there are', async () => {
    const { message } = await rejection({ port: 65_536 });
    expect(message).to.equal('port must be a whole number from 0 to 65535, not 65536');
  });
  it('startServer() rejects a port that is in use', async () => {
    const { port } = await serve();
    expect(await rejection({ port })).to.have.property('code', 'EADDRINUSE');
  });
});
