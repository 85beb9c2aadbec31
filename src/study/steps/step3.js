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
  const fields = yield* readFields(input);
  const content = yield* takeBytes(input, Number(fields.get('content-length') ?? 0));
  return { method, path, content };
}

function* readFields(input) {
  const fields = new Map();
  for (let line; (line = yield* takeLine(input)) !== '';) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function* takeLine(input) {
  while (!input.unread.includes('\r\n')) yield; // Wait here until more bytes arrive.
  return (yield* takeBytes(input, input.unread.indexOf('\r\n') + 2)).slice(0, -2);
}

function* takeBytes(input, count) {
  while (input.unread.length < count) yield;
  const bytes = input.unread.slice(0, count);
  input.unread = input.unread.slice(count);
  return bytes;
}

net.createServer(serve).listen(8080, '127.0.0.1');
