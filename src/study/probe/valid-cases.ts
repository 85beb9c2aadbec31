/** Requests that are valid by the RFCs, in all the ways in which recipients are known to
 * differ. Only GET, HEAD, OPTIONS, POST and methods that nobody has defined are sent. */
import type { Group, ValidCase } from './case';

const { raw } = String;

type Rest = Pick<ValidCase, 'requests' | 'alsoRight'>;
const valid = (
  name: string,
  section: string,
  what: string,
  request: string,
  rest: Rest = {},
): ValidCase => ({ name, section, what, request, ...rest });

const start = (line: string): string => raw`${line}\r\nHost: a\r\n\r\n`;
const get = (lines: string): string => raw`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
const host = (value: string): string => raw`GET / HTTP/1.1\r\nHost:${value}\r\n\r\n`;
const post = (lines: string, content: string): string =>
  raw`POST / HTTP/1.1\r\nHost: a\r\n${lines}\r\n${content}`;
/** A server may not have the host, or not implement the method. */
const OTHER_HOST: Rest = { alsoRight: [404, 421] };
const OTHER_METHOD: Rest = { alsoRight: [501] };

// One case a row: the formatter would give each argument a line.
// prettier-ignore
export const VALID_GROUPS: readonly Group<ValidCase>[] = [
  {
    title: 'Valid request lines',
    cases: [
      valid('get', '9112 3', 'The plainest request', '‹next›'),
      valid('empty-line-first', '9112 2.2', 'One empty line before it', raw`\r\n‹next›`),
      valid('http-1-0', '9112 3.2', 'HTTP/1.0 without Host', raw`GET / HTTP/1.0\r\n\r\n`),
      valid('http-1-0-keep-alive', '9112 9.3', 'HTTP/1.0 that asks to stay open',
        raw`GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n`),
      valid('http-1-2', '9110 6.2', 'A later minor version', start('GET / HTTP/1.2')),
      valid('head', '9110 9.3.2', 'HEAD', start('HEAD / HTTP/1.1')),
      valid('method-in-lower-case', '9110 9.1', 'The method "get", which is not GET',
        start('get / HTTP/1.1'), OTHER_METHOD),
      valid('method-with-punctuation', '9110 5.6.2', 'A method of unusual token characters',
        start(raw`A!#$%&'*+-.^_|~9 / HTTP/1.1`), OTHER_METHOD),
      valid('target-of-8000', '9112 3', 'A request line of 8000 bytes',
        start('GET /?‹x × 7985› HTTP/1.1')),
    ],
  },
  {
    title: 'Valid request-targets',
    cases: [
      valid('query', '3986 3.4', 'A query with "?" and "/"',
        start('GET /?a=b?c=/d HTTP/1.1')),
      valid('percent-encoded', '3986 2.1', 'Percent-encoded bytes',
        start('GET /%63%C3%A9?%20 HTTP/1.1')),
      valid('sub-delims', '3986 3.3', 'Every character that a path may have unencoded',
        start(raw`GET /-._~!$&'()*+,;=:@ HTTP/1.1`)),
      valid('empty-segments', '3986 3.3', 'Empty segments', start('GET //a//b HTTP/1.1')),
      valid('dot-segments', '3986 3.3', 'The segments "." and ".."',
        start('GET /a/./b/../c HTTP/1.1')),
      valid('absolute-form', '9112 3.2.2', 'A whole URL (absolute-form)',
        start('GET http://a/ HTTP/1.1'), OTHER_HOST),
      valid('absolute-form-without-path', '9112 3.2.2', 'A whole URL without a path',
        start('GET http://a HTTP/1.1'), OTHER_HOST),
      valid('absolute-form-in-capitals', '9110 4.2.3', 'A scheme in capitals',
        start('GET HTTP://a/ HTTP/1.1'), OTHER_HOST),
      valid('absolute-form-wins', '9112 3.2.2',
        'A Host that differs from the target, and is ignored',
        raw`GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n`, OTHER_HOST),
      valid('options-asterisk', '9112 3.2.4', 'A lone "*" (asterisk-form)',
        start('OPTIONS * HTTP/1.1'), OTHER_METHOD),
    ],
  },
  {
    title: 'Valid field lines',
    cases: [
      valid('no-space-after-colon', '9112 5', 'No white space around a value', host('a')),
      valid('tabs-around-value', '9110 5.6.3', 'Tabs around a value', host(raw`\t a \t`)),
      valid('empty-value', '9110 5.5', 'An empty field value', get(raw`A:\r\n`)),
      valid('field-name-of-symbols', '9110 5.6.2', 'Every symbol of a token',
        get(raw`!#$%&'*+-.^_|~: a\r\n`)),
      valid('names-in-capitals', '9110 5.1', 'Field names in any case',
        raw`GET / HTTP/1.1\r\nhOST: a\r\n\r\n`),
      valid('obs-text', '9110 5.5', 'Bytes over 0x7F in a field value',
        get(raw`A: caf\xc3\xa9 \xff\r\n`)),
      valid('repeated-field', '9110 5.3', 'A list in several field lines',
        get(raw`Accept: a/b\r\nAccept: c/d\r\n`)),
      valid('fifty-fields', '9110 5.4', 'Fifty field lines', get(raw`‹A: b\r\n × 50›`)),
      valid('unknown-upgrade', '9110 7.8', 'An upgrade that may be ignored',
        get(raw`Connection: upgrade\r\nUpgrade: x/1\r\n`)),
    ],
  },
  {
    title: 'Valid Host',
    cases: [
      valid('host-with-port', '9110 7.2', 'Host with a port', host(' a:80')),
      valid('host-with-empty-port', '3986 3.2.3', 'Host with an empty port', host(' a:')),
      valid('host-ipv6', '3986 3.2.2', 'Host with an IPv6 address', host(' [::1]:80')),
      valid('host-percent-encoded', '3986 3.2.2', 'Host with percent-encoded bytes',
        host(' a%C3%A9')),
    ],
  },
  {
    title: 'Valid content',
    cases: [
      valid('length', '9112 6.3', 'Content-Length',
        post(raw`Content-Length: 27\r\n`, '‹inner›')),
      valid('length-zero', '9112 6.3', 'Content-Length: 0',
        post(raw`Content-Length: 0\r\n`, '')),
      valid('length-with-white-space', '9112 5.1', 'White space around Content-Length',
        post(raw`Content-Length: \t27\t \r\n`, '‹inner›')),
      valid('no-length', '9112 6.3', 'POST without content', post('', ''), {
        alsoRight: [411],
      }),
      valid('get-with-content', '9110 9.3.1', 'GET with content',
        get(raw`Content-Length: 27\r\n`) + '‹inner›', { alsoRight: [400, 413] }),
      valid('head-with-content', '9110 9.3.2', 'HEAD with content',
        raw`HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 27\r\n\r\n‹inner›`,
        { alsoRight: [400, 413] }),
      valid('options-with-content', '9110 9.3.7', 'OPTIONS with content',
        raw`OPTIONS / HTTP/1.1\r\nHost: a\r\nContent-Length: 27\r\n\r\n‹inner›`,
        OTHER_METHOD),
      valid('chunked', '9112 7.1', 'Chunks', raw`‹chunked›1b\r\n‹inner›\r\n0\r\n\r\n`),
      valid('chunked-empty', '9112 7.1', 'No chunk but the last one',
        raw`‹chunked›0\r\n\r\n`),
      valid('chunked-in-capitals', '9112 7', 'A transfer coding in capitals',
        post(raw`Transfer-Encoding: CHUNKED\r\n`, raw`1b\r\n‹inner›\r\n0\r\n\r\n`)),
      valid('chunked-after-tab', '9110 5.6.3', 'A tab before the transfer coding',
        post(raw`Transfer-Encoding:\tchunked\r\n`, raw`1b\r\n‹inner›\r\n0\r\n\r\n`)),
      valid('chunked-in-list', '9110 5.6.1.2', 'An empty list element before chunked',
        post(raw`Transfer-Encoding: , chunked\r\n`, raw`1b\r\n‹inner›\r\n0\r\n\r\n`)),
      valid('chunk-size-in-capitals', '9112 7.1', 'A chunk-size in capitals',
        raw`‹chunked›1B\r\n‹inner›\r\n0\r\n\r\n`),
      valid('chunk-size-with-zeros', '9112 7.1', 'Zeros before a chunk-size',
        raw`‹chunked›0001b\r\n‹inner›\r\n000\r\n\r\n`),
      valid('chunk-extension', '9112 7.1.1', 'A chunk extension',
        raw`‹chunked›1b;a=b;c\r\n‹inner›\r\n0;d\r\n\r\n`),
      valid('chunk-extension-quoted', '9112 7.1.1',
        'A quoted chunk extension with ";" in it',
        raw`‹chunked›1b;a="b;\\"c"\r\n‹inner›\r\n0\r\n\r\n`),
      valid('chunk-extension-spaced', '9112 7.1.1', 'White space around ";" and "="',
        raw`‹chunked›1b ; a = b\r\n‹inner›\r\n0\r\n\r\n`),
      valid('trailer', '9112 7.1.2', 'A trailer field', raw`‹chunked›0\r\nA: b\r\n\r\n`),
      valid('trailer-with-length', '9110 6.5.1',
        'Content-Length as a trailer field',
        raw`‹chunked›0\r\nContent-Length: 27\r\n\r\n`, { alsoRight: [400] }),
      valid('trailer-with-host', '9110 6.5.1',
        'Host as a trailer field',
        raw`‹chunked›0\r\nHost: b\r\n\r\n`, { alsoRight: [400] }),
      valid('trailer-with-coding', '9110 6.5.1',
        'Transfer-Encoding as a trailer field',
        raw`‹chunked›0\r\nTransfer-Encoding: chunked\r\n\r\n`, { alsoRight: [400] }),
      valid('expect-in-http-1-0', '9110 10.1.1',
        'Expect in HTTP/1.0, which a server has to ignore',
        raw`POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello`),
      valid('expect-continue', '9110 10.1.1', 'Expect, with the content right behind it',
        post(raw`Expect: 100-continue\r\nContent-Length: 5\r\n`, 'hello')),
    ],
  },
  {
    title: 'Valid sequences',
    cases: [
      valid('pipelined', '9112 9.3.2', 'Two requests at once', '‹next›‹next›', {
        requests: 2,
      }),
      valid('pipelined-content', '9112 9.3.2', 'A request right behind content',
        raw`${post(raw`Content-Length: 5\r\n`, 'hello')}‹next›`, { requests: 2 }),
      valid('pipelined-chunks', '9112 9.3.2', 'A request right behind chunks',
        raw`‹chunked›5\r\nhello\r\n0\r\n\r\n‹next›`, { requests: 2 }),
      valid('empty-line-between', '9112 2.2', 'An empty line after content',
        raw`${post(raw`Content-Length: 5\r\n`, 'hello')}\r\n‹next›`, { requests: 2 }),
    ],
  },
];
