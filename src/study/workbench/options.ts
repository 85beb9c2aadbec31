/** The options of the workbench. */
import { parseArguments, UsageError, wholeNumber } from '../../command/arguments';

export const USAGE = `Usage: npm run workbench -- [--port N] [--page-port N]

Starts the task server and a page in the browser that sends bytes to it: type them, cut them where
you like, send them, and see what the server makes of each byte. Or be the server: type a response,
and see what a client makes of it. Only programs of this machine can connect. The page sends to the
task server, or to one without a defence, for the experiments of src/LAB.md, and nowhere else. It
runs until Control-C.

  --port N          the task server listens on port N; 0 lets the system choose (default 8080)
  --page-port N     the page is on port N; 0 lets the system choose (default 4000)
  --help            print this help
`;

const OPTIONS = {
  port: { type: 'string', default: '8080' },
  'page-port': { type: 'string', default: '4000' },
} as const;

/** @throws UsageError */
export function parseWorkbenchOptions(args: readonly string[]) {
  const { values } = parseArguments({ args: [...args], options: OPTIONS });
  const port = wholeNumber('--port', values.port, 0, 65_535);
  const pagePort = wholeNumber('--page-port', values['page-port'], 0, 65_535);
  if (port === pagePort && port !== 0)
    throw new UsageError('--port and --page-port must differ');
  return { port, pagePort };
}
