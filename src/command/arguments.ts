/** What the commands share: how they read argv and complain. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { escapeControls } from '../server/warnings';

/** The most bytes of output that may wait to be written. Beyond that, lines are dropped. */
export const OUTPUT_BACKLOG = 1_048_576;

/** A mistake on the command line, in one line. */
export class UsageError extends Error {}

/** @throws UsageError for an unknown option, or one without the value that it needs */
export function parseArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // The first line says what is wrong; the others give advice.
    throw new UsageError(
      error instanceof Error ? error.message.split('\n', 1)[0] : String(error),
    );
  }
}

/** @param name of the option, such as "--port"
 * @throws UsageError */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw valueError(name, `a whole number from ${min} to ${max}`, text);
}

/** Says what an option takes instead of its value. */
export function valueError(name: string, expected: string, text: string): UsageError {
  return new UsageError(`${name} takes ${expected}, not ${JSON.stringify(text)}`);
}

/** Writes one line to standard error, even if the text contains control characters. */
export function complain(text: string): void {
  console.error(escapeControls(text));
}
