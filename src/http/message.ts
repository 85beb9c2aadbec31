/** The interface between the protocol layer and a service: types only. */
import type { Status } from './status';

/** A field line, without white space around its value. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

/** A field line as the parsers see it: an error can point into it. */
export interface FieldLine extends Field {
  /** Where the value starts in the request. */
  readonly offset: number;
}

/** A well-formed request, read to its end. Each character of a string is one byte
 * (ISO-8859-1). */
export interface Request {
  readonly method: string;
  /** The path as it was sent: without the query, nothing decoded, no dot-segments removed.
   * In asterisk-form and authority-form it is the request-target. For a URI without a path
   * it is "/", or "*" if the method is OPTIONS and the URI has no query (9112 §3.2.4). */
  readonly path: string;
  /** What follows the first "?" of the request-target, as it was sent; undefined without
   * one (3986 §3.4). */
  readonly query: string | undefined;
  /** Of the header section, in the order received. */
  readonly headers: readonly Field[];
  /** The content, without its transfer coding. Each access makes a new string. */
  readonly body: string;
}

/** The response of a service. One that cannot be sent becomes a 500 (see response.ts). */
export interface Response {
  readonly status: Status;
  /** Each character is one byte, so none is above U+00FF. */
  readonly body: string;
  /** "application/json" by default. */
  readonly contentType?: string;
  /** Further fields, but none that the protocol layer decides: OWN_FIELDS in response.ts
   * names them. */
  readonly headers?: readonly Field[];
}

/** Responds to a request. This is all that the protocol layer knows of a service.
 * @param explain takes each step, for the trace: a state, the condition that held, what is
 * next */
export type Service = (request: Request, explain?: Explain) => Response;
export type Explain = (state: string, condition: string, next: string) => void;
