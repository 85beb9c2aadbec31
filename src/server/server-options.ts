/** What startServer() takes, and what it makes of it. */
import type { Service } from '../http/message';
import type { TraceEvent } from './trace-events';

export interface ServerOptions {
  readonly service: Service;
  /** 0, the default, lets the system choose one. */
  readonly port?: number | undefined;
  /** All interfaces by default. */
  readonly host?: string | undefined;
  /** How many requests are handled before the server stops; 0, the default, for no limit. */
  readonly maxRequests?: number | undefined;
  /** How many connections may be open; further ones are closed at once. 10,000 by default. */
  readonly maxConnections?: number | undefined;
  /** How many bytes of content all connections may hold together. 256 MiB by default. */
  readonly maxContent?: number | undefined;
  /** Seconds for a request, counted from its first byte; also for that byte. 60 by default. */
  readonly requestTimeout?: number | undefined;
  /** Seconds that a connection may be idle after a response. 5 by default. */
  readonly idleTimeout?: number | undefined;
  /** Takes the log, in whole lines: "GET /tasks\n". One that throws is not called again. */
  readonly log?: ((lines: string) => void) | undefined;
  /** Hears what happens, as it happens. One that throws is not called again. */
  readonly trace?: ((event: TraceEvent) => void) | undefined;
  /** Milliseconds since 1970; Date.now by default. */ readonly clock?: (() => number) | undefined;
}

const MAX_SECONDS = 2_147_483; // the most seconds that a timer of Node holds
export type Settings = ReturnType<typeof checkOptions>;

/** @throws TypeError or RangeError that names the option */
export function checkOptions(options: ServerOptions) {
  const { service, host, log, trace, clock = Date.now } = options;
  const { port = 0, maxRequests = 0, maxConnections = 10_000, maxContent = 268_435_456 } = options;
  const { requestTimeout = 60, idleTimeout = 5 } = options;
  for (const [name, value] of Object.entries({ service, log, trace, clock })) {
    const isMissing = value === undefined && name !== 'service';
    if (!isMissing && typeof value !== 'function') throw new TypeError(`${name} is not a function`);
  }
  if (host !== undefined && typeof host !== 'string') throw new TypeError('host is not a string');
  checkNumber('port', port, 0, 65_535);
  checkNumber('maxRequests', maxRequests, 0);
  checkNumber('maxConnections', maxConnections, 1);
  checkNumber('maxContent', maxContent, 0);
  checkSeconds('requestTimeout', requestTimeout);
  checkSeconds('idleTimeout', idleTimeout);
  const limits = { maxRequests, maxConnections, maxContent, requestTimeout, idleTimeout };
  return { ...options, clock, port, ...limits };
}

function checkNumber(name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER) {
  if (typeof value !== 'number') throw new TypeError(`${name} is not a number`);
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`${name} is ${value}, not a whole number from ${min} to ${max}`);
}

function checkSeconds(name: string, value: number) {
  if (typeof value !== 'number') throw new TypeError(`${name} is not a number`);
  if (value > 0 && value <= MAX_SECONDS) return;
  throw new RangeError(`${name} is ${value}, not a number over 0 and at most ${MAX_SECONDS}`);
}
