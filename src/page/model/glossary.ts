/** What the page says about each part of a message, each verb of the trace, and each
 * authority. */
import { equalsIgnoreCase } from '../../http/grammar';
import type { Status } from '../../http/message';
import type { LineKind, PartName } from '../../http/parts';
import type { Authority } from '../../http/protocol-error';
import type { TraceEvent } from '../../trace/events';
import type { PartData, RejectionData } from './page-data';

/** The kind of a part (parts of one kind look alike), the section that has it, what it is,
 * and what it is called, if not by its name. */
type Explanation = readonly [kind: string, section: string, text: string, called?: string];

/** What a part is, wherever it stands. */
// prettier-ignore
const PARTS: { readonly [N in PartName]: Explanation } = {
  method: ['method', '9112 3.1',
    'What the client wants done: GET asks for something, POST, PUT and DELETE mostly ask for ' +
    'a change. Upper and lower case differ.'],
  SP: ['delimiter', '9112 3',
    'One space. It separates two parts of the request line. Exactly one belongs here.',
    'SP (space)'],
  'request-target': ['target', '9112 3.2',
    'What the request is about: usually a path, and perhaps "?" and a query.'],
  'HTTP-version': ['version', '9112 2.3',
    'The version of HTTP that the sender speaks, in capital letters.'],
  'status-code': ['method', '9112 4',
    'How it went. 100 asks the client for the content, and 200 to 299 is success. From 400 ' +
    'to 499, the client seems to have made a mistake; from 500 to 599, the server has ' +
    'failed, or cannot do it.'],
  'reason-phrase': ['target', '9112 4', 'The status in words, for people. Programs ignore it.'],
  CRLF: ['delimiter', '9112 2.1',
    'The two bytes that end a line: carriage return (CR) and line feed (LF).',
    'CRLF (line end)'],
  'field-name': ['name', '9110 5.1',
    'The name of a field. Upper and lower case are the same, and no space may follow it.'],
  colon: ['delimiter', '9112 5', 'The colon between the name of a field and its value.'],
  OWS: ['delimiter', '9110 5.6.3',
    'Optional white space: spaces and tabs around a value, which are not part of it.',
    'OWS (optional white space)'],
  'field-value': ['value', '9110 5.5',
    'The value of the field that is named before the colon.'],
  Host: ['value', '9110 7.2',
    'The host and port that the client wants to talk to, unless the request-target names ' +
    'them. A request has one Host. Only HTTP/1.0 may leave it out.',
    'value of Host'],
  Connection: ['value', '9110 7.6.1',
    '"close" ends the connection after this request and its response; "keep-alive" lets it ' +
    'stay open. Other words are about this connection alone.',
    'value of Connection'],
  'Content-Length': ['value', '9110 8.6',
    'How many bytes of content follow the empty line, as a decimal number. Beside a ' +
    'Transfer-Encoding it does not count, and a server may reject the request.',
    'value of Content-Length'],
  'Transfer-Encoding': ['value', '9112 6.1',
    'How the content is wrapped. "chunked": in pieces, each with its size before it.',
    'value of Transfer-Encoding'],
  Expect: ['value', '9110 10.1.1',
    '"100-continue": the client may wait for 100 (Continue) before it sends the content.',
    'value of Expect'],
  'chunk-size': ['size', '9112 7.1',
    'How many bytes of data this chunk has, as a hexadecimal number without 0x (a is 10, f ' +
    'is 15). The size 0 ends the content.'],
  'chunk-ext': ['extension', '9112 7.1.1',
    'A chunk extension: a remark on this chunk. The server checks its form and drops it.'],
  'chunk-data': ['content', '9112 7.1',
    'A piece of the content. Its length is the chunk-size on the line before it.'],
  content: ['content', '9112 6', 'The content. Its length is the value of Content-Length.'],
};

/** What is particular about a part in one kind of line. */
// prettier-ignore
const PARTS_IN_LINES: {
  readonly [B in LineKind]?: {
    readonly [N in PartName]?: readonly [section: string, text: string];
  };
} = {
  'empty line before the request line': {
    CRLF: ['9112 2.2',
      'An empty line before a request. Some old clients send one, so one is ignored.'],
  },
  'status line': { SP: ['9112 4', 'One space. It separates two parts.'] },
  'end of the header section': {
    CRLF: ['9112 2.1',
      'The empty line. It ends the header section: no more field lines follow.'],
  },
  'end of the chunk': {
    CRLF: ['9112 7.1',
      'The line end that a client has to send after the data of a chunk. It is not part of ' +
      'the data.'],
  },
  'last chunk': {
    'chunk-size': ['9112 7.1',
      'The size 0 says that this is the last chunk. It has no data, and ends the content.'],
  },
  'trailer field line': {
    'field-name': ['9110 5.1',
      'The name of a trailer field: a field that comes after the content.'],
    'field-value': ['9110 5.5',
      'The value of a trailer field. The server checks its form and drops it.'],
  },
  'end of the trailer section': {
    CRLF: ['9112 7.1',
      'The empty line. It ends the trailer section, and the request.'],
  },
};

/** What common fields are about. */
// prettier-ignore
const FIELDS: readonly (readonly [name: string, text: string])[] = [
  ['Accept', 'Which kinds of data the client would like to get.'],
  ['Accept-Encoding', 'Which compressions the client accepts.'],
  ['Accept-Language', 'Which languages the client would like to get.'],
  ['Allow', 'The methods that the server has for this request-target, or all that it has for any.'],
  ['Cache-Control', 'Whether a stored response may be used, or stored, and for how long.'],
  ['Connection', PARTS.Connection[2]],
  ['Content-Length', PARTS['Content-Length'][2]],
  ['Content-Type', 'What kind of data the content is: "application/json" is JSON.'],
  ['Date', 'When the sender made this message.'],
  ['Host', PARTS.Host[2]],
  ['Origin', 'The site whose page made the browser send this request.'],
  ['Referer', 'The page from which the client came here.'],
  ['Transfer-Encoding', PARTS['Transfer-Encoding'][2]],
  ['User-Agent', 'Which program the client is.'],
];

export function kindOf(name: PartName): string {
  return PARTS[name][0];
}

export function isContent(name: PartName): boolean {
  return kindOf(name) === 'content';
}

/** @returns what a common field is about */
function findField({ field = '', line, name }: PartData) {
  if (name !== 'field-value' || line !== 'header field line') return undefined;
  return FIELDS.find(([known]) => equalsIgnoreCase(known, field));
}

/** @returns the name of a part, in plain words too where it is an abbreviation */
export function nameOf(part: PartData): string {
  const [field] = findField(part) ?? [];
  const { name } = part;
  return field === undefined ? (PARTS[name][3] ?? name) : `${name} (of ${field})`;
}

/** @returns what a part is, and the section that has it */
export function explainPart(part: PartData): { text: string; section: string } {
  const { line, name } = part;
  const [, general, usual] = PARTS[name];
  const [section, text] = PARTS_IN_LINES[line]?.[name] ?? [general, usual];
  return { text: findField(part)?.[1] ?? text, section };
}

/** What a rejection with a status says of the request. */
// prettier-ignore
export const STATUSES: { readonly [S in Status]?: string } = {
  400: 'Bad Request: what seems to be a mistake of the client',
  408: 'Request Timeout: the client took too long',
  413: 'Content Too Large: the content is longer than the server takes',
  414: 'URI Too Long: here, the whole request line is longer than the server allows',
  417: 'Expectation Failed: the client expects what the server cannot do',
  421: 'Misdirected Request: this server is not the one that the request is for',
  431: 'Request Header Fields Too Large: the fields are longer, or more, than the server allows',
  501: 'Not Implemented: the client asks for something that this server cannot do',
  503: 'Service Unavailable: the server has no room for this request now',
  505: 'HTTP Version Not Supported: the client speaks a version that this server does not',
};

export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What each verb of the trace means. */
// prettier-ignore
export const VERBS: { readonly [V in TraceEvent['type']]: string } = {
  listen: 'The server opened its port and accepts connections.',
  refuse: 'Too many connections are open, so the server closes this one at once.',
  error: 'The system could not accept a connection.',
  stop: 'The server stops.',
  open: 'A client connected.',
  read: 'Bytes arrived. TCP may cut them anywhere.',
  wait: 'To go on with this client, the server needs more bytes. It can serve others meanwhile.',
  parse: 'The server says what the bytes mean.',
  frame: 'The server decides how the end of the content is found.',
  keep:
    'What the request means for the connection: stay open, or close. The server may still ' +
    'decide to close it.',
  expect: 'The client says that it may wait for 100 (Continue) before it sends its content.',
  queue: 'The request is complete. It takes its place in the queue.',
  block:
    'The client, or its system, has not taken all of its responses yet. The rest waits, and ' +
    'so does what would follow.',
  turn: 'It is the turn of this request: the server handles it now.',
  route: 'The way through the routing table, from state to state, to the status.',
  write: 'What the server writes to the client.',
  idle: 'This client asks for nothing now. The server waits for its next request.',
  reject: 'The server rejects this request, and parses nothing more of this connection.',
  risk: 'Another recipient, with a mistake that is known, would read the same bytes differently.',
  end: 'No more bytes will arrive from this client.',
  close: 'The server closes its side of the connection, for this reason.',
  drop:
    'The server throws these bytes, or this request, away. After a wrong byte, that is ' +
    'everything that follows it, read or not.',
  linger:
    'The server sends nothing more. It keeps reading and throws away what it reads, until the ' +
    'client closes its side, too, or the time is over.',
  gone: 'The connection is over.',
};

/** What follows from the authority on which a request is rejected. */
const AUTHORITIES: { readonly [A in Authority]: string } = {
  'required by': 'It leaves no choice: every server has to reject this.',
  'allowed by': 'It does not demand that: another server may make the best of it.',
  'our choice':
    'No RFC requires it: this server has a limit here, or is stricter than the RFC asks.',
};

const SHOULD_400 =
  'A server should respond with 400, or redirect the client to the correct one (301). It ' +
  'should not repair the target and go on (RFC 9112 section 3.2).';
const SHOULD_CLOSE =
  'Of a header field, RFC 9112 section 2.2 adds that a server should respond with 400, and ' +
  'close the connection.';

/** What a section says that allows to reject a request, where that is more. */
// prettier-ignore
const SECTIONS: { readonly [section: string]: string } = {
  '3986 2': SHOULD_400, '3986 2.1': SHOULD_400, '3986 3.3': SHOULD_400, '3986 3.4': SHOULD_400,
  '9110 4.2.1': SHOULD_400, '9112 3.2': SHOULD_400, '9112 3.2.3': SHOULD_400,
  '9112 3.2.4': SHOULD_400, '9112 5': SHOULD_CLOSE, '9110 5.1': SHOULD_CLOSE,
  '9110 4.2.4':
    'A server should treat it as an error, unless it trusts the client: a user name there may ' +
    'be meant to hide the host.',
  '9110 5.5':
    'A server has to reject CR, LF and NUL in a value, or to put a space in their place. It ' +
    'may keep other control characters where that is safe.',
  '9110 7.4':
    'An origin server has to reject a request that does not meet the requirements of its ' +
    'scheme, and this server knows none of them.',
  '9110 10.1.4':
    'It has only the grammar. If the last coding is not chunked, RFC 9112 section 6.3 ' +
    'requires 400.',
  '9112 2.2':
    'A server may also put a space in place of a bare CR, take a bare LF for a line end, and ' +
    'skip what should not come before the request or before its fields.',
  '9112 2.3':
    'A server should respond with 400, and not repair the request line and go on (RFC 9112 ' +
    'section 3.2).',
  '9112 3':
    'A server may take other white space for the space between two parts, and ignore it ' +
    'around the line. Whatever else is wrong in a request line, it should not repair and go ' +
    'on (RFC 9112 section 3.2).',
  '9112 5.1':
    'It has a MUST for header fields. A trailer field with white space there breaks the ' +
    'grammar, but another server may make the best of it.',
  '9112 5.2':
    'A server has to reject it with 400, or to put spaces in place of the fold.',
  '9112 6.1':
    'A server may go by Transfer-Encoding alone instead, if its last coding is chunked. It ' +
    'should respond with 501 to a coding that it does not understand. Beside a length, and ' +
    'in HTTP/1.0, it has to close the connection after its response.',
  '9112 8': 'It says that a server may send an error response before it closes.',
};

/** @returns what other servers have to do with such a request, as a sentence */
export function whatFollows({ authority, section, status }: RejectionData): string {
  if (authority === 'allowed by') return SECTIONS[section] ?? AUTHORITIES[authority];
  if (status !== 421) return AUTHORITIES[authority];
  return (
    'An origin server has to reject a request for an https URI, unless it came over TLS with ' +
    'a certificate for that host, or from a gateway that the server trusts.'
  );
}
