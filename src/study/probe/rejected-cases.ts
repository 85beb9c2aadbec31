/** What this server rejects: at least one case for each rejection in src/http. Where
 * recipients could frame a request differently, its content holds another request
 * (‹inner›), so that the number of responses tells how it was framed. */
import type { Group, RejectedCase } from './case';

const { raw } = String;

type Rest = Pick<RejectedCase, 'condition'> & { readonly status?: number };
type MakeCase = (
  name: string,
  section: string,
  what: string,
  request: string,
  rest?: Rest,
) => RejectedCase;

const rejected =
  (authority: RejectedCase['authority']): MakeCase =>
  (name, section, what, request, { status = 400, ...rest } = {}) => ({
    name,
    status,
    authority,
    section,
    what,
    request,
    ...rest,
  });
const must = rejected('required by');
const may = rejected('allowed by');
const choice = rejected('our choice');

/** A request with this request line. */
const start = (line: string): string => raw`${line}\r\n¦Host: a\r\n\r\n`;
const get = (lines: string): string => raw`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
const host = (value: string): string => raw`GET / HTTP/1.1\r\nHost:${value}\r\n\r\n`;
const post = (lines: string, content: string): string =>
  raw`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n¦${content}`;
/** A chunk that is wrong only in its line, then the last chunk. */
const chunk = (line: string): string => raw`‹chunked›${line}¦hello\r\n0\r\n\r\n`;
const LAST_CHUNK = raw`0\r\n\r\n`;

interface RejectedGroup extends Group<RejectedCase> {
  /** Why requests like these are rejected at all, for the conformance page. */
  readonly why: string;
}

// One case a row: the formatter would give each argument a line.
// prettier-ignore
export const REJECTED_GROUPS: readonly RejectedGroup[] = [
  {
    title: 'Lines',
    why:
      'CRLF ends a line. A recipient that also accepts a bare LF or CR finds other lines in ' +
      'the same bytes, and perhaps another end of the request.',
    cases: [
      may('lf-after-request-line', '9112 2.2', 'A line ends with LF, not CRLF',
        raw`GET / HTTP/1.1\n¦Host: a\r\n\r\n`),
      may('lf-after-field-line', '9112 2.2', 'A line ends with LF, not CRLF',
        raw`GET / HTTP/1.1\r\nHost: a\n¦\r\n`),
      may('lf-after-chunk-size', '9112 7.1', 'A line ends with LF, not CRLF',
        chunk(raw`5\n`)),
      may('lf-after-chunk-extension', '9112 7.1', 'A line ends with LF, not CRLF',
        chunk(raw`5;a\n`)),
      may('cr-after-request-line', '9112 2.2', 'A CR is not followed by LF',
        raw`GET / HTTP/1.1\rH¦ost: a\r\n\r\n`),
      may('cr-in-field-value', '9112 2.2', 'A CR is not followed by LF',
        get(raw`A: b\rC¦: d\r\n`)),
      may('two-empty-lines', '9112 2.2', 'More than one empty line before the request line',
        raw`\r\n\r\n¦‹next›`),
    ],
  },
  {
    title: 'The request line',
    why:
      'The method, the target and the version are on one line, each separated by a single ' +
      'space. If a proxy splits this line in another way, it may check one path, ' +
      'and the server handle another.',
    cases: [
      may('tls', '9112 3',
        'The request line does not start with a method: this byte is not allowed in a token',
        raw`\x16\x03\x01\x02\x00¦\r\n\r\n`),
      may('tab-after-method', '9112 3', 'The method is not a token followed by one space',
        start(raw`GET\t/ HTTP/1.1`)),
      may('long-method', '9112 3', 'The request line exceeds 8192 bytes, most of them the method',
        raw`‹x × 8193›¦ / HTTP/1.1\r\nHost: a\r\n\r\n`, { status: 501 }),
      choice('long-target', '9112 3', 'The request line exceeds 8192 bytes',
        raw`GET /‹x × 8188›¦ HTTP/1.1\r\nHost: a\r\n\r\n`, { status: 414 }),
      may('two-spaces-after-method', '9112 3', 'More than one space after the method',
        start('GET  / HTTP/1.1')),
      may('two-spaces-after-target', '9112 3', 'More than one space after the request-target',
        start('GET /  HTTP/1.1')),
      may('tab-after-target', '9112 3', 'White space other than a space in the request line',
        start(raw`GET /\tHTTP/1.1`)),
      may('no-version', '9112 3', 'The request line ends before an HTTP version',
        raw`GET /\r\n¦\r\n`),
      may('space-after-version', '9112 3',
        'The request line does not end after the HTTP version', start('GET / HTTP/1.1 ')),
      may('version-without-minor', '9112 2.3',
        'The HTTP version is not "HTTP/", a digit, a dot and a digit', start('GET / HTTP/1')),
      may('version-in-lower-case', '9112 2.3',
        'The HTTP version is not "HTTP/", a digit, a dot and a digit', start('GET / http/1.1')),
      may('version-2', '9110 6.2', 'The major version is not 1', start('GET / HTTP/2.0'), {
        status: 505,
      }),
      may('http2-preface', '9110 6.2', 'The major version is not 1',
        raw`PRI * HTTP/2.0\r\n¦\r\nSM\r\n\r\n`, { status: 505 }),
    ],
  },
  {
    title: 'The request-target',
    why:
      'A target has one of four forms: `/tasks` (origin-form), `http://a/tasks` ' +
      '(absolute-form), `a:80` (authority-form, only for CONNECT, which opens a tunnel) or ' +
      '`*` (asterisk-form, only for OPTIONS). *Userinfo* is `name:password@` before a host. A ' +
      '*fragment*, the part after `#`, is for the browser, which does not send it. (In a ' +
      'path or query, a lone `%` is [accepted](#our-own-choices).)',
    cases: [
      may('space-in-target', '9112 3.2', 'White space in the request-target',
        start('GET /a b HTTP/1.1')),
      may('fragment', '9112 3.2', 'A "#" in the request-target, which has no fragment',
        start('GET /a#b HTTP/1.1')),
      may('percent-in-host', '3986 2.1',
        'A "%" in the target without two hexadecimal digits',
        start('GET http://a%/ HTTP/1.1')),
      may('byte-e9-in-path', '3986 3.3', 'A byte that is not allowed in a path',
        start(raw`GET /caf\xe9 HTTP/1.1`)),
      may('less-than-in-host', '3986 2', 'A byte that is not allowed in a URI',
        start('GET http://a<b/ HTTP/1.1')),
      may('quote-in-query', '3986 3.4', 'A byte that is not allowed in a query',
        start('GET /?a="b" HTTP/1.1')),
      may('target-without-slash', '9112 3.2',
        'The request-target does not begin with "/" or "http://"',
        start('GET tasks HTTP/1.1')),
      may('authority-form-with-get', '9112 3.2',
        'The request-target does not begin with "/" or "http://"',
        start('GET a:443 HTTP/1.1')),
      may('asterisk-with-get', '9112 3.2.4',
        'The asterisk-form "*" with a method other than OPTIONS', start('GET * HTTP/1.1')),
      may('connect-to-path', '9112 3.2.3',
        'The target of CONNECT is not a host name, a colon and a port',
        start('CONNECT /tasks HTTP/1.1')),
      may('connect-without-host', '9112 3.2.3', 'CONNECT needs a host',
        start('CONNECT :443 HTTP/1.1')),
      must('connect-without-port', '9110 9.3.6', 'CONNECT needs a port from 1 to 65535',
        start('CONNECT a HTTP/1.1')),
      must('https-target', '9110 7.4', 'The scheme of the request-target is not http',
        start('GET https://a/ HTTP/1.1'), { status: 421 }),
      may('unknown-scheme', '9110 7.4', 'The scheme of the request-target is not http',
        start('GET ftp://a/ HTTP/1.1'), { status: 421 }),
      may('http-with-one-slash', '9110 4.2.1', '"http:" is not followed by "//"',
        start('GET http:/a HTTP/1.1')),
      must('http-without-host', '9110 4.2.1', 'No host after "http://"',
        start('GET http:///tasks HTTP/1.1')),
      may('open-bracket-in-host', '9110 4.2.1',
        'What follows "http://" is not a host name and perhaps a port',
        start('GET http://[::1/ HTTP/1.1')),
      may('userinfo', '9110 4.2.4',
        'Userinfo before the host, which an http URI must not have',
        start('GET http://user@a/ HTTP/1.1')),
    ],
  },
  {
    title: 'Field lines, in the header and trailer sections',
    why:
      'A field can say where the content ends, so nobody may overlook it. The *header ' +
      'section* comes before the content, and the *trailer section* after the last chunk. ' +
      'The MUST of 9112 §5.1 is only for the first. ' +
      '*Obs-fold* is the old way to continue a value: the next line starts with white space.',
    cases: [
      may('space-before-first-field', '9112 2.2', 'White space before the first field line',
        raw`GET / HTTP/1.1\r\n A: b\r\n¦Host: a\r\n\r\n`),
      may('space-before-first-trailer', '9112 7.1.2',
        'White space before the first field line', raw`‹chunked›0\r\n A: b\r\n¦\r\n`),
      may('no-colon', '9112 5', 'No colon after the field name', get(raw`A\r\n¦`)),
      may('space-for-colon', '9112 5', 'No colon after the field name', get(raw`A b\r\n¦`)),
      may('space-in-field-name', '9110 5.1', 'White space inside a field name',
        get(raw`A b: c\r\n¦`)),
      must('space-before-colon', '9112 5.1',
        'White space between a field name and the colon',
        raw`GET / HTTP/1.1\r\nHost : a\r\n¦\r\n`),
      must('space-before-colon-length', '9112 5.1',
        'White space between a field name and the colon',
        post(raw`Content-Length : 27\r\n`, '‹inner›')),
      must('tab-before-colon-coding', '9112 5.1',
        'White space between a field name and the colon',
        post(raw`Transfer-Encoding\t: chunked\r\n`, raw`1b\r\n‹inner›\r\n0\r\n\r\n`)),
      may('space-before-colon-trailer', '9112 5.1',
        'White space between a field name and the colon', raw`‹chunked›0\r\nA : b\r\n¦\r\n`),
      may('empty-field-name', '9110 5.1', 'A field line with an empty name',
        get(raw`: a\r\n¦`)),
      may('parenthesis-in-field-name', '9110 5.1',
        'A byte in a field name that is not allowed in a token', get(raw`A(b): c\r\n¦`)),
      may('nul-in-field-value', '9110 5.5', 'A control character in a field value',
        get(raw`A: b\x00¦c\r\n`)),
      may('vertical-tab-before-coding', '9110 5.5', 'A control character in a field value',
        raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \x0b¦chunked\r\n\r\n0\r\n\r\n`),
      may('folded-line', '9112 5.2', 'A field value continues on another line (obs-fold)',
        get(raw`A: b\r\n c\r\n¦`)),
      may('folded-coding', '9112 5.2', 'A field value continues on another line (obs-fold)',
        post(raw`Transfer-Encoding:\r\n chunked\r\n`, raw`1b\r\n‹inner›\r\n0\r\n\r\n`)),
      choice('long-header-section', '6585 5', 'The header section exceeds 16384 bytes',
        get(raw`A: ‹x × 16384›¦\r\n`), { status: 431 }),
      choice('many-field-lines', '6585 5',
        'The header section has more than 100 field lines', get(raw`‹A: b\r\n × 100›¦`),
        { status: 431 }),
      choice('long-trailer-section', '6585 5', 'The trailer section exceeds 16384 bytes',
        raw`‹chunked›0\r\nA: ‹x × 16384›¦\r\n\r\n`, { status: 431 }),
      choice('many-trailer-fields', '6585 5',
        'The trailer section has more than 100 field lines',
        raw`‹chunked›0\r\n‹A: b\r\n × 101›¦\r\n`, { status: 431 }),
    ],
  },
  {
    title: 'Host',
    why:
      'One machine can serve many sites, and Host says which one is meant, such as ' +
      '`localhost:8080`. If a proxy and a server see different sites, a client gets the ' +
      'wrong one.',
    cases: [
      must('no-host', '9112 3.2',
        'No Host field, which only an HTTP/1.0 request may leave out',
        raw`GET / HTTP/1.1\r\n\r\n`),
      must('two-hosts', '9112 3.2', 'More than one Host field',
        raw`GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`),
      must('two-equal-hosts', '9112 3.2', 'More than one Host field',
        raw`GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n`),
      must('host-with-path', '9112 3.2',
        'Host is not a host name and perhaps a port', host(' a/b')),
      must('host-with-space', '9112 3.2', 'Host is not a host name and perhaps a port',
        host(' a b')),
      must('host-with-userinfo', '9112 3.2', 'Host is not a host name and perhaps a port',
        host(' u@a')),
      must('host-with-bad-port', '9112 3.2', 'Host is not a host name and perhaps a port',
        host(' a:8x')),
      may('empty-host', '9112 3.3', 'Host does not name a host', host('')),
      choice('host-with-comma', '9112 3.2', 'Host has a comma, so it looks like a list',
        host(' a,b')),
    ],
  },
  {
    title: 'Content and its framing',
    why:
      'The framing decides where the next request begins. If two recipients disagree ' +
      'about it, one of them takes content for a request. A *transfer coding* is a form in ' +
      'which content is sent: this server knows only `chunked`, which has to be the last ' +
      '(*final*). The field *Expect* says ' +
      'what a client wants before it sends the content.',
    cases: [
      may('length-and-chunked', '9112 6.1',
        'Transfer-Encoding together with Content-Length',
        post(raw`Content-Length: 32\r\nTransfer-Encoding: chunked\r\n`, raw`0\r\n\r\n‹inner›`)),
      may('chunked-and-length', '9112 6.1',
        'Transfer-Encoding together with Content-Length',
        post(raw`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`,
          raw`1b\r\n‹inner›\r\n0\r\n\r\n`)),
      may('chunked-in-http-1-0', '9112 6.1', 'Transfer-Encoding in an HTTP/1.0 request',
        raw`POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n¦0\r\n\r\n`),
      must('empty-coding', '9112 6.3', 'Transfer-Encoding without a transfer coding',
        post(raw`Transfer-Encoding:\r\n`, '‹inner›')),
      must('chunked-not-last', '9112 6.3',
        'The final transfer coding of a request is not chunked',
        post(raw`Transfer-Encoding: chunked, gzip\r\n`, LAST_CHUNK)),
      must('identity-coding', '9112 6.3',
        'The final transfer coding of a request is not chunked',
        post(raw`Transfer-Encoding: identity\r\n`, '‹inner›')),
      must('xchunked-coding', '9112 6.3',
        'The final transfer coding of a request is not chunked',
        post(raw`Transfer-Encoding: xchunked\r\n`, LAST_CHUNK)),
      may('gzip-before-chunked', '9112 6.1', 'A transfer coding other than chunked',
        post(raw`Transfer-Encoding: gzip, chunked\r\n`, LAST_CHUNK), { status: 501 }),
      may('chunked-twice', '9112 6.1', 'The chunked coding is applied more than once',
        post(raw`Transfer-Encoding: chunked, chunked\r\n`, LAST_CHUNK)),
      may('chunked-on-two-lines', '9112 6.1',
        'The chunked coding is applied more than once',
        post(raw`Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n`, LAST_CHUNK)),
      must('codings-on-two-lines', '9112 6.3',
        'The final transfer coding of a request is not chunked',
        post(raw`Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n`, LAST_CHUNK)),
      may('chunked-with-parameter', '9112 7.1',
        'The chunked coding has a parameter, but defines none',
        post(raw`Transfer-Encoding: chunked;a=b\r\n`, LAST_CHUNK)),
      may('quoted-coding', '9110 10.1.4',
        'A transfer coding is not a token with parameters',
        post(raw`Transfer-Encoding: "chunked"\r\n`, LAST_CHUNK)),
      must('length-with-plus', '9112 6.3', 'Content-Length is not a single decimal number',
        post(raw`Content-Length: +5\r\n`, 'hello')),
      must('length-in-hex', '9112 6.3', 'Content-Length is not a single decimal number',
        post(raw`Content-Length: 0x5\r\n`, 'hello')),
      must('negative-length', '9112 6.3', 'Content-Length is not a single decimal number',
        post(raw`Content-Length: -1\r\n`, '')),
      must('empty-length', '9112 6.3', 'Content-Length is not a single decimal number',
        post(raw`Content-Length:\r\n`, '')),
      must('length-list-of-two', '9112 6.3', 'Content-Length has different values',
        post(raw`Content-Length: 0, 27\r\n`, '‹inner›')),
      must('two-lengths', '9112 6.3', 'Content-Length has different values',
        post(raw`Content-Length: 0\r\nContent-Length: 27\r\n`, '‹inner›')),
      may('equal-length-list', '9110 8.6',
        'Content-Length is a list, though it names one length',
        post(raw`Content-Length: 5, 5\r\n`, 'hello')),
      may('two-equal-lengths', '9110 8.6',
        'More than one Content-Length, though all their numbers are equal',
        post(raw`Content-Length: 5\r\nContent-Length: 5\r\n`, 'hello')),
      choice('length-with-zero', '9110 8.6', 'Content-Length has a leading zero',
        post(raw`Content-Length: 010\r\n`, 'helloworld')),
      choice('huge-length', '9110 8.6', 'Content-Length has more than 15 digits',
        post(raw`Content-Length: 1000000000000000\r\n`, 'hello')),
      may('unknown-expectation', '9110 10.1.1', 'An expectation other than 100-continue',
        get(raw`Expect: luck\r\n`), { status: 417 }),
      choice('large-content', '9110 15.5.14', 'The content exceeds 1048576 bytes',
        raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\nx¦‹x × 1048576›`,
        { status: 413 }),
      choice('content-over-budget', '9110 15.6.4',
        'The requests of all connections together exceed what this server can hold',
        raw`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n‹x × 5000›`,
        {
          status: 503,
          condition: { text: 'to a server with `contentBudget: 4`', options: { contentBudget: 4 } },
        }),
    ],
  },
  {
    title: 'Chunks',
    why:
      'A chunk is a line with its size in hexadecimal, then the data, then CRLF. The size ' +
      'says where the next chunk begins, so one misread digit moves all that follows. ' +
      '*Extensions* may follow the size: `5;name=value`.',
    cases: [
      may('chunk-size-with-plus', '9112 7.1', 'A chunk does not start with its size in hex',
        chunk(raw`+5\r\n`)),
      may('empty-chunk-size', '9112 7.1', 'A chunk does not start with its size in hex',
        chunk(raw`\r\n`)),
      may('chunk-size-with-0x', '9112 7.1',
        'A chunk line is not a size in hex and perhaps extensions',
        chunk(raw`0x5\r\n`)),
      may('chunk-size-with-underscore', '9112 7.1',
        'A chunk line is not a size in hex and perhaps extensions',
        raw`‹chunked›1_0\r\n¦0123456789abcdef\r\n0\r\n\r\n`),
      choice('long-chunk-size', '9112 7.1', 'A chunk-size has more than 16 digits',
        chunk(raw`‹0 × 16›5\r\n`)),
      choice('huge-chunk-size', '9112 7.1', 'A chunk-size exceeds 2^53 - 1',
        chunk(raw`20000000000000\r\n`)),
      choice('chunk-size-over-64-bits', '9112 7.1', 'A chunk-size exceeds 2^53 - 1',
        chunk(raw`f0000000000000005\r\n`)),
      may('space-after-chunk-size', '9112 7.1.1',
        'White space after the size of a chunk, and no extension', chunk(raw`5 \r\n`)),
      may('space-before-chunk-size', '9112 7.1',
        'A chunk does not start with its size in hex', chunk(raw` 5\r\n`)),
      may('chunk-size-with-minus', '9112 7.1',
        'A chunk does not start with its size in hex', chunk(raw`-5\r\n`)),
      may('cr-before-chunk-size', '9112 2.2', 'A CR is not followed by LF',
        chunk(raw`\r5\r\n`)),
      may('nul-in-extension', '9112 7.1.1',
        'A chunk extension is not ";", a name and perhaps "=" and a value',
        chunk(raw`5;a=\x00\r\n`)),
      may('control-in-quoted-ext', '9112 7.1.1',
        'A chunk extension is not ";", a name and perhaps "=" and a value',
        chunk(raw`5;a="\x01"\r\n`)),
      may('chunk-extension-no-value', '9112 7.1.1',
        'A chunk extension is not ";", a name and perhaps "=" and a value', chunk(raw`5;a=\r\n`)),
      choice('long-chunk-line', '9112 7.1.1', 'A chunk line exceeds 1024 bytes',
        raw`‹chunked›5;‹x × 1023›¦\r\nhello\r\n0\r\n\r\n`),
      choice('many-chunk-extensions', '9112 7.1.1',
        'The chunk extensions of this message exceed 16384 bytes',
        raw`‹chunked›‹1;‹x × 1000›\r\nx\r\n × 17›¦0\r\n\r\n`),
      may('chunk-too-long', '9112 7.1', 'The data of a chunk is not followed by CRLF',
        raw`‹chunked›5\r\nhello!¦\r\n0\r\n\r\n`),
      may('two-bytes-for-crlf', '9112 7.1', 'The data of a chunk is not followed by CRLF',
        raw`‹chunked›5\r\nhelloX¦Y0\r\n\r\n`),
    ],
  },
  {
    title: 'Requests that never become complete',
    why:
      'Nobody can handle half a request, and waiting for the rest takes memory and a ' +
      'connection.',
    cases: [
      may('half-a-request', '9112 8',
        'The input ended mid-request; still missing: …',
        raw`GET / HTTP/1.1\r\nHo`,
        { condition: { text: 'then the client closes its sending side', ends: true } }),
      choice('slow-request', '9110 15.5.9',
        'The request is not complete … s after it began; still missing: …',
        raw`GET / HTTP/1.1\r\nHo`,
        {
          status: 408,
          condition: {
            text: 'to a server with `--request-timeout 0.2`, then nothing more',
            options: { requestTimeout: 0.2 },
          },
        }),
    ],
  },
];
