/** What the programs share: how they read their arguments. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Why a program cannot do what it is told; its message is one line. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** A mistake on the command line; its message is one line. */
export class UsageError extends Failure {
  constructor(message: string) {
    super(message, 2);
  }
}

/** @throws UsageError for an unknown option, or one without the value that it needs */
export function parseArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // The first line says what is wrong; the others give advice.
    const [problem = ''] = String(error instanceof Error ? error.message : error).split(
      '\n',
      1,
    );
    // A value that starts with "-" could be an option, but not in "--port=-1".
    const [, name] =
      /^Option '(--[\w-]+).*' argument (?:is ambiguous|missing)/.exec(problem) ?? [];
    throw new UsageError(name === undefined ? problem : `${name} needs a value`);
  }
}

/** @param name of the option, such as "--port"
 * @throws UsageError */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (number >= min && number <= max) return number;
  throw valueError(name, `a whole number from ${min} to ${max}`, text);
}

/** Says what an option takes, and what it was given. */
export function valueError(name: string, expected: string, text: string): UsageError {
  return new UsageError(`${name} takes ${expected}, not ${JSON.stringify(text)}`);
}
