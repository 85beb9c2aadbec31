/** Servers on this machine: that of the tasks, and that of the page, which shows what the
 * first one does and sends bytes to it. When an experiment of the lab is chosen, a server
 * without a defence joins them. All of them are startServer(). */
import { randomBytes } from 'node:crypto';
import { MISTAKES } from '../../naive/naive-request';
import { startServer, type RunningServer } from '../../server/server';
import { taskService } from '../../tasks/dispatcher';
import type { TraceEvent } from '../../trace/events';
import { describeConversation } from '../../trace/page/conversation';
import { NaiveProxy } from '../proxy/naive-proxy';
import { Clients, CONNECTIONS_LIMIT, type Client, type Sending } from './clients';
import { renderWorkbench } from './page';
import * as ownJudge from './judge';
import type { Judgement } from './judge';
import { Requests } from './requests';
import { Servers, Target } from './servers';
import {
  makeService,
  type Bench,
  type EventsData,
  type ForwardedData,
  type Through,
} from './service';

const HOST = '127.0.0.1';
/** The proxy gives up on a request, or a response, after so many seconds. */
const PROXY_SECONDS = 10;
/** How many lines of the proxy are kept, and how many of the requests that it forwards. */
const LINES_KEPT = 200;
const FORWARDED_KEPT = 20;
/** What is said of bytes while the server that will get them is being made. */
const UNKNOWN: Judgement = {
  parts: [],
  ends: [],
  kind: 'unknown',
  wrong: undefined,
  says: 'What the server makes of this is said when it runs.',
};

export interface Workbench {
  /** Of the task server, and of the page. */
  readonly port: number;
  readonly pagePort: number;
  /** "http://127.0.0.1:4000/" */
  readonly address: string;
  stop(): Promise<void>;
}

/** @returns a promise that rejects with the system's error, which names the port */
export async function startWorkbench(port: number, pagePort: number): Promise<Workbench> {
  let bench: TaskBench | undefined;
  const onEvent = (target: Target, event: TraceEvent): void => bench?.record(target, event);
  const build = { startServer, service: taskService, judge: ownJudge };
  const tasks = new Target('tasks', build, onEvent);
  bench = new TaskBench(tasks, new Servers(tasks, onEvent));
  await tasks.start(port);
  let pages: RunningServer;
  try {
    const service = makeService(bench);
    const maxConnections = CONNECTIONS_LIMIT;
    pages = await startServer({ service, host: HOST, port: pagePort, maxConnections });
  } catch (error) {
    await tasks.stop();
    throw error;
  }
  bench.begin(pages.port);
  return {
    port: tasks.port,
    pagePort: pages.port,
    address: `${bench.origin}/`,
    stop: async () => {
      await Promise.all([bench.stop(), pages.stop()]);
    },
  };
}

class TaskBench implements Bench {
  origin = '';
  readonly token = randomBytes(24).toString('base64url');
  readonly requests = new Requests();
  /** The page says on which port the task server listens, so it is made once that is known. */
  page: Bench['page'] = { html: '', policy: '' };
  revision = 0;
  /** The revision at which the trace changed last. */
  private tracedAt = 0;
  /** What the trace shows, as JSON, so that it is described once for all polls. */
  private described: { readonly revision: number; readonly json: string } | undefined;
  private clients = this.makeClients();
  private proxy: { readonly through: Through; readonly running: NaiveProxy } | undefined;
  private proxyPort: Promise<number> | undefined;
  private proxied = 0;
  private lines: string[] = [];
  private forwarded: ForwardedData[] = [];
  /** The name of the server that was chosen: it may still be in the making. */
  private wanted: string;
  private problem = '';

  /** @param target the server that is sent to */
  constructor(
    private target: Target,
    private readonly servers: Servers,
  ) {
    this.wanted = target.name;
  }

  private makeClients(): Clients {
    return new Clients(
      () => (this.revision += 1),
      (before, bytes) => this.target.judge.pendingOf(before, bytes),
    );
  }

  record(target: Target, event: TraceEvent): void {
    if (target !== this.target) return;
    this.tracedAt = this.revision += 1;
    if (event.type === 'open')
      this.clients.noteAccepted(event.remoteAddress, event.connection);
  }

  /** All servers listen. */
  begin(pagePort: number): void {
    this.origin = `http://${HOST}:${pagePort}`;
    const { requests, token } = this;
    const { experiments, menu } = requests;
    this.page = renderWorkbench({ token, menu, experiments });
  }

  /** Chooses the server that is sent to, and shown. It may take a moment until it runs. */
  choose(name: string): boolean {
    const chosen = this.servers.get(name);
    if (chosen === undefined) return false;
    this.wanted = name;
    this.problem = '';
    this.revision += 1;
    const isWanted = (): boolean => this.wanted === name && this.target.name !== name;
    chosen.then(
      (target) => isWanted() && this.turnTo(target),
      (error: unknown) => {
        if (!isWanted()) return;
        this.problem = error instanceof Error ? error.message : String(error);
        this.wanted = this.target.name;
        this.tracedAt = this.revision += 1; // the bytes are judged again
      },
    );
    return true;
  }

  /** What happened on the server before is still shown. */
  private turnTo(target: Target): void {
    this.disconnect();
    this.target = target;
    this.tracedAt = this.revision += 1;
  }

  describe(after: number): string {
    const { forwarded, lines: proxy, revision } = this;
    const { name, port, startedAt } = this.target;
    const now = performance.now() - startedAt;
    const { problem, wanted } = this;
    const server = { name: wanted, port, isReady: wanted === name, problem };
    const clients = this.clients.data;
    const rest: EventsData = { revision, now, server, clients, proxy, forwarded };
    const json = JSON.stringify(rest);
    if (after >= this.tracedAt && after <= revision) return json;
    return `${json.slice(0, -1)},"data":${this.describeTrace(now)}}`;
  }

  private describeTrace(now: number): string {
    if (this.described?.revision !== this.tracedAt) {
      const json = JSON.stringify(describeConversation(this.target.recorder, now));
      this.described = { revision: this.tracedAt, json };
    }
    return this.described.json;
  }

  send(
    id: number | undefined,
    through: Through,
    sending: Sending,
    isHeld: boolean,
  ): number | string {
    if (this.wanted !== this.target.name) return 'the server is not ready';
    const client = id === undefined ? this.open(through) : this.clients.get(id);
    if (client === undefined)
      return id === undefined
        ? `${CONNECTIONS_LIMIT} connections are open`
        : 'the connection is closed';
    if (client.state !== 'open') return 'the connection is closed';
    if (!this.clients.send(client, sending, isHeld))
      return 'too much is being sent already';
    return client.id;
  }

  private open(through: Through): Client | undefined {
    if (through === 'server')
      return this.clients.open(Promise.resolve(this.target.port), undefined);
    const port = this.listenAsProxy(through);
    this.proxied += 1;
    return this.clients.open(port, `p${this.proxied}`);
  }

  /** Starts a proxy that makes this mistake, in place of one that makes another. */
  private listenAsProxy(through: Exclude<Through, 'server'>): Promise<number> {
    if (this.proxy?.through === through && this.proxyPort) return this.proxyPort;
    this.proxy?.running.stop();
    this.proxied = 0;
    const mistake = through === 'proxy' ? undefined : through;
    const does = mistake === undefined ? 'makes no mistake' : MISTAKES[mistake];
    this.lines = [`--  a proxy that ${does}`];
    this.forwarded = [];
    const running = new NaiveProxy({
      to: this.target.port,
      host: HOST,
      mistake,
      timeout: PROXY_SECONDS,
      say: (line) => {
        this.revision += 1;
        this.lines = [...this.lines, onPage(line)].slice(-LINES_KEPT);
      },
      onRequest: (name, { contentLength, contentStart }, text) => {
        const client = onPage(name);
        const bytes = Buffer.from(text, 'latin1').toString('base64');
        const one = { client, bytes, contentStart, contentLength };
        this.forwarded = [...this.forwarded, one].slice(-FORWARDED_KEPT);
      },
    });
    this.proxy = { through, running };
    this.proxyPort = running.listen(0);
    return this.proxyPort;
  }

  judge(client: number | undefined, bytes: Buffer): Judgement {
    if (this.wanted !== this.target.name) return UNKNOWN;
    const before = this.clients.get(client ?? NaN)?.pending ?? Buffer.alloc(0);
    return this.target.judge.judge(before, bytes);
  }

  /** Closes all connections of the page, and forgets what happened on the server. */
  clear(): void {
    this.disconnect();
    this.target.clear();
    this.tracedAt = this.revision += 1;
  }

  /** Closes all connections of the page, and the proxy. */
  private disconnect(): void {
    this.clients.stop();
    this.proxy?.running.stop();
    this.clients = this.makeClients();
    this.proxy = this.proxyPort = undefined;
    this.lines = [];
    this.forwarded = [];
  }

  async stop(): Promise<void> {
    this.disconnect();
    await this.servers.stop();
  }
}

/** The page calls the clients of the proxy "p1": "c1" is a connection of the server. */
function onPage(line: string): string {
  return line.replace(/^c(?=\d)/, 'p');
}
