const net = require('node:net');

const REQUEST_LINE = /^([!-~]+) ([!-~]+) (HTTP\/1\.\d)$/;
const FIELD_LINE = /^([!-9;-~]+):([\t -~\x80-\xff]*)$/;

async function serve(socket) {
  const input = { unread: '' };
  const reading = readRequest(input);
  for await (const data of socket.setEncoding('latin1')) {
    input.unread += data; // one character for each byte
    try {
      const { value: request } = reading.next();
      if (request !== undefined) respond(socket, '200 OK', request);
    } catch (error) {
      respond(socket, '400 Bad Request', { error: error.message });
    }
  }
}

function respond(socket, status, value) {
  const content = `${JSON.stringify(value)}\n`;
  const head = `HTTP/1.1 ${status}\r\nContent-Length: ${content.length}`;
  socket.write(`${head}\r\n\r\n${content}`, 'latin1');
}

function reject(message) {
  throw new Error(message);
}

function* readRequest(input) {
  const [, method, path] =
    REQUEST_LINE.exec(yield* takeLine(input)) ?? reject('Not a request line');
  const fields = yield* readFields(input);
  const content = yield* readContent(input, fields);
  return { method, path, content };
}

function* readFields(input) {
  const fields = new Map();
  for (let line; (line = yield* takeLine(input)) !== '';) {
    const [, name, value] = FIELD_LINE.exec(line) ?? reject('Not a field line');
    const key = name.toLowerCase();
    fields.set(key, fields.has(key) ? `${fields.get(key)}, ${value.trim()}` : value.trim());
  }
  return fields;
}

function* readContent(input, fields) {
  const length = fields.get('content-length') ?? '0';
  const coding = fields.get('transfer-encoding');
  if (!/^\d+$/.test(length)) reject('Content-Length is not one number');
  if (coding === undefined) return yield* takeBytes(input, Number(length));
  if (fields.has('content-length')) reject('Transfer-Encoding together with Content-Length');
  if (coding.toLowerCase() !== 'chunked') reject('A transfer coding other than chunked');
  let content = '';
  for (;;) {
    const [, size] = /^([\da-f]+)(;.*)?$/i.exec(yield* takeLine(input)) ?? reject('No chunk-size');
    if (parseInt(size, 16) === 0) break;
    content += yield* takeBytes(input, parseInt(size, 16));
    if ((yield* takeLine(input)) !== '') reject('No line end after the data of a chunk');
  }
  yield* readFields(input); // the trailer section, which we ignore
  return content;
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
