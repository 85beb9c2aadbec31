import { expect } from 'chai';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { traced } from '../support/traced-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

describe('the trace of what the server waits for', () => {
  const HEAD = raw`POST / HTTP/1.1\r\nHost: a\r\n`;
  const LINES = raw`${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  for (const [sent, missing, section] of [
    [raw`\r`, 'a request', '9112 2.1'],
    [raw`\r\n`, 'a request line after the empty line', '9112 2.2'],
    ['GET', 'the end of the request line', '9112 3'],
    [raw`POST / HTTP/1.1\r`, 'the end of the request line', '9112 3'],
    [
      raw`POST / HTTP/1.1\r\n`,
      'the next header field line, or the empty line that ends them',
      '9112 2.1',
    ],
    [raw`POST / HTTP/1.1\r\nHost`, 'the end of header field line 1', '9112 5'],
    [raw`${HEAD}A: b\r`, 'the end of header field line 2', '9112 5'],
    [raw`${HEAD}\r`, 'the next header field line, or the empty line that ends them', '9112 2.1'],
    [raw`${HEAD}Content-Length: 3\r\n\r\n`, '3 more bytes of the content', '9112 6.2'],
    [raw`${HEAD}Content-Length: 3\r\n\r\nab`, '1 more byte of the content', '9112 6.2'],
    [LINES, 'the end of the chunk line', '9112 7.1'],
    [raw`${LINES}3;a`, 'the end of the chunk line', '9112 7.1'],
    [raw`${LINES}3\r\na`, '2 more bytes of the data of chunk 1', '9112 7.1'],
    [raw`${LINES}3\r\nabc`, 'the CRLF after chunk 1', '9112 7.1'],
    [raw`${LINES}3\r\nabc\r`, 'the CRLF after chunk 1', '9112 7.1'],
    [raw`${LINES}1\r\na\r\n2\r\nb`, '1 more byte of the data of chunk 2', '9112 7.1'],
    [
      raw`${LINES}0\r\n`,
      'the next trailer field line, or the empty line that ends them',
      '9112 2.1',
    ],
    [raw`${LINES}0\r\nA: b\r\nB`, 'the end of trailer field line 2', '9112 5'],
  ] as const) {
    it(`after "${sent.slice(-24)}", the server waits for ${missing}`, async () => {
      const { trace, client } = await traced();
      client.send(sent);
      expect(await trace.next('wait', 2)).to.include({ missing, section });
    });
  }
  it('the server does not wait if enough bytes have arrived', async () => {
    const { trace, client } = await traced();
    client.send(post(200_000) + 'x'.repeat(200_000));
    await trace.next('turn');
    // The first one was told when the connection was opened, and the last read completed it.
    expect(trace.of('wait').length).to.be.at.most(trace.of('read').length);
  });
  it('the trace does not repeat a wait', async () => {
    const { trace, client } = await traced();
    client.send('GET');
    await trace.next('wait', 2);
    client.end();
    await trace.next('gone');
    expect(trace.of('wait')).to.have.lengthOf(2);
  });
});

describe('the order of the trace', () => {
  it('"wait" and "idle" come after "write" in the trace', async () => {
    const { trace, client } = await traced();
    client.send(GET + GET + raw`GET / HTTP/1.1\r\nHo`);
    await trace.next('wait', 2);
    client.send(raw`st: a\r\n\r\n`);
    await trace.next('idle');
    const told = trace.lines('turn', 'write', 'wait', 'idle').replace(/^ .*\n/gm, '');
    expect(told).to.equal(
      story(raw`
      c1  wait   for a request (RFC 9112 section 2.1), 60 s at most
      c1  turn   request 1
      c1  turn   request 2
      c1  write  314 bytes
      c1  wait   for the end of header field line 1 (RFC 9112 section 5), 60 s at most
      c1  turn   request 3
      c1  write  157 bytes
      c1  idle   waiting for the next request, 5 s at most
    `),
    );
  });
});
