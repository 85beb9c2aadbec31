/** The command of the workbench: npm run workbench. It runs until Control-C. */
import { Failure, parseArguments, UsageError, wholeNumber } from '../../command/arguments';
import { listenFailure } from '../../command/listen-failure';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { startWorkbench, type Workbench } from './workbench';

const USAGE = `Usage: npm run workbench -- [--port N] [--page-port N]

Starts the task server and a page in the browser that sends bytes to it: type them, cut them where
you like, send them, and see what the server makes of each byte. Only programs of this machine can
connect. The page sends to the task server, or to one without a defence, for the experiments of
src/LAB.md, and nowhere else. It runs until Control-C.

  --port N          the task server listens on port N; 0 lets the system choose (default 8080)
  --page-port N     the page is on port N; 0 lets the system choose (default 4000)
  --help            print this help
`;

const OPTIONS = {
  port: { type: 'string', default: '8080' },
  'page-port': { type: 'string', default: '4000' },
  help: { type: 'boolean' },
} as const;

interface Options {
  readonly port: number;
  readonly pagePort: number;
}

function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArguments({ args: [...args], options: OPTIONS });
  if (values.help === true) return undefined;
  const port = wholeNumber('--port', values.port, 0, 65_535);
  const pagePort = wholeNumber('--page-port', values['page-port'], 0, 65_535);
  if (port === pagePort && port !== 0)
    throw new UsageError('--port and --page-port must differ');
  return { port, pagePort };
}

void run(async (args) => {
  const options = parseOptions(args);
  if (options === undefined) log(USAGE);
  else await serve(options);
});

async function serve({ port, pagePort }: Options): Promise<void> {
  let workbench: Workbench | undefined;
  let isEnding = false;
  // Installed before the ports open, because a signal can arrive at any time after that.
  onSignal(() => {
    if (isEnding) process.exit();
    isEnding = true;
    void workbench?.stop();
  });
  workbench = await startWorkbench(port, pagePort).catch((error: unknown) => {
    throw whyNot(error, port);
  });
  if (isEnding) return workbench.stop();
  log(
    `The workbench is at ${workbench.address}\n` +
      `It sends to the task server on port ${workbench.port} of this machine, ` +
      'or to one of the lab, and runs until Control-C\n',
  );
}

/** @returns why one of the two servers cannot listen */
function whyNot(error: unknown, taskPort: number): Failure {
  const { port = taskPort } = error as NodeJS.ErrnoException & { readonly port?: number };
  const failure = listenFailure(error, { host: '127.0.0.1', port });
  if (port === taskPort) return failure;
  return new Failure(failure.message.replaceAll('--port', '--page-port'));
}
