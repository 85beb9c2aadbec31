/** A line of a recorded trace, in JSON: what a recorder keeps, a file holds, and a page asks
 * for. */
import type { TraceEvent } from './events';
import type { ProxyLine } from './proxy-events';

export interface Line {
  /** A `write` may have less of each response than its length. */
  readonly event?: TraceEvent;
  readonly proxy?: ProxyLine;
  /** In a first line: the events that come before the next line and are left out, and the
   * bytes that they showed. What was known before is not to be had any more. */
  readonly leftOut?: { readonly events: number; readonly bytes: number };
}

/** @param text a line that a recorder made, or '' */
export function parseLine(text: string): Line {
  return text === '' ? {} : JSON.parse(text);
}
