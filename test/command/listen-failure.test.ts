import { expect } from 'chai';
import { constants } from 'node:os';
import { listenFailure } from '../../src/command/listen-failure';
import { startServer } from '../../src/server/server';
import { taskService } from '../../src/tasks/dispatcher';

describe('A program that cannot listen says why, and what to do:', () => {
  for (const [code, said] of [
    [
      'EADDRINUSE',
      'Port 80 is in use: stop the program that is using it, or choose another',
    ],
    ['EACCES', 'No permission to listen on port 80: choose one above 1023 with --port'],
    [
      'EADDRNOTAVAIL',
      'No network interface of this machine has the address a.test: choose',
    ],
    ['ENOTFOUND', 'Cannot resolve the host name a.test: choose another with --host'],
    ['EAI_AGAIN', 'Cannot resolve the host name a.test: choose another with --host'],
    ['EMFILE', 'Cannot listen on port 80: too many open files'],
  ] as const) {
    it(`${code}: ${said}`, () => {
      const error = Object.assign(new Error(), { code, errno: -constants.errno.EMFILE });
      const { message } = listenFailure(error, { host: 'a.test', port: 80 });
      expect(message.startsWith(said), message).to.equal(true);
    });
  }

  it('an address of another machine is no network interface of this one', async () => {
    const where = { host: '203.0.113.1', port: 0 };
    const error: unknown = await startServer({ service: taskService, ...where }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(listenFailure(error, where).message).to.match(
      /^No network interface of this machine .*203\.0\.113\.1: .*--host/,
    );
  });
});
