/** What every program does: it reads its arguments, tells a mistake in one line, and sets
 * its exit code. */
import { oneLine } from '../text/text';
import { Failure, UsageError } from './arguments';

/** Runs a program. Its exit code is what it returns, or 0. A failure is one line on
 * standard error, and has an exit code of its own: 2 for a mistake on the command line.
 * @param main takes the arguments after the name of the program */
export async function run(main: (args: string[]) => Promise<number | void>): Promise<void> {
  // If the program that reads our output closes it early (`| head -1`), that is no error.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.exitCode = error.exitCode;
    const advice = error instanceof UsageError ? ' (see --help)' : '';
    complain(`${error.message}${advice}`);
  }
}

/** Writes one line to standard error, even if the text contains control characters. */
export function complain(text: string): void {
  console.error(oneLine(text));
}

/** Calls back at each signal that asks the program to end. */
export function onSignal(callback: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, callback);
}
