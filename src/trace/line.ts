/** A line of a recorded trace: what a recorder keeps, a file holds, and a page asks for.
 * It is JSON, so its bytes are text, each of them one character. */
import { ProtocolError } from '../http/protocol-error';
import type { TraceEvent } from './events';
import type { ProxyLine } from './proxy-events';

type EventOf<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

/** An event as it is in a line. A `write` may have less of each response than its length. */
export type LineEvent =
  | Exclude<TraceEvent, { type: 'read' | 'reject' }>
  | (Omit<EventOf<'read'>, 'bytes'> & { readonly bytes: string })
  | (Omit<EventOf<'reject'>, 'excerpt'> & {
      readonly excerpt: { readonly bytes: string; readonly offset: number };
    });

export interface Line {
  readonly event?: LineEvent;
  readonly proxy?: ProxyLine;
  /** In a first line: the events that come before the next line and are left out, and the
   * bytes that they showed. What was known before is not to be had any more. */
  readonly leftOut?: { readonly events: number; readonly bytes: number };
}

/** @param text a line that a recorder made, or '' */
export function parseLine(text: string): Line {
  if (text === '') return {};
  const line: Line = JSON.parse(text);
  if (line.event?.type === 'reject')
    Object.setPrototypeOf(line.event.error, ProtocolError.prototype);
  return line;
}

/** @returns an event as a trace sink gets it */
export function eventOf(event: LineEvent): TraceEvent {
  if (event.type === 'read') return { ...event, bytes: Buffer.from(event.bytes, 'latin1') };
  if (event.type !== 'reject') return event;
  const { bytes, offset } = event.excerpt;
  return { ...event, excerpt: { bytes: Buffer.from(bytes, 'latin1'), offset } };
}
