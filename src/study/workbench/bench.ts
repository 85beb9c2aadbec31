/** What the page shows and does: the servers that bytes can be sent to, of which one is
 * chosen, the clients that send them, and the proxy that may be between them. */
import { randomBytes } from 'node:crypto';
import { MISTAKES, type Mistake } from '../../naive/naive-request';
import type { TraceEvent } from '../../trace/events';
import { NaiveProxy } from '../proxy/naive-proxy';
import {
  Clients,
  CONNECTIONS_LIMIT,
  type Client,
  type ClientData,
  type Sending,
  type Through,
} from './clients';
import type { Judgement, Then } from './judge';
import { renderWorkbench } from './page';
import { Requests } from './requests';
import { Servers, Target } from './servers';

export const HOST = '127.0.0.1';
/** The proxy gives up on a request, or a response, after so many seconds. */
const PROXY_SECONDS = 10;
/** How much is kept of what the proxy says, forwards, and opens. */
const LINES_KEPT = 200;
const FORWARDED_KEPT = 20;
const ADDRESSES_KEPT = 100;
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
  /** What the proxy says, a line each. */
  readonly proxy: readonly string[];
  /** What it read last, to forward it. */
  readonly forwarded: readonly ForwardedData[];
  /** The clients whose requests it forwards later, when their turn comes. */
  readonly waiting: readonly string[];
  /** The lines of the trace that the page does not have. */
  readonly lines: readonly string[];
  /** The mistake of the proxy, and the addresses of its connections to the server. */
  readonly reader: {
    readonly mistake: Mistake;
    readonly addresses: readonly string[];
  } | null;
}

/** A request as the proxy read it. */
export interface ForwardedData {
  /** Its client: "p1". */
  readonly client: string;
  /** Those of its bytes that were there, in base64. */
  readonly bytes: string;
  /** Where its content starts, and how many bytes the proxy took for it. */
  readonly contentStart: number;
  readonly contentLength: number;
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
  readonly running: NaiveProxy;
  readonly port: Promise<number>;
  readonly lines: string[];
  readonly forwarded: ForwardedData[];
  /** Those of its connections to the server. */
  readonly addresses: string[];
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
  /** The revision at which the trace began anew. */
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

  /** @param after the revision that the page has, if any
   * @param known how many events of the trace it has
   * @returns what the page shows, as JSON */
  describe(after: number, known: number): string {
    const { problem, revision, wanted } = this;
    const { name, port, recorder, startedAt } = this.target;
    const now = performance.now() - startedAt;
    const isSame = after >= this.begunAt && after <= revision;
    const events: EventsData = {
      ...{ revision, now, clients: this.clients.data },
      server: { name: wanted, port, isReady: wanted === name, problem },
      proxy: this.proxy?.lines ?? [],
      forwarded: this.proxy?.forwarded ?? [],
      waiting: this.proxy?.running.namesWaiting.map(onPage) ?? [],
      lines: [...recorder.linesAfter(isSame ? known : 0)],
      reader: this.reader,
    };
    return JSON.stringify(events);
  }

  private get reader(): EventsData['reader'] {
    const { addresses = [], through } = this.proxy ?? {};
    // A proxy without a mistake reads as this server does.
    return through === undefined || through === 'proxy'
      ? null
      : { mistake: through, addresses };
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
    const lines = [`--  a proxy that ${does}`];
    const forwarded: ForwardedData[] = [];
    const addresses: string[] = [];
    const running = new NaiveProxy({
      to: this.target.port,
      host: HOST,
      mistake,
      timeout: PROXY_SECONDS,
      say: (line) => {
        this.revision += 1;
        keep(lines, onPage(line), LINES_KEPT);
      },
      onRequest: (name, { contentLength, contentStart }, text) => {
        const client = onPage(name);
        const bytes = Buffer.from(text, 'latin1').toString('base64');
        keep(forwarded, { client, bytes, contentStart, contentLength }, FORWARDED_KEPT);
      },
      onConnect: (address) => keep(addresses, address, ADDRESSES_KEPT),
    });
    const port = running.listen(0);
    return { through, running, port, lines, forwarded, addresses, clients: 0 };
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

/** The page calls the clients of the proxy "p1": "c1" is a connection of the server. */
function onPage(line: string): string {
  return line.replace(/^c(?=\d)/, 'p');
}

/** Adds to a list that has at most so many items: the oldest ones go. */
function keep<Item>(list: Item[], item: Item, most: number): void {
  list.push(item);
  if (list.length > most) list.shift();
}
