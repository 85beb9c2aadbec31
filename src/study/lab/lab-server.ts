/** A server of one of the two builds, and what it tells. */
import type { RunningServer, TraceEvent } from '../../index';
import { TraceFormatter } from '../../trace/terminal';
import type { ServiceName } from '../experiments';
import { Notifier } from '../notifier';
import type { Build } from './build';
import { serviceOf } from './services';

/** The events that are kept, for the end of a long trace. */
const EVENTS_KEPT = 200;

/** What a person sees of a server. */
interface Shown {
  readonly port?: number;
  readonly say?: (line: string) => void;
  readonly isTraced?: boolean;
  readonly onEvent?: ((event: TraceEvent) => void) | undefined;
}

export class LabServer {
  port = 0;
  log = '';
  /** The bytes that it has read, from all connections. */
  private bytesRead = 0;
  private events: TraceEvent[] = [];
  private readonly counts = new Map<string, number>();
  private readonly changes = new Notifier();
  private server: RunningServer | undefined;

  constructor(private readonly build: Build) {}

  /** @param say is told each line that the server logs, and with isTraced those of its
   * trace */
  async start(
    service: ServiceName,
    { port = 0, say = () => {}, isTraced = false, onEvent }: Shown = {},
  ): Promise<void> {
    const { startServer } = this.build.load<typeof import('../../index')>('index');
    const print = (lines: string): void => lines.trimEnd().split('\n').forEach(say);
    const formatter = new TraceFormatter(false);
    this.server = await startServer({
      service: serviceOf(this.build, service),
      host: '127.0.0.1',
      port,
      log: (lines) => {
        this.log += lines;
        print(lines);
      },
      trace: (event) => {
        this.keep(event);
        onEvent?.(event);
        if (isTraced) print(formatter.format(event));
      },
    });
    this.port = this.server.port;
  }

  private keep(event: TraceEvent): void {
    this.counts.set(event.type, this.count(event.type) + 1);
    if (event.type === 'read') this.bytesRead += event.bytes.length;
    this.events.push(event);
    if (this.events.length > 2 * EVENTS_KEPT) this.events = this.events.slice(-EVENTS_KEPT);
    this.changes.notify();
  }

  /** @returns how many events of some types there were */
  count(...types: readonly TraceEvent['type'][]): number {
    return types.reduce((sum, type) => sum + (this.counts.get(type) ?? 0), 0);
  }

  /** Whether it has read so many bytes, has handled all requests, and waits for more. */
  isQuiet(bytes: number): boolean {
    const last = this.events.at(-1)?.type;
    const isWaiting = last === 'wait' || last === 'idle';
    return (
      isWaiting && this.bytesRead >= bytes && this.count('turn') === this.count('queue')
    );
  }

  until(condition: () => boolean): Promise<void> {
    return this.changes.until(condition);
  }

  /** The end of its trace. */
  trace(): string {
    const formatter = new TraceFormatter(false);
    const lines = this.events.map((event) => formatter.format(event));
    return lines.join('').trimEnd();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }
}
