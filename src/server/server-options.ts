/** The options of startServer(): their meaning, defaults and checks. */
import type { Service } from '../http/message';
import type { TraceEvent } from '../trace/events';

export interface ServerOptions {
  readonly service: Service;
  /** 0, the default, lets the system choose a port. */
  readonly port?: number | undefined;
  /** All interfaces by default. */
  readonly host?: string | undefined;
  /** How many requests are handled before the server stops; 0, the default, for no
   * limit. */
  readonly maxRequests?: number | undefined;
  /** How many connections may be open. A further one takes the place of the one that has
   * lingered longest, or is closed at once. 10,000 by default. */
  readonly maxConnections?: number | undefined;
  /** How many bytes of requests that have no response yet all connections together may hold:
   * header sections, content, trailer sections and pipelined bytes. By default, an eighth
   * of the heap limit of the process, but at most 128 MiB. The first 4 KiB of each
   * connection are not counted. A request that would take more is rejected with 503: 129
   * uploads that stop just short of 1 MiB hold all of 128 MiB, and then every other request
   * that needs more than 4 KiB is rejected. Bytes are counted, not the memory that they
   * take, which may be twice as much. Responses are not counted: for each client that does
   * not read, about 64 KiB and one response wait. The connections themselves also take
   * memory: with 10,000 of them, a heap of 64 MiB is too small, and one of 128 MiB is
   * enough. */
  readonly contentBudget?: number | undefined;
  /** Seconds for a whole request, from its first byte, and up to a second more while others
   * go first between its chunks. A new connection may wait as long before that byte, and a
   * client may take as long to read some of its responses. A client that reads steadily may
   * take as long as it needs for all of them. The system tells only when a third of its
   * buffer is free again: with the 4 MB of Linux and 60 s, a client has to read about 22 kB
   * per second. 60 by default. */
  readonly requestTimeout?: number | undefined;
  /** Seconds a connection may stay idle after a response. 5 by default. */
  readonly idleTimeout?: number | undefined;
  /** Gives the time for the Date field, in milliseconds since 1970. By default, or if it
   * fails, that is the system's. */
  readonly date?: (() => number) | undefined;
  /** Takes the log, in whole lines: "GET /tasks\n". If it fails, it is not called again. */
  readonly log?: ((lines: string) => void) | undefined;
  /** Receives each event as it happens. If it fails, it is not called again. */
  readonly trace?: ((event: TraceEvent) => void) | undefined;
}

/** The options with their defaults, checked. */
export type Settings = Readonly<ReturnType<typeof checkOptions>>;

/** The default budget in a process with a large heap, in bytes. */
const MAX_BUDGET = 134_217_728;
/** The longest time limit, in seconds: almost 25 days. */
const MAX_SECONDS = 2_147_483;
const MAX_WHOLE = Number.MAX_SAFE_INTEGER;
/** The end of the year 9999, in milliseconds: the year of Date has four digits (9110
 * §5.6.7). */
const MAX_TIME = 253_402_300_799_999;

/** @throws TypeError or RangeError that names the option */
export function checkOptions(options: ServerOptions) {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('startServer() takes an object with its options');
  }
  const {
    service,
    host,
    date,
    log,
    trace,
    port = 0,
    maxRequests = 0,
    maxConnections = 10_000,
    contentBudget = defaultBudget(),
    requestTimeout = 60,
    idleTimeout = 5,
    ...others
  } = options;
  const unknown = Object.keys(others)
    .map((name) => JSON.stringify(name))
    .join(', ');
  if (unknown !== '') throw new TypeError(`startServer() has no option ${unknown}`);
  for (const [name, value] of Object.entries({ service, date, log, trace })) {
    const isMissing = value === undefined && name !== 'service';
    if (!isMissing && typeof value !== 'function') {
      throw new TypeError(`${name} is not a function`);
    }
  }
  if (host !== undefined && typeof host !== 'string') {
    throw new TypeError('host is not a string');
  }
  if (host === '') throw new RangeError('host must be an address or a host name, not ""');
  checkWhole('port', port, 0, 65_535);
  checkWhole('maxRequests', maxRequests, 0);
  checkWhole('maxConnections', maxConnections, 1);
  checkWhole('contentBudget', contentBudget, 0);
  checkSeconds('requestTimeout', requestTimeout);
  checkSeconds('idleTimeout', idleTimeout);
  const limits = { maxRequests, maxConnections, contentBudget };
  return { service, host, port, date, log, trace, ...limits, requestTimeout, idleTimeout };
}

export function defaultBudget(): number {
  const { heap_size_limit: most } = process.getBuiltinModule('node:v8').getHeapStatistics();
  return Math.min(Math.floor(most / 8), MAX_BUDGET);
}

function checkWhole(name: string, value: number, min: number, max = MAX_WHOLE): void {
  const isRight = Number.isInteger(value) && value >= min && value <= max;
  check(name, value, isRight, `a whole number from ${min} to ${max}`);
}

function checkSeconds(name: string, value: number): void {
  const isRight = Number.isFinite(value) && value > 0 && value <= MAX_SECONDS;
  check(name, value, isRight, `greater than 0 and at most ${MAX_SECONDS}`);
}

function check(name: string, value: number, isRight: boolean, expected: string): void {
  if (typeof value !== 'number') throw new TypeError(`${name} is not a number`);
  if (!isRight) throw new RangeError(`${name} must be ${expected}, not ${value}`);
}

/** @throws TypeError or RangeError if what the clock of a program returns is not a time */
export function checkTime(time: number): void {
  const isRight = Number.isFinite(time) && time >= 0 && time <= MAX_TIME;
  check('what date() returns', time, isRight, 'a time from 1970 to 9999, in milliseconds');
}
