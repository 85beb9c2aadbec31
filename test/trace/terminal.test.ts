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

const WIDE = { columns: Infinity };

function format(
  event: Told,
  hasColour = false,
  terminal: { columns?: number } = WIDE,
): string {
  const formatter = new TraceFormatter(hasColour, terminal);
  return formatter.format({ at: 2104.4, connection: 1, ...event });
}

/** The lines of one connection, without their times. */
function story(...events: Told[]): string[] {
  const formatter = new TraceFormatter(false, WIDE);
  const lines = events.map((event) => formatter.format({ at: 0, connection: 1, ...event }));
  return lines
    .join('')
    .replace(/^ +0\.000 /gm, '')
    .split('\n')
    .slice(0, -1);
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
    const idle = (at: number, connection: number): string =>
      new TraceFormatter(false)
        .format({ at, connection, type: 'idle', seconds: 2 })
        .slice(0, 19);
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

describe('where a request ends in the trace', () => {
  const complete = (length: number, unread: number, next: string): Told => ({
    ...{ type: 'parse', part: 'request', number: 2, length, unread },
    next: bytes(next).toString('latin1'),
  });

  it('the numbers start again where a read holds the end of a request and the next', () => {
    expect(story(complete(5, 8, raw`B\r\n`))).to.deep.equal([
      'c1  parse  5 bytes: request 2 of c1 is complete; the next begins',
      raw`               0 | B\r\n`,
      '                   ... 5 more bytes',
    ]);
  });
  it('there is no boundary where nothing has arrived after a request', () => {
    expect(story(complete(5, 0, ''))).to.deep.equal([]);
  });
  it('a boundary is told, though the bytes behind it are not known', () => {
    expect(story(complete(1, 1, ''))).to.deep.equal([
      'c1  parse  1 byte: request 2 of c1 is complete; the next begins',
      '                   ... 1 more byte',
    ]);
  });
});

describe('responses in the trace', () => {
  const write = (...texts: string[]): Told => ({
    type: 'write',
    text: texts.join(''),
    isSent: true,
    lengths: texts.map(({ length }) => length),
  });

  it('responses that leave together are told apart, each with offsets of its own', () => {
    const ok = 'HTTP/1.1 200 OK\r\n\r\nabc';
    expect(story(write(ok, 'HTTP/1.1 404 Not Found\r\n\r\n', ok))).to.deep.equal([
      'c1  write  3 responses (200, 404, 200), 70 bytes',
      raw`               0 | HTTP/1.1 200 OK\r\n`,
      raw`              17 | \r\n`,
      '              19 | abc',
      raw`               0 | HTTP/1.1 404 Not Found\r\n`,
      raw`              24 | \r\n`,
      raw`               0 | HTTP/1.1 200 OK\r\n`,
      raw`              17 | \r\n`,
      '              19 | abc',
    ]);
  });
  it('one response is not counted', () => {
    expect(story(write('HTTP/1.1 200 OK'))[0]).to.equal('c1  write  15 bytes');
  });
  it('the statuses of eight responses are shown, and 1,024 bytes of all of them', () => {
    const lines = story(write(...Array<string>(10).fill('HTTP/1.1 200'.padEnd(200, 'x'))));
    const statuses = Array<string>(8).fill('200').join(', ');
    expect(lines[0]).to.equal(
      `c1  write  10 responses (${statuses}, and 2 more), 2000 bytes`,
    );
    expect(lines.slice(1, 6).map((line) => line.length)).to.deep.equal(Array(5).fill(219));
    expect(lines[6]).to.equal(`               0 | ${'HTTP/1.1 200'.padEnd(24, 'x')}`);
    expect(lines.slice(7)).to.deep.equal([`${' '.repeat(19)}... 976 more bytes`]);
  });
  it('responses that could not be sent are counted, too', () => {
    const [line] = story({
      ...write('HTTP/1.1 200', 'HTTP/1.1 400'),
      isSent: false,
    } as Told);
    expect(line).to.equal(
      'c1  write  2 responses (200, 400), 24 bytes could not be sent: the client is gone',
    );
  });
});

describe('a turn in the trace', () => {
  it('a turn names its request', () => {
    const turn = { type: 'turn', request: 4, method: 'GET', path: '/a b' } as const;
    expect(story({ ...turn, limit: 0 })).to.deep.equal(['c1  turn   request 4: GET /a b']);
    expect(story({ ...turn, limit: 9 })).to.deep.equal([
      'c1  turn   request 4 of 9: GET /a b',
    ]);
  });
});

describe('the events of two connections', () => {
  it('an empty line stands where the events of another connection begin', () => {
    const formatter = new TraceFormatter(false, WIDE);
    const end = (connection: number): string =>
      formatter.format({ at: 0, connection, type: 'end' });
    const silent = formatter.format({
      at: 0,
      connection: 3,
      type: 'parse',
      part: 'request',
      number: 1,
      length: 1,
      unread: 0,
      next: '',
    });
    const said = [end(1), end(1), silent, end(1), end(2), end(2), end(0)].join('');
    expect(said.replace(/\d\.\d{3} (\S+) .*/g, '$1').replace(/ /g, '')).to.equal(
      'c1\nc1\nc1\n\nc2\nc2\n\n--\n',
    );
  });
});

describe('a line that is longer than the terminal', () => {
  const rows = (event: Told, columns?: number): string[] =>
    format(event, false, columns === undefined ? {} : { columns })
      .split('\n')
      .slice(0, -1);
  const hang = ' '.repeat(19);

  it('a sentence hangs under its text, and no citation is cut', () => {
    const wait: Told = { type: 'wait', missing: 'the end', section: '9112 3', seconds: 60 };
    expect(rows(wait, 63)).to.deep.equal([
      '  2.104 c1  wait   for the end (RFC 9112 section 3),',
      `${hang}60 s at most`,
    ]);
    expect(rows(wait, 50)).to.deep.equal([
      '  2.104 c1  wait   for the end',
      `${hang}(RFC 9112 section 3),`,
      `${hang}60 s at most`,
    ]);
  });
  it('a line of 80 columns fits where nobody knows the width, and one of 81 does not', () => {
    const stop = (length: number): string[] =>
      rows({ type: 'stop', reason: `${'x'.repeat(length - 2)} y` });
    expect(stop(61)).to.have.lengthOf(1);
    expect(stop(61)[0]).to.have.lengthOf(80);
    expect(stop(62)).to.deep.equal([`  2.104 c1  stop   ${'x'.repeat(60)}`, `${hang}y`]);
  });
  it('the text has less room beside a connection with more digits', () => {
    const stop = (length: number): string => {
      const reason = `${'x'.repeat(length - 2)} y`;
      return new TraceFormatter(false).format({
        at: 0,
        connection: 1000,
        type: 'stop',
        reason,
      });
    };
    expect(stop(59)).to.match(/^.{80}\n$/);
    expect(stop(60)).to.equal(`  0.000 c1000 stop   ${'x'.repeat(58)}\n${hang}y\n`);
  });
  it('a terminal of less than 40 columns is taken for one of 40', () => {
    const stop: Told = { type: 'stop', reason: `${'x'.repeat(18)} y z` };
    expect(rows(stop, 1)).to.deep.equal(rows(stop, 40)).and.to.have.lengthOf(2);
  });
  it('a route hangs at a step, not within one', () => {
    const steps = [
      'start',
      'GET',
      'get',
      'path contains "/tasks/"',
      'getId',
      'otherwise',
      'no',
    ];
    expect(rows({ type: 'route', steps, status: 404 }, 55)).to.deep.equal([
      '  2.104 c1  route  start -GET-> get',
      `${hang}-path contains "/tasks/"-> getId`,
      `${hang}-otherwise-> no = 404`,
    ]);
  });
  it('bytes hang under bytes, without a number, and no escape is cut', () => {
    expect(rows(read(raw`${'x'.repeat(20)}\0\0 y`, 7), 40)).to.deep.equal([
      '  2.104 c1  read   24 bytes',
      `               7 | ${'x'.repeat(20)}`,
      raw`                 | \x00\x00 y`,
    ]);
  });
  it('a row of bytes does not end with a space, which nobody would see', () => {
    expect(rows(read(`${'x'.repeat(20)} y`, 0), 40).slice(1)).to.deep.equal([
      `               0 | ${'x'.repeat(20)}`,
      '                 |  y',
    ]);
  });
  it('the mark of a wrong byte stands below it, on the row where it is', () => {
    const reject = (text: string, offset: number): string[] =>
      rows(
        {
          type: 'reject',
          error: requiredBy('9112 5.1', offset, 'A reason'),
          excerpt: { bytes: bytes(text), offset: 0 },
        },
        40,
      ).slice(2, -2);
    expect(reject(`${'x'.repeat(23)}!yy`, 23)).to.deep.equal([
      `               0 | ${'x'.repeat(21)}`,
      '                 | xx!yy',
      '                 |   ^ byte 23',
    ]);
    expect(reject(`${'x'.repeat(18)}!y${'z'.repeat(9)}`, 18)).to.deep.equal([
      `               0 | ${'x'.repeat(18)}!yz`,
      '                 |           byte 18 ^',
      `                 | ${'z'.repeat(8)}`,
    ]);
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

  it('verbs are bold, offsets are grey, what is read is green, and what is written blue', () => {
    expect(format(read('x', 7), true)).to.equal(
      '  2.104 c1  \x1b[1mread  \x1b[0m 1 byte\n' +
        '\x1b[38;5;243m               7\x1b[0m | \x1b[38;5;28mx\x1b[0m\n',
    );
    expect(format({ type: 'write', text: 'x', isSent: true }, true)).to.contain(
      ' | \x1b[38;5;63mx\x1b[0m\n',
    );
  });
  it('a rejection is red, and its wrong byte in inverse video', () => {
    const wrong = { ...rejected, error: requiredBy('9112 5.1', 1, 'A reason') };
    const excerpt = { bytes: bytes('x\0z'), offset: 0 };
    expect(format({ ...wrong, excerpt }, true))
      .to.contain('\x1b[1;38;5;160mreject\x1b[0m \x1b[38;5;160m400 A reason')
      .and.to.contain(
        raw` | ${'\x1b'}[38;5;160mx${'\x1b'}[0m${'\x1b'}[7;38;5;160m\x00${'\x1b'}[0m` +
          '\x1b[38;5;160mz\x1b[0m\n',
      );
  });
  it('every colour has enough contrast to black and to white', () => {
    const codes = [read('x'), rejected, { type: 'write', text: 'x', isSent: true } as const]
      .flatMap((event) => [...format(event, true).matchAll(/38;5;(\d+)m/g)])
      .map(([, code]) => Number(code));
    expect(new Set(codes)).to.have.lengthOf(4);
    for (const code of codes) {
      const luminance = luminanceOf(code);
      expect((luminance + 0.05) / 0.05, `${code} on black`).to.be.above(3.8);
      expect(1.05 / (luminance + 0.05), `${code} on white`).to.be.above(3.8);
    }
  });
  it('colours carry no meaning of their own', () => {
    const written = { type: 'write', text: 'x', isSent: true } as const;
    for (const event of [read('x', 7), rejected, written]) {
      expect(format(event, true).replace(/\x1b\[[\d;]+m/g, '')).to.equal(format(event));
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

/** The relative luminance of one of the 256 colours of a terminal (WCAG 2.2): a cube of 6
 * levels of red, green and blue from 16 on, and greys from 232 on. */
function luminanceOf(code: number): number {
  const cube = code - 16;
  const levels =
    code < 232
      ? [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) =>
          level === 0 ? 0 : 55 + 40 * level,
        )
      : Array<number>(3).fill(8 + 10 * (code - 232));
  const [red = 0, green = 0, blue = 0] = levels.map((level) => {
    const part = level / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
