/** The command of the workbench: npm run workbench. It runs until Control-C. */
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { Bench } from './bench';
import { parseWorkbenchOptions, USAGE } from './options';

void run(USAGE, async (args) => {
  const options = parseWorkbenchOptions(args);
  // Listened for before the ports open, because a signal can arrive at any time after that.
  const signalled = new Promise<void>((resolve) => onSignal(resolve));
  const bench = await Bench.start(options.port, options.pagePort);
  log(
    `The workbench is at ${bench.origin}/\n` +
      `It sends to the task server on port ${bench.port} of this machine, ` +
      'or to one of the lab, and runs until Control-C\n',
  );
  await signalled;
  await bench.stop();
});
