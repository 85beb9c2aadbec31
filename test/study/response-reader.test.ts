import { expect } from 'chai';
import { ResponseReader, RESPONSE_LIMIT } from '../../src/study/response-reader';
import type { Mistake, ResponseOutcome } from '../../src/study/response-reader';
import { bytes, cuts, raw } from '../support/bytes';

interface Way {
  readonly methods?: readonly string[];
  readonly ending?: 'close' | 'reset';
}

const AUTHORITIES = { 'required by': 'must', 'allowed by': 'may', 'our choice': 'ours' };

/** Reads pieces, and says in short what came of them: of a response its status, the item of
 * 9112 §6.3, its content and trailer fields, its mistakes (what a client MUST or may
 * reject, at which byte), and whether the connection closes; then how reading ended. */
function read(pieces: readonly Buffer[], { methods, ending }: Way = {}) {
  const reader = new ResponseReader(methods === undefined ? {} : { methods });
  const said: string[] = [];
  const reasons: string[] = [];
  const note = (mistakes: readonly Mistake[]): string[] =>
    mistakes.map(({ authority, offset, reason, section }) => {
      reasons.push(reason);
      return `!${offset} ${AUTHORITIES[authority]} ${section}`;
    });
  const drain = (): ResponseOutcome => {
    for (;;) {
      const outcome = reader.next();
      if (outcome.kind !== 'response') return outcome;
      const { framing, mistakes, persists, status, trailer } = outcome;
      const { content } = outcome;
      const fields = trailer.map(({ name, value }) => `${name}=${value}`);
      const closes = persists ? [] : ['closes'];
      const all = [`${status} ${framing.rule} "${content}"`, ...fields, ...note(mistakes)];
      said.push([...all, ...closes].join(', '));
    }
  };
  let last = drain();
  for (const piece of pieces) {
    reader.push(piece.toString('latin1'));
    last = drain();
    if (last.kind === 'rejected') break;
  }
  if (ending !== undefined && last.kind === 'wait') {
    reader.end(ending);
    last = drain();
  }
  if (last.kind !== 'finished') said.push(...note(reader.mistakes));
  if (last.kind === 'wait' && last.missing !== 'a response') {
    said.push(`${last.missing} (${last.section})`);
  }
  if (last.kind === 'rejected') said.push('stops');
  if (last.kind === 'finished' && last.unread !== '')
    said.push(`${last.unread.length} unread`);
  return { said: said.join(' | '), reasons, last };
}

const ok = (lines: string, content = ''): string =>
  raw`HTTP/1.1 200 OK\r\n${lines}\r\n${content}`;
const CHUNKED = raw`Transfer-Encoding: chunked\r\n`;
const chunks = (content: string): string => ok(CHUNKED, content);
const length = (value: string, content = 'hello'): string =>
  ok(raw`Content-Length: ${value}\r\n`, content);
const HEAD = { methods: ['HEAD'] };
const CONNECT = { methods: ['CONNECT'] };
const CLOSED = { ending: 'close' } as const;
const RESET = { ending: 'reset' } as const;
const TWO = { methods: ['GET', 'GET'] };

// prettier-ignore
const ROWS: readonly (readonly [what: string, sent: string, said: string, way?: Way])[] = [
  // Where the content ends (9112 §6.3).
  ['HEAD', ok(raw`Content-Length: 5\r\n`), '200 1 ""', HEAD],
  ['204', raw`HTTP/1.1 204 x\r\n${CHUNKED}\r\n`, '204 1 ""'],
  ['interim, then final',
    raw`HTTP/1.1 103 x\r\nConnection: close\r\n\r\n${length('5')}`, '103 1 "" | 200 6 "hello"'],
  ['101', raw`HTTP/1.1 101 x\r\n\r\nabc`, '101 1 "", closes | 3 unread'],
  ['CONNECT', length('5'), '200 2 "", closes | 5 unread', CONNECT],
  ['CONNECT that fails', raw`HTTP/1.1 407 x\r\nContent-Length: 2\r\n\r\nno`, '407 6 "no"', CONNECT],
  ['Transfer-Encoding together with Content-Length',
    ok(raw`Content-Length: 2\r\n${CHUNKED}`, raw`1\r\na\r\n0\r\n\r\n`),
    '200 4 "a", !55 may 9112 6.3'],
  ['chunks', chunks(raw`5\r\nhello\r\n00b;a="b"\r\n world, you\r\n0\r\nA: b\r\n\r\n`),
    '200 4 "hello world, you", A=b'],
  ['gzip, then chunked',
    ok(raw`Transfer-Encoding: gzip, Chunked\r\n`, raw`1\r\na\r\n0\r\n\r\n`), '200 4 "a"'],
  ['chunked, then gzip',
    ok(raw`Transfer-Encoding: chunked, gzip\r\n`, 'abc'), '200 4 "abc", closes', CLOSED],
  ['The chunked coding is applied more than once',
    ok(raw`${CHUNKED}${CHUNKED}`, raw`0\r\n\r\n`), '200 4 "", !64 may 9112 6.1'],
  ['Transfer-Encoding in an HTTP/1.0 response',
    raw`HTTP/1.0 200 OK\r\n${CHUNKED}Connection: keep-alive\r\n\r\n0\r\n\r\n`,
    '200 4 "", !36 may 9112 6.1, closes'],
  ['Content-Length is not a single decimal number', length('5x'), '!34 must 9112 6.3 | stops'],
  ['Content-Length has different values',
    ok(raw`Content-Length: 5\r\nContent-Length: 6\r\n`), '!52 must 9112 6.3 | stops'],
  ['More than one Content-Length, though all their numbers are equal',
    length('5, 5'), '200 6 "hello", !36 may 9110 8.6'],
  ['a length', length('5'), '200 6 "hello"'],
  ['leading zeros', length('005'), '200 6 "hello"'],
  ['The connection ended mid-response; still missing: 1 more byte of the content',
    length('6'), '!43 must 9112 8 | stops', CLOSED],
  ['Content-Length has more than 15 digits',
    length('1000000000000000'), '!48 ours 9110 8.6 | stops'],
  ['until the end', ok('', 'abc'), '200 8 "abc", closes', CLOSED],
  ['until the end, which does not come',
    ok('', 'abc'), 'the end of the connection, which ends the content (9112 6.3)'],
  ['The connection was reset mid-response; still missing: the end of the connection',
    ok('', 'abc'),
    '!22 must 9112 8 | stops', RESET],
  // Whose response it is, and what follows (9112 §9).
  ['two responses to two requests',
    length('5') + length('5'), '200 6 "hello" | 200 6 "hello"', TWO],
  ['No request awaits what follows',
    length('5') + length('5'), '200 6 "hello" | 200 6 "hello", !43 must 9112 9.2'],
  ['No request awaits what follows', length('3'), '200 6 "hel" | !41 must 9112 9.2 | stops'],
  ['empty lines after all responses', raw`${length('5')}\r\n\n\r\n`, '200 6 "hello"'],
  ['"close", and more', ok(raw`Content-Length: 2\r\nConnection: x, Close\r\n`, 'okmore'),
    '200 6 "ok", closes | 4 unread'],
  ['HTTP/1.0', raw`HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok`, '200 6 "ok", closes'],
  ['HTTP/1.0 that is kept',
    raw`HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok`, '200 6 "ok"'],
  ['nothing', '', ''],
  ['The connection ended before a response; still missing: a response',
    '', '!0 may 9112 9.3.1 | stops', CLOSED],
  ['the end between responses', length('5'), '200 6 "hello"', CLOSED],
  // Lines (9112 §2.2), and the status line (§4).
  ['An empty line before the response', raw`\r\n${length('5')}`, '200 6 "hello", !0 may 9112 2.2'],
  ['A response does not start with "HTTP/"', raw`SSH-2.0-x`, '!0 may 9112 4 | stops'],
  ['all but its end', 'HTTP/1.1 200 OK', 'the end of the status line (9112 4)'],
  ['The major version is not 1', raw`HTTP/2 200 x\r\n\r\n`, '!5 may 9110 2.5 | stops'],
  ['The major version is not 1', raw`HTTP/2.0 204 x\r\n\r\n`, '204 1 "", !5 may 9110 2.5, closes'],
  ['version 1.7', raw`HTTP/1.7 204 x\r\n\r\n`, '204 1 ""'],
  ['The HTTP version is not "HTTP/1." and a digit',
    raw`HTTP/1.x 204 x\r\n\r\n`, '!7 may 9112 2.3 | stops'],
  ['The HTTP version is not followed by one space',
    raw`HTTP/1.1  204 x\r\n\r\n`, '204 1 "", !9 may 9112 4'],
  ['The status code is not followed by a space',
    raw`HTTP/1.1 204\r\n\r\n`, '204 1 "", !12 may 9112 4'],
  ['no reason phrase', raw`HTTP/1.1 204 \r\n\r\n`, '204 1 ""'],
  ['The status code is not followed by a space',
    raw`HTTP/1.1 2000 x\r\n\r\n`, '!12 may 9112 4 | stops'],
  ['The status code is not three digits', raw`HTTP/1.1 OK\r\n\r\n`, '!9 may 9112 4 | stops'],
  ['The status code is not from 100 to 599',
    raw`HTTP/1.1 600 x\r\nContent-Length: 0\r\n\r\n`, '600 6 "", !9 may 9110 15'],
  ['A line ends with LF, not CRLF',
    raw`HTTP/1.1 204 x\n\n`, '204 1 "", !14 may 9112 2.2, !15 may 9112 2.2'],
  // Field lines (9112 §5).
  ['part of a section', raw`HTTP/1.1 200 OK\r\nA: b\r\n`,
    'the next header field line, or the empty line that ends them (9112 2.1)'],
  ['part of a field line',
    raw`HTTP/1.1 200 OK\r\nA: b\r\nC`, 'the end of header field line 2 (9112 2.1)'],
  ['obs-fold', length(raw`\r\n\t 5`), '200 6 "hello"'],
  ['Content-Length is not a single decimal number',
    length(raw`5\r\n 0`), '!34 must 9112 6.3 | stops'],
  ['White space before the first field line',
    ok(raw` A: b\r\nContent-Length: 5\r\n`, 'hello'), '200 6 "hello", !17 may 9112 2.2'],
  ['White space between a field name and the colon',
    ok(raw`Content-Length : 5\r\n`, 'hello'), '200 6 "hello", !31 may 9112 5.1'],
  ['No colon after the field name',
    ok(raw`A\r\nContent-Length: 5\r\n`, 'hello'), '200 6 "hello", !18 may 9112 5'],
  ['A field line with an empty name',
    ok(raw`: a\r\nContent-Length: 5\r\n`, 'hello'), '200 6 "hello", !17 may 9110 5.1'],
  ['A byte in a field name that is not allowed in a token',
    ok(raw`A(b): c\r\nContent-Length: 5\r\n`, 'hello'), '200 6 "hello", !18 may 9110 5.1'],
  ['A control character in a line',
    ok(raw`A: b\0c\r\nContent-Length: 5\r\n`, 'hello'), '200 6 "hello", !21 may 9110 5.5'],
  ['A CR is not followed by LF',
    ok(raw`A: b\rc\r\nContent-Length: 5\r\n`, 'hello'), '200 6 "hello", !21 may 9112 2.2'],
  // Chunks (9112 §7.1).
  ['part of a chunk line', chunks('1'), 'the end of the chunk line (9112 7.1)'],
  ['no end of a chunk', chunks(raw`5\r\nhello\r`), 'the CRLF after the data of chunk 1 (9112 7.1)'],
  ['no trailer section',
    chunks(raw`0\r\n`), 'the next trailer field line, or the empty line that ends them (9112 7.1)'],
  ['The connection ended mid-response; still missing: the next trailer field line',
    chunks(raw`0\r\n`), '!50 may 9112 8 | stops', CLOSED],
  ['The connection ended mid-response; still missing: a chunk line',
    chunks(raw`1\r\na\r\n`), '!53 must 9112 8 | stops', CLOSED],
  ['The connection ended mid-response; still missing: 3 more bytes',
    chunks(raw`0\r\n\r\n`) + ok(raw`Content-Length: 5\r\n`, 'he'),
    '200 4 "" | !92 must 9112 8 | stops', { ...TWO, ...CLOSED }],
  ['A chunk does not start with its size in hex', chunks(raw`x\r\n`), '!47 must 9112 8 | stops'],
  ['The data of a chunk is not followed by CRLF',
    chunks(raw`4\r\nhello\r\n`), '!54 must 9112 8 | stops'],
  ['A chunk-size exceeds 2^53 - 1',
    chunks(raw`001fffffffffffff0\r\n`), '!63 ours 9112 7.1 | stops'],
  ['A chunk extension is malformed',
    chunks(raw`1;\r\na\r\n0\r\n\r\n`), '200 4 "a", !49 may 9112 7.1.1'],
  ['A line ends with LF, not CRLF',
    chunks(raw`1\na\n0\r\n\r\n`), '200 4 "a", !48 may 9112 7.1, !50 may 9112 7.1'],
];

describe('the reader of responses', () => {
  for (const [what, sent, expected, way] of ROWS) {
    it(`${what}: ${sent || 'nothing'}`, () => {
      const whole = bytes(sent);
      for (const pieces of cuts(whole)) {
        const { reasons, said } = read(pieces, way);
        expect(said).to.equal(expected);
        expect(reasons[0]?.slice(0, what.length) ?? what).to.equal(what);
      }
    });
  }

  it('names every byte of a response once', () => {
    const sent = bytes(
      ok(raw`Empty:\r\nB:  c\r\n${CHUNKED}`, raw`5;a\r\nhello\r\n0\r\nA: b \r\n\r\n`),
    );
    for (const pieces of cuts(sent)) {
      const found = new Map<number, string>();
      const reader = new ResponseReader({
        describe: ({ parts }) => {
          for (const { length: size, name, offset } of parts) {
            for (let at = offset; at < offset + size; at += 1) {
              expect(found.has(at), `byte ${at}`).to.equal(false);
              found.set(at, name);
            }
          }
        },
      });
      for (const piece of pieces) {
        reader.push(piece.toString('latin1'));
        reader.next();
      }
      expect(found.size).to.equal(sent.length);
      expect(found.get(9)).to.equal('status-code');
      expect(found.get(sent.indexOf('hello'))).to.equal('chunk-data');
    }
  });

  it('whatever a server sends, a response takes bounded memory and linear time', () => {
    const many = RESPONSE_LIMIT;
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const text of [
      `HTTP/1.1 200 OK\r\nServer:${' '.repeat(many)}x\r\nContent-Length: 0\r\n\r\n`,
      `${chunked}0\r\n${'a-long-field-ln\n'.repeat(many / 16)}`,
      `${chunked}${'00000001\nx\r\n'.repeat(many / 12)}`,
    ]) {
      const before = process.cpuUsage();
      const { last } = read([Buffer.from(text, 'latin1')]);
      const reason = 'The response exceeds 1048576 bytes';
      expect(last)
        .to.deep.include({ kind: 'rejected' })
        .and.have.nested.property('error.reason', reason);
      // Processor time, whatever else the machine does; more than linear would take longer.
      expect(process.cpuUsage(before).user).to.be.lessThan(2_000_000);
    }
    const before = process.cpuUsage();
    read([Buffer.from('HTTP/1.1 100 x\r\n\r\n'.repeat(many / 80), 'latin1')]);
    expect(process.cpuUsage(before).user).to.be.lessThan(2_000_000);
  });
});
