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
    const type = 'Content-Type: application/json\r\n';
    expect((await client.ask('HEAD /tasks')).raw).to.equal(
      `HTTP/1.1 405 Method Not Allowed\r\n${type}Date: ${DATE}\r\nAllow: GET, POST\r\n\r\n`,
    );
    expect((await client.ask('GET /')).raw).to.equal(
      `HTTP/1.1 200 OK\r\n${type}Content-Length: 49\r\nDate: ${DATE}\r\n\r\n` +
        '{"message":"Task Management API","version":"1.0"}',
    );
  });
});
