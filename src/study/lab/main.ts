/** The command of the lab: npm run lab -- 1 --play */
import { Failure } from '../../command/arguments';
import { log } from '../../command/output';
import { onSignal, run } from '../../command/run';
import { NaiveProxy } from '../proxy/naive-proxy';
import { ROOT, withCopy } from './copy';
import { readLab, type Experiment } from './experiments';
import { LabServer } from './lab-server';
import { parseLabOptions, USAGE, type LabOptions } from './options';
import { play, playProxied } from './play';
import { compareOutcomes } from './report';

/** How long the proxies wait for a request, and for a response, in seconds. */
const PROXY_TIMEOUT = 10;

/** Where the programs with the defence and without it are, and the ports of the server and
 * of the proxy in front of it. */
function sides(copy: string) {
  return [
    { name: 'with', folder: ROOT, server: 8080, proxy: 8000 },
    { name: 'without', folder: copy, server: 8081, proxy: 8001 },
  ];
}

void run(async (args) => {
  const options = parseLabOptions(args, readLab());
  if (options === undefined) return log(USAGE);
  const { experiment } = options;
  // Installed before the copy is made, so that it is removed whenever the signal comes.
  onSignal(() => process.exit());
  log(`Experiment ${experiment.title}\n`);
  await withCopy(experiment, async (copy) => {
    log(`A copy without the defence: ${copy}\n`);
    if (options.isPlayed) return playBoth(experiment, copy);
    await serveBoth(experiment, copy, options).catch((error: unknown) => {
      const { port } = error as { readonly port?: number };
      if (port === undefined) throw error;
      const advice = '--free-ports lets the system choose the ports';
      throw new Failure(`Port ${port} is in use: ${advice}`);
    });
    return new Promise<never>(() => {}); // until a signal ends it
  });
});

async function playBoth(experiment: Experiment, copy: string): Promise<void> {
  const { mistake, isEcho, script, gain } = experiment;
  const outcomes = [];
  for (const folder of [ROOT, copy]) {
    outcomes.push(
      mistake === undefined
        ? await play(script.text, folder)
        : await playProxied({ mistake, isEcho }, script.text, folder),
    );
  }
  const [kept, removed] = outcomes;
  if (kept === undefined || removed === undefined) throw new Error('nothing was played');
  log(`\n$ ${script.text.split('\n').join('\n  ')}\n\n`);
  log(`${compareOutcomes(kept, removed, gain)}\n`);
}

/** Starts both servers, and a proxy in front of each where the experiment has one. When all
 * of them listen, it says what to type. */
async function serveBoth(
  { mistake, isEcho, script }: Experiment,
  copy: string,
  { isTraced, hasFreePorts }: LabOptions,
): Promise<void> {
  const targets: number[] = [];
  for (const { name, folder, ...fixed } of sides(copy)) {
    const ports = hasFreePorts ? { server: 0, proxy: 0 } : fixed;
    const sayAs = (who: string) => (line: string) => log(`${who.padEnd(14)} | ${line}\n`);
    const server = new LabServer(folder);
    const shown = { port: ports.server, say: sayAs(name), isTraced };
    await (isEcho ? server.startEcho(shown) : server.start({}, shown));
    if (mistake === undefined) targets.push(server.port);
    else {
      const say = sayAs(`${name}: proxy`);
      const settings = { to: server.port, timeout: PROXY_TIMEOUT, mistake, say };
      targets.push(await new NaiveProxy(settings).listen(ports.proxy));
    }
  }
  const [first, second] = targets;
  const shown = mistake === undefined ? 8080 : 8000;
  const other = script.text.includes('node -e')
    ? `in the folder ${copy}`
    : `with ${second} in place of every ${first}`;
  const needsServer = script.text.includes('$server');
  const commands = needsServer ? `server=${process.pid}\n${script.text}` : script.text;
  log(`
In another terminal, in the folder of the project, type this for the server with its defence:

${commands.replace(/^(?=.)/gm, '  ').replaceAll(`${shown}`, `${first}`)}

and then the same ${other}, for the server without it.
Control-C ends it.

`);
}
