import { expect } from 'chai';
import { raw } from '../support/bytes';
import { CONTRACT } from '../support/api-table';
import { DATE, serve } from '../support/test-server';

describe('the API over a socket', () => {
  it('every row of the API has its response over a socket, and a line in the log', async () => {
    const server = await serve();
    for (const { method, path, status, check, allow } of CONTRACT) {
      const client = await server.client();
      const answer = await client.ask(
        `${method} ${path}`,
        raw`Content-Length: 2\r\n`,
        '{}',
      );
      expect(answer.status, `${method} ${path}`).to.equal(status);
      expect(answer.fields['content-type']).to.equal('application/json');
      expect(answer.fields['allow']).to.equal(allow);
      check(JSON.parse(answer.content));
      client.socket.destroy();
    }
    expect(server.log).to.deep.equal(
      CONTRACT.map(({ method, path }) => `${method} ${path}`),
    );
  });

  it('the response to GET has exactly these bytes', async () => {
    const client = await (await serve()).client();
    expect((await client.ask('GET /')).raw).to.equal(
      [
        'HTTP/1.1 200 OK',
        'Content-Type: application/json',
        'Content-Length: 49',
        `Date: ${DATE}`,
        '',
        '{"message":"Task Management API","version":"1.0"}',
      ].join('\r\n'),
    );
  });

  it('HEAD gets 405 and no content, and the connection stays open', async () => {
    const client = await (await serve()).client();
    expect((await client.ask('HEAD /tasks')).raw).to.equal(
      [
        'HTTP/1.1 405 Method Not Allowed',
        'Content-Type: application/json',
        `Date: ${DATE}`,
        'Allow: GET, POST',
        '',
        '',
      ].join('\r\n'),
    );
    expect((await client.ask('GET /')).status).to.equal(200);
  });

  it('the query is ignored: neither the route nor the log has it', async () => {
    const server = await serve();
    const client = await server.client();
    expect((await client.ask('GET /tasks?done=true')).status).to.equal(200);
    expect((await client.ask('GET http://h/tasks/1?x')).status).to.equal(200);
    expect((await client.ask('OPTIONS *')).status).to.equal(405);
    expect(server.log).to.deep.equal(['GET /tasks', 'GET /tasks/1', 'OPTIONS *']);
  });
});
