/** The command of the lab: npm run lab -- 1 --play */
import { Failure } from '../../command/arguments';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import type { Experiment } from '../experiments';
import { NaiveProxy } from '../proxy/naive-proxy';
import { Build, buildWithout } from './build';
import { toCommands } from './commands';
import { LabServer } from './lab-server';
import { parseLabOptions, USAGE, type LabOptions } from './options';
import { play } from './play';
import { compareOutcomes } from './report';

/** How long the proxies wait for a request, and for a response, in seconds. */
const PROXY_TIMEOUT = 10;

/** The ports of the server and of the proxy in front of it, with the defence and
 * without. */
const SIDES = [
  { name: 'with', server: 8080, proxy: 8000 },
  { name: 'without', server: 8081, proxy: 8001 },
] as const;

void run(async (args) => {
  const options = parseLabOptions(args);
  if (options === undefined) return log(USAGE);
  const { experiment, isPlayed } = options;
  onSignal(() => process.exit());
  log(`Experiment ${experiment.number}. ${experiment.title}\n`);
  const builds = [new Build(), buildWithout(experiment)] as const;
  // A program has no server that waits for clients.
  if (isPlayed || experiment.program !== undefined) return playBoth(experiment, builds);
  await serveBoth(experiment, builds, options).catch((error: unknown) => {
    const { port } = error as { readonly port?: number };
    if (port === undefined) throw error;
    const advice = '--free-ports lets the system choose the ports';
    throw new Failure(`Port ${port} is in use: ${advice}`);
  });
  return new Promise<never>(() => {}); // until a signal ends it
});

type Builds = readonly [kept: Build, removed: Build];

/** The port that the commands name. */
function shownPort({ mistakes }: Experiment): number {
  return mistakes === undefined ? SIDES[0].server : SIDES[0].proxy;
}

async function playBoth(experiment: Experiment, [kept, removed]: Builds): Promise<void> {
  const outcomes = [await play(experiment, kept), await play(experiment, removed)] as const;
  const commands = toCommands(experiment, shownPort(experiment));
  log(`\n$ ${commands.split('\n').join('\n  ')}\n\n`);
  log(`${compareOutcomes(...outcomes, experiment.outcome)}\n`);
}

/** Starts both servers, and a proxy in front of each where the experiment has one. When all
 * of them listen, it says what to type. */
async function serveBoth(
  experiment: Experiment,
  builds: Builds,
  { isTraced, hasFreePorts }: LabOptions,
): Promise<void> {
  const { mistakes, service } = experiment;
  const targets: number[] = [];
  for (const [at, build] of builds.entries()) {
    const { name, ...fixed } = SIDES[at === 0 ? 0 : 1];
    const ports = hasFreePorts ? { server: 0, proxy: 0 } : fixed;
    const sayAs = (who: string) => (line: string) => log(`${who.padEnd(14)} | ${line}\n`);
    const server = new LabServer(build);
    await server.start(service, { port: ports.server, say: sayAs(name), isTraced });
    if (mistakes === undefined) targets.push(server.port);
    else {
      const proxy = new NaiveProxy({
        to: server.port,
        timeout: PROXY_TIMEOUT,
        mistake: mistakes[0],
        tell: (event) => {
          if (event.type === 'say') sayAs(`${name}: proxy`)(event.line);
        },
      });
      targets.push(await proxy.listen(ports.proxy));
    }
  }
  const [first = 0, second] = targets;
  const commands = toCommands(experiment, first);
  const server = commands.includes('$server') ? `server=${process.pid}\n` : '';
  log(`
In another terminal, type this for the server with its defence:

${`${server}${commands}`.replace(/^(?=.)/gm, '  ')}

and then the same with ${second} in place of every ${first}, for the server without it.
Control-C ends it.

`);
}
