const net = require('node:net');

async function serve(socket) {
  const input = { unread: '' };
  const reading = readRequest(input);
  for await (const data of socket.setEncoding('latin1')) {
    input.unread += data; // one character for each byte
    const { value: request } = reading.next();
    if (request !== undefined) respond(socket, request);
  }
}

function respond(socket, value) {
  const content = `${JSON.stringify(value)}\n`;
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${content.length}`;
  socket.write(`${head}\r\n\r\n${content}`, 'latin1');
}

function* readRequest(input) {
  const [method, path] = (yield* takeLine(input)).split(' ');
  while ((yield* takeLine(input)) !== '') continue; // a field line, which we ignore
  const content = input.unread;
  return { method, path, content };
}

function* takeLine(input) {
  while (!input.unread.includes('\r\n')) yield; // Wait here until more bytes arrive.
  const line = input.unread.slice(0, input.unread.indexOf('\r\n'));
  input.unread = input.unread.slice(line.length + 2);
  return line;
}

net.createServer(serve).listen(8080, '127.0.0.1');
