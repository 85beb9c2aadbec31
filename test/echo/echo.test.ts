import { expect } from 'chai';
import { serve } from '../support/server';
import { echo } from './service';

const ALLOW = 'GET, HEAD, POST, OPTIONS';

describe('the echo service', () => {
  const ask = async (start: string, lines = '', content = ''): Promise<{ status: number; content: string; allow: string | undefined }> => {
    const client = await (await serve({ service: echo })).client();
    const { status, fields, content: text } = await client.ask(start, lines, content);
    return { status, content: text, allow: fields['allow'] };
  };

  it('/ answers GET with text', async () => expect(await ask('GET /')).to.deep.equal({ status: 200, content: 'hello\n', allow: undefined }));
  it('/ answers POST with what it received, by length or in chunks', async () => {
    const received = { status: 200, content: 'a\r\n\xff', allow: undefined };
    expect(await ask('POST /', String.raw`Content-Length: 4\r\n`, String.raw`a\r\n\xff`)).to.deep.equal(received);
    expect(await ask('POST /', String.raw`Transfer-Encoding: chunked\r\n`, String.raw`1\r\na\r\n3\r\n\r\n\xff\r\n0\r\n\r\n`)).to.deep.equal(received);
  });
  it('/ answers HEAD like GET, without content', async () => {
    const client = await (await serve({ service: echo })).client();
    const head = (await client.ask('HEAD /')).raw;
    expect(head).to.match(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n/);
    expect((await client.ask('GET /')).raw.replace(/Content-Length: \d+\r\n/, '')).to.equal(`${head.replace(/Content-Length: \d+\r\n/, '')}hello\n`);
  });
  it('answers OPTIONS with Allow and nothing else', async () => {
    for (const path of ['/', '/echo', '/cookie', '*']) {
      expect(await ask(`OPTIONS ${path}`), path).to.deep.equal({ status: 204, content: '', allow: ALLOW });
    }
  });
  it('/echo answers with the field lines, without those that have an underscore in their name', async () => {
    const { content } = await ask('GET /echo', String.raw`x-A:\t1\r\nX_A: 2\r\nx-a: 3 \r\nEmpty:\r\n`);
    expect(content).to.equal('Host: a\nx-A: 1\nx-a: 3\nEmpty: \n');
  });
  it('/cookie answers with the pairs of every Cookie field', async () => {
    const { content } = await ask('GET /cookie', String.raw`Cookie: a=1; b=x=y;c=\r\nCookie: no pair; d=4;\r\n`);
    expect(content).to.equal('a=1\nb=x=y\nc=\nd=4\n');
  });
  it('404 for anything else', async () => {
    for (const start of ['GET /x', 'POST /echo/', 'HEAD /Echo', 'OPTIONS //']) expect(await ask(start), start).to.include({ status: 404, allow: undefined });
  });
  it('405 with Allow for any other method', async () => {
    for (const start of ['DELETE /', 'PUT /echo', 'get /', 'TRACE /x', 'CONNECT a:443']) expect(await ask(start), start).to.include({ status: 405, allow: ALLOW });
  });
});
