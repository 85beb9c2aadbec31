/** The command of the workbench: npm run workbench. It runs until Control-C. */
import { Failure } from '../../command/arguments';
import { listenFailure } from '../../command/listen-failure';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { parseWorkbenchOptions, USAGE, type WorkbenchOptions } from './options';
import { startWorkbench } from './workbench';

void run(async (args) => {
  const options = parseWorkbenchOptions(args);
  if (options === undefined) log(USAGE);
  else await serve(options);
});

async function serve({ port, pagePort }: WorkbenchOptions): Promise<void> {
  // Listened for before the ports open, because a signal can arrive at any time after that.
  const signalled = new Promise<void>((resolve) => onSignal(resolve));
  const workbench = await startWorkbench(port, pagePort).catch((error: unknown) => {
    throw whyNot(error, port);
  });
  log(
    `The workbench is at ${workbench.address}\n` +
      `It sends to the task server on port ${workbench.port} of this machine, ` +
      'or to one of the lab, and runs until Control-C\n',
  );
  await signalled;
  await workbench.stop();
}

/** @returns why one of the two servers cannot listen */
function whyNot(error: unknown, taskPort: number): Failure {
  const { port = taskPort } = error as NodeJS.ErrnoException & { readonly port?: number };
  const failure = listenFailure(error, { host: '127.0.0.1', port });
  if (port === taskPort) return failure;
  return new Failure(failure.message.replaceAll('--port', '--page-port'));
}
