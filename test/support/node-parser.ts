/** What Node's own parser makes of bytes, asked through its HTTP server, without a
 * socket. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

export interface NodeRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, in the order received. */
  readonly fields: readonly string[];
  readonly content: string;
}

interface NodeResult {
  /** The requests that it read to their end. */
  readonly requests: readonly NodeRequest[];
  /** Its code for what it rejected, '' where it rejected nothing. */
  readonly rejection: string;
}

// The parser is strict. What the server judges by itself is left out: Host, Expect, and the
// number of fields.
const OPTIONS = {
  insecureHTTPParser: false,
  requireHostHeader: false,
  maxHeaderSize: 1_048_576,
};

export function readByNode(bytes: Buffer): Promise<NodeResult> {
  const requests: NodeRequest[] = [];
  let rejection = '';
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
  const server = createServer(OPTIONS, take);
  server.maxHeadersCount = 0;
  server.on('checkExpectation', take);
  server.on('clientError', (error, socket) => {
    rejection = 'code' in error ? String(error.code) : error.message;
    socket.destroy();
  });
  const connection = new Duplex({
    read: () => {},
    write: (_bytes, _encoding, done) => done(),
  });
  const closed = new Promise((resolve) => connection.on('close', resolve));
  server.emit('connection', connection);
  connection.push(bytes);
  connection.push(null);
  return closed.then(() => ({ requests, rejection }));
}
