import { expect } from 'chai';
import { judge, judgeReply } from '../../../src/study/workbench/judge';
import { GROUPS, requestOf } from '../../../src/study/cases';
import { bytes, raw } from '../../support/bytes';
import { read } from '../../support/reading';
import { ProtocolError } from '../../../src/http/protocol-error';

const NOTHING = Buffer.alloc(0);
const HEAD = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n`;
const of = (text: string, before = '', sending = {}) =>
  judge(bytes(before), bytes(text), sending);

describe('the judgement of bytes that are not sent', () => {
  it('says what the server would wait for', () => {
    expect(of('').says).to.equal('The server waits for a request (RFC 9112 section 2.1).');
    expect(of('GET /ta').says).to.equal(
      'The server waits for the end of the request line (RFC 9112 section 3).',
    );
    expect(of(`${HEAD}he`).says).to.equal(
      'The server waits for 3 more bytes of the content (RFC 9112 section 6.2).',
    );
  });
  it('says what is wrong, and at which byte', () => {
    const { kind, says, wrong } = of(raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`);
    expect([kind, wrong]).to.deep.equal(['reject', 20]);
    expect(says).to.match(/^The server rejects it with 400: White space /);
    expect(says).to.match(/ \(required by RFC 9112 section 5.1\), at byte 20\.$/);
  });
  it('counts complete requests, and says when the connection closes', () => {
    const get = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
    expect(of(get + get).says).to.equal(
      '2 requests are complete. The server responds, and waits for the next request.',
    );
    const closing = raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    const { kind, says } = of(closing + get);
    expect(kind).to.equal('close');
    expect(says).to.match(/^One request is complete\. The server responds and closes: /);
    expect(says).to.match(/ It drops the last 27 bytes\.$/);
  });
  it('names the parts, by kind', () => {
    const { kinds, digits } = of(raw`GET / HTTP/1.1\r\nX`);
    expect(kinds).to.deep.equal(['method', 'delimiter', 'target', 'version']);
    expect(digits).to.equal('0001213333333311 ');
  });
  it('goes on where the bytes that were sent before have ended', () => {
    const { kind, says } = of('llo', `${HEAD}he`);
    expect(kind).to.equal('respond');
    expect(says).to.match(
      /^It would follow the 54 bytes sent before\. One request is complete\./,
    );
    expect(of(raw`: a\r\n\r\nX`, raw`GET / HTTP/1.1\r\nHost `).wrong).to.equal(-1);
  });
  it('says which of the bytes before are not sent yet', () => {
    const { says } = of('llo', `${HEAD}he`, { unsent: 2 });
    expect(says).to.match(
      /^It would follow 54 bytes, of which 2 are still to be sent\. One/,
    );
    expect(of('T', 'GE', { unsent: 40 }).says).to.match(
      /^It would follow the 2 bytes that are still to be sent\. The server waits/,
    );
  });
  it('says what the server does only if the proxy lets it', () => {
    const proxied = (text: string): string => of(text, '', { isProxied: true }).says;
    expect(proxied(HEAD)).to.match(
      /^If this is forwarded, the server waits for 5 more bytes of the content/,
    );
    expect(proxied(raw`G(T / HTTP/1.1\r\n`)).to.match(
      /^If this is forwarded, the server rejects /,
    );
    expect(proxied(`${HEAD}hello`)).to.match(
      /^One request is complete\. If this is forwarded, the server responds, /,
    );
    expect(proxied(raw`GET / HTTP/1.0\r\n\r\n`)).to.match(
      /If this is forwarded, the server responds and closes: /,
    );
  });
  it('says what comes of it that our side closes, or that a reset ends all', () => {
    const get = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
    // prettier-ignore
    for (const [text, ending, says] of [
      [get, 'close', /^One request is complete\. The server responds and closes, as you do\.$/],
      ['', 'close', /^The server closes, too\.$/],
      ['GET /t', 'close', /^The server rejects it with 400: The input ended mid-request/],
      [get, 'reset', / the next request\. Then comes your reset: you receive nothing more\.$/],
    ] as const)
      expect(of(text, '', { ending }).says).to.match(says);
  });
  it('only the bytes after the last complete request are still to be judged', () => {
    const pending = (before: string, text: string): string =>
      of(text, before).pending?.toString('latin1') ?? 'it closes';
    expect(pending('', 'GET /ta')).to.equal('GET /ta');
    expect(pending('GET /ta', raw`sks HTTP/1.1\r\nHost: a\r\n\r\nPO`)).to.equal('PO');
    expect(pending('', raw`G(T / HTTP/1.1\r\n`)).to.equal('it closes');
  });
  it('judges a response as a client: what it takes, and where it gives up', () => {
    const reply = (text: string, ending: 'stay' | 'close' = 'stay') => {
      const { digits, kind, kinds, says, wrong } = judgeReply(bytes(text), ending);
      return { kind, says, wrong, last: kinds[Number(digits.at(-1))] };
    };
    const short = raw`HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhello`;
    const waits =
      'A client takes 5 bytes of content, and waits for 3 more bytes of the content ' +
      '(RFC 9112 section 6.2).';
    const about = { last: 'content', wrong: undefined };
    expect(reply(short)).to.deep.equal({ kind: 'wait', says: waits, ...about });
    expect(reply(short.replace('8', '5'))).to.include({ kind: 'respond', ...about });
    expect(reply(short, 'close')).to.include({ kind: 'reject', wrong: 43 });
    expect(reply(short.replace('8', '5, 6'))).to.include({ kind: 'reject', wrong: 36 });
  });
  it('rejects each case of the conformance page at the byte at which the reader does', () => {
    let rejected = 0;
    for (const one of GROUPS.flatMap(({ cases }) => cases)) {
      const request = Buffer.from(requestOf(one), 'latin1');
      const { end } = read([request]);
      const { kind, says, wrong } = judge(NOTHING, request);
      if (kind === 'close') continue; // the reader alone reads on
      if (says.includes('complete.')) continue; // its offsets count from the next request
      const offset = end instanceof ProtocolError ? end.offset : undefined;
      expect(wrong, one.name).to.equal(offset);
      if (kind === 'reject') rejected += 1;
    }
    expect(rejected).to.be.above(80);
  });
});
