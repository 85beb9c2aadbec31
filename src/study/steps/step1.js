const net = require('node:net');

async function serve(socket) {
  for await (const data of socket.setEncoding('latin1')) {
    const [method, path] = data.split(' ');
    const content = `${JSON.stringify({ method, path })}\n`;
    const head = `HTTP/1.1 200 OK\r\nContent-Length: ${content.length}`;
    socket.write(`${head}\r\n\r\n${content}`, 'latin1');
  }
}

net.createServer(serve).listen(8080, '127.0.0.1');
