import { createServer } from 'node:http';
createServer((request, response) => {
  request.resume().on('end', () => response.end('ok\n'));
}).listen(PORT, '127.0.0.1');
