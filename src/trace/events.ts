/** The events of the trace: each decision of the server, told when it takes effect. The
 * type of an event is the verb of its line. It can be written as JSON, so bytes are text,
 * a character for each. Offsets count the bytes of a request from 0. `at` is in
 * milliseconds, and `seconds` in seconds. */
import type { ProtocolError } from '../http/protocol-error';
import type { ReaderEvent } from './reader-trace';
import type { Risk } from '../naive/risk';

/** A response. A recorded trace has only the beginning of a long one. */
export interface Written {
  readonly text: string;
  readonly length: number;
}

/** Which bytes are dropped: what they come after, or what they are part of. */
export type Dropped =
  | `after byte ${number}` // the wrong one
  | 'after the last handled request: never parsed'
  | 'after it: never parsed' // a complete request that is not handled
  | 'of a request that is not complete'
  | 'outside of any request'
  | 'that arrived later: never parsed';

/** What happens on a connection. */
export type ConnectionEvent =
  | ReaderEvent
  | Readonly<
      | { type: 'open'; remoteAddress: string | undefined } // undefined: the client is gone already
      | { type: 'read'; bytes: string; offset: number }
      | {
          type: 'wait';
          missing: string;
          section: string;
          seconds: number | undefined; // the most that it may take, where a deadline begins
        }
      | { type: 'end' } // the client closed its sending side, or reset the connection
      | {
          type: 'queue';
          bytes: number; // of the whole request
          place: number;
          behind: number | undefined; // the connection before it
        }
      // The client is not reading its responses. It has this many seconds to read some of
      // them.
      | { type: 'block'; seconds: number; isStopping: boolean }
      // The requests that got a turn are counted; `limit` is the most of them, 0 for no
      // limit.
      | { type: 'turn'; request: number; limit: number; method: string; path: string }
      // The way through the service's own table: state, condition, state, condition, ...
      | { type: 'route'; steps: readonly string[]; status: number }
      | {
          type: 'write';
          responses: readonly Written[];
          isSent: boolean; // false: the client is gone
          part?: number; // from 1, where a response is written by hand, part by part
        }
      | { type: 'idle'; seconds: number }
      | {
          type: 'reject';
          error: Omit<ProtocolError, 'withHint'>;
          excerpt: { bytes: string; offset: number }; // the line that is wrong
        }
      // Who would read the same bytes differently: after the `reject`, or before the `parse`
      // of the whole request. It knows what has arrived by then, and the experiment of the
      // lab that shows it.
      | ({ type: 'risk'; experiment: number | undefined } & Risk)
      | { type: 'close'; reason: string; section: string } // our side, once everything is sent
      // A complete request that is never handled ('' for none), and a number of other
      // bytes.
      | { type: 'drop'; request: string; bytes: number; which: Dropped }
      // Until the client is silent for `silence`, or for `seconds` in all; whether the
      // server stops.
      | { type: 'linger'; silence: number; seconds: number; isStopping: boolean }
      // How many bytes of the responses were never sent, at most.
      | { type: 'gone'; reason: string; unsent: number }
    >;

/** What happens to the server. */
export type ServerEvent = Readonly<
  | { type: 'listen'; port: number }
  | { type: 'refuse'; remoteAddress: string | undefined; limit: number } // of open connections
  | { type: 'error'; message: string } // the system could not accept a connection
  | { type: 'stop'; reason: string }
>;

/** `at` is in milliseconds since the start; `connection` counts from 1, and is 0 for the
 * server. */
export type TraceEvent = Readonly<{ at: number; connection: number }> &
  (ConnectionEvent | ServerEvent);
