/**
 * The trace as a person reads it: a line for each event, and below it the bytes that it is about.
 * There is no rule of HTTP here: each reason comes with its event.
 */
import type { ReaderEvent } from './http/outcome';
import { cite } from './http/protocol-error';
import type { TraceEvent } from './server/trace-events';

/** How much is shown of one read or write, of one name, and how many chunks of a message. */
const BYTES_SHOWN = 1024;
const NAME_SHOWN = 256;
const CHUNKS_SHOWN = 8;
/** Where the text of a line starts, after time, connection and verb. */
const MARGIN = 20;

const COLOURS = { dim: 2, red: 31, green: 32, blue: 34 } as const;
type Colour = keyof typeof COLOURS;

/** NO_COLOR wins over FORCE_COLOR; without either, a terminal has colours unless it is dumb. */
export function usesColour(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return true;
  return isTerminal && env['TERM'] !== 'dumb';
}

export class TraceFormatter {
  constructor(private readonly hasColour: boolean) {}

  /** @returns the lines of an event, each with its line end, in ASCII */
  format(event: TraceEvent): string {
    const line = (text: string, colour?: Colour): string => this.line(event, text, colour);
    switch (event.type) {
      case 'listen':
        return line(`port ${event.port}`);
      case 'refuse':
        return line(`${event.remoteAddress}: limit of ${event.limit} open connections reached`);
      case 'stop':
      case 'gone':
        return line(event.reason);
      case 'open':
        return line(event.remoteAddress);
      case 'read':
        return line(count(event.bytes.length)) + this.bytes(event.bytes, event.offset, 'green');
      case 'wait': {
        const { missing, section, seconds } = event;
        return line(`for ${missing} (${cite(section)})${seconds ? `, ${seconds} s at most` : ''}`);
      }
      case 'parse':
        return describePart(event).map((text) => line(text)).join('');
      case 'frame':
        return line(`${event.framing.reason} (${cite('9112 6.3')}, rule ${event.framing.rule})`);
      case 'expect':
        return line(`the client waits for 100 (Continue) (${cite('9110 10.1.1')})`);
      case 'keep': {
        const { persists, reason, section } = event.persistence;
        const what = persists ? 'the client lets it stay open' : 'it closes after the answer';
        return line(`${what}: ${reason} (${cite(section)})`);
      }
      case 'queue': {
        const behind = event.behind === undefined ? '' : `, behind c${event.behind}`;
        return line(`complete; place ${event.place}${behind}`);
      }
      case 'block':
        return line(`the client is not reading earlier answers, ${event.seconds} s at most`);
      case 'turn':
        return line(`request ${event.request}${event.limit === 0 ? '' : ` of ${event.limit}`}`);
      case 'route': {
        const steps = event.steps.map((step, at) => (at % 2 === 0 ? step : ` -${clip(step)}-> `));
        return line(`${steps.join('')} = ${event.status}`);
      }
      case 'write': {
        const bytes = Buffer.from(event.text, 'latin1');
        return line(count(bytes.length)) + this.bytes(bytes, 0, 'blue');
      }
      case 'idle':
        return line(`waiting for the next request, ${event.seconds} s at most`);
      case 'reject': {
        const { error, excerpt } = event;
        const caret = this.caret(excerpt.bytes, excerpt.offset, error.offset);
        const hint = error.hint === '' ? '' : indented(error.hint);
        const ruling = line(`${error.status} ${error.ruling}`, 'red');
        return ruling + caret + hint + indented('not handled: not logged, not counted');
      }
      case 'end':
        return line('the client closed its sending side');
      case 'close':
        return line(`${event.reason} (${cite(event.section)})`);
      case 'drop': {
        const request = event.request && `${clip(event.request)}, complete but never handled`;
        const bytes = event.bytes && `${count(event.bytes, 'more ')}, never parsed`;
        return line([request, bytes].filter(Boolean).join('; '));
      }
      case 'linger': {
        const text = 'our side is closed: reading on until the client closes';
        return line(`${text}, ${event.seconds} s at most (${cite('9112 9.6')})`);
      }
    }
  }

  private line({ at, connection, type }: TraceEvent, text: string, colour?: Colour): string {
    const time = (at / 1000).toFixed(3).padStart(7);
    const name = (connection === 0 ? '--' : `c${connection}`).padEnd(3);
    return `${time} ${name} ${this.paint(`${type.padEnd(6)} ${text}`, colour)}\n`;
  }

  /** Bytes, a line for each of their lines, with its offset. */
  private bytes(bytes: Buffer, offset: number, colour: Colour): string {
    const shown = Math.min(bytes.length, BYTES_SHOWN);
    let text = '';
    for (let from = 0; from < shown; ) {
      const lf = bytes.indexOf(0x0a, from);
      const to = lf < 0 ? shown : Math.min(lf + 1, shown);
      const excerpt = escape(bytes.toString('latin1', from, to));
      text += this.excerpt(offset + from, this.paint(excerpt, colour));
      from = to;
    }
    if (bytes.length <= shown) return text;
    return text + indented(`... ${count(bytes.length - shown, 'more ')}`);
  }

  /** The line that has a wrong byte, and a mark below that byte. */
  private caret(bytes: Buffer, offset: number, wrong: number): string {
    const from = Math.max(0, wrong - offset - NAME_SHOWN / 2);
    const before = escape(bytes.toString('latin1', from, wrong - offset));
    const after = escape(bytes.toString('latin1', wrong - offset, from + NAME_SHOWN));
    const mark = `${' '.repeat(MARGIN - 3)}| ${' '.repeat(before.length)}^ byte ${wrong}\n`;
    if (bytes.length === 0) return mark;
    return this.excerpt(offset + from, this.paint(before + after, 'red')) + mark;
  }

  private excerpt(offset: number, text: string): string {
    return `${this.paint(String(offset).padStart(MARGIN - 4), 'dim')} | ${text}\n`;
  }

  private paint(text: string, colour: Colour | undefined): string {
    if (!this.hasColour || colour === undefined) return text;
    return `\x1b[${COLOURS[colour]}m${text}\x1b[0m`;
  }
}

/** What was parsed, a line of text for each thing to say about it. */
function describePart(event: Extract<ReaderEvent, { type: 'parse' }>): string[] {
  switch (event.part) {
    case 'request line': {
      const { method, target, version } = event;
      const { form, path, query, authority } = target;
      const line = `request line: ${clip(method)}, ${form}, path "${clip(path)}", ${version}`;
      const aside = [`${line} (${cite('9112 3')})`];
      if (authority !== undefined) {
        aside.push(`authority "${clip(authority)}" is put aside: every host has the same paths`);
      }
      if (query !== undefined) {
        aside.push(`query "${clip(query)}" is cut off: only the path counts`);
      }
      return aside;
    }
    case 'header section': {
      const { lines, host, form } = event;
      // Where the target names the host.
      const ignoredBy = new Map([['absolute-form', '9112 3.2.2'], ['authority-form', '9112 3.3']]);
      const section = ignoredBy.get(form);
      const name = host === undefined ? 'no Host' : `Host "${clip(host)}"`;
      const why = section === undefined ? '' : ' is ignored: the target names the host';
      return [`${count(lines, '', 'field line')}, ${name}${why} (${cite(section ?? '9112 3.2')})`];
    }
    case 'chunk': {
      const { number, size, offset } = event;
      const data = `data ${offset}-${offset + size - 1}`;
      const text = `chunk ${number}: size ${size.toString(16)} (hex) = ${size}, ${data}`;
      return number > CHUNKS_SHOWN ? [] : [`${text} (${cite('9112 7.1')})`];
    }
    case 'last chunk': {
      const { chunks, size, offset } = event;
      const hidden = Math.max(0, chunks - CHUNKS_SHOWN);
      const more = hidden > 0 ? `${count(hidden, 'more ', 'chunk')}, then the ` : '';
      return [`${more}last chunk at ${offset}: ${count(size)} of content (${cite('9112 7.1')})`];
    }
    case 'trailer section': {
      const { lines, end } = event;
      const section = `trailer section, to byte ${end}`;
      if (lines.length === 0) return [`${section}: no field lines (${cite('9112 7.1')})`];
      const fields = `${count(lines.length, '', 'field line')} read and dropped`;
      const names = clip(lines.map(({ name }) => name).join(', '));
      return [`${section}: ${fields}: ${names} (${cite('9110 6.5.1')})`];
    }
  }
}

function indented(text: string): string {
  return `${' '.repeat(MARGIN - 1)}${text}\n`;
}

function count(number: number, more = '', what = 'byte'): string {
  return `${number} ${more}${what}${number === 1 ? '' : 's'}`;
}

/** Text of a client within a line, as much as fits. */
function clip(text: string): string {
  const more = text.length > NAME_SHOWN ? `... ${count(text.length - NAME_SHOWN, 'more ')}` : '';
  return escape(text.slice(0, NAME_SHOWN)) + more;
}

const NAMED_ESCAPES = new Map([['\r', '\\r'], ['\n', '\\n'], ['\t', '\\t'], ['\\', '\\\\']]);

/** Nothing that a client sends reaches the terminal raw: control bytes and those from 0x7F up. */
function escape(text: string): string {
  return text.replace(/[^\x20-\x5b\x5d-\x7e]/g, (char) => {
    const hex = char.charCodeAt(0).toString(16).padStart(2, '0');
    return NAMED_ESCAPES.get(char) ?? `\\x${hex}`;
  });
}
