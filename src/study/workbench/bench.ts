/** What the page shows and does: the servers that bytes can be sent to, of which one is
 * chosen, the clients that send them, and the proxy that may be between them. */
import { randomBytes } from 'node:crypto';
import { MISTAKES, type Mistake } from '../../naive/naive-request';
import type { TraceEvent } from '../../trace/events';
import type { ProxyEvent, ProxyLine } from '../../trace/proxy-events';
import { NaiveProxy } from '../proxy/naive-proxy';
import {
  Clients,
  type Client,
  type ClientData,
  type Sending,
  type Through,
} from './clients';
import type { Judgement, Then } from './judge';
import { CONNECTIONS_LIMIT } from './limits';
import { renderPage } from '../../page/page';
import { renderWorkbench } from './page';
import { Requests } from './requests';
import { Servers, Target } from './servers';

export const HOST = '127.0.0.1';
/** The proxy gives up on a request, or a response, after so many seconds. */
const PROXY_SECONDS = 10;
/** How much is kept of what the proxy tells. */
const PROXY_EVENTS_KEPT = 1000;
/** What is said of bytes while the server that will get them is being made. */
const UNKNOWN: Judgement = {
  kinds: [],
  digits: '',
  ends: [],
  kind: 'unknown',
  wrong: undefined,
  says: 'What the server makes of this is said when it runs.',
};

/** What GET /events gives. */
export interface EventsData {
  readonly revision: number;
  readonly now: number;
  readonly server: ServerData;
  readonly clients: readonly ClientData[];
  /** The lines of the trace that the page does not have, and those of the proxy: all that
   * there are where it has another one's. */
  readonly lines: readonly string[];
  readonly proxy: {
    readonly mistake?: Mistake | undefined;
    readonly isAnew: boolean;
    readonly lines: readonly ProxyLine[];
    /** How many the page has then. */
    readonly known: number;
  };
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

/** A proxy that runs, and what it did. */
interface RunningProxy {
  readonly through: Exclude<Through, 'server'>;
  readonly mistake: Mistake | undefined;
  readonly running: NaiveProxy;
  readonly port: Promise<number>;
  /** What it told, but for the first ones, and the revision at which it began. */
  readonly events: ProxyLine[];
  leftOut: number;
  readonly begunAt: number;
  /** How many clients it has had. */
  clients: number;
}

export class Bench {
  /** Of the page: "http://127.0.0.1:4000". */
  origin = '';
  readonly token = randomBytes(24).toString('base64url');
  readonly requests = new Requests();
  /** The page, and what it may load and run. */
  readonly page = renderWorkbench({
    token: this.token,
    menu: this.requests.menu,
    experiments: this.requests.experiments,
    stories: this.requests.stories,
  });
  readonly servers = new Servers((target, event) => this.record(target, event));
  /** Counts what has happened. */
  revision = 0;
  /** The revision at which the trace started again. */
  private begunAt = 0;
  private clients = this.makeClients();
  private proxy: RunningProxy | undefined;
  /** The server that is sent to. */
  private target = this.servers.tasks;
  /** The name of the server that was chosen: it may still be in the making. */
  private wanted = this.target.name;
  private problem = '';

  private makeClients(): Clients {
    return new Clients(
      () => (this.revision += 1),
      (before, bytes) => this.target.judge.pendingOf(before, bytes),
    );
  }

  private record(target: Target, event: TraceEvent): void {
    if (target !== this.target) return;
    this.revision += 1;
    const { connection, type } = event;
    if (type === 'open') this.clients.noteAccepted(event.remoteAddress, connection);
    if (type === 'close' || type === 'gone')
      this.clients.noteClosing(connection, event.reason);
  }

  /** Chooses the server that is sent to, and shown. It may take a moment until it runs.
   * @returns false if there is none of that name */
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
        this.revision += 1; // the bytes are judged again
      },
    );
    return true;
  }

  /** What happened on the server before is forgotten. */
  private turnTo(target: Target): void {
    this.disconnect();
    this.target.leave();
    this.target = target;
    target.clear();
    this.begunAt = this.revision += 1;
  }

  /** The time of the server that is sent to, in milliseconds since it started. */
  get now(): number {
    return performance.now() - this.target.startedAt;
  }

  /** What happened, as a page that nobody feeds any more. */
  get savedPage(): string {
    return [...renderPage(this.target.recorder)].join('');
  }

  /** @param after the revision that the page has, if any
   * @param known how many events of the trace it has
   * @param proxied how many lines of the proxy
   * @returns what the page shows, as JSON */
  describe(after: number, known: number, proxied: number): string {
    const { now, problem, revision, wanted } = this;
    const { name, port, recorder } = this.target;
    const isSame = after >= this.begunAt && after <= revision;
    const { begunAt = 0, events = [], leftOut = 0, mistake } = this.proxy ?? {};
    const isAnew = !isSame || after < begunAt || proxied < leftOut;
    const news = isAnew ? events : events.slice(proxied - leftOut);
    const told: EventsData = {
      ...{ revision, now, clients: this.clients.describe(isSame ? after : -1) },
      server: { name: wanted, port, isReady: wanted === name, problem },
      lines: [...recorder.linesAfter(isSame ? known : 0)],
      proxy: { mistake, isAnew, lines: news, known: leftOut + events.length },
    };
    return JSON.stringify(told);
  }

  /** @param id of the client, or undefined for a new one: there is a new one, too, where
   * more cannot be sent on the old one
   * @param page whose Hold it is
   * @returns the number of the client, or why nothing is sent */
  send(
    id: number | undefined,
    through: Through,
    sending: Sending,
    isHeld: boolean,
    page: string,
  ): number | string {
    if (this.wanted !== this.target.name) return 'the server is not ready';
    const known = this.clients.get(id ?? NaN);
    const client = known?.isOpen === true ? known : this.open(known?.through ?? through);
    if (client === undefined) return `${CONNECTIONS_LIMIT} connections are open`;
    if (!this.clients.send(client, sending, isHeld, page))
      return 'too much is being sent already';
    return client.id;
  }

  private open(through: Through): Client | undefined {
    if (through === 'server')
      return this.clients.open(Promise.resolve(this.target.port), through, undefined);
    let { proxy } = this;
    if (proxy?.through !== through) {
      proxy?.running.stop();
      proxy = this.proxy = this.startProxy(through);
    }
    proxy.clients += 1;
    return this.clients.open(proxy.port, through, `p${proxy.clients}`);
  }

  private startProxy(through: Exclude<Through, 'server'>): RunningProxy {
    const mistake = through === 'proxy' ? undefined : through;
    const does = mistake === undefined ? 'makes no mistake' : MISTAKES[mistake];
    const events: ProxyLine[] = [];
    const tell = (event: ProxyEvent): void => {
      this.revision += 1;
      events.push({ ...event, at: this.now });
      if (events.length <= PROXY_EVENTS_KEPT) return;
      events.shift();
      proxy.leftOut += 1;
    };
    const running = new NaiveProxy({
      to: this.target.port,
      mistake,
      timeout: PROXY_SECONDS,
      tell,
    });
    const begunAt = (this.revision += 1);
    const port = running.listen(0);
    const proxy = {
      ...{ through, mistake, running, port, events, begunAt },
      ...{ leftOut: 0, clients: 0 },
    };
    tell({ type: 'say', line: `--  a proxy that ${does}` });
    return proxy;
  }

  /** @param through the way of a new connection
   * @returns what the server would make of bytes after what was sent on a connection */
  judge(id: number | undefined, through: Through, bytes: Buffer, then: Then): Judgement {
    if (this.wanted !== this.target.name) return UNKNOWN;
    const known = this.clients.get(id ?? NaN);
    const client = known?.isOpen === true ? known : undefined;
    const isProxied = (known?.through ?? through) !== 'server';
    const before = client?.pending ?? Buffer.alloc(0);
    const way = { isProxied, then, unsent: client?.unsent };
    return this.target.judge.judge(before, bytes, way);
  }

  /** Closes all connections of the page, and forgets what happened on the server. */
  clear(): void {
    this.disconnect();
    this.target.clear();
    this.begunAt = this.revision += 1;
  }

  /** Closes all connections of the page, and the proxy. */
  private disconnect(): void {
    this.clients.stop();
    this.proxy?.running.stop();
    this.clients = this.makeClients();
    this.proxy = undefined;
  }

  async stop(): Promise<void> {
    this.disconnect();
    await this.servers.stop();
  }
}
