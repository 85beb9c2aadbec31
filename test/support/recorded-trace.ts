/** What a server tells: its events, and the lines that a person reads. */
import type { TraceEvent } from '../../src/index';
import { withRisk } from '../../src/trace/risk';
import { TraceFormatter } from '../../src/trace/terminal';
import { Notifier } from '../../src/study/notifier';

type Type = TraceEvent['type'];
export type EventOf<T extends Type> = Extract<TraceEvent, { type: T }>;

export class Trace {
  readonly events: TraceEvent[] = [];
  private readonly changes = new Notifier();

  readonly sink = withRisk((event) => {
    this.events.push(event);
    this.changes.notify();
  });

  of<T extends Type>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** Waits for an event. @returns the first one, or a later one, of its type */
  async next<T extends Type>(type: T, number = 1): Promise<EventOf<T>> {
    await this.changes.until(() => this.of(type).length >= number);
    const event = this.of(type)[number - 1];
    if (event === undefined) throw new Error('unreachable');
    return event;
  }

  /** Waits until the events so far are what is wanted. */
  until(condition: () => boolean): Promise<void> {
    return this.changes.until(condition);
  }

  /** The lines of some types of events, or of all, each event on one line, without their
   * times and port numbers, and without the empty lines between connections. */
  lines(...types: readonly Type[]): string {
    const formatter = new TraceFormatter(false, UNLIMITED);
    const told = this.events.map((event) => {
      const lines = tell(formatter, event);
      return types.length === 0 || types.includes(event.type) ? lines : '';
    });
    return told.join('');
  }
}

const UNLIMITED = { columns: Infinity };

function tell(formatter: TraceFormatter, event: TraceEvent): string {
  const lines = formatter.format(event).replace(/^.{8}|^\n/gm, '');
  const hasPort =
    event.type === 'listen' || event.type === 'open' || event.type === 'refuse';
  return hasPort ? lines.replace(/(port |127\.0\.0\.1:)\d+/, '$1N') : lines;
}

/** Lines of a trace as a test writes them, with `raw`: indented, and continued on the next
 * line after a "\". */
export function story(text: string): string {
  const lines = text
    .replace(/^\n|\n *$/g, '')
    .replace(/\\\n */g, '')
    .split('\n');
  const indent = /^ */.exec(lines[0] ?? '')?.[0].length ?? 0;
  return lines.map((line) => `${line.slice(indent)}\n`).join('');
}
