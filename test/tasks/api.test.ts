import { expect } from 'chai';
import { raw } from '../support/bytes';
import { CONTRACT } from '../support/api-table';
import { DATE, serve } from '../support/test-server';

describe('the API over a socket', () => {
  it('every row of the API has its response over a socket, and a line in the log', async () => {
    const server = await serve();
    for (const { method, path, status, check, allow } of CONTRACT) {
      const client = await server.client();
      const start = `${method} ${path}`;
      const answer = await client.ask(start, raw`Content-Length: 2\r\n`, '{}');
      expect(answer.status, start).to.equal(status);
      expect(answer.fields['content-type']).to.equal('application/json');
      expect(answer.fields['allow']).to.equal(allow);
      check(JSON.parse(answer.content));
      client.socket.destroy();
    }
    const log = CONTRACT.map(({ method, path }) => `${method} ${path}`);
    expect(server.log).to.deep.equal(log);
  });

  it('the responses to GET and HEAD have exactly these bytes', async () => {
    const client = await (await serve()).client();
    const type = 'Content-Type: application/json';
    const content = '{"message":"Task Management API","version":"1.0"}';
    const get = [
      'HTTP/1.1 200 OK',
      type,
      'Content-Length: 49',
      `Date: ${DATE}`,
      '',
      content,
    ];
    const notAllowed = 'HTTP/1.1 405 Method Not Allowed';
    const head = [notAllowed, type, `Date: ${DATE}`, 'Allow: GET, POST', '', ''];
    expect((await client.ask('HEAD /tasks')).raw).to.equal(head.join('\r\n'));
    expect((await client.ask('GET /')).raw).to.equal(get.join('\r\n'));
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
