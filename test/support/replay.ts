/** A server for the scripts of a page, in this process, which tells what it is sent. */
import { parseOptions } from '../../src/command/options';
import type { TraceEvent } from '../../src/index';
import { SYSTEM, type System } from '../../src/server/system';
import { Notifier } from '../../src/study/notifier';
import { ENDPOINTS } from '../../src/tasks/dispatcher';
import { NAME, VERSION } from '../../src/tasks/tasks';
import { withRisk } from '../../src/trace/risk';
import { TraceFormatter } from '../../src/trace/terminal';
import { readActions } from './actions';
import { Halting } from './halting';
import { playScript, type Stage } from './script';
import { serve, type TestServer } from './test-server';

/** What a script brought about. */
export interface Said {
  /** What the clients print, with LF for each CRLF. */
  readonly answer: string;
  /** What the server prints: on standard error, and on standard output. */
  readonly trace: string;
  readonly log: string;
}

/** The servers of the scripts listen on ports that the system chooses; the pages say
 * 8080. */
const PORT = 8080;
/** How long a stopping server waits. */
const STOPPING_MS: readonly number[] = [800, 150];

/** What is known of a connection. */
interface Connection {
  readonly client: number;
  bytes: number;
  last: TraceEvent['type'];
}

export class Session implements Stage {
  output = '';
  readonly changes = new Notifier();
  private server: TestServer | undefined;
  private isTraced = false;
  private log = '';
  private readonly halting = new Halting();
  private readonly connections = new Map<number, Connection>();
  /** For how many seconds nobody slept. */
  private skipped = 0;

  get port(): number {
    return this.server?.port ?? 0;
  }

  /** @param script the text of a block
   * @param typed what somebody types into a client that the script starts without input */
  async play(script: string, typed = ''): Promise<Said> {
    this.output = this.log = '';
    const start = readActions(script).find((action) => action.type === 'start');
    const answer = start === undefined ? await this.converse(script, typed) : '';
    if (start !== undefined) await this.start(start.args);
    const untraced = 'The server was started without --trace';
    return {
      answer,
      trace: this.isTraced ? this.output.trimEnd().replace(/^\n/, '') : untraced,
      log: this.log.trimEnd(),
    };
  }

  private async converse(script: string, typed: string): Promise<string> {
    const server = this.server ?? (await this.start(['--trace', '--max-requests', '0']));
    const answer = await playScript(script, this, { typed });
    if (this.log.includes('Maximum of ')) await server.stopped;
    return answer;
  }

  /** @param args those of the command */
  private async start(args: readonly string[]): Promise<TestServer> {
    const options = parseOptions(args);
    if (typeof options === 'string') throw new Error(`${options} starts no server`);
    const { maxRequests, requestTimeout, idleTimeout, trace } = options;
    this.isTraced = trace;
    this.skipped = 0;
    const formatter = new TraceFormatter(false);
    this.server = await serve(
      {
        ...{ maxRequests, requestTimeout, idleTimeout },
        log: (lines) => (this.log += lines),
        trace: withRisk((event) => {
          const at = event.at + 1000 * this.skipped;
          const port = event.type === 'listen' ? { port: PORT } : {};
          this.output += formatter.format({ ...event, at, ...port });
          this.note(event);
        }),
      },
      this.system(),
    );
    const endpoints = ENDPOINTS.map((endpoint) => `  ${endpoint}\n`).join('');
    const address = `http://localhost:${PORT}`;
    this.log = `${NAME} ${VERSION}\n${endpoints}Listening on port ${PORT}: ${address}\n`;
    return this.server;
  }

  private note(event: TraceEvent): void {
    const { connection, type } = event;
    if (type === 'open') {
      const client = Number(event.remoteAddress?.split(':').at(-1));
      this.connections.set(connection, { client, bytes: 0, last: type });
    }
    const known = this.connections.get(connection);
    if (known !== undefined) known.last = type;
    if (known !== undefined && type === 'read') known.bytes += event.bytes.length;
    this.changes.notify();
  }

  /** A slow machine prints what a fast one does. Time passes only between two rounds of the
   * event loop, so a batch never ends because its time is over. And a server that stops
   * waits sixty times as long before it cuts off a client that is slow. */
  private system(): System {
    let time: number | undefined;
    return {
      ...SYSTEM,
      now: () => {
        if (time === undefined) setImmediate(() => (time = undefined));
        return (time ??= SYSTEM.now());
      },
      after: (ms, callback) =>
        SYSTEM.after(STOPPING_MS.includes(ms) ? 60 * ms : ms, callback),
      createListener: (options, onConnection) =>
        SYSTEM.createListener(options, (socket) => {
          this.halting.watch(socket);
          onConnection(socket);
        }),
    };
  }

  private find(client: number): Connection | undefined {
    return [...this.connections.values()].reverse().find((one) => one.client === client);
  }

  hasRead(client: number, bytes: number): boolean {
    const known = this.find(client);
    if (known === undefined) return false;
    const { last } = known;
    if (last === 'linger' || last === 'drop') return true; // it reads no request any more
    return known.bytes >= bytes && (last === 'wait' || last === 'idle');
  }

  isGone(client: number): boolean {
    return this.find(client)?.last === 'gone';
  }

  hasUnread(): boolean {
    return false;
  }

  passTime(seconds: number): void {
    this.skipped += seconds;
  }

  onlyWaits(): void {} // its limits are short

  halt(): void {
    this.halting.halt();
  }

  resume(): void {
    this.halting.resume();
  }
}
