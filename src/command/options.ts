/** Turns argv into options, or throws a usage error. */
import { parseArguments, UsageError, valueError, wholeNumber } from './arguments';

export type CommandOptions = Exclude<ReturnType<typeof parseOptions>, string>;

const MOST_REQUESTS = Number.MAX_SAFE_INTEGER;
export const USAGE = `Usage: node dist/main.js [options]

  --port N               listen on TCP port N; 0 lets the system choose (default 8080)
  --host H               listen on this address only (default: all interfaces)
  --max-requests N       stop after N requests; 0 for no limit (default 10)
  --request-timeout S    seconds for a request to arrive, or responses to be read (default 60)
  --idle-timeout S       seconds a connection may stay idle after a response (default 5)
  --trace                explain every connection on standard error
  --trace-page FILE      write a page that shows every byte and decision, when the server stops
  --until-stdin-ends     stop when standard input ends, as a test does that is killed
  --help                 print this help
  --version              print the version
`;

/** @param args the arguments after the name of the program
 * @throws UsageError for an unknown option or an invalid value */
export function parseOptions(args: readonly string[]) {
  const { values } = parseArguments({ args: [...args], options: OPTIONS });
  if (values.version === true) return 'version';
  if (values['trace-page'] === '')
    throw new UsageError('--trace-page takes the name of a file');
  if (values.host === '') throw new UsageError('--host takes an address or a host name');
  return {
    port: wholeNumber('--port', values.port, 0, 65_535),
    // An IPv6 address has brackets in a URI.
    host: values.host?.replace(/^\[(.*)\]$/, '$1'),
    maxRequests: wholeNumber('--max-requests', values['max-requests'], 0, MOST_REQUESTS),
    requestTimeout: seconds('--request-timeout', values['request-timeout']),
    idleTimeout: seconds('--idle-timeout', values['idle-timeout']),
    trace: values.trace === true,
    tracePage: values['trace-page'],
    untilStdinEnds: values['until-stdin-ends'] === true,
  };
}

/** Every option, as parseArgs() takes it. */
export const OPTIONS = {
  port: { type: 'string', default: '8080' },
  host: { type: 'string' },
  'max-requests': { type: 'string', default: '10' },
  'request-timeout': { type: 'string', default: '60' },
  'idle-timeout': { type: 'string', default: '5' },
  trace: { type: 'boolean' },
  'trace-page': { type: 'string' },
  'until-stdin-ends': { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

function seconds(name: string, text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  const expected =
    'a number of seconds, such as 5 or 0.5, greater than 0 and less than 1000000';
  throw valueError(name, expected, text);
}
