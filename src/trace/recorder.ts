/** Keeps the events of a trace within bounds, as lines of JSON. A page is made of these
 * lines, and a page that is open asks for the new ones. */
import type { TraceEvent } from './events';
import { RESPONSE_KEPT, responsesOf } from './explain';
import type { LineEvent } from './line';
import type { ProxyLine } from './proxy-events';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;

/** A line, and what is to be known of it when it is left out. */
interface Kept {
  readonly line: string;
  readonly bytes: number;
  readonly event: Pick<LineEvent, 'type' | 'connection'> | undefined;
}

export class TraceRecorder {
  /** The events that had to make room for later ones, and the bytes that they showed. */
  readonly leftOut = { events: 0, bytes: 0 };
  /** How many requests of a connection had their turn in events that are left out. */
  readonly turnsLeftOut = new Map<number, number>();
  private readonly kept: Kept[] = [];
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    const { type, connection } = event;
    const told = lineEventOf(event);
    const shown =
      told.type === 'read' ? told.bytes : told.type === 'write' ? told.text : '';
    const line = JSON.stringify({ event: told });
    this.keep({ line, bytes: shown.length, event: { type, connection } });
  };

  /** Takes what a proxy in front of the server does, by the clock of the server. */
  recordProxy(proxy: ProxyLine): void {
    this.keep({ line: JSON.stringify({ proxy }), bytes: 0, event: undefined });
  }

  private keep(kept: Kept): void {
    this.kept.push(kept);
    this.bytes += kept.bytes;
    while (this.kept.length > EVENTS_KEPT || this.bytes > BYTES_KEPT) this.leaveOutFirst();
  }

  private leaveOutFirst(): void {
    const { bytes = 0, event } = this.kept.shift() ?? {};
    this.bytes -= bytes;
    this.leftOut.events += 1;
    this.leftOut.bytes += bytes;
    if (event === undefined) return;
    const { connection, type } = event;
    const { turnsLeftOut: turns } = this;
    if (type === 'turn') turns.set(connection, (turns.get(connection) ?? 0) + 1);
    if (type === 'gone') turns.delete(connection);
  }

  /** @param known how many of the events somebody has, 0 for none
   * @returns the lines of the others. Where some of those are left out, and where nothing
   * is known, they are all that there is: then a first line says what is left out. */
  *linesAfter(known: number): Generator<string> {
    const { kept, leftOut } = this;
    const isAhead =
      known > 0 && known >= leftOut.events && known <= leftOut.events + kept.length;
    if (!isAhead) {
      const turns = Object.fromEntries(this.turnsLeftOut);
      yield JSON.stringify({ leftOut, turns });
    }
    for (const { line } of kept.slice(isAhead ? known - leftOut.events : 0)) yield line;
  }
}

/** Bytes become text, each of them one character. Of a long response only the beginning is
 * kept. */
function lineEventOf(event: TraceEvent): LineEvent {
  switch (event.type) {
    case 'read':
      return { ...event, bytes: event.bytes.toString('latin1') };
    case 'reject': {
      const { bytes, offset } = event.excerpt;
      return { ...event, excerpt: { bytes: bytes.toString('latin1'), offset } };
    }
    case 'write': {
      const texts = responsesOf(event).map(({ text }) => text.slice(0, RESPONSE_KEPT));
      // A service without a defence may have written a character that is no byte: the
      // socket sends one of it.
      const text = Buffer.from(texts.join(''), 'latin1').toString('latin1');
      const { lengths = [event.text.length] } = event;
      return { ...event, text, ...(text.length < event.text.length && { lengths }) };
    }
    default:
      return event;
  }
}
