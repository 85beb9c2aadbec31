/** What Node's own parser makes of octets, asked through its HTTP server with a connection that is no socket. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

export interface NodeRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, in the order received. */
  readonly fields: readonly string[];
  readonly content: string;
}

/** @returns the requests that it took to their end, and its word for what it refused, '' where it refused nothing */
export function readByNode(octets: Buffer): Promise<{ requests: readonly NodeRequest[]; refusal: string }> {
  const requests: NodeRequest[] = [];
  let refusal = '';
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '', rawHeaders } = request;
    let content = '';
    request.setEncoding('latin1');
    request.on('data', (text: string) => (content += text));
    request.on('end', () => {
      requests.push({ method, target: url, fields: rawHeaders, content });
      response.end();
    });
  };
  // The parser is strict. What the server would judge by itself is left out: Host, Expect, and how many fields there are.
  const server = createServer({ insecureHTTPParser: false, requireHostHeader: false, maxHeaderSize: 1_048_576 }, take);
  server.maxHeadersCount = 0;
  server.on('checkExpectation', take);
  server.on('clientError', (error, socket) => {
    refusal = 'code' in error ? String(error.code) : error.message;
    socket.destroy();
  });
  const connection = new Duplex({ read: () => {}, write: (_octets, _encoding, done) => done() });
  const closed = new Promise((resolve) => connection.on('close', resolve));
  server.emit('connection', connection);
  connection.push(octets);
  connection.push(null);
  return closed.then(() => ({ requests, refusal }));
}
