/** The command of the lab: npm run lab -- 1 --play */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Failure } from '../../command/arguments';
import { onSignal, run } from '../../command/run';
import { ROOT, withCopy } from './copy';
import { readLab, type Experiment } from './experiments';
import { parseLabOptions, USAGE, type LabOptions } from './options';
import { play, playProxied } from './play';
import { compareOutcomes } from './report';

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
  if (options === undefined) return console.log(USAGE.trimEnd());
  const { experiment } = options;
  const children: ChildProcess[] = [];
  // Installed before the copy is made, so that it is removed whenever the signal comes.
  onSignal(() => {
    endAll(children);
    process.exit();
  });
  console.log(`Experiment ${experiment.title}`);
  await withCopy(experiment, async (copy) => {
    console.log(`A copy without the defence: ${copy}`);
    if (options.isPlayed) return playBoth(experiment, copy);
    await serveBoth(experiment, copy, options, children);
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
  console.log(`\n$ ${script.text.split('\n').join('\n  ')}\n`);
  console.log(compareOutcomes(kept, removed, gain));
}

/** Starts both servers, and a proxy in front of each where the experiment has one. When all
 * of them listen, it says what to type.
 * @param children all programs become one of them */
async function serveBoth(
  { mistake, isEcho, script }: Experiment,
  copy: string,
  { isTraced, hasFreePorts }: LabOptions,
  children: ChildProcess[],
): Promise<void> {
  const servers: ChildProcess[] = [];
  const targets: number[] = [];
  for (const { name, folder, ...fixed } of sides(copy)) {
    const ports = hasFreePorts ? { server: 0, proxy: 0 } : fixed;
    const tasks = ['main.js', '--port', `${ports.server}`, '--max-requests', '0'];
    const args = isEcho
      ? ['study/echo/main.js', `${ports.server}`]
      : [...tasks, ...(isTraced ? ['--trace'] : [])];
    const server = await start(name, folder, args, children);
    servers.push(server.child);
    if (mistake === undefined) targets.push(server.port);
    else {
      const to = ['--to', `${server.port}`, '--port', `${ports.proxy}`];
      const proxied = ['study/proxy/main.js', ...to, '--mistake', mistake];
      targets.push((await start(`${name}: proxy`, ROOT, proxied, children)).port);
    }
  }
  const [first, second] = targets;
  const shown = mistake === undefined ? 8080 : 8000;
  const other = script.text.includes('node -e')
    ? `in the folder ${copy}`
    : `with ${second} in place of every ${first}`;
  const [kept, changed] = servers.map(({ pid }) => `server=${pid}`);
  const needsServer = script.text.includes('$server');
  const commands = needsServer ? `${kept}\n${script.text}` : script.text;
  console.log(`
In another terminal, in the folder of the project, type this for the server with its defence:

${commands.replace(/^(?=.)/gm, '  ').replaceAll(`${shown}`, `${first}`)}

and then the same ${other}${needsServer ? ` and with ${changed}` : ''}, for the server without it.
Control-C ends it.
`);
}

function endAll(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill();
}

/** Starts a program of a build, and prints its lines with a name before each.
 * @param children it becomes one of them
 * @returns it and its port, once it listens
 * @throws Failure if it does not listen; then all children end */
async function start(
  name: string,
  folder: string,
  args: readonly string[],
  children: ChildProcess[],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const [file = '', ...options] = args;
  const child = spawn(process.execPath, [join(folder, 'dist', file), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const port = await new Promise<number>((resolve) => {
    child.on('close', () => resolve(0));
    for (const output of [child.stdout, child.stderr]) {
      let rest = '';
      output.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          console.log(`${name.padEnd(14)} | ${line}`);
          const [, listening] = / on port (\d+)/.exec(line) ?? [];
          if (listening !== undefined) resolve(Number(listening));
        }
      });
    }
  });
  if (port > 0) return { child, port };
  endAll(children);
  const advice = '--free-ports lets the system choose the ports';
  throw new Failure(`The program "${name}" does not listen: ${advice}`);
}
