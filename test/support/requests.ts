/** Requests that nobody would write by hand: mostly well-formed, from a grammar, then
 * damaged. */
import type { Random } from './random';

/** Alternatives, of which one is taken: a usual one or, once in a while, a rare one. ‹name›
 * stands for another rule, and ‹~n› for about n bytes. */
interface Rule {
  readonly usual: readonly string[];
  readonly rare?: readonly string[];
}

// prettier-ignore
const GRAMMAR: Readonly<Record<string, Rule>> = {
  request: {
    usual: [
      '‹emptyLine›‹line›‹host›‹fields›\r\n', '‹emptyLine›‹line›‹fields›‹host›‹length›',
      '‹emptyLine›‹line›‹host›‹fields›‹chunked›‹fields›\r\n‹chunks›0‹extension›\r\n‹fields›\r\n',
    ],
    rare: [
      '‹line›‹fields›\r\n', '‹line›‹host›‹host›\r\n',
      '‹line›‹host›‹chunked›‹length›0\r\n\r\n',
      '‹line›‹host›Content-Length: 3\r\n‹length›', '‹line›‹host›‹manyFields›\r\n',
      '‹line›‹host›Expect: ‹expectation›\r\n‹length›',
      '‹line›‹host›Expect: 100-continue\r\n‹chunked›\r\n‹chunks›0\r\n‹manyFields›\r\n',
      '\x16\x03\x01',
    ],
  },
  emptyLine: { usual: ['', '', '', ''], rare: ['\r\n', '\r\n\r\n', '\n'] },
  line: {
    usual: [
      '‹method› ‹origin› HTTP/1.1\r\n', '‹method› http‹authority›‹origin› HTTP/1.1\r\n',
    ],
    rare: [
      '‹method› ‹target› ‹version›\r\n', '‹method›  ‹origin› ‹version›\r\n',
      'CONNECT a:‹port› HTTP/1.1\r\n',
    ],
  },
  method: {
    usual: ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'],
    rare: ['CONNECT', 'PRI', 'get', "!#$%&'*+-.^_`|~09azAZ", '‹~8185›', ''],
  },
  origin: {
    usual: ['/', '/tasks', '/tasks/1?a=b', '/‹segment›'],
    rare: ['/‹~8170›', '/‹segment›?‹segment›', '/%zz'],
  },
  segment: {
    usual: ['x', '%2F‹segment›', '../‹segment›', ":@!$&'()*+,;=~", '/'],
    rare: ['"', '#', '\x80', '\xc3\xa9', '%', '%4', '[]', '^|', '\\', '`{}', ' '],
  },
  target: {
    usual: ['*', 'a:443', 'http‹authority›', 'HTTP‹authority›?q', '‹origin›'],
    rare: ['https://a/', 'mailto:x', '?', 'x', '#x', '‹~8192›'],
  },
  authority: {
    usual: ['://a', '://localhost:8080', '://[::1]:1'],
    rare: [
      '://u@a', '://', ':/', ':', '://a:x', '://[::1%251]', '://a,b', '://a%', '://a|b',
    ],
  },
  port: { usual: ['1', '443', '65535'], rare: ['', '0', '65536', 'x'] },
  version: {
    usual: ['HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2'],
    rare: ['HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'HTTP/1', 'HTTP/1.10', 'HTTP/1.1 '],
  },
  host: {
    usual: [
      'Host: a\r\n', 'hOST:‹ows›localhost:8080‹ows›\r\n', 'Host: [2001:db8::1]\r\n',
      'Host: [::ffff:192.0.2.1]:80\r\n',
    ],
    rare: [
      'Host:\r\n', 'Host: :80\r\n', 'Host: a,b\r\n', 'Host: u@a\r\n',
      'Host: [1::2::3]\r\n', 'Host: [fe80::1%25e]\r\n', 'Host: [v1.a:b]\r\n',
      'Host: %4\r\n',
    ],
  },
  fields: { usual: ['', '', '', '‹field›‹fields›'], rare: ['‹wrongField›'] },
  field: {
    usual: ['‹name›:‹ows›‹value›‹ows›\r\n', 'Connection: ‹option›\r\n'],
    rare: [
      'Expect: ‹expectation›\r\n', '‹name›: ‹~16350›\r\n', '‹~16380›: \r\n',
      'Connection: ‹option›, ‹option›\r\n', 'Upgrade: x\r\n',
    ],
  },
  wrongField: {
    usual: [
      '‹name› : x\r\n', ' ‹field›', ': x\r\n', '‹name›\r\n', '‹name› x\r\n',
      '‹name› x:y\r\n', '‹name›: \0\r\n', '‹name›: x\r\n y\r\n', '‹name›: x\n',
      '‹name›: x\ry\r\n', 'a(b): x\r\n',
    ],
  },
  name: {
    usual: ['A', 'X-Y', 'x_y', 'Cookie', 'Content-Type', 'Trailer'],
    rare: ["!#$%&'*+-.^_`|~09azAZ", '__proto__', 'Content-Lengt', 'Transfer_Encoding'],
  },
  value: {
    usual: ['', 'x', 'a, b', 'x\ty', '\x80\xff', 'chunked', '"quoted"'],
    rare: ['\x7f', '\0', '\x0b', '\xa0x\xa0', '‹~1000›'],
  },
  ows: { usual: ['', ' ', '\t', ' \t '] },
  option: {
    usual: ['keep-alive', 'close', 'x'],
    rare: ['KEEP-ALIVE', 'Close', '', 'upgrade', 'te'],
  },
  expectation: {
    usual: ['100-continue', '100-CONTINUE'],
    rare: ['x', '100-continue, x', ',', '200-ok'],
  },
  manyFields: { usual: [98, 99, 100, 101].map((count) => 'A:\r\n'.repeat(count)) },
  length: {
    usual: [
      'Content-Length: 0\r\n\r\n', 'Content-Length:‹ows›3‹ows›\r\n‹fields›\r\na\r\n',
      'Content-Length: 11\r\n\r\nGET / HTTP/1',
      'Content-Length: 1000\r\n\r\n‹exactly1000›',
    ],
    rare: [
      'Content-Length: ‹number›\r\n\r\nabc', 'Content-Length: 1048577\r\n\r\nx',
      'Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc',
      'Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
      'Content-Length: 3, 3\r\n\r\nabc',
    ],
  },
  number: {
    usual: ['+3', '-3', '03', '0x3', '3.0', '3e0', '3 0', '', 'x', '\xb2'],
    rare: ['1048576', '1048577', '999999999999999', '1000000000000000', '9'.repeat(400)],
  },
  exactly1000: { usual: ['x'.repeat(1000), '\r\n'.repeat(500), '\0\xff'.repeat(500)] },
  chunked: { usual: ['Transfer-Encoding:‹ows›‹coding›\r\n'] },
  coding: {
    usual: ['chunked', 'CHUNKED', ', chunked ,'],
    rare: [
      'gzip, chunked', 'gzip;a="b, chunked", chunked', 'gzip ; q = 1, chunked',
      'chunked, chunked', 'chunked, gzip', 'identity', 'xchunked', '"chunked"',
      'chunked;q=1', ';q=1, chunked', ',', '',
    ],
  },
  chunks: {
    usual: ['', '‹chunk›‹chunks›', '‹chunk›‹chunk›'],
    rare: ['‹wrongChunk›‹chunks›', '‹chunk›'.repeat(40)],
  },
  chunk: {
    usual: [
      '1‹extension›\r\nx\r\n', '00000000000000A‹extension›\r\n0\r\n\r\nGET /\r\n',
      '3e8\r\n‹exactly1000›\r\n',
    ],
  },
  wrongChunk: {
    usual: [
      '3\r\nabXY', '1\r\nx\n', '2\r\nx\r\n', '1\nx\r\n', ' 1\r\nx\r\n', '0x1\r\nx\r\n',
      '1 \r\nx\r\n', '\r\n', '+1\r\nx\r\n', '1_0\r\nx\r\n', '100001\r\n',
    ],
    rare: [
      '100001;a\r\n', '20000000000000\r\n', '00000000000000001\r\nx\r\n',
      '1;a="b\r\nx\r\n', '1;a=\r\nx\r\n', '1;\r\nx\r\n', '1;a\0\r\nx\r\n',
      '1;‹~1022›\r\nx\r\n', '1;‹~1000›\r\nx\r\n'.repeat(18),
    ],
  },
  extension: {
    usual: ['', '', ';a', ';a=b;c', ';a="x;\\"y"', ' ; a = b'],
    rare: [';‹~1000›', '\t;\ta\t=\t"\t\x80"', ';a="\0"', ' '],
  },
};

/** @returns a request that is mostly well-formed, one character per byte */
function generate(random: Random, rule = 'request'): string {
  const { usual = [], rare = usual } = GRAMMAR[rule] ?? {};
  const text = random.oneOf(random.onceIn(32) ? rare : usual);
  return text.replace(/‹(~?)(\w+)›/g, (_, about: string, name: string) =>
    about === ''
      ? generate(random, name)
      : 'x'.repeat(Number(name) - 16 + random.below(33)),
  );
}

// prettier-ignore
const ODD = [
  '\r', '\n', '\r\n', '\r\n\r\n', '\0', ' ', '\t', '\x0b', ':', ';', ',', '=', '"', '\\',
  '%', '#', '/', '0', '1', 'f', '\x7f', '\x80', '\xff', 'HTTP/1.1', 'GET ',
];
const WRONG_LINE_ENDS = ['\n', '\r', '\r\r\n', '\r\n ', '\r\n\r\n'];

/** @returns the text with one thing wrong: something is lost, inserted, replaced, doubled
 * or moved, or the end is missing */
function damage(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const end = at + random.below(random.oneOf([2, 8, 200]));
  const [before, slice, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  switch (random.below(7)) {
    case 0:
      return before + after;
    case 1:
      return before + random.oneOf(ODD) + text.slice(at);
    case 2:
      return before + random.oneOf(ODD) + text.slice(at + 1);
    case 3:
      return before + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    case 4:
      return before + slice + slice + after;
    case 5:
      return slice + before + after;
    default:
      return random.onceIn(4)
        ? before
        : text.replace('\r\n', random.oneOf(WRONG_LINE_ENDS));
  }
}

/** @returns a few requests in a row, half of the time damaged */
export function stream(random: Random): Buffer {
  let text = Array.from({ length: 1 + random.below(3) }, () => generate(random)).join('');
  const times = random.onceIn(2) ? 0 : 1 + random.below(3);
  for (let count = 0; count < times; count += 1) text = damage(random, text);
  return Buffer.from(text, 'latin1');
}
