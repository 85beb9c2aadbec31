/** Two servers on this machine: that of the tasks, and that of the page, which shows what the
 * first one does and sends bytes to it. Both are startServer(). */
import { randomBytes } from 'node:crypto';
import { MISTAKES } from '../../naive/naive-request';
import { startServer, type RunningServer } from '../../server/server';
import { taskService } from '../../tasks/dispatcher';
import type { TraceEvent } from '../../trace/events';
import { describeConversation } from '../../trace/page/conversation';
import { TraceRecorder } from '../../trace/page/trace-recorder';
import { NaiveProxy } from '../proxy/naive-proxy';
import { Clients, CONNECTIONS_LIMIT, type Client, type Sending } from './clients';
import { renderWorkbench } from './page';
import { Requests } from './requests';
import { makeService, type Bench, type EventsData, type Through } from './service';

const HOST = '127.0.0.1';
/** The proxy gives up on a request, or a response, after so many seconds. */
const PROXY_SECONDS = 10;
/** How many lines of the proxy are kept. */
const LINES_KEPT = 200;

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
  const bench = new TaskBench();
  const trace = (event: TraceEvent): void => bench.record(event);
  const tasks = await startServer({ service: taskService, host: HOST, port, trace });
  let pages: RunningServer;
  try {
    const service = makeService(bench);
    const maxConnections = CONNECTIONS_LIMIT;
    pages = await startServer({ service, host: HOST, port: pagePort, maxConnections });
  } catch (error) {
    await tasks.stop();
    throw error;
  }
  bench.begin(tasks.port, pages.port);
  return {
    port: tasks.port,
    pagePort: pages.port,
    address: `${bench.origin}/`,
    stop: async () => {
      bench.stop();
      await Promise.all([tasks.stop(), pages.stop()]);
    },
  };
}

class TaskBench implements Bench {
  taskPort = 0;
  origin = '';
  readonly token = randomBytes(24).toString('base64url');
  readonly requests = new Requests();
  /** The page says on which port the task server listens, so it is made once that is known. */
  page: Bench['page'] = { html: '', policy: '' };
  revision = 0;
  private recorder = new TraceRecorder();
  /** The revision at which the trace changed last, and the time of the server by our clock. */
  private tracedAt = 0;
  private startedAt = 0;
  /** What the trace shows, as JSON, so that it is described once for all polls. */
  private described: { readonly revision: number; readonly json: string } | undefined;
  private clients = this.makeClients();
  private proxy: { readonly through: Through; readonly running: NaiveProxy } | undefined;
  private proxyPort: Promise<number> | undefined;
  private proxied = 0;
  private lines: string[] = [];

  private makeClients(): Clients {
    return new Clients(() => (this.revision += 1));
  }

  record(event: TraceEvent): void {
    this.startedAt = performance.now() - event.at;
    this.tracedAt = this.revision += 1;
    this.recorder.record(event);
    if (event.type === 'open' && event.remoteAddress !== undefined)
      this.clients.noteAccepted(event.remoteAddress, event.connection);
  }

  /** Both servers listen. */
  begin(taskPort: number, pagePort: number): void {
    this.taskPort = taskPort;
    this.origin = `http://${HOST}:${pagePort}`;
    const { requests, token } = this;
    this.page = renderWorkbench({ token, port: taskPort, menu: requests.menu });
  }

  describe(after: number): string {
    const { lines: proxy, revision } = this;
    const now = performance.now() - this.startedAt;
    const rest: EventsData = { revision, now, clients: this.clients.data, proxy };
    const json = JSON.stringify(rest);
    if (after >= this.tracedAt && after <= revision) return json;
    return `${json.slice(0, -1)},"data":${this.describeTrace(now)}}`;
  }

  private describeTrace(now: number): string {
    if (this.described?.revision !== this.tracedAt) {
      const json = JSON.stringify(describeConversation(this.recorder, now));
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
      return this.clients.open(Promise.resolve(this.taskPort), undefined);
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
    const running = new NaiveProxy({
      to: this.taskPort,
      host: HOST,
      mistake,
      timeout: PROXY_SECONDS,
      say: (line) => {
        this.revision += 1;
        this.lines = [...this.lines, line].slice(-LINES_KEPT);
      },
    });
    this.proxy = { through, running };
    this.proxyPort = running.listen(0);
    return this.proxyPort;
  }

  pendingOf(client: number | undefined): Buffer {
    return this.clients.get(client ?? NaN)?.pending ?? Buffer.alloc(0);
  }

  /** Closes all connections of the page, and forgets what happened. */
  clear(): void {
    this.stop();
    this.clients = this.makeClients();
    this.proxy = this.proxyPort = undefined;
    this.lines = [];
    this.recorder = new TraceRecorder();
    this.tracedAt = this.revision += 1;
  }

  stop(): void {
    this.clients.stop();
    this.proxy?.running.stop();
  }
}
