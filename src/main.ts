#!/usr/bin/env node
/** The command: starts and announces the server, and ends the process when that stops.
 * Apart from --help and --version, only what the README lists goes to standard output. */
import { listenFailure } from './command/arguments';
import { parseOptions, USAGE, type CommandOptions } from './command/options';
import { exitWhenFlushed, log } from './command/output';
import { complain, ending, onInputEnd, onSignal, run } from './command/run';
import { startTracing, type Tracing } from './command/tracing';
import { addressOf, startServer, type RunningServer } from './server/server';
import { ENDPOINTS, taskService } from './tasks/dispatcher';
import { NAME, VERSION } from './tasks/tasks';

/** Hosts that no client can connect to everywhere: this machine has other names, too. */
const EVERY_INTERFACE = ['', '0.0.0.0', '::'];

void run(USAGE, async (args) => {
  const options = parseOptions(args);
  if (options === 'version') log(`${VERSION}\n`);
  else await serve(options);
});

async function serve(options: CommandOptions): Promise<void> {
  let tracing: Tracing | undefined;
  let server: RunningServer | undefined;
  // Installed before the file of the page and the port are opened, because a signal can
  // arrive at any time after that.
  const stop = (): void => void server?.stop();
  if (options.untilStdinEnds) onInputEnd(stop);
  onSignal(stop, () => {
    if (tracing?.discard() !== true) return 0;
    complain('No page is written: a second signal came before it');
    return 1;
  });
  tracing = await startTracing(options);

  log(`${NAME} ${VERSION}\n${ENDPOINTS.map((endpoint) => `  ${endpoint}\n`).join('')}`);
  server = await listen(options, tracing);
  if (ending.isSignalled) void server.stop();

  await server.stopped;
  await tracing.end(ending.timeLeft).finally(() => exitWhenFlushed(ending.timeLeft));
}

/** @throws Failure if the server cannot listen */
async function listen(options: CommandOptions, tracing: Tracing): Promise<RunningServer> {
  const { tracePage: _, untilStdinEnds: __, ...settings } = options;
  const { host = '' } = options;
  try {
    const trace = tracing.sink;
    const server = await startServer({ ...settings, trace, log, service: taskService });
    const { port } = server;
    const reachable = EVERY_INTERFACE.includes(host) ? 'localhost' : host;
    log(`Listening on port ${port}: http://${addressOf({ host: reachable, port })}\n`);
    return server;
  } catch (error) {
    tracing.discard();
    throw listenFailure(error, { host, port: options.port });
  }
}
