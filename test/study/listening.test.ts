/** The servers of the studies lack a defence, or limits: nobody else may reach them. */
import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inThread } from '../support/command';
import { ROOT } from '../support/page';

/** The programs, their arguments, and when they listen. */
const PROGRAMS = [
  ['echo', ['0'], /Echo service on port (\d+)\n/],
  ['lab', ['1', '--free-ports'], /with (\d+) in place of every (\d+)/],
  ['reply', ['--port', '0'], /Listening on port (\d+): /],
  ['workbench', ['--port', '0', '--page-port', '0'], /:(\d+)\/\nIt sends to [^\n]*?(\d+)/],
] as const;

/** Addresses of this machine that are not 127.0.0.1. */
const OTHERS = ['127.0.0.2', '::1'];

function reach(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

describe('the programs of the studies', () => {
  for (const [name, args, ports] of PROGRAMS) {
    it(`${name} ${args.join(' ')} listens only on 127.0.0.1`, async () => {
      const file = join(ROOT, 'dist', 'study', name, 'main.js');
      const [, ...found] = await inThread(file, args).printed('stdout', ports);
      for (const port of found.map(Number)) {
        expect(await reach('127.0.0.1', port)).to.equal(true);
        for (const other of OTHERS) expect(await reach(other, port), other).to.equal(false);
      }
    });
  }
});
