/** What the server tells to somebody who follows it: what its machines decide, as typed events, told where it is decided. */
import type { Failure } from '../http/failure';
import type { Excerpt } from '../http/input';
import type { ReadingEvent } from '../http/request-reader';

/** What happens on a connection. Offsets count octets of a request from 0. */
export type ConnectionEvent =
  | ReadingEvent
  | { readonly type: 'open'; readonly remote: string }
  /** `octets` are those of the socket: they must not be changed. */
  | { readonly type: 'read'; readonly octets: Buffer; readonly offset: number }
  | { readonly type: 'end' }
  | { readonly type: 'queue'; readonly place: number; readonly behind: number | undefined }
  /** `of` is 0 where there is no limit. */
  | { readonly type: 'turn'; readonly request: number; readonly of: number }
  /** The way through the service's own table: state, answer, state, answer, … */
  | { readonly type: 'route'; readonly way: readonly string[]; readonly status: number }
  | { readonly type: 'full' }
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'idle'; readonly seconds: number }
  | { readonly type: 'refuse'; readonly failure: Failure; readonly excerpt: Excerpt }
  | { readonly type: 'drop'; readonly count: number }
  /** Our side is closed: with an answer that says so, or in silence. */
  | { readonly type: 'close'; readonly why: string; readonly section: string }
  | { readonly type: 'gone' };

/** What happens to the server. */
export type ServerEvent =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'stopping'; readonly why: string }
  | { readonly type: 'stopped' };

/** `at` is in milliseconds since the start; `connection` counts from 1, and is 0 for what happens to the server itself. */
export type TraceEvent = { readonly at: number; readonly connection: number } & (ConnectionEvent | ServerEvent);
