/** A server of one of the two builds, and what it tells. */
import type { RunningServer, TraceEvent } from '../../index';
import type { ServiceName } from '../experiments';
import type { Build } from './build';
import { serviceOf } from './services';

/** The events that are kept, for the end of a long trace. */
const EVENTS_KEPT = 200;

/** What a person sees of a server. */
interface Shown {
  readonly port?: number;
  readonly say?: (line: string) => void;
  readonly isTraced?: boolean;
}

export class LabServer {
  log = '';
  /** The bytes that it has read, from all connections. */
  bytesRead = 0;
  private events: TraceEvent[] = [];
  private readonly counts = new Map<string, number>();
  /** Who waits for what: asked at each event, of which there are many. */
  private waiting: { readonly isDone: () => boolean; readonly resolve: () => void }[] = [];
  private server: RunningServer | undefined;

  constructor(private readonly build: Build) {}

  get port(): number {
    return this.server?.port ?? 0;
  }

  /** @param say is told each line that the server logs, and with isTraced those of its trace */
  async start(
    service: ServiceName,
    { port = 0, say, isTraced = false }: Shown = {},
  ): Promise<void> {
    const { startServer } = this.build.load<typeof import('../../index')>('index');
    const print = (lines: string): void =>
      lines
        .trimEnd()
        .split('\n')
        .forEach((line) => say?.(line));
    const formatter = this.formatter();
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
        if (isTraced) print(formatter.format(event));
      },
    });
  }

  count(type: TraceEvent['type']): number {
    return this.counts.get(type) ?? 0;
  }

  /** Waits for one of these events. */
  heard(type: TraceEvent['type'], times = 1): Promise<void> {
    return this.until(() => this.count(type) >= times);
  }

  /** Waits for the first of these events. */
  heardAny(...types: readonly TraceEvent['type'][]): Promise<void> {
    return this.until(() => types.some((type) => this.count(type) > 0));
  }

  /** Waits until so many requests are handled, and the server waits for more. */
  idle(requests: number): Promise<void> {
    return this.until(
      () => this.count('turn') >= requests && this.events.at(-1)?.type === 'idle',
    );
  }

  /** Waits until it has read so many bytes and waits for more, or has closed a
   * connection. */
  settled(bytes: number): Promise<void> {
    return this.until(() => {
      const last = this.events.at(-1)?.type;
      const isWaiting = last === 'wait' || last === 'idle';
      return this.count('close') > 0 || (isWaiting && this.bytesRead >= bytes);
    });
  }

  private formatter() {
    type Module = typeof import('../../trace/terminal');
    const { TraceFormatter } = this.build.load<Module>('trace/terminal');
    return new TraceFormatter(false);
  }

  trace(): string {
    const formatter = this.formatter();
    return this.events
      .map((event) => formatter.format(event))
      .join('')
      .trimEnd();
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  private keep(event: TraceEvent): void {
    this.counts.set(event.type, this.count(event.type) + 1);
    if (event.type === 'read') this.bytesRead += event.bytes.length;
    this.events.push(event);
    if (this.events.length > 2 * EVENTS_KEPT) this.events = this.events.slice(-EVENTS_KEPT);
    this.waiting = this.waiting.filter(({ isDone, resolve }) => {
      if (!isDone()) return true;
      resolve();
      return false;
    });
  }

  private async until(isDone: () => boolean): Promise<void> {
    if (!isDone())
      await new Promise<void>((resolve) => this.waiting.push({ isDone, resolve }));
  }
}
