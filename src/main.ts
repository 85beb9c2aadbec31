#!/usr/bin/env node
/** The command line: reads the options, writes the output, handles signals and sets the
 * exit code. Apart from --help and --version, only what the README lists goes to standard
 * output. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { complain, OUTPUT_BACKLOG, UsageError } from './command/arguments';
import { parseOptions, USAGE, type CommandOptions } from './command/options';
import { addressOf, startServer, type RunningServer } from './server/server';
import type { TraceEvent } from './trace/events';
import { ENDPOINTS, taskService } from './tasks/dispatcher';
import { NAME, VERSION } from './tasks/tasks';
import { TraceFormatter, usesColour } from './trace/terminal';
import type { TraceRecorder } from './trace/page/trace-recorder';

/** How long the process waits for its output to be flushed, after the last request. */
const EXIT_FLUSH_MS = 2000;
/** How long after a signal the process ends, whether its output is flushed or not. The
 * server itself takes at most 0.8 s of it. */
const SIGNAL_EXIT_MS = 900;

async function main(): Promise<void> {
  // If the program that reads our output closes it early (`| head -1`), the server keeps
  // running.
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
async function serve({
  trace: isTraced,
  tracePage: page,
  ...options
}: CommandOptions): Promise<void> {
  const { host = 'localhost', port } = options;
  const pageProblem = page === undefined ? undefined : findPageProblem(page);
  if (pageProblem !== undefined) {
    process.exitCode = 1;
    return complain(pageProblem);
  }
  let server: RunningServer | undefined;
  let signalledAt: number | undefined;
  const onSignal = (): void => {
    if (signalledAt !== undefined) process.exit(0);
    signalledAt = performance.now();
    void server?.stop();
  };
  // Installed before the port opens, because a signal can arrive at any time after that.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  log(`${NAME} ${VERSION}\n${ENDPOINTS.map((endpoint) => `  ${endpoint}\n`).join('')}`);
  const formatter = new TraceFormatter(
    usesColour(process.env, process.stderr.isTTY),
    process.stderr,
  );
  let droppedTraceLines = 0; // since the last one that was written
  const print = (event: TraceEvent): void => {
    const gap = `... ${droppedTraceLines} lines dropped: nobody was reading standard error\n`;
    if (droppedTraceLines > 0 && write(process.stderr, gap) === 0) droppedTraceLines = 0;
    droppedTraceLines += write(process.stderr, formatter.format(event));
  };
  const recorder = page === undefined ? undefined : await makeRecorder();
  const sinks: ((event: TraceEvent) => void)[] = [];
  if (isTraced) sinks.push(print);
  if (recorder !== undefined) sinks.push(recorder.record);
  const trace = (event: TraceEvent): void => sinks.forEach((sink) => sink(event));
  try {
    const traced = sinks.length > 0 ? { log, trace } : { log };
    server = await startServer({ ...options, ...traced, service: taskService });
  } catch (error) {
    process.exitCode = 1;
    return complain(explainListenError(error, port, host));
  }
  log(
    `Listening on port ${server.port}: http://${addressOf({ host, port: server.port })}\n`,
  );
  if (signalledAt !== undefined) void server.stop();

  await server.stopped;
  if (page !== undefined && recorder) await writePage(page, recorder);
  const sinceSignal =
    signalledAt === undefined ? undefined : performance.now() - signalledAt;
  exitWhenFlushed(sinceSignal === undefined ? EXIT_FLUSH_MS : SIGNAL_EXIT_MS - sinceSignal);
}

/** How many lines of standard output were dropped. */
let dropped = 0;
function log(lines: string): void {
  dropped += write(process.stdout, lines);
}

/** @returns how many lines were dropped because the backlog was full */
function write(output: NodeJS.WriteStream, lines: string): number {
  if (output.writableLength > OUTPUT_BACKLOG) return lines.split('\n').length - 1;
  // Copied to bytes, because a queued string would keep alive the whole request it was cut
  // from.
  output.write(Buffer.from(lines, 'latin1'));
  return 0;
}

/** Exits once both outputs are flushed, or after `limit` milliseconds. */
function exitWhenFlushed(limit: number): void {
  if (dropped > 0) {
    console.error(
      `${dropped} lines of standard output were dropped: nobody was reading it`,
    );
  }
  setTimeout(() => {
    const lost = process.stdout.writableLength;
    if (lost > 0)
      console.error(`The last ${lost} bytes of standard output were not read in time`);
    process.exit();
  }, limit);
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}

/** @returns why a page cannot be written, before there is anything to write */
function findPageProblem(file: string): string | undefined {
  try {
    closeSync(openSync(file, 'a'));
    return undefined;
  } catch (error) {
    return explainPageError(file, error);
  }
}

// The files of the page are loaded only if there is one, because without them the process starts
// sooner.

async function makeRecorder(): Promise<TraceRecorder> {
  const { TraceRecorder } = await import('./trace/page/trace-recorder.js');
  return new TraceRecorder();
}

async function writePage(file: string, recorder: TraceRecorder): Promise<void> {
  try {
    const { renderPage } = await import('./trace/page/page.js');
    const page = openSync(file, 'w');
    for (const piece of renderPage(recorder)) writeSync(page, piece);
    closeSync(page);
  } catch (error) {
    process.exitCode = 1;
    complain(explainPageError(file, error));
  }
}

const explainPageError = (file: string, error: unknown): string =>
  `Cannot write the page ${file}: ${error instanceof Error ? error.message : String(error)}`;

/** Explains why the server could not listen, and what to do about it. */
function explainListenError(error: unknown, port: number, host: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
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
  return advice[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')] ?? message;
}

void main();
