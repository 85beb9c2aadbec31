#!/usr/bin/env node
/** The command: argv, standard output, signals, exit code. Standard output carries what the README
 * lists and nothing else; everything else goes to standard error. */
import { parseOptions, USAGE, UsageError, type CommandOptions } from './options';
import { startServer, type RunningServer } from './server/server';
import type { TraceEvent } from './server/trace-events';
import { ENDPOINTS, taskService } from './tasks/dispatcher';
import { NAME, VERSION } from './tasks/tasks';
import { TraceFormatter, usesColour } from './trace-format';

/** How much output waits for its reader; beyond that, lines are dropped. */
const OUTPUT_BACKLOG = 1_048_576;
/** How long the process waits for its output to be read: at the limit, and on a signal. */
const EXIT_FLUSH_MS = 2000;
const SIGNAL_FLUSH_MS = 100;

async function main(): Promise<void> {
  // A reader that closes an output early (`| head -1`) wants no more of it. The server goes on.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options === 'help') log(USAGE);
    else if (options === 'version') log(`${VERSION}\n`);
    else await serve(options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.exitCode = 2;
    complain(`${error.message} (see --help)`);
  }
}

/** Starts the server, announces it, and ends the process when it has stopped. */
async function serve({ trace: isTraced, ...options }: CommandOptions): Promise<void> {
  const { host = 'localhost', port } = options;
  let server: RunningServer | undefined;
  let isEnding = false; // once true, the next signal ends the process at once
  const onSignal = (): void => {
    if (isEnding) process.exit(0);
    isEnding = true;
    void server?.stop();
  };
  // Before the port accepts: from then on, a signal may come.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  log(`${NAME} ${VERSION}\n${ENDPOINTS.map((endpoint) => `  ${endpoint}\n`).join('')}`);
  const formatter = new TraceFormatter(usesColour(process.env, process.stderr.isTTY));
  let untold = 0; // lines of the trace that were dropped since the last one that was written
  const trace = (event: TraceEvent): void => {
    const gap = `... ${untold} lines were dropped unread\n`;
    if (untold > 0 && write(process.stderr, gap) === 0) untold = 0;
    untold += write(process.stderr, formatter.format(event));
  };
  try {
    const sinks = isTraced ? { log, trace } : { log };
    server = await startServer({ ...options, ...sinks, service: taskService });
  } catch (error) {
    process.exitCode = 1;
    return complain(explainListenError(error, port, host));
  }
  const name = host.includes(':') ? `[${host}]` : host;
  log(`Listening on port ${server.port}: http://${name}:${server.port}\n`);
  if (isEnding) void server.stop();

  await server.stopped;
  exitWhenFlushed(isEnding ? SIGNAL_FLUSH_MS : EXIT_FLUSH_MS);
  isEnding = true;
}

/** How many lines of standard output were dropped. */
let dropped = 0;
function log(lines: string): void {
  dropped += write(process.stdout, lines);
}

/** @returns how many lines were dropped, because too much waits already */
function write(output: NodeJS.WriteStream, lines: string): number {
  if (output.writableLength > OUTPUT_BACKLOG) return lines.split('\n').length - 1;
  // As bytes: a string that waits would keep alive the whole request it was cut from.
  output.write(Buffer.from(lines, 'latin1'));
  return 0;
}

/** Ends the process when the outputs are read to their end, or are not read in time. */
function exitWhenFlushed(limit: number): void {
  if (dropped > 0) console.error(`${dropped} lines of standard output were dropped unread`);
  setTimeout(() => process.exit(), limit);
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

/** Writes one line, whatever an argument holds. */
const complain = (text: string): void => console.error(text.replace(/\p{Cc}+/gu, ' '));
/** What keeps the server from listening, and what to do about it. */
function explainListenError(error: unknown, port: number, host: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const advice: { readonly [code: string]: string } = {
    EADDRINUSE:
      `Port ${port} is in use: stop the program that listens on it, or choose another ` +
      'port with --port (0 lets the system choose)',
    EACCES: `No permission to listen on port ${port}: choose one above 1023 with --port`,
    EADDRNOTAVAIL: `No interface here has the address ${host}: choose another with --host`,
    ENOTFOUND: `Cannot resolve the host name ${host}: choose another with --host, or leave it out`,
  };
  return advice[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')] ?? message;
}

void main();
