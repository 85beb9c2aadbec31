/** What the page shows and does: the servers that bytes can be sent to, of which one is
 * chosen, the clients that send them, and the proxy that may be between them. */
import { randomBytes } from 'node:crypto';
import type { Mistake } from '../../naive/naive-request';
import { renderPage } from '../../page/page';
import type { TraceEvent } from '../../trace/events';
import { TraceRecorder } from '../../trace/recorder';
import { readScript, type Script } from '../bytes';
import { NaiveProxy } from '../proxy/naive-proxy';
import { Clients, type Client, type ClientData, type Through } from './clients';
import { judgeReply, type Judgement } from './judge';
import { CONNECTIONS_LIMIT } from './limits';
import { renderWorkbench } from './page';
import { Runs } from './runs';
import { REPLIES, SCENES } from './scenes';
import { Servers, type Target } from './servers';

/** The proxy gives up on a request, or a response, after so many seconds. */
const PROXY_SECONDS = 10;
const UNREADY = 'the server is not ready';

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
  readonly client: number | undefined;
  /** The way of a new one. */
  readonly through: Through;
}

export class Bench {
  /** Of the page: "http://127.0.0.1:4000". */
  origin = '';
  readonly token = randomBytes(24).toString('base64url');
  /** The page, and what it may load and run. */
  readonly page = renderWorkbench({ token: this.token });
  readonly servers = new Servers((target, event) => this.record(target, event));
  /** Counts what has happened. */
  revision = 0;
  /** The revision at which the trace started again. */
  private begunAt = 0;
  private readonly onChange = (): void => void (this.revision += 1);
  private clients = new Clients(this.onChange);
  private proxy:
    | {
        readonly through: Through;
        readonly running: NaiveProxy;
        readonly port: Promise<number>;
      }
    | undefined;
  /** How many clients the proxies have had. */
  private proxied = 0;
  /** The server that is sent to. */
  private target = this.servers.tasks;
  /** What happens on it. */
  private recorder = new TraceRecorder();
  /** The name of the server that was chosen: it may still be in the making. */
  private wanted = this.target.name;
  private problem = '';
  /** Those that were played last. */
  runs: Runs | undefined;

  private record(target: Target, event: TraceEvent): void {
    if (target !== this.target) return; // nobody would ever see it
    this.revision += 1;
    this.recorder.record(event);
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
    this.target = target;
    this.clear();
  }

  /** The time of the server that is sent to, in milliseconds since it started. */
  get now(): number {
    return performance.now() - this.target.startedAt;
  }

  /** What happened, as a page that nobody feeds any more. */
  get savedPage(): string {
    return [...renderPage(this.recorder)].join('');
  }

  /** Plays an experiment, without its defence and with it.
   * @returns false if there is none of that number */
  play(number: string): boolean {
    const scene = SCENES.find((one) => String(one.number) === number);
    if (scene !== undefined) this.runs = new Runs(scene);
    return scene !== undefined;
  }

  /** @param after the revision that the page has, if any
   * @param known how many events of the trace it has */
  describe(after: number, known: number): EventsData {
    const { now, problem, recorder, revision, wanted } = this;
    const { name, port } = this.target;
    const isSame = after >= this.begunAt && after <= revision;
    return {
      ...{ revision, now, clients: this.clients.describe() },
      server: { name: wanted, port, isReady: wanted === name, problem },
      lines: [...recorder.linesAfter(isSame ? known : 0)],
    };
  }

  /** Sends a text as the client, or, as the server, to each client that asks from now on.
   * @param script the same text, read
   * @returns the number of the client, 0 as the server, or why nothing is sent */
  send(text: string, script: Script, { client: id, through }: Address): number | string {
    if (this.wanted !== this.target.name) return UNREADY;
    if (this.target.name === REPLIES) {
      this.servers.reply = text;
      return 0;
    }
    const { ending } = script;
    const bytes = Buffer.from(script.bytes);
    if (!this.clients.hasRoomFor(bytes.length)) return 'too much is being sent already';
    const known = this.clients.get(id ?? NaN);
    const client = known?.isOpen === true ? known : this.open(known?.through ?? through);
    if (client === undefined) return `${CONNECTIONS_LIMIT} connections are open`;
    const { pending } = this.target.judge.judge(client.pending, bytes);
    client.send({ text, bytes, ending, pending });
    return client.id;
  }

  private open(through: Through): Client | undefined {
    if (through === 'server')
      return this.clients.open(Promise.resolve(this.target.port), through);
    if (this.proxy?.through !== through) {
      this.proxy?.running.stop();
      this.proxy = this.startProxy(through, through === 'proxy' ? undefined : through);
    }
    this.proxied += 1;
    return this.clients.open(this.proxy.port, through, `p${this.proxied}`);
  }

  private startProxy(through: Through, mistake: Mistake | undefined) {
    const { recorder, target } = this;
    const running = new NaiveProxy({
      ...{ to: target.port, mistake, timeout: PROXY_SECONDS },
      before: this.proxy?.running.counts,
      tell: (event) => {
        if (event.type === 'say') return; // in words, what the others say
        this.revision += 1;
        recorder.recordProxy({ ...event, at: this.now });
      },
    });
    return { through, running, port: running.listen(0) };
  }

  /** @returns what would be made of a text after what was sent on a connection, or why
   * that is not known */
  judge(text: string, { client: id, through }: Address): Judgement | string {
    if (this.wanted !== this.target.name) return UNREADY;
    const { bytes: read, ending } = readScript(text);
    const bytes = Buffer.from(read);
    if (this.target.name === REPLIES) return judgeReply(bytes, ending);
    const known = this.clients.get(id ?? NaN);
    const client = known?.isOpen === true ? known : undefined;
    const isProxied = (known?.through ?? through) !== 'server';
    const before = client?.pending ?? Buffer.alloc(0);
    const way = { ending, isProxied, unsent: client?.unsent };
    const { pending: _, ...judgement } = this.target.judge.judge(before, bytes, way);
    return judgement;
  }

  /** Closes all connections of the page, and the proxy, and forgets what happened. */
  clear(): void {
    this.disconnect();
    this.recorder = this.target.begin();
    this.begunAt = this.revision += 1;
  }

  private disconnect(): void {
    this.clients.stop();
    this.proxy?.running.stop();
    this.clients = new Clients(this.onChange);
    this.proxy = undefined;
    this.proxied = 0;
  }

  async stop(): Promise<void> {
    this.disconnect();
    await this.servers.stop();
  }
}
