import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { raw } from '../support/bytes';
import { Client } from '../support/client';
import { importing, MAIN } from '../support/command';
import { hasPython } from '../support/not-run';

/** Starts a program in a terminal, and reads it until it names a port, and no further. It
 * prints the process and the port, and at last the exit code. */
const TERMINAL = `
import os, pty, re, sys
child, terminal = pty.fork()
if child == 0: os.execvp(sys.argv[1], sys.argv[1:])
seen = b''
while not (port := re.search(rb'on port (\\d+)', seen)): seen += os.read(terminal, 100)
print(child, int(port[1]), flush=True)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;
/** A module that warns all the time. */
const WARNINGS = `
  setInterval(() => process.emitWarning('x'.repeat(10_000)), 10).unref();
`;

if (hasPython()) {
  describe('a terminal that does not read', function () {
    this.slow(2000);
    let python: ChildProcess | undefined;
    afterEach(() => python?.kill('SIGKILL'));

    it('keeps no client waiting, nor the signal that ends the command', async () => {
      const node = [process.execPath, ...importing(WARNINGS), MAIN];
      const options = ['--port', '0', '--max-requests', '0', '--trace'];
      python = spawn('python3', ['-c', TERMINAL, ...node, ...options]);
      const lines = createInterface(python.stdout ?? process.stdin)[Symbol.asyncIterator]();
      const line = async (): Promise<string> => String((await lines.next()).value);
      const [pid = 0, port = 0] = (await line()).split(' ').map(Number);

      const client = await Client.connect(port);
      // Ten times what a terminal holds, with the trace.
      client.send(raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(100));
      expect(await client.statuses(100)).to.deep.equal(Array(100).fill(200));
      client.end();
      process.kill(pid, 'SIGTERM');
      expect(await line()).to.equal('0');
    });
  });
}
