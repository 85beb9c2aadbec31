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
  const CHUNKS = raw`1\r\na\r\n3\r\n\r\n\xff\r\n0\r\n\r\n`;
  const FIELDS = raw`x-A:\t1\r\nX_A: 2\r\nx-a: 3 \r\nEmpty:\r\n`;
  const COOKIES = raw`Cookie: a=1; b=x=y;c=\r\nCookie: no pair; d=4;\r\n`;
  const LENGTH = raw`Content-Length: 4\r\n`;
  const CHUNKED = raw`Transfer-Encoding: chunked\r\n`;
  // prettier-ignore
  for (const [what, [start, ...sent], content] of [
    ['GET / with text', ['GET /'], 'hello\n'],
    ['POST / with its content', ['POST /', LENGTH, raw`a\r\n\xff`], 'a\r\n\xff'],
    ['POST / with its content in chunks', ['POST /', CHUNKED, CHUNKS], 'a\r\n\xff'],
    ['/echo with the field lines without an underscore', ['GET /echo', FIELDS],
      'Host: a\nx-A: 1\nx-a: 3\nEmpty: \n'],
    ['/cookie with the pairs of every Cookie field', ['GET /cookie', COOKIES],
      'a=1\nb=x=y\nc=\nd=4\n'],
  ] as const) {
    it(`responds to ${what}`, async () => {
      const expected = { status: 200, content, allow: undefined };
      expect(await ask(start, ...sent)).to.deep.equal(expected);
    });
  }
  it('responds to HEAD like GET, without content', async () => {
    const client = await (await serve({ service: echo })).client();
    const head = (await client.ask('HEAD /')).raw;
    const get = (await client.ask('GET /')).raw;
    expect(head).to.match(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\n/);
    expect(get.replace(/Content-Length: \d+\r\n/, '')).to.equal(`${head}hello\n`);
  });
  // prettier-ignore
  for (const [status, allow, starts] of [
    [204, ALLOW, ['OPTIONS /', 'OPTIONS /echo', 'OPTIONS *', 'OPTIONS http://a']],
    [404, undefined, ['GET /x', 'POST /echo/', 'HEAD /Echo', 'OPTIONS //']],
    [405, ALLOW, ['DELETE /', 'PUT /echo', 'get /', 'TRACE /x', 'CONNECT a:443']],
  ] as const) {
    it(`responds ${status} to ${starts.join(', ')}`, async () => {
      for (const start of starts) expect(await ask(start), start).to.include({ status, allow });
    });
  }
});
