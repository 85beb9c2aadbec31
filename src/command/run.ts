/** What every program does: it reads its arguments, explains a mistake in one line, and
 * sets its exit code. */
import { oneLine } from '../text/text';
import { Failure, UsageError } from './arguments';
import { Ending } from './ending';
import { exitWhenFlushed, logError } from './output';

/** Of this process. */
export const ending = new Ending();

/** Runs a program. Its exit code is what it returns, or 0. A failure is one line on
 * standard error, and has an exit code of its own: 2 for a mistake on the command line.
 * @param main takes the arguments after the name of the program; that of a server resolves
 * when the server has stopped */
export async function run(main: (args: string[]) => Promise<number | void>): Promise<void> {
  takeWarnings();
  try {
    process.exitCode = (await main(process.argv.slice(2))) ?? 0;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.exitCode = error.exitCode;
    const advice = error instanceof UsageError ? ' (see --help)' : '';
    complain(`${error.message}${advice}`);
  }
  if (ending.isSignalled) exitWhenFlushed(ending.timeLeft);
}

/** Node would wait for standard error to take a warning. With --no-warnings, it listens to
 * none, and nor do we. */
function takeWarnings(): void {
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    logError(`${`${name}: ${message}`.split('\n').map(oneLine).join('\n')}\n`);
  });
}

/** Calls back when standard input ends, because the program that writes it has ended. It is
 * a wish to end like a signal. */
export function onInputEnd(stop: () => void): void {
  const onEnd = (): void => {
    if (ending.signal() === 'stop') stop();
  };
  // Alone, it does not keep the process.
  process.stdin.on('end', onEnd).on('error', onEnd).resume().unref?.();
}

/** Writes one line to standard error, even if the text contains control characters. */
export function complain(text: string): void {
  logError(`${oneLine(text)}\n`);
}

/** Calls back at the first signal that asks the program to end. Another one, unless it
 * belongs to the first, ends it at once.
 * @param abandon is called before that; @returns the exit code */
export function onSignal(stop: () => void, abandon: () => number = () => 0): void {
  const onEach = (): void => {
    const wish = ending.signal();
    if (wish === 'stop') stop();
    if (wish === 'end') process.exit(abandon());
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onEach);
}
