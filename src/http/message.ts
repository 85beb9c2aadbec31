/** What the protocol layer and a service say to each other: types only. */

/** `value` has no white space around it; `offset` is where it stands in the request. */
export interface FieldLine {
  readonly name: string;
  readonly value: string;
  readonly offset: number;
}

/** A well-formed request, read to its end. Every string holds octets, one per character (ISO-8859-1). */
export interface Request {
  readonly method: string;
  /** The path as it was sent: no query, nothing decoded, no dot-segments removed. The target itself in asterisk-form and authority-form. */
  readonly path: string;
  /** The field lines of the header section, in order. */
  readonly headers: readonly FieldLine[];
  /** The content, its transfer coding removed. */
  readonly body: string;
}

/** The status codes that can be answered, with the reason phrases of RFC 9110 (431: RFC 6585). */
export const REASON = {
  200: 'OK',
  204: 'No Content',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  414: 'URI Too Long',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
  505: 'HTTP Version Not Supported',
} as const;

export type Status = keyof typeof REASON;

export interface Response {
  readonly status: Status;
  /** The content, one octet per character. */
  readonly content: string;
  /** The media type of the content. "application/json" if left out. */
  readonly type?: string;
  /** Further field lines, each "Name: value". */
  readonly fields?: readonly string[];
}

/**
 * What answers requests. The protocol layer knows nothing else of it.
 * @param explain where somebody follows along: to be called with each step of the decision, as state, answer and next state
 */
export type Service = (request: Request, explain?: Explain) => Response;
export type Explain = (state: string, answer: string, next: string) => void;
