import { expect } from 'chai';
import { CONTRACT } from '../support/contract';
import { serve } from '../support/server';

describe('the contract, over a socket', () => {
  it('every rule of §4, for every method', async () => {
    const server = await serve();
    for (const { method, path, status, check, allow } of CONTRACT) {
      const client = await server.client();
      const answer = await client.ask(`${method} ${path}`, String.raw`Content-Length: 2\r\n`, '{}');
      expect(answer.status, `${method} ${path}`).to.equal(status);
      expect(answer.fields['content-type']).to.equal('application/json');
      expect(answer.fields['allow']).to.equal(allow);
      check(JSON.parse(answer.content));
      client.socket.destroy();
    }
    expect(server.log).to.deep.equal(CONTRACT.map(({ method, path }) => `${method} ${path}`));
  });

  it('HEAD is 405 with an empty line at its end, and the connection goes on', async () => {
    const client = await (await serve()).client();
    expect((await client.ask('HEAD /tasks')).raw).to.equal(
      'HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nAllow: GET, POST\r\n\r\n',
    );
    expect((await client.ask('GET /')).status).to.equal(200);
  });

  it('an answer, to the octet', async () => {
    const client = await (await serve()).client();
    expect((await client.ask('GET /')).raw).to.equal(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 49\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n' +
        '{"message":"Task Management API","version":"1.0"}',
    );
  });

  it('the query is no part of the path, nor of the log', async () => {
    const server = await serve();
    const client = await server.client();
    expect((await client.ask('GET /tasks?done=true')).status).to.equal(200);
    expect((await client.ask('GET http://h/tasks/1?x')).status).to.equal(200);
    expect((await client.ask('OPTIONS *')).status).to.equal(405);
    expect(server.log).to.deep.equal(['GET /tasks', 'GET /tasks/1', 'OPTIONS *']);
  });
});
