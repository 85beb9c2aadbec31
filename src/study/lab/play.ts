/** Plays an experiment without a shell: nobody sleeps, each client waits for what
 * happens. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Failure } from '../../command/arguments';
import type { ServerOptions } from '../../index';
import type { Mistake } from '../../naive/naive-request';
import { NaiveProxy } from '../proxy/naive-proxy';
import { LabServer } from './lab-server';
import {
  readPipelines,
  readProgram,
  readStatements,
  type Pipeline,
  type Statement,
} from './script';

/** What a script brought about. */
export interface Outcome {
  /** Who its clients are. */
  readonly clients: readonly string[];
  /** What its clients print, one after the other, with LF for each CRLF. */
  readonly outputs: readonly string[];
  readonly trace: string;
  readonly log: string;
  /** How many requests were handled. */
  readonly turns: number;
  /** What the proxy prints. */
  readonly proxy: string;
}

const NOTHING_SAID = { trace: '', log: '', turns: 0, proxy: '' } as const;

/** Seconds that the proxy waits for a request, and for a response: more than a busy machine
 * needs. */
const PROXY_TIMEOUT = 60;

export interface Proxied {
  readonly mistake: Mistake;
  /** Whether the server is the echo service, and not the tasks. */
  readonly isEcho: boolean;
}

/** Plays a script against the server of a folder, through a naive proxy.
 * @param folder with a build in its dist */
export async function playProxied(
  { mistake, isEcho }: Proxied,
  script: string,
  folder: string,
): Promise<Outcome> {
  const server = new LabServer(folder);
  await (isEcho ? server.startEcho() : server.start());
  const said: string[] = [];
  const proxy = new NaiveProxy({
    to: server.port,
    mistake,
    timeout: PROXY_TIMEOUT,
    say: (line) => said.push(line),
  });
  try {
    const port = await proxy.listen(0);
    const outputs: string[] = [];
    const statements = readStatements(script);
    // An attacker sends bytes of its own making, and a victim uses curl.
    const clients = statements.map(({ type }) => (type === 'send' ? 'attacker' : 'victim'));
    let sent = 0;
    for (const statement of statements) {
      sent += statement.bytes.length;
      outputs.push(await converseOnce(statement, port));
      await server.settled(sent);
      await passedOn(server, said);
    }
    const trace = server.trace();
    const turns = server.count('turn');
    return { clients, outputs, trace, log: server.log, turns, proxy: said.join('\n') };
  } finally {
    proxy.stop();
    await server.stop();
  }
}

/** Waits until the proxy has received each response of the server, unless that has
 * closed. */
async function passedOn(server: LabServer, said: readonly string[]): Promise<void> {
  const received = (): number =>
    said.filter((line) =>
      /^c\d+ +response: (?!.*\(left over\))|^-- +left over: /.test(line),
    ).length;
  while (server.count('close') === 0 && received() < server.count('turn')) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends what one command sends. @returns what it prints */
async function converseOnce(statement: Statement, port: number): Promise<string> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  client.on('data', (data) => (received += data.toString('latin1')));
  client.on('error', () => {}); // 'close' follows
  if (statement.type === 'send') {
    client.end(statement.bytes);
    await new Promise((resolve) => client.on('end', resolve).on('close', resolve));
    return received.replaceAll('\r\n', '\n').trimEnd();
  }
  client.write(statement.bytes);
  await new Promise<void>((resolve) => {
    const check = (): void => {
      if (contentOf(received) !== undefined) resolve();
    };
    client.on('data', check).on('close', () => resolve());
  });
  client.end();
  const shown = statement.isWhole ? received : (contentOf(received) ?? '');
  return shown.replaceAll('\r\n', '\n').trimEnd();
}

/** @returns the content of a response, or undefined where it is not complete */
function contentOf(response: string): string | undefined {
  const start = response.indexOf('\r\n\r\n') + 4;
  const [, length] = /^content-length: (\d+)\r$/im.exec(response.slice(0, start)) ?? [];
  if (start < 4 || length === undefined) return undefined;
  const end = start + Number(length);
  return end > response.length ? undefined : response.slice(start, end);
}

/** Plays a script that needs no proxy against the server of a folder. */
export async function play(script: string, folder: string): Promise<Outcome> {
  const [, alone] = /^node -e '([^']*)'$/m.exec(script) ?? [];
  if (alone !== undefined) {
    const printed = await runNode(folder, '-e', alone);
    return { ...NOTHING_SAID, clients: ['program'], outputs: [printed] };
  }
  const program = readProgram(script);
  const pipelines = readPipelines(script);
  if (pipelines.length === 0) throw new Error(`cannot be played:\n${script}`);
  const server = new LabServer(folder);
  await server.start(program === undefined ? {} : optionsOf(program, folder));
  const clients: Socket[] = [];
  try {
    while (clients.length < pipelines.length) {
      const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
      clients.push(client);
      await Promise.all([once(client, 'connect'), server.heard('open', clients.length)]);
    }
    const requests = pipelines.flatMap(({ pieces }) => pieces).reduce(countRequests, 0);
    const outputs = await Promise.all(
      pipelines.map((pipeline, at) => converse(pipeline, clients[at], server, requests)),
    );
    await server.heard('gone', clients.length);
    const trace = server.trace();
    const turns = server.count('turn');
    const names = pipelines.length === 1 ? ['client'] : ['attacker', 'victim'];
    return { clients: names, outputs, trace, log: server.log, turns, proxy: '' };
  } finally {
    for (const client of clients) client.destroy();
    await server.stop();
  }
}

/** Those that end with an empty line. */
function countRequests(sum: number, piece: Buffer): number {
  return sum + piece.toString('latin1').split('\r\n\r\n').length - 1;
}

/** Sends everything, in one turn of the event loop, and takes what comes back. */
async function converse(
  { pieces, halfCloses, reading, counted }: Pipeline,
  client: Socket | undefined,
  server: LabServer,
  requests: number,
): Promise<string> {
  if (client === undefined) return '';
  let received = '';
  const ended = new Promise((resolve) => client.on('end', resolve).on('close', resolve));
  // A reset is what some of the experiments are about.
  client.on('error', () => {});
  const read = (): void => {
    client.on('data', (data) => (received += data.toString('latin1')));
  };
  if (reading === 'at once') read();
  for (const piece of pieces) client.write(piece);
  if (halfCloses) client.end();
  if (reading === 'never') {
    await Promise.race([server.heardAny('block'), server.idle(requests)]);
    client.destroy();
    return '';
  }
  if (reading === 'late') {
    await server.heardAny('linger', 'block', 'gone');
    read();
  }
  // To a client that closes its side, the server sends its responses, and closes, too.
  if (!halfCloses) await Promise.race([ended, server.idle(requests)]);
  client.end();
  await ended;
  const text = received.replaceAll('\r\n', '\n');
  return counted === undefined ? text.trimEnd() : String(text.split(counted).length - 1);
}

/** Runs a program that starts a server, up to there. @returns the options that it gives */
export function optionsOf(text: string, folder: string): ServerOptions {
  let given: ServerOptions | undefined;
  const startServer = (options: ServerOptions): void => void (given = options);
  const load = (name: string): unknown => ({
    ...(require(join(folder, name)) as typeof import('../../index')),
    startServer,
  });
  new Function(`require`, text)(load);
  if (given === undefined) throw new Error(`starts no server:\n${text}`);
  return given;
}

/** Runs Node in a folder. @returns what it prints
 * @throws Failure with what it prints, if it ends with an error */
export async function runNode(cwd: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString('latin1')));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0)
    throw new Failure(`node ${args.join(' ')} ended with ${code ?? signal}: ${output}`);
  return output.trimEnd();
}
