/** How long the process may take to end. Times are in milliseconds. */

/** After the last request, its output is flushed, and the page is written. */
const EXIT_MS = 2000;
/** After a signal, flushed or not. Stopping the server takes at most 0.8 s of that. */
const SIGNAL_EXIT_MS = 900;

/** @param signalledAt when a signal came, if one did
 * @returns how long it may still take */
export function timeToEnd(signalledAt: number | undefined, now: number): number {
  return signalledAt === undefined
    ? EXIT_MS
    : Math.max(0, signalledAt + SIGNAL_EXIT_MS - now);
}
