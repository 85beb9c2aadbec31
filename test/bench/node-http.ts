/** What the server is compared with: node:http, with the same response and log lines. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { taskService } from '../../dist/tasks/dispatcher';

const { body } = taskService({ method: 'GET', path: '/tasks' });
const fields = { 'Content-Type': 'application/json', 'Content-Length': body.length };

const server = createServer({ keepAliveTimeout: 600_000 }, ({ method, url }, response) => {
  process.stdout.write(`${method} ${url}\n`);
  response.writeHead(200, fields).end(body);
}).listen(0, '127.0.0.1', () => {
  console.log(`Listening on port ${(server.address() as AddressInfo).port}`);
});
