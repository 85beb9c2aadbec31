/** The interface between the protocol layer and a service. */

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
  readonly contentType?: string | undefined;
  /** Further fields, but none that the protocol layer decides: OWN_FIELDS in response.ts
   * names them. */
  readonly headers?: readonly Field[] | undefined;
  /** Fields that follow the content (9110 §6.5). With them, it is sent as one chunk. A client
   * that speaks HTTP/1.0 does not get them, and any recipient may drop them. */
  readonly trailers?: readonly Field[] | undefined;
}

/** The phrases of all final statuses that have one in the IANA registry: a service can send
 * these (9110 §15). */
// prettier-ignore
export const REASON_PHRASES = {
  200: 'OK', 201: 'Created', 202: 'Accepted', 203: 'Non-Authoritative Information',
  204: 'No Content', 205: 'Reset Content', 206: 'Partial Content', 207: 'Multi-Status',
  208: 'Already Reported', 226: 'IM Used',
  300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other',
  304: 'Not Modified', 305: 'Use Proxy', 307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden',
  404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable',
  407: 'Proxy Authentication Required', 408: 'Request Timeout', 409: 'Conflict',
  410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed',
  413: 'Content Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable', 417: 'Expectation Failed', 421: 'Misdirected Request',
  422: 'Unprocessable Content', 423: 'Locked', 424: 'Failed Dependency', 425: 'Too Early',
  426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
  431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway',
  503: 'Service Unavailable', 504: 'Gateway Timeout', 505: 'HTTP Version Not Supported',
  506: 'Variant Also Negotiates', 507: 'Insufficient Storage', 508: 'Loop Detected',
  510: 'Not Extended', 511: 'Network Authentication Required',
} as const;

export type Status = keyof typeof REASON_PHRASES;

/** Responds to a request. This is all that the protocol layer knows of a service.
 * @param explain takes each step, for the trace: a state, the condition that held, what is
 * next */
export type Service = (request: Request, explain?: Explain) => Response;
export type Explain = (state: string, condition: string, next: string) => void;
