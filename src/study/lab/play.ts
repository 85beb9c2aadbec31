/** Plays an experiment without a shell: nobody sleeps, each client waits for what
 * happens. */
import type { Experiment, Sender } from '../experiments';
import { piecesFor, Player } from '../player';
import { NaiveProxy } from '../proxy/naive-proxy';
import { ResponseReader } from '../response-reader';
import type { Build } from './build';
import { LabServer } from './lab-server';

/** What an experiment brought about. */
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

/** Seconds that the proxy waits for a request, and for a response: more than a busy machine
 * needs. */
const PROXY_TIMEOUT = 60;

/** Starts only what the experiment uses. */
export async function play(experiment: Experiment, build: Build): Promise<Outcome> {
  const { clients, program, service } = experiment;
  if (program !== undefined) {
    const outputs = [build.print(program)];
    return { clients: ['program'], outputs, trace: '', log: '', turns: 0, proxy: '' };
  }
  const server = new LabServer(build);
  await server.start(service);
  try {
    const isProxied = experiment.mistakes !== undefined;
    const { outputs, proxy } = isProxied
      ? await playInTurn(experiment, server)
      : { outputs: await playTogether(clients, server), proxy: '' };
    const { log } = server;
    const turns = server.count('turn');
    const names = clients.map(({ who }) => who);
    return { clients: names, outputs, trace: server.trace(), log, turns, proxy };
  } finally {
    await server.stop();
  }
}

/** Lets the clients send through a naive proxy, one after the other. */
async function playInTurn({ clients, mistakes }: Experiment, server: LabServer) {
  const said: string[] = [];
  const proxy = new NaiveProxy({
    to: server.port,
    host: '127.0.0.1',
    mistake: mistakes?.[0],
    timeout: PROXY_TIMEOUT,
    say: (line) => said.push(line),
  });
  try {
    const port = await proxy.listen(0);
    const outputs: string[] = [];
    let sent = 0;
    for (const sender of clients) {
      for (const piece of piecesFor(sender.bytes))
        sent += typeof piece === 'number' ? 0 : piece.length;
      outputs.push(await converseOnce(sender, port));
      await server.settled(sent);
      await passedOn(server, said);
    }
    return { outputs, proxy: said.join('\n') };
  } finally {
    proxy.stop();
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

/** @returns what a client prints: nc all that it receives, curl one response */
async function converseOnce({ bytes, curl }: Sender, port: number): Promise<string> {
  const client = await Player.connect(port);
  client.read();
  await client.send(bytes);
  if (curl === undefined) await client.ended;
  else await client.until((received) => contentOf(received) !== undefined);
  client.socket.end();
  const { received } = client;
  const isWhole = curl === undefined || curl.isWhole === true;
  return toOutput(isWhole ? received : (contentOf(received) ?? ''));
}

const toOutput = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();

/** @returns the content of a response to GET, or undefined where it is not complete */
function contentOf(received: string): string | undefined {
  const reader = new ResponseReader();
  reader.push(received);
  const outcome = reader.next();
  return outcome.kind === 'response' ? outcome.content : undefined;
}

/** Lets all clients send at the same time. */
async function playTogether(
  senders: readonly Sender[],
  server: LabServer,
): Promise<readonly string[]> {
  const clients: Player[] = [];
  try {
    for (const _ of senders) {
      clients.push(await Player.connect(server.port));
      await server.heard('open', clients.length);
    }
    const requests = senders.reduce((sum, sender) => sum + countRequests(sender), 0);
    const outputs = await Promise.all(
      clients.map((client, at) => converse(client, senders[at], server, requests)),
    );
    await server.heard('gone', clients.length);
    return outputs;
  } finally {
    for (const { socket } of clients) socket.destroy();
  }
}

/** Those that end with an empty line. */
function countRequests({ bytes }: Sender): number {
  let requests = 0;
  for (const piece of piecesFor(bytes)) {
    if (typeof piece === 'number') continue;
    for (let at = 0; (at = piece.indexOf('\r\n\r\n', at) + 1) > 0;) requests += 1;
  }
  return requests;
}

/** @returns what a client prints, when nothing more happens */
async function converse(
  client: Player,
  sender: Sender | undefined,
  server: LabServer,
  requests: number,
): Promise<string> {
  const { bytes = '', counts, reads = 'at once' } = sender ?? {};
  const { socket } = client;
  if (reads === 'at once') client.read();
  await client.send(bytes);
  if (reads === 'never') {
    await Promise.race([server.heardAny('block'), server.idle(requests)]);
    socket.destroy();
    return '';
  }
  if (reads === 'late') {
    await server.heardAny('linger', 'block', 'gone');
    client.read();
  }
  // To a client that closes its side, the server sends its responses, and closes, too.
  if (!socket.writableEnded) await Promise.race([client.ended, server.idle(requests)]);
  socket.end();
  await client.ended;
  const { received } = client;
  return counts === undefined
    ? toOutput(received)
    : String(received.split(counts).length - 1);
}
