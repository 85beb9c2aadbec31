import { expect } from 'chai';
import { constants } from 'node:os';
import { listenFailure } from '../../src/command/arguments';

// prettier-ignore
const FAILURES = [
  ['EADDRINUSE',    'Port 80 is in use: stop the program that is using it, or choose another'],
  ['EACCES',        'No permission to listen on port 80: choose one above 1023 with --port'],
  ['EADDRNOTAVAIL', 'No network interface of this machine has the address a.test: choose'],
  ['ENOTFOUND',     'Cannot resolve the host name a.test: choose another with --host'],
  ['EAI_AGAIN',     'Cannot resolve the host name a.test: choose another with --host'],
  ['EMFILE',        'Cannot listen on port 80: too many open files'],
] as const;

describe('A program that cannot listen says why, and what to do:', () => {
  for (const [code, said] of FAILURES) {
    it(`${code}: ${said}`, () => {
      const error = Object.assign(new Error(), { code, errno: -constants.errno.EMFILE });
      const { message } = listenFailure(error, { host: 'a.test', port: 80 });
      expect(message.startsWith(said), message).to.equal(true);
    });
  }
});
