/** The lines of a trace, as a terminal shows them. */
import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { ourChoice, requiredBy } from '../../src/http/protocol-error';
import type { Leniency } from '../../src/http/request-target';
import { TraceFormatter, usesColour } from '../../src/trace/terminal';
import { EVERY_BYTE, raw, textOf } from '../support/bytes';

/** An event without its time and its connection. */
type Told = TraceEvent extends infer E
  ? E extends TraceEvent
    ? Omit<E, 'at' | 'connection'>
    : never
  : never;

/** @returns the lines of an event, without the time */
function linesOf(event: Told, columns = Infinity, hasColour = false): string[] {
  const formatter = new TraceFormatter(hasColour, { columns });
  const text = formatter.format({ at: 2104.4, connection: 1, ...event });
  return text.replaceAll('  2.104 ', '').split('\n').slice(0, -1);
}

const read = (text: string, offset = 0): Told => {
  return { type: 'read', bytes: textOf(text), offset };
};
const write = (...texts: string[]): Extract<Told, { type: 'write' }> => {
  const responses = texts.map((text) => ({ text, length: text.length }));
  return { type: 'write', responses, isSent: true };
};
const reject = (text: string, offset: number, wrong: number): Told => {
  const error = requiredBy('9112 5.1', wrong, 'A reason');
  return { type: 'reject', error, excerpt: { bytes: textOf(text), offset } };
};
const requestLine = (method: string, path: string, leniency?: Leniency): Told => {
  const nothing = { query: undefined, authority: undefined };
  const rest = { ...nothing, ...(leniency && { leniency }) };
  const target = { form: 'origin-form', path, ...rest } as const;
  return { type: 'parse', part: 'request line', method, version: 'HTTP/1.1', target };
};
const complete = (length: number, unread: number, next: string): Told => {
  return { type: 'parse', part: 'request', number: 2, length, unread, next };
};
const chunk = (number: number): Told => {
  const about = { number, size: 1, digits: '01', extensions: 0, offset: 9 };
  return { type: 'parse', part: 'chunk line', ...about };
};
const last = (chunks: number): Told => {
  const about = { chunks, size: 100, extensions: 0, offset: 500 };
  return { type: 'parse', part: 'last chunk', ...about };
};
const host = (name: string): Told => {
  const about = { lines: [], host: name, form: 'origin-form' } as const;
  return { type: 'parse', part: 'end of the header section', ...about };
};
const stop = (reason: string): Told => ({ type: 'stop', reason });
const route: Told = {
  type: 'route',
  status: 404,
  steps: ['start', 'GET', 'get', 'path contains "/tasks/"', 'getId', 'otherwise', 'no'],
};
const cite = (section: string): string => `(RFC 9112 section ${section})`;
const CHUNKS = cite('7.1');
const long = 'HTTP/1.1 200'.padEnd(200, 'x');
const hang = ' '.repeat(19);
const longText = 'x'.repeat(315);
const some = `${'x'.repeat(256)}... 59 more bytes`;
const notHandled = `${hang}not handled: not logged, not counted`;
const rejected = 'c1  reject 400 A reason (required by RFC 9112 section 5.1)';

describe('the trace on a terminal', () => {
  // prettier-ignore
  const cases: readonly (readonly [string, event: Told, lines: string[], columns?: number])[] = [
    ['escapes bytes that a terminal would obey', read(raw`a\\\r\t\x1b[2J\x9b\x7f\xff\0~`), [
      'c1  read   13 bytes', raw`               0 | a\\\r\t\x1b[2J\x9b\x7f\xff\x00~`]],
    ['shows 1,024 bytes of a read', read('x'.repeat(1024)),
      ['c1  read   1024 bytes', `               0 | ${'x'.repeat(1024)}`]],
    ['counts the byte after those', read('x'.repeat(1025)),
      ['c1  read   1025 bytes', `               0 | ${'x'.repeat(1024)}`,
        `${hang}... 1 more byte`]],
    ['shows 256 bytes of a name', requestLine(longText, longText), [
      `c1  parse  request line: ${some}, origin-form, path "${some}", HTTP/1.1 ${cite('3')}`]],
    ['and all of a name of as many', host(longText.slice(0, 256)), [
      `c1  parse  0 field lines, Host "${longText.slice(0, 256)}" ${cite('3.2')}`]],
    ['and of a Host', host(longText),
      [`c1  parse  0 field lines, Host "${some}" ${cite('3.2')}`]],
    ['shows a backslash of a query as in the bytes',
      requestLine('GET', '/', { part: 'query', character: '\\' }), [
        'c1  parse  request line: GET, origin-form, path "/", HTTP/1.1 (RFC 9112 section 3)',
        raw`c1  parse  the query has "\\", for which RFC 3986 has no place: browsers send it`]],
    ['has eight chunks', chunk(8),
      ['c1  parse  chunk 8: size 01 (hex) = 1, data 9-9 (RFC 9112 section 7.1)']],
    ['and no more', chunk(9), []],
    ['counts the ninth', last(9), [
      `c1  parse  1 more chunk, then the last chunk at 500: 100 bytes of content ${CHUNKS}`]],
    ['counts the others', last(100), [
      `c1  parse  92 more chunks, then the last chunk at 500: 100 bytes of content ${CHUNKS}`]],
    ['has no boundary where nothing follows', complete(5, 0, ''), []],
    ['has one, though the bytes behind it are not known', complete(1, 1, ''), [
      'c1  parse  1 byte: request 2 of c1 is complete; the next begins', `${hang}... 1 more byte`]],
    ['has eight statuses, and 1,024 bytes of all', write(...Array<string>(10).fill(long)), [
      `c1  write  10 responses (${'200, '.repeat(8)}and 2 more), 2000 bytes`,
      ...Array<string>(5).fill(`               0 | ${long}`),
      `               0 | ${long.slice(0, 24)}`,
      `${hang}... 976 more bytes`,
    ]],
    ['says that a client was gone', { ...write('HTTP/1.1 200', 'HTTP/1.1 400'), isSent: false }, [
      'c1  write  2 responses (200, 400), 24 bytes could not be sent: the client is gone',
      '               0 | HTTP/1.1 200', '               0 | HTTP/1.1 400']],
    ['fills 80 columns', stop(`${'x'.repeat(59)} y`), [`c1  stop   ${'x'.repeat(59)} y`], 80],
    ['and not 81', stop(`${'x'.repeat(60)} y`), [`c1  stop   ${'x'.repeat(60)}`, `${hang}y`], 80],
    ['takes a terminal of one column for one of 40', stop(`${'x'.repeat(18)} y z`),
      [`c1  stop   ${'x'.repeat(18)} y`, `${hang}z`], 1],
    ['hangs a route at a step', route, [
      'c1  route  start -GET-> get', `${hang}-path contains "/tasks/"-> getId`,
      `${hang}-otherwise-> no = 404`], 55],
    ['hangs bytes under bytes, and cuts no escape', read(raw`${'x'.repeat(20)}\0\0 y`, 7), [
      'c1  read   24 bytes', `               7 | ${'x'.repeat(20)}`,
      raw`                 | \x00\x00 y`], 40],
    ['ends no row of bytes with a space', read(`${'x'.repeat(20)} y`), [
      'c1  read   22 bytes', `               0 | ${'x'.repeat(20)}`, '                 |  y'], 40],
    ['marks a wrong byte on its row', reject(`${'x'.repeat(23)}!yy`, 0, 23), [
      'c1  reject 400 A reason', `${hang}(required by RFC 9112 section 5.1)`,
      `               0 | ${'x'.repeat(21)}`,
      '                 | xx!yy', '                 |   ^ byte 23',
      `${hang}not handled: not`, `${hang}logged, not counted`], 40],
    ['and on the side that has room', reject(`${'x'.repeat(18)}!y`, 0, 18), [
      'c1  reject 400 A reason', `${hang}(required by RFC 9112 section 5.1)`,
      `               0 | ${'x'.repeat(18)}!y`, '                 |           byte 18 ^',
      `${hang}not handled: not`, `${hang}logged, not counted`], 40],
    ['marks it in a long line', reject(raw`A: ${'x'.repeat(3000)}\0`, 16, 3019), [
      rejected, raw`            2891 | ${'x'.repeat(128)}\x00`,
      `                 | ${' '.repeat(128)}^ byte 3019`, notHandled]],
    ['marks the end where something is missing', reject('GET', 0, 3),
      [rejected, '               0 | GET', '                 |    ^ byte 3', notHandled]],
    ['has a line with the hint of a rejection',
      { type: 'reject', error: ourChoice('9112 3', 0, 'A reason', { status: 414, hint: 'a hint' }),
        excerpt: { bytes: 'x', offset: 0 } }, [
        'c1  reject 414 A reason (our choice: RFC 9112 section 3 would allow it)',
        '               0 | x', '                 | ^ byte 0', `${hang}a hint`, notHandled]],
    ['shows only the mark where the bytes are gone', reject('', 500, 500),
      [rejected, '                 | ^ byte 500', notHandled]],
  ];
  for (const [what, event, lines, columns] of cases)
    it(what, () => expect(linesOf(event, columns)).to.deep.equal(lines));

  it('keeps its columns up to 999 s and 99 connections', () => {
    const idle = (at: number, connection: number): string =>
      new TraceFormatter(false).format({ at, connection, type: 'idle', seconds: 2 });
    expect(idle(0, 1).slice(0, 19)).to.equal('  0.000 c1  idle   ');
    expect(idle(999_999, 99).slice(0, 19)).to.equal('999.999 c99 idle   ');
    expect(idle(61_000.6, 10).slice(0, 19)).to.equal(' 61.001 c10 idle   ');
    expect(idle(0, 0)).to.match(/^ {2}0\.000 -- {2}idle /);
  });

  it('has an empty line where the events of another connection begin', () => {
    const formatter = new TraceFormatter(false);
    const of = (connection: number, event: Told): string =>
      formatter.format({ at: 0, connection, ...event });
    const end: Told = { type: 'end' };
    const said =
      of(1, end) + of(3, complete(1, 0, '')) + of(1, end) + of(2, end) + of(0, end);
    expect(said.replace(/.*(c\d|--).*/g, '$1')).to.equal('c1\nc1\n\nc2\n\n--\n');
  });

  it('is plain ASCII, whatever the bytes are', () => {
    const text = EVERY_BYTE;
    const error = requiredBy('9112 5.1', 128, 'A reason');
    for (const event of [
      { type: 'read', bytes: text, offset: 0 },
      write(text),
      requestLine(text, text),
      requestLine('GET', '/', { part: 'path', character: text.slice(0x80) }),
      host(text),
      { type: 'drop', bytes: 0, request: `GET ${text}`, which: 'outside of any request' },
      { type: 'route', steps: ['start', `id "${text}" is 1 to 5`, 'task'], status: 200 },
      { type: 'reject', error, excerpt: { bytes: text, offset: 0 } },
    ] as const)
      expect(linesOf(event).join('\n')).to.match(/^[\n\x20-\x7e]+$/);
  });
});

describe('colours in the trace', () => {
  const coloured = (event: Told): string => linesOf(event, Infinity, true).join('\n');

  it('are bold, grey, green and blue; red for a rejection, in inverse video its byte', () => {
    expect(coloured(read('x', 7))).to.equal(
      'c1  \x1b[1mread  \x1b[0m 1 byte\n' +
        '\x1b[38;5;243m               7\x1b[0m | \x1b[38;5;28mx\x1b[0m',
    );
    expect(coloured(write('x'))).to.contain(' | \x1b[38;5;63mx\x1b[0m');
    expect(coloured(reject('x\0z', 0, 1)))
      .to.contain('\x1b[1;38;5;160mreject\x1b[0m \x1b[38;5;160m400 A reason')
      .and.to.contain(
        '\x1b[38;5;160mx\x1b[0m\x1b[7;38;5;160m\\x00\x1b[0m\x1b[38;5;160mz\x1b[0m',
      );
  });
  it('have no meaning of their own', () => {
    for (const event of [read('x', 7), reject('x', 0, 0), write('x')])
      expect(coloured(event).replace(/\x1b\[[\d;]+m/g, '')).to.equal(
        linesOf(event).join('\n'),
      );
  });
  // prettier-ignore
  for (const [env, isTerminal, expected] of [
    [{}, true, true], [{}, false, false],
    [{ TERM: 'xterm' }, true, true], [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false], [{ NO_COLOR: '' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ NO_COLOR: '', FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1' }, false, true], [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    [{ FORCE_COLOR: '' }, false, false],
  ] as const) {
    const where = isTerminal ? 'on a terminal' : 'elsewhere';
    it(`${where} with ${JSON.stringify(env)}, are ${expected ? 'there' : 'not there'}`, () =>
      expect(usesColour(env, isTerminal)).to.equal(expected));
  }
});
