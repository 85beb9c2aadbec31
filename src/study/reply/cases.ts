/** Responses by which a client is tried: what each shows, and what HTTP asks of a client. */

/** - `MUST take`: a MUST says that the client takes the response
 *  - `valid`: the response is well-formed, so a client that rejects it is wrong
 *  - `SHOULD take`: the response is not regular, but the RFC recommends to take it
 *  - `MUST reject`: the client must not report success: the response is invalid, or it is
 *    incomplete
 *  - `either`: the RFC leaves it to the client */
export type Asks = 'MUST take' | 'valid' | 'SHOULD take' | 'MUST reject' | 'either';

export interface ReplyCase {
  /** For the command line: lower case, and unique. */
  readonly name: string;
  readonly asks: Asks;
  /** The RFC and the section that says so: "9112 6.3". */
  readonly section: string;
  readonly what: string;
  /** The response, in the notation of study/bytes.ts. */
  readonly script: string;
  /** When it is sent: once the request is complete (the default), or once its header
   * section is. */
  readonly when?: 'request' | 'head';
  /** Of the request by which a client is tried, if it must be this one. */
  readonly method?: string;
}

type About = Pick<ReplyCase, 'method' | 'when'>;

function asking(asks: Asks) {
  return (name: string, section: string, what: string, script: string, about?: About) => ({
    asks,
    name,
    section,
    what,
    script,
    ...about,
  });
}

const must = asking('MUST take');
const valid = asking('valid');
const should = asking('SHOULD take');
const reject = asking('MUST reject');
const either = asking('either');

const ok = (lines: string, content = ''): string => `HTTP/1.1 200 OK\n${lines}\n${content}`;
const sized = (length: string, content = 'hello'): string =>
  ok(`Content-Length: ${length}\n`, content);
const chunked = (chunks: string): string => ok('Transfer-Encoding: chunked\n', chunks);
const field = (line: string): string => ok(`${line}\nContent-Length: 5\n`, 'hello');
const slowly = (text: string): string => Array.from(text).join('‖5‖');

const OK = sized('5');
const OTHER = sized('9', 'left over');
const CLOSE = '‖20‖‖close‖';
const RESET = '‖50‖‖reset‖';

// prettier-ignore
export const REPLY_CASES: readonly ReplyCase[] = [
  valid('plain', '9112 6.3', 'A length, and as much content', OK),
  // Content by its length (9112 §6.2).
  reject('content-short', '9112 6.3', 'Less content than its length, then the end',
    sized('8') + CLOSE),
  reject('content-short-reset', '9112 8', 'Less content than its length, then a reset',
    sized('8') + RESET),
  reject('content-short-silence', '9112 6.3', 'Less content than its length, then silence',
    sized('8')),
  either('content-long', '9112 6.3', 'More content than its length', sized('5', 'hello, world')),
  reject('lengths-differ', '9112 6.3', 'Two lengths',
    ok('Content-Length: 5\nContent-Length: 3\n', 'hello') + CLOSE),
  either('lengths-equal', '9110 8.6', 'The same length twice',
    ok('Content-Length: 5\nContent-Length: 5\n', 'hello')),
  reject('length-word', '9112 6.3', 'A length that is no number', sized('5x') + CLOSE),
  reject('length-sign', '9112 6.3', 'A length with a sign', sized('+5') + CLOSE),
  reject('length-hex', '9112 6.3', 'A length in hexadecimal digits', sized('0x5') + CLOSE),
  reject('length-empty', '9112 6.3', 'A length without digits', sized('') + CLOSE),
  reject('length-overflow', '9110 8.6', 'The length 2^64 + 5: as 64 bits, it is 5',
    sized('18446744073709551621') + CLOSE),
  // Content until the connection ends (9112 §6.3, item 8).
  valid('no-length', '9112 6.3', 'No length: the end of the connection ends the content',
    ok('', 'hello') + CLOSE),
  reject('no-length-reset', '9112 8', 'No length, and a reset instead of an end',
    ok('', 'hello') + RESET),
  either('no-length-silence', '9112 6.3', 'No length, then silence', ok('', 'hello')),
  // Chunks (9112 §7.1).
  must('chunks', '9112 7.1', 'Content in chunks', chunked('2\nhe\n3\nllo\n0\n\n')),
  must('chunk-extension', '9112 7.1.1', 'A chunk extension that nobody knows',
    chunked('5;a=b;c="d;e"\nhello\n0\n\n')),
  valid('chunk-trailer', '9112 7.1.2', 'A trailer field', chunked('5\nhello\n0\nX-Sum: 1\n\n')),
  valid('chunks-slow', '9112 7.1', 'One byte at a time', slowly(chunked('5\nhello\n0\n\n'))),
  reject('chunks-no-last', '9112 8', 'No last chunk, then the end', chunked('5\nhello\n') + CLOSE),
  reject('chunks-cut-data', '9112 8', 'The end in the data of a chunk', chunked('5\nhel') + CLOSE),
  either('chunks-cut-trailer', '9112 8', 'The end after the line of the last chunk',
    chunked('5\nhello\n0\n') + CLOSE),
  reject('chunk-size-small', '9112 8', 'A chunk that is longer than its size',
    chunked('3\nhello\n0\n\n') + CLOSE),
  reject('chunk-size-large', '9112 8', 'A chunk that is shorter than its size',
    chunked('7\nhello\n0\n\n') + CLOSE),
  reject('chunk-size-word', '9112 8', 'A chunk-size that is no number',
    chunked('five\nhello\n0\n\n') + CLOSE),
  reject('chunk-size-0x', '9112 8', 'A chunk-size with 0x', chunked('0x5\nhello\n0\n\n') + CLOSE),
  reject('chunk-size-overflow', '9112 7.1', 'The size 2^64 + 5: as 64 bits, it is 5',
    chunked('10000000000000005\nhello\n0\n\n') + CLOSE),
  either('chunk-lf', '9112 7.1', 'Chunk lines that end with LF', chunked('5¬\nhello¬\n0¬\n¬\n')),
  either('chunks-endless', '9112 7.1', 'Chunks without end', `${chunked('')}‖5\nhello\n‖never‖`),
  either('length-and-chunks', '9112 6.3', 'A length and chunks',
    ok('Content-Length: 2\nTransfer-Encoding: chunked\n', '5\nhello\n0\n\n')),
  either('chunks-http-1.0', '9112 6.1', 'Chunks from HTTP/1.0',
    `HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n${CLOSE}`),
  either('coding-unknown', '9112 6.3', 'A transfer coding that nobody knows',
    ok('Transfer-Encoding: x\n', 'hello') + CLOSE),
  // Silence, and the end of a connection.
  either('silence', '9112 9.5', 'Not a byte', ''),
  either('silence-in-head', '9112 9.5', 'Silence in the header section',
    'HTTP/1.1 200 OK\nServer: x'),
  valid('slow', '9112 9.5', 'A pause of half a second before each part',
    '‖500‖HTTP/1.1 200 OK\n‖500‖Content-Length: 5\n\n‖500‖hello'),
  either('close-at-once', '9112 9.3.1', 'The end without a byte', '‖close‖'),
  either('reset-at-once', '9112 9.3.1', 'A reset without a byte', '‖reset‖'),
  reject('close-in-head', '9112 8', 'The end in the header section',
    `HTTP/1.1 200 OK\nContent-Length: 0\n${CLOSE}`),
  reject('reset-in-head', '9112 8', 'A reset in the header section',
    `HTTP/1.1 200 OK\nContent-Length: 0\n${RESET}`),
  valid('kept-then-closed', '9112 9.5', 'The end, although nothing said "close"', OK + CLOSE),
  // The status line (9112 §4).
  valid('http-1.0', '9112 6.3', 'HTTP/1.0, no length', `HTTP/1.0 200 OK\n\nhello${CLOSE}`),
  should('http-1.7', '9110 2.5', 'HTTP/1.7', OK.replace('1.1', '1.7')),
  either('http-2.0', '9110 2.5', 'HTTP/2.0', OK.replace('1.1', '2.0') + CLOSE),
  valid('no-reason', '9112 4', 'No reason phrase', OK.replace('OK', '')),
  either('no-reason-no-space', '9112 4', 'No reason phrase, and no space before it',
    OK.replace(' OK', '')),
  must('status-299', '9110 15', 'A status that nobody knows', OK.replace('200 OK', '299 Odd')),
  either('status-600', '9110 15', 'Status 600: a client SHOULD read it as a 5xx',
    OK.replace('200 OK', '600 Odd')),
  either('garbage', '9112 4', 'No status line', `SSH-2.0-OpenSSH_9.6\n${CLOSE}`),
  either('empty-line-first', '9112 2.2', 'An empty line before the status line', `\n${OK}`),
  either('lf-lines', '9112 2.2', 'Lines that end with LF',
    'HTTP/1.1 200 OK¬\nContent-Length: 5¬\n¬\nhello'),
  // Field lines (9112 §5).
  must('folded-field', '9112 5.2', 'A folded field line', field('X-A: b\n  c')),
  either('space-before-colon', '9112 5.1', 'A space before the colon',
    ok('Content-Length : 5\n', 'hello') + CLOSE),
  either('nul-in-field', '9110 5.5', 'NUL in a field: reject it, or read SP',
    field('X-A: b\\x00c')),
  either('cr-in-field', '9110 5.5', 'CR in a field: reject it, or read SP',
    field('X-A: b\\x0dContent-Length: 3')),
  either('header-endless', '9110 5.4', 'A header section without end',
    'HTTP/1.1 200 OK\n‖X-A: b\n‖never‖'),
  // Interim responses (9110 §15.2), and responses without content.
  must('continue', '9110 15.2', '100 that nobody asked for', `HTTP/1.1 100 Continue\n\n${OK}`),
  must('continue-twice', '9110 15.2', '100 twice',
    `HTTP/1.1 100 Continue\n\nHTTP/1.1 100 Continue\n\n${OK}`),
  must('continue-late', '9110 15.2', '100, and half a second later the response',
    `HTTP/1.1 100 Continue\n\n‖500‖${OK}`),
  must('early-hints', '9110 15.2', '103 with a field',
    `HTTP/1.1 103 Early Hints\nLink: </a>\n\n${OK}`),
  either('switched-unasked', '9110 7.8', '101 that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\nUpgrade: x\n\nhello'),
  must('no-content-length', '9112 6.3', '204 with a length and no content',
    'HTTP/1.1 204 No Content\nContent-Length: 5\n\n'),
  must('no-content-content', '9112 6.3', '204 with content',
    `HTTP/1.1 204 No Content\nContent-Length: 5\n\nhello`),
  must('head-content', '9112 6.3', 'Content, although the request was HEAD', OK,
    { method: 'HEAD' }),
  either('redirect-nowhere', '9110 15.4', '302 without Location',
    'HTTP/1.1 302 Found\nContent-Length: 0\n\n'),
  either('redirect-loop', '9110 15.4', '302 to itself: a client SHOULD notice',
    'HTTP/1.1 302 Found\nLocation: ?\nContent-Length: 0\n\n'),
  // What follows a response (9112 §9).
  valid('two-responses', '9112 6.3', 'Two responses: MUST NOT take the second', OK + OTHER),
  valid('close-then-more', '9112 9.6', '"close", then more: the client MUST close',
    field('Connection: close') + OTHER),
  valid('early', '9112 9.3', 'A response before the request is complete', OK,
    { when: 'head' }),
];
