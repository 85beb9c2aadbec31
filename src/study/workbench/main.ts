/** The command of the workbench: npm run workbench. It runs until Control-C. */
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { parseWorkbenchOptions, USAGE } from './options';
import { startWorkbench } from './workbench';

void run(async (args) => {
  const options = parseWorkbenchOptions(args);
  if (options === undefined) return log(USAGE);
  // Listened for before the ports open, because a signal can arrive at any time after that.
  const signalled = new Promise<void>((resolve) => onSignal(resolve));
  const workbench = await startWorkbench(options.port, options.pagePort);
  log(
    `The workbench is at ${workbench.address}\n` +
      `It sends to the task server on port ${workbench.port} of this machine, ` +
      'or to one of the lab, and runs until Control-C\n',
  );
  await signalled;
  await workbench.stop();
});
