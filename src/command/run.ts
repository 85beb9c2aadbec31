/** What every program does: it reads its arguments, explains a mistake in one line, sets its
 * exit code, and ends when it is asked to. Times are in milliseconds. */
import { oneLine } from '../text/text';
import { Failure, UsageError } from './arguments';
import { exitWhenFlushed, log, logError } from './output';

/** Runs a program. Its exit code is what it returns, or 0. A failure is one line on
 * standard error, and has an exit code of its own: 2 for a mistake on the command line.
 * @param usage what --help prints
 * @param main takes the arguments after the name of the program; that of a server resolves
 * when the server has stopped */
export async function run(
  usage: string,
  main: (args: string[]) => Promise<number | void>,
): Promise<void> {
  takeWarnings();
  const args = process.argv.slice(2);
  const own = args.slice(0, [...args, '--'].indexOf('--')); // others are for a client
  try {
    if (own.includes('--help')) log(usage);
    else process.exitCode = (await main(args)) ?? 0;
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

/** A terminal and npm both deliver one Control-C: what comes within this time is the same
 * wish. */
const ONE_WISH_MS = 500;
/** After a signal, whatever is not written. Stopping the server takes at most 0.8 s of
 * that. */
const SIGNAL_MS = 900;
/** Without a signal, for the reader of the output, and to write the page. */
const EXIT_MS = 2000;

/** How long a program may take to end, and what the signals mean that ask it to. */
export class Ending {
  private signalledAt: number | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  get isSignalled(): boolean {
    return this.signalledAt !== undefined;
  }

  /** How long the program may still take. */
  get timeLeft(): number {
    const { signalledAt } = this;
    if (signalledAt === undefined) return EXIT_MS;
    return Math.max(0, signalledAt + SIGNAL_MS - this.now());
  }

  /** Notes a signal.
   * @returns whether to stop, to end at once, or to go on as before */
  signal(): 'stop' | 'end' | undefined {
    const { signalledAt } = this;
    this.signalledAt ??= this.now();
    if (signalledAt === undefined) return 'stop';
    return this.now() - signalledAt < ONE_WISH_MS ? undefined : 'end';
  }
}

/** Of this process. */
export const ending = new Ending();
