/** The options of the command: argv in, settings or a complaint out. */
import { parseArgs } from 'node:util';

export interface Options {
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

  --port N               listen on TCP port N; 0 lets the system choose (8080)
  --host H               listen on this address alone (all interfaces)
  --max-requests N       stop after N requests; 0 for no limit (10)
  --request-timeout S    seconds that a request may take to come (60)
  --idle-timeout S       seconds that a connection may be idle after an answer (5)
  --trace                tell the story of every connection on standard error
  --help                 print this
  --version              print the version
`;

/** A mistake in the command line, in one line. */
export class UsageError extends Error {}

/**
 * @param args the words of the command line, without the program's own
 * @throws UsageError for a word that is no option, or a value that its option cannot have
 */
export function readOptions(args: readonly string[]): Options | 'help' | 'version' {
  const values = parse(args);
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  if (values.host === '') throw new UsageError('--host takes an address, not nothing');
  return {
    port: wholeNumber('port', values.port ?? '8080', 65_535),
    host: values.host,
    maxRequests: wholeNumber('max-requests', values['max-requests'] ?? '10', Number.MAX_SAFE_INTEGER),
    requestTimeout: seconds('request-timeout', values['request-timeout'] ?? '60'),
    idleTimeout: seconds('idle-timeout', values['idle-timeout'] ?? '5'),
    trace: values.trace === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'max-requests': { type: 'string' },
        'request-timeout': { type: 'string' },
        'idle-timeout': { type: 'string' },
        trace: { type: 'boolean' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    // The first line says what is wrong; more of them would only advise.
    throw new UsageError(error instanceof Error ? error.message.split('\n', 1)[0] : String(error));
  }
}

function wholeNumber(name: string, text: string, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value <= most) return value;
  throw new UsageError(`--${name} takes a whole number from 0 to ${most}, not ${JSON.stringify(text)}`);
}

function seconds(name: string, text: string): number {
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : NaN;
  if (value > 0) return value;
  throw new UsageError(`--${name} takes a number of seconds over 0, like 5 or 0.5, not ${JSON.stringify(text)}`);
}
