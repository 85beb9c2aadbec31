/** Tells a trace what the reader and the parsers find, step by step. */
import type { ChunkLine } from '../http/chunk-line';
import type { ControlFields } from '../http/control-fields';
import type { FieldLine } from '../http/message';
import type { Decision, Observer } from '../http/observer';
import {
  crlfBefore,
  partsBefore,
  partsFrom,
  type LineKind,
  type Part,
} from '../http/parts';
import type { Excerpt, Line } from '../http/receive-buffer';
import type { RequestLine } from '../http/request-line';
import type { RequestTarget } from '../http/request-target';

/** The type is the verb of its line in the trace. */
export type ReaderEvent = Readonly<
  | Read<'empty line before the request line'> // it is ignored
  // The version is told as it was sent, such as "HTTP/1.1".
  | Read<'request line', { method: string; target: RequestTarget; version: string }>
  | Read<'header field line' | 'trailer field line', { line: FieldLine }>
  // Its parts are the empty line, and the values with a grammar of their own.
  | Read<'end of the header section', { lines: readonly FieldLine[] } & Named>
  | Decision
  // Content by length: the bytes that it has, though they may not have arrived.
  | Read<'content'>
  // Its parts are those of its line, and the data, which may not have arrived.
  | Read<'chunk line', ChunkSize & { number: number; digits: string }>
  | Read<'end of the chunk', { number: number }> // the CRLF after the data
  | Read<'last chunk', ChunkSize & { chunks: number }>
  // Its part is the empty line, which ends at `end`.
  | Read<'end of the trailer section', { lines: readonly FieldLine[]; end: number }>
  // The request is complete. `next` is the beginning of the `unread` bytes that have arrived
  // after it: of one line, at most 1,024 bytes. Requests are numbered on their connection.
  | Read<'request', { number: number; length: number; unread: number; next: string }>
  // What was being read when the request was rejected, and its parts before the wrong byte.
  // The empty line is one of them: it was read before the fields are judged.
  | Read<'rejected line', { kind: LineKind }>
>;

/** What was read, and the parts of the bytes that the event is about. */
type Read<What extends string, Details = object> = Details & {
  type: 'parse';
  part: What;
  parts?: readonly Part[];
};

/** What names the host of the request. */
interface Named {
  host: string | undefined;
  form: RequestTarget['form'];
}

interface ChunkSize {
  size: number; // that of the last chunk is the size of the whole content
  extensions: number; // how many bytes of extensions are dropped
  offset: number; // of its data, or of the line of the last chunk
}

type Told = Extract<ReaderEvent, { type: 'parse' }>;

/** What is read after a part has been told, where that changes. */
const NEXT: { readonly [Part in Told['part']]?: LineKind } = {
  'request line': 'header field line',
  content: 'content',
  'chunk line': 'chunk data',
  'end of the chunk': 'chunk line',
  'last chunk': 'trailer field line',
  'end of the trailer section': 'end of the trailer section',
  request: 'request line',
};

/** The fields whose values are parts of their own. */
// prettier-ignore
const CONTROL_FIELDS = [
  ['Host', 'host'], ['Connection', 'connection'], ['Content-Length', 'contentLength'],
  ['Transfer-Encoding', 'transferEncoding'], ['Expect', 'expect'],
] as const;

/** How much is told of what follows a request. */
const NEXT_SHOWN = 1024;

/** Tells a sink what is found. The sink may keep what it gets and write into it, so it gets
 * copies. */
export class ReaderTrace implements Observer {
  /** What is being read: what follows the part told last, or what begin() said. */
  private kind: LineKind = 'request line';
  /** The empty line after the fields, until it is told with what they say. */
  private untold: readonly Part[] = [];
  /** How many requests were complete. */
  private requests = 0;

  constructor(private readonly sink: (event: ReaderEvent) => void) {}

  private tell(event: ReaderEvent): void {
    this.sink(copyOf(event));
    if (event.type === 'parse') this.kind = NEXT[event.part] ?? this.kind;
  }

  decision(decision: Decision): void {
    this.tell(decision);
  }

  begin(kind: LineKind): void {
    this.kind = kind;
  }

  beginJudging(end: number): void {
    this.begin('end of the header section');
    this.untold = crlfBefore(end);
  }

  emptyLine(end: number): void {
    const part = 'empty line before the request line';
    this.tell({ type: 'parse', part, parts: crlfBefore(end) });
  }

  requestLine(line: Line, { method, minorVersion, target }: RequestLine): void {
    const version = `HTTP/1.${minorVersion}`;
    const around = method.length + ' '.length + ` ${version}`.length;
    const parts = partsFrom(
      line.offsetOf(line.start),
      ['method', method.length],
      ['SP', 1],
      ['request-target', line.end - line.start - around],
      ['SP', 1],
      ['HTTP-version', version.length],
      ['CRLF', 2],
    );
    this.tell({ type: 'parse', part: 'request line', method, target, version, parts });
  }

  fieldLine(section: 'header' | 'trailer', own: Line, line: FieldLine): void {
    const { name, offset, value } = line;
    const start = own.offsetOf(own.start);
    const end = own.offsetOf(own.end);
    const parts = partsFrom(
      start,
      ['field-name', name.length],
      ['colon', 1],
      ['OWS', offset - start - name.length - ':'.length],
      ['field-value', value.length],
      ['OWS', end - offset - value.length],
      ['CRLF', 2],
    );
    this.tell({ type: 'parse', part: `${section} field line`, line, parts });
  }

  headerSection(
    lines: readonly FieldLine[],
    fields: ControlFields,
    form: RequestTarget['form'],
  ): void {
    const values = CONTROL_FIELDS.flatMap(([name, key]) =>
      fields[key].flatMap(({ value, offset }) => partsFrom(offset, [name, value.length])),
    );
    const parts = [...this.untold, ...values];
    this.untold = [];
    const host = fields.host[0]?.value;
    const part = 'end of the header section';
    this.tell({ type: 'parse', part, lines, host, form, parts });
  }

  content(offset: number, length: number): void {
    const parts = partsFrom(offset, ['content', length]);
    this.tell({ type: 'parse', part: 'content', parts });
  }

  chunkLine(number: number, read: number, line: Line, chunk: ChunkLine): void {
    const { extensions, size } = chunk;
    const digits = line.text(line.start, line.end - extensions);
    const parts = partsFrom(
      line.offsetOf(line.start),
      ['chunk-size', digits.length],
      ['chunk-ext', extensions],
      ['CRLF', 2],
      ['chunk-data', size],
    );
    if (size === 0) {
      this.tell({
        type: 'parse',
        part: 'last chunk',
        chunks: number,
        size: read,
        extensions,
        offset: line.offsetOf(line.start),
        parts,
      });
    } else {
      this.tell({
        type: 'parse',
        part: 'chunk line',
        number,
        size,
        digits,
        extensions,
        offset: line.offsetOf(line.end) + '\r\n'.length,
        parts,
      });
    }
  }

  chunkEnd(number: number, end: number): void {
    const parts = crlfBefore(end);
    this.tell({ type: 'parse', part: 'end of the chunk', number, parts });
  }

  trailerSection(lines: readonly FieldLine[], end: number): void {
    const parts = crlfBefore(end);
    this.tell({ type: 'parse', part: 'end of the trailer section', lines, end, parts });
  }

  request(length: number, unread: number, { bytes }: Excerpt): void {
    this.requests += 1;
    const next = bytes.toString('latin1', 0, NEXT_SHOWN);
    const { requests: number } = this;
    this.tell({ type: 'parse', part: 'request', number, length, unread, next });
  }

  rejected(wrong: number, excerpt: Excerpt): void {
    const parts = [...this.untold, ...partsBefore(wrong, this.kind, excerpt)];
    this.tell({ type: 'parse', part: 'rejected line', kind: this.kind, parts });
  }
}

/** @returns the same data, in objects of its own */
function copyOf<Data>(data: Data): Data {
  if (Array.isArray(data)) return data.map(copyOf) as Data;
  if (typeof data !== 'object' || data === null) return data;
  const copy = { ...data };
  for (const key in copy) copy[key] = copyOf(copy[key]);
  return copy;
}
