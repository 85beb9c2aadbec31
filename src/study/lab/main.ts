/** The command of the lab: npm run lab -- 1 --play */
import { Failure, parseArguments, valueError } from '../../command/arguments';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { TraceFormatter } from '../../trace/terminal';
import { EXPERIMENTS, type Experiment } from '../experiments';
import { NaiveProxy } from '../proxy/naive-proxy';
import { Build, buildWithout } from './build';
import { toCommands } from './commands';
import { startBuilt } from './lab-server';
import { play } from './play';
import { compareOutcomes } from './report';

const USAGE = `Usage: npm run lab -- NUMBER [--play] [--trace] [--free-ports]

Sets up an experiment of src/LAB.md: two servers, one of them without one of its defences. It
prints what to type. Control-C ends it. Only programs of this machine can connect to them.

  --play          play the experiment, and show both outcomes side by side
  --trace         show the traces of both servers
  --free-ports    let the system choose the ports, if 8080, 8081, 8000 or 8001 is in use
  --help          print this help
`;

const OPTIONS = {
  play: { type: 'boolean', default: false },
  trace: { type: 'boolean', default: false },
  'free-ports': { type: 'boolean', default: false },
} as const;

/** How long the proxies wait for a request, and for a response, in seconds. */
const PROXY_TIMEOUT = 10;

/** The ports of the server and of the proxy in front of it, with the defence and
 * without. */
const PORTS = {
  with: { server: 8080, proxy: 8000 },
  without: { server: 8081, proxy: 8001 },
} as const;

type Side = keyof typeof PORTS;

type Options = Readonly<Record<'trace' | 'free-ports', boolean>>;

void run(USAGE, async (args) => {
  const { positionals, values } = parseArguments({
    args,
    allowPositionals: true,
    options: OPTIONS,
  });
  const wanted = positionals.join(' ');
  const experiment = EXPERIMENTS.find(({ number }) => String(number) === wanted);
  if (experiment === undefined)
    throw valueError('The lab', `a number from 1 to ${EXPERIMENTS.length}`, wanted);
  onSignal(() => process.exit());
  log(`Experiment ${experiment.number}. ${experiment.title}\n`);
  const builds = { with: new Build(), without: buildWithout(experiment) };
  // A program has no server that waits for clients.
  if (values.play || experiment.program !== undefined) return playBoth(experiment, builds);
  await serveBoth(experiment, builds, values).catch((error: unknown) => {
    const { port } = error as { readonly port?: number };
    if (port === undefined) throw error;
    const advice = '--free-ports lets the system choose the ports';
    throw new Failure(`Port ${port} is in use: ${advice}`);
  });
  return new Promise<never>(() => {}); // until a signal ends it
});

async function playBoth(
  experiment: Experiment,
  builds: Record<Side, Build>,
): Promise<void> {
  const kept = await play(experiment, builds.with);
  const removed = await play(experiment, builds.without);
  const { proxy, server } = PORTS.with;
  const commands = toCommands(
    experiment,
    experiment.mistakes === undefined ? server : proxy,
  );
  log(`\n$ ${commands.split('\n').join('\n  ')}\n\n`);
  log(`${compareOutcomes(experiment, kept, removed)}\n`);
}

/** Starts both servers, and a proxy in front of each where the experiment has one. When all
 * of them listen, it says what to type. */
async function serveBoth(
  experiment: Experiment,
  builds: Record<Side, Build>,
  options: Options,
): Promise<void> {
  const first = await serveOne(experiment, 'with', builds.with, options);
  const second = await serveOne(experiment, 'without', builds.without, options);
  const commands = toCommands(experiment, first);
  const server = commands.includes('$server') ? `server=${process.pid}\n` : '';
  log(`
In another terminal, type this for the server with its defence:

${`${server}${commands}`.replace(/^(?=.)/gm, '  ')}

and then the same with ${second} in place of every ${first}, for the server without it.
Control-C ends it.

`);
}

/** @returns the port for the clients */
async function serveOne(
  { mistakes, service }: Experiment,
  side: Side,
  build: Build,
  { trace, 'free-ports': hasFreePorts }: Options,
): Promise<number> {
  const ports = hasFreePorts ? { server: 0, proxy: 0 } : PORTS[side];
  const sayAs = (who: string, lines: string): void => {
    const text = lines.trimEnd();
    if (text !== '') log(`${text.replace(/^/gm, `${who.padEnd(14)} | `)}\n`);
  };
  const formatter = new TraceFormatter(false);
  const server = await startBuilt(build, service, {
    port: ports.server,
    log: (lines) => sayAs(side, lines),
    trace: trace ? (event) => sayAs(side, formatter.format(event)) : undefined,
  });
  if (mistakes === undefined) return server.port;
  const proxy = new NaiveProxy({
    to: server.port,
    timeout: PROXY_TIMEOUT,
    mistake: mistakes[0],
    tell: (event) => {
      if (event.type === 'say') sayAs(`${side}: proxy`, event.line);
    },
  });
  return proxy.listen(ports.proxy);
}
