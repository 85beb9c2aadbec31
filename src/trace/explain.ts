/** What the trace says about an event, in sentences. */
import { cite } from '../http/protocol-error';
import type { Leniency, RequestTarget } from '../http/request-target';
import type { TraceEvent, Written } from './events';
import { count, escape } from '../text/text';

/** How much is shown of a name that a client chose, and how many statuses. */
const NAME_SHOWN = 256;
const STATUSES_SHOWN = 8;

/** What an event is about: its type, or the part of a message that was parsed. */
type Topic =
  Exclude<TraceEvent['type'], 'parse'> | Extract<TraceEvent, { type: 'parse' }>['part'];
type FieldPart = 'header field line' | 'trailer field line';
export type EventOf<T extends Topic | 'parse'> = Extract<
  TraceEvent,
  { type: T } | { part: T }
>;

/** What the lines say about an event. An empty text takes no line. */
const TEXTS: { readonly [T in Topic]: (event: EventOf<T>) => string | string[] } = {
  listen: ({ port }) => `port ${port}`,
  refuse: ({ remoteAddress, limit }) =>
    `${remoteAddress ?? GONE}: limit of ${count(limit, 'open connection')} reached`,
  error: ({ message }) => `a connection could not be accepted: ${escape(message)}`,
  stop: ({ reason }) => reason,
  open: ({ remoteAddress }) => remoteAddress ?? GONE,
  read: ({ bytes }) => count(bytes.length),
  wait: ({ missing, section, seconds }) =>
    `for ${missing} ${rfc(section)}${seconds ? `, ${seconds} s at most` : ''}`,
  'empty line before the request line': () =>
    `an empty line before the request line is ignored ${rfc('9112 2.2')}`,
  'request line': ({ method, version, target }) => {
    const { authority, form, leniency, query } = target;
    return [
      `request line: ${clip(method)}, ${form}${describePath(target)}, ${version} ${rfc('9112 3')}`,
      /1\.[01]$/.test(version) ? '' : `${version} is read as HTTP/1.1 ${rfc('9110 6.2')}`,
      authority === undefined
        ? ''
        : `authority "${clip(authority)}" is ignored: every host has the same paths`,
      query === undefined ? '' : `query "${clip(query)}" is not part of the path`,
      leniency === undefined ? '' : describeLeniency(leniency),
    ];
  },
  'header field line': tellField,
  'trailer field line': tellField,
  'end of the header section': ({ lines, host, form }) => {
    const ignoredBy = { 'absolute-form': '9112 3.2.2', 'authority-form': '9112 3.3' };
    const section = Object.entries(ignoredBy).find(([name]) => name === form)?.[1];
    const why = section ? ' is well formed, but the target names the host' : '';
    const name = host === undefined ? 'no Host' : `Host "${clip(host)}"${why}`;
    return `${count(lines.length, 'field line')}, ${name} ${rfc(section ?? '9112 3.2')}`;
  },
  content: ({ parts = [] }) => {
    const { offset = 0, length = 0 } = parts[0] ?? {};
    const last = length > 1 ? `-${offset + length - 1}` : '';
    // It need not be here yet.
    const next = length === 1 ? 'the next byte' : `the next ${count(length)}`;
    const what = length === 0 ? count(0) : `${next}, ${offset}${last}`;
    return `content: ${what} ${rfc('9112 6.2')}`;
  },
  'chunk line': ({ number, size, digits, extensions, offset }) => [
    `chunk ${number}: size ${digits} (hex) = ${size}, ` +
      `data ${offset}-${offset + size - 1} ${rfc('9112 7.1')}`,
    describeExtensions(extensions),
  ],
  'end of the chunk': ({ number }) =>
    `the CRLF after the data of chunk ${number} ${rfc('9112 7.1')}`,
  'last chunk': ({ size, extensions, offset }) => [
    `last chunk at ${offset}: ${count(size)} of content ${rfc('9112 7.1')}`,
    describeExtensions(extensions),
  ],
  'end of the trailer section': ({ lines, end }) => {
    const trailer = `trailer section, ended by byte ${end - 1}`;
    if (lines.length === 0) return `${trailer}: no field lines ${rfc('9112 7.1')}`;
    const fields = `${count(lines.length, 'field line')} read and dropped`;
    const names = clip(lines.map(({ name }) => name).join(', '));
    return `${trailer}: ${fields}: ${names} ${rfc('9110 6.5.1')}`;
  },
  // Where nothing follows, the line of its place in the queue does.
  request: ({ number, connection, length, unread }) =>
    unread === 0
      ? ''
      : `${count(length)}: request ${number} of c${connection} is complete; the next begins`,
  'rejected line': () => '', // the line of the rejection follows
  frame: ({ framing }) =>
    (framing.kind === 'length' ? `${count(framing.length)} of ` : '') +
    `${framing.reason} (${cite('9112 6.3')}, rule ${framing.rule})`,
  expect: ({ ignoredBecause: why }) =>
    why === undefined
      ? `the client asks for 100 (Continue) ${rfc('9110 10.1.1')}`
      : `100-continue is ignored: ${why} ${rfc('9110 10.1.1')}`,
  keep: ({ persistence: { persists, reason, section } }) => {
    const isOver = 'the connection closes after the response';
    const what = persists ? 'the client lets it stay open' : isOver;
    return `${what}: ${reason} ${rfc(section)}`;
  },
  queue: ({ place, behind }) =>
    `complete; place ${place}${behind === undefined ? '' : `, behind c${behind}`}`,
  block: ({ seconds, isStopping }) =>
    `waiting for the client to read some of its responses, ${seconds} s at most` +
    (isStopping ? ' after the server began to stop' : ''),
  turn: ({ request, limit, method, path }) =>
    `request ${request}${limit === 0 ? '' : ` of ${limit}`}: ${clip(`${method} ${path}`)}`,
  route: ({ steps, status }) =>
    `${steps.map((step, at) => (at % 2 === 0 ? step : ` -${clip(step)}-> `)).join('')} = ${status}`,
  write: ({ isSent, responses }) =>
    describeResponses(responses) +
    count(responses.reduce((sum, { length }) => sum + length, 0)) +
    (isSent ? '' : ' could not be sent: the client is gone'),
  idle: ({ seconds }) => `waiting for the next request, ${seconds} s at most`,
  reject: ({ error }) => `${error.status} ${error.ruling}`,
  risk: ({ summary }) => summary,
  // A reset that comes while bytes are unread looks like an end, too.
  end: () => 'the client closed its sending side, or the connection',
  close: ({ reason, section }) => `${reason} ${rfc(section)}`,
  drop: ({ request, bytes, which }) => {
    const what = request && `${clip(request)}, complete but never handled`;
    return [what, bytes && `${count(bytes)} ${which}`].filter(Boolean).join('; ');
  },
  linger: ({ silence, seconds, isStopping }) =>
    'our side is closed: reading on until the client closes, ' +
    (isStopping
      ? `${seconds} s at most after everything is sent ${rfc('9112 9.6')}`
      : `or is silent for ${silence} s; ${seconds} s at most ${rfc('9112 9.6')}`),
  gone: ({ reason, unsent }) =>
    reason + (unsent > 0 ? `; up to ${count(unsent, 'byte')} never sent` : ''),
};

/** A client that has no address any more. */
const GONE = 'a client that is gone already';

function tellField({ part, line: { name, value } }: EventOf<FieldPart>): string {
  return `${part}: ${clip(name)} "${clip(value)}" ${rfc('9112 5')}`;
}

function rfc(section: string): string {
  return `(${cite(section)})`;
}

/** @returns '' for one response: its bytes are shown, and begin with its status */
function describeResponses(responses: readonly Written[]): string {
  if (responses.length < 2) return '';
  const statuses = responses
    .slice(0, STATUSES_SHOWN)
    .map(({ text }) => text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
  const hidden = responses.length - statuses.length;
  const more = hidden > 0 ? `, and ${hidden} more` : '';
  return `${responses.length} responses (${statuses.join(', ')}${more}), `;
}

function describeExtensions(bytes: number): string {
  return bytes === 0
    ? ''
    : `${count(bytes)} of chunk extensions dropped ${rfc('9112 7.1.1')}`;
}

/** Only a URI has a path: "*" is the whole server, and what CONNECT names is a host and a
 * port. */
function describePath({ form, path }: RequestTarget): string {
  const shown = `"${clip(path)}"`;
  if (form === 'authority-form' || form === 'asterisk-form') return ` ${shown}`;
  return path === '*' ? `, read as ${shown}` : `, path ${shown}`;
}

function describeLeniency({ part, character }: Leniency): string {
  const what =
    character === '%' ? '"%" without two hexadecimal digits' : `"${escape(character)}"`;
  return `the ${part} has ${what}, for which RFC 3986 has no place: browsers send it`;
}

/** @returns the sentences of an event, in ASCII */
export function explain(event: TraceEvent): string[] {
  const topic = event.type === 'parse' ? event.part : event.type;
  const describe = TEXTS[topic] as (event: TraceEvent) => string | string[];
  return [describe(event)].flat().filter((text) => text !== '');
}

/** A client's text within a line: its first NAME_SHOWN characters. */
function clip(text: string): string {
  const more =
    text.length > NAME_SHOWN ? `... ${count(text.length - NAME_SHOWN, 'more byte')}` : '';
  return escape(text.slice(0, NAME_SHOWN)) + more;
}
