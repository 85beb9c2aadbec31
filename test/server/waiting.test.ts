import { expect } from 'chai';
import { raw } from '../support/bytes';
import { story } from '../support/recorded-trace';
import { traced } from '../support/traced-server';

const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const post = (length: number): string =>
  raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;

describe('the trace of what the server waits for', () => {
  it('the trace tells what the server waits for, and which section asks for it', async () => {
    const { trace, client } = await traced();
    client.send(raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab`);
    const [missing, section] = ['1 more byte of the content', '9112 6.2'];
    expect(await trace.next('wait', 2)).to.include({ missing, section });
  });
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
