/** What a trace sink hears: the decisions of the server, as typed events, where they are made. The
 * type of an event is the verb of its line. Offsets count the bytes of a request from 0. */
import type { ReaderEvent, Rejected } from '../http/outcome';

/** What happens on a connection. Buffers must not be changed. Times are in seconds. */
export type ConnectionEvent =
  | ReaderEvent
  | Readonly<
      | { type: 'open'; remoteAddress: string }
      | { type: 'read'; bytes: Buffer; offset: number }
      // `seconds` where a deadline begins: the most that it may take.
      | { type: 'wait'; missing: string; section: string; seconds: number | undefined }
      | { type: 'end' } // the client closed its sending side
      | { type: 'queue'; place: number; behind: number | undefined } // the connection before it
      | { type: 'block'; seconds: number }
      | { type: 'turn'; request: number; limit: number } // 0 for no limit
      // The way through the service's own table: state, condition, state, condition, ...
      | { type: 'route'; steps: readonly string[]; status: number }
      | { type: 'write'; text: string }
      | { type: 'idle'; seconds: number }
      | ({ type: 'reject' } & Pick<Rejected, 'error' | 'excerpt'>)
      | { type: 'close'; reason: string; section: string } // our side, once everything is sent
      // A request that is never handled ('' for none); a number of bytes, and where they are.
      | { type: 'drop'; request: string; bytes: number; place: string }
      | { type: 'linger'; seconds: number; isStopping: boolean } // whether the server stops
      | { type: 'gone'; reason: string }
    >;

/** What happens to the server. `refuse`: more connections than it may have. */
export type ServerEvent = Readonly<
  | { type: 'listen'; port: number }
  | { type: 'refuse'; remoteAddress: string; limit: number }
  | { type: 'stop'; reason: string }
>;

/** `at` is in milliseconds since the start; `connection` counts from 1, and is 0 for the server. */
export type TraceEvent = Readonly<{ at: number; connection: number }> &
  (ConnectionEvent | ServerEvent);
