import { expect } from 'chai';
import { raw } from '../../support/bytes';
import { serve } from '../../support/test-server';
import { echo } from '../../../src/study/echo/service';

const ALLOW = 'GET, HEAD, POST, OPTIONS';

async function ask(start: string, lines = '', content = '') {
  const client = await (await serve({ service: echo })).client();
  const answer = await client.ask(start, lines, content);
  return { status: answer.status, content: answer.content, allow: answer.fields['allow'] };
}

describe('the echo service', () => {
  it('the echo service responds to GET / with text', async () => {
    const expected = { status: 200, content: 'hello\n', allow: undefined };
    expect(await ask('GET /')).to.deep.equal(expected);
  });
  it('the echo service responds to POST / with its content, by length or in chunks', async () => {
    const expected = { status: 200, content: 'a\r\n\xff', allow: undefined };
    const byLength = await ask('POST /', raw`Content-Length: 4\r\n`, raw`a\r\n\xff`);
    expect(byLength).to.deep.equal(expected);
    const chunks = raw`1\r\na\r\n3\r\n\r\n\xff\r\n0\r\n\r\n`;
    const inChunks = await ask('POST /', raw`Transfer-Encoding: chunked\r\n`, chunks);
    expect(inChunks).to.deep.equal(expected);
  });
  it('the echo service responds to HEAD like GET, without content', async () => {
    const client = await (await serve({ service: echo })).client();
    const head = (await client.ask('HEAD /')).raw;
    const get = (await client.ask('GET /')).raw;
    expect(head).to.match(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n/);
    expect(get.replace(/Content-Length: \d+\r\n/, '')).to.equal(`${head}hello\n`);
  });
  it('the echo service responds to OPTIONS with Allow and nothing else', async () => {
    for (const path of ['/', '/echo', '/cookie', '*', 'http://a']) {
      const expected = { status: 204, content: '', allow: ALLOW };
      expect(await ask(`OPTIONS ${path}`), path).to.deep.equal(expected);
    }
  });
  it('the echo service responds to /echo with the field lines without an underscore', async () => {
    const { content } = await ask(
      'GET /echo',
      raw`x-A:\t1\r\nX_A: 2\r\nx-a: 3 \r\nEmpty:\r\n`,
    );
    expect(content).to.equal('Host: a\nx-A: 1\nx-a: 3\nEmpty: \n');
  });
  it('the echo service responds to /cookie with the pairs of every Cookie field', async () => {
    const cookies = raw`Cookie: a=1; b=x=y;c=\r\nCookie: no pair; d=4;\r\n`;
    const { content } = await ask('GET /cookie', cookies);
    expect(content).to.equal('a=1\nb=x=y\nc=\nd=4\n');
  });
  it('the echo service responds to anything else with 404', async () => {
    for (const start of ['GET /x', 'POST /echo/', 'HEAD /Echo', 'OPTIONS //']) {
      expect(await ask(start), start).to.include({ status: 404, allow: undefined });
    }
  });
  it('the echo service responds to any other method with 405 and Allow', async () => {
    for (const start of ['DELETE /', 'PUT /echo', 'get /', 'TRACE /x', 'CONNECT a:443']) {
      expect(await ask(start), start).to.include({ status: 405, allow: ALLOW });
    }
  });
});
