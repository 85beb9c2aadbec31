/** Whether the connection stays open after the answer, and what the answer says of it (9112 §9.3, §9.6; 9110 §7.6.1). */
import { someElement } from './field-list';
import type { FieldLine } from './message';
import { isNamed } from './octets';

export interface Persistence {
  readonly persists: boolean;
  /** The value of the answer's Connection field; none where HTTP/1.1 needs no word. */
  readonly says?: 'close' | 'keep-alive';
  readonly why: string;
  readonly section: string;
}

export const PERSISTENT: Persistence = { persists: true, why: 'HTTP/1.1 without "close"', section: '9112 9.3' };
const KEPT_ALIVE: Persistence = { persists: true, says: 'keep-alive', why: 'HTTP/1.0 with "keep-alive"', section: '9112 9.3' };
const CLOSE_ASKED: Persistence = { persists: false, says: 'close', why: 'the client says "close"', section: '9112 9.6' };
const OLD_DEFAULT: Persistence = { persists: false, says: 'close', why: 'HTTP/1.0 without "keep-alive"', section: '9112 9.3' };
/** After a successful CONNECT the connection would be a tunnel (9110 §9.3.6): what follows one is not read as a request. */
const NO_TUNNEL: Persistence = { persists: false, says: 'close', why: 'what follows CONNECT is for a tunnel', section: '9110 9.3.6' };
/** The server's own wish: it will handle no request after this one. */
export const LAST_ANSWER: Persistence = { persists: false, says: 'close', why: 'the maximum of requests is reached', section: '9112 9.6' };

/** The client has closed its side, and nothing is left to answer. */
export const CLIENT_DONE: Persistence = { persists: false, says: 'close', why: 'the client sends no more', section: '9112 9.6' };

/** "close" wins over "keep-alive" (9112 §9.3). Options compare without case. */
export function readPersistence(version: string, method: string, connection: readonly FieldLine[]): Persistence {
  if (has(connection, 'close')) return CLOSE_ASKED;
  if (method === 'CONNECT') return NO_TUNNEL;
  if (version === 'HTTP/1.1') return PERSISTENT;
  return has(connection, 'keep-alive') ? KEPT_ALIVE : OLD_DEFAULT;
}

function has(connection: readonly FieldLine[], option: string): boolean {
  return connection.length > 0 && someElement(connection, (text) => isNamed(text, option));
}
