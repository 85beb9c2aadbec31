/** The options of the command. */
import { parseArguments, UsageError, wholeNumber } from '../../command/arguments';

export const USAGE = `Usage: npm run reply -- [options] [CASE | FILE] [-- COMMAND]

A server that misbehaves on demand: it reads each request as the task server does, and sends the
response that you choose. Try your client on it.

  CASE              one of the cases; without one, the path of the request names it: /chunks
  FILE              a file with a response; see below
  --show            print the case, or a line for each, and end
  --expect          run COMMAND, and say whether it took the response; {url} and {port} in it are
                    replaced. Exit code 0 tells that it did. Without a CASE, it runs once for each.
                    This exits with 1 if the client took what it must reject, rejected what it must
                    take, used a connection that it must not use, or neither ended in time
  --patience S      seconds that COMMAND may take (default 10)
  --timeout S       seconds that a connection may last (default 60)
  --port N          listen on port N; 0 lets the system choose (default 8090)
  --host H          listen on this address (default 127.0.0.1: only this machine can connect)
  --trace           explain on standard error what the client sends
  --until-stdin-ends
                    stop when standard input ends, as a test does that is killed
  --help            print this help

Where HTTP asks nothing, the client may do either. Nobody sees from outside whether a client that
closes has taken a response or given it up: so --expect asks for its exit code.

In a FILE, a line break is CRLF, and the last one is left out. \\xNN is a byte, and ¬ at the end of
a line makes it end with LF. ‖ cuts, ‖600‖ pauses for 600 milliseconds. At the end, ‖close‖ closes
the connection, ‖reset‖ resets it, and ‖never‖ sends the last part again and again.
`;

const OPTIONS = {
  port: { type: 'string', default: '8090' },
  host: { type: 'string', default: '127.0.0.1' },
  patience: { type: 'string', default: '10' },
  timeout: { type: 'string', default: '60' },
  show: { type: 'boolean', default: false },
  expect: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  'until-stdin-ends': { type: 'boolean', default: false },
} as const;

export type ReplyOptions = ReturnType<typeof parseReplyOptions>;

/** @throws UsageError */
export function parseReplyOptions(args: readonly string[]) {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  const command = end < 0 ? [] : args.slice(end + 1);
  const { positionals, values } = parseArguments({
    args: [...own],
    options: OPTIONS,
    allowPositionals: true,
  });
  const [name, ...others] = positionals;
  if (others.length > 0) throw new UsageError('Only one case or file at a time');
  const { expect, host, show, trace } = values;
  if (host === '') throw new UsageError('--host takes an address, not ""');
  if (expect !== command.length > 0) {
    throw new UsageError('--expect and a COMMAND after -- go together');
  }
  if (expect && !command.some((arg) => /\{(?:url|port)\}/.test(arg))) {
    throw new UsageError('COMMAND names neither {url} nor {port}');
  }
  return {
    name,
    command,
    expect,
    host,
    show,
    trace,
    untilStdinEnds: values['until-stdin-ends'],
    port: wholeNumber('--port', values.port, 0, 65_535),
    patience: wholeNumber('--patience', values.patience, 1, 3600),
    timeout: wholeNumber('--timeout', values.timeout, 1, 3600),
  };
}
