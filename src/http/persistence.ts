/** Whether a connection stays open after a response (9112 §9), and Expect (9110
 * §10.1.1). */
import { listElements } from './control-fields';
import { equalsIgnoreCase, trimOws } from './grammar';
import type { FieldLine } from './message';
import { allowedBy } from './protocol-error';

export interface Persistence {
  readonly persists: boolean;
  /** What the response says in its Connection field, if it has one. */
  readonly connectionOption: 'close' | 'keep-alive' | undefined;
  readonly reason: string;
  /** The section that says so, such as "9112 9.3". */
  readonly section: string;
}

const HTTP11_DEFAULT = persistent('HTTP/1.1 without "close"');
const HTTP10_KEEP_ALIVE = persistent('HTTP/1.0 with "keep-alive"', 'keep-alive');
const HTTP10_DEFAULT = closing('HTTP/1.0 without "keep-alive"', '9112 9.3');
const CLOSE_REQUESTED = closing('the client says "close"');
/** After a successful CONNECT the connection would be a tunnel: what follows is not a
 * request. */
const NO_TUNNEL = closing('what follows CONNECT is meant for a tunnel', '9110 9.3.6');

// The server's own reasons.
export const LAST_REQUEST = closing('the limit of requests is reached');
export const STOPPED = closing('the server stops');
export const SERVER_FAILED = closing('the service failed');
export const REJECTED = closing('the request was rejected: nothing after it is handled');
export const INPUT_ENDED = closing('the client sends nothing more', '9112 9.5');

/** @param since what the time is counted from */
export function noRequestWithin(
  seconds: number,
  since: 'connecting' | 'the last response',
): Persistence {
  return closing(`no request within ${seconds} s of ${since}`, '9112 9.5');
}

function persistent(reason: string, connectionOption?: 'keep-alive'): Persistence {
  return { persists: true, connectionOption, reason, section: '9112 9.3' };
}

function closing(reason: string, section = '9112 9.6'): Persistence {
  return { persists: false, connectionOption: 'close', reason, section };
}

/** Whether the connection stays open as far as the request is concerned, in the order of
 * 9112 §9.3: "close" wins over "keep-alive". After CONNECT, it never does.
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

/** Expect = #expectation, of which only one is defined: 100-continue (9110 §10.1.1).
 * @param expect the lines of the Expect field
 * @returns whether the client expects 100 (Continue)
 * @throws ProtocolError if the client expects anything else */
export function expectsContinue(expect: readonly FieldLine[]): boolean {
  if (expect.length === 0) return false;
  const elements = listElements(expect);
  const unknown = elements.find(({ text }) => !equalsIgnoreCase(text, '100-continue'));
  if (unknown !== undefined) {
    const reason = 'An expectation other than 100-continue';
    const expected = '100-continue, or no Expect field at all';
    throw allowedBy('9110 10.1.1', unknown.offset, reason, { status: 417, expected });
  }
  return elements.length > 0;
}
