/** Tries every client that this machine has with every case, and writes what they did into
 * the conformance page: npm run reply:clients. With names (npm run reply:clients -- curl),
 * it prints the tables of these clients instead. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPLY_CASES, type ReplyCase } from '../../src/study/reply/cases';
import { startReplies } from '../../src/study/reply/replies';
import { writePart } from '../support/conformance';
import { CLIENTS, type ClientKind } from './clients';
import { formatClients, resultOf, type Tried } from './table';

/** Some clients give up a silent server after 5 seconds. */
const PATIENCE_MS = 8000;
const BUILD_MS = 180_000;
/** The clients send GET. */
const CASES = REPLY_CASES.filter(({ method }) => method === undefined);
/** How many clients are tried at once. */
const AT_ONCE = 6;

async function main(names: readonly string[]): Promise<void> {
  const chosen = CLIENTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const tried = new Map<ClientKind, Tried>();
  const waiting = [...chosen];
  // Most of the time they wait for a silent server.
  const tryNext = async (): Promise<void> => {
    for (let client = waiting.shift(); client !== undefined; client = waiting.shift()) {
      const version = findVersion(client);
      if (version === undefined) console.error(`${client.name} is not installed`);
      else tried.set(client, await tryClient(client, version));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tryNext));
  const clients = chosen.flatMap((client) => tried.get(client) ?? []);
  const tables = formatClients(CASES, clients, new Date());
  if (names.length === 0) writePart('clients', tables);
  else console.log(tables);
}

/** @returns undefined where it is not installed */
function findVersion({
  version: [before, command, ...args],
}: ClientKind): string | undefined {
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  const printed = `${stdout ?? ''}${stderr ?? ''}`;
  const at = printed.indexOf(before);
  return at < 0 ? undefined : /^.*?(\d+(?:\.\d+)+)/.exec(printed.slice(at))?.[1];
}

async function tryClient(client: ClientKind, version: string): Promise<Tried> {
  const { build, files = {}, name } = client;
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  const results = new Map<ReplyCase, string>();
  try {
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder, file), text);
    if (build !== undefined) {
      const [program, ...args] = build;
      const options = { cwd: folder, encoding: 'utf8', timeout: BUILD_MS } as const;
      const { status, stdout, stderr } = spawnSync(program, args, options);
      if (status !== 0) throw new Error(`${name} was not built:\n${stdout}${stderr}`);
    }
    for (const one of CASES) {
      // The second request has a response of its own, if the client sends it.
      const plain = CASES[0] ?? one;
      const replies = await startReplies({
        replies: ({ path }) => (path === '/plain' ? plain : one),
      });
      const address = `http://127.0.0.1:${replies.port}`;
      const printed = await run(client, folder, `${address}/case`, `${address}/plain`);
      results.set(one, resultOf(one, printed));
      await replies.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.error(`${name} ${version}: ${results.size} cases`);
  return { name, version, results };
}

/** @returns what it printed, if it ended in time or not */
function run(
  { command: [program, ...args] }: ClientKind,
  cwd: string,
  ...urls: string[]
): Promise<string> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(program, [...args, ...urls], {
      cwd,
      stdio: [...stdio],
      detached: true,
    });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, PATIENCE_MS);
    let printed = '';
    child.stdout.on('data', (data: Buffer) => {
      if (printed.length < 10_000) printed += data.toString('latin1');
    });
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      resolve(printed);
    });
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
