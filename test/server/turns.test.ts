import { expect } from 'chai';
import { raw } from '../support/bytes';
import { serve } from '../support/test-server';

const GET = raw`GET /tasks HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('turns', () => {
  it('a client with twelve requests waits for others between two of them', async () => {
    const server = await serve({ maxRequests: 10 });
    const [greedy, modest] = [await server.client(), await server.client()];
    greedy.send(GET.repeat(12));
    modest.send(GET);
    expect((await modest.answer()).status).to.equal(200);
    expect((await greedy.closed()).rest.match(/HTTP\/1.1 200/g)).to.have.lengthOf(9);
  });
});
