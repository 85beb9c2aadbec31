/** The possible results of reading. */
import type { Request } from './message';
import type { Persistence } from './persistence';
import type { ProtocolError } from './protocol-error';
import type { Excerpt } from './receive-buffer';

/** What RequestReader.next() finds. */
export type Outcome =
  | Waiting
  | Complete
  | Rejected
  // Nothing more is read: the client sends nothing more and everything has been read, or a
  // request was rejected.
  | { readonly kind: 'finished' };

/** The request that is being read, or the next one, is not complete. */
export interface Waiting {
  /** - `wait`: more bytes are needed
   *  - `continue`: the same, and the client waits for 100 (Continue) before it sends them
   *  - `pause`: more bytes have arrived than it is fair to parse while others wait */
  readonly kind: 'wait' | 'continue' | 'pause';
  /** What is missing, such as "the end of the request line". */
  readonly missing: string;
  /** The section that asks for it, such as "9112 3". */
  readonly section: string;
  /** Whether a request has begun. An empty line begins none. */
  readonly inRequest: boolean;
  /** The length of which it is a part, if a client has announced one. */
  readonly announced?: Announced;
  /** What would be right, if not these bytes. */
  readonly expected?: string | undefined;
}

/** A length that the client has announced. */
export interface Announced {
  readonly by: 'its Content-Length' | 'the size of this chunk';
  readonly size: number;
  /** How many of the bytes have arrived. */
  readonly arrived: number;
}

/** A request has been read to its end. */
export interface Complete {
  readonly kind: 'request';
  readonly request: ReceivedRequest;
  /** How many bytes it has, including its content and an empty line before it. */
  readonly bytes: number;
  /** Whether the connection stays open, as far as the request is concerned. */
  readonly persistence: Persistence;
}

export interface ReceivedRequest extends Request {
  /** 1 for HTTP/1.1 */
  readonly minorVersion: number;
}

/** The request is rejected, and nothing after it is read. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly error: ProtocolError;
  /** Its method, or '' if that is not known: a response to HEAD has no content. */
  readonly method: string;
  /** The line that is wrong. */
  readonly excerpt: Excerpt;
  /** How many bytes after the wrong one have arrived. */
  readonly bytesAfter: number;
}

export function waitFor(missing: string, section: string, inRequest = true): Waiting {
  return { kind: 'wait', missing, section, inRequest };
}

/** Between requests. */
export const WAIT_FOR_REQUEST = waitFor('a request', '9112 2.1', false);
