/** Keeps the events of a trace within bounds, as lines of JSON. A page is made of these
 * lines, and a page that is open asks for the new ones. */
import type { TraceEvent } from './events';
import type { EventOf } from './explain';
import type { ProxyLine } from './proxy-events';

/** How many events are kept, and how many bytes they may show together. */
const EVENTS_KEPT = 10_000;
const BYTES_KEPT = 4_194_304;
/** How much of each response is kept. */
const RESPONSE_KEPT = 65_536;

/** A line, and how many bytes it shows. */
interface Kept {
  readonly line: string;
  readonly bytes: number;
}

export class TraceRecorder {
  /** The events that had to make room for later ones, and the bytes that they showed. */
  readonly leftOut = { events: 0, bytes: 0 };
  private readonly kept: Kept[] = [];
  private bytes = 0;

  /** A trace sink. */
  readonly record = (event: TraceEvent): void => {
    const kept = event.type === 'write' ? cutResponses(event) : event;
    const shown = kept.type === 'read' ? [{ text: kept.bytes }] : [];
    const texts = kept.type === 'write' ? kept.responses : shown;
    const bytes = texts.reduce((sum, { text }) => sum + text.length, 0);
    this.keep({ line: JSON.stringify({ event: kept }), bytes });
  };

  /** Takes what a proxy in front of the server does, by the clock of the server. */
  recordProxy(proxy: ProxyLine): void {
    this.keep({ line: JSON.stringify({ proxy }), bytes: 0 });
  }

  private keep(kept: Kept): void {
    this.kept.push(kept);
    this.bytes += kept.bytes;
    while (this.kept.length > EVENTS_KEPT || this.bytes > BYTES_KEPT) {
      const { bytes = 0 } = this.kept.shift() ?? {};
      this.bytes -= bytes;
      this.leftOut.events += 1;
      this.leftOut.bytes += bytes;
    }
  }

  /** @param known how many of the events somebody has, 0 for none
   * @returns the lines of the others. Where some of those are left out, and where nothing
   * is known, they are all that there is: then a first line says what is left out. */
  *linesAfter(known: number): Generator<string> {
    const { kept, leftOut } = this;
    const isAhead =
      known > 0 && known >= leftOut.events && known <= leftOut.events + kept.length;
    if (!isAhead) yield JSON.stringify({ leftOut });
    for (const { line } of kept.slice(isAhead ? known - leftOut.events : 0)) yield line;
  }
}

/** Of a long response only the beginning is kept. */
function cutResponses(event: EventOf<'write'>): EventOf<'write'> {
  const responses = event.responses.map(({ length, text }) => {
    // A service without a defence may have written a character that is no byte: the socket
    // sends one of it.
    const bytes = Buffer.from(text.slice(0, RESPONSE_KEPT), 'latin1');
    return { text: bytes.toString('latin1'), length };
  });
  return { ...event, responses };
}
