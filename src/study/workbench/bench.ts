/** The workbench: the servers that bytes can be sent to, of which one is chosen, the clients
 * that send them, the proxy that may be between them, and the page that shows all of it. */
import { randomBytes } from 'node:crypto';
import { Failure, listenFailure, reasonOf } from '../../command/arguments';
import { renderPage } from '../../page/page';
import { startServer, type RunningServer } from '../../server/server';
import type { TraceEvent } from '../../trace/events';
import { TraceRecorder } from '../../trace/recorder';
import { readScript, unrepeated } from '../bytes';
import type { Experiment } from '../experiments';
import { Build, buildWithout } from '../lab/build';
import { play } from '../lab/play';
import { NaiveProxy } from '../proxy/naive-proxy';
import { Clients, type Client, type ClientData, type Through } from './clients';
import { Refusal } from './guard';
import { judgeReply, type Judgement } from './judge';
import { renderWorkbench } from './page';
import { CALLED, CONNECTIONS_LIMIT, excess, HOST, namesIn } from './scenes';
import { REPLIES, SCENES, SERVERS, TASKS } from './scenes';
import { Target } from './servers';
import { makeService } from './service';

/** The proxy gives up on a request, or a response, after so many seconds. */
const PROXY_SECONDS = 10;

/** What GET /events gives. */
export interface EventsData {
  readonly revision: number;
  readonly now: number;
  readonly server: ServerData;
  readonly clients: readonly ClientData[];
  /** The lines of the trace that the page does not have. */
  readonly lines: readonly string[];
}

/** The server that was chosen. */
export interface ServerData {
  readonly name: string;
  readonly port: number;
  /** Whether it runs, and the page shows what it does. */
  readonly isReady: boolean;
  /** Why the one that was chosen could not be started, or ''. */
  readonly problem: string;
}

/** Where text is sent: on a client that is known, or on a new one. */
export interface Address {
  readonly client: number;
  /** The way of a new one. */
  readonly through: Through;
}

interface Proxy {
  readonly through: Through;
  readonly running: NaiveProxy;
  readonly port: Promise<number>;
}

export class Bench {
  readonly token = randomBytes(24).toString('base64url');
  /** The page, and what it may load and run. */
  readonly page = renderWorkbench({ token: this.token });
  /** Counts what has happened. */
  revision = 0;
  /** The revision at which the trace started again. */
  private begunAt = 0;
  private readonly onChange = (): void => void (this.revision += 1);
  private readonly clients = new Clients(this.onChange);
  private proxy: Proxy | undefined;
  /** How many clients the proxies have had. */
  private proxied = 0;
  /** Each server is started once, and keeps running. */
  private readonly targets = new Map<string, Promise<Target>>();
  /** What happens on the server that is sent to. */
  private recorder: TraceRecorder;
  /** The name of the server that was chosen: it may still be in the making. */
  private wanted = TASKS;
  private problem = '';
  /** What each client gets where somebody is the server, in the notation of bytes.ts. */
  private reply = '';
  /** The traces of both runs of an experiment, or of the first, or why there are none. */
  private readonly runs = new Map<Experiment, TraceRecorder[] | Refusal>();
  private pages: RunningServer | undefined;

  /** @param target the server that is sent to */
  private constructor(private target: Target) {
    this.targets.set(TASKS, Promise.resolve(target));
    this.recorder = target.begin((event) => this.record(event));
  }

  /** @param port of the server of the tasks
   * @throws Failure where one of the ports cannot be had */
  static async start(port: number, pagePort: number): Promise<Bench> {
    const fail = (option: string, wanted: number) => (error: unknown) => {
      const { message } = listenFailure(error, { host: HOST, port: wanted });
      throw new Failure(message.replaceAll('--port', option));
    };
    const tasks = await Target.start(TASKS, port).catch(fail('--port', port));
    const bench = new Bench(tasks);
    try {
      bench.pages = await startServer({
        service: makeService(bench),
        maxConnections: CONNECTIONS_LIMIT,
        host: HOST,
        port: pagePort,
      });
    } catch (error) {
      await bench.stop();
      fail('--page-port', pagePort)(error);
    }
    return bench;
  }

  /** Of the server that is sent to. */
  get port(): number {
    return this.target.port;
  }

  get pagePort(): number {
    return this.pages?.port ?? 0;
  }

  /** "http://127.0.0.1:4000" */
  get origin(): string {
    return `http://${HOST}:${this.pagePort}`;
  }

  private record(event: TraceEvent): void {
    this.revision += 1;
    this.recorder.record(event);
  }

  /** Chooses the server that is sent to, and shown. It may take a moment until it runs.
   * @throws Refusal if there is none of that name */
  choose(name: string): void {
    if (!SERVERS.includes(name)) throw new Refusal(404, 'the workbench has no such server');
    this.wanted = name;
    this.problem = '';
    this.revision += 1;
    void this.turnTo(name);
  }

  private async turnTo(name: string): Promise<void> {
    const known = this.targets.get(name);
    const chosen = known ?? Target.start(name, 0, () => this.reply);
    this.targets.set(name, chosen);
    try {
      const target = await chosen;
      if (this.wanted !== name || this.target === target) return;
      this.target.leave();
      this.target = target;
      this.begin();
    } catch (error) {
      this.targets.delete(name); // it may work the next time
      if (this.wanted !== name) return;
      this.problem = reasonOf(error);
      this.wanted = this.target.name;
      this.revision += 1; // the bytes are judged again
    }
  }

  /** The time of the server that is sent to, in milliseconds since it started. */
  private get now(): number {
    return performance.now() - this.target.startedAt;
  }

  /** @param after the revision that the page has, if any
   * @param known how many events of the trace it has */
  describe(after: number, known: number): EventsData {
    const { now, problem, recorder, revision, target, wanted } = this;
    const isReady = wanted === target.name;
    const isSame = after >= this.begunAt && after <= revision;
    return {
      revision,
      now,
      server: { name: wanted, port: target.port, isReady, problem },
      clients: this.clients.describe(),
      lines: [...recorder.linesAfter(isSame ? known : 0)],
    };
  }

  /** What happened, as a page that nobody feeds any more.
   * @param number of an experiment, for a page of both its runs
   * @throws Refusal */
  save(number: string | null): string {
    if (number === null) return [...renderPage(this.recorder)].join('');
    const scene = findScene(number);
    const [first, second] = this.runsOf(scene) ?? [];
    if (!first || !second) throw new Refusal(503, 'both runs are still being played');
    const other = {
      data: [...second.linesAfter(0)],
      called: CALLED,
      names: namesIn(scene),
    };
    return [...renderPage(first, other)].join('');
  }

  /** @returns the lines of the traces of both runs of an experiment; undefined while they
   * are played
   * @throws Refusal */
  play(number: string): string[][] | undefined {
    return this.runsOf(findScene(number))?.map((one) => [...one.linesAfter(0)]);
  }

  private runsOf(scene: Experiment): TraceRecorder[] | undefined {
    const known = this.runs.get(scene);
    if (known instanceof Refusal) {
      this.runs.delete(scene); // it may work the next time
      throw known;
    }
    if (known === undefined) {
      const recorders: TraceRecorder[] = [];
      this.runs.set(scene, recorders);
      playBoth(scene, recorders).catch((error: unknown) =>
        this.runs.set(scene, new Refusal(503, reasonOf(error))),
      );
    }
    return known?.length === 2 ? known : undefined;
  }

  /** Sends a text as the client, or, as the server, to each client that asks from now on.
   * @returns the number of the client, 0 as the server
   * @throws Refusal */
  send(text: string, address: Address): number {
    const script = readScript(text);
    const problem = excess(text, script);
    if (problem !== '') throw new Refusal(400, problem);
    const { judge, name } = this.readyTarget;
    if (name === REPLIES) {
      this.reply = unrepeated(text);
      return 0;
    }
    const bytes = Buffer.from(script.bytes);
    this.clients.makeRoomFor(bytes.length);
    const known = this.clients.get(address.client);
    const client = known?.isOpen ? known : this.open(known?.through ?? address.through);
    client.send(unrepeated(text), script, judge(client.pending, bytes).pending);
    return client.id;
  }

  /** @throws Refusal while the server that was chosen is in the making */
  private get readyTarget(): Target {
    if (this.wanted === this.target.name) return this.target;
    throw new Refusal(503, 'the server is not ready');
  }

  private open(through: Through): Client {
    const { clients, target } = this;
    if (through === 'server') return clients.open(Promise.resolve(target.port), through);
    if (this.proxy?.through !== through) this.proxy = this.startProxy(through);
    this.proxied += 1;
    return clients.open(this.proxy.port, through, `p${this.proxied}`);
  }

  /** Starts a proxy in the place of the one before. */
  private startProxy(through: Exclude<Through, 'server'>): Proxy {
    const { proxy: before, recorder, target } = this;
    before?.running.stop();
    const running = new NaiveProxy({
      to: target.port,
      mistake: through === 'proxy' ? undefined : through,
      timeout: PROXY_SECONDS,
      before: before?.running.counts,
      tell: (event) => {
        if (event.type === 'say') return; // in words, what the others say
        this.revision += 1;
        recorder.recordProxy({ ...event, at: this.now });
      },
    });
    return { through, running, port: running.listen(0) };
  }

  /** @returns what would be made of a text after what was sent on a connection
   * @throws Refusal */
  judge(text: string, { client: id, through }: Address): Judgement {
    const { judge, name } = this.readyTarget;
    const { bytes: read, ending } = readScript(text);
    const bytes = Buffer.from(read);
    if (name === REPLIES) return judgeReply(bytes, ending);
    const known = this.clients.get(id);
    const before = known?.isOpen ? known.pending : Buffer.alloc(0);
    const isProxied = (known?.through ?? through) !== 'server';
    const { pending: _, ...judgement } = judge(before, bytes, { ending, isProxied });
    return judgement;
  }

  /** Closes all connections of the page, and the proxy, and forgets what happened, in both
   * runs of each experiment, too. */
  clear(): void {
    this.runs.clear();
    this.begin();
  }

  private begin(): void {
    this.disconnect();
    this.recorder = this.target.begin((event) => this.record(event));
    this.revision += 1;
    this.begunAt = this.revision;
  }

  private disconnect(): void {
    this.clients.stop();
    this.proxy?.running.stop();
    this.proxy = undefined;
    this.proxied = 0;
  }

  async stop(): Promise<void> {
    this.disconnect();
    await this.pages?.stop();
    for (const target of this.targets.values())
      await target.then(
        (one) => one.stop(),
        () => {}, // it has not started
      );
  }
}

/** @throws Refusal */
function findScene(number: string): Experiment {
  const scene = SCENES.find((one) => String(one.number) === number);
  if (scene === undefined) throw new Refusal(404, 'the workbench has no such experiment');
  return scene;
}

/** Plays an experiment without its defence, and then with it. */
async function playBoth(scene: Experiment, recorders: TraceRecorder[]): Promise<void> {
  for (const make of [() => buildWithout(scene), () => new Build()]) {
    const recorder = new TraceRecorder();
    await play(scene, make(), recorder);
    recorders.push(recorder);
  }
}
