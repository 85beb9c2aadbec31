/** What the server tells to somebody who follows it: typed events. */
import type { Failure } from '../http/failure';
import type { ReadingEvent } from '../http/request-reader';

/** What happens on a connection. Offsets count octets of a request from 0. */
export type ConnectionEvent =
  | ReadingEvent
  | { readonly type: 'open'; readonly remote: string }
  | { readonly type: 'read'; readonly octets: Buffer; readonly offset: number }
  | { readonly type: 'end' }
  | { readonly type: 'queue'; readonly place: number; readonly behind: number | undefined }
  | { readonly type: 'route'; readonly state: string; readonly answer: string; readonly to: string }
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'refuse'; readonly failure: Failure }
  | { readonly type: 'gone' };
