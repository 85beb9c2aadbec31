import { expect } from 'chai';
import { ProtocolError } from '../../../src/http/protocol-error';
import type { Ending } from '../../../src/study/bytes';
import { GROUPS, requestOf } from '../../../src/study/cases';
import { judge, judgeReply } from '../../../src/study/workbench/judge';
import { bytes, raw } from '../../support/bytes';
import { read } from '../../support/reading';

const HEAD = raw`POST /tasks HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n`;
const GET = raw`GET / HTTP/1.1\r\nHost: a\r\n\r\n`;
const CLOSING = raw`GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
const OK = raw`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello`;
const LONG = OK.replace('5', '8');

type Way = NonNullable<Parameters<typeof judge>[2]>;
const of = (text: string, before = '', way: Way = {}) =>
  judge(bytes(before), bytes(text), way);

type Case = readonly [text: string, before: string, way: Way, says: RegExp, wrong?: number];

describe('the judgement of bytes that are not sent', () => {
  // prettier-ignore
  const CASES: readonly Case[] = [
    ['', '', {}, /^The server waits for a request \(RFC 9112 section 2\.1\)\.$/],
    [`${HEAD}he`, '', {}, /^The server waits for 3 more bytes of the content \(RFC/],
    [raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`, '', {},
      /^The server rejects it with 400: White space .* section 5\.1\), at byte 20\.$/, 20],
    [GET + GET, '', {},
      /^2 requests are complete\. The server responds, and waits for the next request\.$/],
    [CLOSING + GET, '', {},
      /^One request is complete\. The server responds and closes: .* drops the last 27 bytes\.$/],
    ['llo', `${HEAD}he`, {}, /^It would follow the 54 bytes before it\. One request is/],
    [raw`: a\r\n\r\nX`, raw`GET / HTTP/1.1\r\nHost `, {}, / at byte 20\.$/, -1],
    [HEAD, '', { isProxied: true }, /^If this is forwarded, the server waits for 5 more bytes/],
    [GET, '', { ending: 'close' }, / is complete\. The server responds and closes, as you do\.$/],
    ['', '', { ending: 'close' }, /^The server closes, too\.$/],
    ['GET /t', '', { ending: 'close' }, /^The server rejects it with 400: The input ended/, 6],
    [GET, '', { ending: 'reset' }, / Then comes your reset: you receive nothing more\.$/],
  ];
  it('says what the server would make of them, after what was sent', () => {
    for (const [text, before, way, says, wrong] of CASES) {
      const judged = of(text, before, way);
      expect(judged.says).to.match(says);
      expect(judged.wrong, judged.says).to.equal(wrong);
    }
  });
  it('names the parts by kind, and keeps what comes after the last complete request', () => {
    const { digits, kinds } = of(raw`GET / HTTP/1.1\r\nX`);
    expect(kinds).to.deep.equal(['method', 'delimiter', 'target', 'version']);
    expect(digits).to.equal('0001213333333311 ');
    const pending = (before: string, text: string) => of(text, before).pending?.toString();
    expect(pending('GET /ta', raw`sks HTTP/1.1\r\nHost: a\r\n\r\nPO`)).to.equal('PO');
    expect(pending('', raw`G(T / HTTP/1.1\r\n`), 'it closes').to.equal(undefined);
  });
  it('says what a client would make of a response', () => {
    const reply = (text: string, ending: Ending = 'stay') => {
      const { digits, kind, kinds, wrong } = judgeReply(bytes(text), ending);
      return [kind, wrong, kinds[Number(digits.at(-1))]];
    };
    expect(reply(OK)).to.deep.equal(['respond', undefined, 'content']);
    expect(reply(LONG)).to.deep.equal(['wait', undefined, 'content']);
    const { says } = judgeReply(bytes(LONG), 'never');
    expect(says).to.match(/ last part comes again and again\.$/);
    expect(reply(LONG, 'close')).to.deep.equal(['reject', 43, 'content']);
    expect(reply(OK.replace('5', '5, 6')).slice(0, 2)).to.deep.equal(['reject', 36]);
  });
  it('rejects each case of the conformance page at the byte at which the reader does', () => {
    for (const one of GROUPS.flatMap(({ cases }) => cases)) {
      const request = Buffer.from(requestOf(one), 'latin1');
      const { end } = read([request]);
      const { kind, says, wrong } = judge(Buffer.alloc(0), request);
      // The reader alone reads on, and offsets count from a complete request.
      if (kind === 'close' || says.includes('complete.')) continue;
      const offset = end instanceof ProtocolError ? end.offset : undefined;
      expect(wrong, one.name).to.equal(offset);
    }
  });
});
