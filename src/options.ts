/** The options of the command: argv in, options or a usage error out. */
import { parseArgs } from 'node:util';

export interface CommandOptions {
  readonly port: number;
  /** All interfaces if undefined. */
  readonly host: string | undefined;
  readonly maxRequests: number;
  /** Seconds. */
  readonly requestTimeout: number;
  readonly idleTimeout: number;
  readonly trace: boolean;
}

export const USAGE = `Usage: node dist/main.js [options]

  --port N               listen on TCP port N; 0 lets the system choose (default 8080)
  --host H               listen on this address only (default: all interfaces)
  --max-requests N       stop after N requests; 0 for no limit (default 10)
  --request-timeout S    seconds for a request to arrive (default 60)
  --idle-timeout S       seconds that a connection may be idle after a response (default 5)
  --trace                explain every connection on standard error
  --help                 print this help
  --version              print the version
`;

const MAX_REQUESTS = Number.MAX_SAFE_INTEGER;
/** The most that --request-timeout and --idle-timeout take: eleven days and a half. */
const MAX_SECONDS = 999_999;

/** A mistake on the command line, in one line. */
export class UsageError extends Error {}

/**
 * @param args the words of the command line, without the program's own
 * @throws UsageError for a word that is not an option, or a value that its option cannot have
 */
export function parseOptions(args: readonly string[]): CommandOptions | 'help' | 'version' {
  const values = parse(args);
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  if (values.host === '') throw new UsageError('--host takes an address or a host name');
  return {
    port: wholeNumber('--port', values.port ?? '8080', 65_535),
    host: values.host,
    maxRequests: wholeNumber('--max-requests', values['max-requests'] ?? '10', MAX_REQUESTS),
    requestTimeout: seconds('--request-timeout', values['request-timeout'] ?? '60'),
    idleTimeout: seconds('--idle-timeout', values['idle-timeout'] ?? '5'),
    trace: values.trace === true,
  };
}

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  'max-requests': { type: 'string' },
  'request-timeout': { type: 'string' },
  'idle-timeout': { type: 'string' },
  trace: { type: 'boolean' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: joinValues(args), options: OPTIONS }).values;
  } catch (error) {
    // The first line says what is wrong; the others give advice.
    throw new UsageError(error instanceof Error ? error.message.split('\n', 1)[0] : String(error));
  }
}

/** "--port -1" becomes "--port=-1": parseArgs would call a value that starts with "-" ambiguous. */
function joinValues(args: readonly string[]): string[] {
  const takesValue = (arg: string): boolean =>
    Object.entries(OPTIONS).some(([name, { type }]) => type === 'string' && arg === `--${name}`);
  return args.flatMap((arg, index) => {
    const next = args[index + 1] ?? '';
    if (takesValue(arg) && next.startsWith('--')) throw new UsageError(`${arg} needs a value`);
    if (takesValue(arg) && next.startsWith('-')) return [`${arg}=${next}`];
    return arg.startsWith('-') && takesValue(args[index - 1] ?? '') ? [] : [arg];
  });
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value <= max) return value;
  const form = `a whole number from 0 to ${max}`;
  throw new UsageError(`${name} takes ${form}, not ${JSON.stringify(text)}`);
}

function seconds(name: string, text: string): number {
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (value > 0) return value;
  const form = `seconds in digits, such as 5 or 0.5, over 0 and at most ${MAX_SECONDS}`;
  throw new UsageError(`${name} takes ${form}, not ${JSON.stringify(text)}`);
}
