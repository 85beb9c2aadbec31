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
export interface Rejection {
  readonly status: number;
  readonly authority: Authority;
  /** The RFC and its section: "9112 5.1". */
  readonly section: string;
  /** The sentence of the rejection, with … for a part that is known only when it is
   * made. */
  readonly what: string;
  /** In the notation above. */
  readonly bytes: string;
}

/** A rejection with a name. */
export interface RejectedCase extends Rejection {
  /** For the command line: lower case, and unique. */
  readonly name: string;
  /** What the server needs for it: options that only this server has. */
  readonly needs?: Needs;
}

interface Needs {
  /** For a reader who sends the bytes by hand. */
  readonly text: string;
  /** Those of startServer(). */
  readonly options: { readonly contentBudget?: number; readonly requestTimeout?: number };
}

/** A request that is valid by the RFC. */
export interface ValidCase {
  readonly name: string;
  readonly section: string;
  readonly what: string;
  readonly bytes: string;
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

export interface RejectedGroup extends Group<RejectedCase> {
  /** Why requests like these are rejected at all, for the conformance page. */
  readonly why: string;
  /** More bytes that are rejected like the cases, which only the tests try. */
  readonly neighbours: readonly Rejection[];
}

const POST = 'POST / HTTP/1.1\nHost: ‹host›\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\n\n`;
const GET = 'GET / HTTP/1.1\nHost: ‹host›\n';
/** The end of a request line, and a header section. */
const HOST = '\nHost: ‹host›\n\n';
const NEXT = `${GET}\n`;
/** As content: its length is the same for every server. */
const INNER = 'GET / HTTP/1.1\nHost: a\n\n';

const line = (...lines: string[]): string[] => lines.map((one) => one + HOST);
const get = (...fields: string[]): string[] => fields.map((one) => `${GET}${one}\n\n`);
const post = (...fields: string[]): string[] => fields.map((one) => `${POST}${one}\n\n`);
const host = (...values: string[]): string[] =>
  values.map((one) => `GET / HTTP/1.1\nHost:${one}\n\n`);
const chunked = (...contents: string[]): string[] => contents.map((one) => CHUNKED + one);

/** A status, on whose authority, by which section, and the sentence; the cases by their
 * names; and their neighbours. */
type RejectionRow = readonly [
  status: number,
  authority: Authority,
  section: string,
  what: string,
  cases: Readonly<Record<string, string | (Needs & Pick<Rejection, 'bytes'>)>>,
  ...neighbours: string[],
];

interface RejectionTable {
  readonly title: string;
  readonly why: string;
  readonly rejections: readonly RejectionRow[];
}

// A row a line, or as few as it takes: the formatter would give each string a line.
// prettier-ignore
const REJECTED: readonly RejectionTable[] = [
  {
    title: 'Lines',
    why:
      'CRLF ends a line. A recipient that also accepts a bare LF or CR finds other ' +
      'lines in the same bytes, and perhaps another end of the request.',
    rejections: [
      [400, 'allowed by', '9112 2.2', 'A line ends with LF, not CRLF', {
        'lf-after-request-line': `GET / HTTP/1.1▲¬${HOST}`,
        'lf-after-field-line': 'GET / HTTP/1.1\nHost: ‹host›▲¬\n\n',
      },
        ...chunked('0\nA: x▲¬\n', '0\n▲¬\n'),
        ...get('A: x▲¬\nB: y', 'A▲¬\nB: y', 'A:▲¬\nB: y'),
        'GET / HTTP/1.1\nHost: a\n▲¬\n', 'GET / HTTP/1.1\nHost: a\n‹A:\n × 99›▲¬\n',
        '▲¬\nGET / HTTP/1.1\n', '\n▲¬\nGET / HTTP/1.1\n', 'GET▲¬\n', 'GET ▲¬\n',
        'GET /▲¬\n', 'GET / HTTP/▲¬\n', 'GET /‹x × 8187›▲¬\n'],
      [400, 'allowed by', '9112 7.1', 'A line ends with LF, not CRLF', {
        'lf-after-chunk-size': `${CHUNKED}5▲¬\nhello\n0\n\n`,
        'lf-after-chunk-extension': `${CHUNKED}5;a▲¬\nhello\n0\n\n`,
      },
        ...chunked('1;a="▲¬\n', '1;a="\\▲¬\n', '▲¬\n', '3\nabc▲¬\n0\n\n')],
      [400, 'allowed by', '9112 2.2', 'A CR is not followed by LF', {
        'cr-after-request-line': 'GET / HTTP/1.1▲\rHost: ‹host›\n\n',
        'cr-in-field-value': `${GET}A: b▲\rC: d\n\n`,
      },
        ...chunked('1▲\rx', '1;a▲\rx', '0\n▲\rX'),
        ...get('A▲\rB: y', 'A: x▲\ry', 'A: x▲\r\n', '▲\rA: x', 'A: ‹x × 16371›▲\rx'),
        '▲\rGET / HTTP/1.1\n', 'G▲\rT / HTTP/1.1\n', 'GET /a▲\rb HTTP/1.1\n',
        'GET / HTTP/1.1▲\r\n', '\n▲\rG', 'GET /‹x × 8187›▲\rx'],
      [400, 'allowed by', '9112 2.2', 'More than one empty line before the request line', {
        'two-empty-lines': `\n▲\n${NEXT}`,
      }],
    ],
  },
  {
    title: 'The request line',
    why:
      'The method, the target and the version are on one line, each separated by a ' +
      'single space. If a proxy splits this line in another way, it may check one ' +
      'path, and the server handle another.',
    rejections: [
      [400, 'allowed by', '9112 3',
        'The request line does not start with a method: this byte is not allowed in a token', {
        tls: '▲\x16\x03\x01\x02\0\n\n',
      },
        ...line('▲ / HTTP/1.1'),
        '▲\tGET / HTTP/1.1\n', '▲\x16\x03\x01\x02\0'],
      [400, 'allowed by', '9112 3', 'The method is not a token followed by one space', {
        'tab-after-method': `GET▲\t/ HTTP/1.1${HOST}`,
      },
        ...line('G▲(T / HTTP/1.1', 'GET▲'),
        'G▲\\xc9T / HTTP/1.1\n', 'G▲(‹x × 9000›'],
      [501, 'allowed by', '9112 3',
        'The request line exceeds 8192 bytes, most of them the method', {
        'long-method': `‹x × 8192›▲x / HTTP/1.1${HOST}`,
      },
        '‹x × 8192›▲‹x × 11808›', '‹x × 8192›▲x / HTTP/1.1', '‹x × 8192›▲ / HTTP/1.1',
        '‹x × 8191› ▲/ HTTP/1.1', '‹M × 8190› /▲ HTTP/1.1',
        '‹x × 4096› /‹x × 4094›▲ HTTP/1.1', '‹M × 8185› / HTTP▲/1.1'],
      [414, 'our choice', '9112 3', 'The request line exceeds 8192 bytes', {
        'long-target': `GET /‹x × 8187›▲x HTTP/1.1${HOST}`,
      },
        ...line('GET /‹x × 8179› HTTP/1.▲1', 'GET /‹x × 8178› HTTP/1.1▲x'),
        'GET /‹x × 8187›▲‹x × 11813›', 'GET /‹x × 8187›▲ HTTP/1.1',
        'GET /‹x × 8186›%▲41%41', 'GET /‹x × 8187›▲%', 'GET /‹x × 8186›%▲4',
        'GET /‹x × 8187›▲?', 'GET /‹x × 8187›▲\t', 'GET /‹x × 8187›▲\0',
        'GET /‹x × 8185› H▲TTP/1.', 'GET /‹x × 8185› H▲TTP/1.x',
        '‹x × 4095› /‹x × 4095›▲ HTTP/1.1', 'GET http://‹x × 8180›%▲4141/'],
      [400, 'allowed by', '9112 3', 'More than one space after the method', {
        'two-spaces-after-method': `GET ▲ / HTTP/1.1${HOST}`,
      },
        ...line('GET ▲ /'),
        'GET ▲ ‹x × 9000›'],
      [400, 'allowed by', '9112 3', 'More than one space after the request-target', {
        'two-spaces-after-target': `GET / ▲ HTTP/1.1${HOST}`,
      }],
      [400, 'allowed by', '9112 3', 'White space other than a space in the request line', {
        'tab-after-target': `GET /▲\tHTTP/1.1${HOST}`,
      },
        ...line('GET ▲\t/ HTTP/1.1'),
        'GET /▲\vHTTP/1.1\n', 'GET /▲\fHTTP/1.1\n', 'GET /▲\t‹x × 9000›'],
      [400, 'allowed by', '9112 3', 'The request line ends before an HTTP version', {
        'no-version': 'GET /▲\n\n',
      },
        ...line('GET ▲', 'GET HTTP/1.1▲', 'GET /‹x × 8187›▲')],
      [400, 'allowed by', '9112 3',
        'The request line does not end after the HTTP version', {
        'space-after-version': `GET / HTTP/1.1▲ ${HOST}`,
      },
        ...line('GET / HTTP/1.1▲0', 'GET / HTTP/1.1▲ x', 'GET / HTTP/2.0▲ '),
        'GET / HTTP/1.1▲‹x × 9000›'],
      [400, 'allowed by', '9112 2.3',
        'The HTTP version is not "HTTP/", a digit, a dot and a digit', {
        'version-without-minor': `GET / HTTP/1▲${HOST}`,
        'version-in-lower-case': `GET / ▲http/1.1${HOST}`,
      },
        'GET / ▲\n\n', 'GET / ▲‹X × 9000›', 'GET /‹x × 8000› ▲‹x × 9000›',
        'GET / ▲ ‹x × 9000›', 'GET / HTTP/1▲‹x × 9000›',
        ...line('GET / HTTP/1.▲', 'GET / HTTP/▲.1', 'GET / HTTP/0▲1.1', 'GET / HTTP/1▲,1')],
      [505, 'allowed by', '9110 6.2', 'The major version is not 1', {
        'version-2': `GET / HTTP/▲2.0${HOST}`,
        'http2-preface': 'PRI * HTTP/▲2.0\n\nSM\n\n',
      },
        ...line('GET / HTTP/▲0.9', 'GET / HTTP/▲9.9', 'GET /" HTTP/▲2.0',
          'GET /| HTTP/▲2.0')],
    ],
  },
  {
    title: 'The request-target',
    why:
      'A target has one of four forms: `/tasks` (origin-form), `http://a/tasks` ' +
      '(absolute-form), `a:80` (authority-form, only for CONNECT, which opens a ' +
      'tunnel) or `*` (asterisk-form, only for OPTIONS). *Userinfo* is ' +
      '`name:password@` before a host. A *fragment*, the part after `#`, is for the ' +
      'browser, which does not send it. (In a path or query, a lone `%` is ' +
      '[accepted](#our-own-choices).)',
    rejections: [
      [400, 'allowed by', '9112 3.2', 'White space in the request-target', {
        'space-in-target': `GET /a▲ b HTTP/1.1${HOST}`,
      },
        ...line('GET /a▲  b HTTP/1.1', 'GET /a▲\tb HTTP/1.1', 'GET /a▲ b HTTP/2.0',
          'GET /?a|▲ b HTTP/1.1')],
      [400, 'allowed by', '9112 3.2',
        'A "#" in the request-target, which has no fragment', {
        fragment: `GET /a▲#b HTTP/1.1${HOST}`,
      },
        ...line('GET /?a▲#b HTTP/1.1', 'GET /?|▲#a HTTP/1.1')],
      [400, 'allowed by', '3986 2.1',
        'A "%" in the target without two hexadecimal digits', {
        'percent-in-host': `GET http://a▲%/ HTTP/1.1${HOST}`,
      },
        'GET http://a▲%zz‹x × 9000›',
        ...line('GET http://a▲%4 HTTP/1.1', 'GET http://▲%4g?q HTTP/1.1',
          'CONNECT a▲%:1 HTTP/1.1', 'GET ▲%/ HTTP/1.1')],
      [400, 'allowed by', '3986 3.3', 'A byte that is not allowed in a path', {
        'byte-e9-in-path': `GET /caf▲\\xe9 HTTP/1.1${HOST}`,
      },
        'GET /▲"‹x × 9000›', 'GET /‹x × 8186›▲"x', 'GET /‹x × 8186›▲\0',
        ...line('GET http://a/▲" HTTP/1.1', 'GET /a|▲\\?\\ HTTP/1.1',
          'GET /a|▲`?` HTTP/1.1', 'GET /a|▲{?{ HTTP/1.1', 'GET /a|▲}?} HTTP/1.1',
          'GET /|▲" HTTP/1.1')],
      [400, 'allowed by', '3986 2', 'A byte that is not allowed in a URI', {
        'less-than-in-host': `GET http://a▲<b/ HTTP/1.1${HOST}`,
      },
        ...line('GET ▲"/ HTTP/1.1', 'GET http://a▲"/ HTTP/1.1',
          'GET http://a▲\\/? HTTP/1.1', 'CONNECT a▲\\:80 HTTP/1.1', 'GET a▲\\/ HTTP/1.1',
          'GET http://a▲^/? HTTP/1.1', 'CONNECT a▲^:80 HTTP/1.1', 'GET a▲^/ HTTP/1.1',
          'GET http://a▲`/? HTTP/1.1', 'CONNECT a▲`:80 HTTP/1.1', 'GET a▲`/ HTTP/1.1',
          'GET http://a▲{/? HTTP/1.1', 'CONNECT a▲{:80 HTTP/1.1', 'GET a▲{/ HTTP/1.1',
          'GET http://a▲|/? HTTP/1.1', 'CONNECT a▲|:80 HTTP/1.1', 'GET a▲|/ HTTP/1.1',
          'GET http://a▲}/? HTTP/1.1', 'CONNECT a▲}:80 HTTP/1.1', 'GET a▲}/ HTTP/1.1')],
      [400, 'allowed by', '3986 3.4', 'A byte that is not allowed in a query', {
        'quote-in-query': `GET /?a=▲"b" HTTP/1.1${HOST}`,
      },
        ...line('GET /?%▲" HTTP/1.1'),
        'GET /?a|▲\0'],
      [400, 'allowed by', '9112 3.2',
        'The request-target does not begin with "/" or "http://"', {
        'target-without-slash': `GET ▲tasks HTTP/1.1${HOST}`,
        'authority-form-with-get': `GET ▲a:443 HTTP/1.1${HOST}`,
      },
        ...line('GET ▲a?| HTTP/1.1', 'GET ▲?a HTTP/1.1', 'GET ▲a: HTTP/1.1',
          'GET ▲1http://a/ HTTP/1.1', 'OPTIONS ▲** HTTP/1.1', 'OPTIONS ▲*?a HTTP/1.1')],
      [400, 'allowed by', '9112 3.2.4',
        'The asterisk-form "*" with a method other than OPTIONS', {
        'asterisk-with-get': `GET ▲* HTTP/1.1${HOST}`,
      },
        ...line('options ▲* HTTP/1.1')],
      [400, 'allowed by', '9112 3.2.3',
        'The target of CONNECT is not a host name, a colon and a port', {
        'connect-to-path': `CONNECT ▲/tasks HTTP/1.1${HOST}`,
      },
        ...line('CONNECT a▲]:1 HTTP/1.1', 'CONNECT a:1▲?| HTTP/1.1', 'CONNECT ▲/ HTTP/1.1',
          'CONNECT http:▲//a:80 HTTP/1.1', 'CONNECT u▲@a:80 HTTP/1.1')],
      [400, 'allowed by', '9112 3.2.3', 'CONNECT needs a host', {
        'connect-without-host': `CONNECT ▲:443 HTTP/1.1${HOST}`,
      },
        ...line('CONNECT ▲:80 HTTP/1.1', 'CONNECT ▲: HTTP/1.1', 'CONNECT ▲:0 HTTP/1.1')],
      [400, 'required by', '9110 9.3.6', 'CONNECT needs a port from 1 to 65535', {
        'connect-without-port': `CONNECT a▲ HTTP/1.1${HOST}`,
      },
        ...line('CONNECT a:▲ HTTP/1.1', 'CONNECT a:▲0 HTTP/1.1',
          'CONNECT a:▲65536 HTTP/1.1', 'CONNECT a:▲‹9 × 400› HTTP/1.1',
          'CONNECT [::1]▲ HTTP/1.1', 'CONNECT *▲ HTTP/1.1')],
      [421, 'required by', '9110 7.4', 'The scheme of the request-target is not http', {
        'https-target': `GET ▲https://a/ HTTP/1.1${HOST}`,
      }],
      [421, 'allowed by', '9110 7.4', 'The scheme of the request-target is not http', {
        'unknown-scheme': `GET ▲ftp://a/ HTTP/1.1${HOST}`,
      },
        ...line('GET ▲mailto:x@y HTTP/1.1')],
      [400, 'allowed by', '9110 4.2.1', '"http:" is not followed by "//"', {
        'http-with-one-slash': `GET http:/▲a HTTP/1.1${HOST}`,
      },
        ...line('GET http:▲ HTTP/1.1', 'GET http:▲x HTTP/1.1', 'GET http:▲80 HTTP/1.1',
          'GET http:/▲ HTTP/1.1', 'GET http:/▲x HTTP/1.1')],
      [400, 'required by', '9110 4.2.1', 'No host after "http://"', {
        'http-without-host': `GET http://▲/tasks HTTP/1.1${HOST}`,
      },
        ...line('GET http://▲ HTTP/1.1', 'GET http://▲:80/ HTTP/1.1')],
      [400, 'allowed by', '9110 4.2.1',
        'What follows "http://" is not a host name and perhaps a port', {
        'open-bracket-in-host': `GET http://[::1▲/ HTTP/1.1${HOST}`,
      },
        ...line('GET http://a▲[/ HTTP/1.1', 'GET http://a:8▲x/ HTTP/1.1',
          'GET http://[fe80::1▲%25e]/ HTTP/1.1')],
      [400, 'allowed by', '9110 4.2.4',
        'Userinfo before the host, which an http URI must not have', {
        userinfo: `GET http://user▲@a/ HTTP/1.1${HOST}`,
      },
        ...line('GET http://u:p▲@a/ HTTP/1.1', 'GET http://▲@a/ HTTP/1.1')],
    ],
  },
  {
    title: 'Field lines, in the header and trailer sections',
    why:
      'A field can say where the content ends, so nobody may overlook it. The ' +
      '*header section* comes before the content, and the *trailer section* after ' +
      'the last chunk. The MUST of 9112 §5.1 is only for the first. *Obs-fold* is ' +
      'the old way to continue a value: the next line starts with white space.',
    rejections: [
      [400, 'allowed by', '9112 2.2', 'White space before the first field line', {
        'space-before-first-field': `GET / HTTP/1.1\n▲ A: b${HOST}`,
      },
        'GET / HTTP/1.1\n▲ Host: a\n', 'GET / HTTP/1.1\n▲\tHost: a\n',
        'GET / HTTP/1.1\n▲ \n'],
      [400, 'allowed by', '9112 7.1.2', 'White space before the first field line', {
        'space-before-first-trailer': `${CHUNKED}0\n▲ A: b\n\n`,
      },
        ...chunked('0\n▲ A: x\n\n')],
      [400, 'allowed by', '9112 5', 'No colon after the field name', {
        'no-colon': `${GET}A▲\n\n`,
        'space-for-colon': `${GET}A▲ b\n\n`,
      },
        ...chunked('0\nA▲ x\n', '0\nGET▲ / HTTP/1.1\n'),
        ...get('Name▲ value', 'Name▲ value:80', 'Name▲  ')],
      [400, 'allowed by', '9110 5.1', 'White space inside a field name', {
        'space-in-field-name': `${GET}A▲ b: c\n\n`,
      }],
      [400, 'required by', '9112 5.1', 'White space between a field name and the colon', {
        'space-before-colon': 'GET / HTTP/1.1\nHost▲ : ‹host›\n\n',
        'space-before-colon-length': `${POST}Content-Length▲ : 27\n\n${INNER}`,
        'tab-before-colon-coding':
          `${POST}Transfer-Encoding▲\t: chunked\n\n1b\n${INNER}\n0\n\n`,
      },
        ...get('A▲\t: x', 'A▲ \t : x')],
      [400, 'allowed by', '9112 5.1', 'White space between a field name and the colon', {
        'space-before-colon-trailer': `${CHUNKED}0\nA▲ : b\n\n`,
      },
        ...chunked('0\nA▲ : x\n\n')],
      [400, 'allowed by', '9110 5.1', 'A field line with an empty name', {
        'empty-field-name': `${GET}▲: a\n\n`,
      },
        ...chunked('0\n▲: x\n'),
        ...get('▲: x')],
      [400, 'allowed by', '9110 5.1',
        'A byte in a field name that is not allowed in a token', {
        'parenthesis-in-field-name': `${GET}A▲(b): c\n\n`,
      },
        ...get('▲(A: x', 'A▲[]: x', 'A▲\\xe9: x', 'A▲\0: x'),
        'GET / HTTP/1.1\nH▲\\xf6st: a\n\n'],
      [400, 'allowed by', '9110 5.5', 'A control character in a field value', {
        'nul-in-field-value': `${GET}A: b▲\0c\n\n`,
        'vertical-tab-before-coding': `${POST}Transfer-Encoding: ▲\vchunked\n\n0\n\n`,
      },
        ...chunked('0\nA: ▲\0\n\n', '0\nA: ‹x × 16380›▲\0'),
        ...get('A: x▲\0y', 'A: ▲\x7f', 'A:▲\vx', 'A: ▲\x07', 'A: ▲\x1f',
          'A: ‹x × 16371›▲\0')],
      [400, 'allowed by', '9112 5.2',
        'A field value continues on another line (obs-fold)', {
        'folded-line': `${GET}A: b\n▲ c\n\n`,
        'folded-coding': `${POST}Transfer-Encoding:\n▲ chunked\n\n1b\n${INNER}\n0\n\n`,
      },
        ...chunked('0\nA: x\n▲ y\n\n'),
        ...get('A: x\n▲ y', 'A: x\n▲\ty')],
      [431, 'our choice', '6585 5', 'The header section exceeds 16384 bytes', {
        'long-header-section': `${GET}A: ‹x × 16372›▲x‹x × 11›\n\n`,
      },
        'GET / HTTP/1.1\nHost: a\nA: ‹x × 16371›\r▲¬\n\n',
        'GET / HTTP/1.1\nA: ‹x × 16381›▲‹x × 13619›',
        'GET / HTTP/1.1\n‹x × 16384›▲‹x × 13616›',
        'GET / HTTP/1.1\nHost: a\nA: ‹x × 16372›▲\r',
        ...get('A: ‹x × 16372›▲', 'A: ‹x × 16370›\n▲B: x', 'A: ‹x × 16372›▲\0',
          'A: ‹x × 16372›▲\rx')],
      [431, 'our choice', '6585 5', 'The header section has more than 100 field lines', {
        'many-field-lines': `${GET}‹A: b\n × 99›▲A: b\n\n`,
      },
        ...get('‹A:\n × 99›▲A99:', '‹A:\n × 99›▲‹A:\n × 9900›A9999:')],
      [431, 'our choice', '6585 5', 'The trailer section exceeds 16384 bytes', {
        'long-trailer-section': `${CHUNKED}0\nA: ‹x × 16381›▲x‹x × 2›\n\n`,
      },
        ...chunked('0\nA: ‹x × 16380›\r▲¬\n\n', '0\nA: ‹x × 16381›▲‹x × 619›')],
      [431, 'our choice', '6585 5', 'The trailer section has more than 100 field lines', {
        'many-trailer-fields': `${CHUNKED}0\n‹A: b\n × 100›▲A: b\n\n`,
      },
        ...chunked('0‹\nA: × 100›\n▲A:\n\n')],
    ],
  },
  {
    title: 'Host',
    why:
      'One machine can serve many sites, and Host says which one is meant, such as ' +
      '`localhost:8080`. If a proxy and a server see different sites, a client gets ' +
      'the wrong one.',
    rejections: [
      [400, 'required by', '9112 3.2',
        'No Host field, which only an HTTP/1.0 request may leave out', {
        'no-host': 'GET / HTTP/1.1\n▲\n',
      },
        'POST / HTTP/1.1\nContent-Length: x\n▲\n', 'GET / HTTP/1.2\nA: x\n▲\n',
        'GET http://a/ HTTP/1.1\n▲\n'],
      [400, 'required by', '9112 3.2', 'More than one Host field', {
        'two-hosts': `${GET}Host: ▲b\n\n`,
        'two-equal-hosts': `${GET}Host: ▲‹host›\n\n`,
      },
        'GET / HTTP/1.0\nHost: a\nHost: ▲a\n\n',
        ...get('host: ▲b')],
      [400, 'required by', '9112 3.2', 'Host is not a host name and perhaps a port', {
        'host-with-path': 'GET / HTTP/1.1\nHost: a▲/b\n\n',
        'host-with-space': 'GET / HTTP/1.1\nHost: a▲ b\n\n',
        'host-with-userinfo': 'GET / HTTP/1.1\nHost: u▲@a\n\n',
        'host-with-bad-port': 'GET / HTTP/1.1\nHost: a:8▲x\n\n',
      },
        ...host(' a▲/', ' a▲?', ' http:▲//a', ' a,▲ b', ' a:1▲:2', ' a▲%', ' a▲%4',
          ' a▲%4g', ' ▲\\xe4', ' :▲:1', ' [::1▲', ' [▲', ' [▲]', ' ▲]', ' a▲[::1]',
          ' [▲1:2:3:4:5:6:7:g]:80', ' [▲1:2:3:4:5:6:7]', ' [▲1:2:3:4:5:6:7:]',
          ' [▲1:2:3:4:5:6:7:8:9]', ' [▲1:2:3:4:5:6:7:8::]', ' [▲1::2::3]', ' [▲:::]',
          ' [▲:1]', ' [▲12345::]', ' [▲::1.2.3.256]', ' [▲::01.2.3.4]', ' [▲::1.2.3]',
          ' [▲1.2.3.4::]', ' [▲1:2:3:4:5:6:7:1.2.3.4]', ' [fe80::1▲%25eth0]',
          ' [▲1:2:3:4:5:6::1.2.3.4]', ' [::1▲ ]',
          ' [::1]▲x', ' [::1]:8▲x', ' [▲v]', ' [▲vg.x]', ' [▲v1]', ' [▲v1.]', ' [v1.a▲@]',
          ' [v1.a▲')],
      [400, 'allowed by', '9112 3.3', 'Host does not name a host', {
        'empty-host': 'GET / HTTP/1.1\nHost:▲\n\n',
      },
        ...host(' ▲', ' ▲:80'),
        'OPTIONS * HTTP/1.1\nHost: ▲\n\n', 'OPTIONS * HTTP/1.1\nHost: ▲:80\n\n',
        'GET / HTTP/1.0\nHost:▲\n\n'],
      [400, 'our choice', '9112 3.2', 'Host has a comma, so it looks like a list', {
        'host-with-comma': 'GET / HTTP/1.1\nHost: a▲,b\n\n',
      },
        ...host(' ▲,a', ' a▲,'),
        'OPTIONS * HTTP/1.1\nHost: a▲,b\n\n', 'OPTIONS * HTTP/1.1\nHost: ▲,a\n\n',
        'OPTIONS * HTTP/1.1\nHost: a▲,\n\n'],
    ],
  },
  {
    title: 'Content and its framing',
    why:
      'The framing decides where the next request begins. If two recipients ' +
      'disagree about it, one of them takes content for a request. A *transfer ' +
      'coding* is a form in which content is sent: this server knows only ' +
      '`chunked`, which has to be the last (*final*). The field *Expect* says what ' +
      'a client wants before it sends the content.',
    rejections: [
      [400, 'allowed by', '9112 6.1', 'Transfer-Encoding together with Content-Length', {
        'length-and-chunked':
          `${POST}Content-Length: 32\nTransfer-Encoding: ▲chunked\n\n0\n\n${INNER}`,
        'chunked-and-length':
          `${POST}Transfer-Encoding: chunked\nContent-Length: ▲4\n\n1b\n${INNER}\n0\n\n`,
      },
        ...post('Transfer-Encoding: chunked\nContent-Length: ▲5',
          'Content-Length: 5\nTransfer-Encoding: ▲chunked',
          'Content-Length: x\nTransfer-Encoding: ▲gzip')],
      [400, 'allowed by', '9112 6.1', 'Transfer-Encoding in an HTTP/1.0 request', {
        'chunked-in-http-1-0': 'POST / HTTP/1.0\nTransfer-Encoding: ▲chunked\n\n0\n\n',
      },
        'POST / HTTP/1.0\nHost: a\nTransfer-Encoding: ▲chunked\n\n',
        'POST / HTTP/1.0\nHost: a\nTransfer-Encoding: ▲gzip, chunked\n\n',
        'POST / HTTP/1.0\nHost: a\nTransfer-Encoding:▲\n\n',
        'POST / HTTP/1.0\nHost: a\nContent-Length: 5\nTransfer-Encoding: ▲chunked\n\n'],
      [400, 'required by', '9112 6.3', 'Transfer-Encoding without a transfer coding', {
        'empty-coding': `${POST}Transfer-Encoding:▲\n\n${INNER}`,
      },
        ...post('Transfer-Encoding: ▲, ,')],
      [400, 'required by', '9112 6.3',
        'The final transfer coding of a request is not chunked', {
        'chunked-not-last': `${POST}Transfer-Encoding: chunked, ▲gzip\n\n0\n\n`,
        'identity-coding': `${POST}Transfer-Encoding: ▲identity\n\n${INNER}`,
        'xchunked-coding': `${POST}Transfer-Encoding: ▲xchunked\n\n0\n\n`,
        'codings-on-two-lines':
          `${POST}Transfer-Encoding: chunked\nTransfer-Encoding: ▲identity\n\n0\n\n`,
      },
        ...post('Transfer-Encoding: ▲gzip', 'Transfer-Encoding: ▲gzip;a=b',
          'Transfer-Encoding: ▲gzip;a="b, chunked',
          'Transfer-Encoding: ▲gzip;a="b\nTransfer-Encoding: chunked')],
      [501, 'allowed by', '9112 6.1', 'A transfer coding other than chunked', {
        'gzip-before-chunked': `${POST}Transfer-Encoding: ▲gzip, chunked\n\n0\n\n`,
      },
        ...post('Transfer-Encoding: ▲identity, chunked',
          'Transfer-Encoding: ▲gzip, deflate, chunked',
          'Transfer-Encoding: ▲gzip\nTransfer-Encoding: chunked',
          'Transfer-Encoding: ▲gzip;q=1, chunked',
          'Transfer-Encoding: ▲gzip ; a = ; b ;, chunked',
          'Transfer-Encoding: ▲gzip;a="b, chunked", chunked',
          'Transfer-Encoding: ▲gzip;a="b\nTransfer-Encoding: c", chunked',
          'Transfer-Encoding: ▲gzip;a="\\", chunked", chunked')],
      [400, 'allowed by', '9112 6.1', 'The chunked coding is applied more than once', {
        'chunked-twice': `${POST}Transfer-Encoding: chunked, ▲chunked\n\n0\n\n`,
        'chunked-on-two-lines':
          `${POST}Transfer-Encoding: chunked\nTransfer-Encoding: ▲chunked\n\n0\n\n`,
      },
        ...post('Transfer-Encoding: chunked, gzip, ▲chunked')],
      [400, 'allowed by', '9112 7.1',
        'The chunked coding has a parameter, but defines none', {
        'chunked-with-parameter': `${POST}Transfer-Encoding: chunked▲;a=b\n\n0\n\n`,
      },
        ...post('Transfer-Encoding: chunked▲ ; a=b', 'Transfer-Encoding: chunked▲;a="b, c"',
          'Transfer-Encoding: chunked▲;a=b, chunked')],
      [400, 'allowed by', '9110 10.1.4',
        'A transfer coding is not a token with parameters', {
        'quoted-coding': `${POST}Transfer-Encoding: ▲"chunked"\n\n0\n\n`,
      },
        ...post('Transfer-Encoding: chunked▲ chunked',
          'Transfer-Encoding: gzip▲ a, chunked', 'Transfer-Encoding: ▲;a=b, chunked',
          'Transfer-Encoding: ▲\\xa0chunked')],
      [400, 'required by', '9112 6.3', 'Content-Length is not a single decimal number', {
        'length-with-plus': `${POST}Content-Length: ▲+5\n\nhello`,
        'length-in-hex': `${POST}Content-Length: 0▲x5\n\nhello`,
        'negative-length': `${POST}Content-Length: ▲-1\n\n`,
        'empty-length': `${POST}Content-Length:▲\n\n`,
      },
        ...post('Content-Length: ▲-5', 'Content-Length: 1▲e3', 'Content-Length: 5▲.0',
          'Content-Length: 1▲_0', 'Content-Length: 1▲ 0', 'Content-Length: 5▲\\xa0',
          'Content-Length: ▲\\xb2', 'Content-Length: 05▲x', 'Content-Length: ▲,',
          'Content-Length: 5\nContent-Length: ▲x', 'Content-Length: ▲x\nContent-Length: 5',
          'Expect: x\nContent-Length: ▲x')],
      [400, 'required by', '9112 6.3', 'Content-Length has different values', {
        'length-list-of-two': `${POST}Content-Length: 0▲, 27\n\n${INNER}`,
        'two-lengths': `${POST}Content-Length: 0\nContent-Length: ▲27\n\n${INNER}`,
      },
        ...post('Content-Length: 5▲, 6',
          'Content-Length: 9007199254740992▲, 9007199254740993',
          'Content-Length: 5\nContent-Length: ▲6')],
      [400, 'allowed by', '9110 8.6',
        'Content-Length is a list, though it names one length', {
        'equal-length-list': `${POST}Content-Length: 5▲, 5\n\nhello`,
      },
        ...post('Content-Length: 5▲,', 'Content-Length: ▲,5', 'Content-Length: 05▲, 5')],
      [400, 'allowed by', '9110 8.6',
        'More than one Content-Length, though all their numbers are equal', {
        'two-equal-lengths': `${POST}Content-Length: 5\nContent-Length: ▲5\n\nhello`,
      },
        ...post('Content-Length: 5\nA: x\nContent-Length: ▲5')],
      [400, 'our choice', '9110 8.6', 'Content-Length has a leading zero', {
        'length-with-zero': `${POST}Content-Length: ▲010\n\nhelloworld`,
      },
        ...post('Content-Length: ▲05', 'Content-Length: ▲00',
          'Content-Length: ▲0000000000000000')],
      [400, 'our choice', '9110 8.6', 'Content-Length has more than 15 digits', {
        'huge-length': `${POST}Content-Length: 100000000000000▲0\n\nhello`,
      },
        ...post('Content-Length: 999999999999999▲‹9 × 9985›')],
      [417, 'allowed by', '9110 10.1.1', 'An expectation other than 100-continue', {
        'unknown-expectation': `${GET}Expect: ▲luck\n\n`,
      },
        'POST / HTTP/1.1\nHost: a\nExpect: ▲x\nTransfer-Encoding: chunked\n\nz'],
      [413, 'our choice', '9110 15.5.14', 'The content exceeds 1048576 bytes', {
        'large-content': `${POST}Content-Length: 1048577\n\n▲x‹x × 1048576›`,
      },
        ...chunked('▲100001\n', '▲100001;a\n', '▲1FFFFFFFFFFFFF\n', '1\nx\n▲100000\n')],
      [503, 'our choice', '9110 15.6.4',
        'The requests of all connections together exceed what this server can hold', {
        'content-over-budget': {
          bytes: `${POST}Content-Length: 5000\n\n‹x × 4050›▲‹x × 950›`,
          text: 'to a server with `contentBudget: 4`',
          options: { contentBudget: 4 },
        },
      }],
    ],
  },
  {
    title: 'Chunks',
    why:
      'A chunk is a line with its size in hexadecimal, then the data, then CRLF. ' +
      'The size says where the next chunk begins, so one misread digit moves all ' +
      'that follows. *Extensions* may follow the size: `5;name=value`.',
    rejections: [
      [400, 'allowed by', '9112 7.1', 'A chunk does not start with its size in hex', {
        'chunk-size-with-plus': `${CHUNKED}▲+5\nhello\n0\n\n`,
        'empty-chunk-size': `${CHUNKED}▲\nhello\n0\n\n`,
        'space-before-chunk-size': `${CHUNKED}▲ 5\nhello\n0\n\n`,
        'chunk-size-with-minus': `${CHUNKED}▲-5\nhello\n0\n\n`,
      },
        ...chunked('▲;a\nx', '▲ 1\nx', '▲+1\nx', '▲-1\nx', '▲g\nx', '▲\0')],
      [400, 'allowed by', '9112 7.1',
        'A chunk line is not a size in hex and perhaps extensions', {
        'chunk-size-with-0x': `${CHUNKED}0▲x5\nhello\n0\n\n`,
        'chunk-size-with-underscore': `${CHUNKED}1▲_0\n0123456789abcdef\n0\n\n`,
      },
        ...chunked('0▲x1\nx', '1▲g\nx', '1▲\0', '100001▲x\n')],
      [400, 'our choice', '9112 7.1', 'A chunk-size has more than 16 digits', {
        'long-chunk-size': `${CHUNKED}‹0 × 16›▲5\nhello\n0\n\n`,
      },
        ...chunked('0000000000000000▲1\nx', '0000000000000000▲‹0 × 4984›\nx')],
      [400, 'our choice', '9112 7.1', 'A chunk-size exceeds 2^53 - 1', {
        'huge-chunk-size': `${CHUNKED}2000000000000▲0\nhello\n0\n\n`,
        'chunk-size-over-64-bits': `${CHUNKED}f000000000000▲0005\nhello\n0\n\n`,
      },
        ...chunked('002000000000000▲0\nx', '01fffffffffffff▲f\nx', 'FFFFFFFFFFFFF▲FFF\nx')],
      [400, 'allowed by', '9112 7.1.1',
        'White space after the size of a chunk, and no extension', {
        'space-after-chunk-size': `${CHUNKED}5 ▲\nhello\n0\n\n`,
      },
        ...chunked('1\t▲\nx')],
      [400, 'allowed by', '9112 2.2', 'A CR is not followed by LF', {
        'cr-before-chunk-size': `${CHUNKED}▲\r5\nhello\n0\n\n`,
      }],
      [400, 'allowed by', '9112 7.1.1',
        'A chunk extension is not ";", a name and perhaps "=" and a value', {
        'nul-in-extension': `${CHUNKED}5;a=▲\0\nhello\n0\n\n`,
        'control-in-quoted-ext': `${CHUNKED}5;a="▲\x01"\nhello\n0\n\n`,
        'chunk-extension-no-value': `${CHUNKED}5;a=▲\nhello\n0\n\n`,
      },
        ...chunked('1 ▲2\nx', '1;▲\nx', '1;▲;a\nx', '1;▲=a\nx', '1;a ▲\nx', '1;a=b ▲\nx',
          '1;a ▲b\nx', '1;a="b▲\nx', '1;a="\\▲\nx', '1;a="b"▲c\nx', '1;▲\\x80\nx', '1;a▲\0',
          '1;a="▲\0', '1;a="▲\x7f', '1;a="\\▲\x01', '100001;▲\n', '1;‹a × 1021›▲\0')],
      [400, 'our choice', '9112 7.1.1', 'A chunk line exceeds 1024 bytes', {
        'long-chunk-line': `${CHUNKED}5;‹x × 1022›▲x\nhello\n0\n\n`,
      },
        ...chunked('1;‹a × 1022›▲a\nx', '1;‹a × 1022›▲‹a × 3978›\nx')],
      [400, 'our choice', '9112 7.1.1',
        'The chunk extensions of this message exceed 16384 bytes', {
        'many-chunk-extensions':
          `${CHUNKED}‹1;‹x × 1000›\nx\n × 16›1;‹x × 367›▲x‹x × 632›\nx\n0\n\n`,
      }],
      [400, 'allowed by', '9112 7.1', 'The data of a chunk is not followed by CRLF', {
        'chunk-too-long': `${CHUNKED}5\nhello▲!\n0\n\n`,
        'two-bytes-for-crlf': `${CHUNKED}5\nhello▲XY0\n\n`,
      },
        ...chunked('3\nabc▲d\n0\n\n', '3\nabc▲XY0\n\n', '3\nab\r▲¬\n0\n\n',
          '3\nabc\r▲0\n\n', '3\nabc▲0\n\n')],
    ],
  },
  {
    title: 'Requests that never become complete',
    why:
      'Nobody can handle half a request, and waiting for the rest takes memory and ' +
      'a connection.',
    rejections: [
      [400, 'allowed by', '9112 8', 'The input ended mid-request; still missing: …', {
        'half-a-request': 'GET / HTTP/1.1\nHo▲‖close‖',
      }],
      [408, 'our choice', '9110 15.5.9',
        'The request is not complete … s after it began; still missing: …', {
        'slow-request': {
          bytes: 'GET / HTTP/1.1\nHo▲',
          text: 'to a server with `--request-timeout 0.2`, then nothing more',
          options: { requestTimeout: 0.2 },
        },
      }],
    ],
  },
];

/** A server may not have the host, or not implement the method. */
const OTHER_HOST = { alsoRight: [404, 421] };
const OTHER_METHOD = { alsoRight: [501] };

type ValidRow = readonly [
  name: string,
  section: string,
  what: string,
  bytes: string,
  rest?: Pick<ValidCase, 'requests' | 'alsoRight'>,
];

interface ValidTable {
  readonly title: string;
  readonly cases: readonly ValidRow[];
}

// Only GET, HEAD, OPTIONS, POST and methods that nobody has defined are sent.
// prettier-ignore
const VALID: readonly ValidTable[] = [
  {
    title: 'Valid request lines',
    cases: [
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
        `GET /?‹x × 7985› HTTP/1.1${HOST}`],
    ],
  },
  {
    title: 'Valid request-targets',
    cases: [
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
        `OPTIONS * HTTP/1.1${HOST}`, OTHER_METHOD],
    ],
  },
  {
    title: 'Valid field lines',
    cases: [
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
        `${GET}Connection: upgrade\nUpgrade: x/1\n\n`],
    ],
  },
  {
    title: 'Valid Host',
    cases: [
      ['host-with-port', '9110 7.2', 'Host with a port', 'GET / HTTP/1.1\nHost: a:80\n\n'],
      ['host-with-empty-port', '3986 3.2.3', 'Host with an empty port',
        'GET / HTTP/1.1\nHost: a:\n\n'],
      ['host-ipv6', '3986 3.2.2', 'Host with an IPv6 address',
        'GET / HTTP/1.1\nHost: [::1]:80\n\n'],
      ['host-percent-encoded', '3986 3.2.2', 'Host with percent-encoded bytes',
        'GET / HTTP/1.1\nHost: a%C3%A9\n\n'],
    ],
  },
  {
    title: 'Valid content',
    cases: [
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
        `${POST}Expect: 100-continue\nContent-Length: 5\n\nhello`],
    ],
  },
  {
    title: 'Valid sequences',
    cases: [
      ['pipelined', '9112 9.3.2', 'Two requests at once',
        `${NEXT}${NEXT}`, { requests: 2 }],
      ['pipelined-content', '9112 9.3.2', 'A request right behind content',
        `${POST}Content-Length: 5\n\nhello${NEXT}`, { requests: 2 }],
      ['pipelined-chunks', '9112 9.3.2', 'A request right behind chunks',
        `${CHUNKED}5\nhello\n0\n\n${NEXT}`, { requests: 2 }],
      ['empty-line-between', '9112 2.2', 'An empty line after content',
        `${POST}Content-Length: 5\n\nhello\n${NEXT}`, { requests: 2 }],
    ],
  },
];

export const REJECTED_GROUPS: readonly RejectedGroup[] = REJECTED.map(
  ({ title, why, rejections }) => ({
    title,
    why,
    cases: rejections.flatMap(([status, authority, section, what, cases]) =>
      Object.entries(cases).map(([name, one]): RejectedCase => {
        const base = { name, status, authority, section, what };
        if (typeof one === 'string') return { ...base, bytes: one };
        const { bytes, ...needs } = one;
        return { ...base, bytes, needs };
      }),
    ),
    neighbours: rejections.flatMap(([status, authority, section, what, , ...neighbours]) =>
      neighbours.map((bytes) => ({ status, authority, section, what, bytes })),
    ),
  }),
);

export const VALID_GROUPS: readonly Group<ValidCase>[] = VALID.map(({ title, cases }) => ({
  title,
  cases: cases.map(([name, section, what, bytes, rest]) => ({
    name,
    section,
    what,
    bytes,
    ...rest,
  })),
}));

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
  if (!isValid(one) && one.needs !== undefined) return one.needs.text;
  const closes = readCase(one).ending === 'close';
  return closes ? 'then the client closes its sending side' : '';
}
