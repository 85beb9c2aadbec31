import { expect } from 'chai';
import { UsageError } from '../../src/command/arguments';
import { parseOptions, USAGE } from '../../src/command/options';
import { startTracing } from '../../src/command/tracing';

const DEFAULTS = {
  port: 8080,
  host: undefined,
  maxRequests: 10,
  requestTimeout: 60,
  idleTimeout: 5,
  trace: false,
  tracePage: undefined,
  untilStdinEnds: false,
};

describe('the options of the command', () => {
  it('every option has its default', () => {
    expect(parseOptions([])).to.deep.equal(DEFAULTS);
  });
  for (const [args, expected] of [
    [['--port', '0'], { port: 0 }],
    [['--port=65535'], { port: 65_535 }],
    [['--host', '::1'], { host: '::1' }],
    [['--host', '[::1]'], { host: '::1' }],
    [['--max-requests', '0'], { maxRequests: 0 }],
    [['--max-requests', '9007199254740991'], { maxRequests: Number.MAX_SAFE_INTEGER }],
    [['--request-timeout', '0.001'], { requestTimeout: 0.001 }],
    [['--idle-timeout', '999999'], { idleTimeout: 999_999 }],
    [['--trace'], { trace: true }],
    [['--trace-page', 'a.html'], { tracePage: 'a.html' }],
    [['--until-stdin-ends'], { untilStdinEnds: true }],
    [['--port', '1', '--port', '2'], { port: 2 }],
  ] as const) {
    it(`${args.join(' ')} is accepted`, () => {
      expect(parseOptions(args)).to.deep.equal({ ...DEFAULTS, ...expected });
    });
  }
  it('--version wins over the other options', () => {
    expect(parseOptions(['--port', 'x', '--version'])).to.equal('version');
  });
  it('without --trace-page, a second signal discards no page', async () => {
    expect((await startTracing(DEFAULTS)).discard()).to.equal(false);
  });
  it('no line of --help has more than 100 characters', () => {
    expect(Math.max(...USAGE.split('\n').map(({ length }) => length))).to.be.at.most(100);
  });
});

describe('a mistake on the command line is explained in one sentence', () => {
  const port = (text: string) => `--port takes a whole number from 0 to 65535, not ${text}`;
  const seconds = (name: string, text: string) =>
    `${name} takes a number of seconds, such as 5 or 0.5, ` +
    `greater than 0 and less than 1000000, not ${text}`;
  const requests = (text: string) =>
    `--max-requests takes a whole number from 0 to 9007199254740991, not ${text}`;
  for (const [args, sentence] of [
    [['--port', 'x'], port('"x"')],
    [['--port', '-1'], port('"-1"')],
    [['--port', '65536'], port('"65536"')],
    [['--port', '1e3'], port('"1e3"')],
    [['--port', '0x50'], port('"0x50"')],
    [['--port', '80 '], port('"80 "')],
    [['--port', ' 80'], port('" 80"')],
    [['--port', ''], port('""')],
    [['--port', 'a\nb'], port(String.raw`"a\nb"`)],
    [['--max-requests', '-5'], requests('"-5"')],
    [['--max-requests=-10'], requests('"-10"')],
    [['--max-requests', '9007199254740992'], requests('"9007199254740992"')],
    [['--request-timeout', '0'], seconds('--request-timeout', '"0"')],
    [['--request-timeout=-1'], seconds('--request-timeout', '"-1"')],
    [['--request-timeout', '1000000'], seconds('--request-timeout', '"1000000"')],
    [['--idle-timeout', '1e9'], seconds('--idle-timeout', '"1e9"')],
    [['--host'], '--host needs a value'],
    [['--port', '--trace'], '--port needs a value'],
    [['--idle-timeout', '.5'], seconds('--idle-timeout', '".5"')],
    [['--idle-timeout', '0.0001'], seconds('--idle-timeout', '"0.0001"')],
    [['--host', ''], '--host takes an address or a host name'],
    [['--trace-page', ''], '--trace-page takes the name of a file'],
    [['--trace-page'], '--trace-page needs a value'],
    [['--help=1'], '--help takes no value'],
    [['--host', '--port', '80'], '--host needs a value'],
    [['--trace=x'], '--trace takes no value'],
    [['--nope'], 'There is no option --nope'],
    [['--no\x1bpe'], 'There is no option --no\x1bpe'],
    [['-x'], 'There is no option -x'],
    [['8080'], 'Unexpected argument "8080"'],
    [['--port', '80', '--', '8080'], 'Unexpected argument "8080"'],
  ] as const) {
    const typed = args.map((arg) => (/^[\w.=-]+$/.test(arg) ? arg : JSON.stringify(arg)));
    it(`${typed.join(' ')} is explained: ${sentence}`, () => {
      const wrong = expect(() => parseOptions(args)).to.throw(UsageError);
      wrong.with.property('message', sentence);
    });
  }
});
