/** The options of the naive proxy. */
import {
  parseArguments,
  UsageError,
  valueError,
  wholeNumber,
} from '../../command/arguments';
import { MISTAKES, type Mistake } from '../../naive/naive-request';

export const USAGE = `Usage: npm run proxy -- --to PORT [--mistake NAME] [--port N]

A reverse proxy that is naive on purpose. It lets no DELETE through, and forwards the requests of
all clients over one connection to a server on this machine. It prints each request as it reads it,
and which client gets which response. Use it only to study: the lab (src/LAB.md) says how.

  --to PORT         forward to the server on this port
  --port N          listen on port N of 127.0.0.1; 0 lets the system choose (default 8000)
  --mistake NAME    read requests with this mistake (default: none)
  --timeout S       seconds for a request to arrive, and for its response (default 10)
  --help            print this help

Mistakes:
${Object.entries(MISTAKES)
  .map(([name, does]) => `  ${name.padEnd(20)} ${does}\n`)
  .join('')}`;

const OPTIONS = {
  to: { type: 'string' },
  port: { type: 'string', default: '8000' },
  mistake: { type: 'string' },
  timeout: { type: 'string', default: '10' },
  help: { type: 'boolean' },
} as const;

/** @returns undefined where --help is asked for
 * @throws UsageError */
export function parseProxyOptions(args: readonly string[]) {
  const { values } = parseArguments({ args: [...args], options: OPTIONS });
  if (values.help === true) return undefined;
  if (values.to === undefined)
    throw new UsageError('--to is missing: the port of the server');
  const to = wholeNumber('--to', values.to, 1, 65_535);
  const port = wholeNumber('--port', values.port, 0, 65_535);
  if (to === port) throw new UsageError('--port and --to must differ');
  const timeout = wholeNumber('--timeout', values.timeout, 1, 3600);
  return { to, port, timeout, mistake: mistake(values.mistake) };
}

function mistake(name: string | undefined): Mistake | undefined {
  if (name === undefined || isMistake(name)) return name;
  const known = Object.keys(MISTAKES).join(', ');
  throw valueError('--mistake', `one of ${known}`, name);
}

function isMistake(name: string): name is Mistake {
  return Object.hasOwn(MISTAKES, name);
}

export type ProxyOptions = NonNullable<ReturnType<typeof parseProxyOptions>>;
