/** What the programs share: how they read their arguments, and say why they fail. */
import { getSystemErrorMap, parseArgs, type ParseArgsConfig } from 'node:util';

/** Why a program cannot do what it is told; its message is one line. */
export class Failure extends Error {
  readonly exitCode: number = 1;
}

/** A mistake on the command line; its message is one line. */
export class UsageError extends Failure {
  override readonly exitCode = 2;
}

/** @throws UsageError for an unknown option, or one without the value that it needs */
export function parseArguments<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  // Not strict, because the sentences of parseArgs() are long, and differ between versions.
  const lenient = { ...config, strict: false, tokens: true } as const;
  const { tokens = [], ...parsed } = parseArgs(lenient);
  for (const token of tokens) {
    if (token.kind === 'positional' && config.allowPositionals !== true) {
      throw new UsageError(`Unexpected argument ${JSON.stringify(token.value)}`);
    }
    if (token.kind !== 'option') continue;
    const { inlineValue, name, rawName, value } = token;
    // run() has printed the help where that has no value.
    const type = name === 'help' ? 'boolean' : config.options?.[name]?.type;
    if (type === undefined) throw new UsageError(`There is no option ${rawName}`);
    if (type === 'boolean' && value !== undefined) {
      throw new UsageError(`${rawName} takes no value`);
    }
    // What begins with "-" is another option, unless it is a number.
    const isMissing = value === undefined || (!inlineValue && /^-(?![\d.])/.test(value));
    if (type === 'string' && isMissing) throw new UsageError(`${rawName} needs a value`);
  }
  return parsed as ReturnType<typeof parseArgs<Config>>;
}

/** @returns what an error of the system means, such as "permission denied", or the text of
 * another error */
export function reasonOf(error: unknown): string {
  const { errno = 0, message = String(error) } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno)?.[1] ?? message;
}

/** @param error of the system
 * @returns why a program could not listen, and what to do about it */
export function listenFailure(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): Failure {
  const { code } = error as NodeJS.ErrnoException;
  const advice: { readonly [code: string]: string } = {
    EADDRINUSE:
      `Port ${port} is in use: stop the program that is using it, or choose another ` +
      'port with --port (0 lets the system choose)',
    EACCES: `No permission to listen on port ${port}: choose one above 1023 with --port`,
    EADDRNOTAVAIL:
      `No network interface of this machine has the address ${host}: ` +
      'choose another with --host',
    ENOTFOUND: `Cannot resolve the host name ${host}: choose another with --host, or leave it out`,
  };
  const known = advice[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')];
  return new Failure(known ?? `Cannot listen on port ${port}: ${reasonOf(error)}`);
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
