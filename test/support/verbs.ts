/** Every verb of the trace. The compiler keeps the list whole: `npm test` checks the
 * types. */
import type { TraceEvent } from '../../src/index';

// prettier-ignore
const IS_VERB: { readonly [V in TraceEvent['type']]: true } = {
  listen: true, open: true, read: true, wait: true, parse: true, frame: true, expect: true,
  keep: true, queue: true, block: true, turn: true, route: true, write: true, idle: true,
  reject: true, risk: true, close: true, drop: true, linger: true, end: true, gone: true,
  refuse: true, error: true, stop: true,
};

export const VERBS: readonly string[] = Object.keys(IS_VERB);
