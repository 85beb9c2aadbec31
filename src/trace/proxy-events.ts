/** What a proxy before the server tells, beside the trace of the server: whose request went
 * where, and who was given which response. Offsets count the bytes that the proxy sent on a
 * connection to the server, and responses are numbered on it, from 1: those of the trace
 * are the same. */

import type { Mistake } from '../naive/naive-request';

/** "p1" is a client of the proxy. */
type ClientName = string;

export type ProxyEvent = Readonly<
  // Its connection to the server, by the address that the server sees, and its mistake.
  | { type: 'connect'; connection: number; address: string; mistake: Mistake | undefined }
  // It has read a request. The content starts at an offset in the request.
  | {
      type: 'request';
      client: ClientName;
      request: number;
      name: string; // "POST /tasks"
      contentStart: number;
      contentLength: number;
    }
  // It begins to forward it. `from` is the offset of its first byte.
  | {
      type: 'forward';
      client: ClientName;
      request: number;
      connection: number;
      from: number;
    }
  // A client gets a response, or nobody does: then it is left over for the next one.
  | {
      type: 'response';
      client: ClientName | undefined;
      request: number | undefined; // for which the client gets it
      connection: number;
      response: number;
      isInterim: boolean;
      bytes: number;
    }
  // It responds in place of the server. Each character of the text is a byte.
  | { type: 'refuse'; client: ClientName; text: string }
  // What it did, in words.
  | { type: 'say'; line: string }
>;

/** An event, and when: in milliseconds since the server started. */
export type ProxyLine = ProxyEvent & { readonly at: number };
