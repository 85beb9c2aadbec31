/** What a proxy before the server tells, beside the trace of the server: who asked for what,
 * and who was given which response. */
import type { Mistake } from '../naive/naive-request';

/** "p1" is a client of the proxy, and "POST /tasks" a request. */
export type ProxyEvent = Readonly<
  // Its connection to the server, by the address that the server sees, and its mistake.
  | { type: 'connect'; connection: number; address: string; mistake: Mistake | undefined }
  | { type: 'request'; client: string; name: string }
  // A client gets a response, or nobody does: then it is left over for the next one. The
  // responses on a connection to the server are numbered from 1.
  | {
      type: 'response';
      client: string | undefined;
      asked: string | undefined; // what the client had asked for
      connection: number;
      response: number;
      bytes: number;
    }
  // It responds in place of the server.
  | { type: 'refuse'; client: string; status: string }
  // What it did, in words.
  | { type: 'say'; line: string }
>;

/** An event, and when: in milliseconds since the server started. */
export type ProxyLine = ProxyEvent & { readonly at: number };
