import { expect } from 'chai';
import { RequestReader } from '../../src/http/request-reader';
import { MISTAKES, readNaively, Unreadable } from '../../src/naive/naive-request';
import type { Mistake } from '../../src/naive/naive-request';
import type { Risk } from '../../src/naive/risk';
import { riskIn } from '../../src/trace/risk';
import { requestOf } from '../../src/study/cases';
import { EXPERIMENTS } from '../../src/study/experiments';
import { toCommands } from '../../src/study/lab/commands';
import { bytes, raw } from '../support/bytes';
import { fuzz } from '../support/random-streams';
import { stream } from '../support/requests';

const POST = raw`POST /tasks HTTP/1.1\r\nHost: a\r\n`;
const NEXT = raw`DELETE /tasks/1 HTTP/1.1\r\nHost: a\r\n\r\n`;
const CHUNKED = raw`Transfer-Encoding: chunked\r\n`;
const TWO_LENGTHS = raw`${POST}Content-Length: 42\r\n${CHUNKED}\r\n0\r\n\r\n${NEXT}`;

const riskOf = (text: string, end?: number): Risk | undefined =>
  riskIn(bytes(text).toString('latin1'), end);
const consequenceOf = (risk: Risk | undefined): string | undefined =>
  risk?.consequences.map(({ does, who }) => `${who} ${does}.`).join(' ');

/** @returns where this server ends the first request, or undefined if it rejects it */
function endByServer(whole: Buffer): number | undefined {
  const reader = new RequestReader();
  reader.push(whole);
  let outcome = reader.next();
  while (outcome.kind === 'continue' || outcome.kind === 'pause') outcome = reader.next();
  return outcome.kind === 'request' ? outcome.bytes : undefined;
}

describe('the other reading of a request', () => {
  const LENGTH = (value: string): string => raw`${POST}Content-Length : ${value}\r\n\r\n`;
  const GET_37 = raw`GET / HTTP/1.1\r\nContent-Length: 37\r\n\r\n${NEXT}`;
  const TAKES =
    'A proxy that {space-before-colon} forwards one request, POST /tasks. A server ' +
    'that {space-in-name} takes';
  /** In braces is a mistake, which a reader makes. */
  // prettier-ignore
  for (const [what, text, end, summary, consequence] of [
    ['a second request in the content', TWO_LENGTHS, undefined,
      'a reader that {content-length} takes the 37 bytes from byte 86 as part of this request; ' +
      'for one that {transfer-encoding}, the next request starts there: DELETE /tasks/1 (lab 1)',
      'A proxy that {content-length} forwards one request, POST /tasks. A server that ' +
      '{transfer-encoding} handles DELETE /tasks/1, too: it has been smuggled past the proxy, ' +
      'and the next client gets the response to it.'],
    ['the beginning of one in the content', LENGTH('13') + 'GET / HTTP/1.', undefined,
      'a reader that {space-before-colon} takes the 13 bytes from byte 54 as part of this ' +
      'request; for one that {space-in-name}, the next request starts there (lab 3)',
      `${TAKES} the rest for the beginning of another, and takes what the next client sends ` +
      'for the rest of it.'],
    ['one but for its last byte', TWO_LENGTHS.replace('42', '41'), undefined,
      'a reader that {content-length} takes the 36 bytes from byte 86 as part of this request; ' +
      'for one that {transfer-encoding}, the next request starts there: DELETE /tasks/1 (lab 1)',
      'A proxy that {content-length} forwards one request, POST /tasks, up to byte 121. A server ' +
      'that {transfer-encoding} takes DELETE /tasks/1 for the beginning of another, and takes ' +
      'what the next client sends for the rest of it.'],
    ['one in content that is not all here', TWO_LENGTHS.replace('42', '45'), undefined,
      'a reader that {content-length} takes the 37 bytes from byte 86 as part of this request; ' +
      'for one that {transfer-encoding}, the next request starts there: DELETE /tasks/1 (lab 1)',
      'A proxy that {content-length} forwards one request, POST /tasks, or what is here of it, ' +
      'and waits for 3 more bytes. A server that {transfer-encoding} handles DELETE /tasks/1, ' +
      'too: it has been smuggled past the proxy, and the next client gets the response to it.'],
    ['content that is no request', raw`${LENGTH('7')}hello\r\n`, undefined,
      'a reader that {space-before-colon} takes the 7 bytes from byte 53 as part of this ' +
      'request; for one that {space-in-name}, the next request starts there (lab 3)',
      `${TAKES} the rest for another request, rejects it, and closes the connection for all ` +
      'clients.'],
    ['a length that one reader finds too long', raw`${POST}Content-Length: 1e1\r\n\r\nx`, undefined,
      'a reader that {parse-int} ends this request after byte 54; one that {number} waits for 9 ' +
      'more bytes (lab 7)',
      'A proxy that {parse-int} ends this request after byte 54. A server that {number} waits ' +
      'for more, and takes what the next client sends for the rest of it.'],
    ['a chunk that never ends', raw`${POST}${CHUNKED}\r\n100000000000000\r\n\r\n`, undefined,
      'a reader that {32-bit} ends this request after byte 79; one that {64-bit} waits for more ' +
      'bytes (lab 5)',
      'A proxy that {32-bit} ends this request after byte 79. A server that {64-bit} waits for ' +
      'more, and takes what the next client sends for the rest of it.'],
    ['a request that all careless readers cut alike', raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`,
      undefined,
      'a reader that {space-before-colon} accepts this request, and ends it after byte 27 (lab 3)',
      'A proxy that {space-before-colon} lets this request through.'],
    ['one that this server accepts', GET_37.replace('1.1', raw`1.1\r\nHost: a`), 84,
      'this server takes the 37 bytes from byte 47 as part of this request; for a reader that ' +
      '{no-content}, the next request starts there: DELETE /tasks/1',
      'A proxy that reads like this server forwards one request, GET /. A server that ' +
      '{no-content} handles DELETE /tasks/1, too: it has been smuggled past the proxy, and the ' +
      'next client gets the response to it.'],
    // Without a Host, even a proxy that makes no mistake about the end rejects it.
    ['one that it rejects, but not because of its end', GET_37, undefined,
      'a reader that reads the content takes the 37 bytes from byte 38 as part of this request; ' +
      'for one that {no-content}, the next request starts there: DELETE /tasks/1',
      'A proxy that reads the content forwards one request, GET /. A server that {no-content} ' +
      'handles DELETE /tasks/1, too: it has been smuggled past the proxy, and the next client ' +
      'gets the response to it.'],
  ] as const) {
    it(`it is said who reads differently: ${what}`, () => {
      const risk = riskOf(text, end);
      const told = [summary, consequence].map((said) =>
        said.replace(/\{([\w-]+)\}/g, (_, mistake: string) => MISTAKES[mistake as Mistake]),
      );
      expect([risk?.summary, consequenceOf(risk)]).to.deep.equal(told);
    });
  }

  // prettier-ignore
  for (const [what, text, end] of [
    ['a plain request', NEXT, bytes(NEXT).length],
    ['the beginning of a request', 'GET / HT', undefined],
    ['TLS', raw`\x16\x03\x01\x02\x00\r\n\r\n`, undefined],
    ['a chunk-size beyond the limit, for which a right reader waits, too',
      raw`${POST}${CHUNKED}\r\nffffffffffffff\r\nhello`, undefined],
    ['a length beyond the limit, which Number() reads exactly',
      raw`${POST}Content-Length: 1234567890123456\r\n\r\nhello`, undefined],
    ['a chunk-size with too many zeros before it, which each reader reads alike',
      raw`${POST}${CHUNKED}\r\n00000000000000003\r\nabc\r\n0\r\n\r\n`, undefined],
    ['a GET with a length of 0', raw`GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n`, 37],
    ['an empty line as content, with a request after it',
      raw`GET / HTTP/1.1\r\nContent-Length: 2\r\n\r\n\r\n${NEXT}`, 39],
    ['more than 32 KB', TWO_LENGTHS + 'x'.repeat(32_769 - bytes(TWO_LENGTHS).length), undefined],
    ['a line that no known reader accepts', raw`GET / HTTP/1.1\r\nA : b\r\n c\r\n`, undefined],
  ] as const) {
    it(`nothing is said of ${what}`, () => {
      expect(riskOf(text, end)).to.equal(undefined);
    });
  }

  it('who ends a rejected request before an empty line, or after it, only accepts it', () => {
    for (const next of ['', NEXT]) {
      const risk = riskOf(raw`GET / HTTP/1.1\r\nA: b\n\r\n\r\n${next}`);
      const ends = risk?.readings.map(({ requests: [first] }) => first.end);
      expect(ends).to.deep.equal([23, 25]);
      expect(risk?.summary).to.match(/ this request, and ends it after byte 22 \(lab 8\)$/);
      expect(consequenceOf(risk)).to.match(/ lets this request through\.$/);
    }
  });

  it('at most four requests of a reader are looked at, in up to 32 KB', () => {
    const whole = bytes(raw`GET / HTTP/1.1\r\nA : b\r\n\r\n${NEXT.repeat(9)}`);
    const risk = riskIn(whole.toString('latin1').padEnd(32_768, 'x'), undefined);
    expect(risk?.readings[0].requests).to.have.lengthOf(4);
  });

  describe('each experiment of the lab', () => {
    for (const experiment of EXPERIMENTS) {
      const { clients, mistakes: ofLab, number, title } = experiment;
      const [attack] = clients;
      if (ofLab === undefined || attack === undefined) continue;
      const whole = requestOf(attack);
      const [mistake] = ofLab;

      it(`the proxy, and nobody else, cuts as the reading says: ${title}`, () => {
        const risk = riskIn(whole, undefined);
        const reading = risk?.readings.find(({ mistakes }) => mistakes.includes(mistake));
        const seen = readNaively(whole, mistake);
        if (seen === undefined || seen instanceof Unreadable) throw new Error('rejected');
        const { contentLength, contentStart, isEndKnown } = seen;
        const end = isEndKnown ? seen.end : undefined;
        expect(reading?.requests[0]).to.include({ contentStart, contentLength, end });
        expect(reading?.requests, 'what the proxy forwards').to.have.lengthOf(1);
        const [first] = risk?.readings ?? [];
        const found = `\n'${first?.requests[1]?.name} HTTP/1.1`;
        expect(toCommands(experiment, 8000), 'what the server finds').to.include(found);
        expect(risk?.experiment).to.equal(number);

        const server = `A server that ${first?.reads}`;
        const told = consequenceOf(risk)?.replace(server, 'This server');
        const without = riskIn(whole, first?.requests[0].end);
        expect(consequenceOf(without), 'without the defence').to.equal(told);
        expect(without?.experiment).to.equal(risk?.experiment);
      });
    }
  });

  // unknown-coding: "chunked," is a list with one element (9110 §5.6.1.2), so it is
  // accepted.
  fuzz(
    'only two mistakes move the end of a request that this server accepts',
    700,
    stream,
    (whole) => {
      const end = endByServer(whole);
      const risk = riskIn(whole.toString('latin1'), end);
      for (const { mistakes, requests } of risk?.readings ?? []) {
        if (end === undefined) continue;
        expect(requests[0].end).to.not.equal(end);
        expect(['no-content', 'unknown-coding']).to.include.members([...mistakes]);
      }
      expect(risk?.summary ?? '').to.match(/^[ -~]*$/);
    },
  );
});
