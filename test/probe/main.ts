/** Probes every server that this machine has, one after the other, and writes what they did
 * into the conformance page: npm run probe:servers. With names (npm run probe:servers --
 * nginx Puma), it prints the tables of these servers instead. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GROUPS } from '../../src/study/cases';
import { openOurs, openTarget, readAll, type Target } from '../../src/study/probe/target';
import { writePart } from '../support/conformance';
import { SERVERS, type ServerKind } from './servers';
import { formatServers, type Probed } from './table';

const CASES = GROUPS.flatMap(({ cases }) => cases);
/** How long a server may take to start, and to build before that. */
const START_MS = 30_000;
const BUILD_MS = 180_000;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => kill(child)));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => process.exit(1));

async function main(names: readonly string[]): Promise<void> {
  const target = await openOurs();
  const ours = await probe('this server', '', target);
  await target.close();
  const servers: Probed[] = [];
  for (const server of SERVERS) {
    if (names.length > 0 && !names.includes(server.name)) continue;
    const version = findVersion(server);
    if (version === undefined) console.error(`${server.name} is not installed`);
    else servers.push(await probeServer(server, version));
  }
  const tables = formatServers(GROUPS, ours.readings, servers, new Date());
  if (names.length === 0) writePart('servers', tables);
  else console.log(tables);
}

/** @returns undefined where it is not installed */
function findVersion({
  version: [before, command, ...args],
}: ServerKind): string | undefined {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const printed = `${stdout ?? ''}${stderr ?? ''}`;
  const at = printed.indexOf(before);
  return at < 0 ? undefined : /^\d+(?:\.\d+)+/.exec(printed.slice(at + before.length))?.[0];
}

async function probeServer(server: ServerKind, version: string): Promise<Probed> {
  const { name, files, build, command, env = {} } = server;
  const folder = mkdtempSync(join(tmpdir(), 'probe-'));
  chmodSync(folder, 0o755); // some of them run as another user
  const port = await findFreePort();
  const fill = (text: string): string =>
    text.replaceAll('PORT', String(port)).replaceAll('FOLDER', folder);
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), fill(text));
    }
    const options = {
      cwd: folder,
      env: {
        ...process.env,
        ...Object.fromEntries(
          Object.entries(env).map(([key, value]) => [key, fill(value)]),
        ),
      },
    };
    if (build !== undefined) {
      const [program, ...args] = build.map(fill);
      const { status, stdout } = spawnSync(program ?? '', args, {
        ...options,
        timeout: BUILD_MS,
      });
      if (status !== 0) throw new Error(`${name} was not built:\n${stdout}`);
    }
    const [program, ...args] = command.map(fill);
    // A group of its own, so that its workers end with it.
    const child = spawn(program ?? '', args, {
      ...options,
      stdio: 'ignore',
      detached: true,
    });
    running.add(child);
    try {
      return await probe(name, version, await openStarted(port, child));
    } finally {
      kill(child);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function kill(child: ChildProcess): void {
  running.delete(child);
  if (child.exitCode === null && child.pid !== undefined)
    process.kill(-child.pid, 'SIGKILL');
}

async function probe(name: string, version: string, target: Target): Promise<Probed> {
  const readings = await readAll(target, CASES, () => {});
  console.error(`${name} ${version}: ${readings.size} cases`);
  return { name, version, readings };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Waits for a server that may still be starting: nothing else tells when it has
 * started. */
async function openStarted(port: number, child: ChildProcess): Promise<Target> {
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      return await openTarget({ host: '127.0.0.1', port }, 'a');
    } catch (error) {
      if (Date.now() > end || child.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
