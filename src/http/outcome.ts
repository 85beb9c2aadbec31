/** What reading the bytes of a connection comes to. */
import type { Framing } from './framing';
import type { FieldLine, Request } from './message';
import type { Persistence } from './persistence';
import type { ProtocolError } from './protocol-error';
import type { Excerpt } from './receive-buffer';
import type { Version } from './request-line';
import type { RequestTarget } from './request-target';

/** What RequestReader.next() finds. */
export type Outcome =
  | Waiting
  | { readonly kind: 'continue' } // the client waits for 100 (Continue)
  | { readonly kind: 'request'; readonly request: Request; readonly persistence: Persistence }
  | Rejected
  | { readonly kind: 'finished' }; // the client sends nothing more, and everything was read

/** The bytes are not a request that we take, and nothing after them is read. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly error: ProtocolError;
  readonly method: string; // '' where it is not known: a response to HEAD has no content
  readonly excerpt: Excerpt; // the line that is wrong
  readonly unread: number; // how many bytes after the wrong one are here
}

/** More bytes are needed: what for, and which section of which RFC asks for it. */
export interface Waiting {
  readonly kind: 'wait';
  readonly missing: string;
  readonly section: string;
  readonly inRequest: boolean; // whether a request has begun; an empty line begins none
}

export const waitFor = (missing: string, section: string, inRequest = true): Waiting => ({
  kind: 'wait',
  missing,
  section,
  inRequest,
});

/** A procedure that yields where it cannot continue, and returns what it has read. */
export type Steps<Result> = Generator<Outcome, Result>;

/** What the reader decides, as it decides it; the type is the verb of its line in the trace.
 * `offset` is that of the data of a chunk, or of the line of the last one. */
export type ReaderEvent = Readonly<
  | { type: 'parse'; part: 'request line'; method: string; target: RequestTarget; version: Version }
  | {
      type: 'parse';
      part: 'header section';
      lines: readonly FieldLine[];
      host: string | undefined;
      form: RequestTarget['form'];
    }
  | { type: 'frame'; framing: Framing }
  | { type: 'keep'; persistence: Persistence }
  | { type: 'expect' }
  | { type: 'parse'; part: 'chunk'; number: number; size: number; offset: number }
  | { type: 'parse'; part: 'last chunk'; chunks: number; size: number; offset: number }
  | { type: 'parse'; part: 'trailer section'; lines: readonly FieldLine[]; end: number }
>;
