import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { ReaderTrace, type ReaderEvent } from '../../src/trace/reader-trace';
import type { Part } from '../../src/http/parts';
import { ProtocolError } from '../../src/http/protocol-error';
import { unescape } from '../../src/study/shell';
import { bytes, cuts, raw } from '../support/bytes';
import { Random } from '../support/random';
import { read } from '../support/reading';
import { stream } from '../support/requests';

/** The parts of each message in a stream, and the error that ends it, if one does. */
interface Traced {
  readonly messages: readonly {
    readonly parts: readonly Part[];
    readonly length: number;
  }[];
  /** Of the message that is not complete, and of its rejected line. */
  readonly last: readonly Part[];
  readonly rejected: readonly Part[];
  readonly error: ProtocolError | undefined;
}

function trace(pieces: readonly Buffer[], ended = false): Traced {
  const messages: { parts: Part[]; length: number }[] = [];
  let parts: Part[] = [];
  let rejected: readonly Part[] = [];
  let chunks = 0;
  const onEvent = (event: ReaderEvent): void => {
    if (event.type !== 'parse') return;
    if (event.part === 'request line') chunks = 0;
    if (event.part === 'chunk line') chunks += 1;
    if (event.part === 'last chunk') expect(event.chunks).to.equal(chunks);
    if (event.part === 'request') {
      messages.push({ parts, length: event.length });
      parts = [];
    } else {
      if (event.part === 'rejected line') rejected = event.parts ?? [];
      parts.push(...(event.parts ?? []));
    }
  };
  const { end } = read(pieces, ended, { trace: new ReaderTrace(onEvent) });
  const error = end instanceof ProtocolError ? end : undefined;
  return { messages, last: parts, rejected, error };
}

/** Writes each part as its name and its bytes, in the order of the bytes. */
function show(whole: Buffer, parts: readonly Part[]): string[] {
  const sorted = [...parts].sort((one, other) => one.offset - other.offset);
  return sorted.map(
    ({ name, offset, length }) =>
      `${name} ${whole.toString('latin1', offset, offset + length)}`,
  );
}

/** Values that the reader judges are told twice: as values, and by the names of their
 * fields. */
const JUDGED = ['Host', 'Connection', 'Content-Length', 'Transfer-Encoding', 'Expect'];

const CHUNKED = raw`PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** The parts of a whole request, or of a rejected line before the wrong byte. */
// prettier-ignore
const PARTS = [
  [raw`GET /a?b HTTP/1.1\r\nHost: \t x \r\nX:\r\n\r\n`,
    raw`method GET|SP  |request-target /a?b|SP  |HTTP-version HTTP/1.1|CRLF \r\n|` +
    raw`field-name Host|colon :|OWS  \t |field-value x|Host x|OWS  |CRLF \r\n|` +
    raw`field-name X|colon :|CRLF \r\n|CRLF \r\n`],
  [raw`${CHUNKED}3;a=b\r\nxyz\r\n00\r\nSum: 7\r\n\r\n`,
    raw`chunk-size 3|chunk-ext ;a=b|CRLF \r\n|chunk-data xyz|CRLF \r\n|chunk-size 00|CRLF \r\n|` +
    raw`field-name Sum|colon :|OWS  |field-value 7|CRLF \r\n|CRLF \r\n`],
  [raw`\r\nPUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi`,
    raw`field-value 2|Content-Length 2|CRLF \r\n|CRLF \r\n|content hi`],
  [raw`G@T / HTTP/1.1\r\n`, ''],
  [raw`GET  / HTTP/1.1\r\n`, 'method GET|SP  '],
  [raw`GET / HTTP/1.1\r\nHost : a\r\n\r\n`, 'field-name Host'],
  [raw`GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n`, 'field-name Host|colon :'],
  [raw`GET / HTTP/1.1\r\nHos`, ''],
  [raw`${CHUNKED}5g\r\n`, 'chunk-size 5'],
  [raw`${CHUNKED}5;a=@\r\n`, 'chunk-size 5'],
  [raw`${CHUNKED}1\r\naX\r\n`, ''],
] as const;

describe('the parts of a request', () => {
  for (const [request, parts] of PARTS) {
    it(`${request} has the parts ${parts}`, () => {
      const whole = bytes(request);
      const { error, messages, rejected } = trace([whole], true);
      const found = show(whole, error ? rejected : (messages[0]?.parts ?? []));
      const expected = parts === '' ? [] : parts.split('|').map(unescape);
      expect(error ? found : found.slice(-expected.length)).to.deep.equal(expected);
    });
  }

  it('cover every byte of a complete request once, whatever it is and however it is cut', () => {
    const random = new Random(11);
    let complete = 0;
    let rejections = 0;
    for (let round = 0; round < 100; round += 1) {
      const whole = stream(random);
      const traced = trace([whole], true);
      for (const { parts, length } of traced.messages) {
        let end = 0;
        const own = parts.filter(({ name }) => !JUDGED.includes(name));
        for (const part of own.sort((one, other) => one.offset - other.offset)) {
          expect(part.offset, whole.toString('latin1')).to.equal(end);
          end += part.length;
        }
        expect(end, whole.toString('latin1')).to.equal(length);
        complete += 1;
      }
      for (const { name, offset, length } of traced.error ? traced.rejected : []) {
        // The empty line is read before the fields are judged.
        if (name === 'CRLF') continue;
        expect(offset + length).to.be.at.most(traced.error?.offset ?? 0);
        rejections += 1;
      }
      const [, ...others] = cuts(whole);
      const some = others.filter((_, index) => index % 7 === 0);
      for (const pieces of some) {
        const found = trace(pieces, true);
        if (!isDeepStrictEqual(found, traced)) expect(found).to.deep.equal(traced);
      }
    }
    expect(complete).to.be.above(75);
    expect(rejections).to.be.above(5);
  });
});
