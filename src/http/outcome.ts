/** The possible results of reading, and the decisions on the way. */
import type { Framing } from './framing';
import type { FieldLine, Request } from './message';
import type { LineKind, Part } from './parts';
import type { Persistence } from './persistence';
import type { ProtocolError } from './protocol-error';
import type { Excerpt } from './receive-buffer';
import type { RequestTarget } from './request-target';

/** What RequestReader.next() finds. */
export type Outcome = Waiting | Pausing | Continuing | Complete | Rejected | Finished;

/** More bytes are needed. */
export interface Waiting {
  readonly kind: 'wait';
  /** What they are needed for, such as "the end of the request line". */
  readonly missing: string;
  /** The section that asks for it, such as "9112 3". */
  readonly section: string;
  /** Whether a request has begun. An empty line begins none. */
  readonly inRequest: boolean;
}

/** More bytes have arrived than it is fair to parse at once while other connections wait. */
export interface Pausing {
  readonly kind: 'pause';
}

/** The client waits for 100 (Continue) before it sends the content. */
export interface Continuing {
  readonly kind: 'continue';
}

/** A request has been read to its end. */
export interface Complete {
  readonly kind: 'request';
  readonly request: Request;
  /** How many bytes it has, including its content and an empty line before it. */
  readonly bytes: number;
  /** What the client wants for the connection. */
  readonly persistence: Persistence;
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
  readonly unread: number;
}

/** The client sends nothing more, and everything has been read. */
interface Finished {
  readonly kind: 'finished';
}

export function waitFor(missing: string, section: string, inRequest = true): Waiting {
  return { kind: 'wait', missing, section, inRequest };
}

/** A procedure that yields where it must wait or pause, and where a request is complete.
 * `Result` is `void`, or `never` for a procedure without an end. */
export type Steps<Result> = Generator<Waiting | Pausing | Continuing | Complete, Result>;

/** Each decision of the reader, as it is made. The type is the verb of its line in the
 * trace. The `parts` are those of the bytes that the decision is about, if there are
 * any. */
export type ReaderEvent = Readonly<
  // An empty line before the request line, which is ignored.
  | { type: 'parse'; part: 'empty line'; parts?: readonly Part[] }
  | {
      type: 'parse';
      part: 'request line';
      method: string;
      target: RequestTarget;
      version: string; // as it was sent, such as "HTTP/1.1"
      parts?: readonly Part[];
    }
  | {
      type: 'parse';
      part: 'field line';
      section: 'header' | 'trailer';
      line: FieldLine;
      parts?: readonly Part[];
    }
  | {
      type: 'parse';
      part: 'header section';
      lines: readonly FieldLine[];
      host: string | undefined;
      form: RequestTarget['form'];
      parts?: readonly Part[]; // the empty line, and values that have a grammar of their own
    }
  | { type: 'frame'; framing: Framing }
  | { type: 'keep'; persistence: Persistence }
  | { type: 'expect'; ignoredBecause: string | undefined }
  // Content by length: the bytes that it has, though they may not have arrived.
  | { type: 'parse'; part: 'content'; parts?: readonly Part[] }
  | {
      type: 'parse';
      part: 'chunk';
      number: number;
      size: number;
      digits: string; // the size as it was sent
      extensions: number; // how many bytes of extensions are dropped
      offset: number; // of its data
      parts?: readonly Part[]; // of its line, and the data, which may not have arrived
    }
  // The CRLF after the data of a chunk.
  | { type: 'parse'; part: 'chunk end'; number: number; parts?: readonly Part[] }
  | {
      type: 'parse';
      part: 'last chunk';
      chunks: number;
      size: number; // of the whole content
      extensions: number;
      offset: number; // of its line
      parts?: readonly Part[];
    }
  | {
      type: 'parse';
      part: 'trailer section';
      lines: readonly FieldLine[];
      end: number;
      parts?: readonly Part[]; // the empty line
    }
  // The request is complete; `length` counts all its bytes.
  | { type: 'parse'; part: 'request'; length: number }
  // What was being read when the request was rejected, and its parts before the wrong byte.
  | {
      type: 'parse';
      part: 'rejected line';
      kind: LineKind;
      lineEnd: number | undefined; // where the next CRLF is, if it has arrived
      parts?: readonly Part[];
    }
>;
