/** A server of one of the two builds, and what it does. */
import type { RunningServer, ServerOptions, Service, TraceEvent } from '../../index';
import { TraceFormatter } from '../../trace/terminal';
import type { ServiceName } from '../experiments';
import { Notifier } from '../notifier';
import type { Build } from './build';

/** The events that are kept, for the end of a long trace. */
const EVENTS_KEPT = 200;

/** Redirects to the path of the request, and decodes it: %c4%8d becomes U+010D. */
const redirect: Service = ({ path }) => ({
  status: 302,
  body: '',
  headers: [{ name: 'Location', value: decodeURIComponent(path) }],
});

/** Starts the server of a build: only programs of this machine can connect to it. */
export function startBuilt(
  build: Build,
  name: ServiceName,
  options: Pick<ServerOptions, 'port' | 'log' | 'trace'>,
): Promise<RunningServer> {
  const { startServer, taskService } = build.load<typeof import('../../index')>('index');
  const { echo } = build.load<{ echo: Service }>('study/echo/service');
  const service = { tasks: taskService, echo, redirect }[name];
  return startServer({ ...options, service, host: '127.0.0.1' });
}

/** Watches a server, by its trace, for those who wait for it. */
export class Watch extends Notifier {
  /** The bytes that it has read, from all connections. */
  private bytesRead = 0;
  private events: TraceEvent[] = [];
  private readonly counts = new Map<string, number>();

  see(event: TraceEvent): void {
    this.counts.set(event.type, this.count(event.type) + 1);
    if (event.type === 'read') this.bytesRead += event.bytes.length;
    this.events.push(event);
    if (this.events.length > 2 * EVENTS_KEPT) this.events = this.events.slice(-EVENTS_KEPT);
    this.notify();
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

  /** The end of its trace. */
  trace(): string {
    const formatter = new TraceFormatter(false);
    const lines = this.events.map((event) => formatter.format(event));
    return lines.join('').trimEnd();
  }
}
