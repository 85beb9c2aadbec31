/** Plays an experiment without a shell: nobody sleeps, each client waits for what
 * happens. */
import type { ProxyEvent } from '../../trace/proxy-events';
import type { TraceRecorder } from '../../trace/recorder';
import type { Experiment, Sender } from '../experiments';
import { Player } from '../player';
import { NaiveProxy } from '../proxy/naive-proxy';
import { ResponseReader } from '../response-reader';
import type { Build } from './build';
import { startBuilt, Watch } from './lab-server';

/** What an experiment brought about. */
export interface Outcome {
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

/** Starts only what the experiment uses.
 * @param recorder keeps what the server and the proxy do */
export async function play(
  experiment: Experiment,
  build: Build,
  recorder?: TraceRecorder,
): Promise<Outcome> {
  const { clients, mistakes, program, service } = experiment;
  if (program !== undefined) {
    const outputs = [build.print(program)];
    return { outputs, trace: '', log: '', turns: 0, proxy: '' };
  }
  const watch = new Watch();
  let startedAt = 0;
  let log = '';
  const server = await startBuilt(build, service, {
    port: 0,
    log: (lines) => (log += lines),
    trace: (event) => {
      startedAt = performance.now() - event.at;
      watch.see(event);
      recorder?.record(event);
    },
  });
  const said: string[] = [];
  /** The responses that the proxy has received. */
  const received = new Set<string>();
  const tell = (event: ProxyEvent): void => {
    if (event.type === 'response') received.add(`${event.connection}, ${event.response}`);
    if (event.type === 'say') said.push(event.line);
    else recorder?.recordProxy({ ...event, at: performance.now() - startedAt });
    watch.notify();
  };
  const proxy =
    mistakes &&
    new NaiveProxy({ to: server.port, timeout: PROXY_TIMEOUT, mistake: mistakes[0], tell });
  try {
    const outputs =
      proxy === undefined
        ? await playTogether(clients, server.port, watch)
        : await playInTurn(clients, await proxy.listen(0), watch, received);
    const turns = watch.count('turn');
    return { outputs, trace: watch.trace(), log, turns, proxy: said.join('\n') };
  } finally {
    proxy?.stop();
    await server.stop();
  }
}

/** Lets the clients send through a proxy, one after the other.
 * @param received the responses that the proxy has received */
async function playInTurn(
  senders: readonly Sender[],
  port: number,
  watch: Watch,
  received: ReadonlySet<string>,
): Promise<string[]> {
  const outputs: string[] = [];
  let sent = 0;
  for (const sender of senders) {
    const client = await Player.connect(port);
    outputs.push(await converse(client, sender, watch));
    sent += client.socket.bytesWritten;
    const isDone = (): boolean =>
      watch.isQuiet(sent) && received.size >= watch.count('turn');
    await watch.until(() => watch.count('close') > 0 || isDone());
  }
  return outputs;
}

/** Lets all clients send at the same time. */
async function playTogether(
  senders: readonly Sender[],
  port: number,
  watch: Watch,
): Promise<string[]> {
  const clients = new Map<Player, Sender>();
  const sent = (): number =>
    [...clients.keys()].reduce((sum, { socket }) => sum + socket.bytesWritten, 0);
  try {
    for (const sender of senders) {
      clients.set(await Player.connect(port), sender);
      await watch.until(() => watch.count('open') >= clients.size);
    }
    const outputs = await Promise.all(
      Array.from(clients, ([client, sender]) =>
        converse(client, sender, watch, () => watch.isQuiet(sent())),
      ),
    );
    await watch.until(() => watch.count('gone') >= clients.size);
    return outputs;
  } finally {
    for (const { socket } of clients.keys()) socket.destroy();
  }
}

/** @param isQuiet whether nothing more happens
 * @returns what a client prints: nc all that it receives, curl one response */
async function converse(
  client: Player,
  { bytes, counts, curl, isDeaf = false }: Sender,
  watch: Watch,
  isQuiet = () => false,
): Promise<string> {
  const { socket } = client;
  if (!isDeaf && counts === undefined) client.read();
  await client.send(bytes);
  if (isDeaf) {
    await watch.until(() => watch.count('block') > 0 || isQuiet());
    socket.destroy();
    return '';
  }
  if (counts !== undefined) {
    await watch.until(() => watch.count('linger', 'block', 'gone') > 0);
    client.read();
  }
  if (curl !== undefined)
    await client.until((received) => contentOf(received) !== undefined);
  // To a client that closes its side, the server sends its responses, and closes, too.
  else if (!socket.writableEnded)
    await Promise.race([client.ended(), watch.until(isQuiet)]);
  socket.end();
  await client.ended();
  const { received } = client;
  if (counts !== undefined) return String(received.split(counts).length - 1);
  const printed = curl === 'content' ? (contentOf(received) ?? '') : received;
  return printed.replaceAll('\r\n', '\n').trimEnd();
}

/** @returns the content of a response to GET, or undefined where it is not complete */
function contentOf(received: string): string | undefined {
  const reader = new ResponseReader();
  reader.push(received);
  const outcome = reader.next();
  return outcome.kind === 'response' ? outcome.content : undefined;
}
