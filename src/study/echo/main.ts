/** Starts the echo service, without a limit of requests: npm run echo -- 8081 */
import {
  Failure,
  parseArguments,
  reasonOf,
  valueError,
  wholeNumber,
} from '../../command/arguments';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { startServer } from '../../index';
import { echo } from './service';

const USAGE = `Usage: npm run echo -- [PORT]

Serves what it receives, for the lab (src/LAB.md) and for the test suites of others, on
port 8081 or another one. 0 lets the system choose. Only programs of this machine can
connect to it.
`;

void run(USAGE, async (args) => {
  const { positionals } = parseArguments({ args, allowPositionals: true });
  const [text = '8081', ...others] = positionals;
  if (others.length > 0) throw valueError('echo', 'one port', positionals.join(' '));
  const port = wholeNumber('The port', text, 0, 65_535);
  const server = await startServer({ service: echo, host: '127.0.0.1', port }).catch(
    (error: unknown) => {
      throw new Failure(`Cannot listen on port ${port}: ${reasonOf(error)}`);
    },
  );
  log(`Echo service on port ${server.port}\n`);
  onSignal(() => void server.stop());
  await server.stopped;
});
