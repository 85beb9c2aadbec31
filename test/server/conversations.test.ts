import { expect } from 'chai';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { withClient } from '../support/virtual-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;

describe('whole conversations', () => {
  it('the trace tells a conversation of two requests, one of them in two pieces', async () => {
    const { world, trace, server, client } = await withClient();
    client.send('GET /ta');
    await world.settle();
    client.send(raw`sks/1 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n`);
    await world.settle();
    client.send(raw`DELETE /tasks/9?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    await world.settle();
    client.end();
    await world.settle();
    void server.stop();
    await world.settle();
    expect(trace.lines()).to.equal(
      story(raw`
      --  listen port N
      c1  open   127.0.0.1:N
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  read   7 bytes
             0 | GET /ta
      c1  wait   for the end of the request line (RFC 9112 section 3), 60 s at most
      c1  read   40 bytes
             7 | sks/1 HTTP/1.1\r\n
            23 | Host: localhost:8080\r\n
            45 | \r\n
      c1  parse  request line: GET, origin-form, path "/tasks/1", HTTP/1.1 (RFC 9112 section 3)
      c1  parse  1 field line, Host "localhost:8080" (RFC 9112 section 3.2)
      c1  frame  no content: neither Content-Length nor Transfer-Encoding \
                 (RFC 9112 section 6.3, rule 7)
      c1  keep   the client lets it stay open: HTTP/1.1 without "close" (RFC 9112 section 9.3)
      c1  queue  complete; place 1
      c1  turn   request 1: GET /tasks/1
      c1  route  start -GET-> get -path contains "/tasks/"-> getId -id "1" is 1 to 5-> \
                 getTask -task exists-> task = 200
      c1  write  158 bytes
             0 | HTTP/1.1 200 OK\r\n
            17 | Content-Type: application/json\r\n
            49 | Content-Length: 50\r\n
            69 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           106 | \r\n
           108 | {"id":1,"title":"Read a request line","done":true}
      c1  idle   waiting for the next request, 5 s at most
      c1  read   58 bytes
             0 | DELETE /tasks/9?x HTTP/1.1\r\n
            28 | Host: a\r\n
            37 | Connection: close\r\n
            56 | \r\n
      c1  parse  request line: DELETE, origin-form, path "/tasks/9", HTTP/1.1 \
                 (RFC 9112 section 3)
      c1  parse  query "x" is not part of the path
      c1  parse  2 field lines, Host "a" (RFC 9112 section 3.2)
      c1  frame  no content: neither Content-Length nor Transfer-Encoding \
                 (RFC 9112 section 6.3, rule 7)
      c1  keep   the connection closes after the response: the client says "close" \
                 (RFC 9112 section 9.6)
      c1  queue  complete; place 1
      c1  turn   request 2: DELETE /tasks/9
      c1  route  start -DELETE-> delete -path contains "/tasks/"-> deleteId \
                 -id "9" is not 1 to 5-> invalidId = 400
      c1  write  244 bytes
             0 | HTTP/1.1 400 Bad Request\r\n
            26 | Content-Type: application/json\r\n
            58 | Content-Length: 107\r\n
            79 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           116 | Connection: close\r\n
           135 | \r\n
           137 | {"error":"Invalid task id \\"9\\": the part of the path \
                 after its second \\"/\\" must be a number from 1 to 5"}
      c1  close  the client says "close" (RFC 9112 section 9.6)
      c1  linger our side is closed: reading on until the client closes, or is \
      silent for 5 s; 30 s at most \
                 (RFC 9112 section 9.6)
      c1  end    the client closed its sending side, or the connection
      c1  gone   the client closed
      --  stop   asked to stop: the listener closes, 0.8 s at most
      --  stop   everything is closed
    `),
    );
  });

  it('the trace tells a conversation of a rejected request, and what comes after it', async () => {
    const { world, trace, client } = await withClient();
    client.send(raw`GET / HTTP/1.1\r\nHost : a\r\nAccept: x\r\n\r\n${GET}`);
    await world.settle();
    client.send('late').end();
    await world.settle();
    const told = trace.lines();
    expect(told.slice(told.indexOf('c1  parse'))).to.equal(
      story(raw`
      c1  parse  request line: GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)
      c1  reject 400 White space between a field name and the colon \
                 (required by RFC 9112 section 5.1)
            16 | Host : a\r\n
               |     ^ byte 20
                 not handled: not logged, not counted
      c1  risk   a reader that drops white space before a colon accepts this request, \
                 and ends it after byte 38 (lab 3)
      c1  write  242 bytes
             0 | HTTP/1.1 400 Bad Request\r\n
            26 | Content-Type: application/json\r\n
            58 | Content-Length: 105\r\n
            79 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           116 | Connection: close\r\n
           135 | \r\n
           137 | {"error":"White space between a field name and the colon \
                         (required by RFC 9112 section 5.1), at byte 20"}
      c1  close  the request was rejected: nothing after it is handled (RFC 9112 section 9.6)
      c1  drop   45 bytes after byte 20
      c1  linger our side is closed: reading on until the client closes, or is \
      silent for 5 s; 30 s at most \
                 (RFC 9112 section 9.6)
      c1  drop   4 bytes that arrived later: never parsed
      c1  end    the client closed its sending side, or the connection
      c1  gone   the client closed
    `),
    );
  });

  it('the trace tells a conversation of chunked content with 100 (Continue)', async () => {
    const { world, trace, client } = await withClient();
    client.send(CHUNKED.replace(raw`\r\n\r\n`, raw`\r\nExpect: 100-continue\r\n\r\n`));
    await world.settle();
    client.send(raw`A;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\n`);
    await world.settle();
    const told = trace.lines(
      'parse',
      'frame',
      'keep',
      'expect',
      'write',
      'wait',
      'queue',
      'turn',
    );
    expect(told).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  parse  request line: POST, origin-form, path "/tasks", HTTP/1.1 (RFC 9112 section 3)
      c1  parse  3 field lines, Host "a" (RFC 9112 section 3.2)
      c1  frame  content in chunks: "chunked" is the final transfer coding \
                 (RFC 9112 section 6.3, rule 4)
      c1  keep   the client lets it stay open: HTTP/1.1 without "close" (RFC 9112 section 9.3)
      c1  expect the client asks for 100 (Continue) (RFC 9110 section 10.1.1)
      c1  write  25 bytes
             0 | HTTP/1.1 100 Continue\r\n
            23 | \r\n
      c1  wait   for the content that 100 (Continue) asks for (RFC 9110 section 10.1.1), \
                 60 s at most
      c1  parse  chunk 1: size A (hex) = 10, data 90-99 (RFC 9112 section 7.1)
      c1  parse  4 bytes of chunk extensions dropped (RFC 9112 section 7.1.1)
      c1  parse  last chunk at 102: 10 bytes of content (RFC 9112 section 7.1)
      c1  parse  trailer section, ended by byte 112: 1 field line read and dropped: A \
                 (RFC 9110 section 6.5.1)
      c1  queue  complete; place 1
      c1  turn   request 1: POST /tasks
      c1  write  150 bytes
             0 | HTTP/1.1 200 OK\r\n
            17 | Content-Type: application/json\r\n
            49 | Content-Length: 42\r\n
            69 | Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n
           106 | \r\n
           108 | {"id":4,"title":"A new task","done":false}
    `),
    );
  });

  it('the trace tells a conversation of the last request, while others wait', async () => {
    const { world, trace, client } = await withClient({ maxRequests: 2 });
    const clients = [client, world.connect(), world.connect()];
    await world.settle();
    clients[0]?.send(GET.repeat(3));
    clients[1]?.send(GET.repeat(2));
    await world.settle();
    for (const one of clients) one.end();
    await world.settle();
    const told = trace.lines('queue', 'turn', 'close', 'drop', 'stop');
    expect(told).to.equal(
      story(raw`
      c1  queue  complete; place 1
      c2  queue  complete; place 2, behind c1
      c1  turn   request 1 of 2: GET /
      c1  queue  complete; place 2, behind c2
      c2  turn   request 2 of 2: GET /
      c2  close  the limit of requests is reached (RFC 9112 section 9.6)
      c2  drop   27 bytes after the last handled request: never parsed
      --  stop   limit of 2 reached: the listener closes, 0.8 s at most
      c1  close  the server stops (RFC 9112 section 9.6)
      c1  drop   GET /, complete but never handled; 27 bytes after it: never parsed
      c3  close  the server stops (RFC 9112 section 9.6)
      --  stop   everything is closed
    `),
    );
  });
});
