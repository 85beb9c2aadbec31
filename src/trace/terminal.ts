/** The trace as a person reads it: a line for each event, and below it the bytes it is
 * about. */
import { cite } from '../http/protocol-error';
import type { Leniency } from '../http/request-target';
import type { TraceEvent } from './events';
import { count, escape } from './text';

/** How much is shown of a read or write, of a name or a rejected line, and how many
 * chunks. */
const BYTES_SHOWN = 1024;
const NAME_SHOWN = 256;
const CHUNKS_SHOWN = 8;
const MARGIN = 19; // the width of time, connection and verb, before the text of a line
const COLOURS = { dim: 2, red: 31, green: 32, blue: 34 } as const;
type Colour = keyof typeof COLOURS;
/** NO_COLOR wins over FORCE_COLOR; without either, a terminal has colours unless it is
 * dumb. */
export function usesColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  return (
    !env['NO_COLOR'] && (!!env['FORCE_COLOR'] || (isTerminal && env['TERM'] !== 'dumb'))
  );
}

/** What an event is about: its type, or the part of a message that was parsed. */
type Topic =
  Exclude<TraceEvent['type'], 'parse'> | Extract<TraceEvent, { type: 'parse' }>['part'];
type EventOf<T extends Topic> = Extract<TraceEvent, { type: T } | { part: T }>;

/** What the lines say about an event. An empty text takes no line. */
const TEXTS: { readonly [T in Topic]: (event: EventOf<T>) => string | string[] } = {
  listen: ({ port }) => `port ${port}`,
  refuse: ({ remoteAddress, limit }) =>
    `${describeRemote(remoteAddress)}: limit of ${limit} open connections reached`,
  error: ({ message }) => `a connection could not be accepted: ${escape(message)}`,
  stop: ({ reason }) => reason,
  open: ({ remoteAddress }) => describeRemote(remoteAddress),
  read: ({ bytes }) => count(bytes.length),
  wait: ({ missing, section, seconds }) =>
    `for ${missing} (${cite(section)})${seconds ? `, ${seconds} s at most` : ''}`,
  'empty line': () =>
    `an empty line before the request line is ignored (${cite('9112 2.2')})`,
  'request line': ({
    method,
    version,
    target: { form, path, query, authority, leniency },
  }) => [
    `request line: ${clip(method)}, ${form}, path "${clip(path)}", ${version} (${cite('9112 3')})`,
    /1\.[01]$/.test(version) ? '' : `${version} is read as HTTP/1.1 (${cite('9110 6.2')})`,
    authority === undefined
      ? ''
      : `authority "${clip(authority)}" is ignored: every host has the same paths`,
    query === undefined ? '' : `query "${clip(query)}" is ignored: only the path counts`,
    leniency === undefined ? '' : describeLeniency(leniency),
  ],
  'field line': ({ section, line: { name, value } }) =>
    `${section} field line: ${clip(name)} "${clip(value)}" (${cite('9112 5')})`,
  'header section': ({ lines, host, form }) => {
    const ignoredBy = new Map([
      ['absolute-form', '9112 3.2.2'],
      ['authority-form', '9112 3.3'],
    ]);
    const section = ignoredBy.get(form);
    const why =
      section === undefined ? '' : ' is well formed, but the target names the host';
    const name = host === undefined ? 'no Host' : `Host "${clip(host)}"${why}`;
    return `${count(lines.length, 'field line')}, ${name} (${cite(section ?? '9112 3.2')})`;
  },
  content: ({ parts }) => {
    const [{ offset, length } = { offset: 0, length: 0 }] = parts ?? [];
    const last = length > 1 ? `-${offset + length - 1}` : '';
    return `content: ${count(length)}, at ${offset}${last} (${cite('9112 6.2')})`;
  },
  chunk: ({ number, size, digits, extensions, offset }) => {
    const sizes = `size ${digits} (hex) = ${size}`;
    const data = `data ${offset}-${offset + size - 1}`;
    return [
      `chunk ${number}: ${sizes}, ${data} (${cite('9112 7.1')})`,
      describeExtensions(extensions),
    ];
  },
  'chunk end': ({ number }) => `the CRLF after chunk ${number} (${cite('9112 7.1')})`,
  'last chunk': ({ chunks, size, extensions, offset }) => {
    const hidden = chunks - CHUNKS_SHOWN;
    const more = hidden > 0 ? `${count(hidden, 'more chunk')}, then the ` : '';
    return [
      `${more}last chunk at ${offset}: ${count(size)} of content (${cite('9112 7.1')})`,
      describeExtensions(extensions),
    ];
  },
  'trailer section': ({ lines, end }) => {
    const trailer = `trailer section, to byte ${end}`;
    if (lines.length === 0) return `${trailer}: no field lines (${cite('9112 7.1')})`;
    const fields = `${count(lines.length, 'field line')} read and dropped`;
    const names = clip(lines.map(({ name }) => name).join(', '));
    return `${trailer}: ${fields}: ${names} (${cite('9110 6.5.1')})`;
  },
  request: () => '', // the line of its place in the queue follows
  'rejected line': () => '', // the line of the rejection follows
  frame: ({ framing }) =>
    (framing.kind === 'length' ? `${count(framing.length)} of ` : '') +
    `${framing.reason} (${cite('9112 6.3')}, rule ${framing.rule})`,
  expect: ({ ignoredBecause }) => {
    const rule = `(${cite('9110 10.1.1')})`;
    if (ignoredBecause === undefined) return `the client waits for 100 (Continue) ${rule}`;
    return `100-continue is ignored: ${ignoredBecause} ${rule}`;
  },
  keep: ({ persistence: { persists, reason, section } }) => {
    const what = persists
      ? 'the client lets it stay open'
      : 'the connection closes after the response';
    return `${what}: ${reason} (${cite(section)})`;
  },
  queue: ({ place, behind }) =>
    `complete; place ${place}${behind === undefined ? '' : `, behind c${behind}`}`,
  block: ({ seconds }) =>
    `waiting for the client to read earlier responses, ${seconds} s at most`,
  turn: ({ request, limit }) => `request ${request}${limit === 0 ? '' : ` of ${limit}`}`,
  route: ({ steps, status }) =>
    `${steps.map((step, at) => (at % 2 === 0 ? step : ` -${clip(step)}-> `)).join('')} = ${status}`,
  write: ({ text, isSent }) =>
    count(text.length) + (isSent ? '' : ' could not be sent: the client is gone'),
  idle: ({ seconds }) => `waiting for the next request, ${seconds} s at most`,
  reject: ({ error }) => `${error.status} ${error.ruling}`,
  end: () => 'the client closed its sending side',
  close: ({ reason, section }) => `${reason} (${cite(section)})`,
  drop: ({ request, bytes, which }) => {
    const what = request && `${clip(request)}, complete but never handled`;
    return [what, bytes && `${count(bytes)} ${which}`].filter(Boolean).join('; ');
  },
  linger: ({ seconds, isStopping }) => {
    const limit = `${seconds} s at most${isStopping ? ' after everything is sent' : ''}`;
    const rule = `(${cite('9112 9.6')})`;
    return `our side is closed: still reading until the client closes, ${limit} ${rule}`;
  },
  gone: ({ reason }) => reason,
};

function describeRemote(address: string | undefined): string {
  return address ?? 'a client that is gone already';
}

function describeExtensions(bytes: number): string {
  return bytes === 0
    ? ''
    : `${count(bytes)} of chunk extensions dropped (${cite('9112 7.1.1')})`;
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

/** Parts that are too small for a line of their own: the page of a trace shows them. */
const SMALL_PARTS: readonly Topic[] = ['field line', 'content', 'chunk end'];

function isPrinted(event: TraceEvent): boolean {
  if (event.type !== 'parse') return true;
  if (event.part === 'chunk') return event.number <= CHUNKS_SHOWN;
  return !SMALL_PARTS.includes(event.part);
}

export class TraceFormatter {
  constructor(private readonly hasColour: boolean) {}

  /** @returns the lines of an event, each with its line end, in ASCII */
  format(event: TraceEvent): string {
    const { at, connection, type } = event;
    const time = (at / 1000).toFixed(3).padStart(7);
    const name = (connection === 0 ? '--' : `c${connection}`).padEnd(3);
    const colour = type === 'reject' ? 'red' : undefined;
    const lines = (isPrinted(event) ? explain(event) : []).map(
      (text) => `${time} ${name} ${this.paint(`${type.padEnd(6)} ${text}`, colour)}\n`,
    );
    return lines.join('') + this.details(event);
  }

  private details(event: TraceEvent): string {
    if (event.type === 'reject') return this.rejection(event);
    if (event.type === 'write') return this.bytes(event.text, 0, 'blue');
    if (event.type !== 'read') return '';
    return this.bytes(event.bytes.toString('latin1'), event.offset, 'green');
  }

  /** Bytes, one printed line for each line of them, with its offset. */
  private bytes(text: string, offset: number, colour: Colour): string {
    const lines = text.slice(0, BYTES_SHOWN).matchAll(/[^\n]*\n|[^\n]+/g);
    const shown = Array.from(lines, ({ 0: line, index }) =>
      this.numbered(offset + index, this.paint(escape(line), colour)),
    ).join('');
    if (text.length <= BYTES_SHOWN) return shown;
    return shown + indented(`... ${count(text.length - BYTES_SHOWN, 'more byte')}`);
  }

  /** The line that has a wrong byte, a mark below that byte, and the hint. */
  private rejection({ error, excerpt: { bytes, offset } }: EventOf<'reject'>): string {
    const wrong = error.offset - offset;
    const from = Math.max(0, wrong - NAME_SHOWN / 2);
    const before = escape(bytes.toString('latin1', from, wrong));
    const after = escape(bytes.toString('latin1', wrong, from + NAME_SHOWN));
    const line = this.numbered(offset + from, this.paint(before + after, 'red'));
    const mark = `${' '.repeat(MARGIN - 2)}| ${' '.repeat(before.length)}^ byte ${error.offset}\n`;
    const hint = error.hint && indented(error.hint);
    const end = indented('not handled: not logged, not counted');
    return (bytes.length > 0 ? line : '') + mark + hint + end;
  }

  private numbered(offset: number, text: string): string {
    return `${this.paint(String(offset).padStart(MARGIN - 3), 'dim')} | ${text}\n`;
  }

  private paint(text: string, colour: Colour | undefined): string {
    return this.hasColour && colour ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text;
  }
}

function indented(text: string): string {
  return `${' '.repeat(MARGIN)}${text}\n`;
}

/** A client's text within a line: its first NAME_SHOWN characters. */
function clip(text: string): string {
  const more =
    text.length > NAME_SHOWN ? `... ${count(text.length - NAME_SHOWN, 'more byte')}` : '';
  return escape(text.slice(0, NAME_SHOWN)) + more;
}
