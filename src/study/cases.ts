/** Requests, and what HTTP says about them: the probe sends them to other servers, the
 * tests try them in every cut, the menu of the workbench offers them, and the tables of the
 * conformance page are written from them.
 *
 * The bytes are in the notation of bytes.ts, in which a line break is CRLF. ▲ stands before
 * the first wrong byte, ‹x × 5› repeats a text, and ‹host› is the name of the server. Where
 * recipients could frame a request differently, its content holds another request (INNER),
 * so that the number of responses tells how it was framed. */
import type { Authority } from '../http/protocol-error';
import { expand, readScript, type Script } from './bytes';

/** Bytes that this server rejects. */
export interface RejectedCase {
  /** For the command line: lower case, and unique. */
  readonly name: string;
  readonly status: number;
  readonly authority: Authority;
  /** The RFC and its section: "9112 5.1". */
  readonly section: string;
  /** The sentence of the rejection, with … for a part that is known only when it is
   * made. */
  readonly what: string;
  /** In the notation above. */
  readonly bytes: string;
  /** What the server needs for it: options that only this server has. */
  readonly needs?: Needs | undefined;
}

interface Needs {
  /** For a reader who sends the bytes by hand. */
  readonly text: string;
  /** Those of startServer(). */
  readonly options: { readonly contentBudget?: number; readonly requestTimeout?: number };
}

/** A request that is valid by the RFC. */
export interface ValidCase extends Omit<RejectedCase, 'status' | 'authority'> {
  /** How many requests the bytes hold: 1 by default. */
  readonly requests?: number;
  /** The RFC gives the server a reason to respond with these instead. */
  readonly alsoRight?: readonly number[];
}

export type Case = RejectedCase | ValidCase;

export interface Group<Member extends Case = Case> {
  /** A heading of the conformance page. */
  readonly title: string;
  readonly cases: readonly Member[];
}

const POST = 'POST / HTTP/1.1\nHost: ‹host›\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\n\n`;
const GET = 'GET / HTTP/1.1\nHost: ‹host›\n';
/** The end of a request line, and a header section. */
const HOST = '\nHost: ‹host›\n\n';
const NEXT = `${GET}\n`;
/** As content: its length is the same for every server. */
const INNER = 'GET / HTTP/1.1\nHost: a\n\n';

const group = (
  title: string,
  ...cases: readonly RejectedCase[][]
): Group<RejectedCase> => ({ title, cases: cases.flat() });

/** Cases that get the same sentence, on the same authority. */
const rejected =
  (authority: Authority) =>
  (
    status: number,
    section: string,
    what: string,
    ...cases: readonly (readonly [name: string, bytes: string, needs?: Needs])[]
  ): RejectedCase[] =>
    cases.map(([name, bytes, needs]) => {
      return { name, status, authority, section, what, bytes, needs };
    });
const requiredBy = rejected('required by');
const allowedBy = rejected('allowed by');
const ourChoice = rejected('our choice');

// The formatter would give each string a line.
// prettier-ignore
export const REJECTED_GROUPS: readonly Group<RejectedCase>[] = [
  group('Lines',
    allowedBy(400, '9112 2.2', 'A line ends with LF, not CRLF',
      ['lf-after-request-line', `GET / HTTP/1.1▲¬${HOST}`],
      ['lf-after-field-line', 'GET / HTTP/1.1\nHost: ‹host›▲¬\n\n']),
    allowedBy(400, '9112 7.1', 'A line ends with LF, not CRLF',
      ['lf-after-chunk-size', `${CHUNKED}5▲¬\nhello\n0\n\n`],
      ['lf-after-chunk-extension', `${CHUNKED}5;a▲¬\nhello\n0\n\n`]),
    allowedBy(400, '9112 2.2', 'A CR is not followed by LF',
      ['cr-after-request-line', 'GET / HTTP/1.1▲\rHost: ‹host›\n\n'],
      ['cr-in-field-value', `${GET}A: b▲\rC: d\n\n`]),
    allowedBy(400, '9112 2.2', 'More than one empty line before the request line',
      ['two-empty-lines', `\n▲\n${NEXT}`]),
  ),
  group('The request line',
    allowedBy(400, '9112 3',
      'The request line does not start with a method: this byte is not allowed in a token',
      ['tls', '▲\x16\x03\x01\x02\0\n\n']),
    allowedBy(400, '9112 3', 'The method is not a token followed by one space',
      ['tab-after-method', `GET▲\t/ HTTP/1.1${HOST}`]),
    allowedBy(501, '9112 3', 'The request line exceeds 8192 bytes, most of them the method',
      ['long-method', `‹x × 8192›▲x / HTTP/1.1${HOST}`]),
    ourChoice(414, '9112 3', 'The request line exceeds 8192 bytes',
      ['long-target', `GET /‹x × 8187›▲x HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3', 'More than one space after the method',
      ['two-spaces-after-method', `GET ▲ / HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3', 'More than one space after the request-target',
      ['two-spaces-after-target', `GET / ▲ HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3', 'White space other than a space in the request line',
      ['tab-after-target', `GET /▲\tHTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3', 'The request line ends before an HTTP version',
      ['no-version', 'GET /▲\n\n']),
    allowedBy(400, '9112 3', 'The request line does not end after the HTTP version',
      ['space-after-version', `GET / HTTP/1.1▲ ${HOST}`]),
    allowedBy(400, '9112 2.3',
      'The HTTP version is not "HTTP/", a digit, a dot and a digit',
      ['version-without-minor', `GET / HTTP/1▲${HOST}`],
      ['version-in-lower-case', `GET / ▲http/1.1${HOST}`]),
    allowedBy(505, '9110 6.2', 'The major version is not 1',
      ['version-2', `GET / HTTP/▲2.0${HOST}`],
      ['http2-preface', 'PRI * HTTP/▲2.0\n\nSM\n\n']),
  ),
  group('The request-target',
    allowedBy(400, '9112 3.2', 'White space in the request-target',
      ['space-in-target', `GET /a▲ b HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3.2', 'A "#" in the request-target, which has no fragment',
      ['fragment', `GET /a▲#b HTTP/1.1${HOST}`]),
    allowedBy(400, '3986 2.1', 'A "%" in the target without two hexadecimal digits',
      ['percent-in-host', `GET http://a▲%/ HTTP/1.1${HOST}`]),
    allowedBy(400, '3986 3.3', 'A byte that is not allowed in a path',
      ['byte-e9-in-path', `GET /caf▲\\xe9 HTTP/1.1${HOST}`]),
    allowedBy(400, '3986 2', 'A byte that is not allowed in a URI',
      ['less-than-in-host', `GET http://a▲<b/ HTTP/1.1${HOST}`]),
    allowedBy(400, '3986 3.4', 'A byte that is not allowed in a query',
      ['quote-in-query', `GET /?a=▲"b" HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3.2', 'The request-target does not begin with "/" or "http://"',
      ['target-without-slash', `GET ▲tasks HTTP/1.1${HOST}`],
      ['authority-form-with-get', `GET ▲a:443 HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3.2.4', 'The asterisk-form "*" with a method other than OPTIONS',
      ['asterisk-with-get', `GET ▲* HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3.2.3',
      'The target of CONNECT is not a host name, a colon and a port',
      ['connect-to-path', `CONNECT ▲/tasks HTTP/1.1${HOST}`]),
    allowedBy(400, '9112 3.2.3', 'CONNECT needs a host',
      ['connect-without-host', `CONNECT ▲:443 HTTP/1.1${HOST}`]),
    requiredBy(400, '9110 9.3.6', 'CONNECT needs a port from 1 to 65535',
      ['connect-without-port', `CONNECT a▲ HTTP/1.1${HOST}`]),
    requiredBy(421, '9110 7.4', 'The scheme of the request-target is not http',
      ['https-target', `GET ▲https://a/ HTTP/1.1${HOST}`]),
    allowedBy(421, '9110 7.4', 'The scheme of the request-target is not http',
      ['unknown-scheme', `GET ▲ftp://a/ HTTP/1.1${HOST}`]),
    allowedBy(400, '9110 4.2.1', '"http:" is not followed by "//"',
      ['http-with-one-slash', `GET http:/▲a HTTP/1.1${HOST}`]),
    requiredBy(400, '9110 4.2.1', 'No host after "http://"',
      ['http-without-host', `GET http://▲/tasks HTTP/1.1${HOST}`]),
    allowedBy(400, '9110 4.2.1',
      'What follows "http://" is not a host name and perhaps a port',
      ['open-bracket-in-host', `GET http://[::1▲/ HTTP/1.1${HOST}`]),
    allowedBy(400, '9110 4.2.4',
      'Userinfo before the host, which an http URI must not have',
      ['userinfo', `GET http://user▲@a/ HTTP/1.1${HOST}`]),
  ),
  group('Field lines, in the header and trailer sections',
    allowedBy(400, '9112 2.2', 'White space before the first field line',
      ['space-before-first-field', `GET / HTTP/1.1\n▲ A: b${HOST}`]),
    allowedBy(400, '9112 7.1.2', 'White space before the first field line',
      ['space-before-first-trailer', `${CHUNKED}0\n▲ A: b\n\n`]),
    allowedBy(400, '9112 5', 'No colon after the field name',
      ['no-colon', `${GET}A▲\n\n`],
      ['space-for-colon', `${GET}A▲ b\n\n`]),
    allowedBy(400, '9110 5.1', 'White space inside a field name',
      ['space-in-field-name', `${GET}A▲ b: c\n\n`]),
    requiredBy(400, '9112 5.1', 'White space between a field name and the colon',
      ['space-before-colon', 'GET / HTTP/1.1\nHost▲ : ‹host›\n\n'],
      ['space-before-colon-length', `${POST}Content-Length▲ : 27\n\n${INNER}`],
      ['tab-before-colon-coding',
        `${POST}Transfer-Encoding▲\t: chunked\n\n1b\n${INNER}\n0\n\n`]),
    allowedBy(400, '9112 5.1', 'White space between a field name and the colon',
      ['space-before-colon-trailer', `${CHUNKED}0\nA▲ : b\n\n`]),
    allowedBy(400, '9110 5.1', 'A field line with an empty name',
      ['empty-field-name', `${GET}▲: a\n\n`]),
    allowedBy(400, '9110 5.1', 'A byte in a field name that is not allowed in a token',
      ['parenthesis-in-field-name', `${GET}A▲(b): c\n\n`]),
    allowedBy(400, '9110 5.5', 'A control character in a field value',
      ['nul-in-field-value', `${GET}A: b▲\0c\n\n`],
      ['vertical-tab-before-coding', `${POST}Transfer-Encoding: ▲\vchunked\n\n0\n\n`]),
    allowedBy(400, '9112 5.2', 'A field value continues on another line (obs-fold)',
      ['folded-line', `${GET}A: b\n▲ c\n\n`],
      ['folded-coding', `${POST}Transfer-Encoding:\n▲ chunked\n\n1b\n${INNER}\n0\n\n`]),
    ourChoice(431, '6585 5', 'The header section exceeds 16384 bytes',
      ['long-header-section', `${GET}A: ‹x × 16372›▲x‹x × 11›\n\n`]),
    ourChoice(431, '6585 5', 'The header section has more than 100 field lines',
      ['many-field-lines', `${GET}‹A: b\n × 99›▲A: b\n\n`]),
    ourChoice(431, '6585 5', 'The trailer section exceeds 16384 bytes',
      ['long-trailer-section', `${CHUNKED}0\nA: ‹x × 16381›▲x‹x × 2›\n\n`]),
    ourChoice(431, '6585 5', 'The trailer section has more than 100 field lines',
      ['many-trailer-fields', `${CHUNKED}0\n‹A: b\n × 100›▲A: b\n\n`]),
  ),
  group('Host',
    requiredBy(400, '9112 3.2',
      'No Host field, which only an HTTP/1.0 request may leave out',
      ['no-host', 'GET / HTTP/1.1\n▲\n']),
    requiredBy(400, '9112 3.2', 'More than one Host field',
      ['two-hosts', `${GET}Host: ▲b\n\n`],
      ['two-equal-hosts', `${GET}Host: ▲‹host›\n\n`]),
    requiredBy(400, '9112 3.2', 'Host is not a host name and perhaps a port',
      ['host-with-path', 'GET / HTTP/1.1\nHost: a▲/b\n\n'],
      ['host-with-space', 'GET / HTTP/1.1\nHost: a▲ b\n\n'],
      ['host-with-userinfo', 'GET / HTTP/1.1\nHost: u▲@a\n\n'],
      ['host-with-bad-port', 'GET / HTTP/1.1\nHost: a:8▲x\n\n']),
    allowedBy(400, '9112 3.3', 'Host does not name a host',
      ['empty-host', 'GET / HTTP/1.1\nHost:▲\n\n']),
    ourChoice(400, '9112 3.2', 'Host has a comma, so it looks like a list',
      ['host-with-comma', 'GET / HTTP/1.1\nHost: a▲,b\n\n']),
  ),
  group('Content and its framing',
    allowedBy(400, '9112 6.1', 'Transfer-Encoding together with Content-Length',
      ['length-and-chunked',
        `${POST}Content-Length: 32\nTransfer-Encoding: ▲chunked\n\n0\n\n${INNER}`],
      ['chunked-and-length',
        `${POST}Transfer-Encoding: chunked\nContent-Length: ▲4\n\n1b\n${INNER}\n0\n\n`]),
    allowedBy(400, '9112 6.1', 'Transfer-Encoding in an HTTP/1.0 request',
      ['chunked-in-http-1-0', 'POST / HTTP/1.0\nTransfer-Encoding: ▲chunked\n\n0\n\n']),
    requiredBy(400, '9112 6.3', 'Transfer-Encoding without a transfer coding',
      ['empty-coding', `${POST}Transfer-Encoding:▲\n\n${INNER}`]),
    requiredBy(400, '9112 6.3', 'The final transfer coding of a request is not chunked',
      ['chunked-not-last', `${POST}Transfer-Encoding: chunked, ▲gzip\n\n0\n\n`],
      ['identity-coding', `${POST}Transfer-Encoding: ▲identity\n\n${INNER}`],
      ['xchunked-coding', `${POST}Transfer-Encoding: ▲xchunked\n\n0\n\n`],
      ['codings-on-two-lines',
        `${POST}Transfer-Encoding: chunked\nTransfer-Encoding: ▲identity\n\n0\n\n`]),
    allowedBy(501, '9112 6.1', 'A transfer coding other than chunked',
      ['gzip-before-chunked', `${POST}Transfer-Encoding: ▲gzip, chunked\n\n0\n\n`]),
    allowedBy(400, '9112 6.1', 'The chunked coding is applied more than once',
      ['chunked-twice', `${POST}Transfer-Encoding: chunked, ▲chunked\n\n0\n\n`],
      ['chunked-on-two-lines',
        `${POST}Transfer-Encoding: chunked\nTransfer-Encoding: ▲chunked\n\n0\n\n`]),
    allowedBy(400, '9112 7.1', 'The chunked coding has a parameter, but defines none',
      ['chunked-with-parameter', `${POST}Transfer-Encoding: chunked▲;a=b\n\n0\n\n`]),
    allowedBy(400, '9110 10.1.4', 'A transfer coding is not a token with parameters',
      ['quoted-coding', `${POST}Transfer-Encoding: ▲"chunked"\n\n0\n\n`]),
    requiredBy(400, '9112 6.3', 'Content-Length is not a single decimal number',
      ['length-with-plus', `${POST}Content-Length: ▲+5\n\nhello`],
      ['length-in-hex', `${POST}Content-Length: 0▲x5\n\nhello`],
      ['negative-length', `${POST}Content-Length: ▲-1\n\n`],
      ['empty-length', `${POST}Content-Length:▲\n\n`]),
    requiredBy(400, '9112 6.3', 'Content-Length has different values',
      ['length-list-of-two', `${POST}Content-Length: 0▲, 27\n\n${INNER}`],
      ['two-lengths', `${POST}Content-Length: 0\nContent-Length: ▲27\n\n${INNER}`]),
    allowedBy(400, '9110 8.6', 'Content-Length is a list, though it names one length',
      ['equal-length-list', `${POST}Content-Length: 5▲, 5\n\nhello`]),
    allowedBy(400, '9110 8.6',
      'More than one Content-Length, though all their numbers are equal',
      ['two-equal-lengths', `${POST}Content-Length: 5\nContent-Length: ▲5\n\nhello`]),
    ourChoice(400, '9110 8.6', 'Content-Length has a leading zero',
      ['length-with-zero', `${POST}Content-Length: ▲010\n\nhelloworld`]),
    ourChoice(400, '9110 8.6', 'Content-Length has more than 15 digits',
      ['huge-length', `${POST}Content-Length: 100000000000000▲0\n\nhello`]),
    allowedBy(417, '9110 10.1.1', 'An expectation other than 100-continue',
      ['unknown-expectation', `${GET}Expect: ▲luck\n\n`]),
    ourChoice(413, '9110 15.5.14', 'The content exceeds 1048576 bytes',
      ['large-content', `${POST}Content-Length: 1048577\n\n▲x‹x × 1048576›`]),
    ourChoice(503, '9110 15.6.4',
      'The requests of all connections together exceed what this server can hold',
      ['content-over-budget', `${POST}Content-Length: 5000\n\n‹x × 4050›▲‹x × 950›`,
        { text: 'to a server with `contentBudget: 4`', options: { contentBudget: 4 } }]),
  ),
  group('Chunks',
    allowedBy(400, '9112 7.1', 'A chunk does not start with its size in hex',
      ['chunk-size-with-plus', `${CHUNKED}▲+5\nhello\n0\n\n`],
      ['empty-chunk-size', `${CHUNKED}▲\nhello\n0\n\n`],
      ['space-before-chunk-size', `${CHUNKED}▲ 5\nhello\n0\n\n`],
      ['chunk-size-with-minus', `${CHUNKED}▲-5\nhello\n0\n\n`]),
    allowedBy(400, '9112 7.1', 'A chunk line is not a size in hex and perhaps extensions',
      ['chunk-size-with-0x', `${CHUNKED}0▲x5\nhello\n0\n\n`],
      ['chunk-size-with-underscore', `${CHUNKED}1▲_0\n0123456789abcdef\n0\n\n`]),
    ourChoice(400, '9112 7.1', 'A chunk-size has more than 16 digits',
      ['long-chunk-size', `${CHUNKED}‹0 × 16›▲5\nhello\n0\n\n`]),
    ourChoice(400, '9112 7.1', 'A chunk-size exceeds 2^53 - 1',
      ['huge-chunk-size', `${CHUNKED}2000000000000▲0\nhello\n0\n\n`],
      ['chunk-size-over-64-bits', `${CHUNKED}f000000000000▲0005\nhello\n0\n\n`]),
    allowedBy(400, '9112 7.1.1', 'White space after the size of a chunk, and no extension',
      ['space-after-chunk-size', `${CHUNKED}5 ▲\nhello\n0\n\n`]),
    allowedBy(400, '9112 2.2', 'A CR is not followed by LF',
      ['cr-before-chunk-size', `${CHUNKED}▲\r5\nhello\n0\n\n`]),
    allowedBy(400, '9112 7.1.1',
      'A chunk extension is not ";", a name and perhaps "=" and a value',
      ['nul-in-extension', `${CHUNKED}5;a=▲\0\nhello\n0\n\n`],
      ['control-in-quoted-ext', `${CHUNKED}5;a="▲\x01"\nhello\n0\n\n`],
      ['chunk-extension-no-value', `${CHUNKED}5;a=▲\nhello\n0\n\n`]),
    ourChoice(400, '9112 7.1.1', 'A chunk line exceeds 1024 bytes',
      ['long-chunk-line', `${CHUNKED}5;‹x × 1022›▲x\nhello\n0\n\n`]),
    ourChoice(400, '9112 7.1.1', 'The chunk extensions of this message exceed 16384 bytes',
      ['many-chunk-extensions',
        `${CHUNKED}‹1;‹x × 1000›\nx\n × 16›1;‹x × 367›▲x‹x × 632›\nx\n0\n\n`]),
    allowedBy(400, '9112 7.1', 'The data of a chunk is not followed by CRLF',
      ['chunk-too-long', `${CHUNKED}5\nhello▲!\n0\n\n`],
      ['two-bytes-for-crlf', `${CHUNKED}5\nhello▲XY0\n\n`]),
  ),
  group('Requests that never become complete',
    allowedBy(400, '9112 8', 'The input ended mid-request; still missing: …',
      ['half-a-request', 'GET / HTTP/1.1\nHo▲‖close‖']),
    ourChoice(408, '9110 15.5.9',
      'The request is not complete … s after it began; still missing: …',
      ['slow-request', 'GET / HTTP/1.1\nHo▲',
        { text: 'to a server with `--request-timeout 0.2`, then nothing more',
          options: { requestTimeout: 0.2 } }]),
  ),
];

/** A server may not have the host, or not implement the method. */
const OTHER_HOST = { alsoRight: [404, 421] };
const OTHER_METHOD = { alsoRight: [501] };

type ValidRow = readonly [
  ...[name: string, section: string, what: string, bytes: string],
  rest?: Pick<ValidCase, 'requests' | 'alsoRight'>,
];

const valid = (title: string, ...cases: readonly ValidRow[]): Group<ValidCase> => ({
  title,
  cases: cases.map(([name, section, what, bytes, rest]) => {
    return { name, section, what, bytes, ...rest };
  }),
});

// Only GET, HEAD, OPTIONS, POST and methods that nobody has defined are sent.
// prettier-ignore
export const VALID_GROUPS: readonly Group<ValidCase>[] = [
  valid('Valid request lines',
    ['get', '9112 3', 'The plainest request', `${NEXT}`],
    ['empty-line-first', '9112 2.2', 'One empty line before it', `\n${NEXT}`],
    ['http-1-0', '9112 3.2', 'HTTP/1.0 without Host', 'GET / HTTP/1.0\n\n'],
    ['http-1-0-keep-alive', '9112 9.3', 'HTTP/1.0 that asks to stay open',
      'GET / HTTP/1.0\nHost: ‹host›\nConnection: keep-alive\n\n'],
    ['http-1-2', '9110 6.2', 'A later minor version', `GET / HTTP/1.2${HOST}`],
    ['head', '9110 9.3.2', 'HEAD', `HEAD / HTTP/1.1${HOST}`],
    ['method-in-lower-case', '9110 9.1', 'The method "get", which is not GET',
      `get / HTTP/1.1${HOST}`, OTHER_METHOD],
    ['method-with-punctuation', '9110 5.6.2', 'A method of unusual token characters',
      `A!#$%&'*+-.^_|~9 / HTTP/1.1${HOST}`, OTHER_METHOD],
    ['target-of-8000', '9112 3', 'A request line of 8000 bytes',
      `GET /?‹x × 7985› HTTP/1.1${HOST}`]),
  valid('Valid request-targets',
    ['query', '3986 3.4', 'A query with "?" and "/"', `GET /?a=b?c=/d HTTP/1.1${HOST}`],
    ['percent-encoded', '3986 2.1', 'Percent-encoded bytes',
      `GET /%63%C3%A9?%20 HTTP/1.1${HOST}`],
    ['sub-delims', '3986 3.3', 'Every character that a path may have unencoded',
      `GET /-._~!$&'()*+,;=:@ HTTP/1.1${HOST}`],
    ['empty-segments', '3986 3.3', 'Empty segments', `GET //a//b HTTP/1.1${HOST}`],
    ['dot-segments', '3986 3.3', 'The segments "." and ".."',
      `GET /a/./b/../c HTTP/1.1${HOST}`],
    ['absolute-form', '9112 3.2.2', 'A whole URL (absolute-form)',
      `GET http://a/ HTTP/1.1${HOST}`, OTHER_HOST],
    ['absolute-form-without-path', '9112 3.2.2', 'A whole URL without a path',
      `GET http://a HTTP/1.1${HOST}`, OTHER_HOST],
    ['absolute-form-in-capitals', '9110 4.2.3', 'A scheme in capitals',
      `GET HTTP://a/ HTTP/1.1${HOST}`, OTHER_HOST],
    ['absolute-form-wins', '9112 3.2.2',
      'A Host that differs from the target, and is ignored',
      'GET http://a/ HTTP/1.1\nHost: b\n\n', OTHER_HOST],
    ['options-asterisk', '9112 3.2.4', 'A lone "*" (asterisk-form)',
      `OPTIONS * HTTP/1.1${HOST}`, OTHER_METHOD]),
  valid('Valid field lines',
    ['no-space-after-colon', '9112 5', 'No white space around a value',
      'GET / HTTP/1.1\nHost:a\n\n'],
    ['tabs-around-value', '9110 5.6.3', 'Tabs around a value',
      'GET / HTTP/1.1\nHost:\t a \t\n\n'],
    ['empty-value', '9110 5.5', 'An empty field value', `${GET}A:\n\n`],
    ['field-name-of-symbols', '9110 5.6.2', 'Every symbol of a token',
      `${GET}!#$%&'*+-.^_|~: a\n\n`],
    ['names-in-capitals', '9110 5.1', 'Field names in any case',
      'GET / HTTP/1.1\nhOST: a\n\n'],
    ['obs-text', '9110 5.5', 'Bytes over 0x7F in a field value',
      `${GET}A: caf\\xc3\\xa9 \\xff\n\n`],
    ['repeated-field', '9110 5.3', 'A list in several field lines',
      `${GET}Accept: a/b\nAccept: c/d\n\n`],
    ['fifty-fields', '9110 5.4', 'Fifty field lines', `${GET}‹A: b\n × 50›\n`],
    ['unknown-upgrade', '9110 7.8', 'An upgrade that may be ignored',
      `${GET}Connection: upgrade\nUpgrade: x/1\n\n`]),
  valid('Valid Host',
    ['host-with-port', '9110 7.2', 'Host with a port', 'GET / HTTP/1.1\nHost: a:80\n\n'],
    ['host-with-empty-port', '3986 3.2.3', 'Host with an empty port',
      'GET / HTTP/1.1\nHost: a:\n\n'],
    ['host-ipv6', '3986 3.2.2', 'Host with an IPv6 address',
      'GET / HTTP/1.1\nHost: [::1]:80\n\n'],
    ['host-percent-encoded', '3986 3.2.2', 'Host with percent-encoded bytes',
      'GET / HTTP/1.1\nHost: a%C3%A9\n\n']),
  valid('Valid content',
    ['length', '9112 6.3', 'Content-Length', `${POST}Content-Length: 27\n\n${INNER}`],
    ['length-zero', '9112 6.3', 'Content-Length: 0', `${POST}Content-Length: 0\n\n`],
    ['length-with-white-space', '9112 5.1', 'White space around Content-Length',
      `${POST}Content-Length: \t27\t \n\n${INNER}`],
    ['no-length', '9112 6.3', 'POST without content', `${POST}\n`, { alsoRight: [411] }],
    ['get-with-content', '9110 9.3.1', 'GET with content',
      `${GET}Content-Length: 27\n\n${INNER}`, { alsoRight: [400, 413] }],
    ['head-with-content', '9110 9.3.2', 'HEAD with content',
      `HEAD / HTTP/1.1\nHost: ‹host›\nContent-Length: 27\n\n${INNER}`, { alsoRight: [400, 413] }],
    ['options-with-content', '9110 9.3.7', 'OPTIONS with content',
      `OPTIONS / HTTP/1.1\nHost: ‹host›\nContent-Length: 27\n\n${INNER}`, OTHER_METHOD],
    ['chunked', '9112 7.1', 'Chunks', `${CHUNKED}1b\n${INNER}\n0\n\n`],
    ['chunked-empty', '9112 7.1', 'No chunk but the last one', `${CHUNKED}0\n\n`],
    ['chunked-in-capitals', '9112 7', 'A transfer coding in capitals',
      `${POST}Transfer-Encoding: CHUNKED\n\n1b\n${INNER}\n0\n\n`],
    ['chunked-after-tab', '9110 5.6.3', 'A tab before the transfer coding',
      `${POST}Transfer-Encoding:\tchunked\n\n1b\n${INNER}\n0\n\n`],
    ['chunked-in-list', '9110 5.6.1.2', 'An empty list element before chunked',
      `${POST}Transfer-Encoding: , chunked\n\n1b\n${INNER}\n0\n\n`],
    ['chunk-size-in-capitals', '9112 7.1', 'A chunk-size in capitals',
      `${CHUNKED}1B\n${INNER}\n0\n\n`],
    ['chunk-size-with-zeros', '9112 7.1', 'Zeros before a chunk-size',
      `${CHUNKED}0001b\n${INNER}\n000\n\n`],
    ['chunk-extension', '9112 7.1.1', 'A chunk extension',
      `${CHUNKED}1b;a=b;c\n${INNER}\n0;d\n\n`],
    ['chunk-extension-quoted', '9112 7.1.1', 'A quoted chunk extension with ";" in it',
      `${CHUNKED}1b;a="b;\\"c"\n${INNER}\n0\n\n`],
    ['chunk-extension-spaced', '9112 7.1.1', 'White space around ";" and "="',
      `${CHUNKED}1b ; a = b\n${INNER}\n0\n\n`],
    ['trailer', '9112 7.1.2', 'A trailer field', `${CHUNKED}0\nA: b\n\n`],
    ['trailer-with-length', '9110 6.5.1', 'Content-Length as a trailer field',
      `${CHUNKED}0\nContent-Length: 27\n\n`, { alsoRight: [400] }],
    ['trailer-with-host', '9110 6.5.1', 'Host as a trailer field',
      `${CHUNKED}0\nHost: b\n\n`, { alsoRight: [400] }],
    ['trailer-with-coding', '9110 6.5.1', 'Transfer-Encoding as a trailer field',
      `${CHUNKED}0\nTransfer-Encoding: chunked\n\n`, { alsoRight: [400] }],
    ['expect-in-http-1-0', '9110 10.1.1',
      'Expect in HTTP/1.0, which a server has to ignore',
      'POST / HTTP/1.0\nHost: ‹host›\nExpect: 100-continue\nContent-Length: 5\n\nhello'],
    ['expect-continue', '9110 10.1.1', 'Expect, with the content right behind it',
      `${POST}Expect: 100-continue\nContent-Length: 5\n\nhello`]),
  valid('Valid sequences',
    ['pipelined', '9112 9.3.2', 'Two requests at once', `${NEXT}${NEXT}`, { requests: 2 }],
    ['pipelined-content', '9112 9.3.2', 'A request right behind content',
      `${POST}Content-Length: 5\n\nhello${NEXT}`, { requests: 2 }],
    ['pipelined-chunks', '9112 9.3.2', 'A request right behind chunks',
      `${CHUNKED}5\nhello\n0\n\n${NEXT}`, { requests: 2 }],
    ['empty-line-between', '9112 2.2', 'An empty line after content',
      `${POST}Content-Length: 5\n\nhello\n${NEXT}`, { requests: 2 }]),
];

export const GROUPS: readonly Group[] = [...REJECTED_GROUPS, ...VALID_GROUPS];

export const isValid = (one: Case): one is ValidCase => !('authority' in one);

/** Whether a case holds more than one request, for a recipient of some kind. */
export const hasAnother = ({ bytes }: Case): boolean =>
  bytes.includes(INNER) || new RegExp(`[^\n▲]\n*${NEXT}`).test(bytes);

/** What is sent for a case. */
export interface Sent extends Script {
  /** In the notation of bytes.ts, with repetitions. */
  readonly text: string;
  /** The offset of the first wrong byte. */
  readonly wrong: number | undefined;
}

/** @param name what ‹host› stands for */
export function readCase({ bytes }: Pick<Case, 'bytes'>, name = 'a'): Sent {
  const marked = bytes.replaceAll('‹host›', name);
  const text = marked.replace('▲', '');
  const [before] = marked.split('▲');
  const wrong = marked === text ? undefined : readScript(expand(before ?? '')).bytes.length;
  return { ...readScript(expand(text)), text, wrong };
}

/** @returns a character for each byte */
export function requestOf(one: Pick<Case, 'bytes'>, name?: string): string {
  return Buffer.from(readCase(one, name).bytes).toString('latin1');
}

/** @returns what a server needs for a case, or what the client does after it */
export function conditionOf(one: Case): string {
  if (one.needs !== undefined) return one.needs.text;
  const closes = readCase(one).ending === 'close';
  return closes ? 'then the client closes its sending side' : '';
}
