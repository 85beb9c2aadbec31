/** Tries the peers that this machine has, and writes what they did into the conformance
 * page: npm run probe:servers, npm run reply:clients. With names (npm run probe:servers --
 * nginx Puma), it prints the tables of these peers instead. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { GROUPS, type Case } from '../../src/study/cases';
import type { Reading } from '../../src/study/probe/reading';
import { openOurs, openTarget, type Target } from '../../src/study/probe/target';
import { REPLY_CASES, type ReplyCase } from '../../src/study/reply/cases';
import { startReplies } from '../../src/study/reply/replies';
import { writePart } from '../support/conformance';
import { CLIENTS, SERVERS, type Peer } from './peers';
import { formatClients, formatServers, resultOf } from './tables';
import type { TriedClient, TriedServer } from './tables';

/** How long a server may take to start. */
const START_MS = 30_000;
/** Some clients give up a silent server after 5 seconds. */
const PATIENCE_MS = 8000;
/** How many clients are tried at once: most of the time they wait for a silent server. */
const AT_ONCE = 3;

/** Starts a peer in its folder, in a group of processes of its own.
 * @param args what its command gets besides */
type Start = (...args: string[]) => ChildProcess;

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach(kill));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => process.exit(1));
}

async function main([kind, ...names]: readonly string[]): Promise<void> {
  const isServers = kind === 'servers';
  const tables = isServers ? await probeServers(names) : await tryClients(names);
  if (names.length > 0) console.log(tables);
  else writePart(isServers ? 'servers' : 'clients', tables);
}

async function probeServers(names: readonly string[]): Promise<string> {
  const target = await openOurs();
  const ours = await probe(target);
  await target.close();
  const servers: TriedServer[] = [];
  for (const server of chooseFrom(SERVERS, names)) {
    const port = await findFreePort();
    const results = await inFolder(server, 'servers', port, async (start) => {
      const child = start();
      return probe(await openStarted(port, child)).finally(() => kill(child));
    });
    console.error(`${server.name} ${server.version}: ${results.size} cases`);
    servers.push({ ...server, results });
  }
  return formatServers(GROUPS, ours, servers, new Date());
}

const CASES = GROUPS.flatMap(({ cases }): readonly Case[] => cases);

async function probe({ read }: Target): Promise<Map<Case, Reading>> {
  const readings = new Map<Case, Reading>();
  for (const one of CASES) {
    const reading = await read(one);
    if (reading !== undefined) readings.set(one, reading);
  }
  return readings;
}

async function tryClients(names: readonly string[]): Promise<string> {
  const tried = new Map<Peer, TriedClient>();
  const clients = chooseFrom(CLIENTS, names);
  const queue = clients.values();
  const work = async (): Promise<void> => {
    for (const client of queue) {
      const results = await inFolder(client, 'clients', 0, tryCases);
      console.error(`${client.name} ${client.version}: ${results.size} cases`);
      tried.set(client, { ...client, results });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const inOrder = clients.flatMap((client) => tried.get(client) ?? []);
  return formatClients(REPLY_CASES, inOrder, new Date());
}

async function tryCases(start: Start): Promise<Map<ReplyCase, string>> {
  const [plain] = REPLY_CASES;
  const results = new Map<ReplyCase, string>();
  for (const one of REPLY_CASES) {
    // The second request has a response of its own, if the client sends it.
    const replies = await startReplies({
      replies: ({ path }) => (path === '/plain' && plain ? plain : one),
    });
    const address = `http://127.0.0.1:${replies.port}`;
    const child = start(one.method ?? 'GET', `${address}/case`, `${address}/plain`);
    const timer = globalThis.setTimeout(kill, PATIENCE_MS, child);
    results.set(one, resultOf(one, child.stdout ? await text(child.stdout) : ''));
    clearTimeout(timer);
    kill(child);
    await replies.stop();
  }
  return results;
}

/** @returns the peers that are installed, with their versions */
function chooseFrom(peers: readonly Peer[], names: readonly string[]): Peer[] {
  return peers.flatMap((peer) => {
    if (names.length > 0 && !names.includes(peer.name)) return [];
    const options = { encoding: 'utf8', shell: true } as const;
    const { status, stdout } = spawnSync(`${peer.version} 2>&1`, options);
    const [version] = /\d+(?:\.\d+)+/.exec(stdout) ?? [];
    if (status === 0 && version !== undefined) return [{ ...peer, version }];
    console.error(`${peer.name} is not installed`);
    return [];
  });
}

/** Copies the programs, builds one, and lets it be used. */
async function inFolder<Result>(
  { build, command, name }: Peer,
  kind: 'servers' | 'clients',
  port: number,
  use: (start: Start) => Promise<Result>,
): Promise<Result> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'peer-'));
  fs.chmodSync(folder, 0o755); // some of them run as another user
  const fill = (text: string): string =>
    text.replaceAll('PORT', String(port)).replaceAll('FOLDER', folder);
  try {
    fs.cpSync(join(__dirname, kind), folder, { recursive: true });
    for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) fs.writeFileSync(path, fill(fs.readFileSync(path, 'utf8')));
    }
    const options = { cwd: folder, shell: true } as const;
    if (build !== undefined) {
      const { status, stdout } = spawnSync(build, { ...options, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${name} was not built:\n${stdout}`);
    }
    return await use((...args) => {
      const child = spawn(fill([command, ...args].join(' ')), {
        ...options,
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      });
      running.add(child);
      return child;
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Ends a peer with all that it has started. */
function kill(child: ChildProcess): void {
  running.delete(child);
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Waits for a server that may still be starting: nothing else tells when it has
 * started. */
async function openStarted(port: number, child: ChildProcess) {
  child.stdout?.resume();
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      return await openTarget({ host: '127.0.0.1', port }, 'a');
    } catch (error) {
      if (Date.now() > end || child.exitCode !== null) throw error;
      await setTimeout(200);
    }
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
