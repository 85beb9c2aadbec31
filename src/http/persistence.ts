/** Whether a connection stays open after a response (9112 §9). */
import { equalsIgnoreCase, trimOws } from './grammar';
import type { FieldLine } from './message';

interface Decision {
  /** What the response says in its Connection field, if it has one. */
  readonly connectionOption: 'close' | 'keep-alive' | undefined;
  readonly reason: string;
  /** The section that says so, such as "9112 9.3". */
  readonly section: string;
}
type Persisting = Decision & { readonly persists: true };
/** Why a connection closes. */
export type Closing = Decision & { readonly persists: false };
export type Persistence = Persisting | Closing;

const HTTP11_DEFAULT = persistent('HTTP/1.1 without "close"');
const HTTP10_KEEP_ALIVE = persistent('HTTP/1.0 with "keep-alive"', 'keep-alive');
const HTTP10_DEFAULT = closingBecause('HTTP/1.0 without "keep-alive"', '9112 9.3');
const CLOSE_REQUESTED = closingBecause('the client says "close"');
/** After a successful CONNECT the connection would be a tunnel: what follows is not a
 * request. */
const NO_TUNNEL = closingBecause(
  'what follows CONNECT is meant for a tunnel',
  '9110 9.3.6',
);

function persistent(reason: string, connectionOption?: 'keep-alive'): Persisting {
  return { persists: true, connectionOption, reason, section: '9112 9.3' };
}

/** The server's own reasons to close are made with it, too. */
export function closingBecause(reason: string, section = '9112 9.6'): Closing {
  return { persists: false, connectionOption: 'close', reason, section };
}

/** Whether the connection stays open as far as the request is concerned, in the order of
 * 9112 §9.3: "close" wins over "keep-alive". After CONNECT, it always closes.
 * @param connection the lines of the Connection field */
export function determinePersistence(
  minorVersion: number,
  method: string,
  connection: readonly FieldLine[],
): Persistence {
  if (hasOption(connection, 'close')) return CLOSE_REQUESTED;
  if (method === 'CONNECT') return NO_TUNNEL;
  if (minorVersion > 0) return HTTP11_DEFAULT;
  return hasOption(connection, 'keep-alive') ? HTTP10_KEEP_ALIVE : HTTP10_DEFAULT;
}

/** Connection = #connection-option; options are tokens, so a quotation mark means nothing
 * here, and they compare without case (9110 §7.6.1). */
function hasOption(lines: readonly FieldLine[], name: string): boolean {
  return lines.some(({ value }) => {
    if (!value.includes(',')) return equalsIgnoreCase(value, name); // the usual case
    return value.split(',').some((option) => equalsIgnoreCase(trimOws(option), name));
  });
}
