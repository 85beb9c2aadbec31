import { expect } from 'chai';
import type { TraceEvent } from '../../src/index';
import { ourChoice, requiredBy } from '../../src/http/protocol-error';
import type { Leniency } from '../../src/http/request-target';
import { TraceFormatter, usesColour } from '../../src/trace/terminal';
import { bytes, raw } from '../support/bytes';

/** An event without its time and its connection. */
type Told = TraceEvent extends infer E
  ? E extends TraceEvent
    ? Omit<E, 'at' | 'connection'>
    : never
  : never;

function format(event: Told, hasColour = false): string {
  return new TraceFormatter(hasColour).format({ at: 2104.4, connection: 1, ...event });
}

const read = (text: string, offset = 0): Told => ({
  type: 'read',
  bytes: bytes(text),
  offset,
});
const requestLine = (method: string, path: string, leniency?: Leniency): Told => ({
  type: 'parse',
  part: 'request line',
  method,
  version: 'HTTP/1.1',
  target: {
    form: 'origin-form',
    path,
    query: undefined,
    authority: undefined,
    ...(leniency && { leniency }),
  },
});

describe('a line of the trace', () => {
  it('a line of the trace has seconds, the connection, the verb and the text', () => {
    expect(format({ type: 'open', remoteAddress: '127.0.0.1:57032' })).to.equal(
      '  2.104 c1  open   127.0.0.1:57032\n',
    );
  });
  it('a line of the trace keeps its columns up to 999 s and 99 connections', () => {
    const formatter = new TraceFormatter(false);
    const idle = (at: number, connection: number): string =>
      formatter.format({ at, connection, type: 'idle', seconds: 2 }).slice(0, 19);
    expect(idle(0, 1)).to.equal('  0.000 c1  idle   ');
    expect(idle(999_999, 99)).to.equal('999.999 c99 idle   ');
    expect(idle(61_000.6, 10)).to.equal(' 61.001 c10 idle   ');
  });
  it('a line about the server has "--" for the connection', () => {
    const event: TraceEvent = { at: 0, connection: 0, type: 'listen', port: 8080 };
    expect(new TraceFormatter(false).format(event)).to.equal(
      '  0.000 --  listen port 8080\n',
    );
  });
});

describe('bytes in the trace', () => {
  it('bytes are shown line by line, with the offset of each line', () => {
    expect(format(read(raw`Host: a\r\n\r\nx\ny`, 16)).split('\n')).to.deep.equal([
      '  2.104 c1  read   14 bytes',
      raw`              16 | Host: a\r\n`,
      raw`              25 | \r\n`,
      raw`              27 | x\n`,
      raw`              29 | y`,
      '',
    ]);
  });
  it('bytes are escaped where a terminal would obey them', () => {
    const [, line] = format(read(raw`a\\\r\t\x1b[2J\x9b\x7f\xff\0~`)).split('\n');
    expect(line).to.equal(raw`               0 | a\\\r\t\x1b[2J\x9b\x7f\xff\x00~`);
  });
  it('the trace is plain ASCII, whatever the bytes are', () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const text = every.toString('latin1');
    for (const event of [
      { type: 'read', bytes: every, offset: 0 },
      { type: 'write', text, isSent: true },
      requestLine(text, text),
      requestLine('GET', '/', { part: 'path', character: text.slice(0x80) }),
      { type: 'parse', part: 'header section', lines: [], host: text, form: 'origin-form' },
      { type: 'drop', bytes: 0, request: `GET ${text}`, which: '' },
      { type: 'route', steps: ['start', `id "${text}" is 1 to 5`, 'task'], status: 200 },
      {
        type: 'reject',
        error: requiredBy('9112 5.1', 128, 'A reason'),
        excerpt: { bytes: every, offset: 0 },
      },
    ] as const) {
      expect(format(event)).to.match(/^[\n\x20-\x7e]+$/);
    }
  });
  it('1,024 bytes of a read or a write are shown, and the rest is counted', () => {
    const whole = format(read('x'.repeat(1024)));
    expect(whole)
      .to.contain(`| ${'x'.repeat(1024)}\n`)
      .and.not.contain('...');
    for (const event of [
      read('x'.repeat(1083)),
      { type: 'write', text: 'x'.repeat(1083), isSent: true },
    ] as const) {
      const clipped = format(event);
      expect(clipped).to.contain(`1083 bytes\n               0 | ${'x'.repeat(1024)}\n`);
      expect(clipped.split('\n')[2]).to.equal(`${' '.repeat(19)}... 59 more bytes`);
    }
    expect(format(read('x'.repeat(1025)))).to.contain('... 1 more byte\n');
  });
  it('256 bytes of a method, a path or a Host are shown, and the rest is counted', () => {
    const long = 'x'.repeat(315);
    const some = `${'x'.repeat(256)}... 59 more bytes`;
    expect(format(requestLine(long, long))).to.equal(
      `  2.104 c1  parse  request line: ${some}, origin-form, path "${some}", HTTP/1.1 ` +
        '(RFC 9112 section 3)\n',
    );
    expect(
      format({
        type: 'parse',
        part: 'header section',
        lines: [],
        host: long,
        form: 'origin-form',
      }),
    ).to.contain(`Host "${some}"`);
    expect(format({ type: 'drop', bytes: 0, request: long, which: '' })).to.contain(some);
  });
  it('a backslash that browsers send in a query is shown as in the bytes', () => {
    expect(format(requestLine('GET', '/', { part: 'query', character: '\\' }))).to.contain(
      raw`the query has "\\", for which RFC 3986 has no place: browsers send it`,
    );
  });
  it('eight chunks are shown, and the rest is counted', () => {
    const chunk = (number: number): string =>
      format({
        type: 'parse',
        part: 'chunk',
        number,
        size: 1,
        digits: '01',
        extensions: 2,
        offset: 9,
      });
    const last = (chunks: number): string =>
      format({
        type: 'parse',
        part: 'last chunk',
        chunks,
        size: 100,
        extensions: 0,
        offset: 500,
      });
    expect(chunk(8)).to.contain('chunk 8: size 01 (hex) = 1, data 9-9');
    expect(chunk(9)).to.equal('');
    expect(last(8)).to.contain('c1  parse  last chunk at 500: 100 bytes of content');
    expect(last(9)).to.contain('c1  parse  1 more chunk, then the last chunk at 500');
    expect(last(100)).to.contain('c1  parse  92 more chunks, then the last chunk at 500');
  });
});

describe('a rejection in the trace', () => {
  const reject = (text: string, offset: number, wrong: number): string[] =>
    format({
      type: 'reject',
      error: requiredBy('9112 5.1', wrong, 'A reason'),
      excerpt: { bytes: bytes(text), offset },
    })
      .split('\n')
      .slice(1, -1);

  it('a rejection marks the wrong byte', () => {
    expect(reject(raw`Host : a\r\n`, 16, 20)).to.deep.equal([
      raw`              16 | Host : a\r\n`,
      '                 |     ^ byte 20',
      `${' '.repeat(19)}not handled: not logged, not counted`,
    ]);
  });
  it('a rejection marks the wrong byte after escapes', () => {
    const [line = '', mark = ''] = reject(raw`A: \t\x80\0z\r\n`, 16, 21);
    expect(line).to.equal(raw`              16 | A: \t\x80\x00z\r\n`);
    expect(mark.indexOf('^')).to.equal(line.indexOf(raw`\x00`));
  });
  it('a rejection marks the wrong byte in a line of 3,000 bytes, of which some are shown', () => {
    const [line = '', mark = ''] = reject(raw`A: ${'x'.repeat(3000)}\0`, 16, 3019);
    expect(mark.indexOf('^'))
      .to.equal(line.indexOf(raw`\x00`))
      .and.to.be.lessThan(300);
    expect(mark).to.match(/\^ byte 3019$/);
    expect(line).to.match(/^ +2891 \| x+\\x00$/);
  });
  it('a rejection marks the end of a line where something is missing', () => {
    expect(reject('GET', 0, 3)).to.include.members([
      '               0 | GET',
      '                 |    ^ byte 3',
    ]);
  });
  it('a rejection shows only the mark if its bytes are gone', () => {
    expect(reject('', 500, 500)).to.deep.equal([
      '                 | ^ byte 500',
      `${' '.repeat(19)}not handled: not logged, not counted`,
    ]);
  });
  it('a rejection has status, reason, authority, section, and a line with a hint', () => {
    const error = ourChoice('9112 3', 0, 'A reason', { status: 414, hint: 'a hint' });
    expect(
      format({ type: 'reject', error, excerpt: { bytes: bytes('x'), offset: 0 } }),
    ).to.equal(
      [
        '  2.104 c1  reject 414 A reason (our choice: RFC 9112 section 3 would allow it)',
        '               0 | x',
        '                 | ^ byte 0',
        `${' '.repeat(19)}a hint`,
        `${' '.repeat(19)}not handled: not logged, not counted`,
        '',
      ].join('\n'),
    );
  });
});

describe('colours in the trace', () => {
  const error = requiredBy('9112 5.1', 0, 'A reason');
  const rejected: Told = {
    type: 'reject',
    error,
    excerpt: { bytes: bytes('x'), offset: 0 },
  };

  it('offsets are dim, what is read is green, and what is written is blue', () => {
    expect(format(read('x', 7), true)).to.contain(
      '\x1b[2m               7\x1b[0m | \x1b[32mx\x1b[0m\n',
    );
    expect(format({ type: 'write', text: 'x', isSent: true }, true)).to.contain(
      ' | \x1b[34mx\x1b[0m\n',
    );
  });
  it('a rejection is red', () => {
    expect(format(rejected, true))
      .to.contain('\x1b[31mreject 400 A reason')
      .and.to.contain(' | \x1b[31mx\x1b[0m\n');
  });
  it('colours carry no meaning of their own', () => {
    const written = { type: 'write', text: 'x', isSent: true } as const;
    for (const event of [read('x', 7), rejected, written]) {
      expect(format(event, true).replace(/\x1b\[\d+m/g, '')).to.equal(format(event));
      expect(format(event)).to.not.contain('\x1b');
    }
  });
  for (const [env, isTerminal, expected] of [
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'xterm' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ NO_COLOR: '', FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', TERM: 'dumb' }, true, true],
    [{ FORCE_COLOR: '' }, false, false],
  ] as const) {
    const where = isTerminal ? 'on a terminal' : 'elsewhere';
    const colours = expected ? 'colours' : 'no colours';
    it(`${where} with ${JSON.stringify(env)}, the trace has ${colours}`, () => {
      expect(usesColour(env, isTerminal)).to.equal(expected);
    });
  }
});
