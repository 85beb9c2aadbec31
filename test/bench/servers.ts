/** What the server is compared with: `NAME CONTENT` serves until it is killed. */
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';

const [name = '', content = ''] = process.argv.slice(2);
const LINE = 'GET /tasks\n';
const ANSWER = [
  'HTTP/1.1 200 OK',
  'Content-Type: application/json',
  `Content-Length: ${content.length}`,
  `Date: ${new Date().toUTCString()}`,
  '',
  content,
].join('\r\n');
const END = Buffer.from('\r\n\r\n');
const CR = 0x0d;

const SERVERS: Readonly<Record<string, () => Server>> = {
  /** Node's own server, with a log line per request. */
  'node:http': () =>
    createHttpServer({ keepAliveTimeout: 600_000 }, ({ method, url }, response) => {
      process.stdout.write(`${method} ${url}\n`);
      const fields = {
        'Content-Type': 'application/json',
        'Content-Length': content.length,
      };
      response.writeHead(200, fields).end(content);
    }),

  /** As little as a server can do: it looks for the empty lines that end requests. The
   * answers of a connection, and all log lines, leave together, once in each turn of the
   * event loop. */
  ceiling: () => {
    const due = new Map<Socket, number>();
    const send = (): void => {
      let all = 0;
      for (const count of due.values()) all += count;
      process.stdout.write(LINE.repeat(all));
      for (const [socket, count] of due) socket.write(ANSWER.repeat(count), 'latin1');
      due.clear();
    };
    return createServer({ noDelay: true }, (socket) => {
      let matched = 0;
      socket.on('data', (bytes) => {
        let count = 0;
        for (let at = 0; at < bytes.length; at += 1) {
          matched = bytes[at] === END[matched] ? matched + 1 : bytes[at] === CR ? 1 : 0;
          if (matched < END.length) continue;
          matched = 0;
          count += 1;
        }
        if (due.size === 0) setImmediate(send);
        due.set(socket, (due.get(socket) ?? 0) + count);
      });
    });
  },

  /** A socket that answers whatever arrives. */
  'bare net': () =>
    createServer({ noDelay: true }, (socket) => {
      socket.on('data', () => socket.write(ANSWER, 'latin1'));
    }),
};

const server = SERVERS[name]?.().listen(0, '127.0.0.1', () => {
  const address = server?.address();
  if (typeof address === 'object')
    process.stdout.write(`Listening on port ${address?.port}\n`);
});
